// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The parts of CCCL's deferred sizes. CCCL 3.6 has no public names for them. This header is the only one that uses
/// private names of CCCL: where a release lacks them, a call with such a size says what to pass instead.

#include <mgpu_thrust/detail/base/config.h>

#include <cuda/version>

// cuda::args::deferred is there from CCCL 3.6 on.
#if CCCL_VERSION >= 3006000 && __has_include(<cuda/argument>)
#  define MGPU_THRUST_HAS_CCCL_DEFERRED 1
#  include <cuda/argument>
#else
#  define MGPU_THRUST_HAS_CCCL_DEFERRED 0
#endif

#include <cstdint>
#include <type_traits>
#include <utility>

#if MGPU_THRUST_HAS_CCCL_DEFERRED

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether the private names exist for a size. Argument-dependent lookup finds them, so that a missing name is no
/// error.
template <class Size, class = void>
inline constexpr bool has_cccl_parts = false;
template <class Size>
inline constexpr bool has_cccl_parts<
  Size,
  std::void_t<decltype(__unwrap(std::declval<const Size&>())), decltype(__highest_(std::declval<const Size&>()))>> =
  true;

template <class Size>
constexpr void check_cccl_parts()
{
  static_assert(
    has_cccl_parts<Size>, "mgpu_thrust: this release of CCCL names the parts of cuda::args::deferred otherwise; pass"
                          " mgpu::deferred{count, capacity}");
}

/// Returns the iterator to the count.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Size>
MGPU_THRUST_HOST_DEVICE auto cccl_count(const Size& size)
{
  detail::check_cccl_parts<Size>();
  return __unwrap(size);
}

/// Returns the highest bound of the count.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Size>
MGPU_THRUST_HOST_DEVICE auto cccl_highest(const Size& size)
{
  detail::check_cccl_parts<Size>();
  return __highest_(size);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

#endif
