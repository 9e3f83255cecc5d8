// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels of segmented reductions: one cuts items and segments into tiles, one reduces a tile per block, one
/// combines the parts of segments that lie in several tiles.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segment_ends.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/segmented_reduce/serial.h>
#include <mgpu_thrust/detail/segmented_reduce/tuning.cuh>
#include <mgpu_thrust/detail/segments/serial.h>
#include <mgpu_thrust/detail/tile/tile_loader.cuh>

#include <cub/block/block_reduce.cuh>
#include <cub/util_ptx.cuh>
#include <cub/util_type.cuh>

#include <thrust/iterator/transform_iterator.h>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <iterator>
#include <new>
#include <type_traits>

#include <nv/target>

#pragma nv_diagnostic push
#pragma nv_diag_suppress 1407

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Threads of a block of the partition kernel; each finds where one tile begins.
inline constexpr int segment_ends_partition_threads = 128;

/// Stores where tile t begins to begins[t], and where the last tile ends to begins[tiles].
template <class Offsets>
MGPU_THRUST_KERNEL void __launch_bounds__(segment_ends_partition_threads)
  segment_ends_partition_kernel(segments<Offsets> in, int tiles, load_balance_point* begins)
{
  NV_IF_TARGET(
    NV_PROVIDES_SM_90, (cudaTriggerProgrammaticLaunchCompletion();)) // the blocks of the next kernel may launch
  __shared__ partition_point_storage<segment_ends_partition_threads> shared;
  static_assert(sizeof(shared) <= most_static_shared_bytes);
  const segment_ends<Offsets> ends{in.num_items, in.offsets, in.num_segments};
  const std::int64_t first_tile = std::int64_t{blockIdx.x} * segment_ends_partition_threads;
  const std::int64_t tile = first_tile + threadIdx.x;
  const std::int64_t diagonal = min(tile * segmented_reduce_weight, ends.weight());
  const std::int64_t found = detail::block_partition_points<segment_ends_partition_threads>(
    shared, 0, in.num_segments, first_tile * segmented_reduce_weight, segmented_reduce_weight, ends.weight(),
    [&](std::int64_t segment) { return ends.weight_before_end(segment); });
  if (tile <= tiles)
  {
    begins[tile] = ends.cut(found, diagonal);
  }
}

/// Partial results of the segments that lie in several tiles: of each tile the reduction of its last items, which
/// belong to a segment that ends in a later tile, and of its first items, which belong to a segment that began in an
/// earlier tile and ends in this one.
template <class T>
struct tile_carries
{
  T* last;
  T* first;
};

/// Prefetches the offsets of the tile that begins at tile[0] and ends at tile[1]; called by one thread.
template <class Shape, class Offsets>
MGPU_THRUST_DEVICE void prefetch_ends(const segments<Offsets>& in, const load_balance_point* tile)
{
  using offset = typename std::iterator_traits<Offsets>::value_type;
  tile_loader<Shape::threads>::template prefetch<offset>(
    in.offsets + tile[0].segment_index, static_cast<int>(tile[1].segment_index - tile[0].segment_index));
}

/// Converts elements to T.
template <class T>
struct to_value
{
  template <class Element>
  MGPU_THRUST_DEVICE T operator()(const Element& element) const
  {
    return static_cast<T>(element);
  }
};

/// Returns an iterator over the elements of an input converted to T: the input itself if they are of type T.
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

/// Marks of the items of a tile at which segments start, one byte per item: 16 bytes for the items of a thread.
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
  /// Returns the marks of the calling thread's items, one bit per item.
  MGPU_THRUST_DEVICE static unsigned own(const storage& shared)
  {
    const uint4 bytes = shared.bytes[threadIdx.x];
    const auto bits = [](unsigned word) { return word * 0x10204080u >> 28; }; // lowest bits of four bytes
    return bits(bytes.x) | bits(bytes.y) << 4 | bits(bytes.z) << 8 | bits(bytes.w) << 12;
  }
};

