// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Temporary storage from a policy's allocator, deallocated on every path.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/temporary_storage_error.h>

#include <thrust/memory.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN

namespace detail
{

template <class Policy, class = void>
inline constexpr bool has_own_allocator_v = false;
template <class Policy>
inline constexpr bool has_own_allocator_v<Policy, std::void_t<decltype(std::declval<Policy&>().get_allocator())>> =
  true;

/// Storage of `bytes` bytes, aligned to storage_alignment, from the allocator of a policy, which must outlive this
/// object. Nothing is allocated for 0 bytes.
template <class Policy>
class temporary_storage
{
public:
  temporary_storage(Policy& policy, const char* algorithm, std::size_t bytes)
      : policy_(policy)
  {
    if (bytes == 0)
    {
      return;
    }
    const auto wanted = static_cast<std::ptrdiff_t>(bytes + storage_alignment);
    if constexpr (has_own_allocator_v<Policy>)
    {
      allocate(wanted);
    }
    else
    {
      try
      {
        allocate(wanted);
      }
      catch (const std::bad_alloc&)
      {
        throw temporary_storage_error(algorithm, bytes);
      }
    }
    if (size_ < wanted)
    {
      release();
      throw temporary_storage_error(algorithm, bytes);
    }
  }
  temporary_storage(const temporary_storage&) = delete;
  temporary_storage& operator=(const temporary_storage&) = delete;
  ~temporary_storage()
  {
    release();
  }

  void* data() const
  {
    const auto address = reinterpret_cast<std::uintptr_t>(thrust::raw_pointer_cast(pointer_));
    return reinterpret_cast<void*>(detail::round_up_storage(address));
  }

private:
  void allocate(std::ptrdiff_t wanted)
  {
    const auto allocated = thrust::get_temporary_buffer<unsigned char>(policy_, wanted);
    pointer_ = allocated.first;
    size_ = allocated.second;
  }
  void release()
  {
    if (size_ > 0)
    {
      thrust::return_temporary_buffer(policy_, pointer_, size_);
      size_ = 0;
    }
  }

  Policy& policy_;
  thrust::pointer<unsigned char, Policy> pointer_{};
  std::ptrdiff_t size_ = 0;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
