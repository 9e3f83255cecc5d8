// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The order in which a thread may store the results that it finds among its items.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/tile/segments/thread_items.cuh>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Stores the results of a thread, in this order:
///
///     put()         the head and each inner segment, while the thread reduces its items: this gives the tail
///     the scan      over the tails of all threads: this gives the part of the first segment in the threads before
///     complete()    joins that with the head or the tail, and stores the tail
///
/// The arguments enforce that order. complete() takes the result of the scan, the scan takes the tail, and there is no
/// tail before all results are put. complete() consumes the object, so nothing is put after it.
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

  /// Stores the results that are not complete, for a thread that has items. `tail` is the reduction of the thread's
  /// items of the tail. join(part) returns the reduction of the first segment's items in the threads before, followed
  /// by `part`. Returns the tail, complete as far as the thread's last item.
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
