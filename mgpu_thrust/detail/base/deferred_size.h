// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Sizes as calls receive them: integers, or counts that are read where the work executes.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/cccl_deferred.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>

#include <cuda/std/iterator>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Size>
inline constexpr bool is_deferred_v = false;
template <class CountIterator>
inline constexpr bool is_deferred_v<deferred<CountIterator>> = true;

/// Whether as_size takes a type: a number, what converts to one, or a deferred size. Iterators are none.
template <class Size>
inline constexpr bool is_size_v = std::is_convertible_v<const Size&, std::int64_t> || is_deferred_v<Size>;
#if MGPU_THRUST_HAS_CCCL_DEFERRED
template <class CountIterator, class Bounds>
inline constexpr bool is_size_v<::cuda::args::deferred<CountIterator, Bounds>> = true;
#endif

/// Returns a size of a call as a std::int64_t, or as a `deferred` whose count is unwrapped.
template <class Size>
MGPU_THRUST_HOST_DEVICE std::int64_t as_size(const Size& size)
{
  return static_cast<std::int64_t>(size);
}
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class CountIterator>
MGPU_THRUST_HOST_DEVICE auto as_size(const deferred<CountIterator>& size)
{
  static_assert(
    std::is_integral_v<typename ::cuda::std::iterator_traits<CountIterator>::value_type>,
    "mgpu_thrust: the count of a deferred size is an integer");
  return deferred{detail::unwrap(size.count), size.capacity};
}
#if MGPU_THRUST_HAS_CCCL_DEFERRED
/// CCCL's deferred size, whose highest bound is the capacity.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class CountIterator, class Bounds>
MGPU_THRUST_HOST_DEVICE auto as_size(const ::cuda::args::deferred<CountIterator, Bounds>& size)
{
  return detail::as_size(deferred{detail::cccl_count(size), detail::cccl_highest(size)});
}
#endif

/// Returns the largest number that a size can be.
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t capacity_of(std::int64_t size)
{
  return size;
}
template <class CountIterator>
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t capacity_of(const deferred<CountIterator>& size)
{
  return size.capacity;
}

/// Returns the number that a size is now; a count is clamped to [0, capacity].
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t read_size(std::int64_t size)
{
  return size;
}
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class CountIterator>
MGPU_THRUST_HOST_DEVICE std::int64_t read_size(const deferred<CountIterator>& size)
{
  using count_type = typename ::cuda::std::iterator_traits<CountIterator>::value_type;
  const auto count = static_cast<std::int64_t>(static_cast<count_type>(*size.count));
  // An unsigned count of 64 bits that is above 2^63 - 1 is negative now.
  const std::int64_t below_zero = std::is_unsigned_v<count_type> ? size.capacity : 0;
  return count < 0 ? below_zero : count < size.capacity ? count : size.capacity;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
