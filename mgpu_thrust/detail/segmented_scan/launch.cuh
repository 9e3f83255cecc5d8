// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Segmented scans on a CUDA device: the layout of their temporary storage, and the launches.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/cut_kernel.cuh>
#include <mgpu_thrust/detail/cut/segment_bounds.cuh>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/segmented_scan/choice.h>
#include <mgpu_thrust/detail/segmented_scan/job.h>
#include <mgpu_thrust/detail/segmented_scan/kernels.cuh>
#include <mgpu_thrust/detail/segmented_scan/tuning.h>
#include <mgpu_thrust/detail/tile/segments/coresident_carries.cuh>
#include <mgpu_thrust/detail/tile/segments/served_carries.cuh>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Scan, class Segments, class Output>
struct device_work<segmented_scan_job<Scan, Segments, Output>>
{
  using job_type = segmented_scan_job<Scan, Segments, Output>;
  using value = typename Scan::value_type;
  using shape = segmented_scan_shape<value>;
  using coresident_shape = coresident_scan_shape<value>;
  using carries_type = served_carries<value>;

  struct plan_type : device_plan
  {
    segmented_scan_choice chosen;
  };

  /// The carries, and then where tiles begin; or the carries of a co-resident grid. The only tile needs neither.
  template <class Count>
  static plan_type plan(const job_type& job, const Count*)
  {
    const segmented_scan_choice chosen =
      detail::choose_segmented_scan<value>(job.in.num_items, job.in.num_segments, detail::current_device_room());
    const std::size_t bytes =
      chosen.path == segmented_scan_path::one_tile
        ? 0
        : (std::max)(
          begins_at(chosen.tiles) + static_cast<std::size_t>(chosen.tiles + 1) * sizeof(load_balance_point),
          coresident_type::bytes(chosen.coresident_tiles));
    return {{chosen.tiles, bytes}, chosen};
  }

  static cudaError_t
  launch(void* storage, const job_type& job, const plan_type& plan, std::int64_t*, cudaStream_t stream)
  {
    if (plan.chosen.path != segmented_scan_path::tiles)
    {
      return detail::launch_cooperative(
        detail::segmented_scan_kernel<coresident_shape, Scan, Segments, coresident_type>, plan.chosen.blocks,
        coresident_shape::threads, plan.chosen.path == segmented_scan_path::coresident_tiles, stream, job.scan, job.in,
        static_cast<int>(plan.chosen.coresident_tiles), static_cast<const load_balance_point*>(nullptr),
        coresident_type(storage));
    }
    const int tile_count = static_cast<int>(plan.tiles);
    const carries_type carries(storage, tile_count);
    auto* const begins = reinterpret_cast<load_balance_point*>(static_cast<char*>(storage) + begins_at(plan.tiles));
    const auto cut = detail::make_segment_cut<
      end_bounds<shape::weight, decltype(Segments::offsets), scanned_item_weight, shape::max_shift>>(job.in, begins);
    const cudaError_t error = detail::queue_cut(clearing_cut<std::decay_t<decltype(cut)>, value>(cut, carries), stream);
    return error != cudaSuccess ? error
                                : detail::launch_kernel(
                                  detail::segmented_scan_kernel<shape, Scan, Segments, carries_type>, tile_count + 1,
                                  shape::threads, kernels_can_overlap, stream, job.scan, job.in, tile_count,
                                  static_cast<const load_balance_point*>(begins), carries);
  }

private:
  using coresident_type = coresident_carries<value, max_coresident_scan_tiles>;

  /// Position in the storage of the points where tiles begin.
  static std::size_t begins_at(std::int64_t tiles)
  {
    return detail::round_up_storage(carries_type::bytes(tiles));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
