// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Folds of runs on a CUDA device: the passes of a merge of runs. The last pass folds.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/driver/tile_offsets.cuh>
#include <mgpu_thrust/detail/execute/device_plan.cuh>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/multiway_merge/choice.h>
#include <mgpu_thrust/detail/multiway_merge/fold/fold_tile.cuh>
#include <mgpu_thrust/detail/multiway_merge/job.h>
#include <mgpu_thrust/detail/multiway_merge/run_bounds.cuh>
#include <mgpu_thrust/detail/multiway_merge/runs_launch.cuh>
#include <mgpu_thrust/detail/multiway_merge/runs_pass.cuh>
#include <mgpu_thrust/detail/sort/tuning.h>
#include <mgpu_thrust/detail/tile/merge/moved_elements.cuh>
#include <mgpu_thrust/detail/tile/segments/served_carries.cuh>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Number of items of a thread of a fold, whose keys and values are in registers.
constexpr int fold_items_per_thread(int bytes)
{
  return bytes <= 8 ? 21 : bytes <= 16 ? 7 : bytes <= 32 ? 5 : 3;
}
/// The shapes of a fold of items of `Bytes` bytes.
template <int Bytes>
using fold_shapes =
  sort_shapes<tile_shape<256, fold_items_per_thread(Bytes), 3>, tile_shape<288, fold_items_per_thread(Bytes), 3>>;

template <class Fold, class Count>
struct pass_kernel<fold_output<Fold, Count>>
{
  template <class Shapes, class From, class Compare>
  static cudaError_t launch(
    const From& from, const fold_output<Fold, Count>& to, const runs_pass& pass, const Compare& comp,
    cudaStream_t stream)
  {
    return detail::launch_kernel(
      detail::fold_runs_kernel<Shapes, From, fold_output<Fold, Count>, Compare>,
      static_cast<int>(pass.tiles) + fold_serving_blocks, Shapes::merge::threads, kernels_can_overlap, stream, from, to,
      pass, comp);
  }
};

template <class Runs, class Keys, class Values, class Op, class Keep, class Compare>
struct device_work<multiway_merge_job<Runs, folded_elements<Keys, Values, Op, Keep>, Compare>>
{
private:
  using job_type = multiway_merge_job<Runs, folded_elements<Keys, Values, Op, Keep>, Compare>;
  using runs_type = sized_t<Runs>; // the sizes of these are capacities here
  using keys_type = decltype(detail::keys_of_runs(std::declval<const runs_type&>(), nullptr));
  using values_type = decltype(detail::values_of_runs(std::declval<const runs_type&>(), nullptr));
  using fold_type = device_fold<keys_type, values_type, typename job_type::outputs_type, Op, Keep>;
  using in_type = decltype(fold_type::in(std::declval<keys_type>(), std::declval<values_type>()));
  using shapes = fold_shapes<fold_type::item_bytes>;
  using carries_type = served_carries<typename fold_type::group>;
  // The order has no name here: see the work of other merges.
  template <class Count>
  using merge_to = merge_of_runs<
    in_type, fold_output<fold_type, Count>,
    decltype(detail::order_of(std::declval<keys_type>(), std::declval<typename job_type::order_type>())), shapes>;

public:
  struct plan_type : device_plan
  {
    multiway_merge_choice merged;
    std::int64_t folded_tiles; ///< of the last pass
    std::size_t carries_at;
    std::size_t bounds_at; ///< what is before them is cleared
    std::size_t rest_at;
    std::size_t scan_bytes;
  };

  /// The storage has the offsets and the carries of tiles, and the bounds of runs. After these is the storage of the
  /// scan that finds bounds, and at the same place that of the merge.
  template <class Count>
  static plan_type plan(const job_type& job, const Count*)
  {
    const std::int64_t count = job.runs.num_items;
    const std::int64_t runs = job.runs.num_runs;
    const int passes = merge_plan{(std::max)(runs, std::int64_t{2})}.passes();
    const auto tiles_of = [&](int number)
    { return detail::tiles_of_runs(count, detail::pass_of_runs(runs, number), shapes::tile_items); };
    plan_type plan{{}, {multiway_merge_path::merged, passes, tiles_of(0)}, tiles_of(passes - 1)};
    plan.tiles = plan.merged.tiles + fold_serving_blocks;
    plan.carries_at = detail::round_up_storage(tile_offsets::bytes(plan.folded_tiles));
    plan.bounds_at = plan.carries_at + detail::round_up_storage(carries_type::bytes(plan.folded_tiles));
    plan.rest_at =
      plan.bounds_at + detail::round_up_storage((static_cast<std::size_t>(runs) + 1) * sizeof(std::int64_t));
    plan.error = detail::queue_run_bounds(nullptr, plan.scan_bytes, job.runs, nullptr, nullptr);
    plan.bytes = plan.rest_at + (std::max)(merge_to<Count>::storage_bytes(count, plan.merged), plan.scan_bytes);
    return plan;
  }
  template <class Count>
  static cudaError_t
  launch(void* storage, const job_type& job, const plan_type& plan, Count* count, cudaStream_t stream)
  {
    auto* const bytes = static_cast<unsigned char*>(storage);
    auto* const bounds = reinterpret_cast<std::int64_t*>(bytes + plan.bounds_at);
    const runs_type& runs = job.runs;

    // 1. Clear offsets and carries, and find where runs begin.
    cudaError_t error = cudaMemsetAsync(bytes, 0, plan.bounds_at, stream);
    std::size_t scan_bytes = plan.scan_bytes;
    error = error == cudaSuccess ? detail::queue_run_bounds(bytes + plan.rest_at, scan_bytes, job.runs, bounds, stream)
                                 : error;
    if (error != cudaSuccess)
    {
      return error;
    }

    // 2. Merge, and fold in the last pass.
    const auto keys = detail::keys_of_runs(runs, bounds);
    const auto values = detail::values_of_runs(runs, bounds);
    const fold_output<fold_type, Count> to{
      {keys, values, job.output.outputs(), job.output.op, job.output.keep},
      {bytes, plan.folded_tiles},
      {bytes + plan.carries_at, plan.folded_tiles},
      count};
    return merge_to<Count>::launch(
      bytes + plan.rest_at, plan.merged, fold_type::in(keys, values), to,
      deferred<const std::int64_t*>{bounds + runs.num_runs, runs.num_items}, runs.num_runs, bounds,
      detail::order_of(keys, job.order()), stream);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
