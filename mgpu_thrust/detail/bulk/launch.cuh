// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Bulk removal and insertion on a CUDA device: their temporary storage, and the launches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/bulk/choice.h>
#include <mgpu_thrust/detail/bulk/job.h>
#include <mgpu_thrust/detail/bulk/kernels.cuh>
#include <mgpu_thrust/detail/bulk/serial.h>
#include <mgpu_thrust/detail/bulk/tuning.h>
#include <mgpu_thrust/detail/cut/cut_kernel.cuh>
#include <mgpu_thrust/detail/cut/cut_sizes.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/execute/enqueue.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A removal. Its tiles are of elements. Its temporary storage holds the header of deferred sizes and, if a kernel
/// cuts, the number of indices before each tile.
template <class Path, class Input, class Output>
struct device_work<bulk_job<bulk_removal<Path, Input>, Output>>
{
  using edit_type = bulk_removal<Path, Input>;
  using job_type = bulk_job<edit_type, Output>;
  using shape = decltype(choose_bulk_shape<edit_type::largest_element_bytes>());

  struct plan_type : device_plan
  {
    bulk_removal_path path;
  };

  template <class Count>
  static plan_type plan(const job_type& job, const Count*)
  {
    const auto chosen = detail::choose_bulk_removal<edit_type::largest_element_bytes>(
      job.edit.path.b_count, job.edit.path.a_count, is_deferred_v<Path>);
    const bool has_cut = chosen.path == bulk_removal_path::tiles;
    const std::size_t bytes =
      detail::header_bytes<Path>() + (has_cut ? static_cast<std::size_t>(chosen.tiles + 1) * sizeof(std::int64_t) : 0);
    return {{chosen.tiles, bytes}, chosen.path};
  }
  template <class Count>
  static cudaError_t
  launch(void* storage, const job_type& job, const plan_type& plan, Count* count, cudaStream_t stream)
  {
    const Path& path = detail::with_header(job.edit.path, storage);
    const int tile_count = static_cast<int>(plan.tiles);
    std::int64_t* tile_indices = nullptr;
    if (plan.path == bulk_removal_path::tiles)
    {
      using cut = std::conditional_t<
        is_deferred_v<Path>, deferred_removal_cut<shape::items, Path>, removal_cut<shape::items, Path>>;
      tile_indices = static_cast<std::int64_t*>(storage);
      const cudaError_t error = detail::queue_cut(cut{path, tile_count, tile_indices}, stream);
      if (error != cudaSuccess)
      {
        return error;
      }
    }
    return detail::launch_kernel(
      detail::removal_kernel<shape, in_header_t<Path>, Input, unwrapped_t<Output>, Count>, tile_count, shape::threads,
      kernels_can_overlap && tile_indices != nullptr, stream, bulk_removal{detail::in_header(path), job.edit.input},
      detail::unwrap(job.output), static_cast<const std::int64_t*>(tile_indices), count);
  }
};

/// An insertion. Its tiles are of the output. Its temporary storage holds the header of deferred sizes and, if a kernel
/// cuts, the points of the merge path where tiles begin.
template <class Path, class Input, class Values, class Output>
struct device_work<bulk_job<bulk_insertion<Path, Input, Values>, Output>>
{
  using edit_type = bulk_insertion<Path, Input, Values>;
  using job_type = bulk_job<edit_type, Output>;
  using shape = decltype(choose_bulk_shape<edit_type::largest_element_bytes>());

  struct plan_type : device_plan
  {
    bulk_insertion_path path;
  };

  template <class Count>
  static plan_type plan(const job_type& job, const Count* count)
  {
    const auto chosen = detail::choose_bulk_insertion<edit_type::largest_element_bytes>(
      job.edit.output_size(), detail::may_read_in_place(job.edit.path, count));
    const bool may_have_cut = is_deferred_v<Path> || chosen.path == bulk_insertion_path::tiles;
    const std::size_t bytes = detail::header_bytes<Path>() + (may_have_cut ? detail::cut_bytes(chosen.tiles) : 0);
    return {{chosen.tiles, bytes}, chosen.path};
  }
  template <class Count>
  static cudaError_t
  launch(void* storage, const job_type& job, const plan_type& plan, Count* count, cudaStream_t stream)
  {
    const Path& path = detail::with_header(job.edit.path, storage);
    const int tile_count = static_cast<int>(plan.tiles);
    const bool by_blocks = plan.path == bulk_insertion_path::uncut_tiles;
    const tile_begin* begins = nullptr;
    const cudaError_t error =
      detail::queue_merge_cut<shape::items>(path, index_less{}, tile_count, by_blocks, storage, begins, stream);
    if (error != cudaSuccess)
    {
      return error;
    }
    return detail::launch_with_sizes(
      begins == nullptr, path,
      [&](const auto& given)
      {
        return detail::launch_kernel(
          detail::insertion_kernel<shape, std::decay_t<decltype(given)>, Input, Values, unwrapped_t<Output>, Count>,
          tile_count, shape::threads, kernels_can_overlap && begins != nullptr, stream,
          bulk_insertion{given, job.edit.input, job.edit.values}, detail::unwrap(job.output), begins, count);
      });
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
