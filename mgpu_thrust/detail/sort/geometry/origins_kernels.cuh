// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernels that find where the tiles of a segmented sort begin.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/sampled_cut.cuh>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/sort/geometry/segments.h>
#include <mgpu_thrust/detail/sort/geometry/tiles.cuh>

#include <cub/device/device_scan.cuh>

#include <thrust/iterator/reverse_iterator.h>

#include <cuda/cmath>
#include <cuda/functional>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

inline constexpr int sort_origins_threads = 128;

// Segments by offsets.

/// Returns the origin of a tile, given the segment of element tile * tiles.step.
template <class Offsets>
MGPU_THRUST_HOST_DEVICE tile_origin
origin_of_tile(const segment_tiles<offset_segments<Offsets>>& tiles, std::int64_t tile, std::int64_t segment)
{
  const segments<Offsets>& in = tiles.segments.in;
  const auto end_at = [&](std::int64_t next_start, std::int64_t item)
  { return detail::clamp_index(next_start, item, in.num_items); };

  // 1. Load where the segment and the next two begin; the loads are independent.
  const std::int64_t even = tile * tiles.step;
  std::int64_t next = segment + 2;
  const std::int64_t start = segment == 0 ? 0 : in.offset(segment);
  const std::int64_t next_start = in.end(segment);
  std::int64_t after = in.end(next - 1);

  // 2. The tile begins at `even`, or where the segment there ends.
  const std::int64_t end = end_at(next_start, even);
  const segment_range own{detail::clamp_index(start, 0, even), end};
  if (tiles.origin_in(own, even) == even)
  {
    return {even, own, segment + 1};
  }
  if (next < in.num_segments && after <= end) // some segments are empty
  {
    next = detail::upper_bound(in.offsets, next, in.num_segments, end, detail::index_less{});
    after = in.end(next - 1);
  }
  return {end, {end, end_at(after, end)}, next};
}

/// Bounds of a sampled_cut: stores the origin of tile t to origins[t], and the end past the last tile.
template <class Offsets>
struct origin_bounds
{
  segment_tiles<offset_segments<Offsets>> tiles;
  std::int64_t tile_count;
  tile_origin* origins;

  MGPU_THRUST_DEVICE std::int64_t begin() const
  {
    return 1;
  }
  MGPU_THRUST_DEVICE std::int64_t end() const
  {
    return tiles.segments.in.num_segments;
  }
  MGPU_THRUST_DEVICE std::int64_t key(std::int64_t segment) const
  {
    return tiles.segments.in.offset(segment);
  }
  MGPU_THRUST_DEVICE std::int64_t bound(std::int64_t tile) const
  {
    return tile * tiles.step + 1;
  }
  MGPU_THRUST_DEVICE std::int64_t last_bound() const
  {
    return tiles.count;
  }
  MGPU_THRUST_DEVICE tile_origin origin(std::int64_t tile, std::int64_t next_segment) const
  {
    const segments<Offsets>& in = tiles.segments.in;
    return tile < tile_count ? detail::origin_of_tile(tiles, tile, next_segment - 1)
                             : tile_origin{in.num_items, {in.num_items, in.num_items}, in.num_segments};
  }
  MGPU_THRUST_DEVICE void store(std::int64_t tile, std::int64_t next_segment) const
  {
    origins[tile] = origin(tile, next_segment);
  }
};

/// Returns the bytes of temporary storage that queue_origins needs.
template <class Offsets>
std::size_t origins_storage_bytes(const offset_segments<Offsets>*, std::int64_t)
{
  return 0;
}
template <class Offsets>
cudaError_t queue_origins(
  const segment_tiles<offset_segments<Offsets>>& tiles, std::int64_t tile_count, tile_origin* origins, void*,
  cudaStream_t stream)
{
  using bounds = origin_bounds<Offsets>;
  return detail::queue_cut(sampled_cut<bounds>{bounds{tiles, tile_count, origins}, tile_count}, stream);
}

/// The cut for deferred sizes. Tiles beyond the actual size are empty, at the end.
template <class Tiles>
struct deferred_origins_cut
{
  using cut = sampled_cut<origin_bounds<decltype(Tiles::segments.in.offsets)>>;
  using TempStorage = typename cut::TempStorage;
  static constexpr int threads = cut::threads;
  static constexpr bool starts_next = cut::starts_next;

