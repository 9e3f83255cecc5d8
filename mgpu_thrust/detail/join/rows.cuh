// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Finds and writes the rows of a tile of a join, by the threads of a block.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/join/serial.h>
#include <mgpu_thrust/detail/join/tile.cuh>
#include <mgpu_thrust/detail/tile/tile_bits.cuh>

#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns the sum of a value over a full warp, in its first lane.
MGPU_THRUST_DEVICE unsigned sum_over_warp(unsigned value)
{
  typename cub::WarpReduce<unsigned>::TempStorage nothing_shared;
  return cub::WarpReduce<unsigned>(nothing_shared).Sum(value);
}

/// Writes an integer of 4 or 8 bytes with a streaming store, so that it soon leaves the caches; others plainly.
template <class Index>
MGPU_THRUST_DEVICE void write_streaming(Index* to, Index value)
{
  if constexpr (sizeof(Index) == 4)
  {
    __stcs(reinterpret_cast<int*>(to), static_cast<int>(value));
  }
  else if constexpr (sizeof(Index) == 8)
  {
    __stcs(reinterpret_cast<long long*>(to), static_cast<long long>(value));
  }
  else
  {
    *to = value;
  }
}

/// Finds and writes the rows of a tile of Threads * ItemsPerThread elements. It finds the matches of the left elements,
/// and sums their rows by groups of 32 left elements. If the tile has no more rows than elements, lanes first write the
/// rows of their own left elements to shared memory, so that neighbouring rows are stored together. Otherwise each warp
/// writes an equal share of the rows: it finds the group of its first row, and the first row of each of the group's
/// elements, one a lane.
template <int Threads, int ItemsPerThread, class Kind, class Inputs, class Outputs, class Compare>
class block_join_rows
{
  static constexpr int items = Threads * ItemsPerThread;
  static constexpr int capacity = items + 1;
  static constexpr int warps = Threads / 32;
  static constexpr int most_groups = (capacity + 31) / 32;
  static constexpr int lane_groups = (most_groups + 31) / 32; // groups that a lane sums up

  using bits_type = tile_bits<Threads, capacity>;

  // The word `found` of a left element: its first match in the lower half, the number of its matches in the tile in the
  // upper half; for an element that has no match at all but a row nevertheless: `nothing` in the lower half, 1 in the
  // upper. A row in shared memory: its match in the lower half, its left element in the upper.
  static constexpr unsigned nothing = 0xffff;
  static_assert(capacity < nothing);

  struct no_storage
  {
  };
  struct right_storage
  {
    typename bits_type::storage bits;
    int in_front; ///< number of right elements whose match is before the tile
    int count;    ///< number of right elements without a match
  };

public:
  using tile_type = join_tile<Threads, items, Inputs, Compare>;

  struct storage
  {
    union
    {
      typename tile_type::storage tile;
      unsigned rows[items];
    };
    alignas(16) unsigned found[32 * most_groups]; ///< a byte at its end for each right element: whether it has a match
    unsigned group_sums[most_groups];             ///< rows of each group, without matches after the tile
    std::int64_t group_rows[most_groups + 1];     ///< rows before each group, then their total
    std::conditional_t<Kind::keeps_right, right_storage, no_storage> right;
  };

  MGPU_THRUST_DEVICE
  block_join_rows(storage& shared, const Outputs& outputs, std::int64_t a_begin, std::int64_t b_begin)
      : shared_(shared)
      , outputs_(outputs)
      , a_begin_(a_begin)
      , b_begin_(b_begin)
      , lane_(static_cast<int>(threadIdx.x) % 32)
      , warp_(static_cast<int>(threadIdx.x) / 32)
  {
  }

