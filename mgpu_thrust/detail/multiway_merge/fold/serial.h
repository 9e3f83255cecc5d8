// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The fold of elements with equal keys to one, where they come one after the other in the order of the merge.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/multiway_merge/serial.h>

#include <cuda/std/iterator>
#include <cuda/std/optional>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The type of values, of an iterator to them or no_values.
template <class Values>
struct folded_value
{
  using type = typename ::cuda::std::iterator_traits<Values>::value_type;
};
template <>
struct folded_value<no_values>
{
  using type = no_values;
};

/// Elements with equal keys: the first key, and their values, folded.
template <class Runs>
struct run_group
{
  using T = typename folded_value<typename Runs::run_values>::type;

  typename ::cuda::std::iterator_traits<typename Runs::run_keys>::value_type key;
  T value;
};

/// Outputs of groups, and the number of those that are written. Both iterators may be no_values, to count alone.
template <class Keys, class Values>
struct fold_sink : element_outputs<Keys, Values>
{
  std::int64_t size = 0;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Group>
  MGPU_THRUST_HOST_DEVICE void put_group(const Group& group)
  {
    if constexpr (has_values<Keys>)
    {
      this->put_element(group.key, group.value);
    }
    ++size;
  }
};

/// Folds the elements of runs, which are added in order. Groups go to the sink.
template <class Runs, class Op, class Keep, class Compare, class Sink>
struct run_folder
{
  using group = run_group<Runs>;
  using T = typename group::T;

  Op op;
  Keep keep;
  Compare& comp;
  Sink& sink;
  ::cuda::std::optional<group> current{};

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Key, class Value>
  MGPU_THRUST_HOST_DEVICE void add(const Key& key, const Value& value)
  {
    if (!current || comp(current->key, key))
    {
      finish();
      current.emplace(group{key, value});
    }
    else if constexpr (has_values<T>)
    {
      current->value = static_cast<T>(op(static_cast<T&&>(current->value), value));
    }
  }
  /// Ends the last group.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void finish()
  {
    if (current && static_cast<bool>(keep(static_cast<const T&>(current->value))))
    {
      sink.put_group(*current);
    }
    current.reset();
  }
};

/// A run_folder as the outputs of a merge.
template <class Folder>
struct folding_outputs
{
  static constexpr bool are_elements = true;
  template <class Item>
  static constexpr bool are_items = false;

  Folder* folder;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Run>
  MGPU_THRUST_HOST_DEVICE void put(const Run& run, std::int64_t i)
  {
    folder->add(detail::element(run.keys, i), detail::element(run.values, i));
  }
  template <class Key, class Value>
  void put_element(const Key& key, const Value& value)
  {
    folder->add(key, value);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
