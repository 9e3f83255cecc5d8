// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How the ranks of a communicator merge sorted pieces that need not ascend by rank.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/distributed/distributed_policy.h>
#include <mgpu_thrust/detail/distributed/exchange.h>
#include <mgpu_thrust/detail/distributed/received_runs.h>
#include <mgpu_thrust/detail/execute/reserved_job.h>
#include <mgpu_thrust/detail/multiway_merge/cpu.h>
#include <mgpu_thrust/detail/multiway_merge/job.h>
#include <mgpu_thrust/distributed/cuts.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/multiway_merge/launch.cuh>
#endif

#include <cstdint>
#include <optional>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Each rank sorts its piece, receives its part of all pieces, and merges these runs in place of the piece. Equal
/// elements of one rank are in the order that sort_piece() leaves, those of different ranks in that of the ranks.
template <class Communicator, class Policy, class Keys, class Values, class Compare, class Function>
void merge_sorted_pieces(
  distributed_policy<Communicator, Policy>& policy, const char* algorithm, const char* name, Keys keys, Values values,
  std::int64_t count, Compare comp, Function sort_piece)
{
  using received_type = received_runs<Keys, Values>;
  using cuts_type = distributed_cuts<typename received_type::key, order_t<Compare, Keys>>;
  detail::check_order_of_host<Compare>();
  Communicator& communicator = policy.communicator();
  Policy& local = policy.local();

  // 1. Sort the piece, then find the cuts; each rank gets as many elements as it has.
  cuts_type cuts = detail::abort_on_exception(
    communicator,
    [&]
    {
      return cuts_type(
        algorithm, communicator.rank(), communicator.size(), {detail::make_piece(local, algorithm, keys, count)}, count,
        detail::as_order<Keys>(comp), piece_order::sorted, cuts_type::default_max_bytes,
        detail::value_signature<Values>());
    });
  cuts.catch_failure(sort_piece);
  received_type received;
  const auto merge_of_runs = [&] {
    return multiway_merge_job(name, received.runs(), merged_elements{keys, values}, comp);
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
  detail::execute_group(communicator, local, [&] { received.exchange(communicator, local, cuts, keys, values); });

  // 3. Merge the runs.
  merge->execute();
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