  /// Finds the matches of the tile's left elements, and releases the shared memory of the keys. Returns the number of
  /// their rows to all threads, and calls told(rows) on one thread as early as possible. All threads of the block must
  /// call it.
  template <class Told>
  MGPU_THRUST_DEVICE std::int64_t find(tile_type& tile, Told told)
  {
    // 1. The matches of each left element, and the number of rows of each group.
    left_count_ = min(tile.left_count(), items); // more only if the input is not sorted
    right_count_ = tile.right_count();
    if constexpr (Kind::keeps_right)
    {
      clear_matches(tile);
    }
    behind_ = tile.find_matches_behind();
    tile.for_each_left(
      [&](int i, int lower, int matches, bool is_left)
      {
        const bool is_alone = Kind::keeps_left && matches == 0 && i < behind_.first_left;
        const unsigned rows = is_alone ? 1 : matches;
        if (is_left)
        {
          shared_.found[i] = rows << 16 | (is_alone ? nothing : lower);
        }
        const unsigned sum = detail::sum_over_warp(is_left ? rows : 0);
        if (lane_ == 0 && is_left)
        {
          shared_.group_sums[static_cast<unsigned>(i) / 32] = sum;
        }
        if constexpr (Kind::keeps_right)
        {
          mark_matches(tile, i, lower, is_left ? matches : 0);
        }
      });
    __syncthreads();
    tile_type::release(shared_.tile);

    // 2. The number of rows before each group.
    if (warp_ == 0)
    {
      const int first_group = lane_ * lane_groups;
      const auto rows_of_group = [&](int group)
      {
        const int go_on = min(left_count_, 32 * (group + 1)) - max(behind_.first_left, 32 * group);
        return 32 * group < left_count_ ? shared_.group_sums[group] + max(go_on, 0) * behind_.count : 0;
      };
      std::int64_t rows = 0;
      for (int k = 0; k < lane_groups; ++k)
      {
        rows += rows_of_group(first_group + k);
      }
      std::int64_t before = 0;
      typename cub::WarpScan<std::int64_t>::TempStorage nothing_shared;
      cub::WarpScan<std::int64_t>(nothing_shared).ExclusiveSum(rows, before, rows);
      if (lane_ == 0)
      {
        told(rows);
      }
      for (int k = 0; k < lane_groups && 32 * (first_group + k) < left_count_ + 32; ++k)
      {
        shared_.group_rows[first_group + k] = before;
        before += rows_of_group(first_group + k);
      }
    }
    __syncthreads();
    left_rows_ = shared_.group_rows[(left_count_ + 31) / 32];
    return left_rows_;
  }

  /// Calls f(word, right_only) for each word of 32 right elements, on some thread: bit k of right_only says that
  /// element 32 * word + k exists and has no match. Returns the number of elements without a match to all threads,
  /// after a barrier. All threads must call it, after find().
  template <class Function>
  MGPU_THRUST_DEVICE int for_each_right_word(Function f)
  {
    int count = 0;
    for (int word = static_cast<int>(threadIdx.x); 32 * word < right_count_; word += Threads)
    {
      const auto* const matches = reinterpret_cast<const uint4*>(matches_of_right() + 32 * word);
      const unsigned matched = bits_of_bytes(matches[0]) | bits_of_bytes(matches[1]) << 16;
      const unsigned present = detail::first_lanes(right_count_ - 32 * word);
      const unsigned in_front = detail::first_lanes(max(shared_.right.in_front - 32 * word, 0));
      const unsigned right_only = present & ~(matched | in_front);
      count += __popc(right_only);
      f(word, right_only);
    }
    count = static_cast<int>(detail::sum_over_warp(static_cast<unsigned>(count)));
    if (lane_ == 0)
    {
      atomicAdd(&shared_.right.count, count);
    }
    __syncthreads();
    return shared_.right.count;
  }

  /// Writes the rows in `wanted` of the tile's right elements without a match. The tile's rows of that kind start at
  /// row first_row; row wanted.first is row 0 of the outputs.
  MGPU_THRUST_DEVICE void write_right_only(std::int64_t first_row, row_range wanted)
  {
    const bits_type bits(shared_.right.bits);
    for_each_right_word([&](int word, unsigned right_only) { bits.set_word(word, right_only); });
    bits.count(right_count_);
    __syncthreads();
    bits.for_each(
      right_count_,
      [&](int j, int rank)
      {
        const std::int64_t row = first_row + rank;
        if (wanted.first <= row && row < wanted.last)
        {
          outputs_.write(row - wanted.first, no_match, b_begin_ + j);
        }
      });
  }

  /// Writes the rows of the tile's left elements that are in `rows`, counted from the tile's first, to the outputs from
  /// row find_row() on. All threads call find_row() once; it may wait, and has a barrier. Rows are staged in the memory
  /// of the keys, but never in a tile's units after the first, whose block goes on to load other keys there at once:
  /// such tiles have more rows than are staged.
  template <class FindRow>
  MGPU_THRUST_DEVICE void write_left(row_range rows, FindRow find_row)
  {
    constexpr std::int64_t most = std::int64_t{1} << 30;
    if (left_rows_ <= items)
    {
      write_staged(static_cast<int>(rows.first), static_cast<int>(rows.last), find_row);
    }
    else if (left_rows_ <= most)
    {
      write_shares<int>(static_cast<int>(rows.first), static_cast<int>(rows.last), find_row());
    }
    else
    {
      write_shares<std::int64_t>(rows.first, rows.last, find_row());
    }
  }

private:
  /// Returns the bytes of the right elements, rounded up to a multiple of 32. There is room for them after the words of
  /// the left elements, which have four bytes each.
  MGPU_THRUST_DEVICE unsigned char* matches_of_right() const
  {
    return reinterpret_cast<unsigned char*>(shared_.found + 32 * most_groups - (right_count_ + 31) / 32 * 8);
  }

