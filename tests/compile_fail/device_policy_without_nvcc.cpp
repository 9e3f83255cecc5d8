// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// thrust::device, where it is CUDA, in a file for the C++ compiler.
// first error: mgpu_thrust: thrust::device is CUDA in this file, which no CUDA compiler compiles. Compile it with nvcc

#include <mgpu_thrust/set_operations.h>

#include <vector>

void intersect(const std::vector<int>& a, const std::vector<int>& b, std::vector<int>& result)
{
#if defined(RIGHT_USE)
  const auto& policy = thrust::host;
#else
  const auto& policy = thrust::device;
#endif
  mgpu::set_intersection(policy, a.begin(), a.end(), b.begin(), b.end(), result.begin());
}
