// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Bulk removal and insertion on a CPU: pieces that the merge path cuts, each written at its output offset.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/bulk/job.h>
#include <mgpu_thrust/detail/cut/set_pieces.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Edit, class Output>
struct cpu_work<bulk_job<Edit, Output>>
{
  using job_type = bulk_job<Edit, Output>;

  template <class Workers>
  static Output run(const job_type& job, const Workers& workers)
  {
    if constexpr (Workers::is_serial)
    {
      return job.in_thread();
    }
    else
    {
      const Edit& edit = job.edit;
      const auto output = detail::unwrap(job.output);
      const set_pieces<merge_t, decltype(edit.path), index_less> pieces{edit.path, index_less{}};
      workers.run_pieces(
        pieces.count(),
        [&](std::int64_t piece)
        {
          const auto part = pieces[piece];
          const std::int64_t b = *part.b;
          const std::int64_t a = piece * cpu_piece_elements - b;
          edit.write(part, a, b, output + edit.output_offset(a, b));
        });
      return job.result();
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
