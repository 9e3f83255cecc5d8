// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// An integer that a device writes for the host.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/page_locked_pool.cuh>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A word of page-locked host memory that kernels write directly: the host has the integer when the stream is done,
/// without a copy.
class cuda_host_result
{
public:
  /// Throws thrust::system_error if there is no memory for the word.
  explicit cuda_host_result(const char* algorithm)
      : word_(algorithm)
  {
  }

  /// Address to which a kernel writes the integer.
  std::int64_t* address() const
  {
    return word_.address();
  }
  /// The integer, once the kernel is done.
  std::int64_t value() const
  {
    return *static_cast<const volatile std::int64_t*>(word_.address());
  }

private:
  page_locked<std::int64_t, 512> word_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
