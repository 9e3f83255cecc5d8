// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The path of a merge of any number of runs on a GPU, by sizes and types. The comments of the paths are the table
/// "What runs when" of docs/how-it-works/multiway_merge.md.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/sort/tuning.h>

#include <cuda/cmath>

#include <algorithm>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Minimum mean length of runs that are merged. A group of eight shorter ones does not fill a tile.
inline constexpr std::int64_t min_mean_of_merged_runs = 1024;

/// Number of elements from which on merges may have a pass more than the sort, which sorts tiles first. On an H100,
/// 2^27 int32 in 100,000 runs take 0.90 of its time with six passes for five, 2^21 in 1,000 runs 1.12 with four for
/// three.
inline constexpr std::int64_t min_merged_by_more_passes = std::int64_t{1} << 23;

/// Merges of any number of runs. Large keys and values are merged by their indices, and copied once afterwards. If runs
/// are merged, are in buffers of their own, or have deferred sizes, a scan finds first where each begins in the
/// sequence of all of them, unless the host knows.
enum class multiway_merge_path
{
  /// The sort of the runs one after the other, on its paths.
  /// When: up to {max_pairwise<4>} elements, {max_pairwise<16>} if keys have more than 8 bytes; runs of fewer than
  /// {min_mean_of_merged_runs} elements on average; or if merges had more passes than the sort, two more from
  /// {min_merged_by_more_passes} elements on
  /// Kernels: those of the sort, such as block_sort_kernel, merge_pairs_kernel, merge_pass_kernel; before them two of
  /// cub::DeviceScan, if the scan is needed
  /// Launches: those of the sort, and 2 by the scan
  /// Why: 2^20 int32 in 64 runs take as long as the sort, 65 us; runs of a few elements fill no tile; 2^21 in 1,000
  /// runs take 1.12 of the time of the sort by four passes for three (H100)
  sorted,
  /// Each pass cuts and merges groups of up to eight runs; each group has tiles of its own. Runs that are not plain
  /// memory are copied to it first.
  /// When: more elements; all folds of equal keys
  /// Kernels: two of cub::DeviceScan, cut_kernel, merge_runs_kernel; where elements are copied, one of cub::DeviceFor;
  /// in the last pass of a fold fold_runs_kernel
  /// Launches: 2 by the scan, 2 a pass, and 1 for each copy; for a fold a cudaMemsetAsync too
  /// Why: 2^27 int32 in 64 equal runs take 0.40 of the time of the sort, in 1,024 0.64 (H100)
  /// Data: a tile whose elements are in one run is copied
  merged
};

/// What a merge decides, once a call.
struct multiway_merge_choice
{
  multiway_merge_path path;
  int passes;         ///< over given runs
  std::int64_t tiles; ///< of the first of these passes, which has most
};

/// Returns pass `number` over given runs; these are what merge_pass calls tiles. A single run has a pass, too, which
/// copies it.
constexpr merge_pass pass_of_runs(std::int64_t num_runs, int number)
{
  merge_pass pass = merge_plan{(std::max)(num_runs, std::int64_t{2})}.pass(number);
  pass.tiles = num_runs;
  return pass;
}
/// Returns the number of tiles of a pass for `count` elements: see runs_pass.
constexpr std::int64_t tiles_of_runs(std::int64_t count, const merge_pass& pass, int tile_items)
{
  const std::int64_t group = std::int64_t{1} << (pass.run_level + pass.levels);
  return count / tile_items + (pass.tiles + group - 1) / group;
}

/// Chooses for a merge of `count` elements in `num_runs` runs; for deferred sizes these are the capacities.
template <class Key, int ValueBytes>
constexpr multiway_merge_choice choose_multiway_merge(std::int64_t count, std::int64_t num_runs)
{
  using path = multiway_merge_path;
  constexpr int tile_items = sort_shapes_t<Key, ValueBytes>::tile_items;
  const int passes = merge_plan{(std::max)(num_runs, std::int64_t{2})}.passes();
  const std::int64_t tiles = detail::tiles_of_runs(count, detail::pass_of_runs(num_runs, 0), tile_items);
  if (count <= max_pairwise<sizeof(Key)> || count / min_mean_of_merged_runs < num_runs)
  {
    return {path::sorted, passes, tiles};
  }
  const merge_plan sort{::cuda::ceil_div(count, std::int64_t{tile_items})};
  const int more = count < min_merged_by_more_passes ? 0 : 1;
  return {passes <= sort.passes() + more ? path::merged : path::sorted, passes, tiles};
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
