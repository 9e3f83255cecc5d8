// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A job under a CUDA policy: storage from the policy's allocator, work on the policy's stream.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/cuda_host_result.cuh>
#include <mgpu_thrust/detail/execute/cuda_policy.cuh>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/execute/job.h>
#include <mgpu_thrust/detail/execute/temporary_storage.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The temporary storage, and the count if there is one, of a job that is queued on a policy's stream. The policy must
/// outlive this object. The storage goes back to the policy's allocator when this object is destroyed: with a nosync
/// policy that may be before the stream has executed the work.
template <class Policy, class Job>
class queued_job
{
  using work = device_work<Job>;
  using plan_type = decltype(work::plan(std::declval<const Job&>(), no_count));

public:
  /// Plans a job that is not empty and whose sizes are checked, and allocates its storage. launch() queues it, with its
  /// count at `count`: memory that the device can write, or null for the host's.
  template <class Count>
  queued_job(Policy& policy, const char* algorithm, const Job& job, const Count* count, nothing)
      : policy_(policy)
      , algorithm_(algorithm)
      , plan_(work::plan(job, count))
      , storage_(policy, algorithm, checked_bytes())
  {
  }
  /// Queues such a job. Its count, if it has one, is for the host.
  queued_job(Policy& policy, const char* algorithm, const Job& job)
      : queued_job(policy, algorithm, job, no_count, nothing{})
  {
    launch(job, count_of_host());
  }
  /// Queues such a job with its count in memory that the device can write.
  template <class Count>
  queued_job(Policy& policy, const char* algorithm, const Job& job, Count* count)
      : queued_job(policy, algorithm, job, count, nothing{})
  {
    launch(job, count);
  }

  /// Allocates the count of the host, if the job has one. Returns its address for launch().
  std::int64_t* count_of_host()
  {
    if constexpr (Job::is_counted)
    {
      return count_.emplace(algorithm_).address();
    }
    else
    {
      return no_count;
    }
  }
  template <class Count>
  void launch(const Job& job, Count* count)
  {
    detail::throw_on_error(work::launch(storage_.data(), job, plan_, count, detail::stream_of(policy_)), algorithm_);
  }
  void* storage() const
  {
    return storage_.data();
  }
  std::int64_t wait_for_count() const
  {
    wait();
    return count_->value();
  }
  /// The result of a job whose count, if it has one, is for the host.
  typename Job::result_type wait_for_result(const Job& job, [[maybe_unused]] size_checks& check) const
  {
    if constexpr (Job::is_counted)
    {
      return job.result(wait_for_count(), check);
    }
    else
    {
      wait_unless_nosync();
      return job.result();
    }
  }
  void wait_unless_nosync() const
  {
    if constexpr (Job::writes_to_host)
    {
      wait();
    }
    else
    {
      detail::wait_unless_nosync(policy_, algorithm_);
    }
  }

private:
  std::size_t checked_bytes() const
  {
    size_checks(algorithm_).tiles(plan_.tiles);
    detail::throw_on_error(plan_.error, algorithm_);
    return plan_.bytes;
  }
  void wait() const
  {
    detail::wait_for_stream(policy_, algorithm_);
  }

  Policy& policy_;
  const char* algorithm_;
  plan_type plan_;
  temporary_storage storage_;
  std::optional<cuda_host_result> count_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
