// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Every call with a policy, from the interface to the code that does the work.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/target.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/check_preconditions.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/execute/job.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/execute/queued_job.cuh>
#endif

#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Checks the sizes of a job, and in the checked mode its inputs. Returns the checks that the job's result may need.
template <class Policy, class Job>
size_checks check_job(Policy& policy, const char* algorithm, const Job& job)
{
  size_checks check(algorithm);
  job.check_sizes(check);
  job.check_preconditions(precondition_checks<Policy>(policy, algorithm));
  return check;
}

template <class Policy, class Job>
typename Job::result_type execute_locally(Policy& policy, const char* algorithm, const Job& job)
{
  // 1. Check.
  [[maybe_unused]] size_checks check = detail::check_job(policy, algorithm, job);

  // 2. Execute, unless there is nothing to do.
  if (job.is_empty())
  {
    return job.empty_result();
  }
#if defined(__CUDACC__)
  if constexpr (std::is_same_v<backend_t<Policy>, cuda_backend>)
  {
    return queued_job<Policy, Job>(policy, algorithm, job).wait_for_result(job, check);
  }
  else
#endif
  {
    const policy_resources<Policy> resources(policy);
    return cpu_work<Job>::run(job, cpu_workers<is_serial_v<Policy>>(resources, algorithm));
  }
}

template <class Policy, class Job>
typename Job::result_type execute_from_host(Policy& policy, const char* algorithm, const Job& job)
{
  if constexpr (is_distributed_v<Policy>)
  {
    if (policy.communicator().size() == 1)
    {
      return detail::execute_locally(policy.local(), algorithm, job);
    }
    return distributed_work<Job>::run(policy, algorithm, job);
  }
  else
  {
    return detail::execute_locally(policy, algorithm, job);
  }
}

/// Executes a job under a policy; in device code, on the calling thread. Waits for a GPU unless the policy is nosync
/// and the host needs no result.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Job>
MGPU_THRUST_HOST_DEVICE typename Job::result_type
execute(const thrust::execution_policy<Policy>& policy, [[maybe_unused]] const char* algorithm, const Job& job)
{
  Job::template check_types<local_backend_t<Policy>>();
  // The device pass of nvcc compiles only kernels whose launch it sees: hence the host's call that is never executed.
  MGPU_THRUST_IF_HOST_ELSE((return detail::execute_from_host(detail::derived(policy), algorithm, job);), (if (false) {
                             (void) detail::execute_from_host(detail::derived(policy), algorithm, job);
                           } return job.in_thread();))
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