/// The segments that end in a tile, and the one that continues after it, numbered from the tile's first segment.
template <int Items, class Offsets>
class tile_segments
{
  // Item indices as wide as the offsets, relative to the tile's first item: right for the starts of all segments but
  // the first, which may have started long before.
  using offset = typename std::iterator_traits<Offsets>::value_type;
  using item_number = std::conditional_t<sizeof(offset) <= 4, std::uint32_t, std::uint64_t>;

public:
  int count;     ///< number of items
  int ends;      ///< number of segments that end in the tile
  bool is_begun; ///< whether the first segment started before the tile

  MGPU_THRUST_DEVICE
  tile_segments(const segments<Offsets>& in, const load_balance_point& begin, const load_balance_point& end)
      : count(static_cast<int>(detail::clamp_index(end.item_index - begin.item_index, 0, Items)))
      , ends(static_cast<int>(end.segment_index - begin.segment_index))
      , is_begun(begin.segment_index < in.num_segments && in.offset(begin.segment_index) < begin.item_index)
      , offsets_(in.offsets + begin.segment_index)
      , first_item_(static_cast<item_number>(begin.item_index))
      , starts_(ends + (end.segment_index < in.num_segments))
  {
  }

  /// Returns the number of segments that have a start, the one that continues after the tile included.
  MGPU_THRUST_DEVICE int starts() const
  {
    return starts_;
  }
  /// Returns the item at which a segment starts; it must not be the first segment if that is begun. (If offsets are
  /// wrong, it may be any number.)
  MGPU_THRUST_DEVICE int start(int segment) const
  {
    return static_cast<int>(static_cast<item_number>(detail::element(offsets_, segment)) - first_item_);
  }
  /// Returns where a segment that ends in the tile stops: one past its last item.
  MGPU_THRUST_DEVICE int stop(int segment) const
  {
    return segment + 1 < starts_ ? min(max(start(segment + 1), 0), count) : count;
  }
  /// Returns the segment that an item belongs to.
  MGPU_THRUST_DEVICE int segment_of(int item) const
  {
    return detail::partition_point(1, starts_, [&](int segment) { return start(segment) <= item; }) - 1;
  }

private:
  Offsets offsets_;
  item_number first_item_;
  int starts_;
};

/// The values of a tile in shared memory. The result of a segment is stored at the position of its last item.
template <class T>
class staged_values
{
public:
  MGPU_THRUST_DEVICE explicit staged_values(T* values)
      : values_(values)
  {
  }
  MGPU_THRUST_DEVICE T item(int place) const
  {
    return values_[place];
  }
  MGPU_THRUST_DEVICE T result(int place) const
  {
    return values_[place];
  }

  // Results that a thread finds, each at the segment's last item: put() stores any but that of the thread's last item;
  // finish_first() joins the first result that was put with the result of the threads before; put_last() stores the
  // result at the thread's last item.
  MGPU_THRUST_DEVICE void put(int place, const T& value)
  {
    values_[place] = value;
  }
  template <class Join>
  MGPU_THRUST_DEVICE void finish_first(int place, bool is_begun, Join join)
  {
    if (is_begun)
    {
      values_[place] = join(values_[place]);
    }
  }
  MGPU_THRUST_DEVICE void put_last(int place, const T& value)
  {
    values_[place] = value;
  }

private:
  T* values_;
};

