// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Page-locked memory of the host, which kernels of all devices read and write.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/cuda_policy.cuh>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <mutex>
#include <vector>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// An object in page-locked memory, from a pool that is never freed: a page of `Page` objects, and more pages for more
/// calls in flight.
template <class T, std::size_t Page>
class page_locked
{
public:
  /// Throws thrust::system_error if there is no memory.
  explicit page_locked(const char* algorithm)
  {
    const std::lock_guard<std::mutex> lock(objects().mutex);
    auto& free = objects().free;
    if (free.empty() || !is_page_locked(free.back()))
    {
      free.clear();                             // any left were freed by a reset of the device
      free.reserve(objects().allocated + Page); // so that no return of an object allocates
      T* first = nullptr;
      detail::throw_on_error(
        cudaHostAlloc(reinterpret_cast<void**>(&first), Page * sizeof(T), cudaHostAllocPortable), algorithm);
      for (std::size_t i = 0; i < Page; ++i)
      {
        free.push_back(first + i);
      }
      objects().allocated += Page;
    }
    object_ = free.back();
    free.pop_back();
  }
  page_locked(const page_locked&) = delete;
  page_locked& operator=(const page_locked&) = delete;
  ~page_locked()
  {
    const std::lock_guard<std::mutex> lock(objects().mutex);
    objects().free.push_back(object_);
  }

  T* address() const
  {
    return object_;
  }

private:
  struct pool
  {
    std::mutex mutex;
    std::vector<T*> free;
    std::size_t allocated = 0;
  };
  static pool& objects()
  {
    static pool& objects = *new pool; // never destroyed: calls may come from destructors of static objects
    return objects;
  }
  static bool is_page_locked(const T* object)
  {
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, object) != cudaSuccess)
    {
      (void) cudaGetLastError();
      return false;
    }
    return attributes.type == cudaMemoryTypeHost;
  }

  T* object_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
