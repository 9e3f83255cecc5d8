// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Dispatch from the Thrust-style interface of the segmented sorts to the backends of the sorts.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/execution.h>
#include <mgpu_thrust/detail/execute/host_or_device.h>
#include <mgpu_thrust/detail/execute/preconditions.h>
#include <mgpu_thrust/detail/sort/dispatch.h>
#include <mgpu_thrust/detail/sort/segments.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Policy, class Keys, class Values, class Offsets, class Compare>
void segmented_sort_from_host(
  Policy& policy, const char* algorithm, const char* argument, Keys keys, Values values, const segments<Offsets>& in,
  Compare comp)
{
  detail::check_size(algorithm, argument, in.num_items);
  detail::check_segment_counts(algorithm, in.num_items, in.num_segments);
  detail::check_offsets(policy, algorithm, in.offsets, in.num_segments, in.num_items);
  detail::sort_from_host(policy, algorithm, keys, values, in.num_items, offset_segments{in}, comp);
}

/// Sorts the elements, or keys with their values, of each segment; `values_first` may be no_values.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Keys, class Values, class Offsets, class Compare>
MGPU_THRUST_HOST_DEVICE void segmented_sort_entry(
  const thrust::execution_policy<Policy>& policy, [[maybe_unused]] const char* algorithm,
  [[maybe_unused]] const char* argument, Keys keys_first, Keys keys_last, Values values_first, Offsets offsets_first,
  Offsets offsets_last, Compare comp)
{
  detail::check_iterators<backend_t<Policy>, Keys, Keys, Offsets>();
  detail::check_iterators<backend_t<Policy>, int*, std::conditional_t<has_values<Values>, Values, int*>>();
  detail::check_index_type<Offsets>();
  detail::check_order<Compare, Keys>();
  detail::check_sorted_in_place<Keys>();
  detail::check_sorted_in_place<std::conditional_t<has_values<Values>, Values, int*>>();
  const auto order = detail::as_order<Keys>(comp);
  const auto keys = detail::unwrap(keys_first);
  const auto values = detail::unwrap(values_first);
  const auto in = detail::make_segments(static_cast<std::int64_t>(keys_last - keys_first), offsets_first, offsets_last);
  MGPU_THRUST_RETURN_ON_HOST_OR_DEVICE(
    (detail::segmented_sort_from_host(detail::derived(policy), algorithm, argument, keys, values, in, order)),
    (detail::sort_in_thread(keys, values, in.num_segments > 0 ? in.num_items : 0, offset_segments{in}, order)))
}

template <class Policy, class Keys, class Flags, class Compare>
void segmented_sort_by_flags_from_host(Policy& policy, Keys keys, std::int64_t count, Flags flags, Compare comp)
{
  const char* const algorithm = "segmented_sort_by_flags";
  detail::check_size(algorithm, "the input", count);
  detail::sort_from_host(policy, algorithm, keys, no_values{}, count, flag_segments{flags}, comp);
}

/// Sorts the elements of each segment, where a flag marks the first element of a segment.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Keys, class Flags, class Compare>
MGPU_THRUST_HOST_DEVICE void segmented_sort_by_flags_entry(
  const thrust::execution_policy<Policy>& policy, Keys keys_first, Keys keys_last, Flags flags_first, Compare comp)
{
  detail::check_iterators<backend_t<Policy>, Keys, Keys, Flags>();
  detail::check_order<Compare, Keys>();
  detail::check_sorted_in_place<Keys>();
  const auto order = detail::as_order<Keys>(comp);
  const auto keys = detail::unwrap(keys_first);
  const auto flags = detail::unwrap(flags_first);
  const auto count = static_cast<std::int64_t>(keys_last - keys_first);
  MGPU_THRUST_RETURN_ON_HOST_OR_DEVICE(
    (detail::segmented_sort_by_flags_from_host(detail::derived(policy), keys, count, flags, order)),
    (detail::sort_in_thread(keys, no_values{}, count, flag_segments{flags}, order)))
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
