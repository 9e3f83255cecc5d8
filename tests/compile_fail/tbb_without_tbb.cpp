// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A TBB policy without TBB.
// first error: mgpu_thrust: thrust::tbb policies need TBB

#include <mgpu_thrust/set_operations.h>

#include <thrust/system/tbb/execution_policy.h>

#include <vector>

void intersect(const std::vector<int>& a, const std::vector<int>& b, std::vector<int>& result)
{
#if defined(RIGHT_USE)
  const auto& policy = thrust::host;
#else
  const auto& policy = thrust::tbb::par;
#endif
  mgpu::set_intersection(policy, a.begin(), a.end(), b.begin(), b.end(), result.begin());
}
