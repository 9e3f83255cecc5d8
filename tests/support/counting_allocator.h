// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// An allocator that counts what is allocated, and fails when told to.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#if defined(__CUDACC__)
#  include <cuda_runtime_api.h>
#endif

namespace test
{

/// What a counting_allocator throws.
struct allocation_failure : std::runtime_error
{
  allocation_failure()
      : std::runtime_error("the allocation that was to fail")
  {
  }
};

/// What all copies of an allocator share.
struct allocation_log
{
  std::int64_t allocations = 0; ///< calls of allocate so far
  std::int64_t live = 0;        ///< bytes allocated and not given back
  std::int64_t fail_at = 0;     ///< the call of allocate that fails, from 1; 0 for none
};

/// Allocates where the tests' policies work: on the device if nvcc compiles the test, otherwise on the host.
struct counting_allocator
{
  using value_type = char;

  allocation_log* log;

  char* allocate(std::size_t n)
  {
    if (++log->allocations == log->fail_at)
    {
      throw allocation_failure();
    }
    void* memory = nullptr;
#if defined(__CUDACC__)
    if (cudaMalloc(&memory, n) != cudaSuccess)
    {
      throw allocation_failure();
    }
#else
    memory = std::malloc(n);
#endif
    log->live += static_cast<std::int64_t>(n);
    return static_cast<char*>(memory);
  }
  void deallocate(char* memory, std::size_t n)
  {
    log->live -= static_cast<std::int64_t>(n);
#if defined(__CUDACC__)
    cudaFree(memory);
#else
    std::free(memory);
#endif
  }
};

} // namespace test
