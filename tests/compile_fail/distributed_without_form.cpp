// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A function that has no form for several ranks, under their policy.
// first error: mgpu_thrust: this function has no form for the ranks of a communicator

#include <mgpu_thrust/distributed.h>
#include <mgpu_thrust/semi_join.h>

#include <vector>

void intersect(mgpu::thread_communicator& comm, const std::vector<int>& a, const std::vector<int>& b, int* result)
{
  const auto ranks = mgpu::over(comm, thrust::seq);
#if defined(RIGHT_USE)
  mgpu::set_intersection(ranks, a.begin(), a.end(), b.begin(), b.end(), result);
#else
  mgpu::semi_join(ranks, a.begin(), a.end(), b.begin(), b.end(), result);
#endif
}
