// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels that do a job with items in segments: one finds the segments that tiles begin in, the other does it with
/// the items of a tile a block.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/block/block_load_balance.cuh>
#include <mgpu_thrust/block/tile_loader.cuh>
#include <mgpu_thrust/block/warp_search.cuh>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/launch_kernel.cuh>
#include <mgpu_thrust/device/segments_tuning.cuh>
#include <mgpu_thrust/thread/segments.h>

#include <cub/thread/thread_store.cuh>

#include <cuda_runtime_api.h>

#include <algorithm>
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
  NV_IF_TARGET(
    NV_PROVIDES_SM_90, (cudaTriggerProgrammaticLaunchCompletion();)) // the blocks of the next kernel can come
  const std::int64_t tile = std::int64_t{blockIdx.x} * segments_partition_threads + threadIdx.x;
  if (tile <= tiles)
  {
    tile_segments[tile] = mgpu::segment_of(in.offsets, in.num_segments, min(tile * TileItems, in.num_items - 1));
  }
}

/// What a job loads for an item of a segment with such a value.
template <class Job, class Value>
using loaded_t = std::decay_t<decltype(std::declval<Job&>().load(segment_item{}, std::declval<const Value&>()))>;

/// What a thread stores of neighbouring items at once.
template <class Value, int Count>
struct alignas(Count * sizeof(Value)) item_vector
{
  Value values[Count];
};

/// How many results of a job for neighbouring items a thread writes at once: 1 unless they go to a pointer.
template <class Job>
struct job_vector
{
  static constexpr int items = 1;
  static bool is_aligned(const Job&)
  {
    return true;
  }
};
template <class Function, class Values, class Result>
struct job_vector<segment_transform<Function, Values, Result*>>
{
  static constexpr int bytes = sizeof(Result);
#ifdef SWEEP_VECTOR
  static constexpr int items = SWEEP_VECTOR;
#else
  static constexpr int items = bytes <= 4 && (bytes & (bytes - 1)) == 0 ? 4 : bytes == 8 ? 2 : 1;
#endif
};

/// Where a tile's segments begin and end.
struct tile_segment_range
{
  std::int64_t first;
  std::int64_t last;
};

/// Asks for what a tile will read in order, by one thread. Where segments are short, their offsets and values are most
/// of what is read; then the offsets alone gain more than both.
template <class Shape, class Job, class Offsets>
MGPU_THRUST_DEVICE void
prefetch_segments(const Job& job, const segments<Offsets>& in, std::int64_t first_item, tile_segment_range range)
{
  const auto prefetch = [](auto first, std::int64_t count)
  {
    using value = typename std::iterator_traits<decltype(first)>::value_type;
    tile_loader<Shape::threads>::template prefetch<value>(first, static_cast<int>(count));
  };
  const std::int64_t size = range.last - range.first;
  if (size <= Shape::items)
  {
    prefetch(in.offsets + range.first, size);
  }
  if (size <= Shape::items / 2)
  {
    job.with_inputs(range.first, size, first_item, Shape::items, prefetch);
  }
}

/// Does a job with the calling thread's items of a full tile: loads some, then stores them. next() tells the places of
/// one vector of items after another, value_of(segment) the values of segments, both counted from the tile's first.
template <class Shape, int Vector, class Job, class Rows, class Next, class ValueOf>
MGPU_THRUST_DEVICE void
do_full_tile(Job& job, std::int64_t first_item, std::int64_t first_segment, Rows& rows, Next next, ValueOf value_of)
{
  using value_type = std::decay_t<decltype(value_of(0))>;
  using loaded_type = loaded_t<Job, value_type>;
  constexpr int wanted = detail::segments_batch<value_type, loaded_type>();
  constexpr int batch = wanted < Vector ? Vector : wanted;
#pragma unroll 1
  for (int first = 0; first < Shape::items_per_thread; first += batch)
  {
    if constexpr (batch > 1)
    {
      segment_item at[batch];
      value_type values[batch];
      loaded_type loaded[batch];
#pragma unroll
      for (int v = 0; v < batch; v += Vector)
      {
        typename Rows::Place places[Vector];
        const int item = rows.Item();
        next(places);
#pragma unroll
        for (int k = 0; k < Vector; ++k)
        {
          at[v + k] = {first_item + item + k, first_segment + places[k].segment, places[k].rank};
          values[v + k] = value_of(places[k].segment);
          loaded[v + k] = job.load(at[v + k], values[v + k]);
        }
      }
#pragma unroll
      for (int v = 0; v < batch; v += Vector)
      {
        if constexpr (Vector > 1)
        {
          using result = std::decay_t<decltype(*job.output)>;
          item_vector<result, Vector> results;
#pragma unroll
          for (int k = 0; k < Vector; ++k)
          {
            results.values[k] = loaded[v + k];
          }
          cub::ThreadStore<cub::STORE_CS>(
            reinterpret_cast<item_vector<result, Vector>*>(job.output + at[v].item), results);
        }
        else
        {
          job.store(at[v], values[v], loaded[v]);
        }
      }
    }
    else
    {
      typename Rows::Place places[1];
      const int item = rows.Item();
      next(places);
      const segment_item at{first_item + item, first_segment + places[0].segment, places[0].rank};
      const auto& value = value_of(places[0].segment);
      job.store(at, value, job.load(at, value));
    }
  }
}

