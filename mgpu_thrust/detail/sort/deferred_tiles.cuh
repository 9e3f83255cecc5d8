// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// A sort of a deferred number of elements, as its kernels see it: the number, the tiles, and the buffers of each pass.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/sort/buffers.cuh>
#include <mgpu_thrust/detail/sort/plan.h>
#include <mgpu_thrust/detail/sort/segments.h>
#include <mgpu_thrust/detail/sort/tiles.cuh>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A deferred number of elements as the kernels of a sort read it: in the header or, as a sort stores no count, where the
/// call has it, if it is such an integer in memory. Then no kernel is needed that reads it before.
using sort_size = size_in_header;

template <class Segments>
inline constexpr bool is_one_segment = false;
template <class Size>
inline constexpr bool is_one_segment<deferred_segment<Size>> = true;

template <class Size>
inline constexpr bool is_sort_size =
  std::is_same_v<Size, deferred<const std::int64_t*>> || std::is_same_v<Size, deferred<std::int64_t*>>;

/// Returns the number of elements as kernels take it: `count`, unless it is deferred.
template <class Segments>
std::int64_t queued_size(std::int64_t count, const Segments&)
{
  return count;
}
template <class Size>
sort_size queued_size(std::int64_t, const deferred_segment<Size>& segment)
{
  if constexpr (is_sort_size<Size>)
  {
    return {segment.first_size.count, segment.first_size.capacity};
  }
  else
  {
    return detail::in_header(segment).first_size;
  }
}

/// Returns that of elements in segments, which queue_count_in_segments() stores.
template <class Segments, class First, class Second>
sort_size queued_size(std::int64_t, const deferred_inputs<Segments, First, Second>& in)
{
  return detail::in_header(in).first_size;
}

/// Stores the number of elements in segments to the header: those without a segment count as none.
template <class Segments>
MGPU_THRUST_KERNEL void count_in_segments_kernel(Segments in)
{
  in.header->first = detail::count_now(0, in);
}

/// Queues that kernel where segments have deferred numbers; otherwise the number is known, or in the header already.
template <class Segments>
cudaError_t queue_count_in_segments(const Segments& in, cudaStream_t stream)
{
  if constexpr (is_deferred_v<Segments> && !is_one_segment<Segments>)
  {
    return detail::launch_kernel(detail::count_in_segments_kernel<Segments>, 1, 1, false, stream, in);
  }
  else
  {
    return cudaSuccess;
  }
}

/// Queues the kernel that reads the number of elements into the header, if one is needed.
template <class Size>
cudaError_t queue_size(const deferred_segment<Size>& segment, cudaStream_t stream)
{
  if constexpr (is_sort_size<Size>)
  {
    return cudaSuccess;
  }
  else
  {
    return detail::queue_header(segment, stream);
  }
}

/// Sets the number of elements of tiles to the one that there is now.
template <class Tiles>
MGPU_THRUST_DEVICE void take_size(Tiles& tiles, const sort_size& size)
{
  tiles.count = static_cast<decltype(tiles.count)>(detail::read_size(size));
}

/// Returns the plan of a sort, given its tiles of TileItems elements, which is what tiles.items says: a division by a
/// number that the compiler knows takes a tenth of the time.
template <int TileItems, class Count>
MGPU_THRUST_HOST_DEVICE merge_plan plan_of(const plain_tiles<Count>& tiles)
{
  return {static_cast<std::int64_t>(::cuda::ceil_div(tiles.count, Count{TileItems}))};
}

/// Returns the number of passes: those of a sort of few elements, which merge pairs of runs, or of many.
template <int TileItems>
MGPU_THRUST_DEVICE int passes_of(const plain_tiles<int>& tiles)
{
  return detail::plan_of<TileItems>(tiles).levels();
}
template <int TileItems>
MGPU_THRUST_DEVICE int passes_of(const even_tiles& tiles)
{
  return detail::plan_of<TileItems>(tiles).passes();
}

/// Whether a block has a tile.
template <class Count>
MGPU_THRUST_DEVICE bool has_tile(const plain_tiles<Count>& tiles)
{
  return tiles.begin(blockIdx.x) < tiles.count;
}

/// The buffers of a deferred sort, whose output is one of them; after the last pass it may be the values of that alone.
template <class Buffer>
using deferred_buffers = pass_buffers<Buffer, Buffer>;

/// Makes them from sort_buffers for the capacity.
template <class Buffers>
auto make_deferred_buffers(const Buffers& buffers)
{
  static_assert(Buffers::is_output_a_buffer, "another output is copied to when the sort is done");
  return deferred_buffers<typename Buffers::buffer>{buffers.first(), buffers.second(), buffers.result()};
}

/// Returns what a pass writes, given the number of passes left before it.
template <class Buffer>
MGPU_THRUST_DEVICE Buffer target_of(const deferred_buffers<Buffer>& buffers, int passes_left)
{
  return passes_left == 1 ? buffers.out : buffers.source(passes_left - 1);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
