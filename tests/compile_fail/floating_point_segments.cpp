// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Numbers of segments that would lose their last digits in a float.
// first error: mgpu_thrust: indices and counts are written as integers

#include <mgpu_thrust/load_balance.h>

#include <vector>

#if defined(RIGHT_USE)
using index_type = short;
#else
using index_type = float;
#endif

void search(const std::vector<int>& offsets, std::vector<index_type>& segments)
{
  mgpu::load_balancing_search(thrust::host, segments.size(), offsets.begin(), offsets.end(), segments.begin());
}
