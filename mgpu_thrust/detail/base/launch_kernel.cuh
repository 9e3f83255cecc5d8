// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Declaration and launch, the same for all kernels.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_room.h>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

// Kernels are local to the shared library that launches them. (A kernel over types of an unnamed namespace is local
// anyway, which nvcc would warn about.)
#define MGPU_THRUST_KERNEL __global__ MGPU_THRUST_HIDDEN

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Maximum static shared memory of a kernel, in bytes. ptxas rejects more, but a compilation to PTX alone does not run
/// it, so each kernel asserts this limit.
inline constexpr int max_static_shared_bytes = 48 * 1024;
/// Upper bound of the shared memory, in bytes, that a device function declares; kernels that call one add it.
inline constexpr int max_shared_bytes_of_function = 512;

/// Returns how many blocks with `shared_bytes` of shared memory, beside that of functions, fit on a multiprocessor of
/// compute capability 9.0: it has 228 KiB, of which each block takes 1 KiB more, rounded up to 128 bytes.
constexpr int blocks_by_shared_memory(int shared_bytes)
{
  constexpr int shared_bytes_of_functions = 256;
  return 228 * 1024 / ::cuda::round_up(shared_bytes + shared_bytes_of_functions + 1024, 128);
}

/// Queues a kernel, with `num_attributes` launch attributes.
template <class... Parameters>
cudaError_t launch_with(
  cudaLaunchAttribute* attributes, int num_attributes, void (*kernel)(Parameters...), int blocks, int threads,
  cudaStream_t stream, Parameters... arguments)
{
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = static_cast<unsigned>(num_attributes);
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

/// Queues a kernel. If it `overlaps` the previous one (programmatic dependent launch), it waits for its end by
/// cudaGridDependencySynchronize. That saves a microsecond.
template <class... Parameters>
cudaError_t launch_kernel(
  void (*kernel)(Parameters...), int blocks, int threads, bool overlaps, cudaStream_t stream, Parameters... arguments)
{
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  return detail::launch_with(&overlap, overlaps, kernel, blocks, threads, stream, arguments...);
}

/// Queues a kernel in clusters of `cluster_blocks` blocks, of which `blocks` is a multiple.
template <class... Parameters>
cudaError_t launch_clusters(
  void (*kernel)(Parameters...), int blocks, int cluster_blocks, int threads, cudaStream_t stream,
  Parameters... arguments)
{
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = static_cast<unsigned>(cluster_blocks);
  cluster.val.clusterDim.y = 1;
  cluster.val.clusterDim.z = 1;
  return detail::launch_with(&cluster, cluster_blocks > 1, kernel, blocks, threads, stream, arguments...);
}

/// Queues a kernel. If its blocks `wait` for each other, the launch is cooperative, which takes 0.3 us longer, and has
/// at most max_coresident_blocks().
template <class... Parameters>
cudaError_t launch_cooperative(
  void (*kernel)(Parameters...), int blocks, int threads, bool wait, cudaStream_t stream, Parameters... arguments)
{
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  return detail::launch_with(&cooperative, wait, kernel, blocks, threads, stream, arguments...);
}

/// Returns the tile of a block of a spread_grid().
MGPU_THRUST_DEVICE int spread_number()
{
  const unsigned block = blockIdx.x;
  const unsigned blocks = gridDim.x;
  const bool is_spread = blocks % spread_distance == 0;
  return static_cast<int>(
    is_spread ? block % spread_distance * (blocks / spread_distance) + block / spread_distance : block);
}

/// Returns what is known of a device. From compute capability 11.0 on, is_as_on_sm90 is false: min_blocks() may have
/// compiled fewer blocks.
inline device_room read_device_room(int device)
{
  int multiprocessors = 0;
  int major = 0;
  int threads = 0;
  int shared_bytes = 0;
  const bool is_known =
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device) == cudaSuccess
    && cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess
    && cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device) == cudaSuccess
    && cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device) == cudaSuccess;
  return {is_known ? multiprocessors : 0, major < 11 && threads >= 2048 && shared_bytes >= 228 * 1024};
}

/// Returns what is known of the current device. Each thread caches that of one device, as a call asks several times.
inline device_room current_device_room()
{
  thread_local int known_device = -1;
  thread_local device_room known{};
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess)
  {
    return {};
  }
  if (device != known_device)
  {
    known = detail::read_device_room(device);
    known_device = known.multiprocessors > 0 ? device : -1;
  }
  return known;
}

/// Returns the number of co-resident blocks on the current device.
inline int max_coresident_blocks(int blocks_per_multiprocessor)
{
  return detail::max_coresident_blocks(detail::current_device_room(), blocks_per_multiprocessor);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
