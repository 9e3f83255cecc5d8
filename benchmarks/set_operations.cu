// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Set operations on a GPU: mgpu beside Thrust, with the same allocator.

#include "machine_cuda.h"
#include "set_operations.h"

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = all_problems();
  defaults.n = {1 << 16, 1 << 20, 1 << 24, 1 << 26};
  defaults.distributions = {"uniform"};
  defaults.forms = {"keys", "by_key"};
  return run_cuda_program(
    argc, argv, defaults, libraries<thrust_set_operations, mgpu_set_operations>{}, all_distributions(), set_problems());
}
