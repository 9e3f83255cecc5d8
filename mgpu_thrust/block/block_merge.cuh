// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// BlockMerge: a stable merge of a tile, by the threads of a block.

#include <mgpu_thrust/block/block_set_operation.cuh>
#include <mgpu_thrust/detail/base/config.h>

#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
/// @addtogroup block_merge BlockMerge
/// @{

/// A stable merge of a tile, by the threads of a one-dimensional block: of equal elements those of A go first. It is
/// BlockSetOperation with the operation Merge; see there for the parameters, the tile and the items.
///
/// Ranges longer than a tile are cut along the merge path (`mgpu::merge_path`), at equally spaced diagonals.
///
/// @code{.cu}
/// #include <mgpu_thrust/block/block_merge.cuh>
///
/// #include <cassert>
///
/// __global__ void small_merge(const float* a, int a_count, const float* b, int b_count, float* out)
/// {
///   using collective = mgpu::BlockMerge<64, 7, float>;
///   __shared__ typename collective::TempStorage temp;
///   typename collective::Items items;
///   collective(temp).Run(mgpu::SetTile{a, a_count, b, b_count}, cuda::std::less<>{}, items);
///   items.Store(out); // a_count + b_count of them
/// }
///
/// int main()
/// {
///   const float a[] = {1, 3, 5}, b[] = {2, 3, 8};
///   float* keys; // a, b, and the result
///   cudaMalloc(&keys, 12 * sizeof(float));
///   cudaMemcpy(keys, a, sizeof(a), cudaMemcpyHostToDevice);
///   cudaMemcpy(keys + 3, b, sizeof(b), cudaMemcpyHostToDevice);
///   small_merge<<<1, 64>>>(keys, 3, keys + 3, 3, keys + 6);
///   float merged[6];
///   cudaMemcpy(merged, keys + 6, sizeof(merged), cudaMemcpyDeviceToHost);
///   assert(merged[0] == 1 && merged[1] == 2 && merged[2] == 3 && merged[3] == 3 && merged[4] == 5 && merged[5] == 8);
///   return 0;
/// }
/// @endcode
///
/// Source: S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk: Merge Path (2012); S. Baxter: Modern GPU (2013).
///
/// @since 1.0
template <int BlockThreads, int ItemsPerThread, class Item = int, bool ItemsAreKeys = !std::is_same_v<Item, int>>
using BlockMerge = BlockSetOperation<Merge, BlockThreads, ItemsPerThread, Item, ItemsAreKeys>;

/// @}
MGPU_THRUST_NAMESPACE_END
