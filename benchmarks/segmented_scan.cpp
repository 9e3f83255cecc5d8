// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Segmented scans on the CPU: mgpu on each of Thrust's CPU systems, beside plain loops, and Thrust's scans by key.

#include "segmented_scan.h"
#include "machine_cpu.h"

#include <cstdint>
#include <numeric>

namespace mgpu_benchmark
{

/// A loop over the segments, with a scan of the standard library for each segment.
struct std_segmented_scan
{
  static constexpr const char* name = "std";

  template <class Operation, class Op, class Policy>
  static void run(Operation, Op, const Policy&, const segmented_arguments<Op>& in)
  {
    const typename Op::function function{};
    for (std::int64_t segment = 0; segment < in.num_segments; ++segment)
    {
      const auto* const first = in.input + in.offsets[segment];
      const auto* const last = in.input + in.offsets[segment + 1];
      auto* const result = in.out + in.offsets[segment];
      if constexpr (Operation::is_inclusive)
      {
        std::inclusive_scan(first, last, result, function);
      }
      else
      {
        std::exclusive_scan(first, last, result, Op::identity, function);
      }
    }
  }
};

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  return run_cpu_program(
    argc, argv, cpu_defaults(), libraries<std_segmented_scan>{}, libraries<mgpu_segmented_scan>{},
    libraries<thrust_segmented_scan>{}, all_scan_lengths(), scan_problems());
}
