// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Calls of users' functions in code for the device alone, for nvcc to check them. It refuses a function that only the
/// host has where a __device__ function calls it. Where a __host__ __device__ function does, as most of ours are and
/// the function objects and iterators of CCCL, it omits the call, and a pragma suppresses the warning.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <cuda/std/functional>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A read of an element, which is converted to T.
template <class Iterator, class T = element_t<Iterator>>
struct device_read
{
  MGPU_THRUST_DEVICE static void call(const Iterator& first)
  {
    (void) static_cast<T>(static_cast<element_t<Iterator>>(*(first + std::int64_t{0})));
  }
};

/// The call that an iterator makes to compute an element, if it is one of Thrust's transform iterators.
template <class Iterator>
struct device_computation
{
  MGPU_THRUST_DEVICE static void call()
  {
  }
};
template <class Function, class Iterator, class Reference, class Value>
struct device_computation<thrust::transform_iterator<Function, Iterator, Reference, Value>>
{
  MGPU_THRUST_DEVICE static void call(const Function& f, const std::decay_t<element_t<Iterator>>& value)
  {
    Function copy(f);
    (void) copy(value);
  }
};

/// The assignment of a value, Value&& or const Value&, to an element of an output.
template <class Output, class Value>
struct device_write
{
  MGPU_THRUST_DEVICE static void call(const Output& output, Value value)
  {
    *(output + std::int64_t{0}) = static_cast<Value>(value);
  }
};

template <class Function, class Output, class Value>
struct device_write<thrust::transform_output_iterator<Function, Output>, Value>
{
  MGPU_THRUST_DEVICE static void call(const Function& f, const Output& output, Value value)
  {
    Function copy(f);
    *(output + std::int64_t{0}) = copy(static_cast<Value>(value));
  }
};

/// What an operator is called with, by a function object that has a parameter type T or, if that is void, any.
template <class T, class Argument>
using operand = std::conditional_t<std::is_void_v<T>, Argument, T>;

/// The operator that a function object of CCCL calls, if it is one of those that are defaults here.
template <class Function>
struct device_operator
{
  template <class A, class B>
  MGPU_THRUST_DEVICE static void call(const A&, const B&)
  {
  }
};
template <class T>
struct device_operator<::cuda::std::less<T>>
{
  template <class A, class B>
  MGPU_THRUST_DEVICE static void call(const A& a, const B& b)
  {
    (void) (static_cast<const operand<T, A>&>(a) < static_cast<const operand<T, B>&>(b));
  }
};
template <class T>
struct device_operator<::cuda::std::greater<T>>
{
  template <class A, class B>
  MGPU_THRUST_DEVICE static void call(const A& a, const B& b)
  {
    (void) (static_cast<const operand<T, A>&>(a) > static_cast<const operand<T, B>&>(b));
  }
};
template <class T>
struct device_operator<::cuda::std::equal_to<T>>
{
  template <class A, class B>
  MGPU_THRUST_DEVICE static void call(const A& a, const B& b)
  {
    (void) (static_cast<const operand<T, A>&>(a) == static_cast<const operand<T, B>&>(b));
  }
};
template <class T>
struct device_operator<::cuda::std::plus<T>>
{
  template <class A, class B>
  MGPU_THRUST_DEVICE static void call(const A& a, const B& b)
  {
    (void) (static_cast<const operand<T, A>&>(a) + static_cast<const operand<T, B>&>(b));
  }
};

/// A comparison of an element of A with one of B.
template <class Compare, class A, class B>
struct device_comparison
{
  MGPU_THRUST_DEVICE static void call(const Compare& comp, const element_t<A>& a, const element_t<B>& b)
  {
    Compare copy(comp);
    (void) static_cast<bool>(copy(a, b));
    device_operator<Compare>::call(a, b);
  }
};

/// Checks comparisons of elements of A with those of B, and of B with A.
template <class A, class B, class Compare>
MGPU_THRUST_DEVICE void check_comparisons(const Compare&)
{
  MGPU_THRUST_CHECK_DEVICE_CODE(device_comparison<Compare, A, B>::call);
  MGPU_THRUST_CHECK_DEVICE_CODE(device_comparison<Compare, B, A>::call);
}

/// A call of a function.
template <class Function, class... Arguments>
struct device_call
{
  MGPU_THRUST_DEVICE static void call(const Function& f, Arguments... arguments)
  {
    Function copy(f);
    copy(static_cast<Arguments>(arguments)...);
  }
};

/// A call of a function whose result is assigned to an element of an output.
template <class Output, class Function, class... Arguments>
struct device_result
{
  MGPU_THRUST_DEVICE static void call(const Output& output, const Function& f, Arguments... arguments)
  {
    Function copy(f);
    *(output + std::int64_t{0}) = copy(static_cast<Arguments>(arguments)...);
  }
};

/// A reduction of two values to one.
template <class T, class Op>
struct device_reduction
{
  MGPU_THRUST_DEVICE static void call(const Op& op, T& left, const T& right)
  {
    Op copy(op);
    left = static_cast<T>(copy(static_cast<T&&>(left), right));
    device_operator<Op>::call(left, right);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
