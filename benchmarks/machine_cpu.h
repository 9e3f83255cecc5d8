// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The CPU as a machine to measure: its clock, the speed of its copy, and the Thrust systems with their workers.

#include "harness.h"

#include <thrust/execution_policy.h>
#include <thrust/system/omp/execution_policy.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <omp.h>

#if MGPU_THRUST_HAS_TBB
#  include <thrust/system/tbb/execution_policy.h>

#  include <tbb/global_control.h>
#  include <tbb/task_arena.h>
#endif

namespace mgpu_benchmark
{

class cpu_machine
{
public:
  template <class T>
  using vector = std::vector<T>;

  explicit cpu_machine(const options& chosen)
      : copy_bytes_(chosen.copy > 0 ? chosen.copy : std::int64_t{1} << 28)
  {
  }

  std::string name() const
  {
    return "cpu";
  }
  /// Policy for making the inputs and for checks, not for the calls that are measured.
  auto policy() const
  {
    return thrust::omp::par;
  }

  /// Bytes read and written per second by a copy on `workers` OpenMP workers; the median of nine copies.
  double copy_bandwidth(int workers)
  {
    double& bandwidth = copy_bandwidths_[workers];
    if (bandwidth == 0)
    {
      const std::int64_t bytes = copy_bytes_;
      const std::vector<char> from(bytes, 1);
      std::vector<char> to(bytes, 2);
      std::vector<double> seconds(9);
      for (double& one : seconds)
      {
        const auto start = std::chrono::steady_clock::now();
#pragma omp parallel for num_threads(workers) schedule(static)
        for (int worker = 0; worker < workers; ++worker)
        {
          const std::int64_t begin = bytes * worker / workers;
          const std::int64_t end = bytes * (worker + 1) / workers;
          std::memcpy(to.data() + begin, from.data() + begin, static_cast<std::size_t>(end - begin));
        }
        one = seconds_since(start);
        benchmark::DoNotOptimize(to.data());
      }
      bandwidth = 2.0 * static_cast<double>(bytes) / median(seconds);
    }
    return bandwidth;
  }

  /// Times f() as many times as Google Benchmark requests; prepare() before each call is not timed. Returns the total
  /// in seconds.
  template <class Prepare, class Function>
  double time(benchmark::State& state, Prepare prepare, Function f)
  {
    double total = 0;
    for (auto _ : state)
    {
      prepare();
      const auto start = std::chrono::steady_clock::now();
      f();
      const double seconds = seconds_since(start);
      benchmark::ClobberMemory();
      state.SetIterationTime(seconds);
      total += seconds;
    }
    return total;
  }

  /// Returns what is called for --pairs=CLOCK.
  template <class Function>
  std::function<void()> call_of(const std::string& clock, Function f)
  {
    if (clock != "wait")
    {
      throw std::invalid_argument("--pairs=" + clock + ": a CPU has the caller's clock only");
    }
    return f;
  }

  /// Times one call, by the clock of the caller.
  template <class Function>
  double time_call(const std::string&, Function f)
  {
    const auto start = std::chrono::steady_clock::now();
    f();
    return seconds_since(start);
  }

private:
  static double seconds_since(std::chrono::steady_clock::time_point start)
  {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  std::int64_t copy_bytes_;
  std::map<int, double> copy_bandwidths_;
};

// A system calls a function with its workers, and has its Thrust execution policy.
struct seq_system
{
  std::string name() const
  {
    return "seq";
  }
  int workers() const
  {
    return 1;
  }
  auto policy() const
  {
    return thrust::seq;
  }
  template <class Function>
  void run(Function f) const
  {
    f();
  }
};

struct omp_system
{
  int team;

  std::string name() const
  {
    return "omp:" + std::to_string(team);
  }
  int workers() const
  {
    return team;
  }
  auto policy() const
  {
    return thrust::omp::par;
  }
  template <class Function>
  void run(Function f) const
  {
    const int before = omp_get_max_threads();
    omp_set_num_threads(team);
    f();
    omp_set_num_threads(before);
  }
};

#if MGPU_THRUST_HAS_TBB
struct tbb_system
{
  std::shared_ptr<tbb::task_arena> arena;

  std::string name() const
  {
    return "tbb:" + std::to_string(workers());
  }
  int workers() const
  {
    return arena->max_concurrency();
  }
  auto policy() const
  {
    return thrust::tbb::par;
  }
  template <class Function>
  void run(Function f) const
  {
    arena->execute(f);
  }
};
#endif

/// The systems that a program measures: each parallel one with every number of workers.
class cpu_systems
{
public:
  explicit cpu_systems(const std::vector<int>& worker_counts)
  {
    for (const int workers : worker_counts)
    {
      omp_.push_back({workers});
#if MGPU_THRUST_HAS_TBB
      tbb_.push_back({std::make_shared<tbb::task_arena>(workers)});
#endif
    }
  }

  /// Calls f(system) for each system.
  template <class Function>
  void visit(Function f) const
  {
    f(seq_system{});
    for (const omp_system& system : omp_)
    {
      f(system);
    }
#if MGPU_THRUST_HAS_TBB
    for (const tbb_system& system : tbb_)
    {
      f(system);
    }
#endif
  }

private:
  std::vector<omp_system> omp_;
#if MGPU_THRUST_HAS_TBB
  std::vector<tbb_system> tbb_;
#endif
};

/// The default options of a program for the CPU.
inline options cpu_defaults()
{
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  options defaults = all_problems();
  defaults.n = {1 << 16, 1 << 20, 1 << 24};
  defaults.workers = cores > 1 ? std::vector<int>{1, cores} : std::vector<int>{1};
  return defaults;
}

/// The main function of a program for the CPU, with the problems of a family as visit_problems() takes them. The first
/// library is the reference; it and the `Serial` libraries solve the problems on one worker, the `Parallel` libraries
/// on every system, and with --all-peers the `Slow` libraries too.
template <class Reference, class... Serial, class Parallel, class Slow, class Inputs, class Types>
int run_cpu_program(
  int argc, char** argv, const options& defaults, libraries<Reference, Serial...> serial, Parallel parallel, Slow slow,
  const Inputs& inputs, const Types& types)
{
  return run_program(
    argc, argv, defaults,
    [&](const options& chosen)
    {
#if MGPU_THRUST_HAS_TBB
      // TBB starts no more threads than there are cores, unless it is allowed to.
      const int most = *std::max_element(chosen.workers.begin(), chosen.workers.end());
      const tbb::global_control more_workers(
        tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(most));
#endif
      cpu_machine machine(chosen);
      std::set<int> worker_counts(chosen.workers.begin(), chosen.workers.end());
      worker_counts.insert(1); // for the serial system
      for (const int workers : worker_counts)
      {
        report_copy_bandwidth(machine, workers);
      }
      const cpu_systems systems(chosen.workers);
      registry benchmarks(chosen);
      family_benchmarks<cpu_machine, Reference, seq_system> all(benchmarks, seq_system{}, machine);
      visit_problems(
        chosen, inputs, types,
        [&](const auto& problem)
        {
          add_libraries(all, problem, seq_system{}, serial);
          systems.visit(
            [&](const auto& system)
            {
              add_libraries(all, problem, system, parallel);
              if (chosen.all_peers)
              {
                add_libraries(all, problem, system, slow);
              }
            });
        });
      return benchmarks.run();
    });
}

} // namespace mgpu_benchmark
