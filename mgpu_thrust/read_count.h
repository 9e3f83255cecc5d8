// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The way of a deferred size to the host.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/target.h>
#include <mgpu_thrust/detail/execute/backend.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/execute/cuda_read_size.cuh>
#endif

#include <thrust/execution_policy.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Policy, class Size>
std::int64_t
read_size_from_host([[maybe_unused]] Policy& policy, [[maybe_unused]] const char* algorithm, const Size& size)
{
#if defined(__CUDACC__)
  if constexpr (std::is_same_v<backend_t<Policy>, cuda_backend>)
  {
    return detail::cuda_read_size(policy, algorithm, size);
  }
  else
#endif
  {
    return detail::read_size(size);
  }
}

} // namespace detail
/// @addtogroup deferred
/// @{

/// Returns a deferred size as a number: waits for the work that was queued before it on the policy's stream.
///
/// @param exec execution policy, of the system where the count is
/// @param size a deferred, or an integer, which is returned as it is
/// @return the count, clamped to [0, capacity]. Whether a result was cut off, the count itself tells: `size.count`,
///         read with a capacity that no count is above
/// @since 1.0
///
/// Synchronisation: waits for the stream, under `par_nosync` too. Temporary storage: none. Exceptions:
/// thrust::system_error if the stream reports an error.
///
/// @code{.cpp}
/// const long long count = 12;
/// assert(mgpu::read_count(thrust::host, mgpu::deferred{&count, 10}) == 10);
/// assert(mgpu::read_count(thrust::host, mgpu::deferred{&count, std::numeric_limits<std::int64_t>::max()}) == 12);
/// @endcode
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Size>
MGPU_THRUST_HOST_DEVICE std::int64_t
read_count([[maybe_unused]] const thrust::execution_policy<Policy>& exec, const Size& size)
{
  // The device pass of nvcc compiles only kernels whose launch it sees: hence the host's call that is never executed.
  MGPU_THRUST_IF_HOST_ELSE(
    (return detail::read_size_from_host(detail::derived(exec), "read_count", detail::as_size(size));), (if (false) {
      (void) detail::read_size_from_host(detail::derived(exec), "read_count", detail::as_size(size));
    } return detail::read_size(detail::as_size(size));))
}

/// @}
MGPU_THRUST_NAMESPACE_END
