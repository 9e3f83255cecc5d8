// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The pieces of a merge of any number of runs on a CPU: their size, and the cuts of the runs where they begin.

#include <mgpu_thrust/agent/multiway_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/equal_pieces.h>
#include <mgpu_thrust/detail/cut/runs.h>
#include <mgpu_thrust/detail/multiway_merge/merge_parts.h>
#include <mgpu_thrust/detail/multiway_merge/serial.h>

#include <cuda/cmath>

#include <algorithm>
#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Lists the runs that are not empty. Their sizes are num_items in total at most.
template <class Runs>
struct runs_list
{
  listed_run* list;
  std::int64_t count = 0;
  std::int64_t num_items = 0;

  runs_list(const Runs& runs, listed_run* room)
      : list(room)
  {
    for (std::int64_t run = 0; run < runs.num_runs; ++run)
    {
      const std::int64_t end = detail::items_with_run(num_items, runs.size(run), runs.num_items);
      if (end > num_items)
      {
        list[count++] = {run, end - num_items, detail::begin_of_run(runs, run)};
        num_items = end;
      }
    }
  }
};

/// The pieces of the result of a merge.
struct merge_pieces
{
  equal_pieces pieces;

  /// Pieces have as many bytes as in other families. With many runs they have so many elements of each run, on average,
  /// that to cut them takes a fraction of the time: in 1,024 runs 2.8 of 18 ns an element with 128 of each, 8.5 of 27
  /// with 32. With several workers they have fewer, if there would not be two pieces for each worker.
  static constexpr std::int64_t max_elements_of_run = 128;
  static constexpr std::int64_t min_elements_of_run = 16;

  merge_pieces(std::int64_t num_items, std::int64_t num_runs, std::size_t item_bytes, int workers)
      : pieces{num_items}
  {
    constexpr std::int64_t largest = std::int64_t{1} << 31; // part_element counts to 2^32
    const auto words = static_cast<std::int64_t>(::cuda::ceil_div(item_bytes, sizeof(std::int64_t)));
    const std::int64_t per_worker = ::cuda::ceil_div(num_items, 2 * std::int64_t{workers});
    const std::int64_t of_many_runs =
      (std::min)((std::max)(per_worker, min_elements_of_run * num_runs), max_elements_of_run * num_runs);
    pieces.size = (std::min)((std::max)(cpu_piece_elements / words, of_many_runs), largest);
  }
};

/// The memory of a worker that merges pieces: two buffers of items, the parts of a piece, and cuts of all runs.
struct piece_memory
{
  /// The numbers of the cuts that are not used where a range of pieces is divided.
  static constexpr int begin_cut = 1;
  static constexpr int end_cut = 2;

  std::size_t buffer_bytes;
  std::size_t parts_bytes;
  std::size_t cut_bytes;
  std::size_t bytes;

  /// Items have `item_bytes` bytes. Ranges of up to `pieces_of_range` pieces are divided.
  piece_memory(std::int64_t num_runs, const equal_pieces& pieces, std::int64_t pieces_of_range, std::size_t item_bytes)
      : buffer_bytes(round_up(static_cast<std::size_t>((std::min)(pieces.size, pieces.elements)) * item_bytes))
      , parts_bytes(round_up(static_cast<std::size_t>(num_runs + 1) * sizeof(run_part)))
      , cut_bytes(round_up(static_cast<std::size_t>(num_runs) * sizeof(std::int64_t)))
  {
    const auto levels = static_cast<std::size_t>(::cuda::ilog2(2 * pieces_of_range - 1));
    bytes = 2 * buffer_bytes + parts_bytes + (levels + 3) * cut_bytes;
  }

  // What is in the memory `own` of a worker.

  template <class Item>
  Item* buffer(unsigned char* own, int number) const
  {
    return reinterpret_cast<Item*>(own + static_cast<std::size_t>(number) * buffer_bytes);
  }
  run_part* parts(unsigned char* own) const
  {
    return reinterpret_cast<run_part*>(own + 2 * buffer_bytes);
  }
  std::int64_t* cut(unsigned char* own, int number) const
  {
    return reinterpret_cast<std::int64_t*>(
      own + 2 * buffer_bytes + parts_bytes + static_cast<std::size_t>(number) * cut_bytes);
  }

private:
  static std::size_t round_up(std::size_t size)
  {
    return ::cuda::round_up(size, std::size_t{64});
  }
};

/// Cuts runs into pieces, with the memory of a worker. Runs is listed_runs.
template <class Runs, class Compare>
class piece_cuts
{
public:
  piece_cuts(
    const Runs& runs, std::int64_t num_runs, std::int64_t piece_size, const piece_memory& memory, unsigned char* own,
    Compare& comp)
      : runs_(runs)
      , num_runs_(num_runs)
      , piece_size_(piece_size)
      , memory_(memory)
      , own_(own)
      , comp_(comp)
  {
  }

  std::int64_t* cut(int number) const
  {
    return memory_.cut(own_, number);
  }
  /// Finds the cut with `need` elements before it, after the begins of `bounds`.
  template <class Bounds>
  void find(std::int64_t need, const Bounds& bounds, std::int64_t* found)
  {
    multiway_search<Runs, std::int64_t*, Compare>(runs_, num_runs_, found, comp_)
      .find(need, bounds, stored_ends<std::int64_t*>{cut(0)});
  }
  /// Calls take(begin, end, count) with the cuts of each piece of elements [first, last) of the result, in order.
  template <class Take>
  void divide_range(std::int64_t first, std::int64_t last, Take take)
  {
    const all_elements<Runs> all{runs_};
    find(first, all, cut(piece_memory::begin_cut));
    find(last, all, cut(piece_memory::end_cut));
    divide(last - first, cut(piece_memory::begin_cut), cut(piece_memory::end_cut), take);
  }
  /// The same for the `count` elements between two cuts: divides them in halves until these are pieces.
  template <class Take>
  void divide(
    std::int64_t count, const std::int64_t* begin, const std::int64_t* end, Take& take,
    int next_cut = piece_memory::end_cut + 1)
  {
    if (count <= piece_size_)
    {
      take(begin, end, count);
      return;
    }
    const std::int64_t before = (::cuda::ceil_div(count, piece_size_) + 1) / 2 * piece_size_;
    std::int64_t* const middle = cut(next_cut);
    find(before, elements_between{begin, end}, middle);
    divide(before, begin, middle, take, next_cut + 1);
    divide(count - before, middle, end, take, next_cut + 1);
  }

private:
  Runs runs_;
  std::int64_t num_runs_;
  std::int64_t piece_size_;
  const piece_memory& memory_;
  unsigned char* own_;
  Compare& comp_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
