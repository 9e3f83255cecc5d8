// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The exception of a call over ranks in which another rank has failed.

#include <mgpu_thrust/detail/base/config.h>

#include <stdexcept>

MGPU_THRUST_NAMESPACE_BEGIN

/// Thrown by a call over ranks if it has failed on another rank. `what` names that rank, and has the text of its
/// exception. (The rank that failed throws its own exception.)
/// @since 1.0
class rank_error : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

MGPU_THRUST_NAMESPACE_END
