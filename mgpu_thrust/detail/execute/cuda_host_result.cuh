// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// An integer that a device writes for the host.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/cuda_policy.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A word of page-locked host memory that kernels write directly: the host has the integer when the stream is done,
/// without a copy. Words come from a pool that is never freed: a page of 512 words, and more pages for more calls in
/// flight.
class cuda_host_result
{
public:
  /// Throws thrust::system_error if there is no memory for the word.
  explicit cuda_host_result(const char* algorithm)
  {
    const std::lock_guard<std::mutex> lock(words().mutex);
    auto& free = words().free;
    if (free.empty() || !is_page_locked(free.back()))
    {
      free.clear(); // any left were freed by a reset of the device
      constexpr std::size_t page = 512;
      free.reserve(words().allocated + page); // so that no return of a word allocates
      std::int64_t* first = nullptr;
      detail::throw_on_error(
        cudaHostAlloc(reinterpret_cast<void**>(&first), page * sizeof(std::int64_t), cudaHostAllocPortable), algorithm);
      for (std::size_t i = 0; i < page; ++i)
      {
        free.push_back(first + i);
      }
      words().allocated += page;
    }
    word_ = free.back();
    free.pop_back();
  }
  cuda_host_result(const cuda_host_result&) = delete;
  cuda_host_result& operator=(const cuda_host_result&) = delete;
  ~cuda_host_result()
  {
    const std::lock_guard<std::mutex> lock(words().mutex);
    words().free.push_back(word_);
  }

  /// Address to which a kernel writes the integer.
  std::int64_t* address() const
  {
    return word_;
  }
  /// The integer, once the kernel is done.
  std::int64_t value() const
  {
    return *static_cast<const volatile std::int64_t*>(word_);
  }

private:
  struct pool
  {
    std::mutex mutex;
    std::vector<std::int64_t*> free;
    std::size_t allocated = 0;
  };
  static pool& words()
  {
    static pool& words = *new pool; // never destroyed: calls may come from destructors of static objects
    return words;
  }
  static bool is_page_locked(const std::int64_t* word)
  {
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, word) != cudaSuccess)
    {
      (void) cudaGetLastError();
      return false;
    }
    return attributes.type == cudaMemoryTypeHost;
  }

  std::int64_t* word_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
