// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The one dispatch path from the Thrust-style interface of segmented reduction to its backends.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/execution.h>
#include <mgpu_thrust/detail/execute/host_or_device.h>
#include <mgpu_thrust/detail/execute/preconditions.h>
#include <mgpu_thrust/detail/segmented_reduce/cpu.h>
#include <mgpu_thrust/detail/segmented_reduce/serial.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/segmented_reduce/cuda.cuh>
#endif

#include <cstdint>
#include <optional>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The type of a backend's partition of segments, kept for many reductions.
template <class Backend, class Policy, class Offsets>
struct segment_partition
{
  using type = cpu_segment_partition<Policy, Offsets>;
};
#if defined(__CUDACC__)
template <class Policy, class Offsets>
struct segment_partition<cuda_backend, Policy, Offsets>
{
  using type = cuda_segment_partition<Policy, Offsets>;
};
#endif

/// Checks the numbers of items and segments for every backend; in the checked mode, the offsets too.
template <class Policy, class Offsets>
void check_segments(Policy& policy, const char* algorithm, const segments<Offsets>& in)
{
  detail::check_segment_counts(algorithm, in.num_items, in.num_segments);
  detail::check_offsets(policy, algorithm, in.offsets, in.num_segments, in.num_items);
}

template <class Policy, class Job, class Offsets>
auto segmented_reduce_from_host(Policy& policy, const char* algorithm, const Job& job, const segments<Offsets>& in)
{
  detail::check_size(algorithm, "the input", in.num_items);
  detail::check_segments(policy, algorithm, in);
  using backend = backend_t<Policy>;
  if constexpr (std::is_same_v<backend, serial_backend>)
  {
    return detail::reduce_segments_in_thread(job, in);
  }
  else
  {
    if (in.num_segments > 0)
    {
      detail::reduce_segments_on(backend{}, policy, algorithm, job, in);
    }
    return job.output + in.num_segments;
  }
}

/// Reduces each segment and returns the end of the output.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Policy, class Input, class Offsets, class Output, class T, class Op>
MGPU_THRUST_HOST_DEVICE Output segmented_reduce_entry(
  const thrust::execution_policy<Policy>& policy, Input first, Input last, Offsets offsets_first, Offsets offsets_last,
  Output result, const T& init, Op op)
{
  detail::check_iterators<backend_t<Policy>, Output, Input, Offsets>();
  detail::check_index_type<Offsets>();
  const auto in = detail::make_segments(static_cast<std::int64_t>(last - first), offsets_first, offsets_last);
  const segment_reduction job{detail::unwrap(first), detail::unwrap(result), init, op};
  MGPU_THRUST_RETURN_ON_HOST_OR_DEVICE(
    (detail::rewrap(result, detail::segmented_reduce_from_host(detail::derived(policy), "segmented_reduce", job, in))),
    (detail::rewrap(result, detail::reduce_segments_in_thread(job, in))))
}

/// Segments that are reduced many times: a policy, and its backend's partition of the segments, in memory from the
/// policy's allocator. Neither copyable nor movable, as the partition refers to the policy.
template <class Policy, class Offsets>
class planned_segments
{
public:
  planned_segments(Policy& policy, const segments<Offsets>& in)
      : policy_(policy)
      , in_(in)
  {
    detail::check_segments(policy_, algorithm, in_);
    if constexpr (!is_serial)
    {
      if (in_.num_segments > 0)
      {
        partition_.emplace(policy_, algorithm, in_);
      }
    }
  }
  planned_segments(const planned_segments&) = delete;
  planned_segments& operator=(const planned_segments&) = delete;

  /// Reduces each segment and returns the end of the output.
  template <class Input, class Output, class T, class Op>
  Output reduce(Input first, Output result, const T& init, Op op)
  {
    detail::check_iterators<backend, Output, Input>();
    const segment_reduction job{detail::unwrap(first), detail::unwrap(result), init, op};
    if constexpr (is_serial)
    {
      return detail::rewrap(result, detail::reduce_segments_in_thread(job, in_));
    }
    else
    {
      if (partition_)
      {
        detail::reduce_segments_on(backend{}, policy_, algorithm, job, in_, *partition_);
      }
      return result + in_.num_segments;
    }
  }

private:
  using backend = backend_t<Policy>;
  static constexpr bool is_serial = std::is_same_v<backend, serial_backend>;
  static constexpr const char* algorithm = "segmented_reduce_plan";

  Policy policy_;
  segments<Offsets> in_;
  std::optional<typename segment_partition<backend, Policy, Offsets>::type> partition_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
