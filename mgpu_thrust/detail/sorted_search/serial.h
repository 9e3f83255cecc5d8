// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The results of a sorted search, the outputs that receive them, and the loop that searches for sorted needles one
/// after another. Nothing here knows about scheduling.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/interleaved_search.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/set_operation/merge_walks.h>

#include <thrust/iterator/discard_iterator.h>
#include <thrust/tuple.h>

#include <cuda/std/iterator>

#include <cstdint>
#include <limits>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The two bounds of a needle: number of elements of the haystack ordered before it (lower), or not after it (upper).
enum class search_bound
{
  lower,
  upper
};

/// Whether an element of the haystack lies before the bound of a needle.
template <search_bound Bound, class Compare>
struct lies_before
{
  Compare& comp;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Key, class Needle>
  MGPU_THRUST_HOST_DEVICE bool operator()(const Key& key, const Needle& needle) const
  {
    if constexpr (Bound == search_bound::lower)
    {
      return comp(key, needle);
    }
    else
    {
      return !comp(needle, key);
    }
  }
};

/// Result of the search for a needle: its bound and, if requested, whether the haystack has an equal element, and the
/// end of the equal elements (known for lower bounds only).
struct search_result
{
  std::int64_t bound;
  bool match;
  std::int64_t equal_end;
};

// An output receives the results of one side. It tells which members of them it needs, has `largest`, the largest bound
// that it can hold, and
//   append(result)    writes the next result, in order
//   write(i, result)  writes the result of needle i, in any order
// A conversion turns a result into a value. It may ask for elements, if the result is a needle_result or the like.

/// A result with the needle and the haystack.
template <class Needles, class Haystack>
struct needle_result : search_result
{
  static constexpr bool has_both_rows = false; ///< whether an element is known to be on either side of the needle
  const Needles& needles;
  std::int64_t index; ///< of the needle
  const Haystack& haystack;
  std::int64_t haystack_count;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE element_t<Needles> needle() const
  {
    return detail::element(needles, index);
  }
  /// Element j of the haystack.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE element_t<Haystack> key(std::int64_t j) const
  {
    return detail::element(haystack, j);
  }
};

/// Whether an output receives indices of elements of the haystack, or no_match, rather than bounds.
template <class Output>
inline constexpr bool is_row_output_v = false;

/// Converts a result to its bound, as an integer.
template <class Index>
struct to_index
{
  static constexpr bool needs_match = false;
  static constexpr bool needs_equal_end = false;
  static constexpr std::int64_t largest = largest_index<Index>;

  MGPU_THRUST_HOST_DEVICE Index operator()(const search_result& result) const
  {
    return static_cast<Index>(result.bound);
  }
};

/// Converts a result to whether there is a match.
struct to_match
{
  static constexpr bool needs_match = true;
  static constexpr bool needs_equal_end = false;
  static constexpr std::int64_t largest = (std::numeric_limits<std::int64_t>::max)();

  MGPU_THRUST_HOST_DEVICE bool operator()(const search_result& result) const
  {
    return result.match;
  }
};

/// Converts a result to a tuple of its bound and whether there is a match.
template <class Tuple>
struct to_index_and_match
{
  using index = typename thrust::tuple_element<0, Tuple>::type;
  static constexpr bool needs_match = true;
  static constexpr bool needs_equal_end = false;
  static constexpr std::int64_t largest = largest_index<index>;

  MGPU_THRUST_HOST_DEVICE Tuple operator()(const search_result& result) const
  {
    return Tuple(static_cast<index>(result.bound), result.match);
  }
};

/// Converts a result to op(lower bound, upper bound).
template <class Operator>
struct to_range_value
{
  static constexpr bool needs_match = false;
  static constexpr bool needs_equal_end = true;
  static constexpr std::int64_t largest = (std::numeric_limits<std::int64_t>::max)();
  Operator op;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto operator()(const search_result& result) const
  {
    return op(result.bound, result.equal_end);
  }
};

