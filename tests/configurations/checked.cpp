// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// With checked preconditions.

#define MGPU_THRUST_CHECK_PRECONDITIONS
#include "intersections.h"

#include <mgpu_thrust/set_operations.h>

#include <algorithm>

std::vector<int> checked_intersection(const std::vector<int>& a, const std::vector<int>& b)
{
  std::vector<int> result(std::min(a.size(), b.size()));
  result.erase(
    mgpu::set_intersection(thrust::host, a.begin(), a.end(), b.begin(), b.end(), result.begin()), result.end());
  return result;
}
