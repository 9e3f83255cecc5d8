// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Joins on a GPU: mgpu beside what one writes with Thrust, with the same allocator.

#include "join.h"
#include "machine_cuda.h"

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults;
  defaults.n = {1 << 15, 1 << 19, 1 << 23, 1 << 26, 1 << 27};
  defaults.distributions = {"all"};
  defaults.types = {"all"};
  defaults.forms = {"all"};
  defaults.operations = {"all"};

  return run_cuda_program<thrust_library>(
    argc, argv, defaults, [](const options& chosen, auto visit) { visit_join_problems(chosen, visit); },
    [](auto& all, const cuda_system& system, const auto& problem)
    {
      all.add(problem, thrust_library{}, system);
      all.add(problem, mgpu_library{}, system);
    });
}
