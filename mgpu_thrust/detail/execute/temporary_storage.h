// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Temporary storage from a policy's allocator, deallocated on every path.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/execution.h>

#include <thrust/memory.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN

/// Thrown if a policy's default allocator has no memory for the temporary storage of an algorithm. `what` names the
/// algorithm and the size. (The exceptions of an allocator that the caller passed reach the caller unchanged.)
class temporary_storage_error : public std::bad_alloc
{
public:
  temporary_storage_error(const char* algorithm, std::size_t bytes)
      : message_(
        std::string("mgpu::") + algorithm + ": no memory for " + std::to_string(bytes) + " bytes of temporary storage")
  {
  }
  const char* what() const noexcept override
  {
    return message_.c_str();
  }

private:
  std::string message_;
};

namespace detail
{

template <class Policy, class = void>
inline constexpr bool has_own_allocator_v = false;
template <class Policy>
inline constexpr bool has_own_allocator_v<Policy, std::void_t<decltype(std::declval<Policy&>().get_allocator())>> =
  true;

/// Storage of `bytes` bytes, aligned to 256, from the allocator of a policy; the policy must outlive this object.
template <class Policy>
class temporary_storage
{
public:
  temporary_storage(Policy& policy, const char* algorithm, std::size_t bytes)
      : policy_(policy)
  {
    const auto wanted = static_cast<std::ptrdiff_t>(bytes + alignment);
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
    return reinterpret_cast<void*>((address + alignment - 1) / alignment * alignment);
  }

private:
  static constexpr std::size_t alignment = 256;

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
