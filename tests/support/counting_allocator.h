// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// An allocator that counts allocations and can be told to fail, policies that use it, and a check of failures.

#include "systems.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#if defined(__CUDACC__)
#  include <cuda_runtime_api.h>
#endif

namespace test
{

/// The exception that counting_allocator throws.
struct allocation_failure : std::runtime_error
{
  allocation_failure()
      : std::runtime_error("the allocation that was to fail")
  {
  }
};

/// State shared by all copies of an allocator.
struct allocation_log
{
  std::int64_t allocations = 0; ///< calls of allocate so far
  std::int64_t live = 0;        ///< bytes allocated and not yet deallocated
  std::int64_t peak = 0;        ///< the maximum of these
  std::int64_t fail_at = 0;     ///< the call of allocate that fails, from 1; 0 for none
};

/// Allocates in the memory of the tests' policies: on the device if nvcc compiles the test, otherwise on the host.
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
    log->peak = log->peak > log->live ? log->peak : log->live;
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

#if defined(__CUDACC__)
/// Memory of the device that is kept when it is deallocated, so that a second call of the same size makes no call of
/// the runtime that could wait.
class kept_memory
{
public:
  struct allocator
  {
    using value_type = char;

    kept_memory* memory;

    char* allocate(std::size_t n)
    {
      return memory->block(n);
    }
    void deallocate(char*, std::size_t)
    {
    }
  };

  kept_memory() = default;
  kept_memory(const kept_memory&) = delete;
  kept_memory& operator=(const kept_memory&) = delete;
  ~kept_memory()
  {
    cudaFree(block_);
  }

private:
  /// Returns the only block, which calls in one stream may share.
  char* block(std::size_t size)
  {
    if (size_ < size)
    {
      cudaFree(block_);
      cudaMalloc(&block_, size);
      size_ = size;
    }
    return static_cast<char*>(block_);
  }

  void* block_ = nullptr;
  std::size_t size_ = 0;
};
#endif

/// Calls f(log, policy) for one policy of each system, with an allocator of its own.
template <class Function>
void for_each_counting_policy(Function f)
{
  const auto call = [&](auto make_policy)
  {
    allocation_log log;
    counting_allocator allocator{&log};
    f(log, make_policy(allocator));
  };
#if defined(__CUDACC__)
  call([](auto& allocator) { return thrust::cuda::par(allocator); });
#else
  call([](auto& allocator) { return thrust::cpp::par(allocator); });
#  if defined(_OPENMP)
  call([](auto& allocator) { return thrust::omp::par(allocator); });
#  endif
#  if MGPU_THRUST_HAS_TBB
  call([](auto& allocator) { return thrust::tbb::par(allocator); });
#  endif
#endif
}

/// Repeats a call and fails each of its allocations in turn, until the call completes without a failure.
template <class Memory, class Call>
void let_every_allocation_fail(allocation_log& log, const Memory& out, Call call)
{
  const auto before = to_host(out);
  for (bool failed = true; failed;)
  {
    ++log.fail_at;
    log.allocations = 0;
    failed = false;
    try
    {
      call();
    }
    catch (const allocation_failure&)
    {
      failed = true;
      EXPECT_EQ(to_host(out), before) << "output touched";
    }
    EXPECT_EQ(log.live, 0) << "leaked";
    EXPECT_EQ(failed, log.allocations >= log.fail_at);
  }
  EXPECT_GT(log.fail_at, 1) << "the allocator was not used";
  log.fail_at = 0;
}

} // namespace test
