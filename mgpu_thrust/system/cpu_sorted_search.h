// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Sorted searches on the CPU backends. Needles are cut into pieces of equal size; a piece begins with a search in the
/// whole haystack, and costs what its needles cost, however many elements of the haystack lie between them.

#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/system/cpu_executors.h>
#include <mgpu_thrust/system/cpu_set_operations.h>
#include <mgpu_thrust/thread/sorted_search.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Needles of a piece.
inline constexpr std::int64_t cpu_piece_needles = std::int64_t{1} << 14;

/// Searches for all needles. Returns the output moved behind the results; adds to `matches` if it is wanted.
template <search_bound Bound, class Backend, class Needles, class Haystack, class Compare, class Output>
Output cpu_search(
  Backend backend, Needles needles, std::int64_t needle_count, Haystack haystack, std::int64_t haystack_count,
  Compare comp, Output output, std::int64_t* matches)
{
  if constexpr (std::is_same_v<Backend, serial_backend>)
  {
    const std::int64_t found = detail::serial_search<Bound>(
      needles, 0, needle_count, haystack, haystack_count, comp, output, matches != nullptr);
    if (matches != nullptr)
    {
      *matches = found;
    }
    return output;
  }
  else
  {
    const std::int64_t pieces = needle_count / cpu_piece_needles + (needle_count % cpu_piece_needles != 0);
    const auto executor = detail::executor_of(backend);
    std::atomic<std::int64_t> all_matches{0};
    const auto work = [&](int, piece_queue& queue)
    {
      Compare own_comp = comp;
      for (std::int64_t piece = queue.take(); piece >= 0; piece = queue.take())
      {
        const std::int64_t begin = piece * cpu_piece_needles;
        const std::int64_t end = piece + 1 < pieces ? begin + cpu_piece_needles : needle_count;
        Output own_output = output + begin;
        const std::int64_t found = detail::serial_search<Bound>(
          needles, begin, end, haystack, haystack_count, own_comp, own_output, matches != nullptr);
        all_matches.fetch_add(found, std::memory_order_relaxed);
      }
    };
    detail::run_workers(executor, detail::useful_workers(executor, pieces), pieces, work);
    if (matches != nullptr)
    {
      *matches = all_matches.load(std::memory_order_relaxed);
    }
    return output + needle_count;
  }
}

/// Lower bounds of A in B to one output and upper bounds of B in A to the other, where they are wanted or their matches
/// are counted. Moves the outputs behind the results. match_counts is nullptr or points to two numbers.
template <class Backend, class Policy, class Inputs, class OutputA, class OutputB, class Compare, class MatchCounts>
void run_sorted_search(
  Backend backend, Policy&, const char*, const Inputs& inputs, OutputA& a_output, OutputB& b_output, Compare comp,
  MatchCounts match_counts)
{
  constexpr bool counts = !std::is_same_v<MatchCounts, std::nullptr_t>;
  std::int64_t* a_matches = nullptr;
  std::int64_t* b_matches = nullptr;
  if constexpr (counts)
  {
    a_matches = &(*match_counts)[0];
    b_matches = &(*match_counts)[1];
  }
  if constexpr (OutputA::is_wanted || counts)
  {
    detail::reassign(
      a_output, detail::cpu_search<search_bound::lower>(
                  backend, inputs.a, inputs.a_count, inputs.b, inputs.b_count, comp, a_output, a_matches));
  }
  if constexpr (OutputB::is_wanted || counts)
  {
    detail::reassign(
      b_output, detail::cpu_search<search_bound::upper>(
                  backend, inputs.b, inputs.b_count, inputs.a, inputs.a_count, comp, b_output, b_matches));
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
