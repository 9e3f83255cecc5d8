// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Joins on a GPU: mgpu beside an implementation with Thrust's algorithms, with the same allocator.

#include "join.h"
#include "machine_cuda.h"

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = all_problems();
  defaults.n = {1 << 15, 1 << 19, 1 << 23, 1 << 26, 1 << 27};
  return run_cuda_program(
    argc, argv, defaults, libraries<thrust_join, mgpu_join>{}, all_join_distributions(), join_problems());
}
