// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Semi and anti joins on a GPU: mgpu beside Thrust's vectorised search and copy_if, with the same allocator.

#include "machine_cuda.h"
#include "semi_join.h"

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults;
  defaults.n = {1 << 16, 1 << 20, 1 << 24, 1 << 26};
  defaults.distributions = {"uniform"};
  defaults.types = {"all"};
  defaults.forms = {"all"};
  defaults.operations = {"all"};

  return run_cuda_program<thrust_library>(
    argc, argv, defaults, [](const options& chosen, auto visit) { visit_semi_join_problems(chosen, visit); },
    [](auto& all, const cuda_system& system, const auto& problem)
    {
      all.add(problem, thrust_library{}, system);
      all.add(problem, mgpu_library{}, system);
    });
}