/// The segments of a tile's first and last item, found by the first two warps of a block.
template <class Offsets>
MGPU_THRUST_DEVICE tile_segment_range
find_tile_segments(const segments<Offsets>& in, std::int64_t first_item, int count, tile_segment_range& shared)
{
  const int warp = static_cast<int>(threadIdx.x / 32);
  if (warp < 2)
  {
    const std::int64_t item = warp == 0 ? first_item : first_item + count - 1;
    const std::int64_t after = detail::warp_partition_point(
      std::int64_t{1}, in.num_segments, [&](std::int64_t segment) { return in.offset(segment) <= item; });
    (warp == 0 ? shared.first : shared.last) = after - 1;
  }
  __syncthreads();
  return shared;
}

/// Does a job with the items of a tile a block. Without `tile_segments` blocks search for themselves.
template <class Shape, class Job, class Offsets>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
  segments_kernel(Job job, segments<Offsets> in, const std::int64_t* tile_segments)
{
  using collective = BlockLoadBalance<Shape::threads, Shape::items_per_thread, Offsets>;
  constexpr int vector = job_vector<Job>::items;
  using rows_type = typename collective::template Rows<vector>;
  __shared__ typename collective::TempStorage temp;
  __shared__ tile_segment_range shared_range;

  // 1. The tile's items and segments. Those of a later tile are asked for.
  const std::int64_t first_item = std::int64_t{blockIdx.x} * Shape::items;
  const int count = static_cast<int>(min(in.num_items - first_item, std::int64_t{Shape::items}));
  tile_segment_range range;
  if (tile_segments == nullptr)
  {
    range = detail::find_tile_segments(in, first_item, count, shared_range);
  }
  else
  {
    NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the partition is there now
    range = {tile_segments[blockIdx.x], tile_segments[blockIdx.x + 1]};
    if (threadIdx.x == 0 && blockIdx.x + segments_prefetch_distance < gridDim.x)
    {
      const std::int64_t* const later = tile_segments + (blockIdx.x + segments_prefetch_distance);
      const std::int64_t later_item = first_item + segments_prefetch_distance * Shape::items;
      detail::prefetch_segments<Shape>(job, in, later_item, {later[0], later[1]});
    }
  }
  const std::int64_t first_segment = range.first;
  collective balance(temp);
  balance.Load({first_item, count, in.offsets, range.first, range.last});
  const Job of_tile = job.with_values_from(first_segment);

  // 2. Each warp walks over its items. One whose items are all in one segment has less to do.
  const auto value_of = [&](auto segment) -> decltype(auto) { return of_tile.value(segment); };
  bool is_full = count == Shape::items && balance.IsMarked();
  if constexpr (vector > 1)
  {
    is_full = is_full && reinterpret_cast<std::uintptr_t>(job.output) % (vector * sizeof(*job.output)) == 0;
  }
  if (is_full)
  {
    rows_type rows(balance);
    if (rows.HasOne())
    {
      const auto& value = value_of(rows.Segment());
      const auto same_value = [&](auto) -> const auto&
      {
        return value;
      };
      detail::do_full_tile<Shape, vector>(
        job, first_item, first_segment, rows, [&](auto& places) { rows.NextOfOne(places); }, same_value);
    }
    else
    {
      detail::do_full_tile<Shape, vector>(
        job, first_item, first_segment, rows, [&](auto& places) { rows.NextMarked(places); }, value_of);
    }
  }
  else
  {
    typename collective::template Rows<1> rows(balance);
#pragma unroll 1
    for (int k = 0; k < Shape::items_per_thread; ++k)
    {
      const int item = rows.Item();
      typename collective::Place place[1];
      rows.Next(place);
      if (item < count)
      {
        const segment_item at{first_item + item, first_segment + place[0].segment, place[0].rank};
        const auto& value = value_of(place[0].segment);
        job.store(at, value, job.load(at, value));
      }
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

#pragma nv_diagnostic pop
