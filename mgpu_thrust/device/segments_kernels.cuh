// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels that do a job with items in segments: one finds the segments that tiles begin in, the other does it with
/// the items of a tile a block.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/block/block_load_balance.cuh>
#include <mgpu_thrust/block/tile_loader.cuh>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/launch_kernel.cuh>
#include <mgpu_thrust/device/segments_tuning.cuh>
#include <mgpu_thrust/thread/segments.h>

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

/// segment_of, for segments that are likely to be of similar lengths: twice it looks where the item would be if they
/// were, and some standard deviations around, then it bisects what is left.
template <class Offsets>
MGPU_THRUST_DEVICE std::int64_t segment_near(const segments<Offsets>& in, std::int64_t item)
{
  // The item lies in one of the segments [begin, end), which hold the items [first, last).
  std::int64_t begin = 0;
  std::int64_t end = in.num_segments;
  std::int64_t first = 0;
  std::int64_t last = in.num_items;
#pragma unroll 1
  for (int round = 0; round < 2 && end - begin > 64; ++round)
  {
    const auto size = static_cast<float>(end - begin);
    const auto reach = static_cast<std::int64_t>(3 * sqrtf(size));
    const auto part = static_cast<float>(item - first) / static_cast<float>(max(last - first, std::int64_t{1}));
    const auto guess = begin + static_cast<std::int64_t>(part * size);
    const std::int64_t low = max(guess - reach, begin);
    const std::int64_t high = min(guess + reach, end - 1);
    const std::int64_t low_start = in.offset(low);
    const std::int64_t high_start = in.offset(high);
    if (high_start <= item)
    {
      begin = high;
      first = high_start;
    }
    else
    {
      end = high;
      last = high_start;
      if (low_start <= item)
      {
        begin = low;
        first = low_start;
      }
      else
      {
        end = low;
        last = low_start;
      }
    }
  }
  return detail::upper_bound(in.offsets, begin + 1, end, item, index_less{}) - 1;
}

/// tile_segments[t] receives the segment of item t * TileItems, the last one the segment of the last item.
template <int TileItems, class Offsets>
MGPU_THRUST_KERNEL void __launch_bounds__(segments_partition_threads)
  segments_partition_kernel(segments<Offsets> in, int tiles, std::int64_t* tile_segments)
{
#ifdef EARLY
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaTriggerProgrammaticLaunchCompletion();))
#endif
  const std::int64_t tile = std::int64_t{blockIdx.x} * segments_partition_threads + threadIdx.x;
  if (tile <= tiles)
  {
#ifdef NEAR
    tile_segments[tile] = detail::segment_near(in, min(tile * TileItems, in.num_items - 1));
#else
    tile_segments[tile] = mgpu::segment_of(in.offsets, in.num_segments, min(tile * TileItems, in.num_items - 1));
#endif
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
          *reinterpret_cast<item_vector<result, Vector>*>(job.output + at[v].item) = results;
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

/// Does a job with the items of a tile a block.
template <class Shape, class Job, class Offsets>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
  segments_kernel(Job job, segments<Offsets> in, const std::int64_t* tile_segments)
{
  using collective = BlockLoadBalance<Shape::threads, Shape::items_per_thread, Offsets>;
  constexpr int vector = job_vector<Job>::items;
  using rows_type = typename collective::template Rows<vector>;
  __shared__ typename collective::TempStorage temp;

  // 1. The tile's items and segments.
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the partition is there now
  const std::int64_t first_item = std::int64_t{blockIdx.x} * Shape::items;
  const std::int64_t first_segment = tile_segments[blockIdx.x];
  const int count = static_cast<int>(min(in.num_items - first_item, std::int64_t{Shape::items}));
#ifdef PREFETCH
  if (threadIdx.x == 0 && blockIdx.x + PREFETCH < gridDim.x)
  {
    const std::int64_t* const later = tile_segments + (blockIdx.x + PREFETCH);
    const std::int64_t segment = later[0];
    const std::int64_t size = later[1] - segment;
    if (size <= Shape::items)
    {
    const auto prefetch = [&](auto first, std::int64_t n)
    {
      using value = typename std::iterator_traits<decltype(first)>::value_type;
      tile_loader<Shape::threads>::template prefetch<value>(first, static_cast<int>(n));
    };
    prefetch(in.offsets + segment, size);
    job.with_inputs(segment, size, first_item + PREFETCH * Shape::items, Shape::items, prefetch);
    }
  }
#endif
  collective balance(temp);
  balance.Load({first_item, count, in.offsets, first_segment, tile_segments[blockIdx.x + 1]});
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
