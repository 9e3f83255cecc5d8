// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The tile loader: loads ranges of any random-access iterators into shared memory.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/three_parts.h>
#include <mgpu_thrust/detail/base/word_of_size.h>
#include <mgpu_thrust/detail/tile/load/bulk_barrier.cuh>

#include <cuda/ptx>

#include <cuda_pipeline.h>

#include <cstdint>
#include <new>
#include <type_traits>

#include <nv/target>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Alignment of a range's memory, and the number of bytes that it needs beyond its elements.
template <class Value>
inline constexpr int load_granule = alignof(Value) > 16 ? alignof(Value) : 16;

/// An element of 16 bytes as the loader stores it in shared memory: aligned to 16 bytes, whatever its type requires, so
/// that one instruction reads it.
template <class Value>
struct alignas(16) wide_element
{
  Value value;
};

template <class Value>
inline constexpr bool is_wide = sizeof(Value) == 16 && alignof(Value) < 16 && std::is_trivially_copyable_v<Value>;

/// The type of a value in shared memory; staged_value() returns the value itself.
template <class Value>
using staged_t = std::conditional_t<is_wide<Value>, wide_element<Value>, Value>;

template <class Value>
MGPU_THRUST_DEVICE const Value& staged_value(const Value& staged)
{
  return staged;
}
template <class Value>
MGPU_THRUST_DEVICE const Value& staged_value(const wide_element<Value>& staged)
{
  return staged.value;
}

/// Compares elements in shared memory or in registers. A comparator receives copies of small ones. A lexicographical
/// comparison loops over a key by pointers; of references it would take the addresses of keys in registers, and nvcc
/// 13.0 would not finish compiling a sort.
template <class Compare>
struct compare_staged
{
  Compare comp;

  template <class Left, class Right>
  MGPU_THRUST_DEVICE bool operator()(const Left& left, const Right& right)
  {
    const compared_t<Left> left_copy = left;
    const compared_t<Right> right_copy = right;
    return static_cast<bool>(comp(detail::staged_value(left_copy), detail::staged_value(right_copy)));
  }

private:
  template <class Staged>
  using compared_t = std::conditional_t<is_small_v<Staged> && !std::is_arithmetic_v<Staged>, Staged, const Staged&>;
};

/// Loads ranges into shared memory, by all `Threads` threads of a block. Trivially copyable values that are read
/// through pointers do not pass through registers: from sm_90 on a bulk copy (TMA) loads them, before that asynchronous
/// copies of 16 bytes. Addresses in shared memory equal those in global memory modulo 16. A warp copies the bytes
/// before the first 16-byte boundary and after the last, the edges. Ranges within one part of three_parts are loaded
/// as those of pointers. Other elements are read one by one, as are wide ones whose memory is not aligned to 16 bytes.
template <int Threads>
class tile_loader
{
  static_assert(Threads % 32 == 0, "a block is made of whole warps");

public:
  struct storage
  {
    bulk_barrier barrier;
  };

  /// Prepares for `loads` loads; called by all threads of the block. The storage must not be in use. If
  /// `spares_first_warp`, another warp copies the edges of each load, so that no bulk copy, which the first warp
  /// starts, waits for the edges of the load before.
  MGPU_THRUST_DEVICE tile_loader(storage& shared, int loads, bool spares_first_warp = false)
      : shared_(shared)
      , thread_(static_cast<int>(threadIdx.x))
      , spares_first_warp_(spares_first_warp)
  {
    NV_IF_TARGET(NV_PROVIDES_SM_90, (begin_bulk_copies(loads);))
  }

  /// Starts to load `count` elements, and returns a pointer to the first in the buffer `to`, which is aligned to
  /// load_granule<Value>.
  template <class Value, class Iterator>
  MGPU_THRUST_DEVICE const staged_t<Value>* load(Iterator first, int count, unsigned char* to)
  {
    if constexpr (std::is_pointer_v<Iterator> && std::is_trivially_copyable_v<Value>)
    {
      if (!is_wide<Value> || reinterpret_cast<std::uintptr_t>(first) % 16 == 0)
      {
        to += reinterpret_cast<std::uintptr_t>(first) % 16;
        load_bytes<alignof(Value)>(reinterpret_cast<const char*>(first), count * static_cast<int>(sizeof(Value)), to);
        return reinterpret_cast<const staged_t<Value>*>(to);
      }
    }
    if constexpr (is_three_parts_v<Iterator> && std::is_trivially_copyable_v<Value>)
    {
      const Value* const contiguous = detail::contiguous_elements(first, count);
      if (contiguous != nullptr) // in all threads
      {
        return load<Value>(contiguous, count, to);
      }
    }
    copy_middle(to, nullptr, 0);
#pragma unroll 4
    for (int i = thread_; i < count; i += Threads)
    {
      ::new (static_cast<void*>(to + i * sizeof(Value))) Value(detail::element(first, i));
    }
    return reinterpret_cast<const staged_t<Value>*>(to);
  }