  Tiles tiles;
  std::int64_t max_tiles;
  tile_origin* origins;

  int blocks() const
  {
    return detail::max_cut_blocks(max_tiles);
  }
  MGPU_THRUST_DEVICE void cut_tiles(TempStorage& shared) const
  {
    const tiles_now_t<Tiles> now = tiles;
    const std::int64_t tile_count = ::cuda::ceil_div(now.count, now.step);
    const cut cut_now{{now, tile_count, origins}, tile_count};
    if (tile_count > 0 && static_cast<int>(blockIdx.x) < cut_now.blocks())
    {
      cut_now.cut_tiles(shared);
    }
    const std::int64_t tile = std::int64_t{blockIdx.x} * cut_threads + threadIdx.x;
    if ((tile > tile_count || tile_count == 0) && tile <= max_tiles)
    {
      origins[tile] = {now.count, {now.count, now.count}, now.segments.in.num_segments};
    }
  }
};
template <class Offsets, class First, class Second>
cudaError_t queue_origins(
  const segment_tiles<deferred_inputs<offset_segments<Offsets>, First, Second>>& tiles, std::int64_t tile_count,
  tile_origin* origins, void*, cudaStream_t stream)
{
  using tiles_type = segment_tiles<deferred_inputs<offset_segments<Offsets>, First, Second>>;
  return detail::queue_cut(deferred_origins_cut<tiles_type>{tiles, tile_count, origins}, stream);
}

// Segments by flags.

/// The heads (first elements) of segments in the step of each tile: the first, the second, the last. If there is none,
/// `first` and `second` are the number of elements, and `last` is 0. queue_nearest_heads() then extends them: `last` is
/// the last head in or before a step, `first` the first head in or after it.
struct step_heads
{
  std::int64_t* first;
  std::int64_t* second;
  std::int64_t* last;
};

/// Finds step_heads, a warp per step.
template <class Tiles>
MGPU_THRUST_KERNEL void __launch_bounds__(sort_origins_threads)
  step_heads_kernel(Tiles given, std::int64_t tile_count, step_heads found)
{
  const tiles_now_t<Tiles>& tiles = given;
  const std::int64_t tile =
    (static_cast<std::int64_t>(blockIdx.x) * sort_origins_threads + static_cast<int>(threadIdx.x)) / 32;
  if (tile >= tile_count)
  {
    return;
  }
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t begin = tile * tiles.step;
  const std::int64_t end = (min) (begin + tiles.step, tiles.count);
  std::int64_t first = tiles.count;
  std::int64_t second = tiles.count;
  std::int64_t last = 0;
#pragma unroll 4
  for (std::int64_t at = begin; at < end; at += 32)
  {
    const bool is_head = at + lane < end && tiles.segments.is_first(at + lane);
    const unsigned heads = __ballot_sync(0xffffffff, is_head);
    if (heads != 0)
    {
      const unsigned others = heads & (heads - 1);
      const std::int64_t here = at + __ffs(static_cast<int>(heads)) - 1;
      const std::int64_t next = others != 0 ? at + __ffs(static_cast<int>(others)) - 1 : tiles.count;
      second = (min) (second, first == tiles.count ? next : here);
      first = (min) (first, here);
      last = at + 31 - __clz(static_cast<int>(heads));
    }
  }
  if (lane == 0)
  {
    found.first[tile] = first;
    found.second[tile] = second;
    found.last[tile] = last;
  }
}

/// Finds the origins of tiles from step_heads that queue_nearest_heads() has extended.
template <class Tiles>
MGPU_THRUST_KERNEL void __launch_bounds__(sort_origins_threads)
  origins_by_flags_kernel(Tiles given, std::int64_t tile_count, step_heads found, tile_origin* origins)
{
  const tiles_now_t<Tiles>& tiles = given;
  const auto tile = static_cast<std::int64_t>(blockIdx.x) * sort_origins_threads + threadIdx.x;
  if (tile > tile_count)
  {
    return;
  }
  if (tile == tile_count)
  {
    origins[tile] = {tiles.count, {tiles.count, tiles.count}, 0};
    return;
  }
  const std::int64_t even = tile * tiles.step;
  if constexpr (is_deferred_v<decltype(Tiles::segments)>)
  {
    if (even >= tiles.count)
    {
      origins[tile] = {tiles.count, {tiles.count, tiles.count}, 0};
      return;
    }
  }
  const std::int64_t first = found.first[tile];
  if (first - even > tiles.slack || first == tiles.count)
  {
    origins[tile] = {even, {found.last[tile - 1], first}, 0}; // not tile 0, as the first element is a head
    return;
  }
  const std::int64_t next_head = tile + 1 < tile_count ? found.first[tile + 1] : tiles.count;
  origins[tile] = {first, {first, (min) (found.second[tile], next_head)}, 0};
}

