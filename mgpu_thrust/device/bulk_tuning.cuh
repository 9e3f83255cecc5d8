// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How large a tile of bulk removal and insertion is, by the size of elements, and how many of them a thread has in
/// flight.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/tile_shape.cuh>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// How many blocks are to fit a multiprocessor where elements are small: those that 48 and 64 registers leave room for.
inline constexpr int removal_blocks = 10;
inline constexpr int insertion_blocks = 8;

/// The shape for elements of so many bytes; `Blocks` if they are small. A tile is a byte of shared memory an item, so
/// registers alone limit how many blocks run; elements that are large make small tiles, as each takes its thread long.
/// Small blocks wait less at their barriers: every other int32 removed, 128 x 48 0.287 ms, 128 x 32 0.34, 256 x 16
/// 0.40, 512 x 8 0.47 (2^27 on an H200).
template <int ElementBytes, int Blocks>
constexpr auto choose_bulk_shape()
{
  if constexpr (ElementBytes <= 8)
  {
    return tile_shape<128, 48, Blocks>{};
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

/// So few indices of a removal are searched by the blocks that need them, as they stay in the caches: there is no
/// partition kernel.
inline constexpr std::int64_t few_indices = 65536;

/// Bytes and elements that a thread loads before it stores the first of them, at most.
inline constexpr int bulk_bytes_in_flight = 64;
inline constexpr int bulk_elements_in_flight = 16;

/// How many elements of a type that are, of a thread's `items`, which they divide. 1 if elements are not held in
/// registers at all, but copied from memory to memory.
template <class Element>
MGPU_THRUST_HOST_DEVICE constexpr int bulk_batch(int items)
{
  if (!is_small_v<Element> || !std::is_trivially_default_constructible_v<Element>)
  {
    return 1;
  }
  int batch = items;
  while (batch > bulk_elements_in_flight || batch * static_cast<int>(sizeof(Element)) > bulk_bytes_in_flight)
  {
    batch /= 2;
  }
  return batch;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
