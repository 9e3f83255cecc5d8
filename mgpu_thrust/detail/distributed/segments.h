// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How the ranks of a communicator reduce, and scan, items in segments. No items move.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/distributed/distributed_policy.h>
#include <mgpu_thrust/detail/distributed/exchange.h>
#include <mgpu_thrust/detail/distributed/segment_carries.h>
#include <mgpu_thrust/detail/execute/copy_memory.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/segmented_reduce/job.h>
#include <mgpu_thrust/detail/segmented_reduce/serial.h>
#include <mgpu_thrust/detail/segmented_scan/cpu.h>
#include <mgpu_thrust/detail/segmented_scan/job.h>
#include <mgpu_thrust/detail/segmented_scan/serial.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/segmented_scan/launch.cuh>
#endif

#include <cstdint>
#include <optional>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Each rank reduces the segments that begin in its piece, but the last one: that takes what higher ranks have of it.
template <class Input, class Result, class T, class Op, class Offsets, class Output>
struct distributed_work<segmented_reduce_job<segment_reduction<Input, Result, T, Op>, segments<Offsets>, Output>>
{
  using reduction_type = segment_reduction<Input, Result, T, Op>;
  using job_type = segmented_reduce_job<reduction_type, segments<Offsets>, Output>;
  using result_item = typename sent_item<Result>::type;

  template <class Communicator, class Policy>
  static Output run(distributed_policy<Communicator, Policy>& policy, const char* algorithm, const job_type& job)
  {
    Communicator& communicator = policy.communicator();
    Policy& local = policy.local();
    if (communicator.size() == 1)
    {
      return detail::execute(local, algorithm, job);
    }
    const reduction_type& reduction = job.reduction;
    segment_carries_of_ranks<T, Policy, Offsets, reduction_type> carries(local, algorithm, job.in, reduction);
    carries.gather(communicator, &reduction.init);
    if (job.in.num_segments == 0)
    {
      return job.output;
    }
    const std::int64_t last = job.in.num_segments - 1;
    const std::int64_t begin = carries.head_end();
    if (last > 0)
    {
      (void) detail::execute(
        local, algorithm,
        segmented_reduce_job(
          segment_reduction{reduction.input + begin, reduction.output, reduction.init, reduction.op},
          detail::segments_from(job.in.offsets, last, begin, carries.last_begin()), reduction.output));
    }
    const auto whole = static_cast<result_item>(carries.whole_tail());
    detail::copy_bytes(local, &whole, reduction.output + last, sizeof(whole));
    detail::finish_queued(local, algorithm);
    return job.result();
  }
};

/// Each rank scans the segments that begin in its piece, and the items before them after what lower ranks have of their
/// segment.
template <bool IsInclusive, class T, class Input, class Result, class Init, class Op, class Offsets, class Output>
struct distributed_work<
  segmented_scan_job<segment_scan<IsInclusive, T, Input, Result, Init, Op>, segments<Offsets>, Output>>
{
  using scan_type = segment_scan<IsInclusive, T, Input, Result, Init, Op>;
  using job_type = segmented_scan_job<scan_type, segments<Offsets>, Output>;

  template <class Communicator, class Policy>
  static Output run(distributed_policy<Communicator, Policy>& policy, const char* algorithm, const job_type& job)
  {
    Communicator& communicator = policy.communicator();
    Policy& local = policy.local();
    if (communicator.size() == 1)
    {
      return detail::execute(local, algorithm, job);
    }
    const scan_type& scan = job.scan;
    segment_carries_of_ranks<T, Policy, Offsets, scan_type> carries(local, algorithm, job.in, scan);
    carries.gather(communicator, init_of(scan));

    // 1. The head, which has a carry unless all that is before it is empty.
    const std::int64_t begin = carries.head_end();
    const std::optional<T> carry = carries.before();
    if (carry && begin > 0)
    {
      const auto head = detail::make_segment_scan<IsInclusive, T>(scan.input, scan.output, *carry, scan.op);
      scan_items_of_piece(local, algorithm, head, job.in.offsets, 1, 0, begin);
    }
    else
    {
      scan_items_of_piece(local, algorithm, scan, job.in.offsets, 1, 0, begin);
    }

    // 2. Segments that begin here.
    scan_items_of_piece(local, algorithm, scan, job.in.offsets, job.in.num_segments, begin, job.in.num_items);
    return job.result();
  }

private:
  static const T* init_of([[maybe_unused]] const scan_type& scan)
  {
    if constexpr (scan_type::has_init)
    {
      return &scan.init;
    }
    else
    {
      return nullptr;
    }
  }
  template <class Policy, class Scan>
  static void scan_items_of_piece(
    Policy& policy, const char* algorithm, const Scan& scan, Offsets offsets, std::int64_t num_segments,
    std::int64_t begin, std::int64_t end)
  {
    if (begin < end)
    {
      const auto part =
        detail::make_segment_scan<IsInclusive, T>(scan.input + begin, scan.output + begin, scan.init, scan.op);
      (void) detail::execute(
        policy, algorithm,
        segmented_scan_job<std::decay_t<decltype(part)>, decltype(detail::segments_from(offsets, 0, 0, 0)), Result>(
          part, detail::segments_from(offsets, num_segments, begin, end), part.output));
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
