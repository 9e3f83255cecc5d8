// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What a family checks before it starts: sizes always, order of the input in the checked mode.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/system/execution.h>

#include <thrust/iterator/iterator_traits.h>
#if defined(__CUDACC__)
#  include <thrust/sort.h>
#endif

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Iterator>
inline constexpr bool is_random_access_v =
  std::is_convertible_v<thrust::iterator_traversal_t<Iterator>, thrust::random_access_traversal_tag>;

/// std::invalid_argument if the length of an input is negative.
inline void check_size(const char* algorithm, const char* argument, std::int64_t size)
{
  if (size < 0)
  {
    throw std::invalid_argument(
      std::string("mgpu::") + algorithm + ": the last of " + argument + " is before its first (" + std::to_string(size)
      + " elements)");
  }
}

/// std::length_error if two lengths have no sum in 64 bits.
inline void check_total_size(const char* algorithm, std::int64_t a_count, std::int64_t b_count)
{
  if (a_count > std::numeric_limits<std::int64_t>::max() - b_count)
  {
    throw std::length_error(
      std::string("mgpu::") + algorithm + ": more than 2^63 - 1 elements in both inputs together");
  }
}

/// The first position whose element is before the element in front of it, or `size`.
template <class Backend, class Policy, class Iterator, class Compare>
std::int64_t sorted_until(Backend, Policy& policy, Iterator first, std::int64_t size, Compare comp)
{
#if defined(__CUDACC__)
  if constexpr (std::is_same_v<Backend, cuda_backend>)
  {
    return thrust::is_sorted_until(policy, first, first + size, comp) - first;
  }
#endif
  (void) policy;
  for (std::int64_t i = 1; i < size; ++i)
  {
    if (comp(detail::element(first, i), detail::element(first, i - 1)))
    {
      return i;
    }
  }
  return size;
}

/// In the checked mode, std::invalid_argument if an input is not sorted; otherwise nothing.
template <class Policy, class Iterator, class Compare>
void check_sorted(
  [[maybe_unused]] Policy& policy, [[maybe_unused]] const char* algorithm, [[maybe_unused]] const char* argument,
  [[maybe_unused]] Iterator first, [[maybe_unused]] std::int64_t size, [[maybe_unused]] Compare comp)
{
#if defined(MGPU_THRUST_CHECK_PRECONDITIONS)
  const std::int64_t sorted = detail::sorted_until(backend_t<Policy>{}, policy, first, size, comp);
  if (sorted < size)
  {
    throw std::invalid_argument(
      std::string("mgpu::") + algorithm + ": " + argument + " is not sorted: the element at position "
      + std::to_string(sorted) + " goes before the one in front of it");
  }
#endif
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