/// The counterpart of staged_values for values that are read through the input iterator, and results that are written
/// by write(segment, value) at once.
template <class T, class Input, class Segments, class Write>
class direct_values
{
public:
  MGPU_THRUST_DEVICE direct_values(Input input, const Segments& segments, Write write)
      : input_(input)
      , segments_(segments)
      , write_(write)
  {
  }
  MGPU_THRUST_DEVICE T item(int place) const
  {
    return detail::element(input_, place);
  }
  MGPU_THRUST_DEVICE void put(int place, const T& value)
  {
    if (!has_first_)
    {
      ::new (static_cast<void*>(&first_)) T(value); // kept until finish_first()
      has_first_ = true;
    }
    else
    {
      write_(segments_.segment_of(place), value);
    }
  }
  template <class Join>
  MGPU_THRUST_DEVICE void finish_first(int place, bool is_begun, Join join)
  {
    write_(segments_.segment_of(place), is_begun ? join(first_.Alias()) : first_.Alias());
  }
  MGPU_THRUST_DEVICE void put_last(int place, const T& value)
  {
    const int segment = segments_.segment_of(place);
    if (segment < segments_.ends && segments_.stop(segment) == place + 1)
    {
      write_(segment, value);
    }
  }

private:
  Input input_;
  const Segments& segments_;
  Write write_;
  cub::Uninitialized<T> first_;
  bool has_first_ = false;
};

/// A segmented scan over the threads of a block, one value per thread; some threads start a new segment.
template <int Threads, class T>
class segment_scan
{
  static constexpr int warps = Threads / 32;

public:
  struct storage
  {
    cub::Uninitialized<T> values[warps];
    bool is_new[warps];
  };

  /// Returns the reduction, in order, of the values of the threads before, from the last one with `is_new` on. All
  /// threads call it; the first gets an unspecified value.
  template <class Op>
  MGPU_THRUST_DEVICE static T before(storage& shared, T value, bool is_new, Op& op)
  {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const int warp = static_cast<int>(threadIdx.x / 32);

    // 1. Scan within the warp.
    const unsigned new_lanes = __ballot_sync(~0u, is_new);
    const int first_lane = max(31 - __clz(static_cast<int>(new_lanes & (~0u >> (31 - lane)))), 0);
#pragma unroll
    for (int stride = 1; stride < 32; stride *= 2)
    {
      const T other = cub::ShuffleUp<32>(value, stride, 0, ~0u);
      if (lane - stride >= first_lane)
      {
        value = static_cast<T>(op(other, value));
      }
    }
    if (lane == 31)
    {
      ::new (static_cast<void*>(&shared.values[warp])) T(value);
      shared.is_new[warp] = new_lanes != 0;
    }
    __syncthreads();

    // 2. Combine with the warps before, unless a lane before starts a new segment.
    T result = cub::ShuffleUp<32>(value, 1, 0, ~0u);
    if (warp > 0 && (new_lanes & ((1u << lane) - 1)) == 0)
    {
      T of_warps = shared.values[0].Alias();
#pragma unroll
      for (int i = 1; i + 1 < warps; ++i)
      {
        if (i < warp)
        {
          const T& of_warp = shared.values[i].Alias();
          of_warps = shared.is_new[i] ? of_warp : static_cast<T>(op(of_warps, of_warp));
        }
      }
      result = lane == 0 ? of_warps : static_cast<T>(op(of_warps, result));
    }
    return result;
  }
};

