// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// A few keys against many on a GPU: mgpu beside Thrust, with the same allocator, and beside a copy of the long list.

#include "machine_cuda.h"
#include "uneven.h"

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = all_problems();
  defaults.n = {1 << 4, 1 << 8, 1 << 12, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24};
  return run_cuda_program(
    argc, argv, defaults, libraries<thrust_uneven, thrust_by_search, copy_of_long_list, mgpu_uneven>{},
    all_uneven_inputs(), uneven_problems());
}
