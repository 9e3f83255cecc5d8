// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Sorted searches on a GPU: mgpu beside the vectorised searches of Thrust, with the same allocator.

#include "machine_cuda.h"
#include "sorted_search.h"

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
    argc, argv, defaults, [](const options& chosen, auto visit) { visit_search_problems(chosen, visit); },
    [](auto& all, const cuda_system& system, const auto& problem)
    {
      all.add(problem, thrust_library{}, system);
      all.add(problem, mgpu_library{}, system);
    });
}
