// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Finds and writes the rows of a tile of needles, by the threads of a block. The functions that the kernels of a join
/// call are those of join_row_finder and join_row_writer.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/join/rows/needles.h>
#include <mgpu_thrust/detail/join/rows/tile_writer.cuh>

#include <cub/block/block_scan.cuh>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A tile of up to Threads needles: those from `index * Threads` on.
template <int Threads, class Kind, class Inputs, class Compare>
class join_needle_tile
{
public:
  static constexpr bool has_needles = true;

  MGPU_THRUST_DEVICE join_needle_tile(const Inputs& inputs, Compare comp, int index)
      : inputs_(inputs)
      , comp_(comp)
      , are_left_(detail::are_needles_left(Kind{}, inputs.a_count, inputs.b_count))
      , first_(std::int64_t{index} * Threads)
  {
    const std::int64_t needles = are_left_ ? inputs.a_count : inputs.b_count;
    count_ = static_cast<int>((min) (needles - first_, std::int64_t{Threads}));
  }

  /// Where the tile begins: as no row depends on the other input, it begins at its first element. `end` is 1 for where
  /// it ends.
  MGPU_THRUST_DEVICE tile_begin begin(int end = 0) const
  {
    const std::int64_t needle = first_ + end * count_;
    return are_left_ ? tile_begin{needle, 0} : tile_begin{0, needle};
  }
  MGPU_THRUST_DEVICE bool are_left() const
  {
    return are_left_;
  }
  MGPU_THRUST_DEVICE int count() const
  {
    return count_;
  }

  /// Finds the rows of the needle at a position in the tile.
  MGPU_THRUST_DEVICE needle_rows find(int position) const
  {
    if constexpr (!Kind::keeps_right)
    {
      if (are_left_)
      {
        return detail::find_left_needle(Kind{}, inputs_, first_ + position, comp_);
      }
    }
    if constexpr (!Kind::keeps_left)
    {
      return detail::find_right_needle(inputs_, first_ + position, comp_);
    }
    return {0, 0, 0, 1}; // not reached
  }

private:
  const Inputs& inputs_;
  Compare comp_;
  bool are_left_;
  std::int64_t first_; ///< index of the tile's first needle
  int count_;
};

/// The right elements without a match of a tile of right needles. See join_right_matches.
template <int Threads>
class needles_without_match
{
public:
  /// Bits of the needles of each warp, and the bits of the thread's own warp.
  MGPU_THRUST_DEVICE needles_without_match(unsigned (&shared_bits)[Threads / 32], unsigned own_bits, int count)
      : shared_bits_(shared_bits)
      , own_bits_(own_bits)
      , count_(count)
      , lane_(static_cast<int>(threadIdx.x) % 32)
      , warp_(static_cast<int>(threadIdx.x) / 32)
  {
  }

  /// Calls f(word, right_only) for each word, on some thread. Returns the number of needles without a match to all
  /// threads, after a barrier.
  template <class Function>
  MGPU_THRUST_DEVICE int for_each_word(Function f) const
  {
    if (lane_ == 0 && 32 * warp_ < count_)
    {
      f(warp_, own_bits_);
    }
    return __syncthreads_count(static_cast<int>(has_none()));
  }

  MGPU_THRUST_DEVICE int find_right_only() const
  {
    if (lane_ == 0)
    {
      shared_bits_[warp_] = own_bits_;
    }
    return for_each_word([](int, unsigned) {});
  }

  /// Calls f(right, rank) for each needle that find_right_only() has found.
  template <class Function>
  MGPU_THRUST_DEVICE void for_each_right_only(Function f) const
  {
    if (has_none())
    {
      int rank = __popc(own_bits_ & detail::first_lanes(lane_));
      for (int warp = 0; warp < warp_; ++warp)
      {
        rank += __popc(shared_bits_[warp]);
      }
      f(static_cast<int>(threadIdx.x), rank);
    }
  }

private:
  /// Whether the thread's own needle has no match.
  MGPU_THRUST_DEVICE bool has_none() const
  {
    return (own_bits_ >> lane_ & 1) != 0;
  }

  unsigned (&shared_bits_)[Threads / 32];
  unsigned own_bits_;
  int count_;
  int lane_;
  int warp_;
};

/// Finds the rows of a tile of needles, one per thread. What it finds stays in shared memory, where join_needle_writer
/// reads it. For `tile row` see join_row_finder; a `position` is that of a needle in the tile.
template <class Shape, class Kind, class Inputs, class Compare>
class join_needle_finder
{
  static constexpr int threads = Shape::threads;
  using block_scan = cub::BlockScan<std::int64_t, threads, cub::BLOCK_SCAN_WARP_SCANS>;
  using right_only = needles_without_match<threads>;

  /// The lengths of arrays for right needles alone, and for right elements without a match alone.
  static constexpr int right_length = Kind::keeps_left ? 1 : threads;
  static constexpr int right_only_words = threads / 32;

public:
  using shape = Shape;
  using kind = Kind;
  using tile_type = join_needle_tile<threads, Kind, Inputs, Compare>;

