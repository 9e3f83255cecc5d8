// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every family in one program that nvcc compiles, with all headers, on the GPU and on the caller's thread.

#include <all_headers.h> // all of the library's, written by CMake

#include "../support/every_family.h"

#include <thrust/execution_policy.h>

#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <cstdint>

namespace
{

TEST(HeadersTogether, EveryFamily)
{
  const ::cuda::std::less<> less;
  const auto on_gpu =
    test::results_of_every_family<std::int32_t, std::int32_t, test::as_pointers>(thrust::cuda::par, 3000, less);
  const auto on_cpu =
    test::results_of_every_family<std::int32_t, std::int32_t, test::as_pointers>(thrust::seq, 3000, less);
  ASSERT_FALSE(on_cpu.empty());
  ASSERT_EQ(on_gpu, on_cpu);
}

} // namespace
