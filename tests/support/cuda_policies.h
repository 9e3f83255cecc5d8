// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// CUDA policies of every kind.

#include "counting_allocator.h"

#include <thrust/execution_policy.h>

#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

namespace test
{

struct derived_cuda_policy : thrust::cuda::execution_policy<derived_cuda_policy>
{
};

/// Calls f(policy, stream) for each kind: default policies, with a stream, with an allocator, without synchronisation,
/// and a derived one. A policy uses the default stream or `stream`; neither of the two waits for the other.
/// Checks whether the allocator was used, as told, and that all its storage was deallocated.
template <class Function>
void for_each_cuda_policy(Function f, bool allocates = true)
{
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  allocation_log log;
  counting_allocator allocator{&log};
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  f(thrust::device, stream);
  f(thrust::cuda::par, stream);
  f(thrust::cuda::par.on(stream), stream);
  f(thrust::cuda::par(allocator), stream);
  f(thrust::cuda::par(allocator).on(stream), stream);
  f(thrust::cuda::par_nosync, stream);
  f(thrust::cuda::par_nosync.on(stream), stream);
  f(thrust::cuda::par_nosync(allocator).on(stream), stream);
#endif
  f(derived_cuda_policy{}, stream);
  EXPECT_EQ(log.allocations > 0, allocates);
  EXPECT_EQ(log.live, 0);
  cudaStreamDestroy(stream);
}

} // namespace test
