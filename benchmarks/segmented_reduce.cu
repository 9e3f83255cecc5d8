// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Segmented reduction on a GPU: mgpu, with and without a plan, beside CUB's and Thrust's reduction by key, with the
/// same allocator.

#include "machine_cuda.h"
#include "segmented_reduce.h"

#include <cstddef>
#include <type_traits>

#include <cub/device/device_segmented_reduce.cuh>

namespace mgpu_benchmark
{

/// CUB's segmented sum, with one block per segment. It is for commutative operators.
struct cub_segmented_reduce
{
  static constexpr const char* name = "cub";
  template <class Problem, class System>
  static constexpr bool is_for = !Problem::operation::has_plan && Problem::op::is_sum;

  template <class Op, class Policy>
  static void run(Op, const Policy& policy, const segmented_arguments<Op>& in)
  {
    call_cub(
      policy, "cub::DeviceSegmentedReduce::Sum",
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return cub::DeviceSegmentedReduce::Sum(
          storage, bytes, in.input, in.out, in.num_segments, in.offsets, in.offsets + 1, stream);
      });
  }
};

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = all_problems();
  defaults.n = {1 << 16, 1 << 20, 1 << 24, 1 << 27};
  return run_cuda_program(
    argc, argv, defaults, libraries<thrust_peer, cub_segmented_reduce, mgpu_segmented_reduce>{},
    all_reduction_lengths(), reduction_problems());
}
