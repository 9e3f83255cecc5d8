// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The benchmarks of bulk removal and insertion, the same on a CPU and on a GPU: the problems, the libraries, and how a
/// result is checked.

#include "harness.h"

#include <mgpu_thrust/bulk.h>

#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/memory.h>
#include <thrust/merge.h>
#include <thrust/remove.h>
#include <thrust/sequence.h>
#include <thrust/tabulate.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace mgpu_benchmark
{

// The forms: which elements are removed, or have a value inserted before them. Number `k` is a function of k alone.
struct one_in_2
{
  static constexpr const char* name = "one_in_2"; ///< every other one
  static constexpr std::int64_t group = 2;

  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int64_t k) const
  {
    return static_cast<std::int32_t>(2 * k);
  }
};
struct one_in_100
{
  static constexpr const char* name = "one_in_100"; ///< a random one of every hundred
  static constexpr std::int64_t group = 100;

  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int64_t k) const
  {
    std::uint64_t bits = static_cast<std::uint64_t>(k) * 0x9e3779b97f4a7c15u;
    bits ^= bits >> 29;
    bits *= 0xd6e8feb86659fd93u;
    return static_cast<std::int32_t>(100 * k + static_cast<std::int64_t>((bits >> 32) % 100));
  }
};

/// The arguments of an operation.
template <class Element>
struct bulk_arguments
{
  const Element* first;
  const Element* last;
  const Element* values;
  const std::int32_t* indices_first;
  const std::int32_t* indices_last;
  Element* out;

  std::int64_t size() const
  {
    return last - first;
  }
  std::int64_t index_count() const
  {
    return indices_last - indices_first;
  }
};

// The operations, and the bytes that any implementation must read and write: each index and each result once, each
// value inserted once, and the input once. Removed elements need not be read; but memory is read in sectors of 32
// bytes, and in these inputs each sector has an element that is kept.
struct bulk_remove
{
  static constexpr const char* name = "bulk_remove";

  template <class Element>
  static std::int64_t bytes(const bulk_arguments<Element>& in)
  {
    const std::int64_t elements = in.size() + (in.size() - in.index_count());
    return elements * sizeof(Element) + in.index_count() * sizeof(std::int32_t);
  }
};
struct bulk_insert
{
  static constexpr const char* name = "bulk_insert";

  template <class Element>
  static std::int64_t bytes(const bulk_arguments<Element>& in)
  {
    const std::int64_t elements = 2 * (in.size() + in.index_count());
    return elements * sizeof(Element) + in.index_count() * sizeof(std::int32_t);
  }
};

// A library executes an operation and returns the number of elements of the result.
struct mgpu_bulk
{
  static constexpr const char* name = "mgpu";

  template <class Policy, class Arguments>
  static std::int64_t run(bulk_remove, const Policy& policy, const Arguments& in)
  {
    return mgpu::bulk_remove(policy, in.first, in.last, in.indices_first, in.indices_last, in.out) - in.out;
  }
  template <class Policy, class Arguments>
  static std::int64_t run(bulk_insert, const Policy& policy, const Arguments& in)
  {
    return mgpu::bulk_insert(policy, in.first, in.last, in.values, in.indices_first, in.indices_last, in.out) - in.out;
  }
};

struct is_set
{
  MGPU_THRUST_HOST_DEVICE bool operator()(char flag) const
  {
    return flag != 0;
  }
};

/// An implementation with Thrust's algorithms, as Thrust has neither operation.
struct thrust_bulk
{
  static constexpr const char* name = "thrust";

  /// Sets flags at the indices, then copies the elements without a flag.
  template <class Policy, class Arguments>
  static std::int64_t run(bulk_remove, Policy policy, const Arguments& in)
  {
    const auto buffer = thrust::get_temporary_buffer<char>(policy, in.size());
    char* const flags = thrust::raw_pointer_cast(buffer.first);
    thrust::fill(policy, flags, flags + in.size(), char{0});
    const auto flags_at = thrust::make_permutation_iterator(flags, in.indices_first);
    thrust::fill(policy, flags_at, flags_at + in.index_count(), char{1});
    const auto end = thrust::remove_copy_if(policy, in.first, in.last, flags, in.out, is_set{});
    thrust::return_temporary_buffer(policy, buffer.first, buffer.second);
    return end - in.out;
  }
  /// Merges the values, with their positions as keys, and the elements, with their indices as keys.
  template <class Policy, class Arguments>
  static std::int64_t run(bulk_insert, const Policy& policy, const Arguments& in)
  {
    const thrust::counting_iterator<std::int32_t> numbers(0);
    return thrust::merge_by_key(
             policy, in.indices_first, in.indices_last, numbers, numbers + in.size(), in.values, in.first,
             thrust::make_discard_iterator(), in.out)
             .second
           - in.out;
  }
};

