// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Joins on a CUDA device: the layout of their temporary storage, and the launches of each path.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/max_tiles.h>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/cut_sizes.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/device_plan.cuh>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/join/choice.h>
#include <mgpu_thrust/detail/join/count/kernels.cuh>
#include <mgpu_thrust/detail/join/job.h>
#include <mgpu_thrust/detail/join/pass/kernels.cuh>
#include <mgpu_thrust/detail/join/pass/progress.cuh>
#include <mgpu_thrust/detail/join/pass/right_only_kernel.cuh>
#include <mgpu_thrust/detail/join/ranges/intervals.h>
#include <mgpu_thrust/detail/join/ranges/tuning.h>
#include <mgpu_thrust/detail/join/rows/bounded_outputs.cuh>
#include <mgpu_thrust/detail/join/rows/layout.h>
#include <mgpu_thrust/detail/join/rows/needles.h>
#include <mgpu_thrust/detail/join/rows/tile_kinds.cuh>
#include <mgpu_thrust/detail/join/serial.h>
#include <mgpu_thrust/detail/join/tuning.h>

#include <cub/device/device_scan.cuh>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Queues the exclusive scan of the tiles' counts.
inline cudaError_t
queue_join_scan(void* storage, std::size_t& storage_bytes, join_counts* counts, std::int64_t tiles, cudaStream_t stream)
{
  return cub::DeviceScan::ExclusiveScan(
    storage, storage_bytes, counts, counts, add_join_counts{}, join_counts{0, 0, 0}, static_cast<int>(tiles + 1),
    stream);
}

/// The shape and the kind of a kernel's tiles.
template <class Shape, join_tiles Tiles>
struct chosen_tiles
{
  using shape = Shape;
  static constexpr join_tiles kind = Tiles;
};

/// The launches of a join of given types: in one pass, or counted first and then written.
template <class Kind, class Inputs, class Compare>
struct device_join
{
  static constexpr int key_bytes = largest_key_bytes<Inputs>;
  static constexpr bool is_range = is_range_join<Kind>;
  using shape = std::conditional_t<is_range, interval_shape, join_tile_shape<key_bytes>>;
  using small_shape = coresident_join_shape<key_bytes>;
  using needle_shape = std::conditional_t<is_range, interval_shape, join_needle_shape>;
  using later_inputs = in_header_t<Inputs>; // of the kernels after the cut

  /// The tiles of large joins. If the host knows the sizes, tiles of needles have kernels of their own. All tiles of
  /// range joins are of needles.
  static constexpr join_tiles kind_of_tiles =
    is_deferred_v<Inputs> || is_range ? deferred_join_tiles<Kind> : join_tiles::of_merge_path;
  static constexpr bool has_needle_kernels = may_have_needles<Kind> && !is_deferred_v<Inputs>;

  using plan_type = path_plan<join_path>;

  static plan_type plan(const Inputs& inputs, bool writes, bool saturates)
  {
    const device_room device = detail::current_device_room();
    const auto& left = detail::size_of_a(inputs);
    const auto& right = detail::size_of_b(inputs);
    if constexpr (is_range)
    {
      const auto chosen = detail::choose_range_join<key_bytes>(writes, saturates, left, right);
      return {{detail::as_join_path(chosen.path), chosen.blocks, chosen.max_blocks}, 0, device};
    }
    else
    {
      return {detail::choose_join<key_bytes>(Kind{}, writes, saturates, left, right, device), 0, device};
    }
  }
  static bool is_one_pass(join_path path)
  {
    return path == join_path::coresident_pass || path == join_path::needle_pass || path == join_path::pass;
  }

  // The temporary storage of a join that counts first: the header of deferred sizes, where the tiles begin in the
  // inputs and in the result, and the storage of the scan.

  static void add_count_bytes(const Inputs& inputs, plan_type& plan)
  {
    const std::int64_t count = max_tiles(inputs);
    std::size_t scan_bytes = 0;
    plan.error = detail::queue_join_scan(nullptr, scan_bytes, nullptr, count, nullptr);
    plan.bytes = detail::header_bytes<Inputs>() + scan_at(count) + detail::round_up_storage(scan_bytes);
  }

