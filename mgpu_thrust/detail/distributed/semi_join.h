// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How the ranks of a communicator find the rows of the left input that have, or have not, a match in the right one.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/distributed/distributed_policy.h>
#include <mgpu_thrust/detail/distributed/exchanged_inputs.h>
#include <mgpu_thrust/detail/distributed/part_indices.h>
#include <mgpu_thrust/detail/distributed/total_size.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/reserved_job.h>
#include <mgpu_thrust/detail/semi_join/cpu.h>
#include <mgpu_thrust/detail/semi_join/job.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/semi_join/launch.cuh>
#endif

#include <cstdint>
#include <optional>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Cuts are on the merge path, where a left row comes before the right rows that equal it. So all right rows on lower
/// ranks go before the left rows on this one. The first right row that does not is on this rank, or the next one after
/// its part. So each rank's part of the right rows has its neighbours, and left rows move as in a merge.
template <class Filter, class KeysA, class KeysB, class Result, class Compare>
struct distributed_work<semi_join_job<Filter, set_inputs<KeysA, no_values, KeysB, no_values>, Result, Compare>>
{
  using inputs_type = set_inputs<KeysA, no_values, KeysB, no_values>;
  using job_type = semi_join_job<Filter, inputs_type, Result, Compare>;
  using result_type = typename job_type::result_type;

  template <class Communicator, class Policy>
  static result_type run(distributed_policy<Communicator, Policy>& policy, const char* algorithm, const job_type& job)
  {
    Communicator& communicator = policy.communicator();
    Policy& local = policy.local();
    // 1. Find the cuts.
    exchanged_inputs<Communicator, Policy, inputs_type, Compare> inputs(policy, algorithm, job, cut_path::merge);
    inputs.add_neighbours(1);
    const auto job_of_parts = [&]
    {
      const auto output = distributed_work::output_of(job.output, inputs.part_position(0));
      return semi_join_job(Filter{}, inputs.parts(), output, job.comp);
    };
    std::optional<reserved_job<Policy, decltype(job_of_parts())>> local_job;
    inputs.find_cuts(
      [&]
      {
        size_checks(algorithm).indices_of(inputs.whole_size(0), job_type::output_type::largest);
        local_job.emplace(local, algorithm, job_of_parts());
      });

    // 2. Move elements.
    inputs.exchange();

    // 3. Find the rows.
    if constexpr (Result::writes)
    {
      return detail::rewrap(job.output.iterator, local_job->execute().base());
    }
    else
    {
      return detail::total_size(communicator, algorithm, [&] { return local_job->execute(); });
    }
  }

private:
  template <class Iterator>
  static auto output_of(const semi_join_result<Iterator>& output, std::int64_t part_begin)
  {
    return semi_join_result{detail::output_of_part(output.iterator, part_begin)};
  }
  static semi_join_size output_of(semi_join_size, std::int64_t)
  {
    return {};
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
