// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Sorts on the CUDA backend: storage from the policy's allocator, the device's work on the policy's stream. Nothing is
/// asked of the device, so a nosync policy is not waited for.

#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/launch_segments.cuh>
#include <mgpu_thrust/device/launch_sort.cuh>
#include <mgpu_thrust/system/cuda_policy.h>
#include <mgpu_thrust/system/execution.h>
#include <mgpu_thrust/system/temporary_storage.h>
#include <mgpu_thrust/thread/sort_segments.h>

#include <cub/device/device_scan.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstddef>
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

/// Sorts keys, and values or no_values, by segments, whose numbers queue(storage, numbers, stream) finds in
/// `number_bytes` bytes of storage.
template <class Policy, class Keys, class Values, class Compare, class Queue>
void run_cuda_segmented_sort(
  Policy& policy, const char* algorithm, Keys keys, Values values, std::int64_t count, Compare comp,
  std::size_t number_bytes, Queue queue)
{
  using sort = device_sort_in_place<Keys, Values, Compare, true>;
  detail::check_tiles(algorithm, sort::tiles(count));
  const std::size_t numbers_at = detail::round_up_storage(std::max(number_bytes, sort::storage_bytes(count)));
  const std::size_t bytes = numbers_at + static_cast<std::size_t>(count) * sizeof(std::int64_t);
  const temporary_storage<Policy> storage(policy, algorithm, bytes);
  auto* const numbers = reinterpret_cast<std::int64_t*>(static_cast<char*>(storage.data()) + numbers_at);
  const cudaStream_t stream = detail::stream_of(policy);
  detail::throw_on_error(queue(storage.data(), numbers, stream), algorithm);
  detail::throw_on_error(sort::launch(storage.data(), keys, values, count, comp, stream, numbers), algorithm);
  detail::synchronize_unless_nosync(policy, algorithm);
}

/// Sorts by segments that offsets tell.
template <class Policy, class Keys, class Values, class Offsets, class Compare>
void run_sort(
  cuda_backend, Policy& policy, const char* algorithm, Keys keys, Values values, std::int64_t count,
  const offset_segments<Offsets>& segments, Compare comp)
{
  using job = segment_transform<segment_number<std::int64_t>, no_values, std::int64_t*>;
  using search = device_segments<job, Offsets>;
  const std::int64_t tiles = search::tiles(segments.in);
  detail::check_tiles(algorithm, tiles);
  detail::run_cuda_segmented_sort(
    policy, algorithm, keys, values, count, comp, search::storage_bytes(tiles),
    [&](void* storage, std::int64_t* numbers, cudaStream_t stream) {
      return search::launch(storage, job{{}, {}, numbers}, segments.in, stream);
    });
}

/// 1 for the first element of a segment, 0 for others.
template <class Flags>
struct first_of_segment
{
  flag_segments<Flags> segments;

  MGPU_THRUST_DEVICE std::int64_t operator()(std::int64_t item) const
  {
    return segments.is_first(item);
  }
};

/// Sorts by segments that flags tell.
template <class Policy, class Keys, class Flags, class Compare>
void run_sort(
  cuda_backend, Policy& policy, const char* algorithm, Keys keys, no_values values, std::int64_t count,
  const flag_segments<Flags>& segments, Compare comp)
{
  const auto firsts =
    thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), first_of_segment<Flags>{segments});
  std::size_t bytes = 0;
  const auto scan = [&](void* storage, std::int64_t* numbers, cudaStream_t stream)
  { return cub::DeviceScan::InclusiveSum(storage, bytes, firsts, numbers, count, stream); };
  detail::throw_on_error(scan(nullptr, nullptr, detail::stream_of(policy)), algorithm);
  detail::run_cuda_segmented_sort(policy, algorithm, keys, values, count, comp, bytes, scan);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