  /// Packs 16 bytes that are 0 or 1 into 16 bits.
  MGPU_THRUST_DEVICE static unsigned bits_of_bytes(uint4 bytes)
  {
    const auto bits_of = [](unsigned four) { return four * 0x10204080u >> 28; };
    return bits_of(bytes.x) | bits_of(bytes.y) << 4 | bits_of(bytes.z) << 8 | bits_of(bytes.w) << 12;
  }

  /// Clears the bytes of the right elements, and counts the elements whose match is before the tile.
  MGPU_THRUST_DEVICE void clear_matches(tile_type& tile)
  {
    auto* const matches = reinterpret_cast<uint4*>(matches_of_right());
    for (int i = static_cast<int>(threadIdx.x); i < (right_count_ + 31) / 32 * 2; i += Threads)
    {
      matches[i] = {0, 0, 0, 0};
    }
    if (warp_ == warps - 1)
    {
      const int in_front = tile.matches_in_front();
      if (lane_ == 0)
      {
        shared_.right.in_front = in_front;
        shared_.right.count = 0;
      }
    }
  }

  /// Marks the matches in the tile of left element i; called by a full warp.
  MGPU_THRUST_DEVICE void mark_matches(tile_type& tile, int i, int lower, int matches)
  {
    constexpr int few = 4;
    unsigned char* const has_match = matches_of_right();
#pragma unroll
    for (int k = 0; k < few; ++k)
    {
      if (k < matches)
      {
        has_match[lower + k] = 1;
      }
    }
    // More than `few` matches are marked by all lanes together, and once for all equal left elements.
    unsigned waiting = __ballot_sync(~0u, matches > few && tile.is_first_of_equals(i));
    while (waiting != 0)
    {
      const int owner = __ffs(static_cast<int>(waiting)) - 1;
      waiting &= waiting - 1;
      const int first = __shfl_sync(~0u, lower, owner);
      const int last = first + __shfl_sync(~0u, matches, owner);
      for (int j = first + few + lane_; j < last; j += 32)
      {
        has_match[j] = 1;
      }
    }
  }

  /// Writes the tile's rows [first, last) to the outputs from row find_row() on, through shared memory.
  template <class FindRow>
  MGPU_THRUST_DEVICE void write_staged(int first, int last, FindRow find_row)
  {
    // 1. Stage each row's elements. Most left elements have few rows.
    for (int group = warp_; 32 * group < left_count_; group += warps)
    {
      const int i = 32 * group + lane_;
      const int rows = rows_of<int>(i);
      int next = 0;
      typename cub::WarpScan<int>::TempStorage nothing_shared;
      cub::WarpScan<int>(nothing_shared).ExclusiveSum(rows, next);
      next += static_cast<int>(shared_.group_rows[group]);
      constexpr int few = 3;
      const unsigned elements = static_cast<unsigned>(i) << 16 | (shared_.found[i] & 0xffff);
      const int end = min(next + rows, items); // it is more only if the input is not sorted
#pragma unroll
      for (int k = 0; k < few; ++k)
      {
        if (next + k < end)
        {
          shared_.rows[next + k] = elements + k;
        }
      }
      for (int k = few; next + k < end; ++k)
      {
        shared_.rows[next + k] = elements + k;
      }
    }
    const std::int64_t row = find_row();

    // 2. Store the rows so that each warp's stores are aligned.
    const Outputs outputs = outputs_ + (row - first);
#pragma unroll 4
    for (int i = first - unaligned_rows(row) + static_cast<int>(threadIdx.x); i < last; i += Threads)
    {
      if (i >= first)
      {
        const unsigned elements = shared_.rows[i];
        write<false>(outputs, i, static_cast<int>(elements >> 16), static_cast<int>(elements & 0xffff), 0);
      }
    }
  }

  /// Returns the offset of a row among the 32 aligned rows that a warp stores together. Those are whole sectors if the
  /// outputs are aligned, which is 8 % faster where an element has a thousand rows.
  MGPU_THRUST_DEVICE static int unaligned_rows(std::int64_t row)
  {
    return static_cast<int>(row % 32);
  }