  /// Queues the kernels that count the rows, and store what fill() needs to `storage`. *size, in device memory,
  /// receives the number of rows.
  template <bool MayBeSmall = true, class Size>
  static cudaError_t
  count(const plan_type& plan, void* storage, const Inputs& given, Compare comp, Size* size, cudaStream_t stream)
  {
    return with_tiles<MayBeSmall>(
      plan.path, [&](auto chosen) { return count_in<MayBeSmall>(chosen, plan, storage, given, comp, size, stream); });
  }

  /// Queues the kernel that writes the rows in `wanted`, the first of them to the outputs' first elements.
  template <bool MayBeSmall = true, class Outputs>
  static cudaError_t fill(
    const plan_type& plan, void* storage, const Inputs& given, const Outputs& outputs, Compare comp, row_range wanted,
    cudaStream_t stream)
  {
    return with_tiles<MayBeSmall>(
      plan.path, [&](auto chosen) { return fill_in(chosen, plan, storage, given, outputs, comp, wanted, stream); });
  }

  /// The bytes of temporary storage of a join in one pass, with tiles of either size.
  static std::size_t pass_bytes(const Inputs& inputs)
  {
    const std::int64_t count = max_tiles(inputs);
    return detail::header_bytes<Inputs>() + pass_begins_at(inputs, count) + detail::cut_bytes(count);
  }

  /// Queues a join in one pass. *size, in device memory, receives the number of rows.
  template <class Outputs, class Size>
  static cudaError_t pass(
    const plan_type& plan, void* storage, const Inputs& given, const Outputs& outputs, Compare comp, Size* size,
    cudaStream_t stream)
  {
    const auto& inputs = detail::with_header(given, storage);
    if constexpr (is_range && has_needle_kernels)
    {
      return needle_pass(plan, storage, inputs, outputs, comp, size, stream);
    }
    else
    {
      if constexpr (!is_range)
      {
        if (plan.path == join_path::coresident_pass)
        {
          return coresident_pass(plan, storage, inputs, outputs, comp, size, stream);
        }
      }
      if constexpr (has_needle_kernels)
      {
        if (plan.path == join_path::needle_pass)
        {
          return needle_pass(plan, storage, inputs, outputs, comp, size, stream);
        }
      }
      using chosen = chosen_tiles<shape, kind_of_tiles>;
      const pass_storage stored(storage, inputs, plan.blocks);
      const cudaError_t error = detail::queue_path_cut<shape::items, tiling_of<chosen>>(
        merge_t{}, inputs, comp, plan.blocks, stored.begins, stored.progress, stream);
      return error != cudaSuccess
               ? error
               : queue_pass<chosen>(kernels_can_overlap, inputs, outputs, comp, plan.blocks, stored, size, stream);
    }
  }

private:
  using range_tiling = interval_tiling<interval_shape, key_bytes>;

  /// The Tiling (path_cut.cuh) of chosen_tiles.
  template <class Chosen>
  using tiling_of = std::conditional_t<
    is_range, range_tiling,
    std::conditional_t<Chosen::kind == join_tiles::either, join_tiling<Kind, Chosen::shape::threads>, always_tiled>>;

  /// The maximum number of tiles of inputs of these sizes or smaller ones, as far as a grid has room for them.
  static std::int64_t max_tiles(const Inputs& inputs)
  {
    return (std::min)(
      is_range ? range_tiling::max_tiles(inputs.a_count, inputs.b_count)
               : detail::max_join_tiles<key_bytes>(Kind{}, inputs.a_count, inputs.b_count),
      detail::max_tiles);
  }

