// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How the ranks of a communicator sort, or merge runs of which each has some.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/distributed/distributed_policy.h>
#include <mgpu_thrust/detail/distributed/exchange.h>
#include <mgpu_thrust/detail/distributed/received_runs.h>
#include <mgpu_thrust/detail/execute/copy_memory.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/execute/reserved_job.h>
#include <mgpu_thrust/detail/multiway_merge/cpu.h>
#include <mgpu_thrust/detail/multiway_merge/job.h>
#include <mgpu_thrust/detail/sort/cpu/cpu.h>
#include <mgpu_thrust/detail/sort/job.h>
#include <mgpu_thrust/distributed/cuts.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/base/cheap_keys.h>
#  include <mgpu_thrust/detail/base/no_values.h>
#  include <mgpu_thrust/detail/execute/backend.h>
#  include <mgpu_thrust/detail/multiway_merge/launch.cuh>
#  include <mgpu_thrust/detail/sort/choice.h>
#  include <mgpu_thrust/detail/sort/launch.cuh>

#  include <thrust/functional.h>
#  include <thrust/sort.h>
#endif

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

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

/// Whether samples of a piece are in order.
template <class Policy, class Key, class Compare>
bool are_samples_in_order(Policy& policy, const char* algorithm, const Key* keys, std::int64_t count, Compare comp)
{
  constexpr std::int64_t num_samples = 1024;
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < num_samples; ++i)
  {
    positions.push_back(i * (count / num_samples));
  }
  key_buffer<Key> samples;
  samples.resize(num_samples);
  detail::read_elements(policy, algorithm, keys, positions.data(), num_samples, samples.data());
  return std::is_sorted(samples.data(), samples.data() + num_samples, comp);
}

/// Sorts a rank's piece.
template <class Policy, class Keys, class Values, class Compare>
void sort_piece(Policy& policy, const char* algorithm, const sort_job<Keys, Values, one_segment, Compare>& job)
{
#if defined(__CUDACC__)
  using key = typename sent_item<Keys>::type;
  if constexpr (std::is_same_v<backend_t<Policy>, cuda_backend> && is_order_of_numbers<key, Compare>)
  {
    constexpr auto value_bytes = static_cast<int>(sent_item<Values>::bytes);
    using order = std::conditional_t<Compare{}(key{0}, key{1}), thrust::less<key>, thrust::greater<key>>;
    const bool is_large = detail::choose_piece_sort<key, value_bytes>(job.count) == piece_sort_path::digits;
    if (is_large && !detail::are_samples_in_order<Policy, key>(policy, algorithm, job.keys, job.count, job.comp))
    {
      (void) detail::check_job(policy, algorithm, job);
      if constexpr (has_values<Values>)
      {
        thrust::stable_sort_by_key(policy, job.keys, job.keys + job.count, job.values, order{});
      }
      else
      {
        thrust::stable_sort(policy, job.keys, job.keys + job.count, order{});
      }
      return;
    }
  }
#endif
  detail::execute(policy, algorithm, job);
}

template <class Keys, class Values, class Compare>
struct distributed_work<sort_job<Keys, Values, one_segment, Compare>>
{
  using job_type = sort_job<Keys, Values, one_segment, Compare>;

  template <class Communicator, class Policy>
  static nothing run(distributed_policy<Communicator, Policy>& policy, const char* algorithm, const job_type& job)
  {
    detail::merge_sorted_pieces(
      policy, algorithm, job.name, job.keys, job.values, job.count, job.comp,
      [&] { detail::sort_piece(policy.local(), algorithm, job); });
    return {};
  }
};

/// Each rank merges its runs to the output, which is then its piece.
template <class Runs, class Keys, class Values, class Compare>
struct distributed_work<multiway_merge_job<Runs, merged_elements<Keys, Values>, Compare>>
{
  using job_type = multiway_merge_job<Runs, merged_elements<Keys, Values>, Compare>;

  template <class Communicator, class Policy>
  static merged_elements<Keys, Values>
  run(distributed_policy<Communicator, Policy>& policy, const char* algorithm, const job_type& job)
  {
    static_assert(!is_deferred_v<Runs>, "mgpu_thrust: a merge of runs over ranks needs sizes that the host knows");
    static_assert(
      std::is_same_v<std::decay_t<element_t<typename Runs::run_keys>>, typename sent_item<unwrapped_t<Keys>>::type>,
      "mgpu_thrust: a merge of runs over ranks needs an output of the type of the keys");
    const auto piece = job.output.outputs();
    detail::merge_sorted_pieces(
      policy, algorithm, job.name, piece.keys, piece.values, job.runs.num_items, job.comp,
      [&] { (void) detail::execute(policy.local(), algorithm, job); });
    return job.result();
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
