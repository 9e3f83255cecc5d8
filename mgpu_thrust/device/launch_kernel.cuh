// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What all kernels share: how they are declared, launched, and given their temporary storage.

#include <mgpu_thrust/detail/config.h>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

// Kernels are local to the shared library that launches them. (A kernel over types of an unnamed namespace is local
// anyway, which nvcc would remark on.)
#define MGPU_THRUST_KERNEL __global__ __attribute__((visibility("hidden")))

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The most shared memory that a kernel may declare. Each asserts that it declares no more, as a compilation to PTX
/// does not tell.
inline constexpr int most_static_shared_bytes = 48 * 1024;

/// Whether every architecture that this is compiled for lets a kernel arrive while the one before still runs.
#if defined(__CUDA_ARCH_LIST__)
inline constexpr bool kernels_can_overlap = std::min({__CUDA_ARCH_LIST__}) >= 900;
#else
inline constexpr bool kernels_can_overlap = false;
#endif

/// Queues a kernel. If it overlaps the one before, it waits for the end of that by cudaGridDependencySynchronize, which
/// saves a microsecond between them.
template <class... Parameters>
cudaError_t launch_kernel(
  void (*kernel)(Parameters...), int blocks, int threads, bool overlaps, cudaStream_t stream, Parameters... arguments)
{
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.stream = stream;
  config.attrs = &overlap;
  config.numAttrs = overlaps;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

/// The alignment of temporary storage, and of the parts of it.
inline constexpr std::size_t storage_alignment = 256;
inline std::size_t round_up_storage(std::size_t bytes)
{
  return (bytes + storage_alignment - 1) / storage_alignment * storage_alignment;
}

/// What a function of the device layer does with its first two parameters: without storage it tells how much `needed`
/// bytes take of any alignment, else it calls queue(aligned storage).
template <class Queue>
cudaError_t with_storage(void* storage, std::size_t& storage_bytes, std::size_t needed, Queue queue)
{
  needed += storage_alignment;
  if (storage == nullptr)
  {
    storage_bytes = needed;
    return cudaSuccess;
  }
  if (storage_bytes < needed)
  {
    return cudaErrorInvalidValue;
  }
  return queue(reinterpret_cast<void*>(detail::round_up_storage(reinterpret_cast<std::uintptr_t>(storage))));
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
