// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The tile loader: elements of any random-access iterator into shared memory.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/detail/config.h>

#include <cuda_pipeline.h>

#include <cstdint>
#include <new>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Bytes that load_to_shared needs beyond the elements themselves, and to which the memory must be aligned.
template <class Value>
inline constexpr int load_granule = alignof(Value) > 16 ? alignof(Value) : 16;

/// Copies `count` elements from `first` to shared memory, by all `Threads` threads of a block; returns where they lie in
/// `shared`. They are there after finish_loads in every thread and the block's next barrier. What the hardware can copy
/// without registers (pointers to trivial values aligned to 4 bytes or more) is copied asynchronously, 16 bytes at a
/// time between its ends; it lies in shared memory as it does in global memory, relative to 16 bytes. Anything else is
/// read element by element.
template <int Threads, class Value, class Iterator>
MGPU_THRUST_DEVICE const Value* load_to_shared(Iterator first, int count, unsigned char* shared)
{
  static_assert(
    std::is_trivially_destructible_v<Value>, "mgpu_thrust: keys on a device must be trivially destructible");
  constexpr int word = alignof(Value) >= 16 ? 16 : static_cast<int>(alignof(Value));
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (std::is_pointer_v<Iterator> && std::is_trivially_copyable_v<Value> && word >= 4)
  {
    const char* const from = reinterpret_cast<const char*>(first);
    const int shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(from) % 16);
    unsigned char* const to = shared + shift;
    const int bytes = count * static_cast<int>(sizeof(Value));
    const int head = min(-shift & 15, bytes); // before the first boundary of 16 bytes
    const int tail = (bytes - head) & 15;     // behind the last
    const int middle_end = bytes - tail;
#pragma unroll 4
    for (int at = head + thread * 16; at < middle_end; at += Threads * 16)
    {
      __pipeline_memcpy_async(to + at, from + at, 16);
    }
    const int at = thread * word;
    if (at < head)
    {
      __pipeline_memcpy_async(to + at, from + at, word);
    }
    if (at < tail)
    {
      __pipeline_memcpy_async(to + middle_end + at, from + middle_end + at, word);
    }
    return reinterpret_cast<const Value*>(to);
  }
  else
  {
    Value* const to = reinterpret_cast<Value*>(shared);
#pragma unroll 4
    for (int i = thread; i < count; i += Threads)
    {
      ::new (static_cast<void*>(to + i)) Value(detail::element(first, i));
    }
    return to;
  }
}

/// Waits for the asynchronous copies that the calling thread has started.
MGPU_THRUST_DEVICE void finish_loads()
{
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
