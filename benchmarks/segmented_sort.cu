// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Segmented sorts on a GPU: mgpu's comparison sort beside CUB's radix sort, with the same allocator.

#include "machine_cuda.h"
#include "segmented_sort.h"

#include <cub/device/device_segmented_sort.cuh>

#include <cstddef>

namespace mgpu_benchmark
{

/// CUB's segmented sort. It does not work in place, so it sorts from the input.
struct cub_library
{
  static constexpr const char* name = "cub";

  template <class Policy, class Arguments>
  static void run(Policy policy, const Arguments& in)
  {
    std::size_t bytes = 0;
    check_cuda(queue(nullptr, bytes, in), "cub::DeviceSegmentedSort");
    const auto storage = thrust::get_temporary_buffer<char>(policy, static_cast<std::ptrdiff_t>(bytes));
    check_cuda(queue(thrust::raw_pointer_cast(storage.first), bytes, in), "cub::DeviceSegmentedSort");
    thrust::return_temporary_buffer(policy, storage.first, storage.second);
  }

private:
  template <class Arguments>
  static cudaError_t queue(void* storage, std::size_t& bytes, const Arguments& in)
  {
    if constexpr (Arguments::has_values)
    {
      return cub::DeviceSegmentedSort::StableSortPairs(
        storage, bytes, in.input, in.keys, in.input_values, in.values, in.size, in.num_segments, in.offsets,
        in.offsets + 1);
    }
    else
    {
      return cub::DeviceSegmentedSort::StableSortKeys(
        storage, bytes, in.input, in.keys, in.size, in.num_segments, in.offsets, in.offsets + 1);
    }
  }
};

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = all_problems();
  defaults.n = {1 << 16, 1 << 20, 1 << 24, 1 << 27};
  return run_cuda_program(
    argc, argv, defaults, libraries<cub_library, mgpu_stable_sort_library, mgpu_library>{}, all_sort_lengths(),
    segmented_sort_problems());
}
