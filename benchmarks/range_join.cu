// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Range joins on a GPU: mgpu beside an inner join with as many rows, two sorted searches, and implementations with
/// Thrust's algorithms, with the same allocator.

#include "machine_cuda.h"
#include "range_join.h"

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = all_problems();
  defaults.n = {1 << 15, 1 << 19, 1 << 23, 1 << 26, 1 << 27};
  return run_cuda_program(
    argc, argv, defaults,
    libraries<thrust_range_join, thread_range_join, as_inner_join, two_searches, mgpu_range_join>{},
    all_interval_distributions(), range_join_problems());
}
