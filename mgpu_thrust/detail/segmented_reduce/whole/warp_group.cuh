// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The reduction of a segment by a group of neighbouring warps.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/uninitialized.cuh>
#include <mgpu_thrust/detail/segmented_reduce/tiles/tile_output.cuh>
#include <mgpu_thrust/detail/segmented_reduce/whole/warp_reduction.cuh>

#include <cub/util_type.cuh>

#include <algorithm>
#include <cstdint>
#include <new>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The warps of a block in groups, one for each segment of the block, a power of two. Each warp of a group reduces an
/// equal part of the segment, and the first warp combines the parts.
template <class Shape, class T, class Reduction>
class warp_group
{
  using warp_type = warp_reduction<Shape, T, Reduction, Shape::fits_batches>;

public:
  /// Up to this number of items, eight a lane or one batch, one warp is as fast as several, which wait for each other.
  static constexpr int max_items_of_warp = (std::min)(256, warp_type::batch_items);

  struct TempStorage
  {
    cub::Uninitialized<T> parts[Shape::warps]; ///< what each warp has reduced
    typename warp_type::TempStorage warps[Shape::warps];
  };

  /// The calling thread's group, in a block of 2^log_groups groups.
  MGPU_THRUST_DEVICE warp_group(TempStorage& shared, Reduction& reduction, int log_groups)
      : shared_(shared)
      , reduction_(reduction)
      , log_warps_(Shape::log_warps - log_groups)
      , warp_(static_cast<int>(threadIdx.x / 32))
      , lane_(static_cast<int>(threadIdx.x % 32))
  {
  }

  /// Returns the number of the group in the block.
  MGPU_THRUST_DEVICE int number() const
  {
    return warp_ >> log_warps_;
  }

  /// Reduces `count` items from `begin` on, 0 or more, to one part for each warp.
  MGPU_THRUST_DEVICE void reduce_parts(std::int64_t begin, int count)
  {
    const int rows = (count + warp_type::row_items - 1) / warp_type::row_items;
    const int part_items = ((rows + last_of_group()) >> log_warps_) * warp_type::row_items;
    const auto first_of = [&](int part) { return part * part_items; };
    const int first = first_of(number_in_group());
    if (first < count)
    {
      const T value = of_warp().reduce(begin + first, (min) (part_items, count - first));
      if (lane_ == 0)
      {
        ::new (static_cast<void*>(&shared_.parts[warp_])) T(value);
      }
    }
    part_count_ = __popc(__ballot_sync(~0u, lane_ <= last_of_group() && first_of(lane_) < count));
  }
  /// Returns the reduction of the parts, 1 or more, to lane 0. Called by the first warp of the group after a barrier.
  MGPU_THRUST_DEVICE T combine_parts()
  {
    // cub::WarpReduce of fewer than 32 lanes would first ask for the mask of active lanes.
    T value = shared_.parts[warp_ + (min) (lane_, part_count_ - 1)].Alias();
#pragma unroll
    for (int distance = 1; distance < Shape::warps; distance *= 2)
    {
      const T right = detail::shuffle_down(value, distance);
      if (lane_ + distance < part_count_)
      {
        reduction_.append(value, right);
      }
    }
    return value;
  }
  /// Reduces up to max_items_of_warp items from `begin` on, 0 or more, and writes the result of segment `segment`.
  MGPU_THRUST_DEVICE void reduce_and_write(std::int64_t begin, int count, std::int64_t segment)
  {
    if (number_in_group() == 0)
    {
      const tile_output<T, Reduction> results(reduction_, segment, false, nullptr);
      if (count > 0)
      {
        const T value = of_warp().reduce(begin, count);
        if (lane_ == 0)
        {
          results.write(0, value);
        }
      }
      else if (lane_ == 0)
      {
        results.write_empty(0);
      }
    }
  }
  /// Writes the result of segment `segment`, whose parts the group has reduced. Called after a barrier.
  MGPU_THRUST_DEVICE void write(std::int64_t segment)
  {
    if (number_in_group() == 0)
    {
      const tile_output<T, Reduction> results(reduction_, segment, false, nullptr);
      if (part_count_ > 0)
      {
        const T value = combine_parts();
        if (lane_ == 0)
        {
          results.write(0, value);
        }
      }
      else if (lane_ == 0)
      {
        results.write_empty(0);
      }
    }
  }

private:
  MGPU_THRUST_DEVICE int last_of_group() const
  {
    return (1 << log_warps_) - 1;
  }
  MGPU_THRUST_DEVICE int number_in_group() const
  {
    return warp_ & last_of_group();
  }
  MGPU_THRUST_DEVICE warp_type of_warp()
  {
    return warp_type(shared_.warps[warp_], reduction_);
  }

  TempStorage& shared_;
  Reduction& reduction_;
  int log_warps_; ///< a group has 2^log_warps_ warps
  int warp_;      ///< of the thread in the block
  int lane_;
  int part_count_ = 0; ///< parts of the segment that have items
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
