// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Functions that have no form for several ranks, under their policy: a family without any, a join, and a plan.
// first error: mgpu_thrust: this function has no form for the ranks of a communicator
// errors: 3

#include <mgpu_thrust/bulk.h>
#include <mgpu_thrust/distributed.h>

#include <vector>

void call(mgpu::thread_communicator& comm, const std::vector<int>& a, const std::vector<int>& b, int* i, int* j)
{
  const auto ranks = mgpu::over(comm, thrust::seq);
#if defined(RIGHT_USE)
  mgpu::set_intersection(ranks, a.begin(), a.end(), b.begin(), b.end(), i);
  mgpu::left_join(ranks, a.begin(), a.end(), b.begin(), b.end(), i, j);
  mgpu::join_plan(ranks, mgpu::inner_join_t{}, a.begin(), a.end(), b.begin(), b.end());
#else
  mgpu::bulk_remove(ranks, a.begin(), a.end(), b.begin(), b.end(), i);
  mgpu::full_join(ranks, a.begin(), a.end(), b.begin(), b.end(), i, j);
  mgpu::join_plan(ranks, mgpu::right_join_t{}, a.begin(), a.end(), b.begin(), b.end());
#endif
}
