// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// What tiles hand on to later ones, and how a warp combines that of a group of tiles.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/uninitialized.cuh>

#include <cub/util_ptx.cuh>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// What a tile, or a row of neighbouring tiles, hands on.
enum class carried : unsigned
{
  unknown,   ///< not posted yet
  nothing,   ///< it has no items
  continued, ///< no segment starts there: the reduction of all items, to be combined with what is before
  restarted  ///< the reduction from the last start of a segment on
};

/// What a tile hands on, with the reduction of its items if it has any.
template <class T>
struct carried_part
{
  uninitialized_t<T> value;
  carried kind;
};

/// The tiles that a warp combines, one a lane.
inline constexpr int carry_group = 32;

/// Combines what is before, whose value may be in shared memory, with a part.
template <class T, class Op>
MGPU_THRUST_DEVICE carried_part<T> combine_carried(carried before, const T& value, const carried_part<T>& right, Op& op)
{
  if (before == carried::nothing || right.kind == carried::restarted)
  {
    return right;
  }
  if (right.kind == carried::nothing)
  {
    return {value, before};
  }
  return {static_cast<T>(op(value, static_cast<const T&>(right.value))), before};
}

/// Returns the part of the lane `distance` lanes before; the first lanes get their own.
template <class T>
MGPU_THRUST_DEVICE carried_part<T> shuffle_carried(const carried_part<T>& own, int distance)
{
  return {
    cub::ShuffleUp<32>(own.value, distance, 0, ~0u),
    static_cast<carried>(__shfl_up_sync(~0u, static_cast<unsigned>(own.kind), distance))};
}

/// Combines the part of each lane with those of all lanes before. A lane's result does not depend on later lanes.
template <class T, class Op>
MGPU_THRUST_DEVICE void scan_carried(carried_part<T>& own, Op& op)
{
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll(sizeof(T) <= 16 ? 5 : 1) // larger values would take too many registers
  for (int distance = 1; distance < carry_group; distance *= 2)
  {
    const carried_part<T> left = detail::shuffle_carried(own, distance);
    if (lane >= distance)
    {
      own = detail::combine_carried<T>(left.kind, left.value, own, op);
    }
  }
}

/// A value in shared memory, by its words.
template <class T>
struct alignas(alignof(T) > 16 ? alignof(T) : 16) carry_storage
{
  unsigned bits[(sizeof(T) + 15) / 16 * 4];

  MGPU_THRUST_DEVICE const T& value() const
  {
    return reinterpret_cast<const T&>(bits);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
