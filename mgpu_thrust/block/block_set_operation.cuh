// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// BlockSetOperation: a set operation on a tile, by the threads of a block.

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/set_operation/thread_set_operation.cuh>
#include <mgpu_thrust/detail/tile/merge/set_tile.cuh>

#include <cub/block/block_scan.cuh>
#include <cub/util_type.cuh>

#include <cuda/std/cstdint>
#include <cuda/std/functional>

#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN

/// @addtogroup block_set_operation Operations of a tile
/// @{
using SetIntersection = detail::set_intersection_t;                ///< for BlockSetOperation
using SetUnion = detail::set_union_t;                              ///< for BlockSetOperation
using SetDifference = detail::set_difference_t;                    ///< for BlockSetOperation
using SetSymmetricDifference = detail::set_symmetric_difference_t; ///< for BlockSetOperation
using Merge = detail::merge_t;                                     ///< for BlockSetOperation, under the name BlockMerge
/// @}

/// A set operation on a tile, by the threads of a one-dimensional block.
///
/// @tparam Operation      SetIntersection, SetUnion, SetDifference, SetSymmetricDifference or Merge
/// @tparam BlockThreads   threads of the block, a multiple of 32
/// @tparam ItemsPerThread 1 to 31. A tile holds up to BlockThreads * ItemsPerThread elements of A and B together, and
///                        one that a star adds. Odd numbers avoid bank conflicts.
/// @tparam Item           representation of a kept element: `int` for its number in the tile (i for a[i],
///                        a_count + j for b[j]), or the key type, to have the keys themselves, which is faster for keys
///                        of up to 4 bytes. Keys of type int need the fifth parameter to tell one from the other.
/// @tparam ItemsAreKeys   whether items are keys; default: unless Item is int
///
/// @param shared shared memory of the block
/// @param tile   the keys of both ranges, sorted by `comp`, and how many, the same in all threads
/// @param comp   strict weak order on all four combinations of key types
/// @param items  receives the result
/// @since 1.0
///
/// All threads of the block must call Run. Before another one on the same TempStorage the caller needs a barrier.
///
/// Each thread finds the start of its part of the tile by a search along the balanced path and executes the operation
/// on that part in registers; a scan then gives the positions of its results. Exact for any number of copies of a key;
/// the comparator is called on elements of the ranges only. Work: O(log tile + ItemsPerThread) a thread.
///
/// @code{.cu}
/// #include <mgpu_thrust/block/block_set_operation.cuh>
///
/// #include <cassert>
///
/// __global__ void small_intersection(const float* a, int a_count, const float* b, int b_count, float* out, int* count)
/// {
///   using collective = mgpu::BlockSetOperation<mgpu::SetIntersection, 64, 7, float>;
///   __shared__ typename collective::TempStorage temp;
///   typename collective::Items items;
///   collective(temp).Run(mgpu::SetTile{a, a_count, b, b_count}, cuda::std::less<>{}, items);
///   items.Store(out);
///   if (threadIdx.x == 0)
///   {
///     *count = items.total;
///   }
/// }
///
/// int main()
/// {
///   const float a[] = {1, 3, 3, 5, 8}, b[] = {3, 3, 3, 4, 8};
///   float* keys; // a, b, and the result
///   int* d_count;
///   cudaMalloc(&keys, 15 * sizeof(float));
///   cudaMalloc(&d_count, sizeof(int));
///   cudaMemcpy(keys, a, sizeof(a), cudaMemcpyHostToDevice);
///   cudaMemcpy(keys + 5, b, sizeof(b), cudaMemcpyHostToDevice);
///   small_intersection<<<1, 64>>>(keys, 5, keys + 5, 5, keys + 10, d_count);
///   int count = 0;
///   float both[3];
///   cudaMemcpy(&count, d_count, sizeof(count), cudaMemcpyDeviceToHost);
///   cudaMemcpy(both, keys + 10, sizeof(both), cudaMemcpyDeviceToHost);
///   assert(count == 3 && both[0] == 3 && both[1] == 3 && both[2] == 8);
///   return 0;
/// }
/// @endcode
///
/// Source: S. Baxter: Modern GPU, "Multisets" (2013); written anew here.
template <
  class Operation, int BlockThreads, int ItemsPerThread, class Item = int,
  bool ItemsAreKeys = !std::is_same_v<Item, int>>
class BlockSetOperation
{
  static_assert(BlockThreads % 32 == 0, "mgpu_thrust: a block is made of whole warps");
  static_assert(ItemsPerThread >= 1 && ItemsPerThread <= 31, "mgpu_thrust: a thread's items are bits of a 32-bit word");
  static_assert(BlockThreads * ItemsPerThread < 65535, "mgpu_thrust: elements of a tile are numbered in 16 bits");

