// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Window reductions on a CUDA device: the layout of temporary storage, and the launches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/cut_kernel.cuh>
#include <mgpu_thrust/detail/execute/device_plan.cuh>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/sorted_search/tuning.h>
#include <mgpu_thrust/detail/window_reduce/disjoint_table.h>
#include <mgpu_thrust/detail/window_reduce/job.h>
#include <mgpu_thrust/detail/window_reduce/kernels.cuh>
#include <mgpu_thrust/detail/window_reduce/key_bounds_kernel.cuh>
#include <mgpu_thrust/detail/window_reduce/tuning.h>
#include <mgpu_thrust/detail/window_reduce/units.cuh>
#include <mgpu_thrust/detail/window_reduce/windows.h>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// How a device executes a window_reduce_job whose bounds are given.
template <class Job, class Bounds = typename Job::bounds_type>
struct window_work;

template <class Reduction, class Windows, class Output, class Bounds>
struct window_work<window_reduce_job<Reduction, Windows, Output>, Bounds>
{
  using job_type = window_reduce_job<Reduction, Windows, Output>;
  using value = typename Reduction::value_type;
  using shape = window_shape<value>;

  struct plan_type : device_plan
  {
    std::int64_t item_tiles;
    std::int64_t units;
  };

  /// The storage has a flag, the units, and the table of totals.
  template <class Count>
  static plan_type plan(const job_type& job, const Count*)
  {
    const std::int64_t tiles = shape::tiles(job.in.num_items);
    const std::int64_t units = shape::units(job.in.num_items, job.in.num_windows);
    return {{units, flag_bytes + units_bytes(units) + table_bytes(tiles)}, tiles, units};
  }

  static cudaError_t
  launch(void* storage, const job_type& job, const plan_type& plan, std::int64_t*, cudaStream_t stream)
  {
    char* const bytes = static_cast<char*>(storage);
    int* const needs_totals = static_cast<int*>(storage);
    auto* const units = reinterpret_cast<window_unit*>(bytes + flag_bytes);
    const disjoint_table<value> totals{
      reinterpret_cast<value*>(bytes + flag_bytes + units_bytes(plan.units)), plan.item_tiles};

    // 1. Cut units.
    cudaError_t error = cudaMemsetAsync(needs_totals, 0, sizeof(int), stream);
    if (error == cudaSuccess)
    {
      error = detail::launch_kernel(
        detail::window_cut_kernel<shape, Windows>, detail::max_cut_blocks(plan.units + 1), cut_threads, false, stream,
        job.in, units, needs_totals);
    }

    // 2. Reduce tiles, and make the table of their totals.
    if (error == cudaSuccess)
    {
      error = queue_totals(job, plan.item_tiles, totals, needs_totals, stream);
    }

    // 3. Reduce windows.
    const int units_of_block = shape::units_of_block(plan.units);
    return error != cudaSuccess ? error
                                : detail::launch_kernel(
                                  detail::window_kernel<shape, value, Reduction, Windows>,
                                  static_cast<int>(::cuda::ceil_div(plan.units, std::int64_t{units_of_block})),
                                  shape::threads, kernels_can_overlap, stream, job.reduction, job.in, totals,
                                  static_cast<const window_unit*>(units), units_of_block);
  }

private:
  static constexpr std::size_t flag_bytes = storage_alignment;

  static std::size_t units_bytes(std::int64_t units)
  {
    return detail::round_up_storage(static_cast<std::size_t>(units + 1) * sizeof(window_unit));
  }
  static std::size_t table_bytes(std::int64_t tiles)
  {
    return detail::round_up_storage(
      static_cast<std::size_t>(tiles) * disjoint_table<value>::rows(tiles) * sizeof(value));
  }

  /// No tile is between others unless there are three. The first launch fills the rows of the table whose blocks a
  /// block of threads fills, and each later one the next row.
  static cudaError_t queue_totals(
    const job_type& job, std::int64_t tiles, const disjoint_table<value>& totals, const int* needs_totals,
    cudaStream_t stream)
  {
    if (tiles < 3)
    {
      return cudaSuccess;
    }
    cudaError_t error = detail::launch_kernel(
      detail::window_totals_kernel<shape, value, Reduction, Windows>,
      static_cast<int>(::cuda::ceil_div(tiles, std::int64_t{window_tiles_of_block})), shape::threads,
      kernels_can_overlap, stream, job.reduction, job.in, totals, needs_totals);
    const int rows = disjoint_table<value>::rows(tiles);
    const auto blocks = static_cast<int>(::cuda::ceil_div(tiles, std::int64_t{1} << log_window_table_threads));
    int last_row = (std::min)(rows, log_window_table_threads);
    for (int row = 1; row < rows && error == cudaSuccess; row = last_row++)
    {
      error = detail::launch_kernel(
        detail::window_table_kernel<shape, value, Reduction, Windows>, blocks, 1 << log_window_table_threads,
        kernels_can_overlap, stream, job.reduction, job.in, totals, needs_totals, row, last_row);
    }
    return error;
  }
};

