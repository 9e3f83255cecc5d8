// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A parallel policy with an output whose elements share words.
// first error: mgpu_thrust: parallel policies write neighbouring elements at the same time

#include <mgpu_thrust/sorted_search.h>

#include <vector>

void contains(const std::vector<int>& haystack, const std::vector<int>& needles, std::vector<bool>& result)
{
#if defined(RIGHT_USE)
  const auto& policy = thrust::seq;
#else
  const auto& policy = thrust::omp::par;
#endif
  mgpu::sorted_contains(policy, haystack.begin(), haystack.end(), needles.begin(), needles.end(), result.begin());
}
