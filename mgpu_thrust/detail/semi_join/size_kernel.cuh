// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel that counts the rows of a semi or anti join with a right input that is much shorter than the left one: it
/// bisects the left input for each right element.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/cut/cut_sizes.h>
#include <mgpu_thrust/detail/cut/guided_search.h>
#include <mgpu_thrust/detail/driver/coresident_offsets.cuh>
#include <mgpu_thrust/detail/semi_join/choice.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cub/block/block_reduce.cuh>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns the number of left rows that equal right element j, if it is the first of its equals; otherwise 0.
template <class Inputs, class Compare>
MGPU_THRUST_DEVICE std::int64_t rows_of_first_equal(const Inputs& inputs, std::int64_t j, Compare& comp)
{
  auto&& key = detail::element(inputs.b, j);
  if (j > 0 && !comp(detail::element(inputs.b, j - 1), key))
  {
    return 0;
  }
  const std::int64_t first = detail::lower_bound_in_haystack(inputs.a, inputs.a_count, key, comp);
  const bool has_row = first < inputs.a_count && !comp(key, detail::element(inputs.a, first));
  return has_row ? 1 + detail::copies_after(inputs.a, first + 1, inputs.a_count, key, comp) : 0;
}

/// Stores the number of rows that a Filter keeps. The grid is co-resident, and each block takes right elements in turn.
/// `sums` has an element for each block.
template <class Filter, class Inputs, class Compare, class Count>
MGPU_THRUST_KERNEL void __launch_bounds__(bisection_shape::threads, bisection_shape::blocks_per_multiprocessor)
  semi_join_size_kernel(Inputs given, Compare comp, std::int64_t* sums, Count* count)
{
  constexpr int threads = bisection_shape::threads;
  using block_reduce = cub::BlockReduce<std::int64_t, threads>;
  __shared__ typename block_reduce::TempStorage shared_reduce;
  const int thread = static_cast<int>(threadIdx.x);

  // 1. Each thread adds up the left rows of its right elements.
  const sized_t<Inputs>& inputs = detail::sized(given);
  std::int64_t rows = 0;
  for (std::int64_t j = std::int64_t{blockIdx.x} * threads + thread; j < inputs.b_count;
       j += std::int64_t{gridDim.x} * threads)
  {
    rows += detail::rows_of_first_equal(inputs, j, comp);
  }
  const std::int64_t sum = block_reduce(shared_reduce).Sum(rows);
  if (thread == 0)
  {
    sums[blockIdx.x] = sum;
  }

  // 2. The first block adds up the sums of all. They have read the sizes before they arrive, so the count may be stored
  //    where a size was. In unsorted inputs a left row may be counted more than once.
  auto arrival = coresident_offsets::arrive();
  if (blockIdx.x > 0)
  {
    return;
  }
  coresident_offsets::wait_for_all(arrival);
  rows = 0;
  for (int block = thread; block < static_cast<int>(gridDim.x); block += threads)
  {
    rows += sums[block];
  }
  const std::int64_t matched = block_reduce(shared_reduce).Sum(rows);
  if (thread == 0)
  {
    const std::int64_t kept = detail::clamp_index(matched, 0, inputs.a_count);
    *count = static_cast<Count>(Filter::keeps_matched ? kept : inputs.a_count - kept);
  }
}

/// Returns the bytes of storage of queue_semi_join_size() for up to `right_count` right elements.
constexpr std::size_t semi_join_size_bytes(std::int64_t right_count)
{
  return static_cast<std::size_t>((std::min)(right_count, max_tiles_cut_by_blocks)) * sizeof(std::int64_t);
}

/// Queues the kernel, in a co-resident grid of semi_join_size_blocks().
template <class Filter, class Inputs, class Compare, class Count>
cudaError_t
queue_semi_join_size(void* storage, const Inputs& inputs, Compare comp, int blocks, Count* count, cudaStream_t stream)
{
  return detail::launch_cooperative(
    detail::semi_join_size_kernel<Filter, Inputs, Compare, Count>, blocks, bisection_shape::threads, true, stream,
    inputs, comp, static_cast<std::int64_t*>(storage), count);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END