/// Returns windows with other bounds and the same sizes.
template <class Bounds, class Given>
auto with_bounds(const windows<Bounds>& in, const Given& bounds)
{
  return windows{in.num_items, bounds, in.num_windows};
}
template <class Bounds, class NumItems, class NumWindows, class Given>
auto with_bounds(const deferred_inputs<windows<Bounds>, NumItems, NumWindows>& in, const Given& bounds)
{
  return detail::make_inputs(windows{std::int64_t{0}, bounds, std::int64_t{0}}, in.first_size, in.second_size);
}

/// How a device executes one whose bounds are found by keys: it stores them, and then they are given. A search of each
/// row whenever its bounds are read would take longer than to read eight bytes.
template <class Reduction, class Windows, class Output, class Keys, class Low, class High, class Compare>
struct window_work<window_reduce_job<Reduction, Windows, Output>, key_bounds<Keys, Low, High, Compare>>
{
  using job_type = window_reduce_job<Reduction, Windows, Output>;

  template <class Index>
  static auto job_with_bounds(const job_type& job, const Index* begins, const Index* ends)
  {
    return detail::window_reduce_job(
      job.reduction, detail::with_bounds(job.in, given_bounds<const Index*, const Index*>{begins, ends}), job.output);
  }
  template <class Index>
  using work_with_bounds =
    window_work<decltype(job_with_bounds<Index>(std::declval<const job_type&>(), nullptr, nullptr))>;
  using plan_type = typename work_with_bounds<int>::plan_type;

  template <class Count>
  static plan_type plan(const job_type& job, const Count* count)
  {
    plan_type inner = work_with_bounds<int>::plan(job_with_bounds<int>(job, nullptr, nullptr), count);
    inner.bytes += 2 * (has_short_bounds(job) ? bound_bytes<int>(job) : bound_bytes<std::int64_t>(job));
    return inner;
  }
  static cudaError_t
  launch(void* storage, const job_type& job, const plan_type& plan, std::int64_t*, cudaStream_t stream)
  {
    return has_short_bounds(job) ? launch_with_bounds<int>(storage, job, plan, stream)
                                 : launch_with_bounds<std::int64_t>(storage, job, plan, stream);
  }

private:
  static bool has_short_bounds(const job_type& job)
  {
    return job.in.num_items <= (std::numeric_limits<int>::max)();
  }
  template <class Index>
  static std::size_t bound_bytes(const job_type& job)
  {
    return detail::round_up_storage(static_cast<std::size_t>(job.in.num_windows) * sizeof(Index));
  }
  template <class Index>
  static cudaError_t launch_with_bounds(void* storage, const job_type& job, const plan_type& plan, cudaStream_t stream)
  {
    using shape = decltype(detail::choose_sorted_search_shape<sizeof(element_t<Keys>)>());
    char* const bytes = static_cast<char*>(storage);
    auto* const begins = reinterpret_cast<Index*>(bytes);
    auto* const ends = reinterpret_cast<Index*>(bytes + bound_bytes<Index>(job));
    const cudaError_t error = detail::launch_kernel(
      detail::key_bounds_kernel<shape, Windows, Index>,
      static_cast<int>(::cuda::ceil_div(job.in.num_windows, std::int64_t{key_bounds_rows<shape>})), shape::threads,
      false, stream, job.in, begins, ends);
    using work = work_with_bounds<Index>;
    const typename work::plan_type inner{{plan.tiles, plan.bytes}, plan.item_tiles, plan.units};
    return error != cudaSuccess
             ? error
             : work::launch(
               bytes + 2 * bound_bytes<Index>(job), job_with_bounds<Index>(job, begins, ends), inner, nullptr, stream);
  }
};

template <class Reduction, class Windows, class Output>
struct device_work<window_reduce_job<Reduction, Windows, Output>>
    : window_work<window_reduce_job<Reduction, Windows, Output>>
{
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
