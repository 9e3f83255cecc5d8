// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The key of two columns of the benchmarks, compared lexicographically.

#include <mgpu_thrust/detail/base/config.h>

#include <cuda/std/array>

#include <cstdint>

namespace mgpu_benchmark
{

/// A number in two columns, which libcu++ compares by a loop with early returns.
struct key_array
{
  ::cuda::std::array<std::int32_t, 2> columns;

  key_array() = default;
  MGPU_THRUST_HOST_DEVICE key_array(std::int64_t number) // NOLINT: as implicit as between numbers
      : columns{static_cast<std::int32_t>(number >> 31), static_cast<std::int32_t>(number & 0x7fffffff)}
  {
  }
  friend MGPU_THRUST_HOST_DEVICE bool operator<(const key_array& x, const key_array& y)
  {
    return x.columns < y.columns;
  }
  friend MGPU_THRUST_HOST_DEVICE bool operator==(const key_array& x, const key_array& y)
  {
    return x.columns == y.columns;
  }
};

} // namespace mgpu_benchmark
