// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Segmented reduction on the CPU backends that have workers: pieces that load-balancing search cuts, whose number and
/// beginnings do not depend on the workers. The partial results of a segment that pieces share are combined in order
/// afterwards.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/cpu_executors.h>
#include <mgpu_thrust/detail/execute/execution.h>
#include <mgpu_thrust/detail/execute/temporary_storage.h>
#include <mgpu_thrust/detail/segmented_reduce/serial.h>

#include <cstddef>
#include <cstdint>
#include <memory>
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
class segment_carries
{
public:
  /// Bytes of storage for the carries of `pieces` pieces.
  static std::size_t bytes(std::int64_t pieces)
  {
    return static_cast<std::size_t>(pieces) * sizeof(segment_carry<T>);
  }
  segment_carries(void* storage, std::int64_t pieces)
      : carries_(static_cast<segment_carry<T>*>(storage))
      , pieces_(pieces)
  {
    std::uninitialized_value_construct_n(carries_, pieces);
  }
  segment_carries(const segment_carries&) = delete;
  segment_carries& operator=(const segment_carries&) = delete;
  ~segment_carries()
  {
    std::destroy_n(carries_, pieces_);
  }
  segment_carry<T>& operator[](std::int64_t piece) const
  {
    return carries_[piece];
  }

private:
  segment_carry<T>* carries_;
  std::int64_t pieces_;
};

/// Reduces the items between two points of the load-balancing path. Writes the results of the segments that start there
/// except the last, which may continue after `end`.
template <class Job, class Offsets>
void reduce_piece(
  Job job, const segments<Offsets>& in, load_balance_point begin, load_balance_point end,
  segment_carry<typename Job::value_type>& carry)
{
  // 1. Items of the segment that the piece begins in.
  const bool has_start = begin.segment_index < end.segment_index;
  const std::int64_t first_start =
    has_start ? detail::clamp_index(in.offset(begin.segment_index), begin.item_index, end.item_index) : end.item_index;
  carry.segment = begin.segment_index;
  if (begin.item_index < first_start)
  {
    carry.head.emplace(job.reduce(job.item(begin.item_index), begin.item_index + 1, first_start));
  }
  if (has_start)
  {
    // 2. Segments that start and end here.
    const std::int64_t last = end.segment_index - 1;
    const std::int64_t last_start = detail::clamp_index(in.offset(last), first_start, end.item_index);
    detail::reduce_segments(
      job, job.output + begin.segment_index, in, begin.segment_index, last, first_start, last_start);

    // 3. The last segment that starts here.
    carry.tail.emplace(job.reduce(job.init, last_start, end.item_index));
  }
}

/// Writes the results of the segments that reduce_piece has not written.
template <class Job>
void reduce_carries(
  Job job, const segment_carries<typename Job::value_type>& carries, std::int64_t pieces, std::int64_t num_segments)
{
  typename Job::value_type value = job.init; // of the segment before the first that starts in the piece
  for (std::int64_t piece = 0; piece < pieces; ++piece)
  {
    auto& carry = carries[piece];
    if (carry.head)
    {
      job.append(value, *carry.head);
    }
    if (carry.tail)
    {
      if (carry.segment > 0)
      {
        *(job.output + (carry.segment - 1)) = std::move(value);
      }
      value = std::move(*carry.tail);
    }
  }
  *(job.output + (num_segments - 1)) = std::move(value);
}

/// Reduces the pieces from cut(0) to cut(1), from cut(1) to cut(2), ..., of which there is at least one.
template <class Backend, class Policy, class Job, class Offsets, class Cut>
void reduce_pieces(
  Backend backend, Policy& policy, const char* algorithm, const Job& job, const segments<Offsets>& in,
  std::int64_t pieces, Cut cut)
{
  using carries_type = segment_carries<typename Job::value_type>;
  if (pieces == 1)
  {
    detail::reduce_segments_in_thread(job, in);
    return;
  }
  const temporary_storage<Policy> storage(policy, algorithm, carries_type::bytes(pieces));
  const carries_type carries(storage.data(), pieces);
  detail::run_pieces(
    detail::executor_of(backend), pieces,
    [&](std::int64_t piece) { detail::reduce_piece(job, in, cut(piece), cut(piece + 1), carries[piece]); });
  detail::reduce_carries(job, carries, pieces, in.num_segments);
}

/// The points where the pieces of a reduction begin, kept for many reductions. There must be at least one segment.
template <class Policy, class Offsets>
class cpu_segment_partition
{
public:
  cpu_segment_partition(Policy& policy, const char* algorithm, const segments<Offsets>& in)
      : pieces_{in}
      , storage_(policy, algorithm, static_cast<std::size_t>(pieces_.count() + 1) * sizeof(std::int64_t))
      , segments_(static_cast<std::int64_t*>(storage_.data()))
  {
    detail::run_pieces(
      detail::executor_of(backend_t<Policy>{}), pieces_.count() + 1,
      [&](std::int64_t piece) { segments_[piece] = pieces_.cut(piece).segment_index; });
  }
  std::int64_t count() const
  {
    return pieces_.count();
  }
  /// The point where a piece begins and the one before it ends.
  load_balance_point cut(std::int64_t piece) const
  {
    return {pieces_.diagonal(piece) - segments_[piece], segments_[piece]};
  }

private:
  segment_pieces<Offsets> pieces_;
  temporary_storage<Policy> storage_;
  std::int64_t* segments_; // for each piece, the number of segments that start before it
};

/// Reduces all segments, of which there is at least one.
template <class Backend, class Policy, class Job, class Offsets>
void reduce_segments_on(
  Backend backend, Policy& policy, const char* algorithm, const Job& job, const segments<Offsets>& in)
{
  const segment_pieces<Offsets> pieces{in};
  detail::reduce_pieces(
    backend, policy, algorithm, job, in, pieces.count(), [&](std::int64_t piece) { return pieces.cut(piece); });
}

/// Reduces all segments, of which there is at least one, with an existing partition.
template <class Backend, class Policy, class Job, class Offsets>
void reduce_segments_on(
  Backend backend, Policy& policy, const char* algorithm, const Job& job, const segments<Offsets>& in,
  const cpu_segment_partition<Policy, Offsets>& partition)
{
  detail::reduce_pieces(
    backend, policy, algorithm, job, in, partition.count(), [&](std::int64_t piece) { return partition.cut(piece); });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
