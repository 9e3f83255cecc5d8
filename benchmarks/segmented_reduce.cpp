// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Segmented reduction on the CPU: mgpu, with and without a plan, on each of Thrust's CPU systems, beside plain loops,
/// and Thrust's reduction by key.

#include "segmented_reduce.h"
#include "machine_cpu.h"

#include <cstdint>
#include <numeric>
#include <type_traits>

namespace mgpu_benchmark
{

/// A loop over the segments, with a fold of the standard library for each segment.
struct std_segmented_reduce
{
  static constexpr const char* name = "std";

  template <class Op, class Policy>
  static void run(Op, const Policy&, const segmented_arguments<Op>& in)
  {
    for (std::int64_t segment = 0; segment < in.num_segments; ++segment)
    {
      in.out[segment] = std::accumulate(
        in.input + in.offsets[segment], in.input + in.offsets[segment + 1], Op::identity, typename Op::function{});
    }
  }
};

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  return run_cpu_program(
    argc, argv, cpu_defaults(), libraries<std_segmented_reduce>{}, libraries<mgpu_segmented_reduce>{},
    libraries<thrust_peer>{}, all_reduction_lengths(), reduction_problems());
}
