// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Bulk removal and insertion on the CPU backends: pieces that the merge path cuts, each written at its output offset.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/bulk/serial.h>
#include <mgpu_thrust/detail/cut/set_pieces.h>
#include <mgpu_thrust/detail/execute/cpu_executors.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Executes a bulk_removal or bulk_insertion. Returns the end of the output.
template <class Backend, class Policy, class Job, class Output>
Output run_bulk([[maybe_unused]] Backend backend, Policy&, const char*, const Job& job, Output output)
{
  if constexpr (std::is_same_v<Backend, serial_backend>)
  {
    return job.run(job.path, 0, 0, output);
  }
  else
  {
    const set_pieces<merge_t, decltype(job.path), index_less> pieces{job.path, index_less{}};
    detail::run_pieces(
      detail::executor_of(backend), pieces.count(),
      [&](std::int64_t piece)
      {
        const auto part = pieces[piece];
        const std::int64_t b = *part.b;
        const std::int64_t a = piece * cpu_piece_elements - b;
        job.run(part, a, b, output + job.output_offset(a, b));
      });
    return output + job.output_size();
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
