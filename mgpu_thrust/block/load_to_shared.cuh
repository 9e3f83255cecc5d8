// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The tile loader: elements of any random-access iterator into shared memory.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/detail/config.h>

#include <cuda/std/cstdint>
#include <cuda_pipeline.h>

#include <iterator>
#include <new>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Starts to copy `count` elements from `first` to shared memory, by all `Threads` threads of a block. They are there
/// after the thread's `finish_loads` and the block's next barrier. Memory that the hardware can copy without registers
/// (a pointer to trivial values aligned to 4, 8 or 16 bytes) is copied asynchronously, word by word; anything else is
/// read element by element.
template <int Threads, class Iterator, class Value>
MGPU_THRUST_DEVICE void load_to_shared(Iterator first, int count, Value* shared)
{
  static_assert(
    std::is_trivially_destructible_v<Value>, "mgpu_thrust: keys on a device must be trivially destructible");
  constexpr int word = alignof(Value) >= 16 ? 16 : static_cast<int>(alignof(Value));
  if constexpr (std::is_pointer_v<Iterator> && std::is_trivially_copyable_v<Value> && word >= 4)
  {
    const int words = count * static_cast<int>(sizeof(Value) / word);
    const char* const from = reinterpret_cast<const char*>(first);
    char* const to = reinterpret_cast<char*>(shared);
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < words; i += Threads)
    {
      __pipeline_memcpy_async(to + i * word, from + i * word, word);
    }
  }
  else
  {
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < count; i += Threads)
    {
      ::new (static_cast<void*>(shared + i)) Value(detail::element(first, i));
    }
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
