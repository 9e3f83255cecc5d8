// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Tuning of bulk removal and insertion: shapes of tiles, their limit, and how many elements a thread has in flight.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The tile shape for elements of ElementBytes bytes. A tile takes one byte of shared memory per item, so registers
/// alone limit the number of resident blocks. Large elements have small tiles, as each takes its thread long. Small
/// blocks wait less at barriers: 128 x 48 removes every other of 2^27 int32 in 0.287 ms, 128 x 32 in 0.34, 256 x 16 in
/// 0.40, 512 x 8 in 0.47 (H200, with tiles cut on the merge path).
template <int ElementBytes>
constexpr auto choose_bulk_shape()
{
  if constexpr (ElementBytes <= 8)
  {
    return tile_shape<128, 48, 8>{};
  }
  else if constexpr (ElementBytes <= 16)
  {
    return tile_shape<256, 8, 6>{};
  }
  else if constexpr (ElementBytes <= 64)
  {
    return tile_shape<256, 4, 4>{};
  }
  else
  {
    return tile_shape<128, 4, 4>{};
  }
}

/// Maximum number of indices, which stay in the caches, for which the blocks of a removal search themselves.
inline constexpr std::int64_t max_indices_without_cut = 65536;

/// Limits of the bytes and elements that a thread loads before it stores the first. A removal has more in flight, as
/// its threads hold no sources.
inline constexpr int insertion_bytes_in_flight = 64;
inline constexpr int insertion_elements_in_flight = 16;
inline constexpr int removal_bytes_in_flight = 96;
inline constexpr int removal_elements_in_flight = 24;

/// Returns the number of elements of a type that a thread has in flight within these limits, a divisor of its `items`.
/// It is 1 if elements are copied from memory to memory, not through registers.
template <class Element>
MGPU_THRUST_HOST_DEVICE constexpr int bulk_batch(int items, int bytes_in_flight, int elements_in_flight)
{
  if (!is_batchable_v<Element>)
  {
    return 1;
  }
  int batch = items;
  while (batch > elements_in_flight || batch * static_cast<int>(sizeof(Element)) > bytes_in_flight)
  {
    batch /= 2;
  }
  return batch;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
