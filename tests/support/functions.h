// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Functions of iterators that compute.

#include <mgpu_thrust/detail/base/config.h>

#include <cstdint>

namespace test
{

struct times_three
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t x) const
  {
    return 3 * x;
  }
};

struct negate
{
  template <class Number>
  MGPU_THRUST_HOST_DEVICE Number operator()(Number x) const
  {
    return -x;
  }
};

struct is_even
{
  MGPU_THRUST_HOST_DEVICE bool operator()(std::int64_t x) const
  {
    return x % 2 == 0;
  }
};

} // namespace test
