// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Sorted searches on a CUDA device: their temporary storage, and the launches of each path.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/bisection.h>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/device_plan.cuh>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/sorted_search/choice.h>
#include <mgpu_thrust/detail/sorted_search/job.h>
#include <mgpu_thrust/detail/sorted_search/kernels.cuh>
#include <mgpu_thrust/detail/sorted_search/serial.h>
#include <mgpu_thrust/detail/sorted_search/tuning.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

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

  struct plan_type : path_plan<sorted_search_path>
  {
    std::size_t counts_at; ///< position in the storage of the match counts, if these are for the host
  };

  /// The storage has the header of deferred sizes, the points where tiles begin if a kernel cuts, and the match counts
  /// if these are for the host.
  template <class Count>
  static plan_type plan(const job_type& job, const Count*)
  {
    const path_choice<sorted_search_path> chosen =
      counts_matches(job) ? choose<true>(job.inputs) : choose<false>(job.inputs);
    const std::size_t counts_at =
      detail::header_bytes<Inputs>()
      + (chosen.path == sorted_search_path::cut_tiles ? detail::cut_bytes(chosen.blocks) : 0);
    const std::size_t bytes_of_counts = job_type::writes_to_host ? 2 * sizeof(std::int64_t) : 0;
    return {{chosen, counts_at + bytes_of_counts, {}}, counts_at};
  }

  static cudaError_t
  launch(void* storage, const job_type& job, const plan_type& plan, std::int64_t*, cudaStream_t stream)
  {
    if constexpr (job_type::writes_to_host)
    {
      auto* const counts = reinterpret_cast<std::int64_t*>(static_cast<char*>(storage) + plan.counts_at);
      const cudaError_t error = search<true>(storage, job, plan, counts, stream);
      return error != cudaSuccess
               ? error
               : cudaMemcpyAsync(*job.match_counts, counts, sizeof(*job.match_counts), cudaMemcpyDeviceToHost, stream);
    }
    else
    {
      if constexpr (job_type::may_count_matches)
      {
        if (counts_matches(job))
        {
          return search<true>(storage, job, plan, job.match_counts, stream);
        }
      }
      return search<false>(storage, job, plan, nullptr, stream);
    }
  }

private:
  static constexpr bool is_deferred = is_deferred_v<Inputs>;
  static constexpr bool is_one_sided = OutputA::is_wanted != OutputB::is_wanted;
  using needle_output = std::conditional_t<OutputA::is_wanted, OutputA, OutputB>;
  template <bool Counts>
  using bisection_for = search_bisection<is_one_sided, needle_output::needs_equal_end, Counts>;

  static bool counts_matches(const job_type& job)
  {
    return job_type::writes_to_host || job.match_counts != nullptr;
  }
  template <bool Counts>
  static path_choice<sorted_search_path> choose(const Inputs& inputs)
  {
    return detail::choose_sorted_search<shape, bisection_for<Counts>>(
      needles(inputs), haystack(inputs), !Counts || !is_deferred);
  }

  /// The size of an input as the call has received it.
  template <bool OfA>
  static decltype(auto) size_of(const Inputs& inputs)
  {
    if constexpr (OfA)
    {
      return detail::size_of_a(inputs);
    }
    else
    {
      return detail::size_of_b(inputs);
    }
  }
  static decltype(auto) needles(const Inputs& inputs)
  {
    return size_of<OutputA::is_wanted>(inputs);
  }
  static decltype(auto) haystack(const Inputs& inputs)
  {
    return size_of<!OutputA::is_wanted>(inputs);
  }

  /// Queues a search; and, if Counts, the count of the matches, in the device's memory.
  template <bool Counts>
  static cudaError_t search(
    void* storage, const job_type& job, const plan_type& plan, [[maybe_unused]] std::int64_t* match_counts,
    cudaStream_t stream)
  {
    if constexpr (!std::is_same_v<bisection_for<Counts>, no_bisection>)
    {
      if (plan.path == sorted_search_path::bisect)
      {
        return bisect(job, plan.blocks, stream);
      }
    }
    const auto& inputs = detail::with_header(job.inputs, storage);
    const auto clear = [=]
    { return Counts ? cudaMemsetAsync(match_counts, 0, 2 * sizeof(std::int64_t), stream) : cudaSuccess; };

    // 1. Cut, and clear the counts. Deferred sizes may be at their address, so these are read first.
    const tile_begin* begins = nullptr;
    cudaError_t error = is_deferred ? cudaSuccess : clear();
    if (error == cudaSuccess && plan.path != sorted_search_path::none)
    {
      error = detail::queue_merge_cut<shape::items, search_tiling<shape::threads, Counts, OutputA, OutputB>>(
        inputs, job.order(), plan.blocks, plan.path == sorted_search_path::tiles_cut_by_blocks, storage, begins,
        stream);
    }
    if (error == cudaSuccess && is_deferred)
    {
      error = clear();
    }
    if (error != cudaSuccess || plan.path == sorted_search_path::none)
    {
      return error;
    }

    // 2. Search.
    const bool overlaps = begins != nullptr && kernels_can_overlap && !(Counts && is_deferred);
    const auto& given = later_inputs<Counts>(inputs);
    return detail::launch_kernel(
      detail::sorted_search_kernel<shape, Counts, std::decay_t<decltype(given)>, OutputA, OutputB, order_type>,
      plan.blocks, shape::threads, overlaps, stream, given, job.a_output, job.b_output, job.order(),
      begins != nullptr ? plan.blocks : 0, begins, match_counts);
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
  static cudaError_t bisect(const job_type& job, int blocks, cudaStream_t stream)
  {
    return detail::launch_kernel(
      detail::sparse_search_kernel<Inputs, OutputA, OutputB, order_type>, blocks, bisection_shape::threads, false,
      stream, job.inputs, job.a_output, job.b_output, job.order());
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
