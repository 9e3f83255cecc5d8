// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The values of a tile in global memory.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/segmented_reduce/tiles/thread_results.cuh>

#include <cub/util_type.cuh>

#include <new>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Counterpart of staged_values: reads values through the input iterator, and writes a result when it is complete.
template <class T, class Input, class Segments, class Output>
class direct_values
{
public:
  static constexpr int alignment = 1; ///< alignment of the storage

  struct storage
  {
  };

  MGPU_THRUST_DEVICE direct_values(storage&, Input input, const Segments& segments, const Output& output)
      : input_(input)
      , segments_(segments)
      , output_(output)
  {
  }
  /// A barrier for all threads of the block, as in staged_values. There are no items to wait for.
  MGPU_THRUST_DEVICE void wait()
  {
    __syncthreads();
  }

  MGPU_THRUST_DEVICE T item(int item) const
  {
    return detail::element(input_, item);
  }

  /// Does nothing, as the result is written already.
  MGPU_THRUST_DEVICE void write_result(int, int, const Output&) const
  {
  }

private:
  friend class thread_results<direct_values>;

  /// The first result is the head: it is kept until complete_head().
  MGPU_THRUST_DEVICE void put(int last_item, const T& value)
  {
    if (!has_head_)
    {
      ::new (static_cast<void*>(&head_)) T(value);
      has_head_ = true;
    }
    else
    {
      output_.write(segments_.segment_of(last_item), value);
    }
  }
  template <class Join>
  MGPU_THRUST_DEVICE void complete_head(int last_item, bool is_begun, Join join)
  {
    output_.write(segments_.segment_of(last_item), is_begun ? join(head_.Alias()) : head_.Alias());
  }
  MGPU_THRUST_DEVICE void put_tail(int last_item, const T& value)
  {
    const int segment = segments_.segment_of(last_item);
    if (segment < segments_.ends && segments_.stop(segment) == last_item + 1)
    {
      output_.write(segment, value);
    }
  }

  Input input_;
  const Segments& segments_;
  const Output& output_;
  cub::Uninitialized<T> head_;
  bool has_head_ = false;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
