// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Sorts and locality sorts on the CPU: mgpu on each of Thrust's CPU systems, beside std::stable_sort and Thrust's
/// sorts.

#include "sort.h"
#include "machine_cpu.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace mgpu_benchmark
{

/// The standard library's sort; by key it sorts pairs, which are made of keys and values first.
struct std_sort
{
  static constexpr const char* name = "std";

  template <class Operation, class Policy, class Key, bool HasValues>
  static void run(Operation, const Policy&, const sort_arguments<Key, HasValues>& in)
  {
    if constexpr (HasValues)
    {
      std::vector<std::pair<Key, value_type>> pairs(in.last - in.first);
      for (std::size_t i = 0; i < pairs.size(); ++i)
      {
        pairs[i] = {in.first[i], in.values[i]};
      }
      std::stable_sort(pairs.begin(), pairs.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
      for (std::size_t i = 0; i < pairs.size(); ++i)
      {
        in.first[i] = pairs[i].first;
        in.values[i] = pairs[i].second;
      }
    }
    else
    {
      std::stable_sort(in.first, in.last, some_order{});
    }
  }
};

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  return run_cpu_program(
    argc, argv, cpu_defaults(), libraries<std_sort>{}, libraries<mgpu_sort, thrust_sort>{},
    libraries<thrust_sort_by_digits>{}, all_disorders(), sort_problems());
}
