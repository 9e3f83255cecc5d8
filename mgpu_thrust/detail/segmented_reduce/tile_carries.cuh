// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// What tiles of a segmented reduction carry to others.

#include <mgpu_thrust/detail/base/config.h>

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

} // namespace detail
MGPU_THRUST_NAMESPACE_END
