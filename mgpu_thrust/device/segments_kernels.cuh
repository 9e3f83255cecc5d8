// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels that do a job with items in segments: one finds the segments that tiles begin in, the other does it with
/// the items of a tile a block.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/block/block_load_balance.cuh>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/launch_kernel.cuh>
#include <mgpu_thrust/device/segments_tuning.cuh>
#include <mgpu_thrust/thread/segments.h>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include <nv/target>

#pragma nv_diagnostic push
#pragma nv_diag_suppress 1407

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Threads of a block of the partition: each finds the segment that a tile begins in.
inline constexpr int segments_partition_threads = 128;

/// tile_segments[t] receives the segment of item t * TileItems, the last one the segment of the last item.
template <int TileItems, class Offsets>
MGPU_THRUST_KERNEL void __launch_bounds__(segments_partition_threads)
  segments_partition_kernel(segments<Offsets> in, int tiles, std::int64_t* tile_segments)
{
  const std::int64_t tile = std::int64_t{blockIdx.x} * segments_partition_threads + threadIdx.x;
  if (tile <= tiles)
  {
    tile_segments[tile] = mgpu::segment_of(in.offsets, in.num_segments, min(tile * TileItems, in.num_items - 1));
  }
}

/// Does a job with the calling thread's items of a tile that has `count`. next() tells the places of one after another,
/// value_of(segment) the values of segments, both counted from the tile's first.
template <class Shape, class Job, class Next, class ValueOf>
MGPU_THRUST_DEVICE void
do_items(Job& job, std::int64_t first_item, std::int64_t first_segment, int count, Next next, ValueOf value_of)
{
  using collective = BlockLoadBalance<Shape::threads, Shape::items_per_thread>;
  using value_type = std::decay_t<decltype(value_of(0))>;
  using loaded_type = std::decay_t<decltype(job.load(segment_item{}, std::declval<const value_type&>()))>;
  constexpr int batch = detail::segments_batch<loaded_type>();
#pragma unroll 1
  for (int first = 0; first < Shape::items_per_thread; first += batch)
  {
    if constexpr (batch > 1)
    {
      segment_item at[batch];
      value_type values[batch];
      loaded_type loaded[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k)
      {
        const int item = collective::WarpStripedItem(first + k);
        const auto place = next();
        at[k] = {first_item + item, first_segment + place.segment, place.rank};
        if (item < count)
        {
          values[k] = value_of(place.segment);
          loaded[k] = job.load(at[k], values[k]);
        }
      }
#pragma unroll
      for (int k = 0; k < batch; ++k)
      {
        if (collective::WarpStripedItem(first + k) < count)
        {
          job.store(at[k], values[k], loaded[k]);
        }
      }
    }
    else
    {
      const int item = collective::WarpStripedItem(first);
      const auto place = next();
      if (item < count)
      {
        const segment_item at{first_item + item, first_segment + place.segment, place.rank};
        const auto& value = value_of(place.segment);
        job.store(at, value, job.load(at, value));
      }
    }
  }
}

/// Does a job with the items of a tile a block.
template <class Shape, class Job, class Offsets>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
  segments_kernel(Job job, segments<Offsets> in, const std::int64_t* tile_segments)
{
  using collective = BlockLoadBalance<Shape::threads, Shape::items_per_thread, Offsets>;
  __shared__ typename collective::TempStorage temp;

  // 1. The tile's items and segments.
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the partition is there now
  const std::int64_t first_item = std::int64_t{blockIdx.x} * Shape::items;
  const std::int64_t first_segment = tile_segments[blockIdx.x];
  const int count = static_cast<int>(min(in.num_items - first_item, std::int64_t{Shape::items}));
  collective balance(temp);
  balance.Load({first_item, count, in.offsets, first_segment, tile_segments[blockIdx.x + 1]});
  const auto values = job.values + first_segment;

  // 2. Each warp walks over its items, a lane an item. One whose items are all in one segment has less to do.
  typename collective::Rows rows(balance);
  const auto value_of = [&](auto segment) -> decltype(auto) { return detail::segment_value(values, segment); };
  if (count < Shape::items)
  {
    detail::do_items<Shape>(
      job, first_item, first_segment, count, [&] { return rows.Next(); }, value_of);
  }
  else if (rows.HasOneSegment())
  {
    const auto& value = value_of(rows.Segment());
    detail::do_items<Shape>(
      job, first_item, first_segment, Shape::items,
      [&] { return rows.Here(); }, [&](auto) -> const auto& { return value; });
  }
  else
  {
    detail::do_items<Shape>(
      job, first_item, first_segment, Shape::items, [&] { return rows.Next(); }, value_of);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

#pragma nv_diagnostic pop
