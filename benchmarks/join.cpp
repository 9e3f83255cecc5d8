// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Joins on the CPU: mgpu on each of Thrust's CPU systems, beside a loop over both inputs, and an implementation with
/// Thrust's algorithms.

#include "join.h"
#include "machine_cpu.h"

#include <cstdint>

namespace mgpu_benchmark
{

/// The textbook loop: walks along both inputs, and pairs runs of equal keys.
struct std_join
{
  static constexpr const char* name = "std";

  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, const Policy&, const Arguments& in)
  {
    const std::int64_t left_count = in.left_last - in.left_first;
    const std::int64_t right_count = in.right_last - in.right_first;
    std::int64_t rows = 0;
    const auto add = [&](std::int64_t i, std::int64_t j)
    {
      in.left_out[rows] = static_cast<std::int32_t>(i);
      in.right_out[rows] = static_cast<std::int32_t>(j);
      ++rows;
    };
    std::int64_t j = 0;
    for (std::int64_t i = 0; i < left_count; ++i)
    {
      const auto key = in.left_first[i];
      while (j < right_count && in.right_first[j] < key)
      {
        ++j;
      }
      if (Operation::keeps_left && (j == right_count || key < in.right_first[j]))
      {
        add(i, -1);
      }
      for (std::int64_t match = j; match < right_count && !(key < in.right_first[match]); ++match)
      {
        add(i, match);
      }
    }
    if (Operation::keeps_right)
    {
      std::int64_t i = 0;
      for (j = 0; j < right_count; ++j)
      {
        const auto key = in.right_first[j];
        while (i < left_count && in.left_first[i] < key)
        {
          ++i;
        }
        if (i == left_count || key < in.left_first[i])
        {
          add(-1, j);
        }
      }
    }
    return rows;
  }
};

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = cpu_defaults();
  defaults.types = {"i32"};
  return run_cpu_program(
    argc, argv, defaults, libraries<std_join>{}, libraries<mgpu_join>{}, libraries<thrust_join>{},
    all_join_distributions(), join_problems());
}
