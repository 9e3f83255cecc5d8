// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The problems of a family that the flags choose.

#include "flags.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace mgpu_benchmark
{

/// A type of problems of a family, with the name of the type of the elements. `Problem` is constructed from an input, a
/// size and that name; its `operation` and its `form` have names too.
template <class Problem>
struct problems_on
{
  using problem = Problem;

  const char* type;
};

/// Whether a type of problems does not take all inputs: then it has a static member function takes(input).
template <class Problem, class Input, class = void>
inline constexpr bool is_choosy = false;
template <class Problem, class Input>
inline constexpr bool is_choosy<Problem, Input, std::void_t<decltype(Problem::takes(std::declval<const Input&>()))>> =
  true;
template <class Problem, class Input>
bool takes(const Input& input)
{
  if constexpr (is_choosy<Problem, Input>)
  {
    return Problem::takes(input);
  }
  else
  {
    return true;
  }
}

/// Whether two types of problems differ in the types of their elements only.
template <class X, class Y>
inline constexpr bool differ_in_elements = std::conjunction_v<
  std::is_same<typename X::operation, typename Y::operation>, std::is_same<typename X::form, typename Y::form>>;

/// The types of problems that a program is compiled for: all of them, or with MGPU_BENCHMARK_ONE_TYPE the first of each
/// group that differ in the types of their elements only.
template <class... Kept>
auto compiled_problems(const std::tuple<Kept...>& kept)
{
  return kept;
}
template <class... Kept, class Problem, class... Others>
auto compiled_problems(
  const std::tuple<Kept...>& kept, const problems_on<Problem>& problem, const problems_on<Others>&... others)
{
#if defined(MGPU_BENCHMARK_ONE_TYPE)
  constexpr bool is_left_out = (differ_in_elements<typename Kept::problem, Problem> || ...);
#else
  constexpr bool is_left_out = false;
#endif
  if constexpr (is_left_out)
  {
    return mgpu_benchmark::compiled_problems(kept, others...);
  }
  else
  {
    return mgpu_benchmark::compiled_problems(std::tuple_cat(kept, std::make_tuple(problem)), others...);
  }
}

/// Makes an input from its name, if the family has inputs that it does not list: by an overload for their type.
template <class Input>
std::optional<Input> make_input(const Input&, const std::string&)
{
  return std::nullopt;
}

/// Returns the inputs that a family lists, and those that are made from the chosen names.
template <class Input>
std::vector<Input> listed_and_chosen(const std::vector<Input>& listed, const std::vector<std::string>& chosen)
{
  std::vector<Input> all = listed;
  for (const std::string& name : chosen)
  {
    const auto is_named = [&](const Input& input) { return input.name == name; };
    if (std::none_of(all.begin(), all.end(), is_named))
    {
      if (const std::optional<Input> made = make_input(listed.front(), name))
      {
        all.push_back(*made);
      }
    }
  }
  return all;
}

/// Calls visit(problem) for all problems that the options choose: for each size and input those of all types, so that
/// problems with the same inputs follow one another.
template <class Input, class... Problem, class Visit>
void visit_compiled_problems(
  const options& chosen, const std::vector<Input>& listed, const std::tuple<problems_on<Problem>...>& types,
  Visit visit)
{
  const std::vector<Input> inputs = listed_and_chosen(listed, chosen.distributions);
  std::vector<std::string> names;
  for (const Input& input : inputs)
  {
    names.push_back(input.name);
  }
  check_names("--distributions", chosen.distributions, names);
  check_names("--types", chosen.types, {std::get<problems_on<Problem>>(types).type...});
  check_names("--forms", chosen.forms, {Problem::form::name...});
  check_names("--operations", chosen.operations, {Problem::operation::name...});
  for (const std::int64_t n : chosen.n)
  {
    for (const Input& input : inputs)
    {
      const auto visit_one = [&](auto one)
      {
        using problem = typename decltype(one)::problem;
        if (
          takes<problem>(input) && is_chosen(chosen.types, one.type) && is_chosen(chosen.forms, problem::form::name)
          && is_chosen(chosen.operations, problem::operation::name))
        {
          visit(problem{input, n, one.type});
        }
      };
      if (is_chosen(chosen.distributions, input.name))
      {
        (visit_one(std::get<problems_on<Problem>>(types)), ...);
      }
    }
  }
}

/// Calls visit(problem) for all problems that the options choose, of the types that the program is compiled for.
template <class Input, class... Problem, class Visit>
void visit_problems(
  const options& chosen, const std::vector<Input>& inputs, const std::tuple<problems_on<Problem>...>& types,
  Visit visit)
{
  const auto compiled =
    std::apply([](const auto&... one) { return mgpu_benchmark::compiled_problems(std::make_tuple(), one...); }, types);
  mgpu_benchmark::visit_compiled_problems(chosen, inputs, compiled, visit);
}

} // namespace mgpu_benchmark
