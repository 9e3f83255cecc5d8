// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Set operations on the CPU: mgpu on each of Thrust's CPU systems, beside the standard library's, serial and parallel,
/// and Thrust's.

#include "set_operations.h"
#include "machine_cpu.h"

#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <thread>
#include <type_traits>
#include <vector>

#if MGPU_BENCHMARK_HAS_TBB
#  include <execution>

#  include <tbb/global_control.h>
#endif

namespace mgpu_benchmark
{

/// The serial algorithms of the standard library; they have no policy.
struct std_library
{
  static constexpr const char* name = "std";

  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, keys_form, const Policy&, const Arguments& in)
  {
    return Operation::std_keys(in.a_first, in.a_last, in.b_first, in.b_last, in.keys_out) - in.keys_out;
  }
  /// The standard library has no values: keys and values are zipped. Values of B are not read where Thrust takes none.
  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, by_key_form, const Policy&, const Arguments& in)
  {
    const auto a = thrust::make_zip_iterator(in.a_first, in.a_values);
    const auto b = thrust::make_zip_iterator(in.b_first, in.b_values);
    const auto out = thrust::make_zip_iterator(in.keys_out, in.values_out);
    const auto less = [](const auto& x, const auto& y) { return thrust::get<0>(x) < thrust::get<0>(y); };
    return Operation::std_keys(a, a + (in.a_last - in.a_first), b, b + (in.b_last - in.b_first), out, less) - out;
  }
  /// Nor does it count: what it would write is thrown away.
  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, size_form, const Policy&, const Arguments& in)
  {
    const auto nowhere = thrust::make_discard_iterator();
    return Operation::std_keys(in.a_first, in.a_last, in.b_first, in.b_last, nowhere) - nowhere;
  }
};

#if MGPU_BENCHMARK_HAS_TBB
/// The parallel algorithms of the standard library, which run in the current TBB arena. Keys only: with zipped
/// iterators they are serial.
struct pstl_library
{
  static constexpr const char* name = "pstl";

  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, keys_form, const Policy&, const Arguments& in)
  {
    return Operation::std_keys(std::execution::par, in.a_first, in.a_last, in.b_first, in.b_last, in.keys_out)
           - in.keys_out;
  }
};
#endif

/// The systems that a run measures: each with every number of workers.
struct cpu_systems
{
  std::vector<omp_system> omp;
#if MGPU_BENCHMARK_HAS_TBB
  std::vector<tbb_system> tbb;
#endif

  explicit cpu_systems(const std::vector<int>& worker_counts)
  {
    for (const int workers : worker_counts)
    {
      omp.push_back({workers});
#if MGPU_BENCHMARK_HAS_TBB
      tbb.push_back({std::make_shared<::tbb::task_arena>(workers)});
#endif
    }
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

/// Registers one problem for all libraries and systems.
template <class Benchmarks, class Problem>
void register_problem(Benchmarks& benchmarks, const options& chosen, const cpu_systems& systems, const Problem& problem)
{
  benchmarks.add(problem, std_library{}, seq_system{});
  register_thrust_style(benchmarks, chosen, problem, seq_system{});
  for (const omp_system& omp : systems.omp)
  {
    register_thrust_style(benchmarks, chosen, problem, omp);
  }
#if MGPU_BENCHMARK_HAS_TBB
  for (const tbb_system& tbb : systems.tbb)
  {
    if constexpr (std::is_same_v<typename Problem::form, keys_form>)
    {
      benchmarks.add(problem, pstl_library{}, tbb);
    }
    register_thrust_style(benchmarks, chosen, problem, tbb);
  }
#endif
}

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults;
  defaults.n = {1 << 16, 1 << 20, 1 << 24};
  defaults.distributions = {"uniform"};
  defaults.types = {"i32"};
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
      const cpu_systems systems(chosen.workers);
      registry benchmarks(chosen);
      set_benchmarks<cpu_machine, std_library, seq_system> all(benchmarks, seq_system{}, machine);
      visit_problems(chosen, [&](const auto& problem) { register_problem(all, chosen, systems, problem); });
      return benchmarks.run();
    });
}
