// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A parallel policy with an output that can only be written in order.
// first error: mgpu_thrust: parallel policies write with random access

#include <mgpu_thrust/set_operations.h>

#include <iterator>
#include <vector>

void intersect(const std::vector<int>& a, const std::vector<int>& b, std::vector<int>& result)
{
#if defined(RIGHT_USE)
  const auto& policy = thrust::seq;
#else
  const auto& policy = thrust::omp::par;
#endif
  mgpu::set_intersection(policy, a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
}