  struct TempStorage
  {
    typename block_scan::TempStorage scan;
    std::int64_t rows_before[threads + 1]; ///< tile rows before each needle, then their total
    std::int64_t first_match[threads];
    std::int64_t rank[right_length];
    std::int64_t equals[right_length];
    unsigned right_only[right_only_words];
  };

  MGPU_THRUST_DEVICE explicit join_needle_finder(TempStorage& shared)
      : shared_(shared)
  {
  }

  /// Finds the rows of the tile's needles. Returns the number of these rows to all threads, after a barrier, and calls
  /// post(rows) on one thread. All threads of the block must call it.
  template <class Post>
  MGPU_THRUST_DEVICE std::int64_t find(const tile_type& tile, Post post)
  {
    const int thread = static_cast<int>(threadIdx.x);
    are_left_ = tile.are_left();
    count_ = tile.count();
    const needle_rows own = thread < count_ ? tile.find(thread) : needle_rows{0, 0, 0, 1};
    std::int64_t before = 0;
    std::int64_t rows = 0;
    block_scan(shared_.scan).ExclusiveSum(own.count, before, rows);
    if (thread == 0)
    {
      post(rows);
      shared_.rows_before[threads] = rows;
    }
    shared_.rows_before[thread] = before;
    shared_.first_match[thread] = own.first_match;
    if constexpr (!Kind::keeps_left)
    {
      shared_.rank[thread] = own.rank;
      shared_.equals[thread] = own.equals;
    }
    if constexpr (Kind::keeps_right)
    {
      right_only_ = __ballot_sync(~0u, thread < count_ && own.count == 0);
    }
    __syncthreads();
    return rows;
  }

  // What all threads can read after find().

  MGPU_THRUST_DEVICE right_only right() const
  {
    return {shared_.right_only, right_only_, count_};
  }

  /// Returns the tile row after the last of a needle.
  MGPU_THRUST_DEVICE std::int64_t end_of(int position) const
  {
    return shared_.rows_before[position + 1];
  }

  /// Returns the position of the needle of a tile row, which is not before `first`.
  MGPU_THRUST_DEVICE int needle_of(std::int64_t tile_row, int first) const
  {
    return detail::partition_point(
      first, threads - 1, [&](int position) { return shared_.rows_before[position + 1] <= tile_row; });
  }

  /// Returns the indices of a tile row of the needle at a position, in a tile that begins at `begin`.
  MGPU_THRUST_DEVICE index_pair row(std::int64_t tile_row, int position, tile_begin begin) const
  {
    const std::int64_t first = shared_.rows_before[position];
    if constexpr (!Kind::keeps_right)
    {
      if (are_left_)
      {
        return detail::row_of_left_needle(begin.a + position, shared_.first_match[position], tile_row - first);
      }
    }
    if constexpr (!Kind::keeps_left)
    {
      const needle_rows rows{
        shared_.rows_before[position + 1] - first, shared_.first_match[position], shared_.rank[position],
        shared_.equals[position]};
      return detail::row_of_right_needle(begin.b + position, rows, tile_row - first);
    }
    return {no_match, no_match}; // not reached
  }

private:
  TempStorage& shared_;
  bool are_left_ = false;
  int count_ = 0;
  unsigned right_only_ = 0; ///< bits of the right elements without a match of the thread's warp
};

/// Writes rows of a tile that a join_needle_finder (Finder) has found. All threads of the block must call each
/// function.
template <class Finder, class Outputs>
class join_needle_writer : public join_tile_writer<Finder, Outputs>
{
  using base = join_tile_writer<Finder, Outputs>;

public:
  MGPU_THRUST_DEVICE join_needle_writer(Finder& found, const Outputs& outputs, tile_begin begin)
      : base(found, outputs, begin)
  {
  }

  /// Writes the tile rows in `rows` to the outputs from row find_row() on. All threads call find_row() once; it may
  /// wait, and has a barrier. Neighbouring threads write neighbouring rows; a thread bisects for the needle of its next
  /// row if that is a later one.
  template <class FindRow>
  MGPU_THRUST_DEVICE void write_left(row_range rows, FindRow find_row)
  {
    const std::int64_t row = find_row();
    const std::int64_t last = base::last_with_room(rows.first, rows.last, row);
    const typename Outputs::plain_outputs by_tile_row = base::outputs_ + (row - rows.first);
    int position = 0;
    std::int64_t end = base::found_.end_of(position);
    for (std::int64_t tile_row = rows.first - base::unaligned_rows(row) + static_cast<int>(threadIdx.x);
         tile_row < last; tile_row += Finder::shape::threads)
    {
      if (tile_row >= rows.first)
      {
        if (tile_row >= end)
        {
          position = base::found_.needle_of(tile_row, position + 1);
          end = base::found_.end_of(position);
        }
        const index_pair indices = base::found_.row(tile_row, position, base::begin_);
        by_tile_row.write(tile_row, indices.left, indices.right);
      }
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
