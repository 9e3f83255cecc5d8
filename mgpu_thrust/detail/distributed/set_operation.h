// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How the ranks of a communicator merge two sequences, or execute a set operation on them.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/distributed/distributed_policy.h>
#include <mgpu_thrust/detail/distributed/exchanged_inputs.h>
#include <mgpu_thrust/detail/distributed/total_size.h>
#include <mgpu_thrust/detail/execute/reserved_job.h>
#include <mgpu_thrust/detail/set_operation/cpu.h>
#include <mgpu_thrust/detail/set_operation/job.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/set_operation/launch.cuh>
#endif

#include <cstdint>
#include <optional>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Each rank receives its part of both sequences, and executes the operation on these. The results of the ranks, one
/// after the other, are that of the whole: where elements match, cuts are on the balanced path, so both elements of a
/// match come to one rank. If a cut would divide a match, a rank gets one element more or fewer than it has.
template <class Operation, class KeysA, class ValuesA, class KeysB, class ValuesB, class Result, class Compare>
struct distributed_work<set_operation_job<Operation, set_inputs<KeysA, ValuesA, KeysB, ValuesB>, Result, Compare>>
{
  using inputs_type = set_inputs<KeysA, ValuesA, KeysB, ValuesB>;
  using job_type = set_operation_job<Operation, inputs_type, Result, Compare>;
  using result_type = typename job_type::result_type;

  template <class Communicator, class Policy>
  static result_type run(distributed_policy<Communicator, Policy>& policy, const char* algorithm, const job_type& job)
  {
    Communicator& communicator = policy.communicator();
    Policy& local = policy.local();
    // 1. Find the cuts.
    exchanged_inputs<Communicator, Policy, inputs_type, Compare> inputs(
      policy, algorithm, job, Operation::matches ? cut_path::balanced : cut_path::merge);
    const auto job_of_parts = [&] { return set_operation_job(Operation{}, inputs.parts(), job.output, job.comp); };
    std::optional<reserved_job<Policy, decltype(job_of_parts())>> local_job;
    inputs.find_cuts([&] { local_job.emplace(local, algorithm, job_of_parts()); });

    // 2. Move elements.
    inputs.exchange();

    // 3. Execute the operation.
    if constexpr (job_type::writes)
    {
      return local_job->execute();
    }
    else
    {
      return job.output.of_size(
        detail::total_size(communicator, algorithm, [&] { return size_of(local_job->execute()); }));
    }
  }

private:
  static std::int64_t size_of(std::int64_t size)
  {
    return size;
  }
  /// Of set_emptiness: 0 if nothing is kept.
  static std::int64_t size_of(bool is_empty)
  {
    return is_empty ? 0 : 1;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
