// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Unsigned integers for the rows of an as-of join, which may have none.
// first error: mgpu_thrust: an output that receives -1 where there is no match must hold signed integers

#include <mgpu_thrust/asof_join.h>

#include <vector>

#if defined(RIGHT_USE)
using number = int;
#else
using number = unsigned;
#endif

void join(const std::vector<int>& left, const std::vector<int>& right, std::vector<number>& rows)
{
  mgpu::asof_join(thrust::host, left.begin(), left.end(), right.begin(), right.end(), rows.begin(), mgpu::backward);
}
