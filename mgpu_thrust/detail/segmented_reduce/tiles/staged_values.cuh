// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The values of a tile in shared memory.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/segmented_reduce/tiles/thread_results.cuh>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The values of a tile in shared memory. Results replace values: the result of a segment is stored at the segment's
/// last item. After a barrier, neighbouring threads write the results of neighbouring segments.
///
/// Invariant: a stored result replaces a value that has been read, and no other result. Until the barrier, a thread
/// reads and stores at its own items only. It stores at an item after it has read the next item, or its last one. No
/// two segments have the same last item.
template <class Shape, class T>
class staged_values
{
  using loader = tile_loader<Shape::threads>;
  static constexpr int granule = load_granule<T>;

public:
  /// Alignment of the storage. The type itself does not require it, as its size would then be a multiple of it.
  static constexpr int alignment = granule;

  struct storage
  {
    unsigned char bytes[Shape::items * sizeof(T) + granule];
    typename loader::storage loading;
  };

  /// Starts to load `count` items; called by all threads of the block.
  template <class Input, class Segments, class Output>
  MGPU_THRUST_DEVICE staged_values(storage& shared, Input input, const Segments& segments, const Output&)
      : load_(shared.loading, 1)
      , values_(const_cast<T*>(load_.template load<T>(input, segments.count, shared.bytes)))
  {
  }
  /// Waits for the items. It is a barrier for all threads of the block.
  MGPU_THRUST_DEVICE void wait()
  {
    load_.wait();
  }

  MGPU_THRUST_DEVICE T item(int item) const
  {
    return values_[item];
  }

  /// Writes the result of a segment whose last item is `last_item`, after a barrier.
  template <class Output>
  MGPU_THRUST_DEVICE void write_result(int segment, int last_item, const Output& output) const
  {
    output.write(segment, values_[last_item]);
  }

private:
  friend class thread_results<staged_values>;

  MGPU_THRUST_DEVICE void put(int last_item, const T& value)
  {
    values_[last_item] = value;
  }
  template <class Join>
  MGPU_THRUST_DEVICE void complete_head(int last_item, bool is_begun, Join join)
  {
    if (is_begun)
    {
      values_[last_item] = join(values_[last_item]);
    }
  }
  /// If the tail's segment continues, nothing reads the stored value.
  MGPU_THRUST_DEVICE void put_tail(int last_item, const T& value)
  {
    values_[last_item] = value;
  }

  loader load_;
  T* values_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
