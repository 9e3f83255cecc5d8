// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A predicate that takes a right row alone, for the rows of an as-of join.
// first error: mgpu_thrust: the function that accepts rows must be callable with a left element

#include <mgpu_thrust/asof_join.h>

#include <functional>
#include <vector>

void join(const std::vector<int>& left, const std::vector<int>& right, std::vector<int>& rows)
{
#if defined(RIGHT_USE)
  const auto accept = [](int x, int y) { return x + y > 5; };
#else
  const auto accept = [](int y) { return y > 5; };
#endif
  mgpu::asof_join(
    thrust::host, left.begin(), left.end(), right.begin(), right.end(), rows.begin(), mgpu::backward, std::less<>{},
    accept);
}
