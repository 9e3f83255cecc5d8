// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Calls of the device layer, executed directly or captured into a graph.

#include <thrust/device_vector.h>

#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>

namespace test
{

template <class T>
T* raw(thrust::device_vector<T>& vector)
{
  return thrust::raw_pointer_cast(vector.data());
}

template <class T>
const T* raw(const thrust::device_vector<T>& vector)
{
  return thrust::raw_pointer_cast(vector.data());
}

/// A call whose arguments 1 and 2 are the temporary storage and its size.
using two_phase_call = std::function<cudaError_t(void*, std::size_t&, cudaStream_t)>;

/// Queries a call's storage size, then executes the call, in a stream of its own.
inline void call(const two_phase_call& function)
{
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  std::size_t bytes = 0;
  ASSERT_EQ(function(nullptr, bytes, stream), cudaSuccess);
  ASSERT_GT(bytes, 0u);
  thrust::device_vector<char> storage(bytes, 0x5a);
  ASSERT_EQ(function(raw(storage), bytes, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

/// Executes a call that allocates its storage, in a stream of its own.
inline void call_short(const std::function<cudaError_t(cudaStream_t)>& function)
{
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(function(stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

/// Captures a call into a graph and launches it `times` times. Before launch i it calls before(i), and after it
/// after(i), which may change and read data in the default stream: that stream and the launches wait for each other.
inline void replay(
  const two_phase_call& function, int times, const std::function<void(int)>& before,
  const std::function<void(int)>& after)
{
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  std::size_t bytes = 0;
  ASSERT_EQ(function(nullptr, bytes, stream), cudaSuccess);
  thrust::device_vector<char> storage(bytes, 0x5a);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(function(raw(storage), bytes, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  for (int i = 0; i < times && !testing::Test::HasFatalFailure(); ++i)
  {
    before(i);
    ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    after(i);
  }
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  ASSERT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

/// Captures a call into a graph and launches it twice, with between() between the launches.
inline void capture_and_change(const two_phase_call& function, const std::function<void()>& between)
{
  const auto before = [&](int launch)
  {
    if (launch == 1)
    {
      between();
    }
  };
  test::replay(function, 2, before, [](int) {});
}

/// Captures a call into a graph and launches it twice.
inline void capture(const two_phase_call& function)
{
  test::capture_and_change(function, [] {});
}

} // namespace test
