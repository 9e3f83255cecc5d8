// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Sorted searches on the CPU: mgpu on each of Thrust's CPU systems, beside loops over the standard library's searches,
/// the standard library's merge of the same inputs, and Thrust's vectorised searches.

#include "sorted_search.h"
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

/// Loops over the searches of the standard library, each in the whole range.
struct std_library
{
  static constexpr const char* name = "std";
  static constexpr bool is_yardstick = false;

  template <class Policy, class Arguments>
  static std::int64_t run(sorted_lower_bound, index_form, const Policy&, const Arguments& in)
  {
    return find_lower_bounds(in.a_first, in.a_last, in.b_first, in.b_last, in.first_indices);
  }
  template <class Policy, class Arguments>
  static std::int64_t run(sorted_upper_bound, index_form, const Policy&, const Arguments& in)
  {
    return find_upper_bounds(in.a_first, in.a_last, in.b_first, in.b_last, in.first_indices);
  }
  template <class Policy, class Arguments>
  static std::int64_t run(sorted_contains, match_form, const Policy&, const Arguments& in)
  {
    const auto is_found = [&in](const auto& needle) { return std::binary_search(in.a_first, in.a_last, needle); };
    return std::transform(in.b_first, in.b_last, in.first_matches, is_found) - in.first_matches;
  }
  template <class Policy, class Arguments>
  static std::int64_t run(sorted_count, count_form, const Policy&, const Arguments& in)
  {
    const auto count = [&in](const auto& needle)
    {
      const auto range = std::equal_range(in.a_first, in.a_last, needle);
      return static_cast<std::int32_t>(range.second - range.first);
    };
    return std::transform(in.b_first, in.b_last, in.first_indices, count) - in.first_indices;
  }
  template <class Policy, class Arguments>
  static std::int64_t run(sorted_equal_range, index_form, const Policy&, const Arguments& in)
  {
    auto lower = in.first_indices;
    auto upper = in.second_indices;
    for (auto needle = in.b_first; needle != in.b_last; ++needle)
    {
      const auto range = std::equal_range(in.a_first, in.a_last, *needle);
      *lower++ = static_cast<std::int32_t>(range.first - in.a_first);
      *upper++ = static_cast<std::int32_t>(range.second - in.a_first);
    }
    return (lower - in.first_indices) + (upper - in.second_indices);
  }
  template <class Policy, class Arguments>
  static std::int64_t run(sorted_search, index_form, const Policy&, const Arguments& in)
  {
    return find_lower_bounds(in.b_first, in.b_last, in.a_first, in.a_last, in.first_indices)
           + find_upper_bounds(in.a_first, in.a_last, in.b_first, in.b_last, in.second_indices);
  }
  /// A bound tells where an equal element would be.
  template <class Policy, class Arguments>
  static std::int64_t run(sorted_search, index_and_match_form, const Policy&, const Arguments& in)
  {
    auto index = in.first_indices;
    auto match = in.first_matches;
    for (auto needle = in.a_first; needle != in.a_last; ++needle)
    {
      const auto bound = std::lower_bound(in.b_first, in.b_last, *needle);
      *index++ = static_cast<std::int32_t>(bound - in.b_first);
      *match++ = bound != in.b_last && !(*needle < *bound);
    }
    const std::int64_t a_results = index - in.first_indices;
    index = in.second_indices;
    match = in.second_matches;
    for (auto needle = in.b_first; needle != in.b_last; ++needle)
    {
      const auto bound = std::upper_bound(in.a_first, in.a_last, *needle);
      *index++ = static_cast<std::int32_t>(bound - in.a_first);
      *match++ = bound != in.a_first && !(bound[-1] < *needle);
    }
    return a_results + (index - in.second_indices);
  }

private:
  template <class Key>
  static std::int64_t find_lower_bounds(
    const Key* first, const Key* last, const Key* needles_first, const Key* needles_last, std::int32_t* out)
  {
    const auto find = [first, last](const Key& needle)
    { return static_cast<std::int32_t>(std::lower_bound(first, last, needle) - first); };
    return std::transform(needles_first, needles_last, out, find) - out;
  }
  template <class Key>
  static std::int64_t find_upper_bounds(
    const Key* first, const Key* last, const Key* needles_first, const Key* needles_last, std::int32_t* out)
  {
    const auto find = [first, last](const Key& needle)
    { return static_cast<std::int32_t>(std::upper_bound(first, last, needle) - first); };
    return std::transform(needles_first, needles_last, out, find) - out;
  }
};

/// What a search should take at most: a merge of both inputs, whatever the operation. It moves other bytes than the
/// operation, so only its time says something.
struct std_merge_library
{
  static constexpr const char* name = "std_merge";
  static constexpr bool is_yardstick = true;

  template <class Operation, class Form, class Policy, class Arguments>
  static std::int64_t run(Operation, Form, const Policy&, const Arguments& in)
  {
    return std::merge(in.a_first, in.a_last, in.b_first, in.b_last, in.merged) - in.merged;
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
      std::vector<tbb_system> tbb_systems;
      for (const int workers : chosen.workers)
      {
        tbb_systems.push_back({std::make_shared<::tbb::task_arena>(workers)});
      }
#endif
      cpu_machine machine;
      std::set<int> worker_counts(chosen.workers.begin(), chosen.workers.end());
      worker_counts.insert(1); // of the serial system
      for (const int workers : worker_counts)
      {
        report_copy_bandwidth(machine, workers);
      }
      registry benchmarks(chosen);
      search_benchmarks<cpu_machine, std_library, seq_system> all(benchmarks, seq_system{}, machine);
      visit_search_problems(
        chosen,
        [&](const auto& problem)
        {
          all.add(problem, std_library{}, seq_system{});
          all.add(problem, std_merge_library{}, seq_system{});
          register_thrust_style(all, chosen, problem, seq_system{});
          for (const int workers : chosen.workers)
          {
            register_thrust_style(all, chosen, problem, omp_system{workers});
          }
#if MGPU_BENCHMARK_HAS_TBB
          for (const tbb_system& tbb : tbb_systems)
          {
            register_thrust_style(all, chosen, problem, tbb);
          }
#endif
        });
      return benchmarks.run();
    });
}
