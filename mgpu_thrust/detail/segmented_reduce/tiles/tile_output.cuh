// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Where a segmented reduction on a GPU writes the results of segments.

#include <mgpu_thrust/detail/base/config.h>

#include <cstdint>
#include <new>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Partial results of the segments that lie in several tiles, two for each tile.
template <class T>
struct tile_carries
{
  T* last;  ///< the reduction of the tile's last items, if their segment ends in a later tile
  T* first; ///< the reduction of the tile's first items, if their segment began in an earlier tile and ends in this one
};

/// Writes the results of the segments that end in a tile. Segments are numbered from the tile's first. If that one
/// `is_begun` before the tile, its result is partial, and becomes the tile's first carry. Whole segments have no
/// carries.
template <class T, class Reduction>
class tile_output
{
  using results_type = decltype(std::declval<Reduction&>().output + std::int64_t{});

public:
  /// The first of the tile's segments is number `first_segment` of all.
  MGPU_THRUST_DEVICE tile_output(Reduction& reduction, std::int64_t first_segment, bool is_begun, T* first_carry)
      : reduction_(reduction)
      , results_(reduction.output + first_segment)
      , is_begun_(is_begun)
      , first_carry_(first_carry)
  {
  }

  /// Writes the reduction of a segment's items in the tile.
  MGPU_THRUST_DEVICE void write(int segment, const T& value) const
  {
    if (segment > 0 || !is_begun_)
    {
      *(results_ + segment) = static_cast<T>(reduction_.op(reduction_.init, value));
    }
    else
    {
      ::new (static_cast<void*>(first_carry_)) T(value);
    }
  }
  /// Writes the result of an empty segment.
  MGPU_THRUST_DEVICE void write_empty(int segment) const
  {
    *(results_ + segment) = reduction_.init;
  }

private:
  Reduction& reduction_;
  results_type results_;
  bool is_begun_;
  T* first_carry_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
