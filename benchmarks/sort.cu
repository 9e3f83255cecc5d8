// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Sorts and locality sorts on a GPU: mgpu beside Thrust's comparison sort, which is cub::DeviceMergeSort, and its
/// radix sort, with the same allocator.

#include "machine_cuda.h"
#include "sort.h"

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = all_problems();
  defaults.n = {1 << 16, 1 << 20, 1 << 24, 1 << 27};
  return run_cuda_program(
    argc, argv, defaults, libraries<thrust_sort, thrust_sort_by_digits, mgpu_sort>{}, all_disorders(), sort_problems());
}