/// The inputs of a problem and room for its result, in the memory of the machine.
template <class Machine, class Element>
struct bulk_data
{
  using vector = typename Machine::template vector<Element>;

  vector input, values, out;
  typename Machine::template vector<std::int32_t> indices;

  template <class Problem>
  bulk_data(Machine& machine, const Problem& problem)
      : input(problem.n)
      , values(problem.n / Problem::form::group)
      , out(input.size() + values.size())
      , indices(values.size())
  {
    const auto policy = machine.policy();
    // All elements are different, so that the result shows where each came from.
    thrust::sequence(policy, pointer_to(input), pointer_to(input) + input.size(), Element{0});
    thrust::sequence(
      policy, pointer_to(values), pointer_to(values) + values.size(), static_cast<Element>(input.size()));
    thrust::tabulate(policy, pointer_to(indices), pointer_to(indices) + indices.size(), typename Problem::form{});
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, const Policy& policy)
  {
    return library.run(typename Problem::operation{}, policy, arguments());
  }
  void poison(Machine& machine)
  {
    fill_all(machine, out, -77);
  }
  template <class Problem>
  vector* keep_result(const Problem&, std::int64_t size)
  {
    return new vector(out.begin(), out.begin() + size);
  }
  template <class Problem>
  void check(Machine& machine, const Problem&, const vector& expected, std::int64_t size)
  {
    if (size != static_cast<std::int64_t>(expected.size()))
    {
      throw std::runtime_error(
        "wrong result: " + std::to_string(size) + " elements instead of " + std::to_string(expected.size()));
    }
    if (!begins_with(machine, out, expected))
    {
      throw std::runtime_error("wrong result: the elements");
    }
  }
  template <class Problem>
  work one_call(const Problem&, const vector&)
  {
    const bulk_arguments<Element> in = arguments();
    return {in.size() + in.index_count(), Problem::operation::bytes(in)};
  }

private:
  bulk_arguments<Element> arguments()
  {
    return {pointer_to(input),   pointer_to(input) + input.size(),     pointer_to(values),
            pointer_to(indices), pointer_to(indices) + indices.size(), pointer_to(out)};
  }
};

/// The one input of a form.
struct index_distribution
{
  const char* name;
};
inline const std::vector<index_distribution>& all_index_distributions()
{
  static const std::vector<index_distribution> all{{"indices"}};
  return all;
}

/// One operation on one input.
template <class OperationType, class FormType, class ElementType>
struct bulk_problem
{
  using operation = OperationType;
  using form = FormType;
  template <class Machine>
  using data = bulk_data<Machine, ElementType>;

  index_distribution input;
  std::int64_t n;
  std::string type;

  /// Names the inputs.
  std::string input_name() const
  {
    return std::string(input.name) + "/" + type + "/" + form::name + "/n:" + std::to_string(n) + "+"
           + std::to_string(n / form::group);
  }
  std::string name() const
  {
    return std::string(operation::name) + "/" + input_name();
  }
};

template <class Form, class Element>
auto bulk_problems_on(const char* type)
{
  return std::make_tuple(
    problems_on<bulk_problem<bulk_remove, Form, Element>>{type},
    problems_on<bulk_problem<bulk_insert, Form, Element>>{type});
}
inline auto bulk_problems()
{
  return std::tuple_cat(
    mgpu_benchmark::bulk_problems_on<one_in_2, std::int32_t>("i32"),
    mgpu_benchmark::bulk_problems_on<one_in_100, std::int32_t>("i32"),
    mgpu_benchmark::bulk_problems_on<one_in_2, std::int64_t>("i64"),
    mgpu_benchmark::bulk_problems_on<one_in_100, std::int64_t>("i64"));
}

} // namespace mgpu_benchmark
