// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The reduction of long segments by the blocks of a cluster.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segment_starts.cuh>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/segmented_reduce/tiles/tile_output.cuh>
#include <mgpu_thrust/detail/segmented_reduce/whole/warp_reduction.cuh>

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

/// The segments of a cluster. It has Shape::cluster_blocks blocks, 1 or more. Each block has `of_block` neighbouring
/// segments, at most one per warp. Long segments are cut into units of equal size, about as many as the cluster has
/// warps. A warp of any block reduces a unit, and the segment's own warp combines the results.
///
/// Two indices are used. A `segment` and a `unit` are numbered from the first of the cluster.
template <class Shape, class T, class Reduction>
class cluster_segments
{
  using warp_type = warp_reduction<Shape, T, Reduction>;
  using unit_scan = cub::WarpScan<int>;

  static constexpr int cluster_warps = Shape::warps * Shape::cluster_blocks;
  static constexpr int max_segments = cluster_warps;
  static constexpr int max_units = cluster_warps + max_segments; ///< the last unit of a segment may be small

public:
  struct TempStorage
  {
    int starts[max_segments + 1];             ///< where each segment starts, and where the last ends
    int first_units[max_segments + 1];        ///< the first unit of each segment, and last the number of units
    cub::Uninitialized<T> results[max_units]; ///< of the units of the block's own segments
    typename warp_type::TempStorage warps[Shape::warps];
    typename unit_scan::TempStorage scan;
  };

  /// Called by all threads of the cluster.
  template <class Offsets>
  MGPU_THRUST_DEVICE
  cluster_segments(TempStorage& shared, Reduction& reduction, const segments<Offsets>& in, int of_block)
      : shared_(shared)
      , of_block_(of_block)
      , rank_(static_cast<int>(blockIdx.x) % Shape::cluster_blocks)
      , warp_(static_cast<int>(threadIdx.x / 32))
      , lane_(static_cast<int>(threadIdx.x % 32))
      , first_((static_cast<int>(blockIdx.x) - rank_) * of_block)
      , count_((min) (static_cast<int>(in.num_segments) - first_, of_block * Shape::cluster_blocks))
      , reduction_(reduction)
  {
    const int own = static_cast<int>(threadIdx.x);
    if (own <= count_)
    {
      shared.starts[own] = segment_starts(in)[first_ + own];
    }
    __syncthreads();
  }

  /// Reduces the segments of more than `max_items` items; called by all threads of the cluster.
  MGPU_THRUST_DEVICE void reduce(int max_items)
  {
    cut_segments(max_items);
    synchronize();                                                    // now the other blocks have shared memory
    const int units = (min) (shared_.first_units[count_], max_units); // more only if the offsets are wrong
    for (int unit = warp_ * Shape::cluster_blocks + rank_; unit < units; unit += cluster_warps)
    {
      reduce_unit(unit);
    }
    synchronize();
    const int own = rank_ * of_block_ + warp_;
    if (warp_ < of_block_ && own < count_)
    {
      combine_units(own);
    }
  }

private:
  MGPU_THRUST_DEVICE int length(int segment) const
  {
    return shared_.starts[segment + 1] - shared_.starts[segment];
  }
  MGPU_THRUST_DEVICE warp_type of_warp()
  {
    return warp_type(shared_.warps[warp_], reduction_);
  }
  /// Returns the items of a unit. The last unit of a segment may have fewer.
  MGPU_THRUST_DEVICE int unit_items() const
  {
    const int rows = (shared_.starts[count_] - shared_.starts[0] + warp_type::row_items - 1) / warp_type::row_items;
    return (max) ((rows + cluster_warps - 1) / cluster_warps, 1) * warp_type::row_items;
  }
  /// Waits for all threads of the cluster.
  MGPU_THRUST_DEVICE static void synchronize()
  {
    if constexpr (Shape::cluster_blocks > 1)
    {
      MGPU_THRUST_IF_CLUSTERS((cooperative_groups::this_cluster().sync();))
    }
    else
    {
      __syncthreads();
    }
  }
  /// Returns the memory of a block of the cluster.
  MGPU_THRUST_DEVICE TempStorage& shared_of([[maybe_unused]] int rank) const
  {
    if constexpr (Shape::cluster_blocks > 1)
    {
      MGPU_THRUST_IF_CLUSTERS((return *cooperative_groups::this_cluster().map_shared_rank(&shared_, rank);))
    }
    return shared_;
  }

  /// Numbers the units of the segments of more than `max_items` items. Threads read first_units after a barrier.
  MGPU_THRUST_DEVICE void cut_segments(int max_items)
  {
    if (warp_ == 0)
    {
      constexpr int each = max_segments / 32 + 1; // segments of a lane
      const int items = unit_items();
      int own[each];
      int sum = 0;
#pragma unroll
      for (int k = 0; k < each; ++k)
      {
        const int segment = lane_ * each + k;
        const int size = segment < count_ ? length(segment) : 0;
        own[k] = size > max_items ? (size - 1) / items + 1 : 0;
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
  }
  /// Reduces a unit, and stores the result in the shared memory of its segment's block.
  MGPU_THRUST_DEVICE void reduce_unit(int unit)
  {
    const int segment = detail::partition_point(0, count_, [&](int i) { return shared_.first_units[i] <= unit; }) - 1;
    const int items = unit_items();
    const int begin = shared_.starts[segment] + (unit - shared_.first_units[segment]) * items;
    const T value = of_warp().reduce(begin, (min) (items, shared_.starts[segment + 1] - begin));
    if (lane_ == 0)
    {
      ::new (static_cast<void*>(&shared_of(segment / of_block_).results[unit])) T(value);
    }
  }
  /// Writes the result of a segment, if it has units.
  MGPU_THRUST_DEVICE void combine_units(int segment)
  {
    const int begin = shared_.first_units[segment];
    const int end = (min) (shared_.first_units[segment + 1], max_units);
    if (begin < end)
    {
      const auto value_of = [&](int i) -> const T& { return shared_.results[begin + i].Alias(); };
      const T value = of_warp().reduce_values(value_of, end - begin);
      if (lane_ == 0)
      {
        tile_output<T, Reduction>(reduction_, first_, false, nullptr).write(segment, value);
      }
    }
  }

  TempStorage& shared_;
  int of_block_; ///< the number of segments of a block
  int rank_;     ///< of the block in the cluster
  int warp_;     ///< of the thread in the block
  int lane_;
  int first_; ///< the number of the cluster's first segment
  int count_; ///< the number of its segments
  Reduction& reduction_;
};

/// Reduces a cluster's segments of more than `max_items` items; a block has `of_block` segments. Called by all threads
/// of the cluster.
template <class Shape, class T, class Reduction, class Offsets>
MGPU_THRUST_DEVICE_CALL void reduce_cluster_segments(
  typename cluster_segments<Shape, T, Reduction>::TempStorage& shared, Reduction reduction, segments<Offsets> in,
  int of_block, int max_items)
{
  cluster_segments<Shape, T, Reduction>(shared, reduction, in, of_block).reduce(max_items);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END
