// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Prefetching of single elements.

#include <mgpu_thrust/detail/base/config.h>

#include <cstdint>
#include <type_traits>

#include <nv/target>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Prefetches an element of plain memory to the L1 cache, for a thread that reads it soon.
template <class Iterator>
MGPU_THRUST_DEVICE void prefetch_element([[maybe_unused]] Iterator first, [[maybe_unused]] std::int64_t index)
{
  if constexpr (std::is_pointer_v<Iterator>)
  {
    NV_IF_TARGET(NV_IS_DEVICE, (asm volatile("prefetch.L1 [%0];" ::"l"(first + index));))
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
