// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Operations on pairs of lists on a CPU. Workers take pieces of equal work: of many pairs, or of a part of one.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/pairs/count/job.h>
#include <mgpu_thrust/detail/pairs/count/pair_pieces.h>
#include <mgpu_thrust/detail/pairs/count/serial.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A pair that begins in a piece and ends in a later one, and the number of its matches so far.
struct divided_pair
{
  std::atomic<std::int64_t> count{0};
  std::int64_t pair = -1;
};
static_assert(std::is_trivially_destructible_v<divided_pair>, "the storage is given back as it is");

template <class Action, class Pairs, class Compare, class Output>
struct cpu_work<segmented_sets_job<Action, Pairs, Compare, Output>>
{
  using job_type = segmented_sets_job<Action, Pairs, Compare, Output>;
  using order_type = typename job_type::order_type;
  using pieces_type = pair_pieces<pair_work, Pairs>;

  template <class Workers>
  static Output run(const job_type& job, const Workers& workers)
  {
    if constexpr (Workers::is_serial)
    {
      return job.in_thread();
    }
    else
    {
      if (workers.count((std::numeric_limits<std::int64_t>::max)()) == 1)
      {
        return job.in_thread();
      }

      // 1. Sum up the work before each group of pairs.
      const auto sums_storage = workers.storage(pieces_type::bytes(job.pairs));
      const pieces_type pieces(job.pairs, sums_storage.data(), workers);
      if (pieces.count() == 1)
      {
        return job.in_thread();
      }

      // 2. Process pieces. Pairs that are in several of them have their matches counted where they begin.
      const auto storage = workers.storage(static_cast<std::size_t>(pieces.count()) * sizeof(divided_pair));
      auto* const divided = static_cast<divided_pair*>(storage.data());
      for (std::int64_t piece = 0; piece < pieces.count(); ++piece)
      {
        ::new (static_cast<void*>(divided + piece)) divided_pair;
      }
      workers.run_pieces(
        pieces.count(), own_functions{job.action, job.order()},
        [&](std::int64_t piece, own_functions& own)
        {
          pieces.for_each_pair(
            piece, [&](std::int64_t pair, const pair_work& work, const typename pieces_type::part& part)
            { process_part(job.pairs, pair, work, part, divided[part.first_piece], own); });
        });

      // 3. Store the results of those pairs.
      if constexpr (!Action::visits)
      {
        Action action = job.action;
        for (std::int64_t piece = 0; piece < pieces.count(); ++piece)
        {
          if (divided[piece].pair >= 0)
          {
            action.store(divided[piece].pair, divided[piece].count.load(std::memory_order_relaxed));
          }
        }
      }
      return job.result();
    }
  }

private:
  /// A worker's own copies of what is called.
  struct own_functions
  {
    Action action;
    order_type comp;
  };

  /// Processes a part of a pair's work, given what its parts share.
  static void process_part(
    const Pairs& pairs, std::int64_t pair, const pair_work& work, const typename pieces_type::part& part,
    divided_pair& sum, own_functions& own)
  {
    if (part.is_first && !part.is_whole)
    {
      sum.pair = pair;
    }
    if (part.is_whole || !Action::stops_early || sum.count.load(std::memory_order_relaxed) == 0)
    {
      [[maybe_unused]] const std::int64_t count =
        detail::process_matches(own.action, pairs, pair, work, part.begin, part.end, own.comp);
      if constexpr (!Action::visits)
      {
        if (part.is_whole)
        {
          own.action.store(pair, count);
        }
        else
        {
          sum.count.fetch_add(count, std::memory_order_relaxed);
        }
      }
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
