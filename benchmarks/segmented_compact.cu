// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Segmented compaction on a GPU: mgpu beside a recipe with Thrust, and CUB's select, which gives no offsets, with the
/// same allocator.

#include "machine_cuda.h"
#include "segmented_compact.h"

#include <cub/device/device_select.cuh>

#include <thrust/memory.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mgpu_benchmark
{

/// CUB's select of the items, whatever their segments, and a read of their number.
struct cub_select
{
  static constexpr const char* name = "cub_select";
  static constexpr bool is_yardstick = true;
  template <class Problem, class System>
  static constexpr bool is_for = std::is_same_v<typename Problem::operation, segmented_copy_if>;

  template <class Operation, class Policy>
  static std::int64_t run(Operation, Policy policy, const compact_arguments& in)
  {
    const auto buffer = thrust::get_temporary_buffer<std::int64_t>(policy, 1);
    std::int64_t* const d_size = thrust::raw_pointer_cast(buffer.first);
    call_cub(
      policy, "cub::DeviceSelect",
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      { return cub::DeviceSelect::If(storage, bytes, in.input, in.out, d_size, in.num_items, in.keep, stream); });
    std::int64_t size = 0;
    const cudaStream_t stream = thrust::cuda_cub::stream(policy);
    check_cuda(cudaMemcpyAsync(&size, d_size, sizeof(size), cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
    check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    thrust::return_temporary_buffer(policy, buffer.first, buffer.second);
    return size;
  }
};

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = all_problems();
  defaults.n = {1 << 16, 1 << 20, 1 << 24, 1 << 27};
  return run_cuda_program(
    argc, argv, defaults, libraries<thrust_segmented_compact, cub_select, mgpu_segmented_compact>{},
    all_compact_lengths(), compact_problems());
}
