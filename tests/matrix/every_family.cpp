// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Every function of every family on inputs that are cut for several workers, for sanitizers, and for compilers of which
// all kernels are to be seen.

#include "versions.h"

#include "../support/every_family.h"
#include "../support/systems.h"

#include <mgpu_thrust/mgpu_thrust.h>

#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <cstdint>

namespace
{

TEST(EveryFamily, HasTheSameResultsUnderEveryPolicy)
{
  constexpr std::int64_t size = 40000;
  const ::cuda::std::less<> less;
  const auto expected =
    test::results_of_every_family<std::int32_t, std::int32_t, test::as_pointers>(thrust::seq, size, less);
  test::for_each_policy(
    [&](const auto& policy)
    {
      const auto results =
        test::results_of_every_family<std::int32_t, std::int32_t, test::as_pointers>(policy, size, less);
      EXPECT_TRUE(results == expected); // too many to print
    });
}

} // namespace
