// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Loads the values of a tile to shared memory, asynchronously where the hardware can (LDGSTS).

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <cuda_pipeline.h>

#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Starts to load `count` values to shared memory, by all threads of a block.
template <int Threads, class Values, class Value>
MGPU_THRUST_DEVICE void start_to_load_values(Values from, int count, Value* to)
{
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < count; i += Threads)
  {
    if constexpr (
      std::is_pointer_v<Values> && (sizeof(Value) == 4 || sizeof(Value) == 8) && alignof(Value) == sizeof(Value))
    {
      __pipeline_memcpy_async(to + i, from + i, sizeof(Value));
    }
    else
    {
      to[i] = detail::element(from, i);
    }
  }
}
/// Waits for the loads of start_to_load_values(); all threads of the block then see the values.
MGPU_THRUST_DEVICE void wait_for_values()
{
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
