// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernels of a segment per block. The second one shares long segments among blocks. There is no cut.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/segmented_reduce/serial.h>
#include <mgpu_thrust/detail/segmented_reduce/whole/warp_group.cuh>

#include <cuda/atomic>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <new>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The items of a segment.
struct segment_items
{
  std::int64_t begin;
  std::int64_t end;

  /// Wrong offsets lead to no item outside.
  template <class Offsets>
  MGPU_THRUST_DEVICE segment_items(const segments<Offsets>& in, std::int64_t segment)
      : begin(detail::clamp_index(in.offset(segment), 0, in.num_items))
      , end(detail::clamp_index(in.end(segment), begin, in.num_items))
  {
  }
  MGPU_THRUST_DEVICE std::int64_t count() const
  {
    return end - begin;
  }
};

/// All items in units of equal size. Blocks share long segments by units. A unit belongs to the segment of its first
/// item, if that segment is long. The first unit of a segment also has the segment's items before it.
template <class T>
struct item_units
{
  int* segments; ///< the segment of each unit, or -1 if that is not long
  int* done;     ///< for the first unit of a long segment, how many of the segment's units are reduced
  T* parts;      ///< for each unit of a long segment, the reduction of its items
  int log_items; ///< a unit has 2^log_items items

  /// Returns whether a segment is long. A long segment has a first unit.
  MGPU_THRUST_DEVICE bool is_long(const segment_items& items) const
  {
    return items.count() > std::int64_t{2} << log_items;
  }
  /// Returns the first unit that starts at an item or after it.
  MGPU_THRUST_DEVICE int unit_from(std::int64_t item) const
  {
    return static_cast<int>((item + (std::int64_t{1} << log_items) - 1) >> log_items);
  }
  MGPU_THRUST_DEVICE std::int64_t start(int unit) const
  {
    return std::int64_t{unit} << log_items;
  }
  /// Stores the reduction of a unit, and returns how many units of its segment are stored already.
  MGPU_THRUST_DEVICE int store(int unit, const T& part, int first_unit) const
  {
    ::new (static_cast<void*>(parts + unit)) T(part);
    ::cuda::atomic_ref<int, ::cuda::thread_scope_device> stored(done[first_unit]);
    return stored.fetch_add(1, ::cuda::memory_order_acq_rel);
  }
  /// Returns whether a unit is of a segment that is long, whatever the offsets are.
  MGPU_THRUST_DEVICE bool is_of(int unit, const segment_items& items) const
  {
    return is_long(items) && start(unit) >= items.begin && start(unit) < items.end;
  }
};

/// Reduces a segment per block, unless it is long. Stores the segment of each unit.
template <class Shape, class T, class Reduction, class Segments>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
  segment_per_block_kernel(Reduction reduction, Segments given, item_units<T> units)
{
  using group_type = warp_group<Shape, T, Reduction>;
  __shared__ typename group_type::TempStorage shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaTriggerProgrammaticLaunchCompletion();))
  const auto& in = detail::sized_segments(given);
  const int segment = static_cast<int>(blockIdx.x);
  if constexpr (is_deferred_v<Segments>)
  {
    if (segment >= in.num_segments)
    {
      return;
    }
  }

  // 1. Store the segment for its units.
  const segment_items items(in, segment);
  const bool is_long = units.is_long(items);
  const int first_unit = units.unit_from(items.begin);
#pragma unroll 1
  for (int unit = first_unit + static_cast<int>(threadIdx.x); units.start(unit) < items.end; unit += Shape::threads)
  {
    units.segments[unit] = is_long ? segment : -1;
  }
  if (is_long)
  {
    if (threadIdx.x == 0)
    {
      units.done[first_unit] = 0;
    }
    return;
  }

  // 2. Reduce it.
  group_type group(shared, reduction, 0);
  group.reduce_parts(items.begin, static_cast<int>(items.count()));
  __syncthreads();
  group.write(segment);
}

/// Returns whether there may be long segments: whether one is, unless there are many. Called by all threads of a block.
template <class Shape, class T, class Offsets>
MGPU_THRUST_DEVICE bool may_have_long_segments(const segments<Offsets>& in, const item_units<T>& units)
{
  bool has_long = in.num_segments > Shape::max_early_reads;
  if (!has_long)
  {
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < in.num_segments; i += Shape::threads)
    {
      has_long |= units.is_long(segment_items(in, i));
    }
  }
  return __syncthreads_or(has_long);
}

/// Returns whether a block has a unit of a long segment. (Wrong offsets may have stored any number.) Called by all
/// threads of the block.
template <class Shape, class T>
MGPU_THRUST_DEVICE bool has_long_unit(std::int64_t num_items, const item_units<T>& units)
{
  const int all_threads = Shape::threads * static_cast<int>(gridDim.x);
  bool has_unit = false;
  for (int unit = static_cast<int>(blockIdx.x + threadIdx.x * gridDim.x); units.start(unit) < num_items;
       unit += all_threads)
  {
    has_unit |= units.segments[unit] >= 0;
  }
  return __syncthreads_or(has_unit);
}

/// Reduces the units of long segments. The last block to finish a unit of a segment combines the segment's units. The
/// grid has at most as many blocks as are co-resident: usually no segment is long, and a block per unit would take 4 us
/// of 100 to do nothing.
template <class Shape, class T, class Reduction, class Segments>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
  long_segments_kernel(Reduction reduction, Segments given, item_units<T> units)
{
  using group_type = warp_group<Shape, T, Reduction>;
  segment_reduction of_parts{units.parts, reduction.output, reduction.init, reduction.op};
  using parts_group_type = warp_group<Shape, T, decltype(of_parts)>;
  __shared__ typename group_type::TempStorage shared;
  __shared__ typename parts_group_type::TempStorage shared_of_parts;
  __shared__ bool is_last;
  static_assert(sizeof(shared) + sizeof(shared_of_parts) + sizeof(is_last) <= max_static_shared_bytes);

  // 1. Look for long segments while the previous kernel is still executing, then for units of them.
  const auto& in = detail::sized_segments(given);
  const bool has_long = detail::may_have_long_segments<Shape>(in, units);
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the segments of units are stored now
  if (!has_long || !detail::has_long_unit<Shape>(in.num_items, units))
  {
    return;
  }

#pragma unroll 1
  for (int unit = static_cast<int>(blockIdx.x); units.start(unit) < in.num_items; unit += static_cast<int>(gridDim.x))
  {
    const int segment = units.segments[unit];
    if (segment < 0 || segment >= in.num_segments)
    {
      continue;
    }
    const segment_items items(in, segment);
    if (!units.is_of(unit, items))
    {
      continue;
    }

    // 2. Reduce its items.
    const int first_unit = units.unit_from(items.begin);
    const int unit_count = units.unit_from(items.end) - first_unit;
    const std::int64_t begin = unit == first_unit ? items.begin : units.start(unit);
    group_type group(shared, reduction, 0);
    group.reduce_parts(begin, static_cast<int>((min) (units.start(unit + 1), items.end) - begin));
    __syncthreads();
    if (threadIdx.x < 32)
    {
      const T part = group.combine_parts();
      if (threadIdx.x == 0)
      {
        is_last = units.store(unit, part, first_unit) == unit_count - 1;
      }
    }
    __syncthreads();

    // 3. Combine the segment's units if this one was the last.
    if (is_last)
    {
      parts_group_type group_of_parts(shared_of_parts, of_parts, 0);
      group_of_parts.reduce_parts(first_unit, unit_count);
      __syncthreads();
      group_of_parts.write(segment);
    }
    __syncthreads(); // shared memory is free for the next unit
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END