/// Converts a result to the number of equal elements, as an integer.
template <class Index>
struct to_count
{
  static constexpr bool needs_match = false;
  static constexpr bool needs_equal_end = true;
  static constexpr std::int64_t largest = largest_index<Index>;

  MGPU_THRUST_HOST_DEVICE Index operator()(const search_result& result) const
  {
    return static_cast<Index>(result.equal_end - result.bound);
  }
};

/// Writes converted results through an iterator.
template <class Iterator, class Conversion>
struct search_output
{
  static constexpr bool is_wanted = true;
  static constexpr bool needs_match = Conversion::needs_match;
  static constexpr bool needs_equal_end = Conversion::needs_equal_end;
  static constexpr std::int64_t largest = Conversion::largest;
  Iterator result;
  Conversion conversion;

  MGPU_THRUST_HOST_DEVICE search_output operator+(std::int64_t n) const
  {
    return {result + n, conversion};
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Result>
  MGPU_THRUST_HOST_DEVICE void append(const Result& found)
  {
    *result = conversion(found);
    ++result;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Result>
  MGPU_THRUST_HOST_DEVICE void write(std::int64_t i, const Result& found)
  {
    *(result + i) = conversion(found);
  }
};

/// Writes both bounds, each through an iterator of its own.
template <class Lower, class Upper, class LowerIndex, class UpperIndex>
struct range_output
{
  static constexpr bool is_wanted = true;
  static constexpr bool needs_match = false;
  static constexpr bool needs_equal_end = true;
  static constexpr std::int64_t largest =
    largest_index<LowerIndex> < largest_index<UpperIndex> ? largest_index<LowerIndex> : largest_index<UpperIndex>;
  Lower lower;
  Upper upper;

  MGPU_THRUST_HOST_DEVICE range_output operator+(std::int64_t n) const
  {
    return {lower + n, upper + n};
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void append(const search_result& found)
  {
    *lower = static_cast<LowerIndex>(found.bound);
    ++lower;
    *upper = static_cast<UpperIndex>(found.equal_end);
    ++upper;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void write(std::int64_t i, const search_result& found) const
  {
    *(lower + i) = static_cast<LowerIndex>(found.bound);
    *(upper + i) = static_cast<UpperIndex>(found.equal_end);
  }
};

/// Placeholder for an output that is not requested.
struct no_search_output
{
  static constexpr bool is_wanted = false;
  static constexpr bool needs_match = false;
  static constexpr bool needs_equal_end = false;
  static constexpr std::int64_t largest = (std::numeric_limits<std::int64_t>::max)();

  MGPU_THRUST_HOST_DEVICE no_search_output operator+(std::int64_t) const
  {
    return {};
  }
  MGPU_THRUST_HOST_DEVICE void append(const search_result&) const
  {
  }
  MGPU_THRUST_HOST_DEVICE void write(std::int64_t, const search_result&) const
  {
  }
};

/// Makes a search output that writes indices through an iterator.
template <class Iterator>
MGPU_THRUST_HOST_DEVICE auto index_output(Iterator result)
{
  const auto unwrapped = detail::unwrap(result);
  return search_output<std::decay_t<decltype(unwrapped)>, to_index<written_index_t<Iterator>>>{unwrapped, {}};
}

/// Makes a search output that writes match flags through an iterator.
template <class Iterator>
MGPU_THRUST_HOST_DEVICE auto match_output(Iterator result)
{
  const auto unwrapped = detail::unwrap(result);
  return search_output<std::decay_t<decltype(unwrapped)>, to_match>{unwrapped, {}};
}

/// Makes a search output that writes counts through an iterator.
template <class Iterator>
MGPU_THRUST_HOST_DEVICE auto count_output(Iterator result)
{
  const auto unwrapped = detail::unwrap(result);
  return search_output<std::decay_t<decltype(unwrapped)>, to_count<written_index_t<Iterator>>>{unwrapped, {}};
}

/// Makes a search output that writes op(lower, upper) through an iterator.
template <class Iterator, class Operator>
MGPU_THRUST_HOST_DEVICE auto operator_output(Iterator result, Operator op)
{
  const auto unwrapped = detail::unwrap(result);
  return search_output<std::decay_t<decltype(unwrapped)>, to_range_value<Operator>>{unwrapped, {op}};
}

/// Makes a search output that writes both bounds, each through an iterator of its own.
template <class Lower, class Upper>
MGPU_THRUST_HOST_DEVICE auto bounds_output(Lower lower, Upper upper)
{
  const auto unwrapped_lower = detail::unwrap(lower);
  const auto unwrapped_upper = detail::unwrap(upper);
  return range_output<
    std::decay_t<decltype(unwrapped_lower)>, std::decay_t<decltype(unwrapped_upper)>, written_index_t<Lower>,
    written_index_t<Upper>>{unwrapped_lower, unwrapped_upper};
}

template <class Value>
inline constexpr bool is_index_and_match = false;
template <class Index>
inline constexpr bool is_index_and_match<thrust::tuple<Index, bool>> = std::is_integral_v<Index>;

template <class Iterator>
inline constexpr bool is_discard = false;
template <class System>
inline constexpr bool is_discard<thrust::discard_iterator<System>> = true;

/// Makes the output of a joint search from an iterator, whose value type decides what it receives.
template <class Iterator>
MGPU_THRUST_HOST_DEVICE auto joint_search_output(Iterator first)
{
  const auto result = detail::unwrap(first);
  using unwrapped = std::decay_t<decltype(result)>;
  using value = typename ::cuda::std::iterator_traits<Iterator>::value_type;
  if constexpr (is_discard<Iterator>)
  {
    return no_search_output{};
  }
  else if constexpr (std::is_same_v<value, bool>)
  {
    return search_output<unwrapped, to_match>{result, {}};
  }
  else if constexpr (is_index_and_match<value>)
  {
    return search_output<unwrapped, to_index_and_match<value>>{result, {}};
  }
  else
  {
    static_assert(
      std::is_integral_v<value> || std::is_void_v<value>,
      "mgpu_thrust: an output of sorted_search receives integers, bool, or thrust::tuple<Integer, bool>");
    return search_output<unwrapped, to_index<written_index_t<Iterator>>>{result, {}};
  }
}

/// Returns the bound of a needle, which is in [at, end], and usually shortly after `at`.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Haystack, class Needle, class Before>
MGPU_THRUST_HOST_DEVICE std::int64_t
bound_after(Haystack haystack, std::int64_t at, std::int64_t end, const Needle& needle, Before before)
{
  std::uint64_t stride = 1; // up to 2^63
  const auto is_within = [&] { return stride <= static_cast<std::uint64_t>(end - at); };
  const auto probe = [&] { return at + static_cast<std::int64_t>(stride) - 1; };
  while (is_within() && before(detail::element(haystack, probe()), needle))
  {
    at = probe() + 1;
    stride += stride;
  }
  std::int64_t last = is_within() ? probe() : end;
  while (at < last)
  {
    const std::int64_t middle = at + (last - at) / 2;
    if (before(detail::element(haystack, middle), needle))
    {
      at = middle + 1;
    }
    else
    {
      last = middle;
    }
  }
  return at;
}

/// Calls found(result) with the match of a needle and the end of the elements that equal it, given its lower bound.
template <class Needles, class Haystack, class Compare, class Found>
struct find_equal_end
{
  Needles needles;
  Haystack haystack;
  std::int64_t size;
  Compare& comp;
  Found found;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void operator()(std::int64_t needle, std::int64_t bound)
  {
    search_result result{bound, false, bound};
    if (bound < size)
    {
      auto&& key = detail::element(haystack, bound);
      const lies_before<search_bound::upper, Compare> is_equal{comp};
      const std::int64_t equal_end = detail::bound_after(haystack, bound + 1, size, key, is_equal);
      result.match = !comp(detail::element(needles, needle), key);
      result.equal_end += (equal_end - bound) & -std::int64_t{result.match}; // not a branch
    }
    found(result);
  }
};

/// search_few that calls found(result), with the end of the equal elements too.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Needles, class Haystack, class Compare, class Found>
MGPU_THRUST_HOST_DEVICE void search_few_ranges(
  Needles needles, std::int64_t begin, std::int64_t end, Haystack haystack, std::int64_t size, Compare& comp,
  Found found)
{
  detail::search_few(
    needles, begin, end, haystack, size, comp,
    find_equal_end<Needles, Haystack, Compare, Found>{needles, haystack, size, comp, found});
}

/// Placeholder where the bounds of the haystack in the needles are not requested.
struct no_haystack_side
{
  static constexpr bool is_wanted = false;
  static constexpr bool needs_match = false;
};

/// Outputs the upper bounds of the haystack in the needles, which follow from the lower bounds of the needles: an
/// element from the bound of needle i - 1 up to that of needle i has the upper bound i.
template <bool Counts, class Needles, class Haystack, class Compare, class Output>
struct haystack_side
{
  static constexpr bool is_wanted = true;
  Needles needles;
  Haystack haystack;
  Compare& comp;
  Output& output;
  std::int64_t matches;

  static constexpr bool needs_match = Counts || Output::needs_match;

  /// Returns the result of haystack element j, given its bound.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE search_result result(std::int64_t j, std::int64_t bound) const
  {
    bool match = false;
    if constexpr (needs_match)
    {
      match = bound > 0 && !comp(detail::element(needles, bound - 1), detail::element(haystack, j));
    }
    return {bound, match, 0};
  }
  /// Appends result_of(j) for each of the next haystack elements, j in [begin, end).
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class ResultOf>
  MGPU_THRUST_HOST_DEVICE void append(std::int64_t begin, std::int64_t end, ResultOf result_of)
  {
    Output local = output; // local copy, so that the compiler keeps it in registers
    for (std::int64_t j = begin; j < end; ++j)
    {
      const search_result found = result_of(j);
      if constexpr (Counts)
      {
        matches += found.match;
      }
      local.append(found);
    }
    detail::reassign(output, local);
  }
  /// Appends the results of the next haystack elements, [begin, end), which all have the same bound.
  MGPU_THRUST_HOST_DEVICE void append_same(std::int64_t begin, std::int64_t end, std::int64_t bound)
  {
    append(begin, end, [this, bound](std::int64_t j) { return result(j, bound); });
  }
};

/// Finds the bounds of the needles [begin, end) in the haystack and passes the results to output.append. None of the
/// bounds is before `at`, which advances to the last of them. `other` receives the results of the haystack's elements
/// from the initial `at` up to the last needle's bound. Matches are counted if Counts.
///
/// Comparisons with elements further ahead choose the strategy. Many needles between two elements of the haystack are
/// consumed together. A haystack with few elements per needle is walked along, with about one comparison for each
/// element and needle. If it has more, some needles are searched for one by one; if it has many, by interleaved
/// bisections.
template <search_bound Bound, bool Counts, class Needles, class Haystack, class Compare, class Output, class Other>
struct serial_search
{
  Needles needles;
  std::int64_t begin;
  std::int64_t end;
  Haystack haystack;
  std::int64_t at;
  std::int64_t haystack_count;
  Compare& comp;
  Output& output;
  Other& other;
  std::int64_t matches = 0;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void run()
  {
    const std::int64_t interleaved = detail::min_for_needle<haystack_key>(haystack_count);
    std::int64_t last_begin = begin;
    std::int64_t last_at = at;
    while (begin < end)
    {
      const std::int64_t ahead = smaller(end - begin, longest_walk);
      const std::int64_t steps = smaller(ahead, haystack_count - at) / 4 * 4;
      const std::int64_t share = steps / (max_for_one + 1); // the needles' share of the steps
      // An element so far ahead is in no cache, so it is compared only where the last needles were far apart.
      const bool may_interleave = !Other::is_wanted && at - last_at >= (begin - last_begin) * interleaved / 2;
      last_begin = begin;
      last_at = at;
      if (!goes_before(ahead / many_for_one, ahead - 1))
      {
        pass_many(ahead);
      }
      else if (may_interleave && goes_before(ahead * interleaved, ahead - 1))
      {
        search_interleaved(ahead);
      }
      else if (steps < shortest_walk || goes_before(steps - 1 - share, share) || begin == 0 || !walk(steps))
      {
        search_one_by_one(smaller(ahead, needles_at_a_time));
      }
    }
  }

private:
  using haystack_key = typename ::cuda::std::iterator_traits<Haystack>::value_type;
  static constexpr bool needs_match = Counts || Output::needs_match;
  static constexpr bool needs_equal_end = Output::needs_equal_end;
  static constexpr std::int64_t longest_walk = 256;
  static constexpr std::int64_t shortest_walk = 32;
  static constexpr std::int64_t needles_at_a_time = 16; ///< needles per batch that is searched for one by one
  static constexpr std::int64_t max_for_one = 8;        ///< elements of the haystack per needle, in a walk
  static constexpr std::int64_t many_for_one = 16;      ///< needles per element of the haystack, for pass_many
  static_assert(Bound == search_bound::lower || !needs_equal_end, "where equals end is found from where they begin");

  static MGPU_THRUST_HOST_DEVICE std::int64_t smaller(std::int64_t x, std::int64_t y)
  {
    return x < y ? x : y;
  }
  MGPU_THRUST_HOST_DEVICE lies_before<Bound, Compare> before() const
  {
    return {comp};
  }
  /// Whether the haystack has an element at + j and it lies before the bound of needle begin + i.
  MGPU_THRUST_HOST_DEVICE bool goes_before(std::int64_t j, std::int64_t i) const
  {
    return j < haystack_count - at && before()(detail::element(haystack, at + j), detail::element(needles, begin + i));
  }
  /// Appends the results of the next `count` needles: result_of(i) for needle begin + i.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class ResultOf>
  MGPU_THRUST_HOST_DEVICE void append(std::int64_t count, ResultOf result_of)
  {
    Output local = output; // local copy, so that the compiler keeps it in registers
    for (std::int64_t i = 0; i < count; ++i)
    {
      const search_result found = result_of(i);
      if constexpr (Counts)
      {
        matches += found.match;
      }
      local.append(needle_result<Needles, Haystack>{found, needles, begin + i, haystack, haystack_count});
    }
    detail::reassign(output, local);
    begin += count;
  }

  /// Appends the results of the next `count` needles, whose bound is `at`.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void append_same(std::int64_t count)
  {
    search_result same{at, false, at};
    if constexpr (needs_equal_end)
    {
      same.equal_end = end_of_equals(at);
    }
    if constexpr (needs_match || needs_equal_end)
    {
      // The element that may be equal, if there is one: the next, or the one before.
      const bool has_equal = Bound == search_bound::lower ? at < haystack_count : at > 0;
      const Haystack equal = haystack + (Bound == search_bound::lower || !has_equal ? at : at - 1);
      const auto result_of = [same, has_equal, equal, first = needles + begin, &order = comp](std::int64_t i)
      {
        search_result found = same;
        if constexpr (Bound == search_bound::lower)
        {
          found.match = has_equal && !order(detail::element(first, i), detail::element(equal, 0));
        }
        else
        {
          found.match = has_equal && !order(detail::element(equal, 0), detail::element(first, i));
        }
        found.equal_end = found.match ? same.equal_end : same.bound;
        return found;
      };
      append(count, result_of);
    }
    else
    {
      append(count, [same](std::int64_t) { return same; });
    }
  }
  /// Returns the end of the elements of the haystack that equal element j, where j is at most the size of the haystack.
  MGPU_THRUST_HOST_DEVICE std::int64_t end_of_equals(std::int64_t j) const
  {
    if (j == haystack_count)
    {
      return j;
    }
    const lies_before<search_bound::upper, Compare> is_equal{comp};
    return detail::bound_after(haystack, j + 1, haystack_count, detail::element(haystack, j), is_equal);
  }

  /// Consumes `count` needles or more, which have few elements of the haystack between them.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void pass_many(std::int64_t count)
  {
    const auto has_bound = [this](const auto& needle, const auto& key) { return !before()(key, needle); };
    const std::int64_t last = begin + count;
    for (;; ++at)
    {
      const std::int64_t same_end =
        at < haystack_count ? detail::bound_after(needles, begin, end, detail::element(haystack, at), has_bound) : end;
      append_same(same_end - begin);
      if (begin >= last)
      {
        return;
      }
      if constexpr (Other::is_wanted)
      {
        other.append_same(at, at + 1, begin);
      }
    }
  }

  /// Searches for the next `count` needles, each from the bound of the one before.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void search_one_by_one(std::int64_t count)
  {
    for (; count > 0; --count)
    {
      const std::int64_t last_at = at;
      at = detail::bound_after(haystack, at, haystack_count, detail::element(needles, begin), before());
      if constexpr (Other::is_wanted)
      {
        other.append_same(last_at, at, begin);
      }
      append_same(1);
    }
  }

  /// Searches for the next `count` needles by interleaved bisections of the whole haystack.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void search_interleaved(std::int64_t count)
  {
    for (const std::int64_t last = begin + count; begin < last;)
    {
      std::int64_t bounds[interleaved_needles];
      const int together = static_cast<int>(smaller(last - begin, interleaved_needles));
      const Needles first = needles + begin;
      detail::search_interleaved(first, together, haystack, 0, haystack_count, bounds, before());
      Compare& order = comp;
      const auto result_of = [&](std::int64_t i)
      {
        at = bounds[i] < at ? at : bounds[i]; // bounds never decrease, even if the ranges are not sorted
        search_result found{at, false, at};
        if constexpr (Bound == search_bound::lower && (needs_match || needs_equal_end))
        {
          found.match = at < haystack_count && !order(detail::element(first, i), detail::element(haystack, at));
        }
        else if constexpr (needs_match)
        {
          found.match = at > 0 && !order(detail::element(haystack, at - 1), detail::element(first, i));
        }
        if constexpr (needs_equal_end)
        {
          found.equal_end += (end_of_equals(at) - at) & -std::int64_t{found.match}; // not a branch
        }
        return found;
      };
      append(together, result_of);
    }
  }

  /// Walks along both ranges for `steps` steps, and returns true; or does nothing and returns false, if the parts of
  /// the walk do not join, as the ranges are not sorted: the results could then refer to elements that no part has
  /// visited. There must be a needle before `begin`, which the other side may read.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE bool walk(std::int64_t steps)
  {
    // A step from (i, j) writes the results of both, one of which is final. The other may belong to the next part: so
    // each part has one extra entry.
    constexpr bool walk_matches = (needs_match || needs_equal_end) && Bound == search_bound::lower;
    int bounds[longest_walk + 4];
    [[maybe_unused]] bool has_match[longest_walk + 4];
    [[maybe_unused]] int other_bounds[longest_walk + 4];
    [[maybe_unused]] bool other_has_match[longest_walk + 4];
    const Needles first = needles + begin;
    const Haystack rest = haystack + at;
    Compare& order = comp;
    const auto write = [&](int part, std::int64_t, std::int64_t i, std::int64_t j, const auto& x, const auto& y, bool)
    {
      bounds[part + i] = static_cast<int>(j);
      if constexpr (walk_matches)
      {
        has_match[part + i] = !order(x, y);
      }
      if constexpr (Other::is_wanted)
      {
        other_bounds[part + j] = static_cast<int>(i);
      }
      if constexpr (Other::needs_match)
      {
        other_has_match[part + j] = !order(detail::element(first, i - 1), y);
      }
    };
    merge_walk walks[4];
    detail::walk_merge_path(first, rest, steps / 4, before(), walks, write);
    if (walks[0].i_end != walks[1].i || walks[1].i_end != walks[2].i || walks[2].i_end != walks[3].i)
    {
      return false;
    }

    [[maybe_unused]] std::int64_t copies[longest_walk + 1];
    if constexpr (needs_equal_end)
    {
      count_copies(walks[3].j_end, copies);
    }
    const std::int64_t walk_begin = begin;
    const std::int64_t walk_at = at;
    for (int part = 0; part < 4; ++part)
    {
      const merge_walk walked = walks[part];
      const std::int64_t position = part + walked.i;
      const auto result_of = [&, walk_at, position](std::int64_t i) -> search_result
      {
        const std::int64_t bound = bounds[position + i];
        search_result found{walk_at + bound, false, 0};
        if constexpr (walk_matches)
        {
          found.match = has_match[position + i];
        }
        else if constexpr (needs_match)
        {
          found.match =
            found.bound > 0 && !order(detail::element(rest, bound - 1), detail::element(first, position - part + i));
        }
        if constexpr (needs_equal_end)
        {
          found.equal_end = found.bound + (copies[bound] & -std::int64_t{found.match});
        }
        return found;
      };
      append(walked.i_end - walked.i, result_of);
      if constexpr (Other::is_wanted)
      {
        const std::int64_t other_place = part + walked.j - at;
        const auto other_result_of = [&, walk_begin, other_place](std::int64_t j) -> search_result
        {
          search_result found{walk_begin + other_bounds[other_place + j], false, 0};
          if constexpr (Other::needs_match)
          {
            found.match = other_has_match[other_place + j];
          }
          return found;
        };
        other.append(at, at + (walked.j_end - walked.j), other_result_of);
      }
      at += walked.j_end - walked.j;
    }
    return true;
  }

  /// Stores, for each of the next `count` elements of the haystack and the one after them, the number of elements from
  /// it on that equal it.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void count_copies(std::int64_t count, std::int64_t* copies) const
  {
    const Haystack rest = haystack + at;
    Compare& order = comp;
    const std::int64_t last = smaller(count, haystack_count - at - 1);
    std::int64_t found = end_of_equals(at + last) - (at + last);
    copies[last] = found;
    for (std::int64_t j = last - 1; j >= 0; --j)
    {
      const bool goes_on = !order(detail::element(rest, j), detail::element(rest, j + 1));
      found = (found & -std::int64_t{goes_on}) + 1; // not a branch
      copies[j] = found;
    }
  }
};

/// Executes a search on a piece of both inputs, for the wanted outputs: of A[begin.i, end.i), the lower bounds in B; of
/// B[begin.j, end.j), the upper bounds in A. If both are wanted, or if Counts, begin and end must be points of the
/// merge path; if one is, no bound may lie before `begin` of the other side. If Counts, it adds up the matches of both.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <bool Counts, class Inputs, class OutputA, class OutputB, class Compare>
MGPU_THRUST_HOST_DEVICE void search_piece(
  const Inputs& inputs, set_position begin, set_position end, OutputA& a_output, OutputB& b_output, Compare& comp,
  [[maybe_unused]] std::int64_t (&matches)[2])
{
  if constexpr (Counts || (OutputA::is_wanted && OutputB::is_wanted))
  {
    haystack_side<Counts, decltype(inputs.a), decltype(inputs.b), Compare, OutputB> b_side{
      inputs.a, inputs.b, comp, b_output, 0};
    serial_search<
      search_bound::lower, Counts, decltype(inputs.a), decltype(inputs.b), Compare, OutputA, decltype(b_side)>
      search{inputs.a, begin.i, end.i, inputs.b, begin.j, inputs.b_count, comp, a_output, b_side};
    search.run();
    b_side.append_same(search.at, end.j, end.i);
    matches[0] += search.matches;
    matches[1] += b_side.matches;
  }
  else
  {
    no_haystack_side nothing_wanted;
    if constexpr (OutputA::is_wanted)
    {
      serial_search<
        search_bound::lower, false, decltype(inputs.a), decltype(inputs.b), Compare, OutputA, no_haystack_side>{
        inputs.a, begin.i, end.i, inputs.b, begin.j, inputs.b_count, comp, a_output, nothing_wanted}
        .run();
    }
    if constexpr (OutputB::is_wanted)
    {
      serial_search<
        search_bound::upper, false, decltype(inputs.b), decltype(inputs.a), Compare, OutputB, no_haystack_side>{
        inputs.b, begin.j, end.j, inputs.a, begin.i, inputs.a_count, comp, b_output, nothing_wanted}
        .run();
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
