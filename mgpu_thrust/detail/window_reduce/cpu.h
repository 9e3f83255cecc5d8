// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Reductions of windows on a CPU. The merge path of rows and items cuts pieces, the same for any number of workers, at
/// which new stacks begin. What a long window has of whole tiles is known before.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/equal_pieces.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/execute/stored_objects.h>
#include <mgpu_thrust/detail/window_reduce/job.h>
#include <mgpu_thrust/detail/window_reduce/table_rows.h>
#include <mgpu_thrust/detail/window_reduce/tile_runs.h>
#include <mgpu_thrust/detail/window_reduce/two_stacks.h>
#include <mgpu_thrust/detail/window_reduce/windows.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Rows and items, each row after the items before its window's end, cut into pieces of equally many of both.
template <class Bounds>
struct window_pieces
{
  windows<Bounds> in;

  equal_pieces diagonals() const
  {
    return {in.num_items + in.num_windows, 4 * cpu_piece_elements};
  }
  std::int64_t count() const
  {
    return diagonals().count();
  }
  /// The first row of a piece; for the piece past the last, the number of rows.
  std::int64_t first_row(std::int64_t piece)
  {
    const std::int64_t diagonal = diagonals().begin(piece);
    return detail::partition_point(
      (std::max)(diagonal - in.num_items, std::int64_t{0}), (std::min)(diagonal, in.num_windows),
      [&](std::int64_t row) { return in.bounds.ends_before(row, diagonal - row); });
  }
};

/// Reduces a tile that begins with the item `begin`, in four parts side by side: the parts' operators do not wait for
/// each other.
template <class Reduction>
auto total_of_tile(Reduction& reduction, std::int64_t begin)
{
  using T = typename Reduction::value_type;
  constexpr std::int64_t quarter = window_sizes<T>::tile / 4;
  T parts[] = {
    reduction.item(begin), reduction.item(begin + quarter), reduction.item(begin + 2 * quarter),
    reduction.item(begin + 3 * quarter)};
  for (std::int64_t i = begin + 1; i < begin + quarter; ++i)
  {
    reduction.append(parts[0], reduction.item(i));
    reduction.append(parts[1], reduction.item(i + quarter));
    reduction.append(parts[2], reduction.item(i + 2 * quarter));
    reduction.append(parts[3], reduction.item(i + 3 * quarter));
  }
  reduction.append(parts[0], parts[1]);
  reduction.append(parts[2], parts[3]);
  reduction.append(parts[0], parts[2]);
  return std::move(parts[0]);
}

/// Computes the totals of tiles [tile, tile_end) that the stacks of a window may read as a whole. Returns whether there
/// is any. Among the windows that end after a tile, the first one begins first.
template <class Reduction, class Bounds, class T>
bool reduce_tiles(
  Reduction& reduction, windows<Bounds>& in, std::int64_t tile, std::int64_t tile_end, std::optional<T>* totals)
{
  using sizes = window_sizes<T>;
  bool found = false;
  std::int64_t row = 0;
  std::int64_t step = in.num_windows / 2;
  for (; tile < tile_end; ++tile)
  {
    const std::int64_t begin = tile * sizes::tile;
    const std::int64_t end = begin + sizes::tile;
    const std::int64_t earlier = row;
    row = detail::partition_point_near(
      row, in.num_windows, row + step, [&](std::int64_t r) { return in.bounds.ends_before(r, end); });
    if (row == in.num_windows)
    {
      break;
    }
    step = row - earlier;
    if (sizes::tiles_from(in.of(row).begin) <= begin)
    {
      totals[tile].emplace(detail::total_of_tile(reduction, begin));
      found = true;
    }
  }
  return found;
}

template <class Reduction, class Bounds, class Output>
struct cpu_work<window_reduce_job<Reduction, windows<Bounds>, Output>>
{
  using job_type = window_reduce_job<Reduction, windows<Bounds>, Output>;
  using T = typename Reduction::value_type;
  using sizes = window_sizes<T>;
  using totals_type = stored_objects<std::optional<T>>;