  using block_scan = cub::BlockScan<int, BlockThreads, cub::BLOCK_SCAN_WARP_SCANS>;
  struct thread_begin
  {
    ::cuda::std::uint16_t a;
    ::cuda::std::uint16_t b;
  };
  struct temp_storage
  {
    thread_begin begins[BlockThreads + 1];
    typename block_scan::TempStorage scan;
  };

public:
  static constexpr int steps = ItemsPerThread + Operation::matches; ///< items of a thread, at most; a star may add one

  /// The shared memory that the collective needs; it may be used again after a barrier.
  struct TempStorage : cub::Uninitialized<temp_storage>
  {
  };

  /// The result, spread over the threads.
  struct Items
  {
    Item item[steps];           ///< a thread's elements, kept ones and others
    ::cuda::std::uint32_t kept; ///< bit k is set if item[k] is kept
    int position;               ///< position of the first kept one in the tile's result
    int total;                  ///< number of elements that the whole tile keeps

    /// Writes the kept items at their positions: `output` receives `total` of them, in order. It may be the memory of
    /// the tile's keys. A barrier makes them visible to other threads.
    ///
    /// @param output random-access iterator, the same in all threads
    template <class Output>
    MGPU_THRUST_DEVICE void Store(Output output) const
    {
      output += position;
#pragma unroll
      for (int step = 0; step < steps; ++step)
      {
        if (kept >> step & 1)
        {
          *(output + (Operation::matches ? 0 : step)) = item[step];
          output += int{Operation::matches};
        }
      }
    }

    /// Writes only the kept items at positions first, first + 1, ... first + count - 1, to output[0], output[1] and so
    /// on.
    ///
    /// @param output      random-access iterator, the same in all threads
    /// @param first,count the positions
    template <class Output>
    MGPU_THRUST_DEVICE void Store(Output output, int first, int count) const
    {
      int index = position - first;
#pragma unroll
      for (int step = 0; step < steps; ++step)
      {
        const bool is_kept = kept >> step & 1;
        if (is_kept && index >= 0 && index < count)
        {
          *(output + index) = item[step];
        }
        index += is_kept;
      }
    }
  };

  MGPU_THRUST_DEVICE explicit BlockSetOperation(TempStorage& shared)
      : shared_(shared.Alias())
      , thread_(static_cast<int>(threadIdx.x))
  {
  }

  /// Executes the operation on a tile; called by all threads of the block. The tile's keys are not read any more when
  /// it returns. Preconditions: as SetTile and the template parameters say; the ranges are sorted by `comp`.
  template <class KeysA, class KeysB, class Compare>
  MGPU_THRUST_DEVICE void Run(const SetTile<KeysA, KeysB>& tile, Compare comp, Items& items)
  {
    // 1. Find where the threads' parts begin. Every search is within the tile.
    const int diagonal = (min) (thread_ * ItemsPerThread, tile.a_count + tile.b_count);
    const auto point = detail::operation_path(Operation{}, tile.a, tile.a_count, tile.b, tile.b_count, diagonal, comp);
    shared_.begins[thread_] = begin(point.a_index, point.b_index);
    if (thread_ == 0)
    {
      shared_.begins[BlockThreads] = begin(tile.a_count, tile.b_count);
    }
    __syncthreads();
    const thread_begin end = shared_.begins[thread_ + 1];

    // 2. Execute the steps of each part.
    using numbers_policy = std::conditional_t<
      std::is_same_v<Item, detail::matched_number>, detail::items_are_matched_numbers, detail::items_are_numbers>;
    using items_policy = std::conditional_t<ItemsAreKeys, detail::items_are_keys, numbers_policy>;
    const detail::thread_part part{point.a_index, point.b_index, end.a, end.b};
    if constexpr (std::is_pointer_v<KeysA> && std::is_pointer_v<KeysB>)
    {
      items.kept = tile.a_continues && tile.b_continues
                     ? detail::run_inner_steps<steps>(
                       Operation{}, items_policy{}, tile.a, tile.a_count, tile.b, part, comp, items.item)
                     : detail::run_last_steps<steps>(
                       Operation{}, items_policy{}, tile.a, tile.a_count, tile.b, part, comp, items.item);
    }
    else
    {
      items.kept = detail::run_last_steps<steps>(
        Operation{}, items_policy{}, tile.a, tile.a_count, tile.b, part, comp, items.item);
    }

    // 3. Find the positions of their results.
    if constexpr (Operation::matches)
    {
      block_scan(shared_.scan).ExclusiveSum(__popc(items.kept), items.position, items.total);
    }
    else
    {
      items.position = diagonal;
      items.total = tile.a_count + tile.b_count;
      __syncthreads();
    }
  }

private:
  MGPU_THRUST_DEVICE static thread_begin begin(int a, int b)
  {
    return {static_cast<::cuda::std::uint16_t>(a), static_cast<::cuda::std::uint16_t>(b)};
  }

  temp_storage& shared_;
  int thread_;
};

MGPU_THRUST_NAMESPACE_END
