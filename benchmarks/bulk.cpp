// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Bulk removal and insertion on the CPU: mgpu on each of Thrust's CPU systems, beside plain loops, and an
/// implementation with Thrust's algorithms.

#include "bulk.h"
#include "machine_cpu.h"

#include <algorithm>
#include <cstdint>

namespace mgpu_benchmark
{

/// Plain loops, as the standard library has neither operation: std::copy copies the stretches between indices.
struct std_bulk
{
  static constexpr const char* name = "std";

  template <class Policy, class Arguments>
  static std::int64_t run(bulk_remove, const Policy&, const Arguments& in)
  {
    auto from = in.first;
    auto out = in.out;
    for (auto index = in.indices_first; index != in.indices_last; ++index)
    {
      out = std::copy(from, in.first + *index, out);
      from = in.first + *index + 1;
    }
    return std::copy(from, in.last, out) - in.out;
  }
  template <class Policy, class Arguments>
  static std::int64_t run(bulk_insert, const Policy&, const Arguments& in)
  {
    auto from = in.first;
    auto value = in.values;
    auto out = in.out;
    for (auto position = in.indices_first; position != in.indices_last; ++position)
    {
      out = std::copy(from, in.first + *position, out);
      from = in.first + *position;
      *out++ = *value++;
    }
    return std::copy(from, in.last, out) - in.out;
  }
};

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  return run_cpu_program(
    argc, argv, cpu_defaults(), libraries<std_bulk>{}, libraries<mgpu_bulk>{}, libraries<thrust_bulk>{},
    all_index_distributions(), bulk_problems());
}
