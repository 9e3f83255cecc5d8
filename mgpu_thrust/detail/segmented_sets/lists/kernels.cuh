// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernels of set operations on pairs of lists whose results are lists: the first counts what each block keeps, the
/// second writes it.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/segmented_sets/lists/serial.h>
#include <mgpu_thrust/detail/segmented_sets/lists/tuning.h>
#include <mgpu_thrust/detail/segmented_sets/pairs.h>
#include <mgpu_thrust/detail/set_operation/serial.h>

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>
#include <utility>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

// The work of a pair is divided into chunks: steps of the path of both lists, or needles. Each pair has one at least, in
// which its offset is written. The chunks of all pairs, one pair after the other, are divided into as many for each block,
// and a block takes them tile by tile: a thread has a chunk.

/// The number of steps of a chunk.
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t chunk_steps(short_side side)
{
  return side == short_side::none ? segmented_lists_shape::path_steps : segmented_lists_shape::needles;
}

/// The number of chunks of a pair; none of what is not among the pairs, if their number is deferred.
template <class Operation, class Pairs>
struct chunks_of_pair
{
  Pairs given;

  MGPU_THRUST_DEVICE std::int64_t operator()(std::int64_t pair) const
  {
    const auto& pairs = detail::sized(given);
    if (pair >= pairs.num_pairs)
    {
      return 0;
    }
    const list_work<Operation> work(pairs.pair(pair));
    const std::int64_t chunks = ::cuda::ceil_div(work.all_steps(), detail::chunk_steps(work.side()));
    return chunks > 0 ? chunks : 1;
  }
};

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

/// The chunks of a block, in tiles of which each thread has one.
template <class Operation, class Pairs, class Compare>
class block_chunks
{
  static constexpr int threads = segmented_lists_shape::threads;
  using inputs_type = decltype(std::declval<const Pairs&>().inputs(list_pair{}));

public:
  struct TempStorage
  {
    std::int64_t first_pair;
    int ends[threads]; ///< where each pair of the tile ends, as chunks of the tile; threads + 1 at most
  };

  /// A thread's chunk.
  struct chunk
  {
    std::int64_t pair;
    list_pair lists;
    bool is_first; ///< of the pair's chunks
    list_part<inputs_type> part;
  };

  MGPU_THRUST_DEVICE
  block_chunks(TempStorage& shared, const Pairs& pairs, const std::int64_t* before, Compare& comp)
      : shared_(shared)
      , pairs_(pairs)
      , before_(before)
      , comp_(comp)
  {
    const std::int64_t all = before[pairs.num_pairs];
    const std::int64_t of_block =
      ::cuda::ceil_div(::cuda::ceil_div(all, std::int64_t{gridDim.x}), std::int64_t{threads}) * threads;
    next_ = (min) (of_block * blockIdx.x, all);
    end_ = (min) (next_ + of_block, all);
    if (next_ < end_ && threadIdx.x < 32)
    {
      const std::int64_t pair = detail::warp_partition_point(
        std::int64_t{1}, pairs.num_pairs, [&](std::int64_t number) { return before[number] <= next_; });
      shared_.first_pair = pair - 1;
    }
    __syncthreads();
  }

  /// Calls f(chunk) for the chunks of each tile. All threads call f; where there is no chunk left, with an empty one.
  template <class Function>
  MGPU_THRUST_DEVICE void for_each_tile(Function f)
  {
    const int thread = static_cast<int>(threadIdx.x);
    for (; next_ < end_; next_ += threads)
    {
      // 1. Find the ends of the tile's pairs, which are as many at most as it has chunks.
      const std::int64_t first_pair = shared_.first_pair;
      const std::int64_t after = first_pair + 1 + thread;
      const std::int64_t chunks_after = after <= pairs_.num_pairs ? before_[after] - next_ : threads + 1;
      shared_.ends[thread] = static_cast<int>((min) (chunks_after, std::int64_t{threads + 1}));
      __syncthreads();
      const auto pairs_before = [&](int number)
      { return detail::partition_point(0, threads, [&](int k) { return shared_.ends[k] <= number; }); };

      // 2. Find the thread's chunk.
      const bool has_chunk = next_ + thread < end_;
      const std::int64_t pair = first_pair + (has_chunk ? pairs_before(thread) : 0);
      const list_work<Operation> work(has_chunk ? pairs_.pair(pair) : list_pair{0, 0, 0, 0});
      const std::int64_t steps = detail::chunk_steps(work.side());
      const std::int64_t begin = has_chunk ? (next_ + thread - before_[pair]) * steps : 0;
      const std::int64_t end = (min) (begin + steps, work.all_steps());
      f(chunk{
        pair, work.lists, has_chunk && begin == 0,
        detail::find_list_part(Operation{}, pairs_.inputs(work.lists), work.side(), begin, end, comp_)});

      // 3. Find the first pair of the next tile.
      if (thread == threads - 1)
      {
        shared_.first_pair = first_pair + pairs_before(threads);
      }
      __syncthreads();
    }
  }

private:
  TempStorage& shared_;
  const Pairs& pairs_;
  const std::int64_t* before_;
  Compare& comp_;
  std::int64_t next_;
  std::int64_t end_;
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
        kept += detail::count_list_part(Operation{}, own.part, comp);
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
  static_assert(sizeof(shared) + sizeof(shared_cub) + max_shared_bytes_of_function <= max_static_shared_bytes);

  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();)) // the totals are complete

  // 1. Add up the totals. Chunks of lists that are not sorted may keep more than there must be room for.
  const sized_t<Pairs> pairs = detail::sized(given);
  std::int64_t sums[3] = {0, 0, 0}; // kept before the block, kept by all, room of all
  for (int block = static_cast<int>(threadIdx.x); block < static_cast<int>(gridDim.x); block += threads)
  {
    const block_total total = division.totals[block];
    sums[0] += block < static_cast<int>(blockIdx.x) ? total.kept : 0;
    sums[1] += total.kept;
    sums[2] += total.room;
  }
#pragma unroll
  for (int k = 0; k < 3; ++k)
  {
    const std::int64_t sum = block_reduce(shared_cub.reduce).Sum(sums[k]);
    if (threadIdx.x == 0)
    {
      shared_sums[k] = sum;
    }
    __syncthreads();
  }
  std::int64_t kept = shared_sums[0];
  const std::int64_t total = (min) (shared_sums[1], shared_sums[2]);
  const std::int64_t room = (min) (total, capacity);
  if (blockIdx.x == 0 && threadIdx.x == 0)
  {
    if (count != nullptr)
    {
      *count = static_cast<Count>(total);
    }
    if (total <= max_offset)
    {
      *(offsets + pairs.num_pairs) = static_cast<Offset>(total);
    }
  }
  if (total > max_offset)
  {
    return;
  }

  // 2. Write. The offset of a chunk follows from a scan of the tile's counts.
  chunks(shared, pairs, division.before, comp)
    .for_each_tile(
      [&](const typename chunks::chunk& own)
      {
        const int own_kept = static_cast<int>(detail::count_list_part(Operation{}, own.part, comp));
        int kept_before;
        int of_tile;
        block_scan(shared_cub.scan).ExclusiveSum(own_kept, kept_before, of_tile);
        std::int64_t size = kept + kept_before;
        if (own.is_first)
        {
          *(offsets + own.pair) = static_cast<Offset>((min) (size, total));
        }
        if (own_kept > 0)
        {
          auto own_outputs = detail::outputs_at(outputs, (min) (size, room));
          detail::write_list_part(Operation{}, own.part, comp, own_outputs, size, room);
        }
        kept += of_tile;
      });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END
