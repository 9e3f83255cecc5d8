// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The benchmarks of merges of any number of runs, and of folds of their equal keys, the same on a CPU and on a GPU:
/// the problems, the libraries, and how a result is checked.

#include "harness.h"
#include "segment_lengths.h"
#include "sort.h"
#include "sort_keys.h"

#include <mgpu_thrust/multiway_merge.h>
#include <mgpu_thrust/segmented_sort.h>

#include <thrust/copy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
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
  std::int64_t copies = 0; ///< of each key, on average; 0 for keys of all bits
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
    {"few_keys", 64, run_lengths::equal, disorder::few_keys},
    {"copies_2", 8, run_lengths::equal, disorder::uniform, 2},
    {"copies_8", 8, run_lengths::equal, disorder::uniform, 8},
    {"copies_1000", 8, run_lengths::equal, disorder::uniform, 1000},
    {"copies_2_of_64_runs", 64, run_lengths::equal, disorder::uniform, 2},
    {"copies_8_of_64_runs", 64, run_lengths::equal, disorder::uniform, 8}};
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
struct merge_runs_reduce_by_key
{
  static constexpr const char* name = "merge_runs_reduce_by_key";
};
template <class Operation>
inline constexpr bool is_fold = std::is_same_v<Operation, merge_runs_reduce_by_key>;

/// The sum modulo 2^32.
struct sum_of_values
{
  MGPU_THRUST_HOST_DEVICE value_type operator()(value_type x, value_type y) const
  {
    return static_cast<value_type>(static_cast<std::uint32_t>(x) + static_cast<std::uint32_t>(y));
  }
};

/// The arguments of a fold. Libraries that sort or merge first do so in the place of a merge.
template <class Key>
struct fold_arguments : merge_arguments<Key, true>
{
  Key* folded;
  value_type* folded_values;
  std::int64_t* folded_size;
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
  template <class Policy, class Arguments>
  static void run(merge_runs_reduce_by_key, const Policy& policy, const Arguments& in)
  {
    *in.folded_size = mgpu::merge_runs_reduce_by_key(
                        policy, in.input, in.input + in.size, in.input_values, in.offsets, in.offsets + in.num_runs,
                        in.folded, in.folded_values, some_order{}, sum_of_values{})
                        .first
                      - in.folded;
  }
};

/// A library's sort; for a fold, and then thrust::reduce_by_key.
template <class Sort>
struct then_reduced : Sort
{
  template <class Operation, class Policy, class Arguments>
  static void run(Operation operation, const Policy& policy, const Arguments& in)
  {
    Sort::run(operation, policy, in);
    if constexpr (is_fold<Operation>)
    {
      const auto ends = thrust::reduce_by_key(
        policy, in.first, in.last, in.values, in.folded, in.folded_values, thrust::equal_to<typename Arguments::key>{},
        sum_of_values{});
      *in.folded_size = ends.first - in.folded;
    }
  }
};

/// Our merge of the runs.
struct mgpu_merge_first
{
  static constexpr const char* name = "merge_then_reduce";
  template <class Problem, class System>
  static constexpr bool is_for = is_fold<typename Problem::operation>;

  template <class Operation, class Policy, class Arguments>
  static void run(Operation, const Policy& policy, const Arguments& in)
  {
    mgpu_multiway_merge::run(merge_runs{}, policy, in);
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

/// The rest of a key by a number.
template <class Key>
struct below
{
  Key kinds;

  MGPU_THRUST_HOST_DEVICE Key operator()(Key key) const
  {
    return key % kinds;
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
    if (problem.lengths.copies > 0)
    {
      const auto kinds = static_cast<Key>(std::max<std::int64_t>(problem.n / problem.lengths.copies, 1));
      thrust::transform(machine.policy(), first, first + this->size(), first, below<Key>{kinds});
    }
    mgpu::segmented_sort(
      machine.policy(), first, first + this->size(), pointer_to(offsets), pointer_to(offsets) + runs.size(),
      some_order{});
  }

  merge_arguments<Key, HasValues> arguments()
  {
    const std::int64_t size = this->size();
    Key* const first = pointer_to(this->keys);
    return {
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
  }
  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, const Policy& policy)
  {
    library.run(typename Problem::operation{}, policy, arguments());
    return this->size();
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

template <class Machine, class Key>
struct fold_data : multiway_merge_data<Machine, Key, true>
{
  using base = multiway_merge_data<Machine, Key, true>;
  using typename base::key_vector;
  using typename base::result;
  using typename base::value_vector;

  key_vector folded;
  value_vector folded_values;

  template <class Problem>
  fold_data(Machine& machine, const Problem& problem)
      : base(machine, problem)
      , folded(problem.n)
      , folded_values(problem.n)
  {
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, const Policy& policy)
  {
    std::int64_t size = 0;
    library.run(
      typename Problem::operation{}, policy,
      fold_arguments<Key>{this->arguments(), pointer_to(folded), pointer_to(folded_values), &size});
    return size;
  }
  void poison(Machine& machine)
  {
    fill_all(machine, folded, -77);
    fill_all(machine, folded_values, -77);
  }
  template <class Problem>
  result* keep_result(const Problem&, std::int64_t size)
  {
    return new result{
      key_vector(folded.begin(), folded.begin() + size),
      value_vector(folded_values.begin(), folded_values.begin() + size)};
  }
  template <class Problem>
  void check(Machine& machine, const Problem&, const result& expected, std::int64_t size)
  {
    if (
      size != static_cast<std::int64_t>(expected.keys.size()) || !begins_with(machine, folded, expected.keys)
      || !begins_with(machine, folded_values, expected.values))
    {
      throw std::runtime_error("wrong result");
    }
  }
  template <class Problem>
  work one_call(const Problem& problem, const result& folded_elements)
  {
    const auto num_runs = static_cast<std::int64_t>(this->runs.size());
    const auto written = static_cast<std::int64_t>(folded_elements.keys.size());
    work all{problem.n, (problem.n + written) * this->element_bytes + num_runs * std::int64_t{sizeof(std::int32_t)}};
    all.segments = num_runs;
    return all;
  }
};

/// The form of folds, whose inputs have room for results.
struct reduced_form
{
  static constexpr const char* name = "reduced";
  static constexpr bool has_values = true;
  using order = some_order;
};

/// One fold of the runs of one input.
template <class Key>
struct fold_problem : problem_of_lengths<merge_runs_reduce_by_key, reduced_form, run_lengths>
{
  template <class Machine>
  using data = fold_data<Machine, Key>;
};

inline auto multiway_merge_problems()
{
  return std::make_tuple(
    problems_on<multiway_merge_problem<merge_runs, keys_form, std::int32_t>>{"i32"},
    problems_on<multiway_merge_problem<multiway_merge, keys_form, std::int32_t>>{"i32"},
    problems_on<multiway_merge_problem<merge_runs, keys_form, std::int64_t>>{"i64"},
    problems_on<multiway_merge_problem<merge_runs, by_key_form, std::int32_t>>{"i32+i32"},
    problems_on<fold_problem<std::int32_t>>{"i32+i32"});
}

} // namespace mgpu_benchmark
