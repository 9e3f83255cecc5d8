// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The 16-byte key of the benchmarks.

#include <mgpu_thrust/detail/base/config.h>

#include <cstdint>

namespace mgpu_benchmark
{

/// A key of 16 bytes: a number in two words, ordered by the first word and then by the second.
struct key128
{
  std::int64_t high;
  std::int64_t low;

  key128() = default;
  MGPU_THRUST_HOST_DEVICE key128(std::int64_t number) // NOLINT: as implicit as between numbers
      : high(number >> 4)
      , low(number & 15)
  {
  }
  friend MGPU_THRUST_HOST_DEVICE bool operator<(const key128& a, const key128& b)
  {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
  friend MGPU_THRUST_HOST_DEVICE bool operator==(const key128& a, const key128& b)
  {
    return a.high == b.high && a.low == b.low;
  }
};

} // namespace mgpu_benchmark
