// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Sorts and locality sorts on a GPU: mgpu beside Thrust, by comparison, which is cub::DeviceMergeSort, and by digits,
/// with the same allocator.

#include "machine_cuda.h"
#include "sort.h"

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults;
  defaults.n = {1 << 16, 1 << 20, 1 << 24, 1 << 27};
  defaults.distributions = {"all"};
  defaults.types = {"all"};
  defaults.forms = {"all"};
  defaults.operations = {"all"};

  return run_cuda_program<thrust_library>(
    argc, argv, defaults, [](const options& chosen, auto visit) { visit_sort_problems(chosen, visit); },
    [](auto& all, const cuda_system& system, const auto& problem)
    {
      all.add(problem, thrust_library{}, system);
      all.add(problem, thrust_by_digits_library{}, system);
      all.add(problem, mgpu_library{}, system);
    });
}