  /// Calls function(chosen_tiles) for a path that counts. A join, its size and its plan have the same tiles, and so
  /// find the same rows even of unsorted inputs: shapes with equally many items have the same tiles, and what is found
  /// for a needle does not depend on its tile. A join that may have too many rows has too many elements for small
  /// tiles, and no needles: MayBeSmall is false then, and their kernels are not compiled.
  template <bool MayBeSmall, class Function>
  static cudaError_t with_tiles([[maybe_unused]] join_path path, Function function)
  {
    if constexpr (
      MayBeSmall && !is_range && (small_shape::items != shape::items || kind_of_tiles != join_tiles::of_merge_path))
    {
      if (path == join_path::count_small_tiles)
      {
        return function(chosen_tiles<small_shape, join_tiles::of_merge_path>{});
      }
    }
    if constexpr (MayBeSmall && has_needle_kernels)
    {
      if (path == join_path::count_needles)
      {
        return function(chosen_tiles<needle_shape, join_tiles::of_needles>{});
      }
    }
    return function(chosen_tiles<shape, kind_of_tiles>{});
  }

  /// count() in chosen_tiles.
  template <bool MayBeSmall, class Chosen, class Size>
  static cudaError_t count_in(
    Chosen, const plan_type& plan, void* storage, const Inputs& given, Compare comp, Size* size, cudaStream_t stream)
  {
    using tile_shape = typename Chosen::shape;
    const auto& inputs = detail::with_header(given, storage);
    const int tile_count = plan.blocks;
    auto* const begins = static_cast<tile_begin*>(storage);
    join_counts* const counts = counts_of(storage, tile_count);
    cudaError_t error = cudaSuccess;
    constexpr bool is_cut = Chosen::kind != join_tiles::of_needles || is_deferred_v<Inputs>;
    if constexpr (is_cut)
    {
      error = detail::queue_path_cut<tile_shape::items, tiling_of<Chosen>>(
        merge_t{}, inputs, comp, tile_count, begins, no_tile_offsets{}, stream);
    }
    if (error != cudaSuccess)
    {
      return error;
    }
    error = detail::launch_kernel(
      detail::join_count_kernel<tile_shape, Chosen::kind, Kind, later_inputs, Compare>, tile_count, tile_shape::threads,
      kernels_can_overlap && is_cut, stream, detail::in_header(inputs), comp, tile_count,
      static_cast<const tile_begin*>(begins), counts);
    if (error != cudaSuccess)
    {
      return error;
    }
    if constexpr (MayBeSmall)
    {
      const bool are_few_needles = plan.path == join_path::count_needles && tile_count <= join_scan_tiles;
      if (plan.path == join_path::count_small_tiles || are_few_needles)
      {
        static_assert(max_tiles_cut_by_blocks <= join_scan_tiles, "co-resident tiles are no more than that");
        return detail::launch_kernel(
          detail::join_scan_kernel<Size>, 1, join_scan_threads, kernels_can_overlap, stream, counts, tile_count, size);
      }
    }
    std::size_t scan_bytes = 0;
    error = detail::queue_join_scan(nullptr, scan_bytes, nullptr, tile_count, nullptr);
    if (error == cudaSuccess)
    {
      error = detail::queue_join_scan(
        static_cast<char*>(storage) + scan_at(tile_count), scan_bytes, counts, tile_count, stream);
    }
    return error != cudaSuccess ? error
                                : detail::launch_kernel(
                                  detail::join_size_kernel<Size>, 1, 1, false, stream,
                                  static_cast<const join_counts*>(counts + tile_count), size);
  }

  /// fill() in chosen_tiles.
  template <class Chosen, class Outputs>
  static cudaError_t fill_in(
    Chosen, const plan_type& plan, void* storage, const Inputs& given, const Outputs& outputs, Compare comp,
    row_range wanted, cudaStream_t stream)
  {
    const auto& inputs = detail::with_header(given, storage);
    const int tile_count = plan.blocks;
    return detail::launch_kernel(
      detail::join_fill_kernel<typename Chosen::shape, Chosen::kind, Kind, later_inputs, Outputs, Compare>,
      tile_count + join_extra_blocks, Chosen::shape::threads, false, stream, detail::in_header(inputs), outputs, comp,
      static_cast<const tile_begin*>(storage), rows_of(storage, tile_count), wanted);
  }

