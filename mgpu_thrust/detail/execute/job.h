// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// What a job is: a call of an algorithm as one object, made by its interface and passed on from there.

#include <mgpu_thrust/detail/base/config.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The base of all jobs, with what most of them have in common. An interface makes a job: it unwraps the inputs, i.e.
/// replaces iterators to contiguous memory by pointers (base/unwrap.h), and passes outputs, comparators and functions
/// as they are. A job has
///
///   a constructor              for host and device, as for all that in_thread() calls: MGPU_THRUST_EXEC_CHECK_DISABLE
///                              MGPU_THRUST_HOST_DEVICE before it
///   result_type                what the algorithm returns
///   check_types<Backend>()     asserts at compile time what the backend (backend.h) needs of the types, and has nvcc
///                              check each of the users' functions that the work calls (check_types.h)
///   check_sizes(check)         calls the size_checks that it needs, for policies and for the device layer
///   is_empty()                 whether the sizes alone show that there is nothing to do
///   empty_result()             the result then; a counted job's count is then 0
///   in_thread()                executes it on the calling thread, without any allocation, and returns the result; for
///                              host and device. In device code nothing is checked before, so it ends whatever the
///                              sizes are
///   result()                   the result when the work is done; or, for a job that is counted,
///   result(count, check)       the result, given the number that the work counted, which it may check. Neither is
///                              called for serial policies, as outputs may lack random access there
///
/// and, if it is counted,
///
///   count_capacity()           the size of the result that the type of a count must be able to hold: the capacity that
///                              the inputs or the call give it, or 0 if they give none
///
/// and, where the base does not have what it needs, is_counted, writes_to_host and check_preconditions(check).
///
/// Its cpu_work and device_work, beside it in its room, execute it. They are not members, so a program compiles only
/// the ones that it includes.
struct job_base
{
  /// Whether the result depends on a number that only the work finds.
  static constexpr bool is_counted = false;
  /// Whether the work writes to the host's memory, so that a caller has to wait for it.
  static constexpr bool writes_to_host = false;

  /// Calls the precondition_checks that the job needs.
  template <class Check>
  void check_preconditions(const Check&) const
  {
  }
};

/// Stands for the outputs of a job that counts what another would write, and returns the number.
struct size_result
{
  using type = std::int64_t;
  static constexpr bool writes = false;

  MGPU_THRUST_HOST_DEVICE static type of_size(std::int64_t size)
  {
    return size;
  }
  static type of_nothing()
  {
    return 0;
  }
  MGPU_THRUST_HOST_DEVICE static std::int64_t size_of(type size)
  {
    return size;
  }
};

/// How the workers of a CPU execute a job: each family defines it for its jobs, with
///
///   static Job::result_type run(const Job&, const cpu_workers<is_serial>&)
///
/// For serial workers it must take plain output iterators, as job.in_thread() does.
template <class Job>
struct cpu_work;

/// How a CUDA device executes a job: each family defines it for its jobs, with
///
///   static auto plan(const Job&, const Count* count)            the plan of the call, a device_plan (device_plan.cuh).
///                                                               Its `tiles` must be less than max_tiles. `count` is
///                                                               where launch() stores the count, or null for a query
///                                                               of the bytes
///   static cudaError_t launch(void* storage, const Job&, const plan&, Count* count, cudaStream_t)
///                                                               queues the work. A counted job stores its number in
///                                                               *count, which the device can write: Count is any
///                                                               integer type. For others it is a std::int64_t
///
/// A plan is made for possible sizes only, a launch only if the job is not empty.
template <class Job>
struct device_work;

/// How several ranks of a communicator execute a job: detail/distributed/ specialises it for jobs of some families,
/// with this function. It checks the job's sizes itself, as a rank that fails has to tell the others. A single rank
/// executes a job as its local policy does.
template <class Job>
struct distributed_work
{
  template <class Policy>
  static typename Job::result_type run(Policy&, const char*, const Job&)
  {
    static_assert(
      !std::is_same_v<Job, Job>, "mgpu_thrust: this function has no form for the ranks of a communicator; "
                                 "mgpu_thrust/distributed.h lists those that"
                                 " have one");
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
