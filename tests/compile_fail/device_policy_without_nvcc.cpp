// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// thrust::device, where it is CUDA, in a file for the C++ compiler: an algorithm, and a plan of a join.
// first error: mgpu_thrust: thrust::device is CUDA in this file, which no CUDA compiler compiles. Compile it with nvcc
// errors: 3

#include <mgpu_thrust/join.h>
#include <mgpu_thrust/set_operations.h>

#include <cstdint>
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

std::int64_t rows(const std::vector<int>& left, const std::vector<int>& right)
{
#if defined(RIGHT_USE)
  const auto& policy = thrust::host;
#else
  const auto& policy = thrust::device;
#endif
  return mgpu::join_plan(policy, mgpu::inner_join_t{}, left.begin(), left.end(), right.begin(), right.end()).size();
}