  /// Writes a row of a left element of the tile, whose first match is `lower`, or `nothing`. Rows of an element with
  /// many rows (IsOneOfMany) soon leave the caches.
  template <bool IsOneOfMany, class Int>
  MGPU_THRUST_DEVICE void write(const Outputs& outputs, Int row, int left, int lower, Int rank) const
  {
    const bool is_alone = Kind::keeps_left && lower == nothing;
    const std::int64_t right = is_alone ? no_match : b_begin_ + lower + rank;
    if constexpr (IsOneOfMany && Outputs::is_plain)
    {
      detail::write_streaming(outputs.left + row, static_cast<typename Outputs::left_index>(a_begin_ + left));
      detail::write_streaming(outputs.right + row, static_cast<typename Outputs::right_index>(right));
    }
    else
    {
      outputs.write(row, a_begin_ + left, right);
    }
  }

  /// Writes the tile's rows [first, last), whose numbers fit Int, to the outputs from row `row` on, each warp an equal
  /// share.
  template <class Int>
  MGPU_THRUST_DEVICE void write_shares(Int first, Int last, std::int64_t row)
  {
    const int groups = (left_count_ + 31) / 32;
    const auto rows_before = [&](int group) { return static_cast<Int>(shared_.group_rows[group]); };
    const Outputs outputs = outputs_ + (row - first);
    const Int aligned = first - unaligned_rows(row);
    const Int each = (last - aligned + (32 * warps - 1)) / (32 * warps) * 32;
    const Int begin = aligned + warp_ * each;
    first = max(first, begin);
    last = min(last, begin + each);
    if (first < last)
    {
      const int first_group =
        detail::warp_partition_point(0, groups, [&](int group) { return rows_before(group) <= first; }) - 1;
      for (int group = first_group; group < groups && rows_before(group) < last; ++group)
      {
        const Int group_first = max(first, rows_before(group));
        write_group(
          outputs, 32 * group, rows_of<Int>(32 * group + lane_), rows_before(group), group_first,
          min(last, rows_before(group + 1)), group_first - (group_first - begin) % 32);
      }
    }
  }

  /// Returns the number of rows of left element i, 0 if there is no such element.
  template <class Int>
  MGPU_THRUST_DEVICE Int rows_of(int i) const
  {
    const Int rows =
      static_cast<int>(shared_.found[i] >> 16) + (i < behind_.first_left ? 0 : static_cast<Int>(behind_.count));
    return i < left_count_ ? rows : 0;
  }

  /// Writes the tile's rows [first, last), which belong to the 32 left elements from first_left on. A lane's element
  /// has `rows` rows; those of the first lane's element start at row group_first. Stores 32 rows at a time, from row
  /// `window` on.
  template <class Int>
  MGPU_THRUST_DEVICE void
  write_group(const Outputs& outputs, int first_left, Int rows, Int group_first, Int first, Int last, Int window) const
  {
    const int lower = static_cast<int>(shared_.found[first_left + lane_] & 0xffff);
    typename cub::WarpScan<Int>::TempStorage nothing_shared;
    Int start = 0;
    cub::WarpScan<Int>(nothing_shared).ExclusiveSum(rows, start);
    start += group_first;
    while (window < last)
    {
      const int owner = __popc(__ballot_sync(~0u, start <= max(window, first))) - 1;
      const Int owner_end = __shfl_sync(~0u, start + rows, owner);
      if (owner_end < min(window + 32, last))
      {
        // 1. Each lane finds the element of its row: the last one whose rows start there or before.
        const Int row = window + lane_;
        int own = 0;
#pragma unroll
        for (int stride = 16; stride > 0; stride /= 2)
        {
          own += __shfl_sync(~0u, start, own + stride) <= row ? stride : 0;
        }
        const Int own_start = __shfl_sync(~0u, start, own);
        const int own_lower = __shfl_sync(~0u, lower, own);
        if (first <= row && row < last)
        {
          write<true>(outputs, row, first_left + own, own_lower, row - own_start);
        }
        window += 32;
      }
      else
      {
        // 2. All rows of the window, and maybe many more, belong to one element.
        const Int end = owner_end < last ? window + (owner_end - window) / 32 * 32 : last;
        const Int owner_start = __shfl_sync(~0u, start, owner);
        const int owner_lower = __shfl_sync(~0u, lower, owner);
#pragma unroll 4
        for (Int row = window + lane_; row < end; row += 32)
        {
          if (first <= row)
          {
            write<true>(outputs, row, first_left + owner, owner_lower, row - owner_start);
          }
        }
        window = end;
      }
    }
  }

  storage& shared_;
  const Outputs& outputs_;
  std::int64_t a_begin_;
  std::int64_t b_begin_;
  matches_behind behind_{0, 0};
  std::int64_t left_rows_ = 0;
  int left_count_ = 0;
  int right_count_ = 0;
  int lane_;
  int warp_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