  template <class Workers>
  static Output run(const job_type& job, const Workers& workers)
  {
    // 1. Totals of the tiles of long windows.
    const std::int64_t tiles = job.in.num_items > sizes::front ? job.in.num_items / sizes::tile : 0;
    const auto totals_storage = workers.storage(totals_type::bytes(tiles));
    const totals_type totals(totals_storage.data(), tiles, std::nullopt);
    const std::int64_t known_tiles = reduce_all_tiles(job, workers, totals.data(), tiles) ? tiles : 0;

    // 2. Totals of runs of these tiles.
    const int levels = detail::table_rows(known_tiles);
    const std::int64_t upper_count = (levels - 1) * known_tiles;
    const auto upper_storage = workers.storage(totals_type::bytes(upper_count));
    const totals_type upper(upper_storage.data(), upper_count, std::nullopt);
    const tile_runs<T> runs(totals.data(), upper.data(), known_tiles);
    workers.run_pieces(
      levels - 1, job.reduction,
      [&](std::int64_t level, Reduction& own) { runs.build(own, static_cast<int>(level) + 1); });

    // 3. Windows.
    return reduce_all_windows(job, workers, runs);
  }

private:
  template <class Workers>
  static bool
  reduce_all_tiles(const job_type& job, const Workers& workers, std::optional<T>* totals, std::int64_t tiles)
  {
    const equal_pieces pieces{tiles, cpu_piece_elements / sizes::tile};
    std::atomic<bool> found{false};
    workers.run_pieces(
      pieces.count(), job,
      [&](std::int64_t piece, job_type& own)
      {
        if (detail::reduce_tiles(own.reduction, own.in, pieces.begin(piece), pieces.end(piece), totals))
        {
          found.store(true, std::memory_order_relaxed);
        }
      });
    return found.load(std::memory_order_relaxed);
  }

  template <class Workers>
  static Output reduce_all_windows(const job_type& job, const Workers& workers, const tile_runs<T>& runs)
  {
    const window_pieces<Bounds> pieces{job.in};
    const std::int64_t front_size = (std::min)(sizes::front, job.in.num_items);
    const std::int64_t front_count = workers.count(pieces.count()) * front_size;
    const auto storage = workers.storage(stored_objects<T>::bytes(front_count));
    const stored_objects<T> fronts(storage.data(), front_count, job.reduction.init);
    if constexpr (Workers::is_serial)
    {
      return detail::rewrap(job.output, reduce_in_order(job, pieces, runs, fronts.data()));
    }
    else
    {
      const auto work = [&](int worker, piece_queue& queue)
      {
        window_pieces<Bounds> own(pieces);
        for (std::int64_t piece = queue.take(); piece >= 0; piece = queue.take())
        {
          const std::int64_t row = own.first_row(piece);
          const std::int64_t row_end = own.first_row(piece + 1);
          if (row < row_end)
          {
            detail::reduce_windows(
              job.reduction, job.in, runs, fronts.data() + worker * front_size, row, row_end,
              job.reduction.output + row);
          }
        }
      };
      workers.run(pieces.count(), work);
      return job.result();
    }
  }

  /// Reduces piece after piece. Each begins where the one before it ends: where bounds are wrong, no row is written
  /// twice.
  static auto reduce_in_order(const job_type& job, window_pieces<Bounds> pieces, const tile_runs<T>& runs, T* front)
  {
    auto output = job.reduction.output;
    std::int64_t row = 0;
    for (std::int64_t piece = 0; piece < pieces.count(); ++piece)
    {
      const std::int64_t row_end = pieces.first_row(piece + 1);
      if (row < row_end)
      {
        detail::reassign(output, detail::reduce_windows(job.reduction, job.in, runs, front, row, row_end, output));
        row = row_end;
      }
    }
    return output;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
