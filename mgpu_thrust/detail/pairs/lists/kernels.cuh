// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernels of set operations on pairs of lists whose results are lists: the first counts what each block keeps, the
/// second writes it.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/pairs/lists/chunks.cuh>
#include <mgpu_thrust/detail/pairs/lists/serial.h>
#include <mgpu_thrust/detail/pairs/lists/tuning.h>
#include <mgpu_thrust/detail/pairs/pairs.h>
#include <mgpu_thrust/detail/set_operation/serial.h>

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include <cuda_runtime_api.h>

#include <cstdint>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// What the chunks of a block keep, and what they may keep at most, of sorted lists.
struct block_total
{
  std::int64_t kept;
  std::int64_t room;
};

/// The chunks of all pairs.
struct list_chunks
{
  const std::int64_t* before; ///< the chunks before each pair, and the number of all
  block_total* totals;        ///< of each block
};

/// Counts what the chunks of each block keep.
template <class Operation, class Pairs, class Compare>
MGPU_THRUST_KERNEL void
__launch_bounds__(segmented_lists_shape::threads, segmented_lists_shape::blocks_per_multiprocessor)
  count_lists_kernel(Pairs given, Compare comp, list_chunks division)
{
  using chunks = block_chunks<Operation, sized_t<Pairs>, Compare>;
  using block_reduce = cub::BlockReduce<std::int64_t, segmented_lists_shape::threads>;
  __shared__ typename chunks::TempStorage shared;
  __shared__ typename block_reduce::TempStorage shared_reduce;
  static_assert(sizeof(shared) + sizeof(shared_reduce) + max_shared_bytes_of_function <= max_static_shared_bytes);

  const sized_t<Pairs> pairs = [&]
  {
    if constexpr (is_deferred_v<Pairs>)
    {
      return detail::sized_into_header(given, [](const auto&) { return 0; });
    }
    else
    {
      return given;
    }
  }();
  std::int64_t kept = 0;
  std::int64_t room = 0;
  chunks(shared, pairs, division.before, comp)
    .for_each_tile(
      [&](const typename chunks::chunk& own)
      {
        kept += own.decisions.kept();
        room += own.is_first ? detail::max_kept(Operation{}, own.lists) : 0;
      });
  kept = block_reduce(shared_reduce).Sum(kept);
  __syncthreads();
  room = block_reduce(shared_reduce).Sum(room);
  if (threadIdx.x == 0)
  {
    division.totals[blockIdx.x] = {kept, room};
  }
}

/// An element of a tile's result in shared memory: the chunk that keeps it, where it is in that, and the step that it
/// is of. In order of the result these are written together.
class kept_element
{
public:
  kept_element() = default;
  MGPU_THRUST_DEVICE kept_element(int chunk, list_step step, int i, int j)
      : bits_(
        static_cast<unsigned>(chunk) << 12 | static_cast<unsigned>(i) << 7 | static_cast<unsigned>(j) << 2
        | static_cast<unsigned>(step))
  {
  }
  MGPU_THRUST_DEVICE int chunk() const
  {
    return static_cast<int>(bits_ >> 12);
  }
  MGPU_THRUST_DEVICE int i() const
  {
    return static_cast<int>(bits_ >> 7 & 31);
  }
  MGPU_THRUST_DEVICE int j() const
  {
    return static_cast<int>(bits_ >> 2 & 31);
  }
  MGPU_THRUST_DEVICE list_step step() const
  {
    return static_cast<list_step>(bits_ & 3);
  }

private:
  static_assert(segmented_lists_shape::path_steps < 31, "a starred cut adds a step, and five bits hold each index");

  unsigned bits_;
};

/// Maximum number of elements that an operation keeps of a chunk, whose path may have a starred cut.
template <class Operation>
inline constexpr int max_kept_of_chunk = Operation::keeps_unmatched_a || Operation::keeps_unmatched_b
                                           ? segmented_lists_shape::path_steps + 1
                                           : (segmented_lists_shape::path_steps + 1) / 2;

/// Writes the element of a step, given the arrays of all lists, and where it is in them.
template <class Operation, class Inputs, class Outputs>
MGPU_THRUST_DEVICE void write_kept_element(
  Operation, list_step step, const Inputs& arrays, std::int64_t i, std::int64_t j, const Outputs& outputs)
{
  typename sink_to<Inputs, Outputs>::type sink{arrays, outputs};
  if constexpr (Operation::keeps_unmatched_b)
  {
    if (step == list_step::of_b)
    {
      sink.from_b(detail::element(arrays.b, j), j);
      return;
    }
  }
  if constexpr (Operation::keeps_unmatched_a)
  {
    if (step == list_step::of_a)
    {
      sink.from_a(detail::element(arrays.a, i), i);
      return;
    }
  }
  if constexpr (Operation::keeps_matched)
  {
    sink.from_match(detail::element(arrays.a, i), i, j);
  }
}

/// Writes an element of a tile, given where its chunks begin in the arrays.
template <class Operation, class Inputs, class Outputs>
MGPU_THRUST_DEVICE void write_kept_element(
  Operation operation, kept_element element, const std::int64_t* a_begins, const std::int64_t* b_begins,
  const Inputs& arrays, const Outputs& outputs)
{
  const std::int64_t i = a_begins[element.chunk()] + element.i();
  const std::int64_t j = b_begins[element.chunk()] + element.j();
  detail::write_kept_element(operation, element.step(), arrays, i, j, outputs);
}

