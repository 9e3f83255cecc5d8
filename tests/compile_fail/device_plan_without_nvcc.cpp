// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A plan of a join on thrust::device, where it is CUDA, in a file for the C++ compiler.
// first error: mgpu_thrust: thrust::device is CUDA in this file, which no CUDA compiler compiles. Compile it with nvcc

#include <mgpu_thrust/join.h>

#include <cstdint>
#include <vector>

std::int64_t rows(const std::vector<int>& left, const std::vector<int>& right)
{
#if defined(RIGHT_USE)
  const auto& policy = thrust::host;
#else
  const auto& policy = thrust::device;
#endif
  return mgpu::join_plan(policy, mgpu::inner_join_t{}, left.begin(), left.end(), right.begin(), right.end()).size();
}
