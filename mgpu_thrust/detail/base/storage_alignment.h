// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The alignment of temporary storage.

#include <mgpu_thrust/detail/base/config.h>

#include <cuda/cmath>

#include <cstddef>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The alignment, in bytes, of temporary storage and of its parts.
inline constexpr std::size_t storage_alignment = 256;
inline std::size_t round_up_storage(std::size_t bytes)
{
  return ::cuda::round_up(bytes, storage_alignment);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
