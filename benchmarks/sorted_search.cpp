// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Sorted searches on the CPU: mgpu on each of Thrust's CPU systems, beside loops over the standard library's searches,
/// the standard library's merge of the same inputs, and Thrust's vectorised searches.

#include "sorted_search.h"
#include "machine_cpu.h"

#include <algorithm>
#include <cstdint>

namespace mgpu_benchmark
{

/// Loops over the searches of the standard library, each in the whole range.
struct std_sorted_search
{
  static constexpr const char* name = "std";

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
  /// Writes each bound, and whether there is an equal element, which is next to the bound.
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

/// A merge of both inputs, whatever the operation: a search should take no longer. It moves other bytes than the
/// operation, so only its time can be compared.
struct std_merge_sorted_search
{
  static constexpr const char* name = "std_merge";
  static constexpr bool is_yardstick = true;

  template <class Operation, class Form, class Policy, class Arguments>
  static std::int64_t run(Operation, Form, const Policy&, const Arguments& in)
  {
    return std::merge(in.a_first, in.a_last, in.b_first, in.b_last, in.merged) - in.merged;
  }
};

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = cpu_defaults();
  defaults.distributions = {"uniform"};
  defaults.types = {"i32"};
  return run_cpu_program(
    argc, argv, defaults, libraries<std_sorted_search, std_merge_sorted_search>{}, libraries<mgpu_sorted_search>{},
    libraries<thrust_sorted_search>{}, all_distributions(), search_problems());
}