  /// Prefetches the whole 16-byte units of a range to the L2 cache, from sm_90 on; called by one thread. A load of the
  /// range then waits half as long.
  template <class Value, class Iterator>
  MGPU_THRUST_DEVICE static void prefetch(Iterator first, int count)
  {
    if constexpr (std::is_pointer_v<Iterator> && std::is_trivially_copyable_v<Value>)
    {
      const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(first) + 15) / 16 * 16;
      const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(first + count) / 16 * 16;
      if (begin < end)
      {
        NV_IF_TARGET(
          NV_PROVIDES_SM_90, (asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"
                                           :
                                           : "l"(begin), "r"(static_cast<std::uint32_t>(end - begin))
                                           : "memory");))
      }
    }
    else if constexpr (is_three_parts_v<Iterator>)
    {
      const Value* const contiguous = detail::contiguous_elements(first, count);
      prefetch<Value>(contiguous, contiguous != nullptr ? count : 0);
    }
  }

  /// Waits for all loads; afterwards every thread of the block sees all elements.
  MGPU_THRUST_DEVICE void wait()
  {
    NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (wait_for_bulk_copies();), (wait_for_thread_copies();))
  }

  /// Ends the use of a storage after all threads have waited for its loads; called by all threads of the block. The
  /// memory may be reused after the next barrier.
  MGPU_THRUST_DEVICE static void release(storage& shared)
  {
    NV_IF_TARGET(NV_PROVIDES_SM_90, (if (threadIdx.x == 0) { shared.barrier.invalidate(); }))
  }

  /// Lets a later loader load to memory that the calling thread has written; called by all threads of the block, before
  /// that load.
  MGPU_THRUST_DEVICE static void fence_writes()
  {
    NV_IF_TARGET(NV_PROVIDES_SM_90, (::cuda::ptx::fence_proxy_async(::cuda::ptx::space_shared);))
  }

private:
  /// Loads `bytes` bytes of values with that alignment to an address that equals theirs modulo 16.
  template <int Alignment>
  MGPU_THRUST_DEVICE void load_bytes(const char* from, int bytes, unsigned char* to)
  {
    using word = word_of_size<(Alignment < 8 ? Alignment : 8)>;
    const int head = (min) (-static_cast<int>(reinterpret_cast<std::uintptr_t>(from)) & 15, bytes);
    const int tail = (bytes - head) & 15;
    const int middle = bytes - head - tail;
    copy_middle(to + head, from + head, middle);
    const int edge_thread = thread_ - 32 * next_edge_warp();
    if (0 <= edge_thread && edge_thread < 16)
    {
      const int at = edge_thread * static_cast<int>(sizeof(word));
      if (at < head)
      {
        *reinterpret_cast<word*>(to + at) = *reinterpret_cast<const word*>(from + at);
      }
      if (at < tail)
      {
        *reinterpret_cast<word*>(to + head + middle + at) = *reinterpret_cast<const word*>(from + head + middle + at);
      }
    }
  }

  /// Returns the warp that copies the edges of the next load: the first; or each other in turn, if there is one.
  MGPU_THRUST_DEVICE int next_edge_warp()
  {
    constexpr int warps = Threads / 32;
    if (spares_first_warp_)
    {
      edge_warp_ = edge_warp_ + 1 < warps ? edge_warp_ + 1 : warps > 1;
    }
    return edge_warp_;
  }

  /// Copies a multiple of 16 bytes between addresses aligned to 16. Every load calls it once.
  MGPU_THRUST_DEVICE void copy_middle(unsigned char* to, const char* from, int bytes)
  {
    NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (start_bulk_copy(to, from, bytes);), (start_thread_copies(to, from, bytes);))
  }

  // From sm_90 on: bulk copies (TMA).

  MGPU_THRUST_DEVICE void begin_bulk_copies(int loads)
  {
    if (thread_ == 0)
    {
      shared_.barrier.init(loads);
    }
    __syncthreads();
  }
  MGPU_THRUST_DEVICE void start_bulk_copy(unsigned char* to, const char* from, int bytes)
  {
    if (thread_ == 0)
    {
      shared_.barrier.expect(bytes);
      if (bytes > 0)
      {
        shared_.barrier.copy(to, from, bytes);
      }
    }
  }
  MGPU_THRUST_DEVICE void wait_for_bulk_copies()
  {
    __syncthreads(); // makes the threads' own copies visible
    shared_.barrier.wait();
  }

  // Before sm_90: copies by the threads, asynchronous from sm_80 on.

  MGPU_THRUST_DEVICE void start_thread_copies(unsigned char* to, const char* from, int bytes)
  {
    for (int at = thread_ * 16; at < bytes; at += Threads * 16)
    {
      __pipeline_memcpy_async(to + at, from + at, 16);
    }
  }
  MGPU_THRUST_DEVICE void wait_for_thread_copies()
  {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
  }

  storage& shared_;
  int thread_;
  bool spares_first_warp_;
  int edge_warp_ = 0;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
