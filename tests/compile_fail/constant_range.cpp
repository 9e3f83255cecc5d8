// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A sort of elements that cannot be written.
// first error: mgpu_thrust: a sort writes to the range that it sorts, which must not be constant

#include <mgpu_thrust/segmented_sort.h>

#include <vector>

#if defined(RIGHT_USE)
using range = std::vector<int>;
#else
using range = const std::vector<int>;
#endif

void sort(range& keys, const std::vector<int>& offsets)
{
  mgpu::segmented_sort(thrust::host, keys.begin(), keys.end(), offsets.begin(), offsets.end());
}
