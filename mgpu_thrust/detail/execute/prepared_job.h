// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The first half of a plan: a job that is executed once, and whose temporary storage is kept for later jobs.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/execute/temporary_storage.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// What a prepared job leaves of a CPU: its temporary storage. Beside `run`, the job's cpu_work has
///
///   static std::size_t storage_bytes(const Job&, const cpu_workers<is_serial>&)
///   static std::int64_t prepare(const Job&, const cpu_workers<is_serial>&, void* storage)   returns the count, if any
template <class Policy, class Job>
class cpu_preparation
{
public:
  cpu_preparation(Policy& policy, const char* algorithm, const Job& job)
      : cpu_preparation(job, workers_type(policy_resources<Policy>(policy), algorithm))
  {
  }
  void* storage() const
  {
    return storage_.data();
  }
  std::int64_t wait_for_count() const
  {
    return count_;
  }

private:
  using workers_type = cpu_workers<is_serial_v<Policy>>;

  cpu_preparation(const Job& job, const workers_type& workers)
      : storage_(workers.storage(cpu_work<Job>::storage_bytes(job, workers)))
      , count_(cpu_work<Job>::prepare(job, workers, storage_.data()))
  {
  }

  temporary_storage storage_;
  std::int64_t count_;
};

template <class Backend, class Policy, class Job>
struct preparation
{
  using type = cpu_preparation<Policy, Job>;
};
#if defined(__CUDACC__)
template <class Policy, class Job>
struct preparation<cuda_backend, Policy, Job>
{
  using type = queued_job<Policy, Job>;
};
#endif

/// A job, its policy, and the temporary storage that it left. Neither copyable nor movable, as the storage refers to
/// the policy.
template <class Policy, class Job>
class prepared_job
{
public:
  /// Executes the job, and waits for its count if it is counted.
  prepared_job(const thrust::execution_policy<Policy>& policy, const char* algorithm, const Job& job)
      : policy_(detail::derived(policy))
      , job_(job)
  {
    static_assert(!is_distributed_v<Policy>, "mgpu_thrust: this function has no form for the ranks of a communicator");
    Job::template check_types<backend_t<Policy>>();
    [[maybe_unused]] size_checks check = detail::check_job(policy_, algorithm, job_);
    if (!job_.is_empty())
    {
      preparation_.emplace(policy_, algorithm, job_);
      if constexpr (Job::is_counted)
      {
        count_ = preparation_->wait_for_count();
        (void) job_.result(count_, check);
      }
    }
  }
  prepared_job(const prepared_job&) = delete;
  prepared_job& operator=(const prepared_job&) = delete;

  const Job& job() const
  {
    return job_;
  }
  std::int64_t count() const
  {
    return count_;
  }
  /// The storage, or nullptr if the job was empty.
  void* storage() const
  {
    return preparation_ ? preparation_->storage() : nullptr;
  }

  /// Executes a later job, which may read the storage, under the same policy. Any number of threads may call it
  /// concurrently.
  template <class LaterJob>
  typename LaterJob::result_type execute(const char* algorithm, const LaterJob& job)
  {
    LaterJob::template check_types<backend_t<Policy>>();
    return detail::execute_from_host(policy_, algorithm, job);
  }

private:
  Policy policy_;
  Job job_;
  std::optional<typename preparation<backend_t<Policy>, Policy, Job>::type> preparation_;
  std::int64_t count_ = 0;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
