// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What a sorted search finds, what becomes of it, and the loop that searches for sorted needles one after another.
/// Nothing here knows about scheduling.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/detail/index_type.h>
#include <mgpu_thrust/detail/unwrap.h>
#include <mgpu_thrust/thread/set_operation.h>

#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/tuple.h>

#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The two bounds of a needle: how many elements of the haystack go before it (lower), or do not go after it (upper).
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

/// What a search found for a needle: its bound; if somebody asks, whether the haystack has an equal element, and where
/// those end (known for lower bounds only).
struct search_result
{
  std::int64_t bound;
  bool match;
  std::int64_t equal_end;
};

// What becomes of the results of one side: an output has what it needs to know of them, `largest`, the largest bound
// that it can hold, and
//   append(result)    writes the next result, in order
//   write(i, result)  writes the result of needle i, in any order
// A conversion makes a value of a result.

/// The bound as an integer.
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

/// Whether there is a match.
struct to_match
{
  static constexpr bool needs_match = true;
  static constexpr bool needs_equal_end = false;
  static constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

  MGPU_THRUST_HOST_DEVICE bool operator()(const search_result& result) const
  {
    return result.match;
  }
};

/// Both.
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

/// op(lower bound, upper bound).
template <class Operator>
struct to_range_value
{
  static constexpr bool needs_match = false;
  static constexpr bool needs_equal_end = true;
  static constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  Operator op;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto operator()(const search_result& result) const
  {
    return op(result.bound, result.equal_end);
  }
};

/// The number of equal elements as an integer.
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
  using iterator = Iterator;
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
  MGPU_THRUST_HOST_DEVICE void append(const search_result& found)
  {
    *result = conversion(found);
    ++result;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void write(std::int64_t i, const search_result& found) const
  {
    *(result + i) = conversion(found);
  }
};

