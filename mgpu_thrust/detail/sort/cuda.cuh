// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Sorts on the CUDA backend: storage from the policy's allocator, the device's work on the policy's stream. The host
/// reads no result from the device, so a call with a nosync policy does not wait.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/execute/cuda_policy.cuh>
#include <mgpu_thrust/detail/execute/execution.h>
#include <mgpu_thrust/detail/execute/temporary_storage.h>
#include <mgpu_thrust/detail/sort/launch.cuh>
#include <mgpu_thrust/detail/sort/segments.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Executes a device_sort_in_place or device_sort_indices of elements, of which there is at least one.
template <class Sort, class Policy, class Keys, class Other, class Segments, class Compare>
void run_cuda_sort(
  Policy& policy, const char* algorithm, Keys keys, Other other, std::int64_t count, const Segments& segments,
  Compare comp)
{
  detail::check_tiles(algorithm, Sort::tiles(count, segments));
  const temporary_storage<Policy> storage(policy, algorithm, Sort::storage_bytes(count, segments));
  detail::throw_on_error(
    Sort::launch(storage.data(), keys, other, count, segments, comp, detail::stream_of(policy)), algorithm);
  detail::synchronize_unless_nosync(policy, algorithm);
}

/// Sorts keys, together with their values unless these are no_values: all of them, or each segment.
template <class Policy, class Keys, class Values, class Segments, class Compare>
void run_sort(
  cuda_backend, Policy& policy, const char* algorithm, Keys keys, Values values, std::int64_t count,
  const Segments& segments, Compare comp)
{
  detail::run_cuda_sort<device_sort_in_place<Keys, Values, Compare, Segments>>(
    policy, algorithm, keys, values, count, segments, comp);
}

/// Sorts the keys of each segment, where flags mark the starts of segments; the CPU backends have their own overload.
template <class Policy, class Keys, class Flags, class Compare>
void run_sort(
  cuda_backend, Policy& policy, const char* algorithm, Keys keys, no_values values, std::int64_t count,
  const flag_segments<Flags>& segments, Compare comp)
{
  detail::run_cuda_sort<device_sort_in_place<Keys, no_values, Compare, flag_segments<Flags>>>(
    policy, algorithm, keys, values, count, segments, comp);
}

template <class Policy, class Keys, class Output, class Compare>
void run_sort_indices(
  cuda_backend, Policy& policy, const char* algorithm, Keys keys, std::int64_t count, Output output, Compare comp)
{
  detail::run_cuda_sort<device_sort_indices<Keys, Output, Compare>>(
    policy, algorithm, keys, output, count, one_segment{count}, comp);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
