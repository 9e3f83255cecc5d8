// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The benchmarks of two lists of which one is much shorter: a few keys, all of which a long list has. The operations,
/// forms and libraries are those of the families, the peer that searches and a copy of the long list beside them.

#include "asof_join.h"
#include "forms.h"
#include "harness.h"
#include "join.h"
#include "semi_join.h"
#include "set_libraries.h"
#include "sorted_search.h"

#include <mgpu_thrust/join.h>
#include <mgpu_thrust/set_operations.h>

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/reduce.h>
#include <thrust/tabulate.h>

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

/// Which of the inputs is the short one.
enum class short_input
{
  a,
  b,
  either
};

/// The long list, and whether it is A or B. --n is the size of the short one.
struct uneven_inputs
{
  std::string name;
  short_input which; ///< a or b
  std::int64_t long_size;
};

/// Makes short_a_N, where B has N elements, or short_b_N, where A has; N is a number as of --n.
inline std::optional<uneven_inputs> make_input(const uneven_inputs&, const std::string& name)
{
  const std::string prefix = name.substr(0, 8);
  if (prefix == "short_a_" || prefix == "short_b_")
  {
    try
    {
      return uneven_inputs{
        name, prefix == "short_a_" ? short_input::a : short_input::b, parse_count(name.substr(prefix.size()))};
    }
    catch (const std::exception&) // no number: an unknown name like others
    {
    }
  }
  return std::nullopt;
}

inline std::vector<uneven_inputs> all_uneven_inputs()
{
  std::vector<uneven_inputs> all;
  for (const char* name : {"short_a_2^24", "short_b_2^24", "short_a_2^28", "short_b_2^28"})
  {
    all.push_back(*mgpu_benchmark::make_input(uneven_inputs{}, name));
  }
  return all;
}

/// Key i of the long list: random, in ascending order, and all different.
struct key_of_long_list
{
  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int64_t i) const
  {
    return static_cast<std::int32_t>(4 * i + static_cast<std::int64_t>(random_bits(static_cast<std::uint64_t>(i)) % 4));
  }
};

/// Key i of the short list: that of a random element of the long list's part i.
struct key_of_short_list
{
  std::int64_t part; ///< number of elements of a part

  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int64_t i) const
  {
    const std::uint64_t random = random_bits(~static_cast<std::uint64_t>(i)) % static_cast<std::uint64_t>(part);
    return key_of_long_list{}(part * i + static_cast<std::int64_t>(random));
  }
};

/// Both lists, and room for the results.
struct uneven_lists
{
  using key = std::int32_t;

  const key* a_first;
  const key* a_last;
  const key* b_first;
  const key* b_last;
  std::int32_t* out;
  std::int32_t* second_out;

  bool is_a_longer() const
  {
    return a_last - a_first > b_last - b_first;
  }
  uneven_lists swapped() const
  {
    return {b_first, b_last, a_first, a_last, out, second_out};
  }
  /// The same with the long list as A.
  uneven_lists with_long_first() const
  {
    return is_a_longer() ? *this : swapped();
  }

  // As the arguments of the libraries.
  operator set_arguments<key, char>() const
  {
    return {a_first, a_last, b_first, b_last, nullptr, nullptr, out, nullptr};
  }
  operator asof_arguments<key>() const
  {
    return {a_first, a_last, b_first, b_last, out};
  }
  operator semi_join_arguments<key>() const
  {
    return {a_first, a_last, b_first, b_last, out};
  }
  operator join_arguments<key>() const
  {
    return {a_first, a_last, b_first, b_last, out, second_out};
  }
  operator search_arguments<key>() const
  {
    return {a_first, a_last, b_first, b_last, out, second_out, nullptr, nullptr, nullptr};
  }
};

struct includes
{
  static constexpr const char* name = "includes";
};

// The libraries of the families have these operations. A call returns the size of its result.
template <class Ours, class Peer, class Arguments>
struct uneven_family
{
  template <class Operation, class Form, class Policy>
  static std::int64_t ours(Operation operation, Form form, const Policy& policy, const Arguments& in)
  {
    return Ours::run(operation, form, policy, in);
  }
  template <class Operation, class Form, class Policy>
  static std::int64_t peer(Operation operation, Form form, const Policy& policy, const Arguments& in)
  {
    return Peer::run(operation, form, policy, in);
  }
};
using uneven_sets = uneven_family<mgpu_set_operations, thrust_set_operations, set_arguments<uneven_lists::key, char>>;
using uneven_asof_joins = uneven_family<mgpu_asof_join, thrust_asof_join, asof_arguments<uneven_lists::key>>;
using uneven_semi_joins = uneven_family<mgpu_semi_join, thrust_semi_join, semi_join_arguments<uneven_lists::key>>;
using uneven_searches = uneven_family<mgpu_sorted_search, thrust_sorted_search, search_arguments<uneven_lists::key>>;

