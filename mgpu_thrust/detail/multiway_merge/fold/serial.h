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
template <class Key, class T>
struct folded_group
{
  Key key;
  T value;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Value>
  MGPU_THRUST_HOST_DEVICE folded_group(const Key& first, Value&& folded)
      : key(first)
      , value(static_cast<Value&&>(folded))
  {
  }
};

/// Outputs of groups, and their number. Both may be no_values.
template <class Keys, class Values>
struct fold_sink
{
  Keys keys;
  Values values;
  std::int64_t size = 0;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Group>
  MGPU_THRUST_HOST_DEVICE void put([[maybe_unused]] Group& group)
  {
    if constexpr (has_values<Keys>)
    {
      *keys = static_cast<const decltype(Group::key)&>(group.key);
      ++keys;
    }
    if constexpr (has_values<Values>)
    {
      *values = static_cast<decltype(Group::value)&&>(group.value);
      ++values;
    }
    ++size;
  }
};

/// Folds elements that are added in order. Runs has their types. `op` combines the values of neighbours with equal keys, if there are any.
/// Groups go to `sink`, if keep(value) is true.
template <class Runs, class Op, class Keep, class Compare, class Sink>
class run_folder
{
  using key = typename ::cuda::std::iterator_traits<typename Runs::run_keys>::value_type;
  using T = typename folded_value<typename Runs::run_values>::type;

public:
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE run_folder(const Op& op, const Keep& keep, Compare& comp, Sink& sink)
      : op_(op)
      , keep_(keep)
      , comp_(comp)
      , sink_(sink)
  {
  }

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Value>
  MGPU_THRUST_HOST_DEVICE void add(const key& next, const Value& value)
  {
    if (open_ && !comp_(open_->key, next))
    {
      if constexpr (has_values<T>)
      {
        open_->value = static_cast<T>(op_(static_cast<T&&>(open_->value), value));
      }
      return;
    }
    finish();
    open_.emplace(next, value);
  }
  /// Ends the last group.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void finish()
  {
    if (open_ && static_cast<bool>(keep_(static_cast<const T&>(open_->value))))
    {
      sink_.put(*open_);
    }
    open_.reset();
  }

private:
  Op op_;
  Keep keep_;
  Compare& comp_;
  Sink& sink_;
  ::cuda::std::optional<folded_group<key, T>> open_;
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
    if constexpr (has_values<decltype(Run::values)>)
    {
      folder->add(detail::element(run.keys, i), detail::element(run.values, i));
    }
    else
    {
      folder->add(detail::element(run.keys, i), no_values{});
    }
  }
  template <class Key, class Value>
  void put_element(const Key& key, const Value& value)
  {
    folder->add(key, value);
  }
  folding_outputs at(std::int64_t) const
  {
    return *this;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
