// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels of segmented reductions: one cuts items and segments into tiles, one reduces a tile a block, one puts
/// segments together that lie in several tiles.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/agent/segment_ends.h>
#include <mgpu_thrust/block/tile_loader.cuh>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/launch_kernel.cuh>
#include <mgpu_thrust/device/segmented_reduce_tuning.cuh>
#include <mgpu_thrust/thread/segmented_reduce.h>
#include <mgpu_thrust/thread/segments.h>

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include <thrust/iterator/transform_iterator.h>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <iterator>
#include <type_traits>

#include <nv/target>

#pragma nv_diagnostic push
#pragma nv_diag_suppress 1407

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Threads of a block of the partition: each finds where a tile begins.
inline constexpr int segment_ends_partition_threads = 128;

/// begins[t] receives where tile t begins, the last one where all ends.
template <class Offsets>
MGPU_THRUST_KERNEL void __launch_bounds__(segment_ends_partition_threads)
  segment_ends_partition_kernel(segments<Offsets> in, int tiles, load_balance_point* begins)
{
  NV_IF_TARGET(
    NV_PROVIDES_SM_90, (cudaTriggerProgrammaticLaunchCompletion();)) // the blocks of the next kernel can come
  const std::int64_t tile = std::int64_t{blockIdx.x} * segment_ends_partition_threads + threadIdx.x;
  if (tile <= tiles)
  {
    const std::int64_t weight = item_weight * in.num_items + in.num_segments;
    begins[tile] = detail::cut_segment_ends(
      in.num_items, in.offsets, in.num_segments, tile < tiles ? tile * segmented_reduce_weight : weight);
  }
}

/// What tiles leave of the segments that lie in several of them: of each tile the reduction of its last items, which
/// belong to a segment that ends in a later one, and of its first, which belong to one that began in an earlier one and
/// ends in this.
template <class T>
struct tile_carries
{
  T* last;
  T* first;
};

/// Part of a scan over the items of a tile in segments: the reduction of the last ones, back to where a segment starts
/// or to the first.
template <class T>
struct segment_tail
{
  T value;
  bool has_start; ///< whether one starts there
};

/// Puts such parts together.
template <class T, class Op>
struct join_tails
{
  Op op;

  MGPU_THRUST_DEVICE segment_tail<T> operator()(const segment_tail<T>& left, const segment_tail<T>& right)
  {
    return right.has_start ? right : segment_tail<T>{static_cast<T>(op(left.value, right.value)), left.has_start};
  }
};

/// Asks for the items and offsets of a tile, whose begin and end these are, by one thread.
template <class Shape, class T, class Job, class Offsets>
MGPU_THRUST_DEVICE void prefetch_tile(const Job& job, const segments<Offsets>& in, const load_balance_point* tile)
{
  using loader = tile_loader<Shape::threads>;
  using element = typename std::iterator_traits<decltype(job.input)>::value_type;
  using offset = typename std::iterator_traits<Offsets>::value_type;
  const auto items = static_cast<int>(tile[1].item_index - tile[0].item_index);
  const auto ends = static_cast<int>(tile[1].segment_index - tile[0].segment_index);
  loader::template prefetch<element>(job.input + tile[0].item_index, items);
  loader::template prefetch<offset>(in.offsets + tile[0].segment_index, ends);
}

/// Makes elements values of T.
template <class T>
struct to_value
{
  template <class Element>
  MGPU_THRUST_DEVICE T operator()(const Element& element) const
  {
    return static_cast<T>(element);
  }
};

/// The elements of an input as values of T: the input itself if they are.
template <class T, class Input>
MGPU_THRUST_DEVICE auto values_from(Input input)
{
  if constexpr (std::is_same_v<typename std::iterator_traits<Input>::value_type, T>)
  {
    return input;
  }
  else
  {
    return thrust::transform_iterator<to_value<T>, Input, T, T>(input, to_value<T>{});
  }
}

/// Marks of the items of a tile that segments start at, a byte each: 16 bytes for the items of a thread.
template <int Threads, int ItemsPerThread>
class start_marks
{
  static_assert(ItemsPerThread <= 16);

public:
  struct storage
  {
    uint4 bytes[Threads];
  };

