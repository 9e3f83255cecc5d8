// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Bulk removal and insertion on a GPU: mgpu beside what one writes with Thrust, with the same allocator.

#include "bulk.h"
#include "machine_cuda.h"

#include <cstdio>

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  if (!has_cuda_device())
  {
    std::printf("Skipped: there is no CUDA device.\n");
    return 77; // what CTest knows as skipped
  }
  options defaults;
  defaults.n = {1 << 16, 1 << 20, 1 << 24, 1 << 27};
  defaults.distributions = {"all"}; // which are those of sorted keys
  defaults.types = {"all"};
  defaults.forms = {"all"};
  defaults.operations = {"all"};

  return run_program(
    argc, argv, defaults,
    [](const options& chosen)
    {
      cuda_machine machine;
      const cuda_system system{&machine};
      report_copy_bandwidth(machine, 1);
      registry benchmarks(chosen);
      bulk_benchmarks<cuda_machine, thrust_library, cuda_system> all(benchmarks, system, machine);
      visit_bulk_problems(
        chosen,
        [&](const auto& problem)
        {
          all.add(problem, thrust_library{}, system);
          all.add(problem, mgpu_library{}, system);
        });
      return benchmarks.run();
    });
}