/// Writes both bounds, each through an iterator of its own.
template <class Lower, class Upper, class LowerIndex, class UpperIndex>
struct range_output
{
  using iterator = std::conditional_t<
    std::is_convertible_v<thrust::iterator_traversal_t<Lower>, thrust::random_access_traversal_tag>, Upper,
    Lower>; // the one that can do less
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

/// Stands for an output that nobody wants.
struct no_search_output
{
  using iterator = int*;
  static constexpr bool is_wanted = false;
  static constexpr bool needs_match = false;
  static constexpr bool needs_equal_end = false;
  static constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

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

/// A search's output of indices through an iterator.
template <class Iterator>
MGPU_THRUST_HOST_DEVICE auto index_output(Iterator result)
{
  const auto unwrapped = detail::unwrap(result);
  return search_output<std::decay_t<decltype(unwrapped)>, to_index<written_index_t<Iterator>>>{unwrapped, {}};
}

/// Of match flags.
template <class Iterator>
MGPU_THRUST_HOST_DEVICE auto match_output(Iterator result)
{
  const auto unwrapped = detail::unwrap(result);
  return search_output<std::decay_t<decltype(unwrapped)>, to_match>{unwrapped, {}};
}

/// Of counts.
template <class Iterator>
MGPU_THRUST_HOST_DEVICE auto count_output(Iterator result)
{
  const auto unwrapped = detail::unwrap(result);
  return search_output<std::decay_t<decltype(unwrapped)>, to_count<written_index_t<Iterator>>>{unwrapped, {}};
}

/// Of op(lower, upper).
template <class Iterator, class Operator>
MGPU_THRUST_HOST_DEVICE auto operator_output(Iterator result, Operator op)
{
  const auto unwrapped = detail::unwrap(result);
  return search_output<std::decay_t<decltype(unwrapped)>, to_range_value<Operator>>{unwrapped, {op}};
}

/// Of both bounds.
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

/// The output that a joint search makes of an iterator: its value type says what it receives.
template <class Iterator>
MGPU_THRUST_HOST_DEVICE auto joint_search_output(Iterator first)
{
  const auto result = detail::unwrap(first);
  using unwrapped = std::decay_t<decltype(result)>;
  using value = typename std::iterator_traits<Iterator>::value_type;
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

/// The bound of a needle that is not before `at`, most likely a short way behind it, and not behind `end`.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Haystack, class Needle, class Before>
MGPU_THRUST_HOST_DEVICE std::int64_t
bound_after(Haystack haystack, std::int64_t at, std::int64_t end, const Needle& needle, Before before)
{
  std::int64_t stride = 1;
  while (at + stride <= end && before(detail::element(haystack, at + stride - 1), needle))
  {
    at += stride;
    stride += stride;
  }
  std::int64_t last = at + stride <= end ? at + stride - 1 : end;
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

/// A short run of needles, i to i_end, whose bounds lie from `at` to `at_end`, which is the bound of the last.
struct search_run
{
  int i;
  int i_end;
  int at;
  int at_end;
};

/// Finds the bounds of four runs, of all at once as long as none can end, so that the steps of one need not wait for
/// those of another; no step branches on the data. A run's last bound is `at_end`, so no index can leave its run.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Needles, class Haystack, class Before>
MGPU_THRUST_HOST_DEVICE void
search_runs(search_run (&runs)[4], Needles needles, Haystack haystack, Before before, int* bounds)
{
  const auto step = [&](search_run& run)
  {
    const bool is_before = before(detail::element(haystack, run.at), detail::element(needles, run.i));
    bounds[run.i] = run.at;
    run.i += !is_before;
    run.at += is_before;
  };
  search_run r0 = runs[0], r1 = runs[1], r2 = runs[2], r3 = runs[3]; // in registers
  const auto left = [](const search_run& x, const search_run& y)
  { return x.at_end - x.at < y.at_end - y.at ? x.at_end - x.at : y.at_end - y.at; };
  for (int steps = 1; steps > 0;)
  {
    const int left_01 = left(r0, r1);
    const int left_23 = left(r2, r3);
    steps = left_01 < left_23 ? left_01 : left_23;
    for (int k = 0; k < steps; ++k)
    {
      step(r0);
      step(r1);
      step(r2);
      step(r3);
    }
  }
  runs[0] = r0;
  runs[1] = r1;
  runs[2] = r2;
  runs[3] = r3;
  for (search_run& run : runs)
  {
    while (run.at < run.at_end)
    {
      step(run);
    }
    for (; run.i < run.i_end; ++run.i)
    {
      bounds[run.i] = run.at_end;
    }
  }
}

/// Where the elements end that equal a needle, whose lower bound is `bound`. There are few most often, so the nearest
/// places are probed all at once. If there are more, the needle before may have had the same.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Haystack, class Needle, class Compare>
MGPU_THRUST_HOST_DEVICE std::int64_t end_of_equals(
  Haystack haystack, std::int64_t bound, std::int64_t haystack_count, const Needle& needle, Compare& comp,
  const search_result& needle_before)
{
  constexpr int near = 4;
  const lies_before<search_bound::upper, Compare> before{comp};
  if (haystack_count - bound < near)
  {
    return detail::bound_after(haystack, bound, haystack_count, needle, before);
  }
  bool is_copy = true;
  int copies = 0;
  for (int k = 0; k < near; ++k)
  {
    is_copy &= before(detail::element(haystack, bound + k), needle);
    copies += is_copy;
  }
  if (!is_copy)
  {
    return bound + copies;
  }
  return needle_before.bound == bound && needle_before.equal_end > bound
           ? needle_before.equal_end
           : detail::bound_after(haystack, bound + near, haystack_count, needle, before);
}

/// Nobody asks for the bounds of the haystack in the needles.
struct no_haystack_side
{
  static constexpr bool is_wanted = false;
};

/// The upper bounds of the haystack in the needles, which follow from the lower bounds of these: an element behind the
/// bound of needle i - 1 and before that of needle i has the upper bound i.
template <bool Counts, class Needles, class Haystack, class Compare, class Output>
struct haystack_side
{
  static constexpr bool is_wanted = true;
  Needles needles;
  Haystack haystack;
  Compare& comp;
  Output& output;
  std::int64_t matches;

  /// The next results, of haystack elements [begin, end): bound_of(j).
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class BoundOf>
  MGPU_THRUST_HOST_DEVICE void append(std::int64_t begin, std::int64_t end, BoundOf bound_of)
  {
    Output local = output; // whose address nobody has, so that it stays in registers
    for (std::int64_t j = begin; j < end; ++j)
    {
      search_result found{bound_of(j), false, 0};
      if constexpr (Output::needs_match || Counts)
      {
        found.match = found.bound > 0 && !comp(detail::element(needles, found.bound - 1), detail::element(haystack, j));
        matches += found.match;
      }
      local.append(found);
    }
    detail::reassign(output, local);
  }
};

/// Finds the bounds of the needles [begin, end) in the haystack and gives output.append what it needs of them, with at
/// most 2 + log2 comparisons a needle and less than ten for each that is not far from the one before. None of the
/// bounds is before `search_at`, which moves to the last of them. Returns how many needles have a match, if Counts or
/// if the output asks for matches. `other` gets the results of the haystack from there up to the last needle's bound.
///
/// Needles are taken in blocks of runs. The bounds of the runs' last needles tell how: few elements of the haystack
/// between them are walked along, in many the needles are searched for one by one.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <search_bound Bound, bool Counts, class Needles, class Haystack, class Compare, class Output, class Other>
MGPU_THRUST_HOST_DEVICE std::int64_t serial_search(
  Needles needles, std::int64_t begin, std::int64_t end, Haystack haystack, std::int64_t& search_at,
  std::int64_t haystack_count, Compare& comp, Output& output, [[maybe_unused]] Other& other)
{
  constexpr int run_needles = 32;
  constexpr int block = 4 * run_needles;
  constexpr int window = 8 * block;
  const lies_before<Bound, Compare> before{comp};
  std::int64_t matches = 0;
  std::int64_t at = search_at; // whose address nobody has
  for (; begin < end; begin += block)
  {
    // 1. Find the block's first bound and those of the runs' last needles.
    const int count = end - begin < block ? static_cast<int>(end - begin) : block;
    const Needles first = needles + begin;
    [[maybe_unused]] const std::int64_t last_at = at;
    at = detail::bound_after(haystack, at, haystack_count, detail::element(first, 0), before);
    const std::int64_t block_at = at;
    std::int64_t run_at[5] = {at, at, at, at, at};
    for (int run = 0; run < 4; ++run)
    {
      const int i_end = (run + 1) * run_needles < count ? (run + 1) * run_needles : count;
      run_at[run + 1] = at =
        detail::bound_after(haystack, at, haystack_count, detail::element(first, i_end - 1), before);
    }
    if constexpr (Other::is_wanted)
    {
      other.append(last_at, block_at, [=](std::int64_t) { return begin; });
    }

    // 2. What is asked for of a needle and its bound.
    Output local = output; // whose address nobody has, so that it stays in registers
    search_result found{-1, false, 0};
    const auto append = [&](int i, std::int64_t bound)
    {
      if constexpr (Output::needs_equal_end)
      {
        found.equal_end =
          detail::end_of_equals(haystack, bound, haystack_count, detail::element(first, i), comp, found);
      }
      found.bound = bound;
      if constexpr (Output::needs_match || Counts)
      {
        if constexpr (Bound == search_bound::lower)
        {
          found.match = bound < haystack_count && !comp(detail::element(first, i), detail::element(haystack, bound));
        }
        else
        {
          found.match = bound > 0 && !comp(detail::element(haystack, bound - 1), detail::element(first, i));
        }
        matches += found.match;
      }
      local.append(found);
    };

    // 3. Find the bounds.
    if (at - block_at <= window)
    {
      search_run runs[4];
      int bounds[block];
      for (int run = 0; run < 4; ++run)
      {
        const int i = run * run_needles < count ? run * run_needles : count;
        const int i_end = i + run_needles < count ? i + run_needles : count;
        runs[run] = {i, i_end, static_cast<int>(run_at[run] - block_at), static_cast<int>(run_at[run + 1] - block_at)};
      }
      detail::search_runs(runs, first, haystack + block_at, before, bounds);
      for (int i = 0; i < count; ++i)
      {
        append(i, block_at + bounds[i]);
      }
      if constexpr (Other::is_wanted)
      {
        // Most gaps between bounds are short: four places are filled without asking how long a gap is.
        int places[window + 4];
        int filled = 0;
        for (int i = 0; i < count; ++i)
        {
          for (int k = 0; k < 4; ++k)
          {
            places[filled + k] = i;
          }
          for (int place = filled + 4; place < bounds[i]; ++place)
          {
            places[place] = i;
          }
          filled = bounds[i];
        }
        const int* const found_places = places;
        other.append(
          block_at, at, [=](std::int64_t j) { return begin + found_places[static_cast<int>(j - block_at)]; });
      }
    }
    else
    {
      std::int64_t place = block_at;
      for (int i = 0; i < count; ++i)
      {
        const std::int64_t last_place = place;
        place = detail::bound_after(haystack, place, at, detail::element(first, i), before);
        append(i, place);
        if constexpr (Other::is_wanted)
        {
          other.append(last_place, place, [=](std::int64_t) { return begin + i; });
        }
      }
    }
    detail::reassign(output, local);
  }
  search_at = at;
  return matches;
}

/// Runs a search on a piece of both inputs: what is wanted of A[begin.i, end.i), their lower bounds in B, and of
/// B[begin.j, end.j), their upper bounds in A. If both are, or if Counts, begin and end must be points of the merge
/// path; if Counts, it adds up the matches of both.
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
    std::int64_t at = begin.j;
    matches[0] += detail::serial_search<search_bound::lower, Counts>(
      inputs.a, begin.i, end.i, inputs.b, at, inputs.b_count, comp, a_output, b_side);
    b_side.append(at, end.j, [=](std::int64_t) { return end.i; });
    matches[1] += b_side.matches;
  }
  else
  {
    no_haystack_side nobody;
    std::int64_t at = 0;
    if constexpr (OutputA::is_wanted)
    {
      detail::serial_search<search_bound::lower, false>(
        inputs.a, begin.i, end.i, inputs.b, at, inputs.b_count, comp, a_output, nobody);
    }
    if constexpr (OutputB::is_wanted)
    {
      detail::serial_search<search_bound::upper, false>(
        inputs.b, begin.j, end.j, inputs.a, at, inputs.a_count, comp, b_output, nobody);
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
