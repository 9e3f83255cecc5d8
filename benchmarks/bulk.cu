// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Bulk removal and insertion on a GPU: mgpu beside an implementation with Thrust's algorithms, with the same
/// allocator.

#include "bulk.h"
#include "machine_cuda.h"

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = all_problems();
  defaults.n = {1 << 16, 1 << 20, 1 << 24, 1 << 27};
  return run_cuda_program(
    argc, argv, defaults, libraries<thrust_bulk, mgpu_bulk>{}, all_index_distributions(), bulk_problems());
}
