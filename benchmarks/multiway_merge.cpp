// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Merges of any number of runs on the CPU: mgpu on each of Thrust's CPU systems, beside a std::stable_sort of all
/// elements, and the multiway merge of GCC's parallel mode.

#include "multiway_merge.h"
#include "machine_cpu.h"

#include <thrust/execution_policy.h>

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__GLIBCXX__) && defined(_OPENMP)
#  include <parallel/algorithm>
#endif

namespace mgpu_benchmark
{

#if defined(__GLIBCXX__) && defined(_OPENMP)

/// GCC's parallel mode, of keys.
struct gnu_multiway_merge
{
  static constexpr const char* name = "gnu";
  template <class Problem, class System>
  static constexpr bool is_for =
    !Problem::form::has_values && (std::is_same_v<System, seq_system> || std::is_same_v<System, omp_system>);

  template <class Operation, class Policy, class Arguments>
  static void run(Operation, const Policy&, const Arguments& in)
  {
    using key = typename Arguments::key;
    std::vector<std::pair<key*, key*>> runs; // it takes no pointers to const
    for (std::int64_t run = 0; run < in.num_runs; ++run)
    {
      if (in.sizes[run] > 0)
      {
        auto* const first = const_cast<key*>(in.runs[run]);
        runs.emplace_back(first, first + in.sizes[run]);
      }
    }
    constexpr bool is_serial = std::is_same_v<Policy, std::decay_t<decltype(thrust::seq)>>;
    const __gnu_parallel::parallel_tag workers(is_serial ? 1 : 0); // 0: as many as OpenMP has
    __gnu_parallel::multiway_merge(runs.begin(), runs.end(), in.first, in.size, some_order{}, workers);
  }
};
using parallel_merges =
  libraries<gnu_multiway_merge, then_reduced<mgpu_sort_of_runs>, then_reduced<mgpu_merge_first>, mgpu_multiway_merge>;

#else

using parallel_merges = libraries<then_reduced<mgpu_sort_of_runs>, then_reduced<mgpu_merge_first>, mgpu_multiway_merge>;

#endif

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  return run_cpu_program(
    argc, argv, cpu_defaults(), libraries<then_reduced<std_sort>, copy_of_runs>{}, parallel_merges{},
    libraries<then_reduced<thrust_sort>>{}, all_run_lengths(), multiway_merge_problems());
}
