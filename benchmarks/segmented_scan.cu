// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Segmented scans on a GPU: mgpu beside Thrust's scans by key and, from CCCL 3.3 on, CUB's segmented scan, with the
/// same allocator.

#include "machine_cuda.h"
#include "segmented_scan.h"

#include <cuda/version>

#include <cstddef>

#if CCCL_VERSION >= 3003000
#  include <cub/device/device_segmented_scan.cuh>
#endif

namespace mgpu_benchmark
{

#if CCCL_VERSION >= 3003000

/// CUB's segmented scans, with one block per segment.
struct cub_segmented_scan
{
  static constexpr const char* name = "cub";

  template <class Operation, class Op, class Policy>
  static void run(Operation, Op, const Policy& policy, const segmented_arguments<Op>& in)
  {
    const typename Op::function function{};
    call_cub(
      policy, "cub::DeviceSegmentedScan",
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        if constexpr (Operation::is_inclusive)
        {
          return cub::DeviceSegmentedScan::InclusiveSegmentedScan(
            storage, bytes, in.input, in.out, in.offsets, in.offsets + 1, in.num_segments, function, stream);
        }
        else
        {
          return cub::DeviceSegmentedScan::ExclusiveSegmentedScan(
            storage, bytes, in.input, in.out, in.offsets, in.offsets + 1, in.num_segments, function, Op::identity,
            stream);
        }
      });
  }
};
using scan_libraries = libraries<thrust_segmented_scan, cub_segmented_scan, copy_of_items, mgpu_segmented_scan>;

#else

using scan_libraries = libraries<thrust_segmented_scan, copy_of_items, mgpu_segmented_scan>;

#endif

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = all_problems();
  defaults.n = {1 << 16, 1 << 20, 1 << 24, 1 << 27};
  return run_cuda_program(argc, argv, defaults, scan_libraries{}, all_scan_lengths(), scan_problems());
}