  MGPU_THRUST_DEVICE static void clear(storage& shared)
  {
    shared.bytes[threadIdx.x] = uint4{};
  }
  MGPU_THRUST_DEVICE static void mark(storage& shared, int item)
  {
    const int place = item + item / ItemsPerThread * (16 - ItemsPerThread);
    reinterpret_cast<unsigned char*>(shared.bytes)[place] = 1;
  }
  /// Those of the calling thread's items, a bit each.
  MGPU_THRUST_DEVICE static unsigned own(const storage& shared)
  {
    const uint4 bytes = shared.bytes[threadIdx.x];
    const auto bits = [](unsigned word) { return word * 0x10204080u >> 28; }; // of the lowest bits of four bytes
    return bits(bytes.x) | bits(bytes.y) << 4 | bits(bytes.z) << 8 | bits(bytes.w) << 12;
  }
};

/// Reduces the segments of a tile a block. `begins` are those of the tiles; carries receive what is left to be put
/// together.
template <class Shape, class T, class Job, class Offsets>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) segmented_reduce_kernel(
  Job job, segments<Offsets> in, int tiles, const load_balance_point* begins, tile_carries<T> carries)
{
  constexpr int items_per_thread = Shape::items_per_thread;
  constexpr bool is_staged = stages_values<T>;
  using loader = tile_loader<Shape::threads>;
  using marks = start_marks<Shape::threads, items_per_thread>;
  using tail = segment_tail<T>;
  using block_scan = cub::BlockScan<tail, Shape::threads, cub::BLOCK_SCAN_WARP_SCANS>;
  constexpr int granule = load_granule<T>;
  __shared__ alignas(granule) unsigned char shared_items[is_staged ? Shape::items * sizeof(T) + granule : 1];
  __shared__ typename loader::storage shared_loader;
  __shared__ typename marks::storage shared_marks;
  __shared__ typename block_scan::TempStorage shared_scan;
  const int thread = static_cast<int>(threadIdx.x);
  const int tile = static_cast<int>(blockIdx.x);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the partition is there now

  // 1. The tile's items, and the segments that end in it, counted from its first. One more may start in it.
  const load_balance_point begin = begins[tile];
  const load_balance_point end = begins[tile + 1];
  const int count = static_cast<int>(end.item_index - begin.item_index);
  const int ends = static_cast<int>(end.segment_index - begin.segment_index);
  const auto offsets = in.offsets + begin.segment_index;
  const std::int64_t segments_left = in.num_segments - begin.segment_index;
  const auto start_of = [&](int segment)
  { return static_cast<std::int64_t>(detail::element(offsets, segment)) - begin.item_index; };
  const auto end_of = [&](int segment)
  { return segment + 1 < segments_left ? static_cast<int>(start_of(segment + 1)) : count; };
  const auto input = detail::values_from<T>(job.input) + begin.item_index;

  // 2. Load the items, and mark those that segments start at. Meanwhile ask for those of a tile that comes later.
  marks::clear(shared_marks);
  loader load(shared_loader, 1);
  const T* items = nullptr;
  if constexpr (is_staged)
  {
    items = load.template load<T>(input, count, shared_items);
  }
  if (thread == Shape::threads - 1 && tile + segmented_reduce_prefetch_distance < tiles)
  {
    detail::prefetch_tile<Shape, T>(job, in, begins + tile + segmented_reduce_prefetch_distance);
  }
  __syncthreads();
  for (int segment = thread; segment <= ends && segment < segments_left; segment += Shape::threads)
  {
    const std::int64_t start = start_of(segment);
    if (0 <= start && start < count)
    {
      marks::mark(shared_marks, static_cast<int>(start));
    }
  }
  load.wait();

  // 3. Each thread reduces its items. Results go to the places of their segments' last items, but the first one waits
  //    for what the threads before have of its segment.
  const auto item = [&](int place)
  {
    if constexpr (is_staged)
    {
      return items[place];
    }
    else
    {
      return static_cast<T>(detail::element(input, place));
    }
  };
  T* const results = const_cast<T*>(items);
  if (count > 0)
  {
    const int first = thread * items_per_thread;
    const int own_count = min(count - first, items_per_thread);
    const unsigned starts = marks::own(shared_marks);
    T value = item(own_count > 0 ? first : 0);
    T first_result = value;
    int first_place = -1;
#pragma unroll
    for (int k = 1; k < items_per_thread; ++k)
    {
      if (k < own_count)
      {
        const T next = item(first + k);
        if ((starts >> k & 1) == 0)
        {
          value = static_cast<T>(job.op(value, next));
        }
        else
        {
          if (first_place < 0)
          {
            first_place = first + k - 1;
            first_result = value;
          }
          else
          {
            results[first + k - 1] = value;
          }
          value = next;
        }
      }
    }

    // 4. A scan tells what that is.
    tail before{value, false};
    block_scan(shared_scan).ExclusiveScan(tail{value, starts != 0}, before, join_tails<T, decltype(job.op)>{job.op});
    if (own_count > 0)
    {
      const bool is_begun = thread > 0 && (starts & 1) == 0;
      if (first_place >= 0)
      {
        results[first_place] = is_begun ? static_cast<T>(job.op(before.value, first_result)) : first_result;
      }
      else if (is_begun)
      {
        value = static_cast<T>(job.op(before.value, value));
      }
      results[first + own_count - 1] = value;
      if (first + own_count == count)
      {
        carries.last[tile] = value;
      }
    }
  }
  __syncthreads();

  // 5. Write the results. That of a segment which began before the tile is only a part.
  for (int segment = thread; segment < ends; segment += Shape::threads)
  {
    const std::int64_t start = start_of(segment);
    const int stop = end_of(segment);
    if (start >= 0)
    {
      *(job.output + (begin.segment_index + segment)) =
        start == stop ? job.init : static_cast<T>(job.op(job.init, results[stop - 1]));
    }
    else if (stop > 0)
    {
      carries.first[tile] = results[stop - 1];
    }
  }
}

