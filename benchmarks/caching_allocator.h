// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A caching allocator of temporary storage, and exceptions of CUDA's errors.

#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>

#include <cuda_runtime.h>

namespace mgpu_benchmark
{

inline void check_cuda(cudaError_t status, const char* what)
{
  if (status != cudaSuccess)
  {
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
  }
}

/// Caching allocator of temporary storage for Thrust and mgpu. Freed blocks are kept and reused, so that the algorithm
/// is measured, not cudaMalloc. For one stream: a block is reused without synchronization.
class caching_allocator
{
public:
  using value_type = char;

  caching_allocator() = default;
  caching_allocator(const caching_allocator&) = delete;
  caching_allocator& operator=(const caching_allocator&) = delete;
  ~caching_allocator()
  {
    for (const auto& block : free_)
    {
      cudaFree(block.second);
    }
  }

  char* allocate(std::ptrdiff_t bytes)
  {
    bytes = std::max<std::ptrdiff_t>(bytes, 1); // so that each block has a distinct address
    const auto block = free_.lower_bound(bytes);
    char* pointer = nullptr;
    if (block != free_.end())
    {
      pointer = block->second;
      sizes_[pointer] = block->first;
      free_.erase(block);
    }
    else
    {
      check_cuda(cudaMalloc(&pointer, static_cast<std::size_t>(bytes)), "cudaMalloc");
      sizes_[pointer] = bytes;
    }
    return pointer;
  }

  void deallocate(char* pointer, std::size_t)
  {
    const auto block = sizes_.find(pointer);
    free_.emplace(block->second, pointer);
    sizes_.erase(block);
  }

private:
  std::multimap<std::ptrdiff_t, char*> free_;
  std::map<char*, std::ptrdiff_t> sizes_; ///< sizes of the blocks in use
};

} // namespace mgpu_benchmark
