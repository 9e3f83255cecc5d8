// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Sorted searches on a CPU. If only one side is searched for, its needles are cut into pieces of equal size; a piece
/// begins with a search in the whole haystack, and its cost is that of its needles, however many elements of the
/// haystack lie between them. If both sides are, the merge path cuts both inputs.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/equal_pieces.h>
#include <mgpu_thrust/detail/cut/set_pieces.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/sorted_search/job.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Number of needles of a piece, if only one side is searched for.
inline constexpr std::int64_t cpu_piece_needles = std::int64_t{1} << 14;

template <class Inputs, class OutputA, class OutputB, class Compare, class MatchCounts>
struct cpu_work<sorted_search_job<Inputs, OutputA, OutputB, Compare, MatchCounts>>
{
  using job_type = sorted_search_job<Inputs, OutputA, OutputB, Compare, MatchCounts>;
  using result_type = typename job_type::result_type;
  using order_type = typename job_type::order_type;

  template <class Workers>
  static result_type run(const job_type& job, const Workers& workers)
  {
    if constexpr (Workers::is_serial)
    {
      return job.in_thread();
    }
    else
    {
      search(job, workers);
      return job.result();
    }
  }

private:
  static constexpr bool counts = job_type::may_count_matches;
  static constexpr bool is_joint = counts || (OutputA::is_wanted && OutputB::is_wanted);

  template <class Workers>
  static void search(const job_type& job, const Workers& workers)
  {
    // 1. Cut.
    const Inputs& inputs = job.inputs;
    const set_pieces<merge_t, Inputs, order_type> joint_pieces{inputs, job.order()};
    const std::int64_t needles =
      (std::max)(OutputA::is_wanted ? inputs.a_count : 0, OutputB::is_wanted ? inputs.b_count : 0);
    const equal_pieces needle_pieces{needles, cpu_piece_needles};
    const auto cut = [&](std::int64_t piece)
    {
      if constexpr (is_joint)
      {
        const auto point = joint_pieces.cut(piece);
        return set_position{point.a_index, point.b_index};
      }
      else
      {
        const std::int64_t needle = needle_pieces.begin(piece);
        return set_position{OutputA::is_wanted ? needle : 0, OutputB::is_wanted ? needle : 0};
      }
    };

    // 2. Search.
    std::atomic<std::int64_t> matches[2] = {};
    workers.run_pieces(
      is_joint ? joint_pieces.count() : needle_pieces.count(), joint_pieces.comp,
      [&](std::int64_t piece, order_type& own_comp)
      {
        const set_position begin = cut(piece);
        OutputA own_a_output = job.a_output + begin.i;
        OutputB own_b_output = job.b_output + begin.j;
        std::int64_t own_matches[2] = {0, 0};
        detail::search_piece<counts>(inputs, begin, cut(piece + 1), own_a_output, own_b_output, own_comp, own_matches);
        if constexpr (counts)
        {
          matches[0].fetch_add(own_matches[0], std::memory_order_relaxed);
          matches[1].fetch_add(own_matches[1], std::memory_order_relaxed);
        }
      });
    job.store_match_counts(matches[0].load(std::memory_order_relaxed), matches[1].load(std::memory_order_relaxed));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
