// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The plan of a call on a CUDA device.

#include <mgpu_thrust/detail/base/chosen_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// What a family decides about a call on a CUDA device, once a call, from sizes, types, and the device. Families derive
/// their plans from it, and add the path that the call takes. Nothing after it branches on a size that the host knows.
struct device_plan
{
  std::int64_t tiles = 0; ///< tiles, or other blocks with work, of the largest grid for these sizes on any device
  std::size_t bytes = 0;  ///< of temporary storage, on any device; for smaller sizes too where the header says so
  cudaError_t error = cudaSuccess; ///< of what it asked the runtime
};

/// The plan of a family whose calls differ in path and grid alone.
template <class Path>
struct path_plan : device_plan
{
  Path path;
  int blocks; ///< with work on that path
  device_room device;

  path_plan(const path_choice<Path>& chosen, std::size_t bytes_of_storage, const device_room& of_device)
      : device_plan{chosen.max_blocks, bytes_of_storage}
      , path(chosen.path)
      , blocks(static_cast<int>(chosen.blocks))
      , device(of_device)
  {
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
