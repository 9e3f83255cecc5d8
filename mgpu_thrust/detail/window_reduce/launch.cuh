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

    /// Whether a kernel cuts the units, rather than the block of each.
    bool are_cut() const
    {
      return units > shape::usual_blocks;
    }
    /// Whether a kernel reduces tiles to totals, rather than the block of each unit those between.
    bool has_totals() const
    {
      return item_tiles > max_tiles_without_totals;
    }
  };

  /// The storage has the flag and the units, if they are cut, and the table of totals, or its row 0.
  template <class Count>
  static plan_type plan(const job_type& job, const Count*)
  {
    const std::int64_t tiles = shape::tiles(job.in.num_items);
    plan_type plan{{}, tiles, shape::units(job.in.num_items, job.in.num_windows)};
    plan.tiles = plan.units;
    plan.bytes = offset_of_totals(plan) + (plan.has_totals() ? bytes_of_totals(plan) : 0);
    return plan;
  }

  static cudaError_t
  launch(void* storage, const job_type& job, const plan_type& plan, std::int64_t*, cudaStream_t stream)
  {
    char* const bytes = static_cast<char*>(storage);
    int* const needs_totals = static_cast<int*>(storage);
    auto* const units = reinterpret_cast<window_unit*>(bytes + flag_bytes);
    const disjoint_table<value> totals{
      plan.has_totals() ? reinterpret_cast<value*>(bytes + offset_of_totals(plan)) : nullptr,
      plan.are_cut() && plan.has_totals() ? plan.item_tiles : 0};

    // 1. Cut units. If they are few, the block of each does it.
    cudaError_t error = plan.are_cut() ? queue_cut(job, units, plan.units, needs_totals, stream) : cudaSuccess;

    // 2. Reduce tiles, and make the table of their totals.
    if (error == cudaSuccess && plan.has_totals())
    {
      error = queue_totals(job, plan.item_tiles, totals, plan.are_cut() ? needs_totals : nullptr, stream);
    }

    // 3. Reduce windows.
    const int units_of_block = plan.are_cut() ? shape::units_of_block(plan.units) : 1;
    return error != cudaSuccess
             ? error
             : detail::launch_kernel(
               detail::window_kernel<shape, value, Reduction, Windows>,
               static_cast<int>(::cuda::ceil_div(plan.units, std::int64_t{units_of_block})), shape::threads,
               kernels_can_overlap && (plan.are_cut() || plan.has_totals()), stream, job.reduction, job.in, totals,
               static_cast<const window_unit*>(plan.are_cut() ? units : nullptr), units_of_block);
  }

private:
  static constexpr std::size_t flag_bytes = storage_alignment;

  static std::size_t offset_of_totals(const plan_type& plan)
  {
    return plan.are_cut()
             ? flag_bytes + detail::round_up_storage(static_cast<std::size_t>(plan.units + 1) * sizeof(window_unit))
             : 0;
  }
  static std::size_t bytes_of_totals(const plan_type& plan)
  {
    const int rows = plan.are_cut() ? disjoint_table<value>::rows(plan.item_tiles) : 1;
    return detail::round_up_storage(static_cast<std::size_t>(plan.item_tiles) * rows * sizeof(value));
  }

  static cudaError_t
  queue_cut(const job_type& job, window_unit* units, std::int64_t count, int* needs_totals, cudaStream_t stream)
  {
    const cudaError_t error = cudaMemsetAsync(needs_totals, 0, sizeof(int), stream);
    return error != cudaSuccess ? error
                                : detail::launch_kernel(
                                  detail::window_cut_kernel<shape, Windows>, static_cast<int>(count / cut_threads + 1),
                                  cut_threads, false, stream, job.in, units, needs_totals);
  }

  /// If they are needed only perhaps, queues row 0 of the table and the others: the first launch fills the rows whose
  /// blocks a block of threads fills, and each later one the next row. Else it queues row 0 alone.
  static cudaError_t queue_totals(
    const job_type& job, std::int64_t tiles, const disjoint_table<value>& totals, const int* needs_totals,
    cudaStream_t stream)
  {
    const int tiles_of_block = needs_totals != nullptr ? window_tiles_of_block : 1;
    cudaError_t error = detail::launch_kernel(
      detail::window_totals_kernel<shape, value, Reduction, Windows>,
      static_cast<int>(::cuda::ceil_div(tiles, std::int64_t{tiles_of_block})), shape::threads,
      needs_totals != nullptr && kernels_can_overlap, stream, job.reduction, job.in, totals, needs_totals,
      tiles_of_block);
    const int rows = needs_totals != nullptr ? disjoint_table<value>::rows(tiles) : 1;
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
