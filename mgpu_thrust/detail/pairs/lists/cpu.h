// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Set operations on pairs of lists whose results are lists, on a CPU. Workers take pieces of equal work twice: they
/// count what a piece keeps, and then, as all offsets are known, write it.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/pairs/count/pair_pieces.h>
#include <mgpu_thrust/detail/pairs/lists/job.h>
#include <mgpu_thrust/detail/pairs/lists/serial.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Operation, class Pairs, class Result, class Compare>
struct cpu_work<segmented_lists_job<Operation, Pairs, Result, Compare>>
{
  using job_type = segmented_lists_job<Operation, Pairs, Result, Compare>;
  using result_type = typename job_type::result_type;
  using offset_type = typename job_type::offset_type;
  using order_type = typename job_type::order_type;
  using work_type = list_work<Operation>;
  using pieces_type = pair_pieces<work_type, Pairs>;
  using part_type = typename pieces_type::part;

  template <class Workers>
  static result_type run(const job_type& job, const Workers& workers)
  {
    if constexpr (!Workers::is_serial)
    {
      if (workers.count((std::numeric_limits<std::int64_t>::max)()) > 1)
      {
        const auto sums_storage = workers.storage(pieces_type::bytes(job.pairs));
        const pieces_type pieces(job.pairs, sums_storage.data(), workers);
        if (pieces.count() > 1)
        {
          return run_pieces(job, pieces, workers);
        }
      }
    }
    check_total(job, workers);
    return job.in_thread();
  }

private:
  /// What a piece keeps, and what it may keep at most, of sorted lists.
  struct piece_size
  {
    std::int64_t kept;
    std::int64_t room;
  };

  static auto part_of(
    const job_type& job, const work_type& work, std::int64_t begin_weight, std::int64_t end_weight, order_type& comp)
  {
    return detail::find_list_part(
      Operation{}, job.pairs.inputs(work.lists), work.side(), work.steps(begin_weight), work.steps(end_weight), comp);
  }

  /// Throws if the offsets cannot hold the total. Elements are counted only if that may be so.
  template <class Workers>
  static void check_total(const job_type& job, const Workers& workers)
  {
    if constexpr (job_type::max_offset < (std::numeric_limits<std::int64_t>::max)())
    {
      std::int64_t room = 0;
      for (std::int64_t pair = 0; pair < job.pairs.num_pairs && room <= job_type::max_offset; ++pair)
      {
        room += job_type::max_kept(job.pairs.pair(pair));
      }
      if (room <= job_type::max_offset)
      {
        return;
      }
      order_type comp = job.order();
      std::int64_t total = 0;
      for (std::int64_t pair = 0; pair < job.pairs.num_pairs; ++pair)
      {
        const work_type work(job.pairs.pair(pair));
        total += detail::count_list_part(Operation{}, part_of(job, work, 0, work.weight(), comp), comp);
      }
      workers.check().index_range(total, job_type::max_offset);
    }
  }

  template <class Workers>
  static result_type run_pieces(const job_type& job, const pieces_type& pieces, const Workers& workers)
  {
    // 1. Count.
    const std::int64_t count = pieces.count();
    const auto storage = workers.storage(static_cast<std::size_t>(count) * sizeof(piece_size));
    auto* const sizes = static_cast<piece_size*>(storage.data());
    workers.run_pieces(
      count, job.order(),
      [&](std::int64_t piece, order_type& comp)
      {
        piece_size size{0, 0};
        pieces.for_each_pair(
          piece,
          [&](std::int64_t, const work_type& work, const part_type& part)
          {
            size.room += part.is_first ? job_type::max_kept(work.lists) : 0;
            size.kept += detail::count_list_part(Operation{}, part_of(job, work, part.begin, part.end, comp), comp);
          });
        sizes[piece] = size;
      });

    // 2. Turn sizes into offsets. Pieces of lists that are not sorted may keep more than max_kept().
    std::int64_t all_kept = 0;
    std::int64_t all_room = 0;
    for (std::int64_t piece = 0; piece < count; ++piece)
    {
      const std::int64_t kept = sizes[piece].kept;
      sizes[piece].kept = all_kept;
      all_kept += kept;
      all_room += sizes[piece].room;
    }
    const std::int64_t total = (std::min)(all_kept, all_room);
    const std::int64_t room = (std::min)(total, std::int64_t{job.output.room});
    workers.check().index_range(total, job_type::max_offset);

    // 3. Write.
    const auto outputs = job.output.kept.outputs();
    const auto offsets = detail::unwrap(job.output.offsets);
    workers.run_pieces(
      count, job.order(),
      [&](std::int64_t piece, order_type& comp)
      {
        std::int64_t size = sizes[piece].kept;
        auto own = detail::outputs_at(outputs, (std::min)(size, room));
        pieces.for_each_pair(
          piece,
          [&](std::int64_t pair, const work_type& work, const part_type& part)
          {
            if (part.is_first)
            {
              *(offsets + pair) = static_cast<offset_type>((std::min)(size, total));
            }
            detail::write_list_part(Operation{}, part_of(job, work, part.begin, part.end, comp), comp, own, size, room);
          });
      });
    *(offsets + job.pairs.num_pairs) = static_cast<offset_type>(total);
    return job.output.of_size(total);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