/// Whether B is in A; Thrust, which has no such function, searches for all of B.
struct uneven_inclusions
{
  template <class Policy>
  static std::int64_t ours(includes, match_form, const Policy& policy, const uneven_lists& in)
  {
    return mgpu::includes(policy, in.a_first, in.a_last, in.b_first, in.b_last) ? 1 : 0;
  }
  template <class Policy>
  static std::int64_t peer(includes, match_form, const Policy& policy, const uneven_lists& in)
  {
    const std::int64_t size = in.b_last - in.b_first;
    return with_flags(
      policy, in.swapped(),
      [&](const bool* flags) { return thrust::count(policy, flags, flags + size, true) == size ? 1 : 0; });
  }
};

/// Inner joins, and their sizes; Thrust's is the sum of the numbers of matches of the short list's keys.
struct uneven_joins
{
  template <class Policy>
  static std::int64_t ours(inner_join operation, rows_form, const Policy& policy, const uneven_lists& in)
  {
    return mgpu_join::run(operation, policy, join_arguments<uneven_lists::key>(in));
  }
  template <class Policy>
  static std::int64_t ours(inner_join, size_form, const Policy& policy, const uneven_lists& in)
  {
    return mgpu::inner_join_size(policy, in.a_first, in.a_last, in.b_first, in.b_last);
  }
  template <class Policy>
  static std::int64_t peer(inner_join operation, rows_form, const Policy& policy, const uneven_lists& in)
  {
    return thrust_join::run(operation, policy, join_arguments<uneven_lists::key>(in));
  }
  template <class Policy>
  static std::int64_t peer(inner_join, size_form, const Policy& policy, const uneven_lists& in)
  {
    const search_arguments<uneven_lists::key> search = in.with_long_first();
    const std::int64_t counts = thrust_sorted_search::run(sorted_count{}, count_form{}, policy, search);
    return thrust::reduce(policy, in.out, in.out + counts, std::int64_t{0});
  }
};

// The libraries.
struct mgpu_uneven
{
  static constexpr const char* name = "mgpu";

  template <class Problem, class Policy>
  static std::int64_t run(const Problem&, const Policy& policy, const uneven_lists& in)
  {
    return Problem::family::ours(typename Problem::operation{}, typename Problem::form{}, policy, in);
  }
};
struct thrust_uneven
{
  static constexpr const char* name = "thrust";

  template <class Problem, class Policy>
  static std::int64_t run(const Problem&, const Policy& policy, const uneven_lists& in)
  {
    return Problem::family::peer(typename Problem::operation{}, typename Problem::form{}, policy, in);
  }
};
/// Set operations as one writes them with Thrust if one list is short, for keys of which none is there twice: a
/// vectorised search, and a copy_if or count. An intersection searches for the keys of the short list.
struct thrust_by_search
{
  static constexpr const char* name = "thrust_by_search";

  template <class Problem, class System>
  static constexpr bool is_for =
    std::is_same_v<
      typename Problem::operation, set_intersection> || std::is_same_v<typename Problem::operation, set_difference>;

  template <class Problem, class Policy>
  static std::int64_t run(const Problem&, const Policy& policy, const uneven_lists& in)
  {
    constexpr bool is_intersection = std::is_same_v<typename Problem::operation, set_intersection>;
    const uneven_lists search = is_intersection ? in.with_long_first().swapped() : in;
    return with_flags(
      policy, search,
      [&](const bool* flags) -> std::int64_t
      {
        if constexpr (std::is_same_v<typename Problem::form, size_form>)
        {
          return thrust::count(policy, flags, flags + (search.a_last - search.a_first), is_intersection);
        }
        else
        {
          return thrust::copy_if(policy, search.a_first, search.a_last, flags, in.out, is_kept<is_intersection>{})
                 - in.out;
        }
      });
  }
};
/// A copy of the long list, which no result that contains it can be faster than.
struct copy_of_long_list
{
  static constexpr const char* name = "copy";
  static constexpr bool is_yardstick = true;

  template <class Problem, class Policy>
  static std::int64_t run(const Problem&, const Policy& policy, const uneven_lists& in)
  {
    const uneven_lists from = in.with_long_first();
    return thrust::copy(policy, from.a_first, from.a_last, in.out) - in.out;
  }
};

/// The lists of a problem, and room for its result, in the memory of the machine.
template <class Machine>
struct uneven_data
{
  using vector = typename Machine::template vector<std::int32_t>;

  struct result
  {
    std::int64_t size;
    vector first; ///< what is written to each output
    vector second;
  };

  vector short_list, long_list, out, second_out;

