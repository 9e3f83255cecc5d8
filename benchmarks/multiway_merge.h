// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The benchmarks of merges of any number of runs, the same on a CPU and on a GPU: the problems, the libraries, and how
/// a result is checked.

#include "harness.h"
#include "segment_lengths.h"
#include "sort.h"
#include "sort_keys.h"

#include <mgpu_thrust/multiway_merge.h>
#include <mgpu_thrust/segmented_sort.h>

#include <thrust/copy.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace mgpu_benchmark
{

/// A named distribution of the lengths of runs and of their keys.
struct run_lengths
{
  enum kinds
  {
    equal,
    one_long, ///< the last seven have 2^10 elements each, or a 64th of all if that is less, and the first one the rest
    power_law ///< of segment_lengths, and 1 more, scaled to n elements
  };

  std::string name;
  std::int64_t num_runs;
  kinds kind = equal;
  disorder::kinds keys = disorder::uniform;
};

inline const std::vector<run_lengths>& all_run_lengths()
{
  static const std::vector<run_lengths> all{
    {"runs_2", 2},
    {"runs_8", 8},
    {"runs_64", 64},
    {"runs_1024", 1024},
    {"runs_100000", 100000},
    {"one_long", 8, run_lengths::one_long},
    {"power_law", 1000, run_lengths::power_law},
    {"few_keys", 64, run_lengths::equal, disorder::few_keys}};
  return all;
}

/// Makes runs_N, with N as in runs_24 or runs_2^17.
inline std::optional<run_lengths> make_input(const run_lengths&, const std::string& name)
{
  if (name.rfind("runs_", 0) == 0)
  {
    try
    {
      const std::int64_t num_runs = parse_count(name.substr(name.find('_') + 1));
      const bool is_number = num_runs > 0 && num_runs <= std::int64_t{1} << 30;
      return is_number ? std::optional(run_lengths{name, num_runs}) : std::nullopt;
    }
    catch (const std::exception&) // no number: an unknown name like others
    {
    }
  }
  return std::nullopt;
}

/// Returns where each of the runs of n elements begins, and n.
inline std::vector<std::int32_t> run_offsets(const run_lengths& lengths, std::int64_t n)
{
  const std::int64_t k = lengths.num_runs;
  const std::int64_t short_length = std::min<std::int64_t>(n / 64, 1024);
  std::vector<double> before(k + 1); // by the power law, the lengths before each run
  for (std::int64_t run = 0; run < k && lengths.kind == run_lengths::power_law; ++run)
  {
    const length_of_segment length{segment_lengths::power_law, false};
    before[run + 1] = before[run] + static_cast<double>(1 + length(run));
  }
  std::vector<std::int32_t> offsets;
  for (std::int64_t run = 0; run <= k; ++run)
  {
    std::int64_t offset = n;
    if (run < k)
    {
      switch (lengths.kind)
      {
      case run_lengths::equal:
        offset = n * run / k;
        break;
      case run_lengths::one_long:
        offset = run == 0 ? 0 : n - (k - run) * short_length;
        break;
      case run_lengths::power_law:
        offset = static_cast<std::int64_t>(static_cast<double>(n) * (before[run] / before[k]));
        break;
      }
    }
    offsets.push_back(static_cast<std::int32_t>(offset));
  }
  return offsets;
}

/// The arguments of a merge. A sort works in place: before each call the output has the elements of the runs, one run
/// after the other.
template <class Key, bool HasValuesToo>
struct merge_arguments : sort_arguments<Key, HasValuesToo> // of the output
{
  std::int64_t size;
  const Key* input;
  const value_type* input_values;
  std::int64_t num_runs;
  const std::int32_t* offsets; ///< of the runs, and the end of the last
  const Key* const* runs;
  const value_type* const* value_runs;
  const std::int32_t* sizes;
  const std::vector<std::int32_t>* host_offsets;
};

struct merge_runs
{
  static constexpr const char* name = "merge_runs";
};
struct multiway_merge
{
  static constexpr const char* name = "multiway_merge";
};

// A library merges by some_order.
struct mgpu_multiway_merge
{
  static constexpr const char* name = "mgpu";

  template <class Policy, class Arguments>
  static void run(merge_runs, const Policy& policy, const Arguments& in)
  {
    const auto* const last = in.input + in.size;
    const std::int32_t* const offsets_last = in.offsets + in.num_runs;
    if constexpr (Arguments::has_values)
    {
      mgpu::merge_runs_by_key(
        policy, in.input, last, in.input_values, in.offsets, offsets_last, in.first, in.values, some_order{});
    }
    else
    {
      mgpu::merge_runs(policy, in.input, last, in.offsets, offsets_last, in.first, some_order{});
    }
  }
  template <class Policy, class Arguments>
  static void run(multiway_merge, const Policy& policy, const Arguments& in)
  {
    if constexpr (Arguments::has_values)
    {
      mgpu::multiway_merge_by_key(
        policy, in.runs, in.value_runs, in.sizes, in.num_runs, in.size, in.first, in.values, some_order{});
    }
    else
    {
      mgpu::multiway_merge(policy, in.runs, in.sizes, in.num_runs, in.size, in.first, some_order{});
    }
  }
};

/// Our sort of the runs one after the other.
struct mgpu_sort_of_runs
{
  static constexpr const char* name = "mgpu_stable_sort";

  template <class Operation, class Policy, class Arguments>
  static void run(Operation, const Policy& policy, const Arguments& in)
  {
    mgpu_sort::run(stable_sort{}, policy, in);
  }
};

/// A copy of all elements.
struct copy_of_runs
{
  static constexpr const char* name = "copy";
  static constexpr bool is_yardstick = true;

  template <class Operation, class Policy, class Arguments>
  static void run(Operation, const Policy& policy, const Arguments& in)
  {
    thrust::copy(policy, in.input, in.input + in.size, in.first);
    if constexpr (Arguments::has_values)
    {
      thrust::copy(policy, in.input_values, in.input_values + in.size, in.values);
    }
  }
};

template <class Machine, class Key, bool HasValues>
struct multiway_merge_data : sorted_columns<Machine, Key, HasValues>
{
  template <class T>
  using vector = typename Machine::template vector<T>;
  using columns = sorted_columns<Machine, Key, HasValues>;

  std::vector<std::int32_t> host_offsets;
  vector<std::int32_t> offsets, sizes;
  vector<const Key*> runs;
  vector<const value_type*> value_runs;

  template <class Problem>
  multiway_merge_data(Machine& machine, const Problem& problem)
      : columns(machine, disorder{"", problem.lengths.keys}, problem.n)
      , host_offsets(run_offsets(problem.lengths, problem.n))
      , offsets(host_offsets.begin(), host_offsets.end())
  {
    std::vector<std::int32_t> host_sizes;
    std::vector<const Key*> host_runs;
    std::vector<const value_type*> host_value_runs;
    for (std::int64_t run = 0; run < problem.lengths.num_runs; ++run)
    {
      const std::int32_t begin = host_offsets[run];
      host_sizes.push_back(host_offsets[run + 1] - begin);
      host_runs.push_back(pointer_to(this->input) + begin);
      host_value_runs.push_back(HasValues ? pointer_to(this->input_values) + begin : nullptr);
    }
    sizes = vector<std::int32_t>(host_sizes.begin(), host_sizes.end());
    runs = vector<const Key*>(host_runs.begin(), host_runs.end());
    value_runs = vector<const value_type*>(host_value_runs.begin(), host_value_runs.end());
    Key* const first = pointer_to(this->input);
    mgpu::segmented_sort(
      machine.policy(), first, first + this->size(), pointer_to(offsets), pointer_to(offsets) + runs.size(),
      some_order{});
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, const Policy& policy)
  {
    const std::int64_t size = this->size();
    Key* const first = pointer_to(this->keys);
    const merge_arguments<Key, HasValues> arguments{
      {first, first + size, pointer_to(this->values)},
      size,
      pointer_to(this->input),
      pointer_to(this->input_values),
      static_cast<std::int64_t>(runs.size()),
      pointer_to(offsets),
      pointer_to(runs),
      pointer_to(value_runs),
      pointer_to(sizes),
      &host_offsets};
    library.run(typename Problem::operation{}, policy, arguments);
    return size;
  }
  template <class Problem, class Result>
  work one_call(const Problem& problem, const Result&)
  {
    const auto num_runs = static_cast<std::int64_t>(runs.size());
    work result{problem.n, 2 * problem.n * this->element_bytes + num_runs * std::int64_t{sizeof(std::int32_t)}};
    result.segments = num_runs;
    return result;
  }
};

/// One merge of the runs of one input.
template <class Operation, class Form, class Key>
struct multiway_merge_problem : problem_of_lengths<Operation, Form, run_lengths>
{
  template <class Machine>
  using data = multiway_merge_data<Machine, Key, Form::has_values>;
};

inline auto multiway_merge_problems()
{
  return std::make_tuple(
    problems_on<multiway_merge_problem<merge_runs, keys_form, std::int32_t>>{"i32"},
    problems_on<multiway_merge_problem<multiway_merge, keys_form, std::int32_t>>{"i32"},
    problems_on<multiway_merge_problem<merge_runs, keys_form, std::int64_t>>{"i64"},
    problems_on<multiway_merge_problem<merge_runs, by_key_form, std::int32_t>>{"i32+i32"});
}

} // namespace mgpu_benchmark
