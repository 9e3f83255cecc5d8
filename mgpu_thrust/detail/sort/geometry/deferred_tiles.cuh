// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The size and the tiles of a sort of a deferred number of elements, in kernels.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/sort/geometry/segments.h>
#include <mgpu_thrust/detail/sort/geometry/tiles.cuh>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A deferred size as kernels read it: at the caller's address if that is a 64-bit integer in memory, otherwise in the
/// header, which an earlier kernel fills.
using sort_size = deferred<const std::int64_t*>;

template <class Segments>
inline constexpr bool is_one_segment = false;
template <class Size>
inline constexpr bool is_one_segment<deferred_segment<Size>> = true;

template <class Size>
inline constexpr bool is_sort_size =
  std::is_same_v<Size, deferred<const std::int64_t*>> || std::is_same_v<Size, deferred<std::int64_t*>>;

/// Returns the first size in the header of inputs or segments.
template <class Inputs>
sort_size first_in_header(const Inputs& inputs)
{
  return {&inputs.header->first, detail::capacity_of(inputs.first_size)};
}

/// Returns the size that kernels take: `count`, unless it is deferred.
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
    return detail::first_in_header(segment);
  }
}

/// Returns the number of elements in segments, which queue_count_in_segments() has stored.
template <class Segments, class First, class Second>
sort_size queued_size(std::int64_t, const deferred_inputs<Segments, First, Second>& in)
{
  return detail::first_in_header(in);
}

/// Stores the number of elements in segments to the header. It is 0 if there are no segments.
template <class Segments>
MGPU_THRUST_KERNEL void count_in_segments_kernel(Segments in)
{
  in.header->first = detail::count_now(0, in);
}

/// Queues count_in_segments_kernel if segments have deferred sizes. Otherwise the number is known, or already in the
/// header.
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

/// Queues the kernel that reads the size into the header, if one is needed.
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

/// All elements as one segment, whose size kernels can read.
using stored_segment = deferred_segment<sort_size>;

/// even_tiles of a deferred number of elements, which is read at each use. The host chooses tiles and passes for the
/// capacity; tiles after the last element are empty. If no element is far, passes have no work.
struct deferred_even_tiles
{
  sort_size size;
  int items;
  const sort_locality* locality;

  static constexpr bool is_segmented = false;
  static constexpr bool is_deferred = true;

  MGPU_THRUST_DEVICE std::int64_t count() const
  {
    return detail::read_size(size);
  }
  MGPU_THRUST_DEVICE std::int64_t begin(std::int64_t tile) const
  {
    return (min) (tile * items, count());
  }
  MGPU_THRUST_DEVICE segment_range segment(std::int64_t) const
  {
    return {0, count()};
  }
  /// Both conditions are loaded without a branch between them.
  MGPU_THRUST_DEVICE bool is_active(std::int64_t tile, int) const
  {
    const int is_far = locality == nullptr || locality->is_far;
    return (is_far & static_cast<int>(tile * items < count())) != 0;
  }
  MGPU_THRUST_DEVICE static tile_borders borders(std::int64_t, std::int64_t, int tile_count)
  {
    return {tile_count, tile_count};
  }
  /// The tiles of the actual size.
  MGPU_THRUST_DEVICE even_tiles now() const
  {
    return {{count(), items}, locality};
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END
