// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Sorted searches on a CUDA device: their temporary storage, and the launches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
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
    return ::cuda::ceil_div(job.inputs.a_count + job.inputs.b_count, shape::items);
  }

  /// The points that the tiles begin at, unless each block finds its own, then the match counts, if these are for the
  /// host.
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
      const cudaError_t error = count_matches(storage, job, counts, stream);
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
          return count_matches(storage, job, job.match_counts, stream);
        }
      }
      return search(storage, job, stream);
    }
  }

private:
  static std::size_t counts_at(const job_type& job)
  {
    return detail::merge_cut_bytes<Inputs>(tiles(job));
  }

  /// Whether only A (B) is searched for, and each needle on its own: the haystack is so long that most of it need not be
  /// read, or so short that it is read from the cache.
  static bool bisects_for_a(const Inputs& inputs)
  {
    return !OutputB::is_wanted && (inputs.a_count <= inputs.b_count / sparse_needles_ratio || are_few<OutputA>(inputs));
  }
  static bool bisects_for_b(const Inputs& inputs)
  {
    return !OutputA::is_wanted && (inputs.b_count <= inputs.a_count / sparse_needles_ratio || are_few<OutputB>(inputs));
  }
  template <class Output>
  static bool are_few(const Inputs& inputs)
  {
    return !Output::needs_equal_end && inputs.a_count + inputs.b_count <= few_to_search;
  }

  /// Queues a search that also counts the matches, in the device's memory.
  static cudaError_t count_matches(void* storage, const job_type& job, std::int64_t* counts, cudaStream_t stream)
  {
    const cudaError_t error = cudaMemsetAsync(counts, 0, 2 * sizeof(std::int64_t), stream);
    return error != cudaSuccess ? error : search_tiles<true>(storage, job, counts, stream);
  }

  static cudaError_t search(void* storage, const job_type& job, cudaStream_t stream)
  {
    const Inputs& inputs = job.inputs;
    if constexpr (!OutputB::is_wanted)
    {
      if (bisects_for_a(inputs))
      {
        return search_sparsely<search_bound::lower>(
          inputs.a, inputs.a_count, inputs.b, inputs.b_count, job.a_output, job.order(), stream);
      }
    }
    if constexpr (!OutputA::is_wanted)
    {
      if (bisects_for_b(inputs))
      {
        return search_sparsely<search_bound::upper>(
          inputs.b, inputs.b_count, inputs.a, inputs.a_count, job.b_output, job.order(), stream);
      }
    }
    return search_tiles<false>(storage, job, nullptr, stream);
  }

  template <bool Counts>
  static cudaError_t search_tiles(void* storage, const job_type& job, std::int64_t* match_counts, cudaStream_t stream)
  {
    const int tile_count = static_cast<int>(tiles(job));
    if (tile_count == 0)
    {
      return cudaSuccess;
    }
    const tile_begin* begins = nullptr;
    const cudaError_t error =
      detail::queue_merge_cut<shape::items>(job.inputs, job.order(), tile_count, storage, begins, stream);
    if (error != cudaSuccess)
    {
      return error;
    }
    return detail::launch_kernel(
      detail::sorted_search_kernel<shape, Counts, Inputs, OutputA, OutputB, order_type>, tile_count, shape::threads,
      begins != nullptr && kernels_can_overlap, stream, job.inputs, job.a_output, job.b_output, job.order(), tile_count,
      begins, match_counts);
  }

  template <search_bound Bound, class Needles, class Haystack, class Output>
  static cudaError_t search_sparsely(
    Needles needles, std::int64_t needle_count, Haystack haystack, std::int64_t haystack_count, const Output& output,
    order_type comp, cudaStream_t stream)
  {
    const std::int64_t blocks = ::cuda::ceil_div(needle_count, sparse_search_threads);
    return detail::launch_kernel(
      detail::sparse_search_kernel<Bound, Needles, Haystack, Output, order_type>, static_cast<int>(blocks),
      sparse_search_threads, false, stream, needles, needle_count, haystack, haystack_count, output, comp);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
