// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Reductions of windows on a CPU. The merge path of rows and items cuts pieces, the same for any number of workers, at
/// which new stacks begin. What a long window has of whole tiles is known before.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/equal_pieces.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/execute/stored_objects.h>
#include <mgpu_thrust/detail/window_reduce/disjoint_table.h>
#include <mgpu_thrust/detail/window_reduce/job.h>
#include <mgpu_thrust/detail/window_reduce/two_stacks.h>
#include <mgpu_thrust/detail/window_reduce/windows.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Rows and items, each row after the items before its window's end, cut into pieces of equally many of both.
template <class Bounds>
struct window_pieces
{
  windows<Bounds> in;
  std::int64_t size;

  equal_pieces diagonals() const
  {
    return {in.num_items + in.num_windows, size};
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

/// Returns whether windows may be longer than the front of a window_stacks. From one piece to the next, the ends of
/// windows move by no more than a front.
template <class T, class Bounds, class Workers>
bool has_long_windows(const windows<Bounds>& in, const Workers& workers)
{
  const window_pieces<Bounds> pieces{in, window_sizes<T>::front};
  std::atomic<bool> found{false};
  workers.run_pieces(
    in.num_items > pieces.size ? pieces.count() : 0, pieces,
    [&](std::int64_t piece, window_pieces<Bounds>& own)
    {
      const std::int64_t row = own.first_row(piece);
      const item_window window = row < in.num_windows ? own.in.of(row) : item_window{0, 0};
      if (window.end - window.begin > own.size)
      {
        found.store(true, std::memory_order_relaxed);
      }
    });
  return found.load(std::memory_order_relaxed);
}

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

/// Fills the table of the totals of all whole tiles.
template <class Reduction, class T, class Workers>
void fill_totals(const Reduction& reduction, const disjoint_table<T>& totals, const Workers& workers)
{
  using sizes = window_sizes<T>;
  const int rows = totals.count > 0 ? disjoint_table<T>::rows(totals.count) : 0;
  for (int row = 0; row < rows; ++row)
  {
    const equal_pieces pieces{totals.count, row == 0 ? cpu_piece_elements / sizes::tile : cpu_piece_elements};
    workers.run_pieces(
      pieces.count(), reduction,
      [&](std::int64_t piece, Reduction& own)
      {
        for (std::int64_t tile = pieces.begin(piece); tile < pieces.end(piece); ++tile)
        {
          if (row == 0)
          {
            totals.put(row, tile, detail::total_of_tile(own, tile * sizes::tile));
          }
          else
          {
            totals.fill(row, tile, totals.count, own.op);
          }
        }
      });
  }
}

template <class Reduction, class Bounds, class Output>
struct cpu_work<window_reduce_job<Reduction, windows<Bounds>, Output>>
{
  using job_type = window_reduce_job<Reduction, windows<Bounds>, Output>;
  using T = typename Reduction::value_type;
  using sizes = window_sizes<T>;

  template <class Workers>
  static Output run(const job_type& job, const Workers& workers)
  {
    // 1. Totals of runs of tiles, for long windows.
    const std::int64_t tiles = detail::has_long_windows<T>(job.in, workers) ? job.in.num_items / sizes::tile : 0;
    const std::int64_t entries = tiles * disjoint_table<T>::rows(tiles);
    const auto totals_storage = workers.storage(stored_objects<T>::bytes(entries));
    const stored_objects<T> objects(totals_storage.data(), entries, job.reduction.init);
    const disjoint_table<T> totals{objects.data(), tiles};
    detail::fill_totals(job.reduction, totals, workers);

    // 2. Windows.
    const window_pieces<Bounds> pieces{job.in, 4 * cpu_piece_elements};
    const std::int64_t front_size = (std::min)(sizes::front, job.in.num_items);
    const std::int64_t front_count = workers.count(pieces.count()) * front_size;
    const auto fronts_storage = workers.storage(stored_objects<T>::bytes(front_count));
    const stored_objects<T> fronts(fronts_storage.data(), front_count, job.reduction.init);
    if constexpr (Workers::is_serial)
    {
      return detail::rewrap(job.output, reduce_in_order(job, pieces, totals, fronts.data()));
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
              job.reduction, job.in, totals, fronts.data() + worker * front_size, row, row_end,
              job.reduction.output + row);
          }
        }
      };
      workers.run(pieces.count(), work);
      return job.result();
    }
  }

private:
  /// Reduces piece after piece. Each begins where the one before it ends: where bounds are wrong, no row is written
  /// twice.
  static auto
  reduce_in_order(const job_type& job, window_pieces<Bounds> pieces, const disjoint_table<T>& totals, T* front)
  {
    auto output = job.reduction.output;
    std::int64_t row = 0;
    for (std::int64_t piece = 0; piece < pieces.count(); ++piece)
    {
      const std::int64_t row_end = pieces.first_row(piece + 1);
      if (row < row_end)
      {
        detail::reassign(output, detail::reduce_windows(job.reduction, job.in, totals, front, row, row_end, output));
        row = row_end;
      }
    }
    return output;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
