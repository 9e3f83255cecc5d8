// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A function that bounds windows by range, of a key and a row.
// first error: mgpu_thrust: the functions that bound windows by range must be callable with a key

#include <mgpu_thrust/window_reduce.h>

#include <vector>

void reduce(const std::vector<int>& keys, std::vector<int>& sums)
{
#if defined(RIGHT_USE)
  const auto low = [](int key) { return key - 5; };
#else
  const auto low = [](int key, int row) { return key - row; };
#endif
  const auto high = [](int key) { return key; };
  mgpu::window_reduce_by_range(thrust::host, keys.begin(), keys.end(), keys.begin(), sums.begin(), low, high, 0);
}
