// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A comparator of one element.
// first error: mgpu_thrust: the comparator, operator< if there is none, must be callable with two elements of an input

#include <mgpu_thrust/set_operations.h>

#include <vector>

#if defined(RIGHT_USE)
const auto comparator = [](int x, int y) { return x < y; };
#else
const auto comparator = [](int x) { return x < 0; };
#endif

void unite(const std::vector<int>& a, const std::vector<int>& b, std::vector<int>& result)
{
  mgpu::set_union(thrust::host, a.begin(), a.end(), b.begin(), b.end(), result.begin(), comparator);
}
