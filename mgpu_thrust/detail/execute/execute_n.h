// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Every call of a function whose name ends in _n: sizes that may be deferred, and a count for the next call.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/target.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/execute.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/execute/cuda_policy.cuh>
#  include <mgpu_thrust/detail/execute/queued_job.cuh>
#endif

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

#if defined(__CUDACC__)
/// Queues a job whose count stays in the memory of the device, and waits for it only if the policy says so.
template <class Policy, class Job, class Count>
void queue_counted(Policy& policy, const char* algorithm, const Job& job, Count* d_count)
{
  detail::check_job(policy, algorithm, job).count_range(job.count_capacity(), largest_index<Count>);
  if (job.is_empty())
  {
    detail::throw_on_error(cudaMemsetAsync(d_count, 0, sizeof(Count), detail::stream_of(policy)), algorithm);
    detail::wait_unless_nosync(policy, algorithm);
  }
  else
  {
    const queued_job<Policy, Job> queued(policy, algorithm, job, d_count);
    queued.wait_unless_nosync();
  }
}
#endif

/// Asserts at compile time that a call is not one over ranks, where sizes are those of the host.
template <class Policy>
MGPU_THRUST_HOST_DEVICE void check_not_distributed()
{
  static_assert(
    !is_distributed_v<Policy>,
    "mgpu_thrust: functions whose names end in _n have no form for the ranks of a communicator");
}

/// Checks the capacities of a job, as a device does. All else is checked when the sizes are known.
template <class Job>
size_checks check_capacities(const char* algorithm, const Job& job)
{
  size_checks check(algorithm);
  job.check_sizes(check);
  return check;
}

/// Executes a job on the calling thread, with the sizes that its inputs have now. (Through execute(), nvcc would
/// compile the kernels of known sizes too.)
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Job, class Count>
MGPU_THRUST_HOST_DEVICE void execute_in_thread(const Job& job, Count* count)
{
  const auto now = job.sized();
  *count = detail::saturated_index<Count>(now.count_of(now.in_thread()));
}

template <class Policy, class Job, class Count>
void execute_n_from_host(
  const thrust::execution_policy<Policy>& policy, const char* algorithm, const Job& job, Count* count)
{
#if defined(__CUDACC__)
  if constexpr (std::is_same_v<backend_t<Policy>, cuda_backend>)
  {
    detail::queue_counted(detail::derived(policy), algorithm, job, count);
  }
  else
#endif
  {
    detail::check_capacities(algorithm, job).count_range(job.count_capacity(), largest_index<Count>);
    const auto now = job.sized();
    *count = detail::saturated_index<Count>(now.count_of(detail::execute(policy, algorithm, now)));
  }
}

template <class Policy, class Job>
void execute_n_from_host(const thrust::execution_policy<Policy>& policy, const char* algorithm, const Job& job)
{
  if constexpr (std::is_same_v<backend_t<Policy>, cuda_backend>)
  {
    (void) detail::execute_from_host(detail::derived(policy), algorithm, job);
  }
  else
  {
    (void) detail::check_capacities(algorithm, job);
    (void) detail::execute(policy, algorithm, job.sized());
  }
}

/// Executes a job with sizes that may be deferred, whose result is as large as its inputs. Beside what execute() needs,
/// the job has sized(), which returns it with its sizes as they are now.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Job>
MGPU_THRUST_HOST_DEVICE void
execute_n(const thrust::execution_policy<Policy>& policy, [[maybe_unused]] const char* algorithm, const Job& job)
{
  detail::check_not_distributed<Policy>();
  Job::template check_types<backend_t<Policy>>();
  // The device pass of nvcc compiles only kernels whose launch it sees: hence the host's call that is never executed.
  MGPU_THRUST_IF_HOST_ELSE(
    (detail::execute_n_from_host(policy, algorithm, job);),
    (if (false) { detail::execute_n_from_host(policy, algorithm, job); }(void) job.sized().in_thread();))
}

/// Executes a job with sizes that may be deferred, stores its count, and returns it as a size for a later call. Beside
/// what execute() needs, the job has
///
///   sized()            the job with its sizes as they are now
///   count_of(result)   the count that belongs to a result of the job; for a job that is sized
///   max_counted()      the maximum count for sizes up to their capacities
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Job, class CountPointer>
MGPU_THRUST_HOST_DEVICE deferred<CountPointer>
execute_n(const thrust::execution_policy<Policy>& policy, const char* algorithm, const Job& job, CountPointer d_count)
{
  auto* const count = detail::unwrap(d_count);
  static_assert(
    std::is_integral_v<std::remove_pointer_t<decltype(count)>>,
    "mgpu_thrust: the size of a result is stored to an integer, which d_count points to");
  detail::check_not_distributed<Policy>();
  // Outputs have random access for every policy, as a size is found from an end.
  Job::template check_types<
    std::conditional_t<std::is_same_v<backend_t<Policy>, serial_backend>, serial_n_backend, backend_t<Policy>>>();
  // The device pass of nvcc compiles only kernels whose launch it sees: hence the host's call that is never executed.
  MGPU_THRUST_IF_HOST_ELSE((detail::execute_n_from_host(policy, algorithm, job, count);), (if (false) {
                             detail::execute_n_from_host(policy, algorithm, job, count);
                           } detail::execute_in_thread(job, count);))
  return {d_count, job.max_counted()};
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
