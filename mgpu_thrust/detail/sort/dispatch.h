// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The one dispatch path from the Thrust-style interface of the sorts to their backends.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/target.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/execution.h>
#include <mgpu_thrust/detail/execute/host_or_device.h>
#include <mgpu_thrust/detail/execute/preconditions.h>
#include <mgpu_thrust/detail/sort/cpu.h>
#include <mgpu_thrust/detail/sort/in_place_sort.h>
#include <mgpu_thrust/detail/sort/segmented_cpu.h>
#include <mgpu_thrust/detail/sort/segments.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/sort/cuda.cuh>
#endif

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Largest number of elements that the host sorts in place, without temporary storage.
inline constexpr std::int64_t fewest_sorted_in_storage = 16;

/// Sorts keys, together with their values unless these are no_values, on the calling thread.
template <class Keys, class Values, class Segments, class Compare>
MGPU_THRUST_HOST_DEVICE void
sort_in_thread(Keys keys, Values values, std::int64_t count, const Segments& segments, Compare comp)
{
  if (count > 0)
  {
    const swapped_elements elements{keys, values};
    segments.for_each_part(
      0, count, [&](std::int64_t begin, std::int64_t end) { detail::in_place_sort(elements, begin, end, comp); });
  }
}

template <class Policy, class Keys, class Values, class Segments, class Compare>
void sort_from_host(
  Policy& policy, const char* algorithm, Keys keys, Values values, std::int64_t count, const Segments& segments,
  Compare comp)
{
  using backend = backend_t<Policy>;
  if constexpr (!std::is_same_v<backend, cuda_backend>)
  {
    if (count <= fewest_sorted_in_storage)
    {
      detail::sort_in_thread(keys, values, count, segments, comp);
      return;
    }
  }
  if (count > 1)
  {
    detail::run_sort(backend{}, policy, algorithm, keys, values, count, segments, comp);
  }
}

template <class Policy, class Keys, class Values, class Compare>
void checked_sort_from_host(
  Policy& policy, const char* algorithm, const char* argument, Keys keys, Values values, std::int64_t count,
  Compare comp)
{
  detail::check_size(algorithm, argument, count);
  detail::sort_from_host(policy, algorithm, keys, values, count, one_segment{count}, comp);
}

/// Sorts elements, or keys with their values; `values_first` may be no_values.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Keys, class Values, class Compare>
MGPU_THRUST_HOST_DEVICE void sort_entry(
  const thrust::execution_policy<Policy>& policy, [[maybe_unused]] const char* algorithm,
  [[maybe_unused]] const char* argument, Keys keys_first, Keys keys_last, Values values_first, Compare comp)
{
  detail::check_iterators<backend_t<Policy>, Keys, Keys>();
  detail::check_iterators<backend_t<Policy>, int*, std::conditional_t<has_values<Values>, Values, int*>>();
  detail::check_order<Compare, Keys>();
  detail::check_sorted_in_place<Keys>();
  detail::check_sorted_in_place<std::conditional_t<has_values<Values>, Values, int*>>();
  const auto order = detail::as_order<Keys>(comp);
  const auto keys = detail::unwrap(keys_first);
  const auto values = detail::unwrap(values_first);
  const auto count = static_cast<std::int64_t>(keys_last - keys_first);
  MGPU_THRUST_RETURN_ON_HOST_OR_DEVICE(
    (detail::checked_sort_from_host(detail::derived(policy), algorithm, argument, keys, values, count, order)),
    (detail::sort_in_thread(keys, values, count, one_segment{count}, order)))
}

/// Writes the indices of keys, in the sorted order of the keys, on the calling thread.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Keys, class Output, class Compare>
MGPU_THRUST_HOST_DEVICE void sort_indices_in_thread(Keys keys, std::int64_t count, Output output, Compare comp)
{
  using index = typename std::iterator_traits<Output>::value_type;
  for (std::int64_t i = 0; i < count; ++i)
  {
    *(output + i) = static_cast<index>(i);
  }
  detail::sort_in_thread(output, no_values{}, count, one_segment{count}, indirect_order<Keys, Compare>{keys, comp});
}

template <class Policy, class Keys, class Output, class Compare>
void sort_indices_from_host(
  Policy& policy, const char* algorithm, Keys keys, std::int64_t count, Output output, Compare comp)
{
  using index = typename std::iterator_traits<Output>::value_type;
  using backend = backend_t<Policy>;
  detail::check_size(algorithm, "the input", count);
  detail::check_index_range(algorithm, count - 1, largest_index<index>);
  if constexpr (!std::is_same_v<backend, cuda_backend>)
  {
    if (count <= fewest_sorted_in_storage)
    {
      detail::sort_indices_in_thread(keys, count, output, comp);
      return;
    }
  }
  if (count > 0)
  {
    detail::run_sort_indices(backend{}, policy, algorithm, keys, count, output, comp);
  }
}

/// Writes the indices of keys, in the sorted order of the keys, and returns the end of the output.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Keys, class Output, class Compare>
MGPU_THRUST_HOST_DEVICE Output stable_sort_indices_entry(
  const thrust::execution_policy<Policy>& policy, Keys keys_first, Keys keys_last, Output result, Compare comp)
{
  detail::check_iterators<backend_t<Policy>, int*, Keys>();
  detail::check_scattered_output<Output>();
  detail::check_index_type<Output>();
  detail::check_order<Compare, Keys>();
  detail::check_sorted_in_place<Output>();
  const auto order = detail::as_order<Keys>(comp);
  const auto keys = detail::unwrap(keys_first);
  const auto output = detail::unwrap(result);
  const auto count = static_cast<std::int64_t>(keys_last - keys_first);
  MGPU_THRUST_IF_HOST_ELSE(
    (detail::sort_indices_from_host(detail::derived(policy), "stable_sort_indices", keys, count, output, order);),
    (if (false) {
      detail::sort_indices_from_host(detail::derived(policy), "stable_sort_indices", keys, count, output, order);
    } detail::sort_indices_in_thread(keys, count, output, order);))
  return result + count;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
