// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Translation units that are configured differently, or that use another library in namespace mgpu, can be linked into
// one program, and each keeps its own configuration. All are compiled without optimization, so that nothing is inlined
// and the linker sees every function.

#include "configurations/intersections.h"

#include <mgpu_thrust/agent/merge_path.h>

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace
{

TEST(Configurations, CheckedAndUncheckedAgreeOnSortedInputs)
{
  const std::vector<int> a{1, 3, 3, 5};
  const std::vector<int> b{3, 5, 7};
  EXPECT_EQ(checked_intersection(a, b), (std::vector<int>{3, 5}));
  EXPECT_EQ(unchecked_intersection(a, b), (std::vector<int>{3, 5}));
}

TEST(Configurations, OnlyTheCheckedOneThrowsOnUnsortedInputs)
{
  const std::vector<int> unsorted{5, 3, 1};
  const std::vector<int> sorted{3, 5, 7};
  EXPECT_THROW(checked_intersection(unsorted, sorted), std::invalid_argument);
  EXPECT_NO_THROW(unchecked_intersection(unsorted, sorted));
}

TEST(Configurations, AnotherLibraryInNamespaceMgpu)
{
  const int a[] = {1, 3, 5, 7};
  const int b[] = {2, 3, 4};
  const int* const a_first = a;
  const int* const b_first = b;
  EXPECT_EQ(mgpu::merge_path(a_first, 4, b_first, 3, 3), 2);
  EXPECT_EQ(merge_path_of_another_library(a_first, 4, b_first, 3, 3), 42);
}

} // namespace
