// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Iterators and functions that can be copied, and nothing else: they have no default constructor, and neither copies
/// nor moves can be assigned. Iterators over lambdas that capture are such.

#include <mgpu_thrust/detail/base/config.h>

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace test
{

/// A function that can only be copied.
template <class Function>
class copy_only_function
{
public:
  MGPU_THRUST_HOST_DEVICE explicit copy_only_function(Function f)
      : f_(f)
  {
  }
  copy_only_function(const copy_only_function&) = default;
  copy_only_function& operator=(const copy_only_function&) = delete;

  template <class... Arguments>
  MGPU_THRUST_HOST_DEVICE auto operator()(Arguments&&... arguments) const
    -> decltype(std::declval<const Function&>()(std::forward<Arguments>(arguments)...))
  {
    return f_(std::forward<Arguments>(arguments)...);
  }

private:
  Function f_;
};

/// A random-access iterator that can only be copied and advanced.
template <class T>
class copy_only_iterator
{
public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::remove_const_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;

  MGPU_THRUST_HOST_DEVICE explicit copy_only_iterator(T* at)
      : at_(at)
  {
  }
  copy_only_iterator(const copy_only_iterator&) = default;
  copy_only_iterator& operator=(const copy_only_iterator&) = delete;

  MGPU_THRUST_HOST_DEVICE T& operator*() const
  {
    return *at_;
  }
  MGPU_THRUST_HOST_DEVICE T& operator[](std::ptrdiff_t n) const
  {
    return at_[n];
  }
  MGPU_THRUST_HOST_DEVICE copy_only_iterator& operator++()
  {
    ++at_;
    return *this;
  }
  MGPU_THRUST_HOST_DEVICE copy_only_iterator operator++(int)
  {
    return copy_only_iterator(at_++);
  }
  MGPU_THRUST_HOST_DEVICE copy_only_iterator& operator--()
  {
    --at_;
    return *this;
  }
  MGPU_THRUST_HOST_DEVICE copy_only_iterator operator--(int)
  {
    return copy_only_iterator(at_--);
  }
  MGPU_THRUST_HOST_DEVICE copy_only_iterator& operator+=(std::ptrdiff_t n)
  {
    at_ += n;
    return *this;
  }
  MGPU_THRUST_HOST_DEVICE copy_only_iterator& operator-=(std::ptrdiff_t n)
  {
    at_ -= n;
    return *this;
  }
  friend MGPU_THRUST_HOST_DEVICE copy_only_iterator operator+(copy_only_iterator it, std::ptrdiff_t n)
  {
    return copy_only_iterator(it.at_ + n);
  }
  friend MGPU_THRUST_HOST_DEVICE copy_only_iterator operator+(std::ptrdiff_t n, copy_only_iterator it)
  {
    return copy_only_iterator(it.at_ + n);
  }
  friend MGPU_THRUST_HOST_DEVICE copy_only_iterator operator-(copy_only_iterator it, std::ptrdiff_t n)
  {
    return copy_only_iterator(it.at_ - n);
  }
  friend MGPU_THRUST_HOST_DEVICE std::ptrdiff_t operator-(copy_only_iterator x, copy_only_iterator y)
  {
    return x.at_ - y.at_;
  }
  friend MGPU_THRUST_HOST_DEVICE bool operator==(copy_only_iterator x, copy_only_iterator y)
  {
    return x.at_ == y.at_;
  }
  friend MGPU_THRUST_HOST_DEVICE bool operator!=(copy_only_iterator x, copy_only_iterator y)
  {
    return x.at_ != y.at_;
  }
  friend MGPU_THRUST_HOST_DEVICE bool operator<(copy_only_iterator x, copy_only_iterator y)
  {
    return x.at_ < y.at_;
  }

private:
  T* at_;
};

/// Passes ranges, operators and functions to the algorithms as objects that can only be copied.
struct as_copies_only
{
  template <class Function>
  static auto function(Function f)
  {
    return copy_only_function<Function>(f);
  }
  template <class T>
  static auto input(const T* first)
  {
    return copy_only_iterator<const T>(first);
  }
  template <class T>
  static auto in_place(T* first)
  {
    return copy_only_iterator<T>(first);
  }
  template <class T>
  static auto output(T* first)
  {
    return copy_only_iterator<T>(first);
  }
};

} // namespace test
