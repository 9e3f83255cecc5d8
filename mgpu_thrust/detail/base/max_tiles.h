// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How many tiles a grid takes.

#include <mgpu_thrust/detail/base/config.h>

#include <cstdint>
#include <limits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Upper bound of the number of tiles: a grid has room for fewer, and the number of a tile some thousands ahead fits an
/// int.
inline constexpr std::int64_t max_tiles = (std::numeric_limits<int>::max)() - 8192;

} // namespace detail
MGPU_THRUST_NAMESPACE_END
