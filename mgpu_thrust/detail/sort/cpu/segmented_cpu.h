// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Segmented sorts by flags on a CPU: finds the offsets of the segments, then sorts by offsets.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/equal_pieces.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/sort/cpu/cpu.h>
#include <mgpu_thrust/detail/sort/geometry/segments.h>
#include <mgpu_thrust/detail/sort/job.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Keys, class Flags, class Compare>
struct cpu_work<sort_job<Keys, no_values, flag_segments<Flags>, Compare>>
{
  using job_type = sort_job<Keys, no_values, flag_segments<Flags>, Compare>;

  template <class Workers>
  static nothing run(const job_type& job, const Workers& workers)
  {
    const std::int64_t count = job.count;
    if (count <= max_sorted_in_place)
    {
      return job.in_thread();
    }
    const equal_pieces pieces{count};

    // 1. Count the segments that start in each piece.
    const auto starts_storage = workers.storage(static_cast<std::size_t>(pieces.count()) * sizeof(std::int64_t));
    auto* const starts = static_cast<std::int64_t*>(starts_storage.data());
    workers.run_pieces(
      pieces.count(),
      [&](std::int64_t piece)
      {
        std::int64_t size = 0;
        for (std::int64_t i = pieces.begin(piece); i < pieces.end(piece); ++i)
        {
          size += job.segments.is_first(i);
        }
        starts[piece] = size;
      });
    std::int64_t num_segments = 0;
    for (std::int64_t piece = 0; piece < pieces.count(); ++piece)
    {
      const std::int64_t size = starts[piece];
      starts[piece] = num_segments;
      num_segments += size;
    }

    // 2. Write their offsets.
    const auto offsets_storage = workers.storage(static_cast<std::size_t>(num_segments) * sizeof(std::int64_t));
    auto* const offsets = static_cast<std::int64_t*>(offsets_storage.data());
    workers.run_pieces(
      pieces.count(),
      [&](std::int64_t piece)
      {
        std::int64_t* offset = offsets + starts[piece];
        for (std::int64_t i = pieces.begin(piece); i < pieces.end(piece); ++i)
        {
          if (job.segments.is_first(i))
          {
            *offset++ = i;
          }
        }
      });

    // 3. Sort.
    const offset_segments by_offsets{segments{count, static_cast<const std::int64_t*>(offsets), num_segments}};
    const sort_job sort(job.name, job.keys, no_values{}, count, by_offsets, job.comp);
    return cpu_work<std::remove_const_t<decltype(sort)>>::run(sort, workers);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
