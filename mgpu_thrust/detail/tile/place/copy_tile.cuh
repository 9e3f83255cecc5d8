// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Copies a tile by all threads of a block.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/tile/load/key_value_range.cuh>

#include <cuda/std/iterator>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Number of values that a thread loads before it stores the first.
inline constexpr int copy_batch = 8;

/// Copies values, by all threads of a block. A thread loads copy_batch of them before it stores the first.
template <int Threads, class Value, class Input, class Output>
MGPU_THRUST_DEVICE void copy_by_block(Input from, int count, Output to)
{
  for (int first = static_cast<int>(threadIdx.x); first < count; first += copy_batch * Threads)
  {
    Value values[copy_batch];
#pragma unroll
    for (int k = 0; k < copy_batch; ++k)
    {
      values[k] = from[(min) (first + k * Threads, count - 1)];
    }
#pragma unroll
    for (int k = 0; k < copy_batch; ++k)
    {
      if (first + k * Threads < count)
      {
        *(to + (first + k * Threads)) = values[k];
      }
    }
  }
}

/// Copies `count` keys from `in_begin` on, and their values if there are any, to another range from `out_begin` on, by
/// all threads of a block.
template <int Threads, class In, class Out>
MGPU_THRUST_DEVICE void
copy_tile_by_block(const In& in, std::int64_t in_begin, const Out& out, std::int64_t out_begin, int count)
{
  using key = typename ::cuda::std::iterator_traits<decltype(In::keys)>::value_type;
  if (detail::takes_keys(out))
  {
    detail::copy_by_block<Threads, key>(in.keys + in_begin, count, out.keys + out_begin);
  }
  if constexpr (has_values<decltype(In::values)>)
  {
    using value = typename ::cuda::std::iterator_traits<decltype(In::values)>::value_type;
    detail::copy_by_block<Threads, value>(in.values + in_begin, count, out.values + out_begin);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
