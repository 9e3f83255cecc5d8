// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Offsets of intervals that are no integers.
// first error: mgpu_thrust: indices, positions and offsets must be integers

#include <mgpu_thrust/interval.h>

#include <vector>

#if defined(RIGHT_USE)
using offset_type = unsigned;
#else
using offset_type = double;
#endif

void expand(const std::vector<offset_type>& offsets, const std::vector<int>& values, std::vector<int>& result)
{
  mgpu::interval_expand(thrust::host, result.size(), offsets.begin(), offsets.end(), values.begin(), result.begin());
}
