// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The benchmarks of the sorted searches, the same on a CPU and on a GPU: the problems, the libraries, and how a result
/// is checked. A is the haystack and B the needles, but for the joint search, which looks for the elements of each in
/// the other.

#include "harness.h"

#include <mgpu_thrust/sorted_search.h>

#include <thrust/binary_search.h>
#include <thrust/functional.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/memory.h>
#include <thrust/transform.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace mgpu_benchmark
{

/// The arguments of an operation. First results are written to the first outputs, second results to the second outputs.
template <class Key>
struct search_arguments
{
  const Key* a_first;
  const Key* a_last;
  const Key* b_first;
  const Key* b_last;
  std::int32_t* first_indices; ///< or counts
  std::int32_t* second_indices;
  bool* first_matches;
  bool* second_matches;
  Key* merged; ///< room for both inputs, for a library that merges them

  std::int64_t a_count() const
  {
    return a_last - a_first;
  }
  std::int64_t b_count() const
  {
    return b_last - b_first;
  }
};

// The operations, and the numbers of their results.
struct sorted_lower_bound
{
  static constexpr const char* name = "sorted_lower_bound";

  static constexpr std::int64_t results(std::int64_t, std::int64_t b_count)
  {
    return b_count;
  }
};
struct sorted_upper_bound
{
  static constexpr const char* name = "sorted_upper_bound";

  static constexpr std::int64_t results(std::int64_t, std::int64_t b_count)
  {
    return b_count;
  }
};
struct sorted_contains
{
  static constexpr const char* name = "sorted_contains";

  static constexpr std::int64_t results(std::int64_t, std::int64_t b_count)
  {
    return b_count;
  }
};
struct sorted_count
{
  static constexpr const char* name = "sorted_count";

  static constexpr std::int64_t results(std::int64_t, std::int64_t b_count)
  {
    return b_count;
  }
};
/// Lower bounds are the first results, upper bounds the second.
struct sorted_equal_range
{
  static constexpr const char* name = "sorted_equal_range";

  static constexpr std::int64_t results(std::int64_t, std::int64_t b_count)
  {
    return 2 * b_count;
  }
};
/// The first results are those of A, lower bounds in B; the second those of B, upper bounds in A.
struct sorted_search
{
  static constexpr const char* name = "sorted_search";

  static constexpr std::int64_t results(std::int64_t a_count, std::int64_t b_count)
  {
    return a_count + b_count;
  }
};

// The forms: the kind of result, and its bytes.
struct index_form
{
  static constexpr const char* name = "index";
  static constexpr std::int64_t result_bytes = sizeof(std::int32_t);
};
struct match_form
{
  static constexpr const char* name = "match"; ///< a result is whether there is an equal element
  static constexpr std::int64_t result_bytes = sizeof(bool);
};
struct count_form
{
  static constexpr const char* name = "count";
  static constexpr std::int64_t result_bytes = sizeof(std::int32_t);
};
struct index_and_match_form
{
  static constexpr const char* name = "index_and_match";
  static constexpr std::int64_t result_bytes = sizeof(std::int32_t) + sizeof(bool);
};

// A library executes an operation in one of its forms, and returns the number of results.
struct mgpu_sorted_search
{
  static constexpr const char* name = "mgpu";

  template <class Policy, class Arguments>
  static std::int64_t run(sorted_lower_bound, index_form, const Policy& policy, const Arguments& in)
  {
    return mgpu::sorted_lower_bound(policy, in.a_first, in.a_last, in.b_first, in.b_last, in.first_indices)
           - in.first_indices;
  }
  template <class Policy, class Arguments>
  static std::int64_t run(sorted_upper_bound, index_form, const Policy& policy, const Arguments& in)
  {
    return mgpu::sorted_upper_bound(policy, in.a_first, in.a_last, in.b_first, in.b_last, in.first_indices)
           - in.first_indices;
  }
  template <class Policy, class Arguments>
  static std::int64_t run(sorted_contains, match_form, const Policy& policy, const Arguments& in)
  {
    return mgpu::sorted_contains(policy, in.a_first, in.a_last, in.b_first, in.b_last, in.first_matches)
           - in.first_matches;
  }
  template <class Policy, class Arguments>
  static std::int64_t run(sorted_count, count_form, const Policy& policy, const Arguments& in)
  {
    return mgpu::sorted_count(policy, in.a_first, in.a_last, in.b_first, in.b_last, in.first_indices)
           - in.first_indices;
  }
  template <class Policy, class Arguments>
  static std::int64_t run(sorted_equal_range, index_form, const Policy& policy, const Arguments& in)
  {
    const auto ends = mgpu::sorted_equal_range(
      policy, in.a_first, in.a_last, in.b_first, in.b_last, in.first_indices, in.second_indices);
    return (ends.first - in.first_indices) + (ends.second - in.second_indices);
  }
  template <class Policy, class Arguments>
  static std::int64_t run(sorted_search, index_form, const Policy& policy, const Arguments& in)
  {
    return search_jointly(policy, in, in.first_indices, in.second_indices);
  }
  template <class Policy, class Arguments>
  static std::int64_t run(sorted_search, index_and_match_form, const Policy& policy, const Arguments& in)
  {
    return search_jointly(
      policy, in, thrust::make_zip_iterator(in.first_indices, in.first_matches),
      thrust::make_zip_iterator(in.second_indices, in.second_matches));
  }

private:
  template <class Policy, class Arguments, class Output>
  static std::int64_t search_jointly(const Policy& policy, const Arguments& in, Output a_out, Output b_out)
  {
    const auto ends = mgpu::sorted_search(policy, in.a_first, in.a_last, in.b_first, in.b_last, a_out, b_out);
    return (ends.first - a_out) + (ends.second - b_out);
  }
};

/// Thrust's vectorised searches, which do not use the order of the needles.
struct thrust_sorted_search
{
  static constexpr const char* name = "thrust";

  template <class Policy, class Arguments>
  static std::int64_t run(sorted_lower_bound, index_form, const Policy& policy, const Arguments& in)
  {
    return thrust::lower_bound(policy, in.a_first, in.a_last, in.b_first, in.b_last, in.first_indices)
           - in.first_indices;
  }
  template <class Policy, class Arguments>
  static std::int64_t run(sorted_upper_bound, index_form, const Policy& policy, const Arguments& in)
  {
    return thrust::upper_bound(policy, in.a_first, in.a_last, in.b_first, in.b_last, in.first_indices)
           - in.first_indices;
  }
  template <class Policy, class Arguments>
  static std::int64_t run(sorted_contains, match_form, const Policy& policy, const Arguments& in)
  {
    return thrust::binary_search(policy, in.a_first, in.a_last, in.b_first, in.b_last, in.first_matches)
           - in.first_matches;
  }
  /// Both bounds, one of them in temporary storage, and their difference.
  template <class Policy, class Arguments>
  static std::int64_t run(sorted_count, count_form, Policy policy, const Arguments& in)
  {
    const auto buffer = thrust::get_temporary_buffer<std::int32_t>(policy, in.b_count());
    std::int32_t* const lower = thrust::raw_pointer_cast(buffer.first);
    thrust::lower_bound(policy, in.a_first, in.a_last, in.b_first, in.b_last, lower);
    const auto end = thrust::upper_bound(policy, in.a_first, in.a_last, in.b_first, in.b_last, in.first_indices);
    thrust::transform(policy, in.first_indices, end, lower, in.first_indices, thrust::minus<std::int32_t>{});
    thrust::return_temporary_buffer(policy, buffer.first, buffer.second);
    return end - in.first_indices;
  }
  template <class Policy, class Arguments>
  static std::int64_t run(sorted_equal_range, index_form, const Policy& policy, const Arguments& in)
  {
    const auto lower_end = thrust::lower_bound(policy, in.a_first, in.a_last, in.b_first, in.b_last, in.first_indices);
    const auto upper_end = thrust::upper_bound(policy, in.a_first, in.a_last, in.b_first, in.b_last, in.second_indices);
    return (lower_end - in.first_indices) + (upper_end - in.second_indices);
  }
  template <class Policy, class Arguments>
  static std::int64_t run(sorted_search, index_form, const Policy& policy, const Arguments& in)
  {
    const auto a_end = thrust::lower_bound(policy, in.b_first, in.b_last, in.a_first, in.a_last, in.first_indices);
    const auto b_end = thrust::upper_bound(policy, in.a_first, in.a_last, in.b_first, in.b_last, in.second_indices);
    return (a_end - in.first_indices) + (b_end - in.second_indices);
  }
  template <class Policy, class Arguments>
  static std::int64_t run(sorted_search operation, index_and_match_form, const Policy& policy, const Arguments& in)
  {
    thrust::binary_search(policy, in.b_first, in.b_last, in.a_first, in.a_last, in.first_matches);
    thrust::binary_search(policy, in.a_first, in.a_last, in.b_first, in.b_last, in.second_matches);
    return run(operation, index_form{}, policy, in);
  }
};

/// All outputs of all operations, in the memory of the machine.
template <class Machine>
struct search_outputs
{
  typename Machine::template vector<std::int32_t> first_indices, second_indices;
  typename Machine::template vector<unsigned char> first_matches, second_matches; ///< a vector of bool has no pointer
};

/// The inputs of a problem and room for its results, in the memory of the machine.
template <class Machine, class Key>
struct search_data
{
  using outputs = search_outputs<Machine>;

  typename Machine::template vector<Key> a, b, merged;
  outputs out;

  template <class Problem>
  search_data(Machine& machine, const Problem& problem)
      : a(problem.a_count())
      , b(problem.b_count())
  {
    const std::int64_t larger = std::max(problem.a_count(), problem.b_count());
    out.first_indices.resize(larger);
    out.first_matches.resize(larger);
    out.second_indices.resize(b.size());
    out.second_matches.resize(b.size());
    const auto policy = machine.policy();
    fill_with_sorted_keys(policy, problem.input, side::a, problem.n, pointer_to(a), problem.a_count());
    fill_with_sorted_keys(policy, problem.input, side::b, problem.n, pointer_to(b), problem.b_count());
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, const Policy& policy)
  {
    if constexpr (is_yardstick<Library>)
    {
      merged.resize(a.size() + b.size()); // in the first call, which is not timed
    }
    return library.run(typename Problem::operation{}, typename Problem::form{}, policy, arguments());
  }
  void poison(Machine& machine)
  {
    fill_all(machine, out.first_indices, -77);
    fill_all(machine, out.second_indices, -77);
    fill_all(machine, out.first_matches, 77);
    fill_all(machine, out.second_matches, 77);
  }
  template <class Problem>
  outputs* keep_result(const Problem&, std::int64_t)
  {
    return new outputs(out);
  }
  /// Compares the outputs as a whole, including elements that the operation must not write.
  template <class Problem>
  void check(Machine& machine, const Problem& problem, const outputs& expected, std::int64_t results)
  {
    if (results != problem.results())
    {
      throw std::runtime_error(
        "wrong result: " + std::to_string(results) + " results instead of " + std::to_string(problem.results()));
    }
    if (
      !begins_with(machine, out.first_indices, expected.first_indices)
      || !begins_with(machine, out.second_indices, expected.second_indices))
    {
      throw std::runtime_error("wrong result: the indices or counts");
    }
    if (
      !begins_with(machine, out.first_matches, expected.first_matches)
      || !begins_with(machine, out.second_matches, expected.second_matches))
    {
      throw std::runtime_error("wrong result: the matches");
    }
  }
  /// The work of a call: each key of the inputs is read once, and each result written once.
  template <class Problem>
  work one_call(const Problem& problem, const outputs&)
  {
    const std::int64_t keys = problem.a_count() + problem.b_count();
    return {keys, keys * static_cast<std::int64_t>(sizeof(Key)) + problem.results() * Problem::form::result_bytes};
  }

private:
  search_arguments<Key> arguments()
  {
    return {
      pointer_to(a),
      pointer_to(a) + a.size(),
      pointer_to(b),
      pointer_to(b) + b.size(),
      pointer_to(out.first_indices),
      pointer_to(out.second_indices),
      reinterpret_cast<bool*>(pointer_to(out.first_matches)),
      reinterpret_cast<bool*>(pointer_to(out.second_matches)),
      pointer_to(merged)};
  }
};

/// One operation on one input.
template <class OperationType, class FormType, class KeyType>
struct search_problem
{
  using operation = OperationType;
  using form = FormType;
  template <class Machine>
  using data = search_data<Machine, KeyType>;

  distribution input;
  std::int64_t n;
  std::string type;

  std::int64_t a_count() const
  {
    return element_count(input.a_thousandths, n);
  }
  std::int64_t b_count() const
  {
    return element_count(input.b_thousandths, n);
  }
  std::int64_t results() const
  {
    return operation::results(a_count(), b_count());
  }
  /// Names the inputs.
  std::string input_name() const
  {
    return type + "/" + input.name + "/n:" + std::to_string(a_count()) + "+" + std::to_string(b_count());
  }
  std::string name() const
  {
    return std::string(operation::name) + "/" + form::name + "/" + input_name();
  }
};

template <class Key>
auto search_problems_on(const char* type)
{
  return std::make_tuple(
    problems_on<search_problem<sorted_lower_bound, index_form, Key>>{type},
    problems_on<search_problem<sorted_upper_bound, index_form, Key>>{type},
    problems_on<search_problem<sorted_contains, match_form, Key>>{type},
    problems_on<search_problem<sorted_count, count_form, Key>>{type},
    problems_on<search_problem<sorted_equal_range, index_form, Key>>{type},
    problems_on<search_problem<sorted_search, index_form, Key>>{type},
    problems_on<search_problem<sorted_search, index_and_match_form, Key>>{type});
}
inline auto search_problems()
{
  return std::tuple_cat(
    mgpu_benchmark::search_problems_on<std::int32_t>("i32"), mgpu_benchmark::search_problems_on<std::int64_t>("i64"),
    std::make_tuple(problems_on<search_problem<sorted_lower_bound, index_form, key128>>{"b16"}));
}

} // namespace mgpu_benchmark
