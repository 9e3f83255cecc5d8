// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Sorted searches on a GPU: mgpu beside the vectorised searches of Thrust, with the same allocator.

#include "machine_cuda.h"
#include "sorted_search.h"

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = all_problems();
  defaults.n = {1 << 16, 1 << 20, 1 << 24, 1 << 26};
  defaults.distributions = {"uniform"};
  return run_cuda_program(
    argc, argv, defaults, libraries<thrust_sorted_search, mgpu_sorted_search>{}, all_distributions(),
    search_problems());
}
