// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Operations on pairs of lists on a CPU. Workers take pieces of equal work: of many pairs, or of a part of one.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/equal_pieces.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/segmented_sets/job.h>
#include <mgpu_thrust/detail/segmented_sets/serial.h>

#include <cuda/cmath>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Number of pairs whose work is summed up. To find where a piece begins, its worker reads the bounds of so many pairs at
/// most.
inline constexpr std::int64_t summed_pairs = 1 << 7;

/// Maximum number of pieces: the work of pairs that share lists has no bound.
inline constexpr std::int64_t max_pair_pieces = 1 << 16;

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
      const equal_pieces groups{job.pairs.num_pairs, summed_pairs};
      const auto sums_storage = workers.storage(static_cast<std::size_t>(groups.count() + 1) * sizeof(std::int64_t));
      auto* const before = static_cast<std::int64_t*>(sums_storage.data());
      workers.run_pieces(
        groups.count(),
        [&](std::int64_t group)
        {
          std::int64_t sum = 0;
          for (std::int64_t pair = groups.begin(group); pair < groups.end(group); ++pair)
          {
            sum += pair_work(job.pairs.pair(pair)).weight();
          }
          before[group + 1] = sum;
        });
      before[0] = 0;
      for (std::int64_t group = 0; group < groups.count(); ++group)
      {
        before[group + 1] += before[group];
      }
      const std::int64_t total = before[groups.count()];
      const equal_pieces pieces{total, (std::max)(cpu_piece_elements, ::cuda::ceil_div(total, max_pair_pieces))};
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
          const std::int64_t* const after = std::upper_bound(before, before + groups.count(), pieces.begin(piece));
          const std::int64_t group = after - before - 1;
          process_piece(job.pairs, pieces, piece, groups.begin(group), before[group], divided, own);
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

  /// Processes a piece, given a pair at its begin or before it, and the work before that pair.
  static void process_piece(
    const Pairs& pairs, const equal_pieces& pieces, std::int64_t piece, std::int64_t pair, std::int64_t pair_begin,
    divided_pair* divided, own_functions& own)
  {
    const std::int64_t begin = pieces.begin(piece);
    const std::int64_t end = pieces.end(piece);
    for (; pair_begin < end; ++pair)
    {
      const pair_work work(pairs.pair(pair));
      const std::int64_t pair_end = pair_begin + work.weight();
      if (pair_end > begin)
      {
        const bool is_whole = begin <= pair_begin && pair_end <= end;
        divided_pair& sum = divided[pair_begin / pieces.size];
        if (!is_whole && begin <= pair_begin)
        {
          sum.pair = pair;
        }
        if (is_whole || !Action::stops_early || sum.count.load(std::memory_order_relaxed) == 0)
        {
          [[maybe_unused]] const std::int64_t count = detail::process_matches(
            own.action, pairs, pair, work, (std::max)(begin, pair_begin) - pair_begin,
            (std::min)(end, pair_end) - pair_begin, own.comp);
          if constexpr (!Action::visits)
          {
            if (is_whole)
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
      pair_begin = pair_end;
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
