// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// No policy, and memory of two systems that know nothing of each other.
// first error: mgpu_thrust: these iterators belong to different systems

#include <mgpu_thrust/set_operations.h>

#include <thrust/memory.h>

struct other_system : thrust::execution_policy<other_system>
{
};

void intersect(thrust::pointer<int, other_system> a, int* b, int* result)
{
#if defined(RIGHT_USE)
  mgpu::set_intersection(thrust::host, a, a + 4, b, b + 3, result);
#else
  mgpu::set_intersection(a, a + 4, b, b + 3, result);
#endif
}
