// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The exception of a call that gets no memory.

#include <mgpu_thrust/detail/base/config.h>

#include <cstddef>
#include <new>
#include <string>

MGPU_THRUST_NAMESPACE_BEGIN

/// Thrown if a policy's default allocator has no memory for the temporary storage of an algorithm. `what` names the
/// algorithm and the size. (The exceptions of an allocator that the caller passed reach the caller unchanged.)
/// @since 1.0
class temporary_storage_error : public std::bad_alloc
{
public:
  /// @param algorithm name of the function
  /// @param bytes     size of the storage
  temporary_storage_error(const char* algorithm, std::size_t bytes)
      : message_(
        std::string("mgpu::") + algorithm + ": no memory for " + std::to_string(bytes) + " bytes of temporary storage")
  {
  }
  /// Returns a message with both.
  const char* what() const noexcept override
  {
    return message_.c_str();
  }

private:
  std::string message_;
};

MGPU_THRUST_NAMESPACE_END
