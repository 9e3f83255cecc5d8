// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Semi and anti joins on a GPU: mgpu beside Thrust's vectorised search and copy_if, with the same allocator.

#include "machine_cuda.h"
#include "semi_join.h"

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = all_problems();
  defaults.n = {1 << 16, 1 << 20, 1 << 24, 1 << 26};
  defaults.distributions = {"uniform"};
  return run_cuda_program(
    argc, argv, defaults, libraries<thrust_semi_join, mgpu_semi_join>{}, all_distributions(), semi_join_problems());
}