/// Puts the elements that the thread's chunk keeps.
template <class Operation>
MGPU_THRUST_DEVICE void put_kept(Operation operation, const chunk_decisions& decisions, kept_element* to)
{
  decisions.for_each_kept(
    operation, [&](list_step step, int i, int j) { *to++ = kept_element(static_cast<int>(threadIdx.x), step, i, j); });
}

/// Stores the number of all elements, unless `count` is null, and at `end` where the last list ends, unless that is
/// more than the largest offset.
template <class Offset, class Offsets, class Count>
MGPU_THRUST_DEVICE void store_list_total(std::int64_t total, std::int64_t max_offset, Offsets end, Count* count)
{
  if (count != nullptr)
  {
    *count = detail::saturated_index<Count>(total);
  }
  if (total <= max_offset)
  {
    *end = static_cast<Offset>(total);
  }
}

/// Adds up the totals of all blocks to sums[]: what is kept before the calling block, what all keep, and the room of
/// all. Called by all threads of a block. It ends with a barrier.
template <class BlockReduce>
MGPU_THRUST_DEVICE void
add_up_totals(const block_total* totals, typename BlockReduce::TempStorage& shared, std::int64_t (&sums)[3])
{
  std::int64_t own[3] = {0, 0, 0};
  for (int block = static_cast<int>(threadIdx.x); block < static_cast<int>(gridDim.x);
       block += segmented_lists_shape::threads)
  {
    const block_total total = totals[block];
    own[0] += block < static_cast<int>(blockIdx.x) ? total.kept : 0;
    own[1] += total.kept;
    own[2] += total.room;
  }
#pragma unroll
  for (int k = 0; k < 3; ++k)
  {
    const std::int64_t sum = BlockReduce(shared).Sum(own[k]);
    if (threadIdx.x == 0)
    {
      sums[k] = sum;
    }
    __syncthreads();
  }
}

/// Writes what is kept, by blocks that have the same chunks as those that counted. *count receives the number of all
/// elements; if that is more than the largest offset, nothing else is written.
template <class Operation, class Pairs, class Outputs, class Offsets, class Offset, class Compare, class Count>
MGPU_THRUST_KERNEL void
__launch_bounds__(segmented_lists_shape::threads, segmented_lists_shape::blocks_per_multiprocessor) write_lists_kernel(
  Pairs given, Outputs outputs, std::int64_t capacity, Offsets offsets, Compare comp, list_chunks division,
  std::int64_t max_offset, Count* count)
{
  constexpr int threads = segmented_lists_shape::threads;
  using chunks = block_chunks<Operation, sized_t<Pairs>, Compare>;
  using block_reduce = cub::BlockReduce<std::int64_t, threads>;
  using block_scan = cub::BlockScan<int, threads>;
  __shared__ typename chunks::TempStorage shared;
  __shared__ union
  {
    typename block_reduce::TempStorage reduce;
    typename block_scan::TempStorage scan;
  } shared_cub;
  __shared__ std::int64_t shared_sums[3];
  __shared__ kept_element shared_kept[threads * max_kept_of_chunk<Operation>];
  static_assert(
    sizeof(shared) + sizeof(shared_cub) + sizeof(shared_kept) + max_shared_bytes_of_function
    <= max_static_shared_bytes);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the totals are complete

  // 1. Add up the totals. Chunks of lists that are not sorted may keep more than max_kept().
  const sized_t<Pairs> pairs = detail::sized(given);
  detail::add_up_totals<block_reduce>(division.totals, shared_cub.reduce, shared_sums);
  std::int64_t kept = shared_sums[0]; // before the tile
  const std::int64_t total = (min) (shared_sums[1], shared_sums[2]);
  const std::int64_t room = (min) (total, capacity);
  if (blockIdx.x == 0 && threadIdx.x == 0)
  {
    detail::store_list_total<Offset>(total, max_offset, offsets + pairs.num_pairs, count);
  }
  if (total > max_offset)
  {
    return;
  }

  const auto arrays = pairs.inputs(list_pair{0, 0, 0, 0});
  chunks(shared, pairs, division.before, comp)
    .for_each_tile(
      [&](const typename chunks::chunk& own)
      {
        // 2. Put the elements of the tile in order.
        int kept_before;
        int kept_of_tile;
        block_scan(shared_cub.scan).ExclusiveSum(own.decisions.kept(), kept_before, kept_of_tile);
        if (own.is_first)
        {
          *(offsets + own.pair) = static_cast<Offset>((min) (kept + kept_before, total));
        }
        detail::put_kept(Operation{}, own.decisions, shared_kept + kept_before);
        __syncthreads();

        // 3. Write them.
        for (int k = static_cast<int>(threadIdx.x); k < kept_of_tile && kept + k < room; k += threads)
        {
          detail::write_kept_element(
            Operation{}, shared_kept[k], shared.a_begins, shared.b_begins, arrays,
            detail::outputs_at(outputs, kept + k));
        }
        kept += kept_of_tile;
      });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END
