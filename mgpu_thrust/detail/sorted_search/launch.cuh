// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Sorted searches on a CUDA device: their temporary storage, and the launches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/sorted_search/job.h>
#include <mgpu_thrust/detail/sorted_search/kernels.cuh>
#include <mgpu_thrust/detail/sorted_search/serial.h>
#include <mgpu_thrust/detail/sorted_search/tuning.h>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Inputs, class OutputA, class OutputB, class Compare, class MatchCounts>
struct device_work<sorted_search_job<Inputs, OutputA, OutputB, Compare, MatchCounts>>
{
  using job_type = sorted_search_job<Inputs, OutputA, OutputB, Compare, MatchCounts>;
  using order_type = typename job_type::order_type;
  using shape = decltype(choose_sorted_search_shape<largest_key_bytes<Inputs>>());

  static std::int64_t tiles(const job_type& job)
  {
    return detail::tiles_of<shape::items>(job.inputs);
  }

  /// The header of deferred sizes, the points that the tiles begin at, unless each block finds its own, then the match
  /// counts, if these are for the host.
  static cudaError_t storage_bytes(const job_type& job, std::size_t& bytes)
  {
    bytes = counts_at(job) + (job_type::writes_to_host ? 2 * sizeof(std::int64_t) : 0);
    return cudaSuccess;
  }

  static cudaError_t launch(void* storage, const job_type& job, std::int64_t*, cudaStream_t stream)
  {
    if constexpr (job_type::writes_to_host)
    {
      auto* const counts = reinterpret_cast<std::int64_t*>(static_cast<char*>(storage) + counts_at(job));
      const cudaError_t error = search_tiles<true>(storage, job, tiles(job), counts, stream);
      return error != cudaSuccess
               ? error
               : cudaMemcpyAsync(*job.match_counts, counts, sizeof(*job.match_counts), cudaMemcpyDeviceToHost, stream);
    }
    else
    {
      if constexpr (job_type::may_count_matches)
      {
        if (job.match_counts != nullptr)
        {
          return search_tiles<true>(storage, job, tiles(job), job.match_counts, stream);
        }
      }
      return search(storage, job, stream);
    }
  }

private:
  static constexpr bool is_deferred = is_deferred_v<Inputs>;
  using needle_output = std::conditional_t<OutputA::is_wanted, OutputA, OutputB>;

  static std::size_t counts_at(const job_type& job)
  {
    const std::int64_t tile_count = job_type::may_count_matches ? tiles(job) : tiles_to_search(job.inputs);
    return detail::header_bytes<Inputs>() + detail::merge_cut_bytes<Inputs>(tile_count);
  }

  /// The tiles of a search that counts no matches: none if the sizes are for the kernel that bisects.
  static std::int64_t tiles_to_search(const Inputs& inputs)
  {
    if constexpr (may_bisect<OutputA, OutputB>)
    {
      const std::int64_t most = bisection_for<needle_output>::most_tiled(needles(inputs), haystack(inputs));
      return ::cuda::ceil_div(most, shape::items);
    }
    else
    {
      return detail::tiles_of<shape::items>(inputs);
    }
  }

  /// The sizes of the needles and of the haystack as the call has received them, where one side is searched for.
  static auto needles(const Inputs& inputs)
  {
    if constexpr (OutputA::is_wanted)
    {
      return detail::size_of_a(inputs);
    }
    else
    {
      return detail::size_of_b(inputs);
    }
  }
  static auto haystack(const Inputs& inputs)
  {
    if constexpr (OutputA::is_wanted)
    {
      return detail::size_of_b(inputs);
    }
    else
    {
      return detail::size_of_a(inputs);
    }
  }

  /// Queues a search without a count of matches: the kernel that the sizes are for.
  static cudaError_t search(void* storage, const job_type& job, cudaStream_t stream)
  {
    const std::int64_t tile_count = tiles_to_search(job.inputs);
    if constexpr (may_bisect<OutputA, OutputB>)
    {
      if (tile_count == 0)
      {
        return bisect(job, stream);
      }
    }
    return search_tiles<false>(storage, job, tile_count, nullptr, stream);
  }

  /// Queues a search by tiles; and, if Counts, the count of the matches, in the device's memory.
  template <bool Counts>
  static cudaError_t search_tiles(
    void* storage, const job_type& job, std::int64_t most_tiles, [[maybe_unused]] std::int64_t* match_counts,
    cudaStream_t stream)
  {
    const int tile_count = static_cast<int>(most_tiles);
    const auto& inputs = detail::with_header(job.inputs, storage);
    const auto clear = [=]
    { return Counts ? cudaMemsetAsync(match_counts, 0, 2 * sizeof(std::int64_t), stream) : cudaSuccess; };

    // 1. Cut, and clear the counts: where deferred sizes may be read there, when they have been.
    const tile_begin* begins = nullptr;
    cudaError_t error = is_deferred ? cudaSuccess : clear();
    if (error == cudaSuccess && tile_count > 0)
    {
      error = detail::queue_merge_cut<shape::items, search_tiling<shape::threads, Counts, OutputA, OutputB>>(
        inputs, job.order(), tile_count, !Counts, storage, begins, stream);
    }
    if (error == cudaSuccess && is_deferred)
    {
      error = clear();
    }
    if (error != cudaSuccess || tile_count == 0)
    {
      return error;
    }

    // 2. Search.
    const bool overlaps = begins != nullptr && kernels_can_overlap && !(Counts && is_deferred);
    const auto& given = later_inputs<Counts>(inputs);
    return detail::launch_kernel(
      detail::sorted_search_kernel<shape, Counts, std::decay_t<decltype(given)>, OutputA, OutputB, order_type>,
      tile_count, shape::threads, overlaps, stream, given, job.a_output, job.b_output, job.order(),
      begins != nullptr ? tile_count : 0, begins, match_counts);
  }

  /// The inputs for the kernel after the cut. Only a count of matches can be stored where a size is read.
  template <bool Counts>
  static decltype(auto) later_inputs(const Inputs& inputs)
  {
    if constexpr (Counts)
    {
      return detail::in_header(inputs);
    }
    else
    {
      return (inputs);
    }
  }

  /// Queues the kernel that bisects the haystack for each needle.
  static cudaError_t bisect(const job_type& job, cudaStream_t stream)
  {
    const Inputs& inputs = job.inputs;
    if constexpr (OutputA::is_wanted)
    {
      return bisect<search_bound::lower>(inputs.a, inputs.b, job.a_output, job, stream);
    }
    else
    {
      return bisect<search_bound::upper>(inputs.b, inputs.a, job.b_output, job, stream);
    }
  }
  template <search_bound Bound, class Needles, class Haystack>
  static cudaError_t bisect(
    Needles first_needle, Haystack first_of_haystack, const needle_output& output, const job_type& job,
    cudaStream_t stream)
  {
    const auto num_needles = needles(job.inputs);
    const auto num_haystack = haystack(job.inputs);
    const std::int64_t blocks = ::cuda::ceil_div(detail::capacity_of(num_needles), sparse_search_threads);
    return detail::launch_kernel(
      detail::sparse_search_kernel<
        Bound, Needles, decltype(needles(job.inputs)), Haystack, decltype(haystack(job.inputs)), needle_output,
        order_type>,
      static_cast<int>(blocks), sparse_search_threads, false, stream, first_needle, num_needles, first_of_haystack,
      num_haystack, output, job.order());
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