/// Reduces the segments of one tile per block. begins[tile] is where a tile begins; `carries` receives the partial
/// results of segments that lie in several tiles.
template <class Shape, class T, class Job, class Offsets>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) segmented_reduce_kernel(
  Job job, segments<Offsets> in, int tiles, const load_balance_point* begins, tile_carries<T> carries)
{
  constexpr int items_per_thread = Shape::items_per_thread;
  constexpr int granule = load_granule<T>;
  using loader = tile_loader<Shape::threads>;
  using marks = start_marks<Shape::threads, items_per_thread>;
  using tile_segments = detail::tile_segments<Shape::items, Offsets>;
  __shared__ alignas(granule) unsigned char shared_items[stages_values<T> ? Shape::items * sizeof(T) + granule : 1];
  __shared__ typename loader::storage shared_loader;
  __shared__ typename marks::storage shared_marks;
  __shared__ typename segment_scan<Shape::threads, T>::storage shared_scan;
  static_assert(
    sizeof(shared_items) + sizeof(shared_loader) + sizeof(shared_marks) + sizeof(shared_scan)
    <= most_static_shared_bytes);
  const int thread = static_cast<int>(threadIdx.x);
  const int tile = static_cast<int>(blockIdx.x);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the partition is there now

  // 1. Find the tile's items and segments, and where its results are stored. The result of a segment that began before
  //    the tile is only partial.
  const load_balance_point begin = begins[tile];
  const tile_segments own(in, begin, begins[tile + 1]);
  const auto input = detail::values_from<T>(job.input) + begin.item_index;
  const auto output = job.output + begin.segment_index;
  const auto write = [&](int segment, const T& value)
  {
    if (segment > 0 || !own.is_begun)
    {
      *(output + segment) = static_cast<T>(job.op(job.init, value));
    }
    else
    {
      carries.first[tile] = value;
    }
  };

  // 2. Load the items, and mark those at which segments start. Meanwhile prefetch the offsets of a later tile.
  marks::clear(shared_marks);
  loader load(shared_loader, 1); // unused if values are not staged
  auto values = [&]
  {
    if constexpr (stages_values<T>)
    {
      return staged_values<T>(const_cast<T*>(load.template load<T>(input, own.count, shared_items)));
    }
    else
    {
      return direct_values<T, decltype(input), tile_segments, decltype(write)>(input, own, write);
    }
  }();
  if (thread == Shape::threads - 1 && tile + segmented_reduce_prefetch_distance < tiles)
  {
    detail::prefetch_ends<Shape>(in, begins + tile + segmented_reduce_prefetch_distance);
  }
  __syncthreads();
  for (int segment = thread; segment < own.starts(); segment += Shape::threads)
  {
    const int start = own.start(segment);
    if (static_cast<unsigned>(start) < static_cast<unsigned>(own.count) && (segment > 0 || !own.is_begun))
    {
      marks::mark(shared_marks, start);
    }
  }
  if constexpr (stages_values<T>)
  {
    load.wait();
  }
  else
  {
    __syncthreads();
  }

  // 3. Each thread reduces its items.
  if (own.count > 0)
  {
    const int first = thread * items_per_thread;
    const int own_count = min(own.count - first, items_per_thread);
    const unsigned starts = marks::own(shared_marks);
    T value = own_count > 0 ? values.item(first) : job.init; // job.init is not used
    const auto reduce_next = [&](int k)
    {
      const T next = values.item(first + k);
      const bool is_start = starts >> k & 1;
      if (is_start)
      {
        values.put(first + k - 1, value);
      }
      value = is_start ? next : static_cast<T>(job.op(value, next));
    };
    if (own_count == items_per_thread)
    {
#pragma unroll
      for (int k = 1; k < items_per_thread; ++k)
      {
        reduce_next(k);
      }
    }
    else
    {
#pragma unroll 1
      for (int k = 1; k < own_count; ++k)
      {
        reduce_next(k);
      }
    }

    // 4. A scan reduces what the threads before hold of the thread's first segment.
    const T before = segment_scan<Shape::threads, T>::before(shared_scan, value, starts != 0, job.op);
    if (own_count > 0)
    {
      const bool is_begun = thread > 0 && (starts & 1) == 0;
      const auto join = [&](const T& part) { return static_cast<T>(job.op(before, part)); };
      const int first_start = __ffs(static_cast<int>(starts & ~1u)) - 1; // after the first item
      if (first_start > 0)
      {
        values.finish_first(first + first_start - 1, is_begun, join);
      }
      else if (is_begun)
      {
        value = join(value);
      }
      values.put_last(first + own_count - 1, value);
      if (first + own_count == own.count)
      {
        carries.last[tile] = value;
      }
    }
  }
  __syncthreads();

  // 5. Write the results that are not yet written. An empty segment's result is job.init.
  for (int segment = thread; segment < own.ends; segment += Shape::threads)
  {
    const int stop = own.stop(segment);
    if ((segment > 0 || !own.is_begun) && max(own.start(segment), 0) >= stop)
    {
      *(output + segment) = job.init;
    }
    else if constexpr (stages_values<T>)
    {
      if (stop > 0)
      {
        write(segment, values.result(stop - 1));
      }
    }
  }
}

