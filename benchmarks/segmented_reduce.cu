// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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

/// A block a segment. It is for commutative operators.
struct cub_library
{
  static constexpr const char* name = "cub";

  template <class Op, class Policy>
  static void run(Op, Policy policy, const reduction_arguments<Op>& in)
  {
    std::size_t bytes = 0;
    check_cuda(queue(nullptr, bytes, in), "cub::DeviceSegmentedReduce::Sum");
    const auto storage = thrust::get_temporary_buffer<char>(policy, static_cast<std::ptrdiff_t>(bytes));
    check_cuda(queue(thrust::raw_pointer_cast(storage.first), bytes, in), "cub::DeviceSegmentedReduce::Sum");
    thrust::return_temporary_buffer(policy, storage.first, storage.second);
  }

private:
  template <class Op>
  static cudaError_t queue(void* storage, std::size_t& bytes, const reduction_arguments<Op>& in)
  {
    return cub::DeviceSegmentedReduce::Sum(
      storage, bytes, in.input, in.out, in.num_segments, in.offsets, in.offsets + 1);
  }
};

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults;
  defaults.n = {1 << 16, 1 << 20, 1 << 24, 1 << 27};
  defaults.distributions = {"all"};
  defaults.types = {"all"};
  defaults.forms = {"all"};
  defaults.operations = {"all"};

  return run_cuda_program<thrust_library>(
    argc, argv, defaults, [](const options& chosen, auto visit) { visit_reduction_problems(chosen, visit); },
    [](auto& all, const cuda_system& system, const auto& problem)
    {
      using problem_type = std::decay_t<decltype(problem)>;
      if constexpr (!problem_type::operation::has_plan)
      {
        all.add(problem, thrust_library{}, system);
        if constexpr (problem_type::op::is_sum)
        {
          all.add(problem, cub_library{}, system);
        }
      }
      all.add(problem, mgpu_library{}, system);
    });
}
