// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Objects in storage that a call has allocated, on a CPU.

#include <mgpu_thrust/detail/base/config.h>

#include <cstddef>
#include <cstdint>
#include <memory>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Objects of type T in storage, which are destroyed with this object.
template <class T>
class stored_objects
{
public:
  static std::size_t bytes(std::int64_t count)
  {
    return static_cast<std::size_t>(count) * sizeof(T);
  }
  /// Objects as T{} is.
  stored_objects(void* storage, std::int64_t count)
      : first_(static_cast<T*>(storage))
      , count_(count)
  {
    std::uninitialized_value_construct_n(first_, count);
  }
  /// Copies of a value.
  stored_objects(void* storage, std::int64_t count, const T& value)
      : first_(static_cast<T*>(storage))
      , count_(count)
  {
    std::uninitialized_fill_n(first_, count, value);
  }
  stored_objects(const stored_objects&) = delete;
  stored_objects& operator=(const stored_objects&) = delete;
  ~stored_objects()
  {
    std::destroy_n(first_, count_);
  }
  T* data() const
  {
    return first_;
  }
  T& operator[](std::int64_t i) const
  {
    return first_[i];
  }

private:
  T* first_;
  std::int64_t count_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
