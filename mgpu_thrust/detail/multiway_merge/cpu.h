// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Merges of any number of runs on a CPU. Workers take spans of the result, which the multiway path cuts in halves
/// until they are pieces, and merge the parts that a piece has of the runs. Empty runs are left out first.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/equal_pieces.h>
#include <mgpu_thrust/detail/cut/runs.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/multiway_merge/job.h>
#include <mgpu_thrust/detail/multiway_merge/merge_parts.h>
#include <mgpu_thrust/detail/multiway_merge/piece_cuts.h>

#include <cuda/cmath>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Runs, class Result, class Compare>
struct cpu_work<multiway_merge_job<Runs, Result, Compare>>
{
  using job_type = multiway_merge_job<Runs, Result, Compare>;
  using outputs_type = typename job_type::outputs_type;
  using order_type = typename job_type::order_type;
  using runs_type = listed_runs<Runs>;
  using merger = part_merger<runs_type, outputs_type, order_type>;
  using item = typename merger::item;

  template <class Workers>
  static Result run(const job_type& job, const Workers& workers)
  {
    // 1. List the runs.
    const Runs& runs = job.runs;
    workers.check().items_in_memory(runs.num_runs, 8 * sizeof(listed_run));
    const auto list_storage = workers.storage(static_cast<std::size_t>(runs.num_runs) * sizeof(listed_run));
    const runs_list<Runs> list(runs, static_cast<listed_run*>(list_storage.data()));
    outputs_type outputs = job.output.outputs();
    if (list.num_items == 0)
    {
      return job.empty_result();
    }

    // 2. Merge spans of pieces.
    constexpr int many = (std::numeric_limits<int>::max)();
    const equal_pieces pieces = merge_pieces(list.num_items, list.count, sizeof(item), workers.count(many)).pieces;
    const int num_workers = workers.count(pieces.count());
    const std::int64_t spans = num_workers == 1 ? 1 : (std::min)(pieces.count(), 2 * std::int64_t{num_workers});
    const piece_memory memory(list.count, pieces, ::cuda::ceil_div(pieces.count(), spans), sizeof(item));
    const auto storage = workers.storage(memory.bytes * static_cast<std::size_t>(num_workers));
    const auto work = [&](int worker, piece_queue& queue)
    {
      unsigned char* const own =
        static_cast<unsigned char*>(storage.data()) + memory.bytes * static_cast<std::size_t>(worker);
      order_type comp = job.order();
      const runs_type listed{runs, list.list};
      merger parts(
        listed, memory.parts(own), memory.template buffer<item>(own, 0), memory.template buffer<item>(own, 1), comp);
      piece_cuts<runs_type, order_type> cuts(listed, list.count, pieces.size, memory, own, comp);
      const auto merge = [&](std::int64_t span, outputs_type& to)
      {
        cuts.divide_range(
          pieces.begin(pieces.count() * span / spans), pieces.begin(pieces.count() * (span + 1) / spans),
          [&](const std::int64_t* begin, const std::int64_t* end, std::int64_t count)
          { parts.merge(begin, end, list.count, count, to); });
      };
      for (std::int64_t span = queue.take(); span >= 0; span = queue.take())
      {
        if constexpr (Workers::is_serial)
        {
          merge(span, outputs);
        }
        else
        {
          outputs_type at = outputs.at(pieces.begin(pieces.count() * span / spans));
          merge(span, at);
        }
      }
    };
    workers.run(spans, work);
    if constexpr (Workers::is_serial)
    {
      return job.output.ends(outputs);
    }
    else
    {
      return job.result();
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
