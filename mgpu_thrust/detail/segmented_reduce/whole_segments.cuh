// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The reduction of whole segments: for inputs so small that to cut them into tiles first, and to combine what the tiles
/// carry after, would take longer than the reduction.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/segmented_reduce/tile_output.cuh>
#include <mgpu_thrust/detail/segmented_reduce/warp_reduction.cuh>

#include <cub/util_type.cuh>
#include <cub/warp/warp_scan.cuh>

#include <cooperative_groups.h>

#include <cstdint>
#include <new>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The segments of a team: `Blocks` neighbouring blocks, which are a cluster unless it is one, with `of_block`
/// neighbouring segments for each, at most one per warp. Long segments are cut into units of equal size, about as many as
/// the team has warps. A warp of any block reduces a unit; the segment's own warp combines the results.
///
/// A `segment` is numbered from the first of the team; so is a `unit`.
template <class Shape, int Blocks, class T, class Reduction>
class team_segments
{
  using warp_type = warp_reduction<Shape, T, Reduction>;
  using unit_scan = cub::WarpScan<int>;

  static constexpr int team_warps = Shape::warps * Blocks;
  static constexpr int most_segments = team_warps;
  static constexpr int most_units = team_warps + most_segments; ///< the last of each segment may be small

public:
  struct TempStorage
  {
    int first_units[most_segments + 1];        ///< the first unit of each segment, and after them the number of all
    cub::Uninitialized<T> results[most_units]; ///< of the units of the block's own segments
    typename warp_type::TempStorage warps[Shape::warps];
    typename unit_scan::TempStorage scan;
  };

  /// Segments [first, first + count) of all, where bounds[segment] is where one starts and the one before it ends.
  MGPU_THRUST_DEVICE team_segments(
    TempStorage& shared, Reduction& reduction, const std::int64_t* bounds, std::int64_t first, int count, int of_block)
      : shared_(shared)
      , reduction_(reduction)
      , bounds_(bounds)
      , results_(reduction, first, false, nullptr)
      , count_(count)
      , of_block_(of_block)
      , rank_(static_cast<int>(blockIdx.x) % Blocks)
      , warp_(static_cast<int>(threadIdx.x / 32))
      , lane_(static_cast<int>(threadIdx.x % 32))
  {
  }

  /// Reduces the segments of at most `most` items: each warp its own.
  MGPU_THRUST_DEVICE void reduce_short_segments(std::int64_t most)
  {
    const int own = rank_ * of_block_ + warp_;
    if (is_own(own) && length(own) <= most)
    {
      if (length(own) > 0)
      {
        write(own, of_warp().reduce(bounds_[own], bounds_[own + 1]));
      }
      else if (lane_ == 0)
      {
        results_.write_empty(own);
      }
    }
  }
  /// Reduces the segments of more than `more` and at most `most` items; called by all threads of the team.
  MGPU_THRUST_DEVICE void reduce_long_segments(std::int64_t more, std::int64_t most)
  {
    const int units = cut_segments(more, most);
    if (units == 0)
    {
      return;
    }
    if constexpr (Blocks > 1)
    {
      synchronize(); // now the other blocks have shared memory
    }
    for (int unit = warp_ * Blocks + rank_; unit < units; unit += team_warps)
    {
      reduce_unit(unit);
    }
    synchronize();
    const int own = rank_ * of_block_ + warp_;
    if (is_own(own))
    {
      combine_units(own);
    }
  }

private:
  MGPU_THRUST_DEVICE bool is_own(int segment) const
  {
    return warp_ < of_block_ && segment < count_;
  }
  MGPU_THRUST_DEVICE std::int64_t length(int segment) const
  {
    return bounds_[segment + 1] - bounds_[segment];
  }
  MGPU_THRUST_DEVICE warp_type of_warp()
  {
    return warp_type(shared_.warps[warp_], reduction_);
  }
  /// Items of a unit, the last of a segment aside.
  MGPU_THRUST_DEVICE std::int64_t unit_items() const
  {
    const std::int64_t items = max(bounds_[count_] - bounds_[0], std::int64_t{1});
    return ((items - 1) / (team_warps * warp_type::row_items) + 1) * warp_type::row_items;
  }
  /// Waits for all threads of the team.
  MGPU_THRUST_DEVICE static void synchronize()
  {
    if constexpr (Blocks > 1)
    {
      MGPU_THRUST_IF_CLUSTERS((cooperative_groups::this_cluster().sync();))
    }
    else
    {
      __syncthreads();
    }
  }
  /// Returns the memory of a block of the team.
  MGPU_THRUST_DEVICE TempStorage& shared_of([[maybe_unused]] int rank) const
  {
    if constexpr (Blocks > 1)
    {
      MGPU_THRUST_IF_CLUSTERS((return *cooperative_groups::this_cluster().map_shared_rank(&shared_, rank);))
    }
    return shared_;
  }

  /// Numbers the units of the segments of more than `more` and at most `most` items, and returns how many there are;
  /// called by all threads of the block.
  MGPU_THRUST_DEVICE int cut_segments(std::int64_t more, std::int64_t most)
  {
    if (warp_ == 0)
    {
      constexpr int each = most_segments / 32 + 1; // segments of a lane
      const std::int64_t items = unit_items();
      int own[each];
      int sum = 0;
#pragma unroll
      for (int k = 0; k < each; ++k)
      {
        const int segment = lane_ * each + k;
        const std::int64_t size = segment < count_ ? length(segment) : 0;
        own[k] = more < size && size <= most ? static_cast<int>((size - 1) / items) + 1 : 0;
        sum += own[k];
      }
      int first = 0;
      unit_scan(shared_.scan).ExclusiveSum(sum, first);
#pragma unroll
      for (int k = 0; k < each; ++k)
      {
        if (lane_ * each + k <= count_)
        {
          shared_.first_units[lane_ * each + k] = first;
        }
        first += own[k];
      }
    }
    __syncthreads();
    return min(shared_.first_units[count_], most_units); // more only if the offsets are wrong
  }
  /// Reduces a unit, and leaves the result to the block of its segment.
  MGPU_THRUST_DEVICE void reduce_unit(int unit)
  {
    const int segment = detail::partition_point(0, count_, [&](int i) { return shared_.first_units[i] <= unit; }) - 1;
    const std::int64_t items = unit_items();
    const std::int64_t begin = bounds_[segment] + (unit - shared_.first_units[segment]) * items;
    const T value = of_warp().reduce(begin, min(begin + items, bounds_[segment + 1]));
    if (lane_ == 0)
    {
      ::new (static_cast<void*>(&shared_of(segment / of_block_).results[unit])) T(value);
    }
  }
  /// Writes the result of a segment, if it was cut.
  MGPU_THRUST_DEVICE void combine_units(int segment)
  {
    const int begin = shared_.first_units[segment];
    const int end = min(shared_.first_units[segment + 1], most_units);
    if (begin < end)
    {
      const auto value_of = [&](int i) -> const T& { return shared_.results[begin + i].Alias(); };
      write(segment, of_warp().reduce_values(value_of, end - begin));
    }
  }

  /// Writes the result of a segment, the reduction of whose items lane 0 has.
  MGPU_THRUST_DEVICE void write(int segment, const T& value)
  {
    if (lane_ == 0)
    {
      results_.write(segment, value);
    }
  }

  TempStorage& shared_;
  Reduction& reduction_;
  const std::int64_t* bounds_;
  tile_output<T, Reduction> results_;
  int count_;    ///< the number of segments of the team
  int of_block_; ///< that of a block
  int rank_;     ///< of the block in the team
  int warp_;     ///< of the thread in the block
  int lane_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END
