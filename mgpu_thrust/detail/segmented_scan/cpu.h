// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Segmented scans on a CPU. Load-balancing search cuts pieces, the same for any number of workers. A piece whose last
/// segment goes on in the next piece hands a carry on to that.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/execute/stored_objects.h>
#include <mgpu_thrust/detail/segmented_scan/job.h>
#include <mgpu_thrust/detail/segmented_scan/serial.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The carries that pieces hand on to the next ones. Workers take pieces in order, so the piece that a worker waits for
/// has been taken.
template <class T>
class piece_carries
{
  struct slot
  {
    std::atomic<bool> is_posted{false};
    std::optional<T> value;
  };

public:
  /// Bytes of storage for the carries of `pieces` pieces.
  static std::size_t bytes(std::int64_t pieces)
  {
    return stored_objects<slot>::bytes(pieces);
  }
  piece_carries(void* storage, std::int64_t pieces)
      : slots_(storage, pieces)
  {
  }

  /// Hands `value` on to the piece after `piece`.
  void post(std::int64_t piece, std::optional<T> value)
  {
    slots_[piece].value = std::move(value);
    slots_[piece].is_posted.store(true, std::memory_order_release);
  }
  /// Returns what the piece before `piece` hands on, or null if that is not known yet. There is no value if the offsets
  /// are wrong.
  const std::optional<T>* find(std::int64_t piece) const
  {
    const slot& before = slots_[piece - 1];
    return before.is_posted.load(std::memory_order_acquire) ? &before.value : nullptr;
  }
  /// Waits for what the piece before `piece` hands on. Returns null if the call was stopped.
  const std::optional<T>* wait(std::int64_t piece, const piece_queue& queue) const
  {
    const std::optional<T>* found = find(piece);
    while (found == nullptr && !queue.stopped())
    {
      std::this_thread::yield();
      found = find(piece);
    }
    return found;
  }

private:
  stored_objects<slot> slots_;
};

/// A piece between two points of the load-balancing path. If a segment's start is before a point and its first item
/// after it, the segment starts in the later piece.
struct scan_piece
{
  std::int64_t begin;         ///< the first item
  std::int64_t end;           ///< the item after the last
  bool is_begun;              ///< whether the first item's segment started in an earlier piece
  bool continues;             ///< whether the last item's segment goes on in the next piece
  std::int64_t first_segment; ///< the first segment that starts in the piece
  std::int64_t last_segment;  ///< the last one; less than the first if none does

  template <class Offsets>
  scan_piece(const segments<Offsets>& in, load_balance_point from, load_balance_point to)
      : begin(from.item_index)
      , end(to.item_index < from.item_index ? from.item_index : to.item_index)
      , is_begun(is_inside(in, from))
      , continues(is_inside(in, to))
      , first_segment(is_begun || from.segment_index == 0 ? from.segment_index : from.segment_index - 1)
      , last_segment(to.segment_index - 1)
  {
    if (!is_begun && last_segment < first_segment)
    {
      last_segment = first_segment; // the first offset is wrong
    }
  }

private:
  /// Whether a segment has items on both sides of a point.
  template <class Offsets>
  static bool is_inside(const segments<Offsets>& in, load_balance_point point)
  {
    return point.segment_index > 0 && point.item_index < in.num_items
           && in.offset(point.segment_index - 1) < point.item_index;
  }
};

/// Scans a piece all of whose items belong to one segment, which `carry` is the reduction of before the piece. Returns
/// what it hands on: carry and the reduction of the piece, so that the grouping does not depend on who computes it.
template <class Scan>
typename Scan::value_type
scan_within_segment(Scan& scan, const scan_piece& piece, const typename Scan::value_type& carry)
{
  using T = typename Scan::value_type;
  auto output = scan.output + piece.begin;
  T value = carry;
  T sum = scan.item(piece.begin);
  scan.write(value, sum, output);
  for (std::int64_t i = piece.begin + 1; i < piece.end; ++i)
  {
    const T next = scan.item(i);
    scan.write(value, next, output);
    scan.append(sum, next);
  }
  return static_cast<T>(scan.op(carry, sum));
}

