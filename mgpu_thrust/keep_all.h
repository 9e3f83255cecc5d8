// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The predicate that keeps every value.

#include <mgpu_thrust/detail/base/config.h>

MGPU_THRUST_NAMESPACE_BEGIN

/// The `keep` of calls that drop nothing.
/// @since 1.0
struct keep_all
{
  /// Returns true.
  template <class T>
  MGPU_THRUST_HOST_DEVICE constexpr bool operator()(const T&) const
  {
    return true;
  }
};

MGPU_THRUST_NAMESPACE_END
