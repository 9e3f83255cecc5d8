// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Sorted searches on the CPU backends. If only one side is searched for, its needles are cut into pieces of equal
/// size; a piece begins with a search in the whole haystack, and its cost is that of its needles, however many elements
/// of the haystack lie between them. If both sides are, the merge path cuts both inputs.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/set_pieces.h>
#include <mgpu_thrust/detail/execute/cpu_executors.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Number of needles of a piece, if only one side is searched for.
inline constexpr std::int64_t cpu_piece_needles = std::int64_t{1} << 14;

/// Finds the lower bounds of A in B for one output and the upper bounds of B in A for the other, where they are wanted
/// or their matches are counted. Advances the outputs past the results. match_counts is nullptr or points to two
/// integers.
template <class Backend, class Policy, class Inputs, class OutputA, class OutputB, class Compare, class MatchCounts>
void run_sorted_search(
  Backend backend, Policy&, const char*, const Inputs& inputs, OutputA& a_output, OutputB& b_output, Compare comp,
  MatchCounts match_counts)
{
  constexpr bool counts = !std::is_same_v<MatchCounts, std::nullptr_t>;
  constexpr bool is_joint = counts || (OutputA::is_wanted && OutputB::is_wanted);
  std::int64_t matches[2] = {0, 0};
  if constexpr (std::is_same_v<Backend, serial_backend>)
  {
    detail::search_piece<counts>(inputs, {0, 0}, {inputs.a_count, inputs.b_count}, a_output, b_output, comp, matches);
  }
  else
  {
    // 1. Cut.
    const set_pieces<merge_t, Inputs, Compare> joint_pieces{inputs, comp};
    const std::int64_t needles =
      std::max(OutputA::is_wanted ? inputs.a_count : 0, OutputB::is_wanted ? inputs.b_count : 0);
    const std::int64_t needle_pieces = detail::pieces_of(needles, cpu_piece_needles);
    const std::int64_t pieces = is_joint ? joint_pieces.count() : needle_pieces;
    const auto cut = [&](std::int64_t piece)
    {
      if constexpr (is_joint)
      {
        const auto point = joint_pieces.cut(piece);
        return set_position{point.a_index, point.b_index};
      }
      else
      {
        const std::int64_t needle = std::min(piece * cpu_piece_needles, needles);
        return set_position{OutputA::is_wanted ? needle : 0, OutputB::is_wanted ? needle : 0};
      }
    };

    // 2. Search.
    std::atomic<std::int64_t> all_matches[2] = {};
    const auto executor = detail::executor_of(backend);
    const auto work = [&](int, piece_queue& queue)
    {
      Compare own_comp = comp;
      for (std::int64_t piece = queue.take(); piece >= 0; piece = queue.take())
      {
        const set_position begin = cut(piece);
        OutputA own_a_output = a_output + begin.i;
        OutputB own_b_output = b_output + begin.j;
        std::int64_t own_matches[2] = {0, 0};
        detail::search_piece<counts>(inputs, begin, cut(piece + 1), own_a_output, own_b_output, own_comp, own_matches);
        if constexpr (counts)
        {
          all_matches[0].fetch_add(own_matches[0], std::memory_order_relaxed);
          all_matches[1].fetch_add(own_matches[1], std::memory_order_relaxed);
        }
      }
    };
    detail::run_workers(executor, detail::useful_workers(executor, pieces), pieces, work);
    matches[0] = all_matches[0].load(std::memory_order_relaxed);
    matches[1] = all_matches[1].load(std::memory_order_relaxed);
    detail::reassign(a_output, a_output + inputs.a_count);
    detail::reassign(b_output, b_output + inputs.b_count);
  }
  if constexpr (counts)
  {
    (*match_counts)[0] = matches[0];
    (*match_counts)[1] = matches[1];
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
