// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Sizes on both sides of the one up to which set operations and semi joins bisect on a GPU.

#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/semi_join/tuning.h>
#  include <mgpu_thrust/detail/set_operation/tuning.h>
#endif

#include <algorithm>
#include <cstdint>
#include <vector>

namespace test
{

/// Numbers of elements, added to others: for the algorithms of few elements, and on a GPU for those of more.
inline std::vector<std::int64_t> few_and_more()
{
#if defined(__CUDACC__)
  return {0, std::max(mgpu::detail::max_to_match_by_bisection, mgpu::detail::max_to_semi_join_by_bisection)};
#else
  return {0};
#endif
}

} // namespace test
