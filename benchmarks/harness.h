// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Common code of the benchmark programs of all families: registering and running benchmarks, and their main function.
/// A program also includes machine_cpu.h or machine_cuda.h, which time calls and measure the speed of a copy.

#include "distributions.h"
#include "flags.h"
#include "pairs.h"
#include "problems.h"
#include "report.h"
#include <benchmark/benchmark.h>

#include <thrust/equal.h>
#include <thrust/fill.h>
#include <thrust/memory.h>
#include <thrust/version.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mgpu_benchmark
{

/// An object that a sequence of benchmarks shares, such as their inputs. It is freed before the next one is made.
class kept_object
{
public:
  /// Returns the object with that name: the last one, or a new one that make() allocates with new.
  template <class Make>
  auto& get(const std::string& name, Make make)
  {
    using object = std::remove_pointer_t<decltype(make())>;
    if (name != name_)
    {
      name_.clear();
      object_.reset();
      object_ = std::shared_ptr<object>(make());
      name_ = name;
    }
    return *static_cast<object*>(object_.get());
  }

private:
  std::string name_;
  std::shared_ptr<void> object_;
};

/// The work of one call.
struct work
{
  std::int64_t items; ///< number of elements of the inputs
  std::int64_t bytes; ///< bytes that any implementation must read and write

  // Counted by some families only, otherwise 0.
  std::int64_t sector_bytes = 0; ///< `bytes` with sectors of memory counted whole
  std::int64_t segments = 0;
};

/// Sets the counters of a benchmark that has run.
inline void set_counters(benchmark::State& state, double seconds, const work& each, double copy_bandwidth)
{
  const double iterations = static_cast<double>(state.iterations());
  const double bandwidth = static_cast<double>(each.bytes) * iterations / seconds;
  state.SetItemsProcessed(state.iterations() * each.items);
  state.SetBytesProcessed(state.iterations() * each.bytes);
  state.counters["bytes"] = static_cast<double>(each.bytes);
  state.counters["percent_of_copy"] = 100 * bandwidth / copy_bandwidth;
  if (each.sector_bytes > 0)
  {
    state.counters["sector_bytes"] = static_cast<double>(each.sector_bytes);
    state.counters["percent_of_copy_by_sectors"] =
      100 * static_cast<double>(each.sector_bytes) * iterations / seconds / copy_bandwidth;
  }
  if (each.segments > 0)
  {
    state.counters["segments"] = static_cast<double>(each.segments);
  }
}

/// Why a benchmark leaves something out, without being at fault.
struct not_measured : std::runtime_error
{
  using std::runtime_error::runtime_error;
};

/// The benchmarks of a program.
class registry
{
public:
  explicit registry(const options& chosen)
      : chosen_(chosen)
  {
  }

  /// Registers run(state). An exception that it throws, a wrong result for instance, fails the benchmark. A
  /// not_measured skips it: the message of the error that Google Benchmark then records begins with "skipped: ".
  template <class Run>
  void add(const benchmark_id& id, Run run)
  {
    const std::string name = id.name();
    ids_[name] = id;
    auto* const added = benchmark::RegisterBenchmark(
      name.c_str(),
      [this, run](benchmark::State& state) mutable
      {
        try
        {
          run(state);
        }
        catch (const not_measured& why)
        {
          state.SkipWithError((std::string("skipped: ") + why.what()).c_str());
        }
        catch (const std::exception& error)
        {
          failed_ = true;
          state.SkipWithError(error.what());
        }
      });
    added->UseManualTime()->Unit(benchmark::kMillisecond);
    if (chosen_.pairs.empty())
    {
      added->MinTime(chosen_.min_time)->Repetitions(chosen_.repetitions)->ReportAggregatesOnly();
    }
    else
    {
      added->Iterations(1); // that times the pairs of calls by itself
    }
  }

  /// Runs all, prints the table, and returns the exit status.
  int run() const
  {
    table_reporter reporter(ids_);
    if (benchmark::RunSpecifiedBenchmarks(&reporter) == 0)
    {
      throw std::invalid_argument("these flags leave no benchmark to run");
    }
    benchmark::ClearRegisteredBenchmarks(); // as they refer to this object
    reporter.print_table();
    if (failed_)
    {
      std::fprintf(stderr, "At least one benchmark failed: see above.\n");
    }
    return failed_ ? 1 : 0;
  }

  const options& chosen() const
  {
    return chosen_;
  }

private:
  options chosen_;
  std::map<std::string, benchmark_id> ids_;
  bool failed_ = false;
};

// Functions on vectors of a machine, for the inputs and outputs of all families.
template <class Vector>
auto pointer_to(Vector& vector)
{
  return thrust::raw_pointer_cast(vector.data());
}
template <class Machine, class Vector>
void fill_all(Machine& machine, Vector& vector, int value)
{
  thrust::fill(machine.policy(), pointer_to(vector), pointer_to(vector) + vector.size(), value);
}
/// Returns whether `vector` begins with the elements of `expected`.
template <class Machine, class Vector>
bool begins_with(Machine& machine, const Vector& vector, const Vector& expected)
{
  return thrust::equal(
    machine.policy(), pointer_to(expected), pointer_to(expected) + expected.size(), pointer_to(vector));
}

/// What the data of a problem need for its result, if that is all of one output.
template <class Machine, class T>
struct whole_output
{
  using vector = typename Machine::template vector<T>;

  vector out;

  void poison(Machine& machine)
  {
    fill_all(machine, out, -77);
  }
  template <class Problem>
  vector* keep_result(const Problem&, std::int64_t)
  {
    return new vector(out);
  }
  template <class Problem>
  void check(Machine& machine, const Problem&, const vector& expected, std::int64_t)
  {
    if (!begins_with(machine, out, expected))
    {
      throw std::runtime_error("wrong result");
    }
  }
};

/// Whether a library executes something else instead of the operation, to compare the time with: it has a member
/// `is_yardstick`, and its output is not checked.
template <class Library, class = void>
inline constexpr bool is_yardstick = false;
template <class Library>
inline constexpr bool is_yardstick<Library, std::void_t<decltype(Library::is_yardstick)>> = true;

/// Whether the data of problems have a member prepare(policy).
template <class Data, class Policy, class = void>
inline constexpr bool is_prepared = false;
template <class Data, class Policy>
inline constexpr bool
  is_prepared<Data, Policy, std::void_t<decltype(std::declval<Data&>().prepare(std::declval<const Policy&>()))>> = true;

/// Registers benchmarks of a family on one machine. All results must be equal to those of the library Reference.
///
/// A problem has a name(), and an input_name() that problems with the same inputs share. Its data<Machine>, constructed
/// from a machine and a problem, hold its inputs and room for its result in the memory of the machine, with the members
///
///     run(problem, library, policy)            solves the problem with a library; returns the size of the result
///     poison(machine)                          overwrites the output of the last call, so that it cannot pass for that
///                                              of the next
///     keep_result(problem, size)               returns a copy of the result, allocated with new
///     check(machine, problem, expected, size)  throws if the result differs from such a copy
///     one_call(problem, expected)              returns the work of a call that has this result
///
/// If the libraries of the family work in place, there is also prepare(policy), which restores what run() overwrites.
/// It is called before each call of run() and is not timed. It gets the same policy, as workers of another system would
/// keep cores busy for some milliseconds: OpenMP's spin when they are done.
template <class Machine, class Reference, class ReferenceSystem>
class family_benchmarks
{
public:
  family_benchmarks(registry& benchmarks, ReferenceSystem reference_system, Machine& machine)
      : benchmarks_(benchmarks)
      , reference_system_(reference_system)
      , machine_(machine)
  {
  }

  template <class Problem, class Library, class System>
  void add(const Problem& problem, Library library, const System& system)
  {
    benchmarks_.add(
      id_of(problem, Library::name, system),
      [this, problem, library, system, checked = false](benchmark::State& state) mutable
      {
        run(state, problem, library, system, checked);
        checked = true;
      });
  }
  /// Adds the ratio of a peer's time to ours, of calls that alternate.
  template <class Problem, class Ours, class Peer, class System>
  void add_pair(const Problem& problem, Ours ours, Peer peer, const System& system)
  {
    benchmarks_.add(
      id_of(problem, std::string(Ours::name) + "_beside_" + Peer::name, system),
      [this, problem, ours, peer, system](benchmark::State& state) { run_pairs(state, problem, ours, peer, system); });
  }

  /// Whether the program is called to add pairs, instead of single libraries.
  bool adds_pairs() const
  {
    return !benchmarks_.chosen().pairs.empty();
  }

private:
  template <class Problem, class System>
  benchmark_id id_of(const Problem& problem, const std::string& library, const System& system) const
  {
    return {machine_.name(), system.name(), system.workers(), library, problem.name()};
  }

  template <class Data, class Policy>
  static void prepare([[maybe_unused]] Data& data, [[maybe_unused]] const Policy& policy)
  {
    if constexpr (is_prepared<Data, Policy>)
    {
      data.prepare(policy);
    }
  }

  template <class Problem>
  auto& data_of(const Problem& problem)
  {
    using data_type = typename Problem::template data<Machine>;
    return data_.get(problem.input_name(), [&] { return new data_type(machine_, problem); });
  }

  /// Returns the reference's result.
  template <class Problem, class Data>
  auto& expected_of(const Problem& problem, Data& data)
  {
    return reference_.get(
      problem.name(),
      [&]
      {
        data.poison(machine_);
        prepare(data, reference_system_.policy());
        return data.keep_result(problem, data.run(problem, Reference{}, reference_system_.policy()));
      });
  }

  /// Throws if a library's result is not the reference's.
  template <class Problem, class Library, class System, class Data, class Result>
  void check(const Problem& problem, const Library& library, const System& system, Data& data, const Result& expected)
  {
    data.poison(machine_);
    prepare(data, system.policy());
    const std::int64_t size = data.run(problem, library, system.policy());
    if (!is_yardstick<Library>)
    {
      data.check(machine_, problem, expected, size);
    }
  }

  template <class Problem, class Library, class System>
  void run(benchmark::State& state, const Problem& problem, const Library& library, const System& system, bool checked)
  {
    auto& data = data_of(problem);
    const auto& expected = expected_of(problem, data);
    const double copy_bandwidth = machine_.copy_bandwidth(system.workers());
    double seconds = 0;
    system.run(
      [&]
      {
        if (!checked)
        {
          check(problem, library, system, data, expected);
        }
        seconds = machine_.time(
          state, [&] { prepare(data, system.policy()); },
          [&] { benchmark::DoNotOptimize(data.run(problem, library, system.policy())); });
      });
    set_counters(state, seconds, data.one_call(problem, expected), copy_bandwidth);
  }

  template <class Problem, class Ours, class Peer, class System>
  void
  run_pairs(benchmark::State& state, const Problem& problem, const Ours& ours, const Peer& peer, const System& system)
  {
    auto& data = data_of(problem);
    const auto& expected = expected_of(problem, data);
    call_pairs pairs;
    system.run(
      [&]
      {
        check(problem, peer, system, data, expected);
        check(problem, ours, system, data, expected);
        const std::string& clock = benchmarks_.chosen().pairs;
        const auto call_of = [&](const auto& library) {
          return machine_.call_of(
            clock, [&] { benchmark::DoNotOptimize(data.run(problem, library, system.policy())); });
        };
        const auto seconds_of = [&](const auto& call)
        {
          prepare(data, system.policy());
          return machine_.time_call(clock, call);
        };
        const auto our_call = call_of(ours);
        const auto peers_call = call_of(peer);
        pairs.time([&] { return seconds_of(our_call); }, [&] { return seconds_of(peers_call); });
      });
    for (auto _ : state)
    {
      state.SetIterationTime(pairs.ours());
    }
    state.counters["peer_ms"] = 1e3 * pairs.peers();
    state.counters["ratio"] = pairs.ratio();
    state.counters["pairs"] = pairs.count();
  }

  registry& benchmarks_;
  ReferenceSystem reference_system_;
  Machine& machine_;
  kept_object data_;
  kept_object reference_;
};

/// Libraries that a program measures.
template <class... Library>
struct libraries
{
};

/// Whether a library is measured on a problem and a system. If not on all, it has a member template `is_for`.
template <class Library, class Problem, class System, class = void>
inline constexpr bool is_measured = true;
template <class Library, class Problem, class System>
inline constexpr bool
  is_measured<Library, Problem, System, std::void_t<decltype(Library::template is_for<Problem, System>)>> =
    Library::template is_for<Problem, System>;

/// Whether a library is this one.
template <class Library>
constexpr bool is_ours()
{
  return std::string_view(Library::name) == "mgpu";
}

template <class All, class Problem, class System, class... Library>
void add_libraries(All& all, const Problem& problem, const System& system, libraries<Library...>)
{
  [[maybe_unused]] const auto add_pair = [&](auto ours, auto peer)
  {
    if constexpr (
      is_ours<decltype(ours)>() && !is_ours<decltype(peer)>()
      && is_measured<decltype(ours), Problem, System> && is_measured<decltype(peer), Problem, System>)
    {
      all.add_pair(problem, ours, peer, system);
    }
  };
  [[maybe_unused]] const auto add = [&](auto library)
  {
    if (all.adds_pairs())
    {
      (add_pair(library, Library{}), ...);
    }
    else if constexpr (is_measured<decltype(library), Problem, System>)
    {
      all.add(problem, library, system);
    }
  };
  (add(Library{}), ...);
}

/// Measures a copy, prints it and records it in the context of the results.
template <class Machine>
void report_copy_bandwidth(Machine& machine, int workers)
{
  const std::string name = "copy_gigabytes_per_second/" + machine.name() + ":" + std::to_string(workers);
  const std::string value = std::to_string(machine.copy_bandwidth(workers) / 1e9);
  std::printf("%s %s\n", name.c_str(), value.c_str());
  benchmark::AddCustomContext(name, value);
}

/// The default options of a program, except for the sizes and the workers.
inline options all_problems()
{
  options defaults;
  defaults.distributions = {"all"};
  defaults.types = {"all"};
  defaults.forms = {"all"};
  defaults.operations = {"all"};
  return defaults;
}

/// Returns "3.0.1" for 300001.
inline std::string name_of_version(int version)
{
  return std::to_string(version / 100000) + '.' + std::to_string(version / 100 % 1000) + '.'
         + std::to_string(version % 100);
}

/// The main function of a program: run(options) registers its benchmarks and runs them, and returns the exit status.
template <class Run>
int run_program(int argc, char** argv, const options& defaults, Run run)
{
  try
  {
    const options chosen = parse_options(argc, argv, defaults);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
    {
      return 2;
    }
    benchmark::AddCustomContext("cccl", name_of_version(THRUST_VERSION));
    if (!chosen.pairs.empty())
    {
      benchmark::AddCustomContext("pairs", chosen.pairs);
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