/// Queues a scan of the last head of each step, and a reverse scan of the first. If `storage` is null, sets
/// storage_bytes to what either needs.
inline cudaError_t queue_nearest_heads(
  void* storage, std::size_t& storage_bytes, const step_heads& found, std::int64_t tile_count, cudaStream_t stream)
{
  std::size_t last_bytes = storage_bytes;
  std::size_t first_bytes = storage_bytes;
  cudaError_t error = cub::DeviceScan::InclusiveScan(
    storage, last_bytes, found.last, found.last, ::cuda::maximum<>{}, tile_count, stream);
  if (error == cudaSuccess)
  {
    const auto from_last = thrust::make_reverse_iterator(found.first + tile_count);
    error = cub::DeviceScan::InclusiveScan(
      storage, first_bytes, from_last, from_last, ::cuda::minimum<>{}, tile_count, stream);
  }
  storage_bytes = last_bytes < first_bytes ? first_bytes : last_bytes;
  return error;
}

/// The bytes of each array of step_heads, and of the scans' storage.
struct flag_origins_layout
{
  explicit flag_origins_layout(std::int64_t tile_count)
      : array_bytes(detail::round_up_storage(static_cast<std::size_t>(tile_count) * sizeof(std::int64_t)))
  {
    detail::queue_nearest_heads(nullptr, scan_bytes, {}, tile_count, nullptr);
  }

  std::size_t array_bytes;
  std::size_t scan_bytes = 0;
};

template <class Flags>
std::size_t origins_storage_bytes(const flag_segments<Flags>*, std::int64_t tile_count)
{
  const flag_origins_layout layout(tile_count);
  return 3 * layout.array_bytes + layout.scan_bytes;
}
template <class Segments>
cudaError_t queue_origins_by_flags(
  const segment_tiles<Segments>& tiles, std::int64_t tile_count, tile_origin* origins, void* storage,
  cudaStream_t stream)
{
  using tiles_type = segment_tiles<Segments>;
  flag_origins_layout layout(tile_count);
  auto* const bytes = static_cast<unsigned char*>(storage);
  const auto array = [&](int number) { return reinterpret_cast<std::int64_t*>(bytes + number * layout.array_bytes); };
  const step_heads found{array(0), array(1), array(2)};
  cudaError_t error = detail::launch_kernel(
    detail::step_heads_kernel<tiles_type>, static_cast<int>(::cuda::ceil_div(tile_count, sort_origins_threads / 32)),
    sort_origins_threads, false, stream, tiles, tile_count, found);
  if (error == cudaSuccess)
  {
    error = detail::queue_nearest_heads(array(3), layout.scan_bytes, found, tile_count, stream);
  }
  return error != cudaSuccess
           ? error
           : detail::launch_kernel(
             detail::origins_by_flags_kernel<tiles_type>, static_cast<int>(tile_count / sort_origins_threads + 1),
             sort_origins_threads, false, stream, tiles, tile_count, found, origins);
}

template <class Flags>
cudaError_t queue_origins(
  const segment_tiles<flag_segments<Flags>>& tiles, std::int64_t tile_count, tile_origin* origins, void* storage,
  cudaStream_t stream)
{
  return detail::queue_origins_by_flags(tiles, tile_count, origins, storage, stream);
}
template <class Flags, class First, class Second>
cudaError_t queue_origins(
  const segment_tiles<deferred_inputs<flag_segments<Flags>, First, Second>>& tiles, std::int64_t tile_count,
  tile_origin* origins, void* storage, cudaStream_t stream)
{
  return detail::queue_origins_by_flags(tiles, tile_count, origins, storage, stream);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END
