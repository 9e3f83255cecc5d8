// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Sorted searches on a CUDA device: their temporary storage, and the launches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/sorted_search/job.h>
#include <mgpu_thrust/detail/sorted_search/kernels.cuh>
#include <mgpu_thrust/detail/sorted_search/serial.h>
#include <mgpu_thrust/detail/sorted_search/tuning.cuh>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

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
    return ::cuda::ceil_div(
      job_type::may_count_matches ? job.inputs.a_count + job.inputs.b_count : most_tiled(job.inputs), shape::items);
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
    [[maybe_unused]] const std::int64_t all = job.inputs.a_count + job.inputs.b_count;
    if constexpr (job_type::writes_to_host)
    {
      auto* const counts = reinterpret_cast<std::int64_t*>(static_cast<char*>(storage) + counts_at(job));
      const cudaError_t error = search_tiles<true>(storage, job, all, counts, stream);
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
          return search_tiles<true>(storage, job, all, job.match_counts, stream);
        }
      }
      return search(storage, job, stream);
    }
  }

private:
  static constexpr bool is_deferred = is_deferred_v<Inputs>;

  static std::size_t counts_at(const job_type& job)
  {
    return detail::header_bytes<Inputs>() + detail::merge_cut_bytes<Inputs>(tiles(job));
  }

  /// Calls function(bisection, size of the needles, size of the haystack) for a search of one side.
  template <class Function>
  static auto with_needles(const Inputs& inputs, Function function)
  {
    if constexpr (OutputA::is_wanted)
    {
      return function(bisection_for<OutputA>{}, detail::size_of_a(inputs), detail::size_of_b(inputs));
    }
    else
    {
      return function(bisection_for<OutputB>{}, detail::size_of_b(inputs), detail::size_of_a(inputs));
    }
  }

  /// Returns the most elements that are searched by tiles without a count of matches: where sizes are deferred, they may
  /// be for the other kernel.
  static std::int64_t most_tiled(const Inputs& inputs)
  {
    if constexpr (is_deferred && may_bisect<OutputA, OutputB>)
    {
      return with_needles(
        inputs, [](auto bisection, const auto& needles, const auto& haystack)
        { return bisection.most_tiled(needles, haystack); });
    }
    else
    {
      return inputs.a_count + inputs.b_count;
    }
  }

  /// Queues the kernel that the sizes are for; or, where they are deferred, each that they may be for.
  static cudaError_t search(void* storage, const job_type& job, cudaStream_t stream)
  {
    const std::int64_t tiled = most_tiled(job.inputs);
    if constexpr (!may_bisect<OutputA, OutputB>)
    {
      return search_tiles<false>(storage, job, tiled, nullptr, stream);
    }
    else if constexpr (is_deferred)
    {
      const cudaError_t error = search_tiles<false>(storage, job, tiled, nullptr, stream);
      const std::int64_t most = with_needles(
        job.inputs, [](auto bisection, const auto& needles, const auto& haystack)
        { return bisection.most_needles(needles, haystack); });
      return error != cudaSuccess ? error : bisect(job, most, stream);
    }
    else
    {
      const std::int64_t needles = OutputA::is_wanted ? job.inputs.a_count : job.inputs.b_count;
      return search_tiling<false, OutputA, OutputB>::has_tiles(job.inputs)
               ? search_tiles<false>(storage, job, tiled, nullptr, stream)
               : bisect(job, needles, stream);
    }
  }

  /// Queues a search of `most` elements or fewer by tiles; and, if Counts, the count of the matches, in the device's
  /// memory.
  template <bool Counts>
  static cudaError_t search_tiles(
    void* storage, const job_type& job, std::int64_t most, [[maybe_unused]] std::int64_t* match_counts,
    cudaStream_t stream)
  {
    const int tile_count = static_cast<int>(::cuda::ceil_div(most, shape::items));
    const auto& inputs = detail::with_header(job.inputs, storage);
    const auto clear = [=]
    { return Counts ? cudaMemsetAsync(match_counts, 0, 2 * sizeof(std::int64_t), stream) : cudaSuccess; };

    // 1. Cut, and clear the counts: where deferred sizes may be read there, when they have been.
    const tile_begin* begins = nullptr;
    cudaError_t error = is_deferred ? cudaSuccess : clear();
    if (error == cudaSuccess && tile_count > 0)
    {
      error = detail::queue_merge_cut<shape::items, search_tiling<Counts, OutputA, OutputB>>(
        inputs, job.order(), tile_count, storage, begins, stream);
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
    return detail::launch_kernel(
      detail::sorted_search_kernel<shape, Counts, in_header_t<Inputs>, OutputA, OutputB, order_type>, tile_count,
      shape::threads, overlaps, stream, detail::in_header(inputs), job.a_output, job.b_output, job.order(), tile_count,
      begins, match_counts);
  }

  /// Queues the kernel that bisects for each of `most` needles, or fewer.
  static cudaError_t bisect(const job_type& job, std::int64_t most, cudaStream_t stream)
  {
    const Inputs& inputs = job.inputs;
    if constexpr (OutputA::is_wanted)
    {
      return bisect<search_bound::lower>(
        inputs.a, detail::size_of_a(inputs), inputs.b, detail::size_of_b(inputs), job.a_output, job.order(), most,
        stream);
    }
    else
    {
      return bisect<search_bound::upper>(
        inputs.b, detail::size_of_b(inputs), inputs.a, detail::size_of_a(inputs), job.b_output, job.order(), most,
        stream);
    }
  }
  template <search_bound Bound, class Needles, class NumNeedles, class Haystack, class NumHaystack, class Output>
  static cudaError_t bisect(
    Needles needles, NumNeedles num_needles, Haystack haystack, NumHaystack num_haystack, const Output& output,
    order_type comp, std::int64_t most, cudaStream_t stream)
  {
    const std::int64_t blocks = ::cuda::ceil_div(most, sparse_search_threads);
    if (blocks == 0)
    {
      return cudaSuccess;
    }
    return detail::launch_kernel(
      detail::sparse_search_kernel<Bound, Needles, NumNeedles, Haystack, NumHaystack, Output, order_type>,
      static_cast<int>(blocks), sparse_search_threads, false, stream, needles, num_needles, haystack, num_haystack,
      output, comp);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
