// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A job whose inputs are not there yet, but whose sizes are known.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/execute.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/base/no_values.h>
#  include <mgpu_thrust/detail/execute/queued_job.cuh>
#endif

#include <cstdint>
#include <optional>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A job that is executed later under the same policy, which must outlive this object. Under a CUDA policy its
/// temporary storage is allocated now; under that of a CPU it is allocated when the job is executed, as its size
/// follows from inputs.
template <class Policy, class Job>
class reserved_job
{
public:
  reserved_job(Policy& policy, const char* algorithm, const Job& job)
      : policy_(policy)
      , algorithm_(algorithm)
      , job_(job)
  {
#if defined(__CUDACC__)
    if constexpr (is_cuda)
    {
      Job::template check_types<backend_t<Policy>>();
      if (!job_.is_empty())
      {
        queued_.emplace(policy_, algorithm_, job_, no_count, nothing{});
        count_ = queued_->count_of_host();
      }
    }
#endif
  }
  reserved_job(const reserved_job&) = delete;
  reserved_job& operator=(const reserved_job&) = delete;

  typename Job::result_type execute()
  {
#if defined(__CUDACC__)
    if constexpr (is_cuda)
    {
      size_checks check = detail::check_job(policy_, algorithm_, job_);
      if (!queued_)
      {
        return job_.empty_result();
      }
      queued_->launch(job_, count_);
      return queued_->wait_for_result(job_, check);
    }
    else
#endif
    {
      return detail::execute(policy_, algorithm_, job_);
    }
  }

private:
  Policy& policy_;
  const char* algorithm_;
  Job job_;
#if defined(__CUDACC__)
  static constexpr bool is_cuda = std::is_same_v<backend_t<Policy>, cuda_backend>;
  struct no_storage
  {
  };
  std::conditional_t<is_cuda, std::optional<queued_job<Policy, Job>>, no_storage> queued_;
  std::int64_t* count_ = nullptr; ///< that a counted job stores for the host
#endif
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
