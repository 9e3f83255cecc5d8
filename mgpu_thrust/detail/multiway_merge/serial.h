// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The outputs of a merge of any number of runs, and the loop that merges them on one thread without any storage.

#include <mgpu_thrust/agent/multiway_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/runs.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A run: its keys and values, its number, and, if it lies in one range with others, the index of its first element
/// there.
template <class Keys, class Values>
struct sorted_run
{
  Keys keys;
  Values values;
  std::int64_t number;
  std::int64_t begin;
};

/// Returns the index of a run's first element in the range of contiguous runs; 0 for separate ones.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Runs>
MGPU_THRUST_HOST_DEVICE std::int64_t begin_of_run([[maybe_unused]] const Runs& runs, [[maybe_unused]] std::int64_t run)
{
  if constexpr (are_contiguous<Runs>)
  {
    return runs.range(run).begin;
  }
  else
  {
    return 0;
  }
}

/// Returns a run of contiguous_runs or separate_runs. `begin` is its begin_of_run.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Runs>
MGPU_THRUST_HOST_DEVICE sorted_run<typename Runs::run_keys, typename Runs::run_values>
run_of(const Runs& runs, std::int64_t run, std::int64_t begin)
{
  if constexpr (are_contiguous<Runs>)
  {
    return {runs.keys + begin, runs.values + begin, run, begin};
  }
  else
  {
    return {runs.keys_of(run), runs.values_of(run), run, begin};
  }
}

// Outputs. Each has
//   are_elements      whether keys and values are all that it needs
//   are_items<Item>   whether it is an array of keys of that type
//   put(run, i)       writes element i of a sorted_run as the next of the result
//   at(offset)        the same outputs from an offset on, for those with random access

/// Outputs of keys, and of values or no_values.
template <class Keys, class Values>
struct element_outputs
{
  static constexpr bool are_elements = true;
  template <class Item>
  static constexpr bool are_items = !has_values<Values> && std::is_same_v<Keys, Item*>;

  Keys keys;
  Values values;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Run>
  MGPU_THRUST_HOST_DEVICE void put(const Run& run, std::int64_t i)
  {
    *keys = detail::element(run.keys, i);
    ++keys;
    if constexpr (has_values<Values>)
    {
      *values = detail::element(run.values, i);
      ++values;
    }
  }
  /// Writes copies of a key and a value.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Key, class Value>
  MGPU_THRUST_HOST_DEVICE void put_element(const Key& key, [[maybe_unused]] const Value& value)
  {
    *keys = key;
    ++keys;
    if constexpr (has_values<Values>)
    {
      *values = value;
      ++values;
    }
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE element_outputs at(std::int64_t offset) const
  {
    return {keys + offset, values + offset};
  }
};

/// Output of where each element stands in the range of contiguous runs.
template <class Indices>
struct index_outputs
{
  using index = written_index_t<Indices>;
  static constexpr bool are_elements = false;
  template <class Item>
  static constexpr bool are_items = false;

  Indices indices;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Run>
  MGPU_THRUST_HOST_DEVICE void put(const Run& run, std::int64_t i)
  {
    *indices = static_cast<index>(run.begin + i);
    ++indices;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE index_outputs at(std::int64_t offset) const
  {
    return {indices + offset};
  }
};

/// Outputs of the number of each element's run, and of its position there.
template <class Numbers, class Positions>
struct run_position_outputs
{
  using number = written_index_t<Numbers>;
  using position = written_index_t<Positions>;
  static constexpr bool are_elements = false;
  template <class Item>
  static constexpr bool are_items = false;

  Numbers numbers;
  Positions positions;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Run>
  MGPU_THRUST_HOST_DEVICE void put(const Run& run, std::int64_t i)
  {
    *numbers = static_cast<number>(run.number);
    ++numbers;
    *positions = static_cast<position>(i);
    ++positions;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE run_position_outputs at(std::int64_t offset) const
  {
    return {numbers + offset, positions + offset};
  }
};

/// Returns the number of elements of a run that go before an element of any run, or are that element.
template <class Runs, class Compare>
MGPU_THRUST_HOST_DEVICE std::int64_t
elements_up_to(const Runs& runs, std::int64_t run, const run_element& last, Compare& comp)
{
  return last.run < 0 ? 0 : detail::elements_before(runs, run, 0, runs.size(run), last, comp) + (run == last.run);
}

/// Merges runs on one thread, without storage: elements are taken from the run whose next one is first, up to that
/// of the run after it; then every run is searched for its next one. Writes no more than num_items elements.
template <class Runs, class Compare, class Outputs>
MGPU_THRUST_HOST_DEVICE void merge_runs_without_storage(const Runs& runs, Compare& comp, Outputs& outputs)
{
  run_element last;
  std::int64_t left = runs.num_items;
  while (left > 0)
  {
    run_element first;
    run_element second;
    for (std::int64_t run = 0; run < runs.num_runs; ++run)
    {
      const run_element next{run, detail::elements_up_to(runs, run, last, comp)};
      if (next.index >= runs.size(run))
      {
        continue;
      }
      if (first.run < 0 || detail::goes_before(runs, next, first, comp))
      {
        second = first;
        first = next;
      }
      else if (second.run < 0 || detail::goes_before(runs, next, second, comp))
      {
        second = next;
      }
    }
    if (first.run < 0)
    {
      return; // the sizes of runs are less than num_items
    }
    const auto run = detail::run_of(runs, first.run, detail::begin_of_run(runs, first.run));
    const std::int64_t size = runs.size(first.run);
    do
    {
      outputs.put(run, first.index);
      last = first;
      ++first.index;
      --left;
    } while (left > 0 && first.index < size && (second.run < 0 || detail::goes_before(runs, first, second, comp)));
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
