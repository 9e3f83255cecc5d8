// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// An input that cannot be cut into pieces.
// first error: mgpu_thrust: the inputs of this algorithm must be random-access iterators

#include <mgpu_thrust/set_operations.h>

#include <list>
#include <vector>

#if defined(RIGHT_USE)
using input = std::vector<int>;
#else
using input = std::list<int>;
#endif

void intersect(const input& a, const std::vector<int>& b, std::vector<int>& result)
{
  mgpu::set_intersection(thrust::host, a.begin(), a.end(), b.begin(), b.end(), result.begin());
}
