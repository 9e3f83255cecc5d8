// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A distance whose results operator< does not compare.
// first error: mgpu_thrust: the distance of mgpu::nearest must be callable with a left element

#include <mgpu_thrust/asof_join.h>

#include <complex>
#include <vector>

#if defined(RIGHT_USE)
using number = double;
#else
using number = std::complex<double>;
#endif

void join(const std::vector<int>& left, const std::vector<int>& right, std::vector<int>& rows)
{
  const auto distance = [](int x, int y) { return number(x < y ? y - x : x - y); };
  mgpu::asof_join(left.begin(), left.end(), right.begin(), right.end(), rows.begin(), mgpu::nearest(distance));
}