  template <class Problem>
  uneven_data(Machine& machine, const Problem& problem)
      : short_list(problem.n)
      , long_list(problem.input.long_size)
      , out(short_list.size() + long_list.size())
      , second_out(short_list.size())
  {
    if (short_list.empty() || short_list.size() > long_list.size())
    {
      throw not_measured("the short list is empty, or longer than the long one");
    }
    const auto policy = machine.policy();
    thrust::tabulate(policy, pointer_to(long_list), pointer_to(long_list) + long_list.size(), key_of_long_list{});
    thrust::tabulate(
      policy, pointer_to(short_list), pointer_to(short_list) + short_list.size(),
      key_of_short_list{static_cast<std::int64_t>(long_list.size() / short_list.size())});
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem& problem, const Library& library, const Policy& policy)
  {
    const vector& a = problem.input.which == short_input::a ? short_list : long_list;
    const vector& b = problem.input.which == short_input::a ? long_list : short_list;
    return library.run(
      problem, policy,
      uneven_lists{
        pointer_to(a), pointer_to(a) + a.size(), pointer_to(b), pointer_to(b) + b.size(), pointer_to(out),
        pointer_to(second_out)});
  }
  void poison(Machine& machine)
  {
    fill_all(machine, out, -77);
    fill_all(machine, second_out, -77);
  }
  template <class Problem>
  result* keep_result(const Problem&, std::int64_t size)
  {
    return new result{
      size,
      {out.begin(), out.begin() + (Problem::outputs > 0 ? size : 0)},
      {second_out.begin(), second_out.begin() + (Problem::outputs > 1 ? size : 0)}};
  }
  template <class Problem>
  void check(Machine& machine, const Problem&, const result& expected, std::int64_t size)
  {
    if (size != expected.size)
    {
      throw std::runtime_error(
        "wrong result: its size is " + std::to_string(size) + " instead of " + std::to_string(expected.size));
    }
    if (!begins_with(machine, out, expected.first) || !begins_with(machine, second_out, expected.second))
    {
      throw std::runtime_error("wrong result");
    }
  }
  /// The work of a call: each key of the lists is read once, and each number of the result written once.
  template <class Problem>
  work one_call(const Problem&, const result& expected)
  {
    const std::size_t keys = short_list.size() + long_list.size();
    return {
      static_cast<std::int64_t>(keys),
      static_cast<std::int64_t>(
        sizeof(uneven_lists::key) * keys + sizeof(std::int32_t) * (expected.first.size() + expected.second.size()))};
  }
};

/// One operation on one input.
template <class FamilyType, class OperationType, class FormType, short_input Short>
struct uneven_problem
{
  using family = FamilyType;
  using operation = OperationType;
  using form = FormType;
  template <class Machine>
  using data = uneven_data<Machine>;

  uneven_inputs input;
  std::int64_t n; ///< the size of the short list
  std::string type;

  /// The number of the outputs that the operation writes.
  static constexpr int outputs = std::is_same_v<form, size_form> || std::is_same_v<form, match_form>
                                   ? 0
                                   : (std::is_same_v<family, uneven_joins> ? 2 : 1);

  static bool takes(const uneven_inputs& input)
  {
    return Short == short_input::either || Short == input.which;
  }
  /// Names the lists, which are the same in either order.
  std::string input_name() const
  {
    return type + "/n:" + std::to_string(n) + "+" + std::to_string(input.long_size);
  }
  std::string name() const
  {
    const bool is_a_short = input.which == short_input::a;
    return std::string(operation::name) + "/" + form::name + "/" + type + "/" + input.name + "/n:"
           + std::to_string(is_a_short ? n : input.long_size) + "+" + std::to_string(is_a_short ? input.long_size : n);
  }
};

template <class Family, class Operation, class Form, short_input Short = short_input::either>
auto uneven_problem_on(const char* type)
{
  return problems_on<uneven_problem<Family, Operation, Form, Short>>{type};
}
inline auto uneven_problems()
{
  return std::make_tuple(
    mgpu_benchmark::uneven_problem_on<uneven_sets, set_intersection, keys_form>("i32"),
    mgpu_benchmark::uneven_problem_on<uneven_sets, set_intersection, size_form, short_input::a>("i32"),
    mgpu_benchmark::uneven_problem_on<uneven_sets, set_difference, keys_form>("i32"),
    mgpu_benchmark::uneven_problem_on<uneven_sets, set_union, keys_form, short_input::a>("i32"),
    mgpu_benchmark::uneven_problem_on<uneven_sets, merge, keys_form>("i32"),
    mgpu_benchmark::uneven_problem_on<uneven_inclusions, includes, match_form, short_input::b>("i32"),
    mgpu_benchmark::uneven_problem_on<uneven_asof_joins, asof_backward, rows_form, short_input::a>("i32"),
    mgpu_benchmark::uneven_problem_on<uneven_semi_joins, semi_join, rows_form, short_input::a>("i32"),
    mgpu_benchmark::uneven_problem_on<uneven_joins, inner_join, rows_form>("i32"),
    mgpu_benchmark::uneven_problem_on<uneven_joins, inner_join, size_form, short_input::a>("i32"),
    mgpu_benchmark::uneven_problem_on<uneven_searches, sorted_lower_bound, index_form, short_input::b>("i32"));
}

} // namespace mgpu_benchmark
