// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The total of any run of whole tiles, by one operation: a disjoint sparse table.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/window_reduce/table_rows.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The totals of runs of tiles. Level k has blocks of 2^(k+1) tiles, and for each tile the total of all from it to the
/// middle of its block: of the tiles before the middle, a suffix; of those after it, a prefix. A run of two tiles and
/// more has its ends on both sides of a middle of one level, so its total is that of a suffix and a prefix. Level 0 has
/// the totals of the tiles.
///
/// A tile may lack a total. Then runs with this tile lack one too.
template <class T>
class tile_runs
{
public:
  /// A total in two parts, the second of which may be null; both are if there is none.
  struct parts
  {
    const T* left;
    const T* right;
  };

  /// There are table_rows(tiles) levels: `totals` has level 0, `upper` the others, one after the other. There are no
  /// totals for 0 tiles.
  tile_runs(std::optional<T>* totals, std::optional<T>* upper, std::int64_t tiles)
      : totals_(totals)
      , upper_(upper)
      , tiles_(tiles)
  {
  }

  /// Computes a level above 0 from level 0. Reduction is a segment_reduction.
  template <class Reduction>
  void build(Reduction& reduction, int number) const
  {
    std::optional<T>* const runs = level(number);
    const std::int64_t half = std::int64_t{1} << number;
    for (std::int64_t middle = half; middle < tiles_; middle += 2 * half)
    {
      runs[middle - 1] = totals_[middle - 1];
      for (std::int64_t tile = middle - 2; tile >= middle - half && runs[tile + 1] && totals_[tile]; --tile)
      {
        runs[tile] = totals_[tile];
        reduction.append(*runs[tile], *runs[tile + 1]);
      }
      const std::int64_t end = (std::min)(middle + half, tiles_);
      runs[middle] = totals_[middle];
      for (std::int64_t tile = middle + 1; tile < end && runs[tile - 1] && totals_[tile]; ++tile)
      {
        runs[tile] = runs[tile - 1];
        reduction.append(*runs[tile], *totals_[tile]);
      }
    }
  }

  /// Returns the total of the tiles [begin, end), of which there is at least one.
  parts find(std::int64_t begin, std::int64_t end) const
  {
    if (end > tiles_)
    {
      return {nullptr, nullptr}; // no tile has a total, and bounds are wrong
    }
    const std::int64_t last = end - 1;
    if (begin == last)
    {
      return {at(totals_[begin]), nullptr};
    }
    const std::optional<T>* const runs = level(detail::table_row_of(begin, last));
    return runs[begin] && runs[last] ? parts{std::addressof(*runs[begin]), std::addressof(*runs[last])}
                                     : parts{nullptr, nullptr};
  }

private:
  static const T* at(const std::optional<T>& total)
  {
    return total ? std::addressof(*total) : nullptr;
  }
  std::optional<T>* level(int number) const
  {
    return number == 0 ? totals_ : upper_ + (number - 1) * tiles_;
  }

  std::optional<T>* totals_;
  std::optional<T>* upper_;
  std::int64_t tiles_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
