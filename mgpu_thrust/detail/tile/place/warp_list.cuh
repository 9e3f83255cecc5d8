// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A list of some of the items of a tile, made by a warp that examines 32 neighbours at a time.

#include <mgpu_thrust/detail/base/config.h>

#include <cuda/ptx>
#include <cuda/std/cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The numbers in the tile of the items that a warp keeps, in order; without IsWritten, only the count of these items.
template <bool IsWritten>
class warp_list
{
public:
  using number = ::cuda::std::uint16_t;

  /// `numbers` must have room for as many numbers as items will be examined. The list is never longer than the number
  /// of items examined so far.
  MGPU_THRUST_DEVICE explicit warp_list(number* numbers)
      : end_(numbers)
      , lanes_before_(::cuda::ptx::get_sreg_lanemask_lt())
  {
  }

  /// Appends the items of the lanes for which is_kept is true; called by a full warp.
  MGPU_THRUST_DEVICE void append(bool is_kept, int item)
  {
    const unsigned kept = __ballot_sync(~0u, is_kept);
    if constexpr (IsWritten)
    {
      if (is_kept)
      {
        end_[__popc(kept & lanes_before_)] = static_cast<number>(item);
      }
      end_ += __popc(kept);
    }
    size_ += __popc(kept);
  }

  MGPU_THRUST_DEVICE int size() const
  {
    return size_;
  }
  MGPU_THRUST_DEVICE const number* numbers() const
  {
    return end_ - size_;
  }

private:
  number* end_;
  int size_ = 0;
  unsigned lanes_before_;
};

/// The lanes of a warp that keep an item each, in order.
class kept_lanes
{
public:
  /// Called by a full warp.
  MGPU_THRUST_DEVICE explicit kept_lanes(bool is_kept)
      : kept_(__ballot_sync(~0u, is_kept))
  {
  }

  MGPU_THRUST_DEVICE int count() const
  {
    return __popc(kept_);
  }
  /// Returns the number of such lanes before the calling one.
  MGPU_THRUST_DEVICE int rank() const
  {
    return __popc(kept_ & ::cuda::ptx::get_sreg_lanemask_lt());
  }

private:
  unsigned kept_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
