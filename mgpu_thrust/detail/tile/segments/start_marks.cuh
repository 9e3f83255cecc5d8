// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Marks of the items of a tile at which segments start.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/tile/place/tile_marks.cuh>

#include <cuda_runtime_api.h>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Marks of the items of a tile at which segments start, in shared memory. A mark is a byte, so that threads set marks
/// without atomics. A thread's marks are 16 bytes, so that one instruction reads them.
///
/// All threads call, in this order: clear(); a barrier; mark(), any number of times; a barrier; own().
template <int Threads, int ItemsPerThread>
class start_marks
{
  static constexpr int bytes_per_thread = 16;
  static_assert(ItemsPerThread <= bytes_per_thread);

public:
  struct storage
  {
    uint4 bytes[Threads];
  };

  MGPU_THRUST_DEVICE explicit start_marks(storage& shared)
      : shared_(shared)
  {
  }

  MGPU_THRUST_DEVICE void clear() const
  {
    shared_.bytes[threadIdx.x] = uint4{};
  }
  MGPU_THRUST_DEVICE void mark(int item) const
  {
    reinterpret_cast<unsigned char*>(shared_.bytes)[byte_of(item)] = 1;
  }
  /// Returns the marks of the calling thread's items, one bit per item.
  MGPU_THRUST_DEVICE unsigned own() const
  {
    return detail::bits_of_marks(shared_.bytes[threadIdx.x]);
  }

private:
  /// Returns the index of an item's byte. The last bytes of a thread have no item.
  MGPU_THRUST_DEVICE static int byte_of(int item)
  {
    return item + item / ItemsPerThread * (bytes_per_thread - ItemsPerThread);
  }

  storage& shared_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
