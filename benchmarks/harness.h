// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the benchmark programs of all families share: how a benchmark is registered and run, and their main function.
/// Beside this, a program includes machine_cpu.h or machine_cuda.h, which time and measure the speed of a copy.

#include "distributions.h"
#include "flags.h"
#include "report.h"
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

namespace mgpu_benchmark
{

/// An object that a sequence of benchmarks shares, such as their inputs. It is freed before the next one is made.
class kept_object
{
public:
  template <class T, class Make>
  T& get(const std::string& name, Make make)
  {
    if (name != name_)
    {
      name_.clear();
      object_.reset();
      object_ = std::shared_ptr<T>(make());
      name_ = name;
    }
    return *static_cast<T*>(object_.get());
  }

private:
  std::string name_;
  std::shared_ptr<void> object_;
};

/// What the timed iterations took together; `seconds` on the clock of the machine.
struct elapsed
{
  double seconds;
  double wall_seconds;
};

/// What one call does.
struct work
{
  std::int64_t items; ///< elements of the inputs
  std::int64_t bytes; ///< bytes that any implementation must read and write
};

/// Sets the figures of a benchmark that has run.
inline void set_counters(benchmark::State& state, const elapsed& time, const work& each, double copy_bandwidth)
{
  const double iterations = static_cast<double>(state.iterations());
  const double bandwidth = static_cast<double>(each.bytes) * iterations / time.seconds;
  state.SetItemsProcessed(state.iterations() * each.items);
  state.SetBytesProcessed(state.iterations() * each.bytes);
  state.counters["bytes"] = static_cast<double>(each.bytes);
  state.counters["percent_of_copy"] = 100 * bandwidth / copy_bandwidth;
  state.counters["wall_ms"] = 1e3 * time.wall_seconds / iterations;
}

/// The benchmarks of a program.
class registry
{
public:
  explicit registry(const options& chosen)
      : chosen_(chosen)
  {
  }

  /// Registers run(state). An exception that it throws, a wrong result for instance, fails the benchmark.
  template <class Run>
  void add(const benchmark_id& id, Run run)
  {
    const std::string name = id.name();
    ids_[name] = id;
    benchmark::RegisterBenchmark(
      name.c_str(),
      [this, run](benchmark::State& state) mutable
      {
        try
        {
          run(state);
        }
        catch (const std::exception& error)
        {
          failed_ = true;
          state.SkipWithError(error.what());
        }
      })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->MinTime(chosen_.min_time)
      ->Repetitions(chosen_.repetitions)
      ->ReportAggregatesOnly();
  }

  /// Runs all, prints the table, and returns the exit status.
  int run() const
  {
    table_reporter reporter(ids_);
    if (benchmark::RunSpecifiedBenchmarks(&reporter) == 0)
    {
      throw std::invalid_argument("these flags leave no benchmark to run");
    }
    benchmark::ClearRegisteredBenchmarks(); // which refer to this object
    reporter.print_table();
    if (failed_)
    {
      std::fprintf(stderr, "At least one benchmark failed: see above.\n");
    }
    return failed_ ? 1 : 0;
  }

private:
  options chosen_;
  std::map<std::string, benchmark_id> ids_;
  bool failed_ = false;
};

/// Measures a copy, prints it and records it in the context of the results.
template <class Machine>
void report_copy_bandwidth(Machine& machine, int workers)
{
  const std::string name = "copy_gigabytes_per_second/" + machine.name() + ":" + std::to_string(workers);
  const std::string value = std::to_string(machine.copy_bandwidth(workers) / 1e9);
  std::printf("%s %s\n", name.c_str(), value.c_str());
  benchmark::AddCustomContext(name, value);
}

/// The main function of a program: run(options) registers its benchmarks and runs them, and returns the exit status.
template <class Run>
int run_program(int argc, char** argv, const options& defaults, Run run)
{
  try
  {
    const options chosen = parse_options(argc, argv, defaults);
    check_names("--distributions", chosen.distributions, distribution_names());
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
    {
      return 2;
    }
    const int status = run(chosen);
    benchmark::Shutdown();
    return status;
  }
  catch (const std::exception& error)
  {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 2;
  }
}

} // namespace mgpu_benchmark
