// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A segment per block: the layout of its temporary storage, and the launches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/segmented_reduce/per_block/kernels.cuh>
#include <mgpu_thrust/detail/segmented_reduce/tuning.h>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The layout in temporary storage of the units of `num_items` items.
template <class T>
class item_units_layout
{
  using shape = segment_per_block_shape<T>;

public:
  explicit item_units_layout(std::int64_t num_items)
  {
    while (::cuda::ceil_div(num_items, std::int64_t{1} << log_items_) > shape::max_units)
    {
      ++log_items_;
    }
    count_ = static_cast<int>(::cuda::ceil_div(num_items, std::int64_t{1} << log_items_));
  }

  int count() const
  {
    return count_;
  }
  std::size_t bytes() const
  {
    return 2 * bytes_of<int>() + bytes_of<T>();
  }
  item_units<T> in(void* storage) const
  {
    char* const segments = static_cast<char*>(storage);
    char* const done = segments + bytes_of<int>();
    return {
      reinterpret_cast<int*>(segments), reinterpret_cast<int*>(done), reinterpret_cast<T*>(done + bytes_of<int>()),
      log_items_};
  }

private:
  template <class Number>
  std::size_t bytes_of() const
  {
    return detail::round_up_storage(static_cast<std::size_t>(count_) * sizeof(Number));
  }

  int log_items_ = shape::log_unit_items;
  int count_;
};

/// Queues the kernel that reduces a segment per block, and the one for long segments.
template <class Reduction, class Segments>
cudaError_t queue_segment_per_block(const Reduction& reduction, const Segments& in, void* storage, cudaStream_t stream)
{
  using value = typename Reduction::value_type;
  using shape = segment_per_block_shape<value>;
  const item_units_layout<value> layout(in.num_items);
  const item_units<value> units = layout.in(storage);
  const cudaError_t error = detail::launch_kernel(
    detail::segment_per_block_kernel<shape, value, Reduction, Segments>, static_cast<int>(in.num_segments),
    shape::threads, false, stream, reduction, in, units);
  if (error != cudaSuccess)
  {
    return error;
  }
  const int max_blocks = detail::max_coresident_blocks(shape::blocks_per_multiprocessor);
  return detail::launch_kernel(
    detail::long_segments_kernel<shape, value, Reduction, Segments>,
    max_blocks > 0 ? (std::min)(layout.count(), max_blocks) : layout.count(), shape::threads, kernels_can_overlap,
    stream, reduction, in, units);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
