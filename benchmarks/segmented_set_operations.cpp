// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Set operations on pairs of lists on the CPU: mgpu on each of Thrust's CPU systems, beside a plain loop that merges
/// the lists of each pair.

#include "segmented_set_operations.h"
#include "machine_cpu.h"

#include <cstdint>

namespace mgpu_benchmark
{

struct loop_over_pairs
{
  static constexpr const char* name = "std"; // what std::set_intersection does

  template <class Operation, class Policy>
  static void run(Operation operation, const Policy&, const pair_arguments& in)
  {
    if constexpr (Operation::writes_lists)
    {
      in.offsets_out[0] = 0;
    }
    for (std::int64_t pair = 0; pair < in.num_pairs; ++pair)
    {
      if constexpr (Operation::writes_lists)
      {
        in.offsets_out[pair + 1] = in.offsets_out[pair] + mgpu_benchmark::merge_lists<true>(operation, in, pair);
      }
      else
      {
        mgpu_benchmark::merge_pair(operation, in, pair);
      }
    }
  }
};

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  return run_cpu_program(
    argc, argv, cpu_defaults(), libraries<loop_over_pairs>{}, libraries<mgpu_segmented_set_operations>{}, libraries<>{},
    all_pair_lengths(), pairs_problems());
}
