// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Any number of sorted runs: consecutive in one range, or each in memory of its own.
///
/// Both descriptions have
///
///   run_keys, run_values       the iterators to a run's keys and values; the second may be no_values
///   num_items, num_runs        the number of all elements, and of runs; capacities where a size is deferred
///   with_sizes(items, runs)    the same runs with other numbers
///   size(run)                  the number of a run's elements, from 0 to num_items whatever the caller has passed
///   keys_of(run)               the first key of a run
///   values_of(run)             the first value of a run, or no_values
///
/// Of wrong offsets and sizes the sum may be more than num_items: a merge writes the first num_items elements.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/segments.h>

#include <cuda/std/iterator>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Runs that offsets divide one range into. Values is an iterator to a value for each key, or no_values.
template <class Keys, class Values, class Offsets>
struct contiguous_runs
{
  using run_keys = Keys;
  using run_values = Values;

  Keys keys;
  Values values;
  std::int64_t num_items;
  Offsets offsets;
  std::int64_t num_runs;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE contiguous_runs with_sizes(std::int64_t new_num_items, std::int64_t new_num_runs) const
  {
    return {keys, values, new_num_items, offsets, new_num_runs};
  }

  /// Returns the elements of a run, as indices of the range; within it whatever the offsets are.
  MGPU_THRUST_HOST_DEVICE segment_range range(std::int64_t run) const
  {
    const segment_range passed = segments<Offsets>{num_items, offsets, num_runs}.range(run);
    const std::int64_t begin = detail::clamp_index(passed.begin, 0, num_items);
    return {begin, detail::clamp_index(passed.end, begin, num_items)};
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t size(std::int64_t run) const
  {
    const segment_range elements = range(run);
    return elements.end - elements.begin;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE run_keys keys_of(std::int64_t run) const
  {
    return keys + range(run).begin;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE run_values values_of(std::int64_t run) const
  {
    return values + range(run).begin;
  }
};

/// The iterator that an iterator to runs gives, unwrapped.
template <class Runs>
struct iterator_of_run
{
  using type = unwrapped_t<typename ::cuda::std::iterator_traits<Runs>::value_type>;
};
template <>
struct iterator_of_run<no_values>
{
  using type = no_values;
};

/// Runs in memory of their own. Runs is an iterator to the runs' iterators, ValueRuns one to the iterators to their
/// values or no_values, Sizes one to their sizes.
template <class Runs, class ValueRuns, class Sizes>
struct separate_runs
{
  using run_keys = typename iterator_of_run<Runs>::type;
  using run_values = typename iterator_of_run<ValueRuns>::type;

  Runs runs;
  ValueRuns value_runs;
  std::int64_t num_items;
  Sizes sizes;
  std::int64_t num_runs;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE separate_runs with_sizes(std::int64_t new_num_items, std::int64_t new_num_runs) const
  {
    return {runs, value_runs, new_num_items, sizes, new_num_runs};
  }

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE std::int64_t size(std::int64_t run) const
  {
    return detail::clamp_index(static_cast<std::int64_t>(detail::element(sizes, run)), 0, num_items);
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE run_keys keys_of(std::int64_t run) const
  {
    return detail::unwrap(iterator_at(runs, run));
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE run_values values_of([[maybe_unused]] std::int64_t run) const
  {
    if constexpr (has_values<ValueRuns>)
    {
      return detail::unwrap(iterator_at(value_runs, run));
    }
    else
    {
      return {};
    }
  }

private:
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Iterators>
  MGPU_THRUST_HOST_DEVICE static typename ::cuda::std::iterator_traits<Iterators>::value_type
  iterator_at(Iterators iterators, std::int64_t run)
  {
    return *(iterators + run);
  }
};

/// Runs in memory of their own of which it is known where each begins in the sequence of all of them: num_runs + 1
/// bounds, as those that a scan of the sizes finds.
template <class Runs, class ValueRuns, class Sizes>
struct bounded_runs : separate_runs<Runs, ValueRuns, Sizes>
{
  const std::int64_t* bounds;
};

/// The bounds of runs, if they are known.
template <class Runs>
inline constexpr bool has_bounds = false;
template <class Runs, class ValueRuns, class Sizes>
inline constexpr bool has_bounds<bounded_runs<Runs, ValueRuns, Sizes>> = true;

/// Whether runs are consecutive in one range.
template <class Runs>
inline constexpr bool are_contiguous = false;
template <class Keys, class Values, class Offsets>
inline constexpr bool are_contiguous<contiguous_runs<Keys, Values, Offsets>> = true;
template <class Runs, class First, class Second>
inline constexpr bool are_contiguous<deferred_inputs<Runs, First, Second>> = are_contiguous<Runs>;
template <class Runs>
inline constexpr bool are_contiguous<inputs_in_header<Runs>> = are_contiguous<Runs>;

/// The number of items of some runs, the first of which have `before` items, and the next one `size`: num_items at
/// most.
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t
items_with_run(std::int64_t before, std::int64_t size, std::int64_t num_items)
{
  return size < num_items - before ? before + size : num_items;
}

/// Makes contiguous runs of iterators, which it unwraps, and of sizes, which may be deferred.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Keys, class Values, class NumItems, class Offsets, class NumRuns>
MGPU_THRUST_HOST_DEVICE auto
make_contiguous_runs(Keys keys, Values values, const NumItems& num_items, Offsets offsets, const NumRuns& num_runs)
{
  using runs = contiguous_runs<unwrapped_t<Keys>, unwrapped_t<Values>, unwrapped_t<Offsets>>;
  return detail::make_inputs(
    runs{detail::unwrap(keys), detail::unwrap(values), 0, detail::unwrap(offsets), 0}, detail::as_size(num_items),
    detail::as_size(num_runs));
}

/// Makes separate runs of iterators, which it unwraps, and of sizes, which may be deferred.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Runs, class ValueRuns, class NumItems, class Sizes, class NumRuns>
MGPU_THRUST_HOST_DEVICE auto make_separate_runs(
  Runs runs_first, ValueRuns value_runs_first, const NumItems& num_items, Sizes sizes_first, const NumRuns& num_runs)
{
  using runs = separate_runs<unwrapped_t<Runs>, unwrapped_t<ValueRuns>, unwrapped_t<Sizes>>;
  return detail::make_inputs(
    runs{detail::unwrap(runs_first), detail::unwrap(value_runs_first), 0, detail::unwrap(sizes_first), 0},
    detail::as_size(num_items), detail::as_size(num_runs));
}

/// Returns runs with their actual sizes. Without a run there is no item: deferred sizes may be 0 for the runs alone.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Runs>
MGPU_THRUST_HOST_DEVICE decltype(auto) sized_runs(const Runs& runs)
{
  if constexpr (is_deferred_v<Runs>)
  {
    const auto now = detail::sized(runs);
    return now.with_sizes(now.num_runs > 0 ? now.num_items : 0, now.num_runs);
  }
  else
  {
    return runs;
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
