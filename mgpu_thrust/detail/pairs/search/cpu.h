// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Searches for the needles of pairs of lists on a CPU. Workers take pieces of equal work.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/pairs/count/pair_pieces.h>
#include <mgpu_thrust/detail/pairs/search/job.h>
#include <mgpu_thrust/detail/pairs/search/serial.h>

#include <cstdint>
#include <limits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Search, class Pairs, class Result, class Offsets, class Index, class Compare>
struct cpu_work<segmented_search_job<Search, Pairs, Result, Offsets, Index, Compare>>
{
  using job_type = segmented_search_job<Search, Pairs, Result, Offsets, Index, Compare>;
  using order_type = typename job_type::order_type;
  using work_type = search_work<Search>;
  using pieces_type = pair_pieces<work_type, Pairs>;

  template <class Workers>
  static nothing run(const job_type& job, const Workers& workers)
  {
    if (workers.count((std::numeric_limits<std::int64_t>::max)()) == 1)
    {
      return job.in_thread();
    }
    const auto storage = workers.storage(pieces_type::bytes(job.pairs));
    const pieces_type pieces(job.pairs, storage.data(), workers);
    workers.run_pieces(
      pieces.count(), job.order(),
      [&](std::int64_t piece, order_type& comp)
      {
        pieces.for_each_pair(
          piece, [&](std::int64_t pair, const work_type& work, const typename pieces_type::part& part)
          { job.search(pair, work.lists, work.steps(part.begin), work.steps(part.end), comp); });
      });
    return {};
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
