// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Copies of trivially copyable elements in the memory of a policy, and between it and the host.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/execute/backend.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/execute/cuda_policy.cuh>
#  include <mgpu_thrust/detail/execute/read_elements.cuh>
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Copies bytes in the order of the policy's stream: between memory of the policy, or of the host, that does not
/// overlap.
template <class Policy>
void copy_bytes([[maybe_unused]] Policy& policy, const void* source, void* target, std::size_t bytes)
{
#if !defined(__CUDACC__)
  static_assert(
    !std::is_same_v<backend_t<Policy>, cuda_backend>,
    "mgpu_thrust: a communicator needs nvcc where it copies the memory of a CUDA policy");
#endif
#if defined(__CUDACC__)
  if constexpr (std::is_same_v<backend_t<Policy>, cuda_backend>)
  {
    detail::throw_on_error(
      cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault, detail::stream_of(policy)), "a copy");
  }
  else
#endif
  {
    if (bytes > 0)
    {
      std::memcpy(target, source, bytes);
    }
  }
}

/// Waits until all that a policy's stream has is done. Other policies have nothing to wait for.
template <class Policy>
void wait_for_policy([[maybe_unused]] Policy& policy)
{
#if defined(__CUDACC__)
  if constexpr (std::is_same_v<backend_t<Policy>, cuda_backend>)
  {
    detail::wait_for_stream(policy, "a wait for the stream");
  }
#endif
}

/// Waits for what a call has queued, unless its policy is a nosync policy.
template <class Policy>
void finish_queued([[maybe_unused]] Policy& policy, [[maybe_unused]] const char* algorithm)
{
#if defined(__CUDACC__)
  if constexpr (std::is_same_v<backend_t<Policy>, cuda_backend>)
  {
    detail::wait_unless_nosync(policy, algorithm);
  }
#endif
}

/// Copies the elements at `count` positions, which are in host memory, to uninitialised host memory.
template <class Policy, class Iterator, class T>
void read_elements(
  [[maybe_unused]] Policy& policy, [[maybe_unused]] const char* algorithm, Iterator first,
  const std::int64_t* positions, std::int64_t count, T* elements)
{
#if defined(__CUDACC__)
  if constexpr (std::is_same_v<backend_t<Policy>, cuda_backend>)
  {
    detail::read_elements_of_device(policy, algorithm, first, positions, count, elements);
  }
  else
#endif
  {
    for (std::int64_t i = 0; i < count; ++i)
    {
      ::new (static_cast<void*>(elements + i)) T(detail::element(first, positions[i]));
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
