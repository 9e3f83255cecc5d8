// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Segmented reduction on a CPU. Load-balancing search cuts pieces, the same for any number of workers. The carries of
/// segments that pieces share are combined in order afterwards.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/execute/stored_objects.h>
#include <mgpu_thrust/detail/segmented_reduce/job.h>
#include <mgpu_thrust/detail/segmented_reduce/serial.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Partial results of a piece for the segments that it shares with other pieces.
template <class T>
struct segment_carry
{
  std::int64_t segment = 0; ///< the first segment that starts in the piece, if one does
  std::optional<T> head;    ///< reduction of the items before that segment, if there are any
  std::optional<T> tail;    ///< reduction of init and the items here of the last segment that starts here, if one does
};

/// The carries of all pieces.
template <class T>
using segment_carries = stored_objects<segment_carry<T>>;

/// Reduces the items between two points of the load-balancing path. Writes the results of the segments that start there
/// except the last, which may continue after `end`.
template <class Reduction, class Offsets>
void reduce_piece(
  Reduction reduction, const segments<Offsets>& in, load_balance_point begin, load_balance_point end,
  segment_carry<typename Reduction::value_type>& carry)
{
  // 1. Items of the segment that the piece begins in.
  const bool has_start = begin.segment_index < end.segment_index;
  const std::int64_t first_start =
    has_start ? detail::clamp_index(in.offset(begin.segment_index), begin.item_index, end.item_index) : end.item_index;
  carry.segment = begin.segment_index;
  if (begin.item_index < first_start)
  {
    carry.head.emplace(reduction.reduce(reduction.item(begin.item_index), begin.item_index + 1, first_start));
  }
  if (has_start)
  {
    // 2. Segments that start and end here.
    const std::int64_t last = end.segment_index - 1;
    const std::int64_t last_start = detail::clamp_index(in.offset(last), first_start, end.item_index);
    detail::reduce_segments(
      reduction, reduction.output + begin.segment_index, in, begin.segment_index, last, first_start, last_start);

    // 3. The last segment that starts here.
    carry.tail.emplace(reduction.reduce(reduction.init, last_start, end.item_index));
  }
}

/// Writes the results of the segments that reduce_piece has not written.
template <class Reduction>
void reduce_carries(
  Reduction reduction, const segment_carries<typename Reduction::value_type>& carries, std::int64_t pieces,
  std::int64_t num_segments)
{
  typename Reduction::value_type value = reduction.init; // of the segment before the first that starts in the piece
  for (std::int64_t piece = 0; piece < pieces; ++piece)
  {
    auto& carry = carries[piece];
    if (carry.head)
    {
      reduction.append(value, *carry.head);
    }
    if (carry.tail)
    {
      if (carry.segment > 0)
      {
        *(reduction.output + (carry.segment - 1)) = std::move(value);
      }
      value = std::move(*carry.tail);
    }
  }
  *(reduction.output + (num_segments - 1)) = std::move(value);
}

/// Stores the number of segments that start before each piece, and before the end of the last.
template <class Offsets>
struct cpu_work<segment_cuts_job<Offsets>>
{
  using job_type = segment_cuts_job<Offsets>;

  template <class Workers>
  static std::size_t storage_bytes(const job_type& job, const Workers&)
  {
    const auto cuts = static_cast<std::size_t>(segment_pieces<Offsets>{job.in}.count() + 1);
    return Workers::is_serial ? 0 : cuts * sizeof(std::int64_t);
  }
  template <class Workers>
  static std::int64_t prepare(const job_type& job, const Workers& workers, [[maybe_unused]] void* storage)
  {
    if constexpr (!Workers::is_serial)
    {
      const segment_pieces<Offsets> pieces{job.in};
      auto* const starts = static_cast<std::int64_t*>(storage);
      workers.run_pieces(
        pieces.count() + 1, [&](std::int64_t piece) { starts[piece] = pieces.cut(piece).segment_index; });
    }
    return 0;
  }
};

template <class Reduction, class Offsets, class Output>
struct cpu_work<segmented_reduce_job<Reduction, segments<Offsets>, Output>>
{
  using job_type = segmented_reduce_job<Reduction, segments<Offsets>, Output>;
  using carries_type = segment_carries<typename Reduction::value_type>;

  template <class Workers>
  static Output run(const job_type& job, const Workers& workers)
  {
    if constexpr (Workers::is_serial)
    {
      return job.in_thread();
    }
    else
    {
      const segment_pieces<Offsets> pieces{job.in};
      const std::int64_t count = pieces.count();
      if (count == 1)
      {
        return job.in_thread();
      }
      const auto* const starts = static_cast<const std::int64_t*>(job.cuts);
      const auto cut = [&](std::int64_t piece)
      {
        return starts == nullptr ? pieces.cut(piece)
                                 : load_balance_point{pieces.diagonal(piece) - starts[piece], starts[piece]};
      };
      const auto storage = workers.storage(carries_type::bytes(count));
      const carries_type carries(storage.data(), count);
      workers.run_pieces(
        count, [&](std::int64_t piece)
        { detail::reduce_piece(job.reduction, job.in, cut(piece), cut(piece + 1), carries[piece]); });
      detail::reduce_carries(job.reduction, carries, count, job.in.num_segments);
      return job.result();
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
