// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Checks at compile time, with messages of their own, that come before other errors.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/execute/backend.h>

#include <cuda/std/iterator>

#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether elements of an output share words, so that neighbours cannot be written at the same time.
template <class Output>
inline constexpr bool shares_words_v =
  std::is_same_v<typename ::cuda::std::iterator_traits<Output>::reference, std::vector<bool>::reference>;

/// Asserts at compile time that `Backend` can execute an algorithm with these iterators, before other errors can occur.
template <class Backend, class Output, class... Inputs>
constexpr void check_iterators()
{
#if !defined(__CUDACC__)
  static_assert(
    !std::is_same_v<Backend, cuda_backend>,
    "mgpu_thrust: thrust::device is CUDA in this file, which no CUDA compiler compiles. Compile it with nvcc,"
    " or set THRUST_DEVICE_SYSTEM to THRUST_DEVICE_SYSTEM_CPP, _OMP or _TBB, or pass a host policy");
#endif
  static_assert(
    (is_random_access_v<Inputs> && ...), "mgpu_thrust: the inputs of this algorithm must be random-access iterators");
  static_assert(
    std::is_same_v<Backend, serial_backend> || is_random_access_v<Output>,
    "mgpu_thrust: parallel policies write with random access; use thrust::seq or thrust::host with a plain"
    " output iterator such as std::back_insert_iterator");
  static_assert(
    std::is_same_v<Backend, serial_backend> || !shares_words_v<Output>,
    "mgpu_thrust: parallel policies write neighbouring elements at the same time, but those of a std::vector<bool>"
    " share words; use a vector of char, or thrust::seq");
}

/// `Values`, or, if there are none, an iterator that passes every check.
template <class Values>
using values_or_integers = std::conditional_t<has_values<Values>, Values, int*>;

/// Asserts at compile time that an output that every policy writes with random access has it.
template <class Output>
constexpr void check_scattered_output()
{
  static_assert(
    is_random_access_v<Output>, "mgpu_thrust: this algorithm writes its output out of order, with random access");
}

/// Asserts at compile time that a comparator can be called with elements of two inputs, or of one. An extended device
/// lambda cannot be checked.
template <class Compare, class A, class B = A>
constexpr void check_order()
{
  static_assert(
    is_device_lambda<Compare> || (is_order_of<Compare, A, A> && is_order_of<Compare, B, B>),
    "mgpu_thrust: the comparator, operator< if there is none, must be callable with two elements of an input, as"
    " constants, and its result must convert to bool");
  static_assert(
    is_device_lambda<Compare> || (is_order_of<Compare, A, B> && is_order_of<Compare, B, A>),
    "mgpu_thrust: the comparator, operator< if there is none, must be callable with an element of one input and one of"
    " the other, in either order, as constants, and its result must convert to bool");
}

/// Asserts at compile time that a range that is sorted in place can be written.
template <class Iterator>
constexpr void check_sorted_in_place()
{
  using traits = ::cuda::std::iterator_traits<Iterator>;
  static_assert(
    std::is_assignable_v<typename traits::reference, typename traits::value_type>,
    "mgpu_thrust: a sort writes to the range that it sorts, which must not be constant");
}

/// Asserts at compile time that elements of an input can be copied to an output.
template <class Output, class Input>
constexpr void check_copies()
{
  static_assert(
    std::is_assignable_v<decltype(*std::declval<Output&>()), const element_t<Input>&>,
    "mgpu_thrust: elements are copied, not moved, to the output, which must be assignable from an element of the "
    "input");
}

/// Asserts at compile time that indices can be written to an output.
template <class Output>
constexpr void check_index_output()
{
  static_assert(
    std::is_assignable_v<decltype(*std::declval<Output&>()), written_index_t<Output>>,
    "mgpu_thrust: the output of indices must be assignable from an integer");
}

/// Asserts at compile time that indices are integers.
template <class Indices>
constexpr void check_index_type()
{
  static_assert(
    std::is_integral_v<typename ::cuda::std::iterator_traits<Indices>::value_type>,
    "mgpu_thrust: indices, positions and offsets must be integers");
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
