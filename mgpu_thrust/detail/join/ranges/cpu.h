// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The count of the points in each interval on a CPU: pieces of equally many intervals.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/equal_pieces.h>
#include <mgpu_thrust/detail/cut/short_side.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/join/ranges/job.h>
#include <mgpu_thrust/detail/join/ranges/serial.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Kind, class Inputs, class Output, class Compare>
struct cpu_work<range_count_job<Kind, Inputs, Output, Compare>>
{
  using job_type = range_count_job<Kind, Inputs, Output, Compare>;
  using order_type = typename job_type::order_type;

  template <class Workers>
  static Output run(const job_type& job, const Workers& workers)
  {
    if constexpr (Workers::is_serial)
    {
      return job.in_thread();
    }
    else
    {
      const equal_pieces pieces{job.inputs.a_count, cpu_short_piece_elements};
      workers.run_pieces(
        pieces.count(), job.order(),
        [&](std::int64_t piece, order_type& own_comp)
        {
          Output own_output = job.output + pieces.begin(piece);
          detail::search_intervals(Kind{}, job.inputs, pieces.begin(piece), pieces.end(piece), own_output, own_comp);
        });
      return job.result();
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
