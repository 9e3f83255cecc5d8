// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Indices of elements to remove that are no integers.
// first error: mgpu_thrust: indices, positions and offsets must be integers

#include <mgpu_thrust/bulk.h>

#include <vector>

#if defined(RIGHT_USE)
using index_type = long;
#else
using index_type = double;
#endif

void remove(const std::vector<int>& input, const std::vector<index_type>& indices, std::vector<int>& result)
{
  mgpu::bulk_remove(thrust::host, input.begin(), input.end(), indices.begin(), indices.end(), result.begin());
}
