// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How the ranks of a communicator merge two sequences.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/distributed/distributed_policy.h>
#include <mgpu_thrust/detail/distributed/exchange.h>
#include <mgpu_thrust/detail/execute/execute.h>
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

/// Each rank receives its part of both sequences, two sorted ranges as pieces ascend by rank, and merges them. On a GPU
/// its own parts stay where they are: tiles of them are loaded as fast as from a pointer. On a CPU they are copied, as
/// loops have shortcuts for pointers.
template <class KeysA, class ValuesA, class KeysB, class ValuesB, class KeysOut, class ValuesOut, class Compare>
struct distributed_work<
  set_operation_job<merge_t, set_inputs<KeysA, ValuesA, KeysB, ValuesB>, set_result<KeysOut, ValuesOut>, Compare>>
{
  using job_type =
    set_operation_job<merge_t, set_inputs<KeysA, ValuesA, KeysB, ValuesB>, set_result<KeysOut, ValuesOut>, Compare>;
  using received_type = received_items<KeysA, ValuesA>;
  using cuts_type = distributed_cuts<typename received_type::key, typename job_type::order_type>;
  static_assert(
    std::is_same_v<
      typename sent_item<KeysA>::type,
      typename sent_item<
        KeysB>::type> && std::is_same_v<typename sent_item<ValuesA>::type, typename sent_item<ValuesB>::type>,
    "mgpu_thrust: a merge over ranks needs keys of one type in both inputs, and values of one type");

  template <class Communicator, class Policy>
  static typename job_type::result_type
  run(distributed_policy<Communicator, Policy>& policy, const char* algorithm, const job_type& job)
  {
    constexpr own_part own = std::is_same_v<backend_t<Policy>, cuda_backend> ? own_part::in_place : own_part::copied;
    detail::check_order_of_host<Compare>();
    Communicator& communicator = policy.communicator();
    Policy& local = policy.local();
    if (communicator.size() == 1)
    {
      return detail::execute(local, algorithm, job);
    }

    // 1. Find the cuts; each rank gets as many elements as it has.
    cuts_type cuts = detail::abort_on_exception(
      communicator,
      [&]
      {
        return cuts_type(
          algorithm, communicator.rank(), communicator.size(),
          {detail::make_piece(local, algorithm, job.inputs.a, job.inputs.a_count),
           detail::make_piece(local, algorithm, job.inputs.b, job.inputs.b_count)},
          job.inputs.a_count + job.inputs.b_count, job.order(), piece_order::ascending_by_rank,
          cuts_type::default_max_bytes, detail::value_signature<ValuesA>());
      });
    cuts.catch_failure([&] { (void) detail::check_job(local, algorithm, job); });
    received_type received;
    const int rank = communicator.rank();
    const auto count_of = [&](int sequence)
    { return detail::received_count(cuts, sequence, rank, communicator.size()) + cuts.receive_count(sequence, rank); };
    const auto received_of = [&](int sequence)
    { return count_of(sequence) - (own == own_part::in_place ? cuts.receive_count(sequence, rank) : 0); };
    const auto local_merge = [&]
    {
      const auto items_of = [&](int sequence, auto piece, auto first)
      { return detail::items_of_ranks<own>(communicator, cuts, sequence, piece, first); };
      const std::int64_t a_received = received_of(0);
      const set_inputs inputs{
        items_of(0, job.inputs.a, received.keys()),
        items_of(0, job.inputs.a_values, received.values()),
        count_of(0),
        items_of(1, job.inputs.b, received.keys() + a_received),
        items_of(1, job.inputs.b_values, received.values() + a_received),
        count_of(1)};
      return set_operation_job(merge_t{}, inputs, job.output, job.comp);
    };
    std::optional<reserved_job<Policy, decltype(local_merge())>> merge;
    detail::find_cuts(
      communicator, cuts,
      [&]
      {
        received.allocate(local, algorithm, received_of(0) + received_of(1));
        merge.emplace(local, algorithm, local_merge());
      });

    // 2. Move elements.
    detail::execute_group(
      communicator, local,
      [&]
      {
        const auto exchange = [&](int sequence, const auto* items, unsigned char* to)
        { return detail::exchange_items(communicator, local, cuts, sequence, items, sizeof(*items), to, own); };
        exchange(1, job.inputs.b, exchange(0, job.inputs.a, received.key_bytes()));
        if constexpr (has_values<ValuesA>)
        {
          exchange(1, job.inputs.b_values, exchange(0, job.inputs.a_values, received.value_bytes()));
        }
      });

    // 3. Merge.
    return merge->execute();
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