/// Threads of a block of the kernel below, and tiles that it looks after.
inline constexpr int carry_threads = 512;

/// Puts those segments together that lie in several tiles: a thread does it for the one that began before its tile and
/// ends in it, or, if it has many tiles, the whole block. The order is always the same.
template <class T, class Job, class Offsets>
MGPU_THRUST_KERNEL void __launch_bounds__(carry_threads) segmented_carry_kernel(
  Job job, segments<Offsets> in, int tiles, const load_balance_point* begins, tile_carries<T> carries)
{
  constexpr int many = 32;
  using block_reduce = cub::BlockReduce<T, carry_threads>;
  __shared__ typename block_reduce::TempStorage shared_reduce;
  __shared__ int shared_first_tiles[carry_threads]; // of segments that have many; else the tile itself
  const int thread = static_cast<int>(threadIdx.x);
  const int first_of_block = static_cast<int>(blockIdx.x) * carry_threads;

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the carries are there now

  // 1. Which tile the segment began in.
  const auto finish = [&](int tile, T value)
  {
    const std::int64_t segment = begins[tile].segment_index;
    if (detail::segment_end(in.num_items, in.offsets, in.num_segments, segment) > begins[tile].item_index)
    {
      value = static_cast<T>(job.op(value, carries.first[tile]));
    }
    *(job.output + segment) = static_cast<T>(job.op(job.init, value));
  };
  const int tile = first_of_block + thread;
  int first_tile = tile;
  if (tile < tiles && begins[tile].segment_index < begins[tile + 1].segment_index)
  {
    const std::int64_t segment = begins[tile].segment_index;
    const std::int64_t start = in.offset(segment);
    if (start < begins[tile].item_index)
    {
      first_tile = static_cast<int>((item_weight * start + segment) / segmented_reduce_weight);
      while (begins[first_tile].item_index > start)
      {
        --first_tile;
      }
      while (begins[first_tile + 1].item_index <= start)
      {
        ++first_tile;
      }
    }
  }

  // 2. Few tiles.
  if (0 < tile - first_tile && tile - first_tile <= many)
  {
    T value = carries.last[first_tile];
    for (int i = first_tile + 1; i < tile; ++i)
    {
      value = static_cast<T>(job.op(value, carries.last[i]));
    }
    finish(tile, value);
  }

  // 3. Many tiles, the same number for each thread.
  shared_first_tiles[thread] = first_tile;
  if (!__syncthreads_or(tile - first_tile > many))
  {
    return;
  }
  for (int owner = 0; owner < carry_threads; ++owner)
  {
    const int last = first_of_block + owner;
    const int count = last - shared_first_tiles[owner];
    if (count > many)
    {
      const int each = (count + carry_threads - 1) / carry_threads;
      const T* const own = carries.last + shared_first_tiles[owner] + min(thread * each, count - 1);
      const int own_count = min(each, count - thread * each);
      T value = own[0];
#pragma unroll 8
      for (int i = 1; i < own_count; ++i)
      {
        value = static_cast<T>(job.op(value, own[i]));
      }
      const T sum = block_reduce(shared_reduce).Reduce(value, job.op, (count + each - 1) / each);
      if (thread == 0)
      {
        finish(last, sum);
      }
      __syncthreads();
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

#pragma nv_diagnostic pop