  /// A pass of co-resident blocks, which cut their tiles.
  template <class Outputs, class Size>
  static cudaError_t coresident_pass(
    const plan_type& plan, void* storage, const Inputs& inputs, const Outputs& outputs, Compare comp, Size* size,
    cudaStream_t stream)
  {
    using chosen = chosen_tiles<small_shape, join_tiles::of_merge_path>;
    const int tile_count = plan.blocks;
    const pass_storage stored(storage, inputs, tile_count);
    const int max_blocks = detail::max_coresident_tiles<small_shape>(plan.device);
    using progress_type = coresident_join_progress<Kind>;
    const cudaError_t error = detail::launch_cooperative(
      detail::join_pass_kernel<
        small_shape, join_tiles::of_merge_path, Kind, Inputs, Outputs, Compare, progress_type, Size>,
      detail::coresident_grid<Inputs>(tile_count, max_blocks), small_shape::threads, true, stream, inputs, outputs,
      comp, tile_count, stored.begins, progress_type(stored.progress), size);
    return error != cudaSuccess ? error : queue_extra<chosen>(inputs, outputs, comp, tile_count, stored, stream);
  }

  /// A pass over tiles of needles, whose number the host knows.
  template <class Outputs, class Size>
  static cudaError_t needle_pass(
    const plan_type& plan, void* storage, const Inputs& inputs, const Outputs& outputs, Compare comp, Size* size,
    cudaStream_t stream)
  {
    using chosen = chosen_tiles<needle_shape, join_tiles::of_needles>;
    const pass_storage stored(storage, inputs, plan.blocks);
    const cudaError_t error = cudaMemsetAsync(storage, 0, join_progress<Kind>::bytes_to_clear(plan.blocks), stream);
    return error != cudaSuccess ? error
                                : queue_pass<chosen>(false, inputs, outputs, comp, plan.blocks, stored, size, stream);
  }

  /// The temporary storage of a join in one pass after the header.
  struct pass_storage
  {
    join_progress<Kind> progress;
    tile_begin* begins;

    pass_storage(void* storage, const Inputs& inputs, int tile_count)
        : progress(storage, tile_count)
        , begins(reinterpret_cast<tile_begin*>(static_cast<char*>(storage) + pass_begins_at(inputs, tile_count)))
    {
    }
  };

  /// Queues the kernels after the cut of a join in one pass.
  template <class Chosen, class Outputs, class Size>
  static cudaError_t queue_pass(
    bool overlaps, const Inputs& inputs, const Outputs& outputs, Compare comp, int tile_count,
    const pass_storage& stored, Size* size, cudaStream_t stream)
  {
    using tile_shape = typename Chosen::shape;
    cudaError_t error = detail::launch_kernel(
      detail::join_pass_kernel<
        tile_shape, Chosen::kind, Kind, later_inputs, Outputs, Compare, join_progress<Kind>, Size>,
      tile_count + 1, tile_shape::threads, overlaps, stream, detail::in_header(inputs), outputs, comp, tile_count,
      stored.begins, stored.progress, size);
    if (error != cudaSuccess)
    {
      return error;
    }
    error = queue_extra<Chosen>(inputs, outputs, comp, tile_count, stored, stream);
    if constexpr (Kind::keeps_right)
    {
      if (error == cudaSuccess)
      {
        // Tiles of needles share the kernel of `shape` if they fit. Tiles of large keys are smaller.
        using right_shape = std::conditional_t<(tile_shape::threads <= shape::items), shape, tile_shape>;
        const auto kernel_tiles = detail::tiles_for_kernel(inputs, tile_count);
        error = detail::launch_kernel(
          detail::join_right_only_kernel<right_shape, Kind, Outputs, std::decay_t<decltype(kernel_tiles)>>, tile_count,
          join_right_only_threads, kernels_can_overlap, stream, outputs, kernel_tiles,
          static_cast<const tile_begin*>(stored.begins), stored.progress);
      }
    }
    return error;
  }

