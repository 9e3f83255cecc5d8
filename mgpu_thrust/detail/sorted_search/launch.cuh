// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Queues a sorted search on a stream: no allocation, no synchronisation.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/partition_kernel.cuh>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/sorted_search/kernels.cuh>
#include <mgpu_thrust/detail/sorted_search/serial.h>
#include <mgpu_thrust/detail/sorted_search/tuning.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A sorted search of given types on a device.
template <class Inputs, class OutputA, class OutputB, class Compare>
struct device_sorted_search
{
  using shape = decltype(choose_sorted_search_shape<largest_key_bytes<Inputs>>());

  /// The number of tiles, which must be less than most_tiles.
  static std::int64_t tiles(const Inputs& inputs)
  {
    return detail::tiles_of(inputs.a_count + inputs.b_count, shape::items);
  }

  /// Whether only A (B) is searched for, in a haystack so long that most of it need not be read.
  static bool is_sparse_a(const Inputs& inputs)
  {
    return !OutputB::is_wanted && inputs.a_count <= inputs.b_count / sparse_needles_ratio;
  }
  static bool is_sparse_b(const Inputs& inputs)
  {
    return !OutputA::is_wanted && inputs.b_count <= inputs.a_count / sparse_needles_ratio;
  }

  /// The bytes of temporary storage.
  static std::size_t storage_bytes(const Inputs& inputs)
  {
    return detail::round_up_storage(detail::partition_bytes(tiles(inputs)));
  }

  /// Queues the search. `storage`, aligned, is in use until the stream has passed it. If Counts, match_counts[0] and
  /// [1], in memory of the device, receive the numbers of elements of A and of B that have an equal one in the other
  /// input.
  template <bool Counts>
  static cudaError_t launch(
    void* storage, const Inputs& inputs, const OutputA& a_output, const OutputB& b_output, Compare comp,
    std::int64_t* match_counts, cudaStream_t stream)
  {
    if constexpr (Counts)
    {
      const cudaError_t error = cudaMemsetAsync(match_counts, 0, 2 * sizeof(std::int64_t), stream);
      if (error != cudaSuccess)
      {
        return error;
      }
    }
    else
    {
      if constexpr (!OutputB::is_wanted)
      {
        if (is_sparse_a(inputs))
        {
          return launch_sparse<search_bound::lower>(
            inputs.a, inputs.a_count, inputs.b, inputs.b_count, a_output, comp, stream);
        }
      }
      if constexpr (!OutputA::is_wanted)
      {
        if (is_sparse_b(inputs))
        {
          return launch_sparse<search_bound::upper>(
            inputs.b, inputs.b_count, inputs.a, inputs.a_count, b_output, comp, stream);
        }
      }
    }
    const int tile_count = static_cast<int>(tiles(inputs));
    if (tile_count == 0)
    {
      return cudaSuccess;
    }
    auto* const begins = static_cast<tile_begin*>(storage);
    const cudaError_t error =
      detail::queue_partition<shape::items>(merge_t{}, inputs, comp, tile_count, begins, no_tile_offsets{}, stream);
    if (error != cudaSuccess)
    {
      return error;
    }
    return detail::launch_kernel(
      detail::sorted_search_kernel<shape, Counts, Inputs, OutputA, OutputB, Compare>, tile_count, shape::threads,
      kernels_can_overlap, stream, inputs, a_output, b_output, comp, tile_count, static_cast<const tile_begin*>(begins),
      match_counts);
  }

private:
  template <search_bound Bound, class Needles, class Haystack, class Output>
  static cudaError_t launch_sparse(
    Needles needles, std::int64_t needle_count, Haystack haystack, std::int64_t haystack_count, const Output& output,
    Compare comp, cudaStream_t stream)
  {
    if (needle_count == 0)
    {
      return cudaSuccess;
    }
    const std::int64_t blocks = (needle_count + sparse_search_threads - 1) / sparse_search_threads;
    return detail::launch_kernel(
      detail::sparse_search_kernel<Bound, Needles, Haystack, Output, Compare>, static_cast<int>(blocks),
      sparse_search_threads, false, stream, needles, needle_count, haystack, haystack_count, output, comp);
  }
};

/// Implements the functions of DeviceSortedSearch, for any outputs. match_counts is a std::int64_t*, which may be null,
/// or a std::nullptr_t, for which no code that counts is compiled.
template <class A, class B, class OutputA, class OutputB, class MatchCounts, class Compare>
cudaError_t queue_sorted_search(
  void* storage, std::size_t& storage_bytes, A a, std::int64_t a_count, B b, std::int64_t b_count, OutputA a_output,
  OutputB b_output, MatchCounts match_counts, Compare compare, cudaStream_t stream)
{
  const auto comp = detail::as_order<A, B>(compare);

  // 1. Check the sizes, and that the outputs can hold the indices.
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  if (
    a_count < 0 || b_count < 0 || a_count > largest - b_count || b_count > OutputA::largest
    || a_count > OutputB::largest)
  {
    return cudaErrorInvalidValue;
  }
  const set_inputs inputs{detail::unwrap(a), no_values{}, a_count, detail::unwrap(b), no_values{}, b_count};
  using search = device_sorted_search<std::decay_t<decltype(inputs)>, OutputA, OutputB, order_t<Compare, A, B>>;
  if (search::tiles(inputs) >= most_tiles)
  {
    return cudaErrorInvalidValue;
  }

  // 2. Queue the work.
  return detail::with_storage(
    storage, storage_bytes, search::storage_bytes(inputs),
    [&](void* aligned)
    {
      if constexpr (!std::is_same_v<MatchCounts, std::nullptr_t>)
      {
        if (match_counts != nullptr)
        {
          return search::template launch<true>(aligned, inputs, a_output, b_output, comp, match_counts, stream);
        }
      }
      return search::template launch<false>(aligned, inputs, a_output, b_output, comp, nullptr, stream);
    });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
