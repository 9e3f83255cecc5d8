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

/// Returns what a pass reads, and what it writes, given the number of passes left before it.
template <class Buffer>
MGPU_THRUST_DEVICE Buffer source_of(const deferred_buffers<Buffer>& buffers, int passes_left)
{
  Buffer source = buffers.odd;
  if (passes_left % 2 == 0)
  {
    source = buffers.even;
  }
  return source;
}
template <class Buffer>
MGPU_THRUST_DEVICE Buffer target_of(const deferred_buffers<Buffer>& buffers, int passes_left)
{
  return passes_left == 1 ? buffers.out : detail::source_of(buffers, passes_left - 1);
}

/// A pass of a sort of many elements. The first kernel computes all passes, as each block of each later kernel would
/// take a microsecond for that.
template <class Buffer>
struct sort_step
{
  even_tiles tiles; ///< of as many elements as there are
  Buffer from;      ///< what the pass reads; of the first one, what tiles are sorted to, even if no pass is needed
  Buffer to;
  merge_pass pass; ///< without tiles if the pass is not needed
};

/// Returns step `number`. `tiles` are those of the elements that there are, of TileItems each: that is what tiles.items
/// says, too, but a division by a number that the compiler knows takes a tenth of the time.
template <int TileItems, class Buffer>
MGPU_THRUST_DEVICE sort_step<Buffer>
make_step(const even_tiles& tiles, const deferred_buffers<Buffer>& buffers, int number)
{
  const merge_plan plan{::cuda::ceil_div(tiles.count, std::int64_t{TileItems})};
  const int passes_left = plan.passes() - number;
  sort_step<Buffer> step{tiles, detail::source_of(buffers, passes_left), {}, {}};
  if (passes_left > 0)
  {
    step.to = detail::target_of(buffers, passes_left);
    step.pass = plan.pass(number);
  }
  return step;
}

/// Copies a value to shared memory; called by all threads of a block, before a barrier. What a block reads again and
/// again is there as the arguments of other kernels are in constant memory: in registers it would displace keys.
template <class Value>
MGPU_THRUST_DEVICE void copy_to_shared(Value& to, const Value* from)
{
  static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) % 8 == 0 && sizeof(Value) / 8 <= 32);
  const unsigned thread = threadIdx.x;
  if (thread < sizeof(Value) / 8)
  {
    reinterpret_cast<std::uint64_t*>(&to)[thread] = reinterpret_cast<const std::uint64_t*>(from)[thread];
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