  /// Queues the kernel that writes the rows after the first unit of each tile.
  template <class Chosen, class Outputs>
  static cudaError_t queue_extra(
    const Inputs& inputs, const Outputs& outputs, Compare comp, int tile_count, const pass_storage& stored,
    cudaStream_t stream)
  {
    return detail::launch_kernel(
      detail::join_extra_kernel<typename Chosen::shape, Chosen::kind, Kind, later_inputs, Outputs, Compare>,
      join_extra_blocks, Chosen::shape::threads, kernels_can_overlap, stream, detail::in_header(inputs), outputs, comp,
      tile_count, static_cast<const tile_begin*>(stored.begins), stored.progress);
  }

  static std::size_t pass_begins_at(const Inputs& inputs, std::int64_t tile_count)
  {
    return detail::round_up_storage(join_progress<Kind>::bytes(tile_count, inputs.b_count));
  }
  static std::size_t counts_at(std::int64_t tile_count)
  {
    return detail::cut_bytes(tile_count);
  }
  static std::size_t scan_at(std::int64_t tile_count)
  {
    return counts_at(tile_count)
           + detail::round_up_storage(static_cast<std::size_t>(tile_count + 1) * sizeof(join_counts));
  }
  static join_counts* counts_of(void* storage, std::int64_t tile_count)
  {
    return reinterpret_cast<join_counts*>(static_cast<char*>(storage) + counts_at(tile_count));
  }
  static join_layout rows_of(void* storage, std::int64_t tile_count)
  {
    return {counts_of(storage, tile_count), tile_count, 0}; // the kernel that writes knows the rows of first units
  }
};

template <class Kind, class Inputs, class Result, class Compare>
struct device_work<join_job<Kind, Inputs, Result, Compare>>
{
  using job_type = join_job<Kind, Inputs, Result, Compare>;
  using join = device_join<Kind, Inputs, typename job_type::order_type>;

  using plan_type = typename join::plan_type;

  template <class Count>
  static plan_type plan(const job_type& job, const Count*)
  {
    plan_type made = join::plan(job.inputs, Result::writes, Result::saturates);
    if (join::is_one_pass(made.path))
    {
      made.bytes = join::pass_bytes(job.inputs);
    }
    else
    {
      join::add_count_bytes(job.inputs, made);
    }
    return made;
  }
  template <class Size>
  static cudaError_t launch(void* storage, const job_type& job, const plan_type& plan, Size* size, cudaStream_t stream)
  {
    if constexpr (Result::writes && Result::saturates)
    {
      const bounded_join_outputs outputs(job.output.outputs(Kind{}), job.output.room);
      return join::pass(plan, storage, job.inputs, outputs, job.order(), size, stream);
    }
    else if constexpr (Result::writes)
    {
      const auto outputs = job.output.outputs(Kind{});
      if (join::is_one_pass(plan.path))
      {
        return join::pass(plan, storage, job.inputs, outputs, job.order(), size, stream);
      }
      constexpr row_range all{0, max_rows}; // of which none is written if there are too many
      const cudaError_t error = join::template count<false>(plan, storage, job.inputs, job.order(), size, stream);
      return error != cudaSuccess
               ? error
               : join::template fill<false>(plan, storage, job.inputs, outputs, job.order(), all, stream);
    }
    else
    {
      return join::count(plan, storage, job.inputs, job.order(), size, stream);
    }
  }
};

template <class Kind, class Inputs, class Result, class Compare>
struct device_work<join_rows_job<Kind, Inputs, Result, Compare>>
{
  using job_type = join_rows_job<Kind, Inputs, Result, Compare>;
  using join = device_join<Kind, Inputs, typename job_type::order_type>;

  using plan_type = typename join::plan_type;

  /// No bytes if a plan has the storage; otherwise those of the job that counted the rows.
  template <class Count>
  static plan_type plan(const job_type& job, const Count*)
  {
    plan_type made = join::plan(job.inputs, false, false);
    if (job.counted == nullptr)
    {
      join::add_count_bytes(job.inputs, made);
    }
    return made;
  }
  static cudaError_t
  launch(void* storage, const job_type& job, const plan_type& plan, std::int64_t*, cudaStream_t stream)
  {
    return join::fill(
      plan, job.counted != nullptr ? job.counted : storage, job.inputs, job.output.outputs(Kind{}), job.order(),
      job.wanted.rows, stream);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
