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
class temporary_storage
{
public:
  template <class Policy>
  temporary_storage(Policy& policy, const char* algorithm, std::size_t bytes)
      : policy_(&policy)
      , deallocate_(&temporary_storage::deallocate<Policy>)
  {
    if (bytes == 0)
    {
      return;
    }
    const auto wanted = static_cast<std::ptrdiff_t>(bytes + storage_alignment);
    if constexpr (has_own_allocator_v<Policy>)
    {
      allocate(policy, wanted);
    }
    else
    {
      try
      {
        allocate(policy, wanted);
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
    return reinterpret_cast<void*>(detail::round_up_storage(reinterpret_cast<std::uintptr_t>(bytes_)));
  }

private:
  template <class Policy>
  void allocate(Policy& policy, std::ptrdiff_t wanted)
  {
    const auto allocated = thrust::get_temporary_buffer<unsigned char>(policy, wanted);
    bytes_ = thrust::raw_pointer_cast(allocated.first);
    size_ = allocated.second;
  }
  template <class Policy>
  static void deallocate(void* policy, unsigned char* bytes, std::ptrdiff_t size)
  {
    thrust::return_temporary_buffer(*static_cast<Policy*>(policy), thrust::pointer<unsigned char, Policy>(bytes), size);
  }
  void release()
  {
    if (size_ > 0)
    {
      deallocate_(policy_, bytes_, size_);
      size_ = 0;
    }
  }

  void* policy_;
  void (*deallocate_)(void*, unsigned char*, std::ptrdiff_t);
  unsigned char* bytes_ = nullptr;
  std::ptrdiff_t size_ = 0;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
