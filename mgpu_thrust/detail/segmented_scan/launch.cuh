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
#include <mgpu_thrust/detail/tile/coresident_carries.cuh>
#include <mgpu_thrust/detail/tile/served_carries.cuh>

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

  static std::int64_t tiles(const job_type& job)
  {
    return shape::tiles(job.in.num_items, job.in.num_segments);
  }
  /// The carries, and then where tiles begin; or the carries of a co-resident grid. The only tile needs neither.
  static cudaError_t storage_bytes(const job_type& job, std::size_t& bytes)
  {
    bytes = path_of(job, device_room{}) == segmented_scan_path::one_tile
              ? 0
              : (std::max)(
                begins_at(job) + static_cast<std::size_t>(tiles(job) + 1) * sizeof(load_balance_point),
                coresident_type::bytes(coresident_tiles(job)));
    return cudaSuccess;
  }

  static cudaError_t launch(void* storage, const job_type& job, std::int64_t*, cudaStream_t stream)
  {
    const device_room device = detail::current_device_room();
    const segmented_scan_path path = path_of(job, device);
    if (path != segmented_scan_path::tiles)
    {
      const int tile_count = static_cast<int>(coresident_tiles(job));
      const bool wait = path == segmented_scan_path::coresident_tiles;
      return detail::launch_cooperative(
        detail::segmented_scan_kernel<coresident_shape, Scan, Segments, coresident_type>,
        wait ? coresident_shape::blocks(tile_count, job.in.num_items, device) : 1, coresident_shape::threads, wait,
        stream, job.scan, job.in, tile_count, static_cast<const load_balance_point*>(nullptr),
        coresident_type(storage));
    }
    const int tile_count = static_cast<int>(tiles(job));
    const carries_type carries(storage, tile_count);
    auto* const begins = reinterpret_cast<load_balance_point*>(static_cast<char*>(storage) + begins_at(job));
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

  static std::int64_t coresident_tiles(const job_type& job)
  {
    return coresident_shape::tiles(job.in.num_items, job.in.num_segments);
  }
  static segmented_scan_path path_of(const job_type& job, const device_room& device)
  {
    return detail::choose_segmented_scan_path<value>(job.in.num_items, job.in.num_segments, device);
  }
  /// Position in the storage of the points where tiles begin.
  static std::size_t begins_at(const job_type& job)
  {
    return detail::round_up_storage(carries_type::bytes(tiles(job)));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
