// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Segmented sorts on a GPU: mgpu's comparison sort beside CUB's radix sort, with the same allocator.

#include "machine_cuda.h"
#include "segmented_sort.h"

#include <cub/device/device_segmented_sort.cuh>

#include <cuda/std/functional>

#include <cstddef>
#include <cstdint>
#include <tuple>

namespace mgpu_benchmark
{

/// Keys by `<`, which mgpu recognizes too.
struct keys_by_less_form : keys_form
{
  static constexpr const char* name = "keys_by_less";
  using order = cuda::std::less<>;
};

/// CUB's segmented sort. It does not work in place, so it sorts from the input.
struct cub_segmented_sort
{
  static constexpr const char* name = "cub";

  template <class Policy, class Arguments>
  static void run(const Policy& policy, const Arguments& in)
  {
    call_cub(
      policy, "cub::DeviceSegmentedSort",
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        if constexpr (Arguments::has_values)
        {
          return cub::DeviceSegmentedSort::StableSortPairs(
            storage, bytes, in.input, in.keys, in.input_values, in.values, in.size, in.num_segments, in.offsets,
            in.offsets + 1, stream);
        }
        else
        {
          return cub::DeviceSegmentedSort::StableSortKeys(
            storage, bytes, in.input, in.keys, in.size, in.num_segments, in.offsets, in.offsets + 1, stream);
        }
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
    argc, argv, defaults, libraries<cub_segmented_sort, mgpu_stable_sort, mgpu_segmented_sort>{}, all_sort_lengths(),
    std::tuple_cat(
      segmented_sort_problems(),
      std::make_tuple(problems_on<segmented_sort_problem<keys_by_less_form, std::int32_t>>{"i32"})));
}
