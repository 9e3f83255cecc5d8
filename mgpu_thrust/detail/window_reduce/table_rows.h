// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The rows of a disjoint sparse table, on a CPU and on a GPU: row k divides the values into blocks of 2^(k+1).

#include <mgpu_thrust/detail/base/config.h>

#include <cuda/std/bit>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns the number of rows of a table of `values` values.
MGPU_THRUST_HOST_DEVICE constexpr int table_rows(std::int64_t values)
{
  return values > 1 ? ::cuda::std::bit_width(static_cast<std::uint64_t>(values - 1)) : 1;
}

/// Returns the row in which the middle of a block is between two different indices: it is that of the highest bit in
/// which they differ.
MGPU_THRUST_HOST_DEVICE constexpr int table_row_of(std::int64_t first, std::int64_t last)
{
  return ::cuda::std::bit_width(static_cast<std::uint64_t>(first ^ last)) - 1;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
