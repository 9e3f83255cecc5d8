// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A deferred size that a CUDA device reads for the host.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/execute/cuda_host_result.cuh>
#include <mgpu_thrust/detail/execute/cuda_policy.cuh>

#include <cstdint>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Size>
MGPU_THRUST_KERNEL void read_size_kernel(Size size, std::int64_t* result)
{
  *result = detail::read_size(size);
}

/// Returns the value of a size, after all work that the stream of the policy has before.
template <class Policy, class Size>
std::int64_t cuda_read_size(Policy& policy, const char* algorithm, const Size& size)
{
  if constexpr (is_deferred_v<Size>)
  {
    const cuda_host_result result(algorithm);
    detail::throw_on_error(
      detail::launch_kernel(
        detail::read_size_kernel<Size>, 1, 1, false, detail::stream_of(policy), size, result.address()),
      algorithm);
    detail::wait_for_stream(policy, algorithm);
    return result.value();
  }
  else
  {
    return size;
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END
