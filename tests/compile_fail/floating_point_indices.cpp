// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Indices that would lose their last digits in a float.
// first error: mgpu_thrust: indices and counts are written as integers

#include <mgpu_thrust/sorted_search.h>

#include <vector>

#if defined(RIGHT_USE)
using index_type = int;
#else
using index_type = float;
#endif

void search(const std::vector<int>& haystack, const std::vector<int>& needles, std::vector<index_type>& result)
{
  mgpu::sorted_lower_bound(
    thrust::host, haystack.begin(), haystack.end(), needles.begin(), needles.end(), result.begin());
}
