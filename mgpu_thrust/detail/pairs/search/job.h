// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A search for the needles of pairs of lists as a job.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/job.h>
#include <mgpu_thrust/detail/pairs/count/job.h>
#include <mgpu_thrust/detail/pairs/lists/job.h>
#include <mgpu_thrust/detail/pairs/search/serial.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Makes the pairs of a search, without values.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class Search, class Haystack, class HBegins, class HEnds, class Needles, class NBegins, class NEnds, class NumPairs>
MGPU_THRUST_HOST_DEVICE auto make_searched_pairs(
  Search, Haystack haystack, HBegins h_begins, HEnds h_ends, Needles needles, NBegins n_begins, NEnds n_ends,
  const NumPairs& num_pairs)
{
  if constexpr (Search::needles_are_a)
  {
    return detail::make_valued_pairs(
      needles, n_begins, n_ends, haystack, h_begins, h_ends, num_pairs, no_values{}, no_values{});
  }
  else
  {
    return detail::make_valued_pairs(
      haystack, h_begins, h_ends, needles, n_begins, n_ends, num_pairs, no_values{}, no_values{});
  }
}

/// A search for the needles of each of the pairs of lists, valued_pairs whose number may be deferred. The bounds of
/// pair p go to result + offsets[p]. Both are unwrapped.
template <class Search, class Pairs, class Result, class Offsets, class Index, class Compare>
struct segmented_search_job : list_pairs_job<Pairs, Compare>
{
  using base = list_pairs_job<Pairs, Compare>;
  using typename base::order_type;
  using result_type = nothing;
  using index_type = Index;

  using base::comp;
  using base::pairs;
  Result output;
  Offsets offsets;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE segmented_search_job(
    Search, const Pairs& of_lists, const Result& result, const Offsets& offsets_of_results, Index,
    const Compare& compare)
      : base(of_lists, compare)
      , output(result)
      , offsets(offsets_of_results)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    base::template check_types<Backend>();
    detail::check_scattered_output<Result>();
    detail::check_iterators<Backend, Result, Offsets>();
    detail::check_index_type<Offsets>();
    detail::check_results<Backend, Result, Index>();
  }

  template <class Check>
  void check_preconditions([[maybe_unused]] const Check& check) const
  {
    if constexpr (!is_deferred_v<Pairs>)
    {
      constexpr const char* needles = "the list of needles of pair";
      constexpr const char* haystacks = "the haystack of pair";
      const std::int64_t n = pairs.num_pairs;
      check.sorted_runs(
        Search::needles_are_a ? needles : haystacks, runs_of_lists<typename base::a_type>{pairs.a, n}, this->order());
      check.sorted_runs(
        Search::needles_are_a ? haystacks : needles, runs_of_lists<typename base::b_type>{pairs.b, n}, this->order());
    }
  }

  bool is_empty() const
  {
    return pairs.num_pairs == 0;
  }
  static result_type empty_result()
  {
    return {};
  }
  static result_type result()
  {
    return {};
  }
  /// The job for execute_n().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto sized() const
  {
    return segmented_search_job<Search, sized_t<Pairs>, Result, Offsets, Index, Compare>(
      Search{}, detail::sized(pairs), output, offsets, Index{}, comp);
  }

  /// Where the results of a pair go.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE Result result_of(std::int64_t pair) const
  {
    return output + static_cast<std::int64_t>(detail::element(offsets, pair));
  }
  /// Searches for the needles [begin, end) of a pair.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void
  search(std::int64_t pair, const list_pair& lists, std::int64_t begin, std::int64_t end, order_type& own_comp) const
  {
    if (begin < end)
    {
      detail::search_list<Search, Index>(Search{}, pairs.inputs(lists), begin, end, own_comp, result_of(pair));
    }
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE result_type in_thread() const
  {
    order_type own_comp = this->order();
    for (std::int64_t pair = 0; pair < pairs.num_pairs; ++pair)
    {
      const search_work<Search> work(pairs.pair(pair));
      search(pair, work.lists, 0, work.needles(), own_comp);
    }
    return {};
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
