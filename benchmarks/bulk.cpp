// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Bulk removal and insertion on the CPU: mgpu on each of Thrust's CPU systems, beside plain loops, and what one writes
/// with Thrust.

#include "bulk.h"
#include "machine_cpu.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#if MGPU_BENCHMARK_HAS_TBB
#  include <tbb/global_control.h>
#endif

namespace mgpu_benchmark
{

/// Plain loops, as the standard library has neither operation: runs between indices go by std::copy.
struct std_library
{
  static constexpr const char* name = "std";

  template <class Policy, class Arguments>
  static std::int64_t run(bulk_remove, const Policy&, const Arguments& in)
  {
    auto from = in.first;
    auto out = in.out;
    for (auto index = in.indices_first; index != in.indices_last; ++index)
    {
      out = std::copy(from, in.first + *index, out);
      from = in.first + *index + 1;
    }
    return std::copy(from, in.last, out) - in.out;
  }
  template <class Policy, class Arguments>
  static std::int64_t run(bulk_insert, const Policy&, const Arguments& in)
  {
    auto from = in.first;
    auto value = in.values;
    auto out = in.out;
    for (auto position = in.indices_first; position != in.indices_last; ++position)
    {
      out = std::copy(from, in.first + *position, out);
      from = in.first + *position;
      *out++ = *value++;
    }
    return std::copy(from, in.last, out) - in.out;
  }
};

/// Registers one problem for mgpu, and for Thrust if all peers are asked for.
template <class Benchmarks, class Problem, class System>
void register_thrust_style(Benchmarks& benchmarks, const options& chosen, const Problem& problem, const System& system)
{
  benchmarks.add(problem, mgpu_library{}, system);
  if (chosen.all_peers)
  {
    benchmarks.add(problem, thrust_library{}, system);
  }
}

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults;
  defaults.n = {1 << 16, 1 << 20, 1 << 24};
  defaults.distributions = {"all"}; // which are those of sorted keys
  defaults.types = {"all"};
  defaults.forms = {"all"};
  defaults.operations = {"all"};
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  defaults.workers = cores > 1 ? std::vector<int>{1, cores} : std::vector<int>{1};

  return run_program(
    argc, argv, defaults,
    [](const options& chosen)
    {
#if MGPU_BENCHMARK_HAS_TBB
      // TBB starts no more threads than there are cores, unless it is allowed to.
      const int most = *std::max_element(chosen.workers.begin(), chosen.workers.end());
      const tbb::global_control more_workers(
        tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(most));
#endif
      cpu_machine machine;
      std::set<int> worker_counts(chosen.workers.begin(), chosen.workers.end());
      worker_counts.insert(1); // of the serial system
      for (const int workers : worker_counts)
      {
        report_copy_bandwidth(machine, workers);
      }
      registry benchmarks(chosen);
      bulk_benchmarks<cpu_machine, std_library, seq_system> all(benchmarks, seq_system{}, machine);
      visit_bulk_problems(
        chosen,
        [&](const auto& problem)
        {
          all.add(problem, std_library{}, seq_system{});
          register_thrust_style(all, chosen, problem, seq_system{});
          for (const int workers : chosen.workers)
          {
            register_thrust_style(all, chosen, problem, omp_system{workers});
#if MGPU_BENCHMARK_HAS_TBB
            register_thrust_style(all, chosen, problem, tbb_system{std::make_shared<::tbb::task_arena>(workers)});
#endif
          }
        });
      return benchmarks.run();
    });
}
