// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Iterators, functions and elements that can be copied, and hardly more. They have no default constructor, and no
/// comma operator. Neither copies nor moves of iterators and functions can be assigned, as if they held a lambda that
/// captures.

#include <mgpu_thrust/detail/base/config.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

namespace test
{

/// Namespace of types whose comma operator is deleted.
namespace no_comma
{

/// A number that is copied, or made explicitly of an integer. It has no address.
struct copy_only_number
{
  std::int64_t value;

  copy_only_number() = delete;
  MGPU_THRUST_HOST_DEVICE explicit copy_only_number(std::int64_t v)
      : value(v)
  {
  }
  MGPU_THRUST_HOST_DEVICE explicit operator std::int64_t() const
  {
    return value;
  }
  void operator&() const = delete;
  friend MGPU_THRUST_HOST_DEVICE bool operator<(const copy_only_number& x, const copy_only_number& y)
  {
    return x.value < y.value;
  }
  friend MGPU_THRUST_HOST_DEVICE copy_only_number operator+(const copy_only_number& x, const copy_only_number& y)
  {
    return copy_only_number(x.value + y.value);
  }
};

/// The same, and it cannot be assigned.
struct constant_number
{
  const std::int64_t value;

  MGPU_THRUST_HOST_DEVICE explicit constant_number(std::int64_t v)
      : value(v)
  {
  }
  MGPU_THRUST_HOST_DEVICE operator std::int64_t() const
  {
    return value;
  }
  void operator&() const = delete;
  friend MGPU_THRUST_HOST_DEVICE bool operator<(const constant_number& x, const constant_number& y)
  {
    return x.value < y.value;
  }
};

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

template <class X, class Y>
void operator,(const X&, const Y&) = delete;

} // namespace no_comma

using no_comma::constant_number;
using no_comma::copy_only_function;
using no_comma::copy_only_iterator;
using no_comma::copy_only_number;

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
