// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Properties of a CUDA execution policy, its stream and whether to wait for it; and the conversion of a CUDA error to
/// an exception. The only file that calls Thrust's customization points for this, which are stable but undocumented.

#include <mgpu_thrust/detail/base/config.h>

#include <thrust/system/cuda/error.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>

#include <cuda_runtime_api.h>

#include <string>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The stream that a policy runs on.
template <class Policy>
cudaStream_t stream_of(Policy& policy)
{
  return get_stream(policy); // found in Thrust by the policy's type
}

/// Throws thrust::system_error if a CUDA call failed. The error is cleared, so that the next call does not find it.
inline void throw_on_error(cudaError_t error, const char* algorithm)
{
  if (error != cudaSuccess)
  {
    (void) cudaGetLastError();
    throw thrust::system_error(error, thrust::cuda_category(), std::string("mgpu::") + algorithm);
  }
}

template <class Policy>
void wait_for_stream(Policy& policy, const char* algorithm)
{
  detail::throw_on_error(cudaStreamSynchronize(detail::stream_of(policy)), algorithm);
}

/// Waits for the stream of a policy, unless it is a nosync policy.
template <class Policy>
void wait_unless_nosync(Policy& policy, const char* algorithm)
{
  if (must_perform_optional_stream_synchronization(policy)) // found in Thrust by the policy's type
  {
    detail::wait_for_stream(policy, algorithm);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
