// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Reductions of sliding windows on a GPU: mgpu beside a thread for each window that loops, and differences of prefix
/// sums, with the same allocator.

#include "machine_cuda.h"
#include "window_reduce.h"

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = all_problems();
  defaults.n = {1 << 10, 1 << 16, 1 << 20, 1 << 24, 1 << 27};
  return run_cuda_program(
    argc, argv, defaults, libraries<mgpu_window_reduce, thread_window_reduce, scan_and_difference>{},
    all_window_lengths(), window_problems());
}
