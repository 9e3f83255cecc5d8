// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Segmented sorts on the CPU: mgpu on each of Thrust's CPU systems, beside a loop over std::stable_sort.

#include "segmented_sort.h"
#include "machine_cpu.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mgpu_benchmark
{

/// The standard library's sort of each segment; by key it sorts pairs, which are made of keys and values first.
struct std_segmented_sort
{
  static constexpr const char* name = "std";

  template <class Policy, class Key, class Form>
  static void run(const Policy&, const segmented_sort_arguments<Key, Form>& in)
  {
    const auto sort_segments = [&](auto first, auto order)
    {
      for (std::int64_t segment = 0; segment < in.num_segments; ++segment)
      {
        std::stable_sort(first + in.offsets[segment], first + in.offsets[segment + 1], order);
      }
    };
    if constexpr (Form::has_values)
    {
      std::vector<std::pair<Key, value_type>> pairs(in.size);
      for (std::size_t i = 0; i < pairs.size(); ++i)
      {
        pairs[i] = {in.keys[i], in.values[i]};
      }
      sort_segments(pairs.begin(), [](const auto& x, const auto& y) { return x.first < y.first; });
      for (std::size_t i = 0; i < pairs.size(); ++i)
      {
        in.keys[i] = pairs[i].first;
        in.values[i] = pairs[i].second;
      }
    }
    else
    {
      sort_segments(in.keys, in.order);
    }
  }
};

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  return run_cpu_program(
    argc, argv, cpu_defaults(), libraries<std_segmented_sort>{}, libraries<mgpu_segmented_sort, mgpu_stable_sort>{},
    libraries<>{}, all_sort_lengths(), segmented_sort_problems());
}
