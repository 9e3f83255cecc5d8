// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Sorts on the CUDA backend: storage from the policy's allocator, the device's work on the policy's stream. Nothing is
/// asked of the device, so a nosync policy is not waited for.

#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/launch_sort.cuh>
#include <mgpu_thrust/system/cuda_policy.h>
#include <mgpu_thrust/system/execution.h>
#include <mgpu_thrust/system/temporary_storage.h>
#include <mgpu_thrust/thread/sort_segments.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Runs a device_sort_in_place or device_sort_indices of elements, of which there is at least one.
template <class Sort, class Policy, class Keys, class Other, class Compare>
void run_cuda_sort(Policy& policy, const char* algorithm, Keys keys, Other other, std::int64_t count, Compare comp)
{
  detail::check_tiles(algorithm, Sort::tiles(count));
  const temporary_storage<Policy> storage(policy, algorithm, Sort::storage_bytes(count));
  detail::throw_on_error(Sort::launch(storage.data(), keys, other, count, comp, detail::stream_of(policy)), algorithm);
  detail::synchronize_unless_nosync(policy, algorithm);
}

template <class Policy, class Keys, class Values, class Compare>
void run_sort(
  cuda_backend, Policy& policy, const char* algorithm, Keys keys, Values values, std::int64_t count, const one_segment&,
  Compare comp)
{
  detail::run_cuda_sort<device_sort_in_place<Keys, Values, Compare>>(policy, algorithm, keys, values, count, comp);
}

template <class Policy, class Keys, class Output, class Compare>
void run_sort_indices(
  cuda_backend, Policy& policy, const char* algorithm, Keys keys, std::int64_t count, Output output, Compare comp)
{
  detail::run_cuda_sort<device_sort_indices<Keys, Output, Compare>>(policy, algorithm, keys, output, count, comp);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
