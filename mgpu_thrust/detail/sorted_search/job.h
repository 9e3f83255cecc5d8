// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A call of a sorted search as a job.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/two_inputs_job.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The outputs of a search, advanced past its results.
template <class OutputA, class OutputB>
struct search_ends
{
  OutputA a;
  OutputB b;
};

/// The checks of an output of a search.
template <class Output>
struct search_output_checks
{
  template <class Backend, class Needles, class Haystack>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
  }
};
template <class Iterator, class Conversion>
struct search_output_checks<search_output<Iterator, Conversion>>
{
  template <class Backend, class Needles, class Haystack>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    detail::check_iterators<Backend, Iterator>();
    detail::check_results<
      Backend, Iterator, decltype(std::declval<const Conversion&>()(std::declval<const search_result&>()))>();
  }
};
template <class Iterator, class Operator>
struct search_output_checks<search_output<Iterator, to_range_value<Operator>>>
{
  template <class Backend, class Needles, class Haystack>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    detail::check_iterators<Backend, Iterator>();
    detail::check_device_call<Backend, device_result<Iterator, const Operator, std::int64_t, std::int64_t>>();
  }
};
template <class Lower, class Upper, class LowerIndex, class UpperIndex>
struct search_output_checks<range_output<Lower, Upper, LowerIndex, UpperIndex>>
{
  template <class Backend, class Needles, class Haystack>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    detail::check_iterators<Backend, Lower>();
    detail::check_iterators<Backend, Upper>();
    detail::check_results<Backend, Lower, LowerIndex>();
    detail::check_results<Backend, Upper, UpperIndex>();
  }
};

/// Finds the lower bound of every element of A in B, and the upper bound of every element of B in A, as far as their
/// outputs are wanted. MatchCounts tells where the numbers of elements of A and of B go that have an equal one in the
/// other range: it is std::nullptr_t, or a pointer to two integers, as an array in the memory of the caller, or,
/// as a std::int64_t*, which may be null, in that of a device.
template <class Inputs, class OutputA, class OutputB, class Compare, class MatchCounts>
struct sorted_search_job : two_inputs_job<Inputs, Compare>
{
  using base = two_inputs_job<Inputs, Compare>;
  using typename base::keys_a;
  using typename base::keys_b;
  using typename base::order_type;
  using result_type = search_ends<OutputA, OutputB>;
  static constexpr bool may_count_matches = !std::is_same_v<MatchCounts, std::nullptr_t>;
  static constexpr bool writes_to_host = may_count_matches && !std::is_same_v<MatchCounts, std::int64_t*>;

  using base::inputs;
  OutputA a_output;
  OutputB b_output;
  MatchCounts match_counts;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE sorted_search_job(
    const input_names& names_of_inputs, const Inputs& two_inputs, const OutputA& output_a, const OutputB& output_b,
    const Compare& compare, MatchCounts counts)
      : base(names_of_inputs, two_inputs, compare)
      , a_output(output_a)
      , b_output(output_b)
      , match_counts(counts)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    detail::check_iterators<Backend, int*, keys_a, keys_b>();
    search_output_checks<OutputA>::template types<Backend, keys_a, keys_b>();
    search_output_checks<OutputB>::template types<Backend, keys_b, keys_a>();
    detail::check_order<Backend, Compare, keys_a, keys_b>();
  }
  void check_sizes(size_checks& check) const
  {
    base::check_sizes(check);
    check_indices<OutputA>(check, inputs.b_count);
    check_indices<OutputB>(check, inputs.a_count);
  }
  /// Checks that an output holds all indices of a haystack that it may receive: only a bound may be its end.
  template <class Output>
  static void check_indices(size_checks& check, std::int64_t haystack_count)
  {
    if constexpr (is_row_output_v<Output>)
    {
      check.indices_of(haystack_count, Output::largest);
    }
    else
    {
      check.index_range(haystack_count, Output::largest);
    }
  }

  bool is_empty() const
  {
    const bool has_needles = (OutputA::is_wanted && inputs.a_count > 0) || (OutputB::is_wanted && inputs.b_count > 0);
    return !has_needles && match_counts == nullptr;
  }
  result_type empty_result() const
  {
    return {a_output, b_output};
  }
  result_type result() const
  {
    return {a_output + inputs.a_count, b_output + inputs.b_count};
  }

  /// The job for execute_n().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto sized() const
  {
    return sorted_search_job<sized_t<Inputs>, OutputA, OutputB, Compare, MatchCounts>(
      this->names, detail::sized(inputs), a_output, b_output, this->comp, match_counts);
  }

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE result_type in_thread() const
  {
    result_type ends{a_output, b_output};
    order_type comp_of_thread = this->order();
    std::int64_t matches[2] = {0, 0};
    detail::search_piece<may_count_matches>(
      inputs, {0, 0}, {inputs.a_count, inputs.b_count}, ends.a, ends.b, comp_of_thread, matches);
    store_match_counts(matches[0], matches[1]);
    return ends;
  }

  MGPU_THRUST_HOST_DEVICE void
  store_match_counts([[maybe_unused]] std::int64_t of_a, [[maybe_unused]] std::int64_t of_b) const
  {
    if constexpr (writes_to_host)
    {
      (*match_counts)[0] = of_a;
      (*match_counts)[1] = of_b;
    }
    else if constexpr (may_count_matches)
    {
      match_counts[0] = of_a;
      match_counts[1] = of_b;
    }
  }
};

/// Returns the pointer to match counts of a call, which may wrap it, for a job; nullptr stays so.
template <class CountsPointer>
MGPU_THRUST_HOST_DEVICE auto match_counts_of(CountsPointer counts)
{
  if constexpr (std::is_same_v<CountsPointer, std::nullptr_t>)
  {
    return nullptr;
  }
  else
  {
    std::int64_t* const unwrapped = detail::unwrap(counts);
    return unwrapped;
  }
}

/// The end of an output of a joint search, given `first` and what the search leaves of its output.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class Output>
MGPU_THRUST_HOST_DEVICE Iterator joint_search_end(Iterator first, const Output& end, std::int64_t count)
{
  if constexpr (Output::is_wanted)
  {
    return detail::rewrap(first, end.result);
  }
  else
  {
    return first + count;
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
