// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Compaction of items in segments on a CPU: one pass over pieces of items and starts of segments.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/equal_pieces.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/cpu_placed_pieces.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/segmented_compact/job.h>
#include <mgpu_thrust/detail/segmented_compact/serial.h>

#include <algorithm>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Bytes on the stack for the results of the items and starts that the calling thread processes at a time.
inline constexpr std::int64_t cpu_compacted_bytes = std::int64_t{1} << 14;

template <class Compaction, class Offsets, class Output, class OffsetsOutput>
struct cpu_work<segmented_compact_job<Compaction, segments<Offsets>, Output, OffsetsOutput>>
{
  using job_type = segmented_compact_job<Compaction, segments<Offsets>, Output, OffsetsOutput>;
  using keep_type = typename Compaction::keep_type;
  using kept_type = kept_items<Compaction>;
  using writer_type = compact_writer<Compaction>;

  template <class Workers>
  static Output run(const job_type& job, const Workers& workers)
  {
    if constexpr (!Workers::is_serial)
    {
      const segment_pieces<Offsets> pieces{job.in};
      if (workers.count(pieces.count()) > 1)
      {
        return run_pieces(job, pieces, workers);
      }
    }
    return run_in_order(job);
  }

private:
  /// Compacts on the calling thread, into outputs that may lack random access. Where few of the last items were kept,
  /// or nearly all, a branch on the next ones is predicted, and they are written at once: with segments of eight and
  /// more, in 0.9 to 1.2 of the time of a plain loop. Where half are kept, the others take 0.2 to 0.5 of it.
  static Output run_in_order(const job_type& job)
  {
    keep_type keep = job.compact.keep;
    writer_type to{job.compact.output, job.compact.offsets_output};
    alignas(typename Compaction::item_type) unsigned char storage[cpu_compacted_bytes];
    constexpr std::int64_t room = cpu_compacted_bytes / kept_type::bytes_per_element;
    bool is_predicted = false;
    for (compact_piece rest = detail::whole_piece(job.in); !rest.is_empty();)
    {
      const std::int64_t size = to.size;
      const std::int64_t item = rest.item;
      if (is_predicted)
      {
        rest = detail::walk_piece(job.compact.input, keep, job.in, rest, room, to);
      }
      else
      {
        kept_type kept(rest, storage, room);
        rest = detail::walk_piece(job.compact.input, keep, job.in, rest, room, kept);
        kept.flush(job.compact.input, to, size);
        to.size = size + kept.size;
      }
      const std::int64_t kept_of_16 = 16 * (to.size - size) / (std::max)(rest.item - item, std::int64_t{1});
      is_predicted = kept_of_16 == 0 || kept_of_16 >= 15;
    }
    to.start();
    return detail::rewrap(job.output, to.output);
  }

  template <class Workers>
  static Output run_pieces(const job_type& job, const segment_pieces<Offsets>& pieces, const Workers& workers)
  {
    const Compaction& compact = job.compact;
    const auto writer_at = [&](std::int64_t offset, std::int64_t segment) {
      return writer_type{compact.output + offset, compact.offsets_output + segment, offset};
    };
    const std::int64_t size = detail::place_pieces<kept_type>(
      workers, pieces.count(), cpu_piece_elements, job.in.num_items, [&](int) { return compact.keep; },
      [&](std::int64_t piece) { return detail::piece_between(job.in, pieces.cut(piece), pieces.cut(piece + 1)); },
      [&](kept_type& kept, keep_type& keep)
      { detail::walk_piece(compact.input, keep, job.in, kept.piece, cpu_piece_elements, kept); },
      [&](const kept_type& kept, std::int64_t offset)
      {
        writer_type to = writer_at(offset, kept.piece.segment);
        kept.flush(compact.input, to, offset);
      });
    writer_at(size, job.in.num_segments).start();
    return job.output + size;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
