// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Sorts and locality sorts on the CPU: mgpu on each of Thrust's CPU systems, beside std::stable_sort and Thrust's
/// sorts.

#include "sort.h"
#include "machine_cpu.h"

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  return run_cpu_program(
    argc, argv, cpu_defaults(), libraries<std_sort>{}, libraries<mgpu_sort, thrust_sort>{},
    libraries<thrust_sort_by_digits>{}, all_disorders(), sort_problems());
}
