// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The word of a size.

#include <mgpu_thrust/detail/base/config.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The unsigned integer of 8, 4 or 2 bytes; of any other size, a byte.
template <std::size_t Size>
using word_of_size = std::conditional_t<
  Size == 8, std::uint64_t,
  std::conditional_t<Size == 4, std::uint32_t, std::conditional_t<Size == 2, std::uint16_t, std::uint8_t>>>;

/// The largest word whose alignment a type has.
template <class T>
using aligned_word_t = word_of_size<(alignof(T) < 8 ? alignof(T) : 8)>;

} // namespace detail
MGPU_THRUST_NAMESPACE_END
