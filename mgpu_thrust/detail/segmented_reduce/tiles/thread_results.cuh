// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The results that a thread finds among its items, and the order in which it may store them.

#include <mgpu_thrust/detail/base/config.h>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The neighbouring items of a tile that one thread reduces. The parts of segments among them are of three kinds:
///
///     segment of each item    a a a | b b | c c c | d d
///                             head    inner         tail
///
/// The head is the part of the thread's first segment if the next segment starts among the items too. It is incomplete
/// if the segment has items in the threads before. An inner segment is complete. The tail reaches to the thread's last
/// item, whether its segment ends there or not. If no segment starts after the thread's first item, all items are the
/// tail, and there is no head. Then the tail is incomplete if the segment has items in the threads before.
struct thread_items
{
  int first;       ///< its first item, numbered in the tile
  int count;       ///< number of its items; 0 or less if it has none
  unsigned starts; ///< bit k tells whether a segment starts at item(k)

  /// Returns the thread's k-th item, numbered in the tile.
  MGPU_THRUST_DEVICE int item(int k) const
  {
    return first + k;
  }
  /// Returns the item after the last.
  MGPU_THRUST_DEVICE int stop() const
  {
    return item(count);
  }
  /// Returns whether a segment starts at any of the items.
  MGPU_THRUST_DEVICE bool has_start() const
  {
    return starts != 0;
  }
  /// Returns whether a segment starts at item(k).
  MGPU_THRUST_DEVICE bool is_start(int k) const
  {
    return starts >> k & 1;
  }
  /// Returns whether the first segment has items in the threads before.
  MGPU_THRUST_DEVICE bool is_begun() const
  {
    return first > 0 && !is_start(0);
  }
  /// Returns the number of items of the head; -1 if there is none.
  MGPU_THRUST_DEVICE int head_count() const
  {
    return __ffs(static_cast<int>(starts & ~1u)) - 1;
  }
};

/// Stores the results of a thread, in this order:
///
///     put()         the head and each inner segment, while the thread reduces its items: this gives the tail
///     the scan      over the tails of all threads: this gives the part of the first segment in the threads before
///     complete()    joins that with the head or the tail, and stores the tail
///
/// The arguments enforce that order. complete() takes the result of the scan, the scan takes the tail, and there is no tail
/// before all results are put. complete() consumes the object, so nothing is put after it.
///
/// Values is staged_values or direct_values, which differ in where and when they store a result. Their functions put(),
/// complete_head() and put_tail() are private, and called from here only.
template <class Values>
class thread_results
{
public:
  MGPU_THRUST_DEVICE explicit thread_results(Values& values)
      : values_(values)
  {
  }

  /// Stores the reduction of the thread's items of the head or an inner segment, whose last item is `last_item`. Called
  /// in ascending order of segments.
  template <class T>
  MGPU_THRUST_DEVICE void put(int last_item, const T& value)
  {
    values_.put(last_item, value);
  }

  /// Stores the results that are not complete, for a thread that has items. `tail` is the reduction of the thread's items of
  /// the tail. join(part) returns the reduction of the first segment's items in the threads before, followed by `part`.
  /// Returns the tail, complete as far as the thread's last item.
  template <class T, class Join>
  MGPU_THRUST_DEVICE T complete(const thread_items& own, T tail, Join join) &&
  {
    const bool is_begun = own.is_begun();
    const int head_count = own.head_count();
    if (head_count > 0)
    {
      values_.complete_head(own.item(head_count - 1), is_begun, join);
    }
    else if (is_begun)
    {
      tail = join(tail);
    }
    values_.put_tail(own.item(own.count - 1), tail);
    return tail;
  }

private:
  Values& values_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
