// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How the ranks of a communicator sort.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/distributed/distributed_policy.h>
#include <mgpu_thrust/detail/distributed/exchange.h>
#include <mgpu_thrust/detail/distributed/received_runs.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/execute/reserved_job.h>
#include <mgpu_thrust/detail/multiway_merge/cpu.h>
#include <mgpu_thrust/detail/multiway_merge/job.h>
#include <mgpu_thrust/detail/sort/cpu/cpu.h>
#include <mgpu_thrust/detail/sort/job.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/multiway_merge/launch.cuh>
#  include <mgpu_thrust/detail/sort/launch.cuh>
#endif

#include <optional>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Each rank sorts its piece, receives its part of all pieces, and merges these runs. Equal elements of one rank are in
/// order after the local sort, and those of different ranks by the order of cuts and runs.
template <class Keys, class Values, class Compare>
struct distributed_work<sort_job<Keys, Values, one_segment, Compare>>
{
  using job_type = sort_job<Keys, Values, one_segment, Compare>;
  using received_type = received_runs<Keys, Values>;
  using cuts_type = distributed_cuts<typename received_type::key, typename job_type::order_type>;

  template <class Communicator, class Policy>
  static nothing run(distributed_policy<Communicator, Policy>& policy, const char* algorithm, const job_type& job)
  {
    detail::check_order_of_host<Compare>();
    Communicator& communicator = policy.communicator();
    Policy& local = policy.local();
    if (communicator.size() == 1)
    {
      return detail::execute(local, algorithm, job);
    }

    // 1. Sort the piece, then find the cuts; each rank gets as many elements as it has.
    cuts_type cuts = detail::abort_on_exception(
      communicator,
      [&]
      {
        return cuts_type(
          algorithm, communicator.rank(), communicator.size(),
          {detail::make_piece(local, algorithm, job.keys, job.count)}, job.count, job.order(), piece_order::sorted,
          cuts_type::default_max_bytes, detail::value_signature<Values>());
      });
    cuts.catch_failure([&] { detail::execute(local, algorithm, job); });
    received_type received;
    const auto merge_of_runs = [&] {
      return multiway_merge_job(job.name, received.runs(), merged_elements{job.keys, job.values}, job.comp);
    };
    std::optional<reserved_job<Policy, decltype(merge_of_runs())>> merge;
    detail::find_cuts(
      communicator, cuts,
      [&]
      {
        received.allocate(local, algorithm, cuts, communicator.size());
        merge.emplace(local, algorithm, merge_of_runs());
      });

    // 2. Move elements.
    detail::execute_group(
      communicator, local, [&] { received.exchange(communicator, local, cuts, job.keys, job.values); });

    // 3. Merge the runs.
    merge->execute();
    return {};
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
