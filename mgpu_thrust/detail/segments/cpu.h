// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Load balancing and interval operations on a CPU: pieces of items and starts of segments.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/segments/job.h>
#include <mgpu_thrust/detail/segments/serial.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Action, class Segments, class Output>
struct cpu_work<segments_job<Action, Segments, Output>>
{
  using job_type = segments_job<Action, Segments, Output>;

  template <class Workers>
  static Output run(const job_type& job, const Workers& workers)
  {
    if constexpr (Workers::is_serial)
    {
      return job.in_thread();
    }
    else
    {
      const segment_pieces<typename job_type::offsets_type> pieces{job.in};
      workers.run_pieces(
        pieces.count(), [&](std::int64_t piece)
        { detail::process_segments(job.action, job.in, pieces.cut(piece), pieces.cut(piece + 1)); });
      return job.result();
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
