// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// What a family's choice.h decides about a call on a CUDA device.

#include <mgpu_thrust/detail/base/config.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The path of a call, and its grid.
template <class Path>
struct path_choice
{
  Path path;
  std::int64_t blocks;     ///< with work on that path: tiles, or blocks that bisect
  std::int64_t max_blocks; ///< upper bound of these for these sizes on any device, unless a co-resident grid has more
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
