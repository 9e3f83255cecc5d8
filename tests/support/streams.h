// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Tests with many host threads and CUDA streams at once.

#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace test
{

/// Calls f(t, stream) on four host threads at once, t from 0 to 3, each with a stream of its own; f returns its number
/// of wrong results.
template <class Function>
void check_on_many_streams(Function f)
{
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (int t = 0; t < 4; ++t)
  {
    threads.emplace_back(
      [t, &wrong, &f]
      {
        cudaStream_t stream = nullptr;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        wrong[t] = f(t, stream);
        cudaStreamDestroy(stream);
      });
  }
  for (std::thread& thread : threads)
  {
    thread.join();
  }
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

/// Checks that queue(stream) returns before the stream starts the queued work.
template <class Function>
void check_nothing_waits(Function queue)
{
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  queue(stream); // first-call work: code is loaded, memory pools are created
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  std::atomic<bool> returned{false};
  std::atomic<bool> gave_up{false};
  struct flags
  {
    std::atomic<bool>& returned;
    std::atomic<bool>& gave_up;
  } both{returned, gave_up};
  const auto hold = [](void* data)
  {
    const flags& seen = *static_cast<flags*>(data);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!seen.returned && !seen.gave_up)
    {
      seen.gave_up = std::chrono::steady_clock::now() > end;
    }
  };
  ASSERT_EQ(cudaLaunchHostFunc(stream, hold, &both), cudaSuccess);
  queue(stream);
  EXPECT_FALSE(gave_up) << "the call waited for the stream";
  returned = true;
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  cudaStreamDestroy(stream);
}

} // namespace test