/// Threads of a block of segmented_carry_kernel, and number of tiles that the block handles.
inline constexpr int carry_threads = 512;

/// Combines the parts of each segment that began before a tile and ends in it: by the tile's thread or, if the segment
/// lies in many tiles, by the whole block. The order of the reduction is always the same.
template <class T, class Job, class Offsets>
MGPU_THRUST_KERNEL void __launch_bounds__(carry_threads) segmented_carry_kernel(
  Job job, segments<Offsets> in, int tiles, const load_balance_point* begins, tile_carries<T> carries)
{
  constexpr int many = 32;
  using block_reduce = cub::BlockReduce<T, carry_threads>;
  __shared__ typename block_reduce::TempStorage shared_reduce;
  __shared__ int shared_tiles[carry_threads][2]; // first and last tile of segments with many
  __shared__ int shared_count;
  static_assert(sizeof(shared_reduce) + sizeof(shared_tiles) + sizeof(shared_count) <= most_static_shared_bytes);
  const int thread = static_cast<int>(threadIdx.x);
  const int first_of_block = static_cast<int>(blockIdx.x) * carry_threads;

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the carries are there now

  // 1. Find the tile in which the segment began.
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
  if (0 < tile && tile < tiles && begins[tile].segment_index < begins[tile + 1].segment_index)
  {
    const std::int64_t segment = begins[tile].segment_index;
    const std::int64_t start = in.offset(segment);
    if (start < begins[tile].item_index)
    {
      first_tile =
        static_cast<int>(detail::clamp_index((item_weight * start + segment) / segmented_reduce_weight, 0, tile - 1));
      while (first_tile > 0 && begins[first_tile].item_index > start)
      {
        --first_tile;
      }
      while (first_tile < tile - 1 && begins[first_tile + 1].item_index <= start)
      {
        ++first_tile;
      }
    }
  }

  // 2. Few tiles: the thread combines them.
  if (0 < tile - first_tile && tile - first_tile <= many)
  {
    T value = carries.last[first_tile];
    for (int i = first_tile + 1; i < tile; ++i)
    {
      value = static_cast<T>(job.op(value, carries.last[i]));
    }
    finish(tile, value);
  }

  // 3. Many tiles: the block combines them, the same number for each thread.
  if (thread == 0)
  {
    shared_count = 0;
  }
  if (!__syncthreads_or(tile - first_tile > many))
  {
    return;
  }
  if (tile - first_tile > many)
  {
    const int place = atomicAdd(&shared_count, 1);
    shared_tiles[place][0] = first_tile;
    shared_tiles[place][1] = tile;
  }
  __syncthreads();
  for (int i = 0; i < shared_count; ++i)
  {
    const int begin = shared_tiles[i][0];
    const int count = shared_tiles[i][1] - begin;
    const int each = (count + carry_threads - 1) / carry_threads;
    const T* const own = carries.last + begin + min(thread * each, count - 1);
    const int own_count = min(each, count - thread * each);
    T value = own[0];
#pragma unroll 8
    for (int k = 1; k < own_count; ++k)
    {
      value = static_cast<T>(job.op(value, own[k]));
    }
    const T sum = block_reduce(shared_reduce).Reduce(value, job.op, (count + each - 1) / each);
    if (thread == 0)
    {
      finish(begin + count, sum);
    }
    __syncthreads();
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

#pragma nv_diagnostic pop
