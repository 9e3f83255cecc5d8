// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Where a segmented reduction on a GPU writes the results of segments.

#include <mgpu_thrust/detail/base/config.h>

#include <cstdint>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Partial results of the segments that lie in several tiles: of each tile the reduction of its last items, which
/// belong to a segment that ends in a later tile, and of its first items, which belong to a segment that began in an
/// earlier tile and ends in this one.
template <class T>
struct tile_carries
{
  T* last;
  T* first;
};

/// Writes the results of the segments that end in a tile, which are numbered from its first segment. If that segment
/// `is_begun` before the tile, its result is only partial, and becomes the tile's first carry. Whole segments have none.
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
      *first_carry_ = value;
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
