// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A CCCL that is too old, which the folder of the same name stands for.
// first error: mgpu_thrust needs CCCL 3.0 or later

#include <mgpu_thrust/set_operations.h>

void intersect(const int* a, const int* b, int* result)
{
  mgpu::set_intersection(thrust::seq, a, a + 1, b, b + 1, result);
}
