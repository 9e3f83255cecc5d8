// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The items of a tile that one thread reduces, from left to right or from right to left.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/uninitialized.cuh>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>

#include <new>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// An operator for operands in the order in which a group has them: suffixes go from right to left.
template <bool IsSuffix, class T, class Op>
struct directed_operator
{
  Op& op;

  MGPU_THRUST_DEVICE T operator()(const T& earlier, const T& later)
  {
    return static_cast<T>(IsSuffix ? op(later, earlier) : op(earlier, later));
  }
};

/// `Items` neighbours of a staged tile in registers, or fewer at the tile's end. Op is a directed_operator, and is
/// called on neighbours alone.
template <int Items, bool IsSuffix, class T, class Op>
class window_group
{
public:
  /// Reads the group of a number. `other` is any value, for the places behind the tile's last item.
  MGPU_THRUST_DEVICE window_group(const staged_t<T>* tile, int number, int last, const T& other)
      : first_(number * Items)
      , last_(last)
  {
    for_each([&](int k, bool is_item, bool) { items_[k] = is_item ? detail::staged_value(tile[position(k)]) : other; });
  }

  MGPU_THRUST_DEVICE bool is_empty() const
  {
    return first_ > last_;
  }

  /// Makes each item the reduction of those up to it. After the last one the reduction of all follows.
  MGPU_THRUST_DEVICE void reduce(Op& op)
  {
    for_each(
      [&](int k, bool is_item, bool is_after_item)
      {
        if (is_item && is_after_item)
        {
          items_[k] = op(items_[k - 1], items_[k]);
        }
        else if (!is_item && k > 0)
        {
          items_[k] = items_[k - 1];
        }
      });
  }
  /// Joins what is before the group with each reduction.
  MGPU_THRUST_DEVICE void append_to(const T& before, Op& op)
  {
    for_each(
      [&](int k, bool is_item, bool)
      {
        if (is_item)
        {
          items_[k] = op(before, items_[k]);
        }
      });
  }
  MGPU_THRUST_DEVICE const T& total() const
  {
    return items_[Items - 1];
  }
  /// Writes the reductions to their items' places in a tile.
  MGPU_THRUST_DEVICE void write(staged_t<T>* tile) const
  {
#pragma unroll
    for (int k = 0; k < Items; ++k)
    {
      ::new (static_cast<void*>(tile + position(k))) T(static_cast<const T&>(items_[k]));
    }
  }

private:
  /// Calls f(k, is_item, is_after_item) for each place: whether it has an item, and whether the place before has one.
  /// In a full group the compiler knows both.
  template <class F>
  MGPU_THRUST_DEVICE void for_each(F f)
  {
    if (first_ + Items - 1 <= last_)
    {
#pragma unroll
      for (int k = 0; k < Items; ++k)
      {
        f(k, true, k > 0);
      }
    }
    else
    {
#pragma unroll
      for (int k = 0; k < Items; ++k)
      {
        f(k, has(k), k > 0 && has(k - 1));
      }
    }
  }
  MGPU_THRUST_DEVICE bool has(int k) const
  {
    return position(k) <= last_;
  }
  MGPU_THRUST_DEVICE int position(int k) const
  {
    return first_ + (IsSuffix ? Items - 1 - k : k);
  }

  uninitialized_t<T> items_[Items];
  int first_;
  int last_; ///< the tile's last item
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