/// Returns the reduction of the items of a piece, of which there is at least one.
template <class Scan>
typename Scan::value_type reduce_items(Scan& scan, const scan_piece& piece)
{
  auto sum = scan.item(piece.begin);
  for (std::int64_t i = piece.begin + 1; i < piece.end; ++i)
  {
    scan.append(sum, scan.item(i));
  }
  return sum;
}

/// Scans a piece: first the last segment that starts in it, as the next piece may wait for its carry; then those before
/// that one; and then the items of the segment that started earlier, for which it may have to wait.
template <class Scan, class Offsets>
void scan_items_of_piece(
  Scan& scan, const segments<Offsets>& in, const scan_piece& piece, std::int64_t number,
  piece_carries<typename Scan::value_type>& carries, const piece_queue& queue)
{
  using T = typename Scan::value_type;
  const bool has_start = piece.first_segment <= piece.last_segment;
  const std::int64_t first_start = !piece.is_begun ? piece.begin
                                   : has_start
                                     ? detail::clamp_index(in.offset(piece.first_segment), piece.begin, piece.end)
                                     : piece.end;
  std::optional<T> last; // the reduction of the last segment's items
  const auto keep_last = [&](T&& value) { last.emplace(std::move(value)); };

  // 1. Segments that start here.
  if (has_start)
  {
    const std::int64_t last_start = piece.first_segment == piece.last_segment
                                      ? first_start
                                      : detail::clamp_index(in.offset(piece.last_segment), first_start, piece.end);
    detail::scan_segment(scan, scan.output + last_start, last_start, piece.end, keep_last);
    if (piece.continues)
    {
      carries.post(number, std::move(last));
    }
    detail::scan_segments(
      scan, scan.output + first_start, in, piece.first_segment, piece.last_segment, first_start, last_start);
  }

  // 2. Items of the segment that started earlier. If it also goes on and its carry is not known yet, the items are
  //    reduced first, so that the next piece waits for less.
  const bool hands_on = piece.continues && !has_start;
  if (piece.begin < first_start)
  {
    std::optional<T> sum;
    if (hands_on && carries.find(number) == nullptr)
    {
      sum.emplace(detail::reduce_items(scan, piece));
    }
    const std::optional<T>* const carry = carries.wait(number, queue);
    if (carry == nullptr)
    {
      return;
    }
    if (!*carry)
    {
      detail::scan_segment(scan, scan.output + piece.begin, piece.begin, first_start, keep_last);
    }
    else if (hands_on && !sum)
    {
      last.emplace(detail::scan_within_segment(scan, piece, **carry));
    }
    else
    {
      if (hands_on)
      {
        carries.post(number, static_cast<T>(scan.op(**carry, *sum)));
      }
      T value = **carry;
      detail::scan_items(scan, value, scan.output + piece.begin, piece.begin, first_start);
      return;
    }
  }
  if (hands_on)
  {
    carries.post(number, std::move(last));
  }
}

template <class Scan, class Offsets, class Output>
struct cpu_work<segmented_scan_job<Scan, segments<Offsets>, Output>>
{
  using job_type = segmented_scan_job<Scan, segments<Offsets>, Output>;
  using carries_type = piece_carries<typename Scan::value_type>;

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
      const auto storage = workers.storage(carries_type::bytes(count));
      carries_type carries(storage.data(), count);
      const auto work = [&](int, piece_queue& queue)
      {
        Scan own = job.scan;
        std::int64_t next = 0; // the piece after the worker's last one, and where it begins
        load_balance_point begin{0, 0};
        for (std::int64_t number = queue.take(); number >= 0; number = queue.take())
        {
          const load_balance_point from = number == next ? begin : pieces.cut(number);
          next = number + 1;
          begin = pieces.cut(next);
          detail::scan_items_of_piece(own, job.in, scan_piece(job.in, from, begin), number, carries, queue);
        }
      };
      workers.run(count, work);
      return job.result();
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
