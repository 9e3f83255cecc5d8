// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The marks of the items of a tile that are removed or inserted.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Sets marks for `count` indices: of item index - b or, if `Spreads`, of index - b plus the number of indices before
/// it. Items outside [0, max_items) are left out. Indices are loaded in batches.
template <int Threads, bool Spreads, class Marks, class Indices>
MGPU_THRUST_DEVICE void mark_indices(const Marks& marks, Indices indices, int count, std::int64_t b, int max_items)
{
  constexpr int batch = 4;
  for (int first = static_cast<int>(threadIdx.x); first < count; first += batch * Threads)
  {
    int items[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k)
    {
      const int i = first + k * Threads;
      items[k] = -1;
      if (i < count)
      {
        // Unsigned, so that one comparison tells whether the item is in the tile, whatever the index is.
        const auto index = static_cast<std::uint64_t>(static_cast<std::int64_t>(detail::element(indices, i)));
        const std::uint64_t item = index - static_cast<std::uint64_t>(b) + (Spreads ? i : 0);
        items[k] = item < static_cast<std::uint64_t>(max_items) ? static_cast<int>(item) : -1;
      }
    }
#pragma unroll
    for (int k = 0; k < batch; ++k)
    {
      if (items[k] >= 0)
      {
        marks.set(items[k]);
      }
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
