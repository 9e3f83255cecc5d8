// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The benchmarks of segmented sorts, the same on a CPU and on a GPU: the problems, the libraries, and how a result is
/// checked.

#include "harness.h"
#include "segment_lengths.h"
#include "sort_keys.h"

#include <mgpu_thrust/segmented_sort.h>
#include <mgpu_thrust/sort.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mgpu_benchmark
{

inline const std::vector<segment_lengths>& all_sort_lengths()
{
  static const std::vector<segment_lengths> all{
    {"mean_4", 4},
    {"mean_30", 30},
    {"mean_300", 300},
    {"mean_3000", 3000},
    {"mean_1e5", 100000},
    {"mean_1e6", 1000000},
    {"power_law", segment_lengths::power_law},
    {"one_segment", segment_lengths::one_segment}};
  return all;
}

/// The arguments of a sort: keys, and values or a null pointer, to be sorted in place; and the unsorted input, for
/// libraries that do not work in place.
template <class Key, class Form>
struct segmented_sort_arguments
{
  static constexpr bool has_values = Form::has_values;
  static constexpr typename Form::order order{};

  std::int64_t size;
  const Key* input;
  const value_type* input_values;
  Key* keys;
  value_type* values;
  std::int64_t num_segments;
  const std::int32_t* offsets; ///< offsets of the segments, and the end of the last segment
};

// A library sorts the segments.
struct mgpu_segmented_sort
{
  static constexpr const char* name = "mgpu";

  template <class Policy, class Arguments>
  static void run(const Policy& policy, const Arguments& in)
  {
    const std::int32_t* const offsets_last = in.offsets + in.num_segments;
    if constexpr (Arguments::has_values)
    {
      mgpu::segmented_stable_sort_by_key(
        policy, in.keys, in.keys + in.size, in.values, in.offsets, offsets_last, in.order);
    }
    else
    {
      mgpu::segmented_stable_sort(policy, in.keys, in.keys + in.size, in.offsets, offsets_last, in.order);
    }
  }
};

/// Our sort of all keys as one segment: a sort of many segments should take no longer.
struct mgpu_stable_sort
{
  static constexpr const char* name = "mgpu_stable_sort";
  static constexpr bool is_yardstick = true;

  template <class Policy, class Arguments>
  static void run(const Policy& policy, const Arguments& in)
  {
    if constexpr (Arguments::has_values)
    {
      mgpu::stable_sort_by_key(policy, in.keys, in.keys + in.size, in.values, in.order);
    }
    else
    {
      mgpu::stable_sort(policy, in.keys, in.keys + in.size, in.order);
    }
  }
};

template <class Machine, class Key, class Form>
struct segmented_sort_data : sorted_columns<Machine, Key, Form::has_values>
{
  using columns = sorted_columns<Machine, Key, Form::has_values>;

  typename Machine::template vector<std::int32_t> offsets;

  template <class Problem>
  segmented_sort_data(Machine& machine, const Problem& problem)
      : columns(machine, disorder{"uniform", disorder::uniform}, problem.n)
      , offsets(make_offsets(machine, problem.lengths, problem.n))
  {
    offsets.push_back(static_cast<std::int32_t>(problem.n));
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, const Policy& policy)
  {
    library.run(
      policy, segmented_sort_arguments<Key, Form>{
                this->size(), pointer_to(this->input), pointer_to(this->input_values), pointer_to(this->keys),
                pointer_to(this->values), num_segments(), pointer_to(offsets)});
    return this->size();
  }
  template <class Problem, class Result>
  work one_call(const Problem& problem, const Result&)
  {
    work result{problem.n, 2 * problem.n * this->element_bytes + num_segments() * std::int64_t{sizeof(std::int32_t)}};
    result.segments = num_segments();
    return result;
  }

private:
  std::int64_t num_segments() const
  {
    return static_cast<std::int64_t>(offsets.size()) - 1;
  }
};

/// The only operation.
struct segmented_sort
{
  static constexpr const char* name = "segmented_sort";
};

/// One sort of the segments of one input.
template <class FormType, class Key>
struct segmented_sort_problem
{
  using operation = segmented_sort;
  using form = FormType;
  template <class Machine>
  using data = segmented_sort_data<Machine, Key, form>;

  segment_lengths lengths;
  std::int64_t n;
  std::string type;

  std::string input_name() const
  {
    return name();
  }
  std::string name() const
  {
    return std::string(operation::name) + "/" + form::name + "/" + type + "/" + lengths.name
           + "/n:" + std::to_string(n);
  }
};

inline auto segmented_sort_problems()
{
  return std::make_tuple(
    problems_on<segmented_sort_problem<keys_form, std::int32_t>>{"i32"},
    problems_on<segmented_sort_problem<keys_form, std::int64_t>>{"i64"},
    problems_on<segmented_sort_problem<by_key_form, std::int32_t>>{"i32+i32"});
}

} // namespace mgpu_benchmark
