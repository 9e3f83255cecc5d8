// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Many host threads and CUDA streams at once.

#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

#include <thread>
#include <vector>

namespace test
{

/// Calls f(t, stream) on four host threads at once, t from 0 to 3, each with a stream of its own; f returns how many of
/// its results were wrong.
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

} // namespace test
