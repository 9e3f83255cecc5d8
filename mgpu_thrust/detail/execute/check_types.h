// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Checks at compile time, with messages of their own, that come before other errors.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/device_calls.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/backend.h>

#include <cuda/std/iterator>
#if CCCL_VERSION >= 3006000
#  include <cuda/type_traits>
#else
#  include <thrust/type_traits/is_trivially_relocatable.h>
#endif

#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Checks a call in device code, if the backend is a device.
template <class Backend, class Call>
MGPU_THRUST_HOST_DEVICE void check_device_call()
{
  if constexpr (std::is_same_v<Backend, cuda_backend>)
  {
    MGPU_THRUST_CHECK_DEVICE_CODE(Call::call);
  }
}

/// The type of *iterator, of an object that has it; otherwise void.
template <class Iterator, class = void>
struct dereferenced
{
  using type = void;
};
template <class Iterator>
struct dereferenced<Iterator, std::void_t<decltype(*std::declval<Iterator&>())>>
{
  using type = decltype(*std::declval<Iterator&>());
};

template <class Object, class Reference>
struct shares_words;

/// Whether writes through an object may reach elements that share words, so that neighbours cannot be written at the
/// same time. Such an object is a reference to an element of a std::vector<bool>, an iterator that gives one, or made
/// of others: a zip, a permutation, a transform, or a function object that is a template of its iterators. An iterator
/// that gives true references writes to objects, whatever it is made of.
template <class Object>
inline constexpr bool shares_words_v =
  !std::is_reference_v<Object> && shares_words<std::remove_cv_t<Object>, typename dereferenced<Object>::type>::value;

/// The same of the template arguments of a type.
template <class Object>
struct parts_share_words : std::false_type
{
};
template <template <class...> class Template, class... Parts>
struct parts_share_words<Template<Parts...>> : std::bool_constant<(shares_words_v<Parts> || ...)>
{
};

/// The same of an object, and of what it gives, if that is another object.
template <class Object, class Reference>
struct shares_words : std::disjunction<parts_share_words<Object>, std::bool_constant<shares_words_v<Reference>>>
{
};
template <class Object>
struct shares_words<Object, Object> : parts_share_words<Object>
{
};
template <class Object>
struct shares_words<Object, void> : parts_share_words<Object>
{
};
template <class Object, class Value>
struct shares_words<Object, Value&> : std::false_type
{
};
template <class Object, class Value>
struct shares_words<Object, Value&&> : std::false_type
{
};
template <>
struct shares_words<std::vector<bool>::reference, void> : std::true_type
{
};

/// Whether an output gives values, to which nothing can be written: neither references nor proxies. A proxy is of
/// another type than the value, or can be assigned to though it is constant. (A temporary object of a class can be
/// assigned to as well.)
template <class Output, class Reference = decltype(*std::declval<Output&>())>
inline constexpr bool gives_values_v =
  std::is_same_v<
    std::remove_cv_t<Reference>,
    typename ::cuda::std::iterator_traits<Output>::value_type> && !std::is_assignable_v<const Reference, Reference>;

/// Whether the elements that an iterator computes by a function are int, or of a type that is one of its template
/// parameters. True also of what is no iterator.
template <class Iterator, class... Parameters>
struct gives_int
{
  template <class Other>
  static auto value_of(const Other& iterator) -> std::decay_t<decltype(*iterator)>;
  static int value_of(...);
  using value = decltype(value_of(std::declval<const Iterator&>()));
  static constexpr bool result = std::is_same_v<value, int> || (std::is_same_v<value, std::decay_t<Parameters>> || ...);
};
template <class Iterator, class... Parameters>
inline constexpr bool gives_int_v = gives_int<Iterator, Parameters...>::result;

/// The checks of an input iterator that is made of others, and of functions.
template <class Input>
struct input_parts
{
  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check()
  {
  }
};
template <template <class...> class Template, class... Parts>
struct input_parts<Template<Parts...>>
{
  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check()
  {
    detail::check_device_call<Backend, device_computation<Template<Parts...>>>();
#if defined(__CUDA_ARCH__) // where the lambda has its own result type
    if constexpr ((has_host_result_int<Parts> || ...))
    {
      static_assert(
        gives_int_v<Template<Parts...>, Parts...>,
        "mgpu_thrust: an input's elements are the results of a __device__ lambda, which are int for the host, and here"
        " of another type; use cuda::proclaim_return_type");
    }
#endif
    (input_parts<Parts>::template check<Backend>(), ...);
  }
};

/// Asserts at compile time that an output can be written.
template <class Output>
MGPU_THRUST_HOST_DEVICE void check_output()
{
  static_assert(
    !gives_values_v<Output>,
    "mgpu_thrust: an output must give references to its elements, or proxies of them; this iterator gives values, to"
    " which nothing can be written");
}

/// Asserts at compile time that `Backend` takes elements or values of type T. A kernel's copies of them are in shared
/// memory or temporary storage, which ends without destructors.
template <class Backend, class T>
MGPU_THRUST_HOST_DEVICE void check_element_type()
{
  static_assert(
    !std::is_same_v<Backend, cuda_backend> || std::is_trivially_destructible_v<T>,
    "mgpu_thrust: a GPU takes elements that are trivially destructible, as its copies of them are never destroyed; give"
    " the type no destructor, or pass indices of such elements");
}
template <class Backend, class Input>
MGPU_THRUST_HOST_DEVICE void check_elements()
{
  detail::check_element_type<Backend, typename ::cuda::std::iterator_traits<Input>::value_type>();
}

/// Asserts at compile time that `Backend` can execute an algorithm with these iterators, before other errors can occur.
template <class Backend, class Output, class... Inputs>
MGPU_THRUST_HOST_DEVICE void check_iterators()
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
    std::is_base_of_v<serial_backend, Backend> || !shares_words_v<Output>,
    "mgpu_thrust: parallel policies write neighbouring elements at the same time, but those of a std::vector<bool>"
    " share words; use a vector of char, or thrust::seq");
  detail::check_output<Output>();
  (detail::check_elements<Backend, Inputs>(), ...);
  (detail::check_device_call<Backend, device_read<Inputs>>(), ...);
  (input_parts<Inputs>::template check<Backend>(), ...);
}

/// `Values`, or, if there are none, an iterator that passes every check.
template <class Values>
using values_or_integers = std::conditional_t<has_values<Values>, Values, int*>;

/// Asserts at compile time that an output that every policy writes with random access has it.
template <class Output>
MGPU_THRUST_HOST_DEVICE void check_scattered_output()
{
  static_assert(
    is_random_access_v<Output>, "mgpu_thrust: this algorithm writes its output out of order, with random access");
}

/// Asserts at compile time that a comparator can be called with elements of two inputs, or of one. An extended device
/// lambda cannot be checked.
template <class Backend, class Compare, class A, class B = A>
MGPU_THRUST_HOST_DEVICE void check_order()
{
  static_assert(
    is_device_lambda<Compare> || (is_order_of<Compare, A, A> && is_order_of<Compare, B, B>),
    "mgpu_thrust: the comparator, operator< if there is none, must be callable with two elements of an input, as"
    " constants, and its result must convert to bool");
  static_assert(
    is_device_lambda<Compare> || (is_order_of<Compare, A, B> && is_order_of<Compare, B, A>),
    "mgpu_thrust: the comparator, operator< if there is none, must be callable with an element of one input and one of"
    " the other, in either order, as constants, and its result must convert to bool");
  detail::check_device_call<Backend, device_comparison<Compare, A, A>>();
  detail::check_device_call<Backend, device_comparison<Compare, A, B>>();
  detail::check_device_call<Backend, device_comparison<Compare, B, A>>();
  detail::check_device_call<Backend, device_comparison<Compare, B, B>>();
}

/// Asserts at compile time that a range that is sorted in place can be written.
template <class Backend, class Iterator>
MGPU_THRUST_HOST_DEVICE void check_sorted_in_place()
{
  using traits = ::cuda::std::iterator_traits<Iterator>;
  using value = typename traits::value_type;
  static_assert(
    std::is_assignable_v<typename traits::reference, value> && !gives_values_v<Iterator>,
    "mgpu_thrust: a sort writes to the range that it sorts, which must not be constant, nor computed by its iterator");
  using unwrapped = unwrapped_t<Iterator>;
  detail::check_device_call<Backend, device_read<unwrapped>>();
  detail::check_device_call<Backend, device_write<unwrapped, value&&>>();
  detail::check_device_call<Backend, device_write<unwrapped, const value&>>();
}

/// Asserts at compile time that elements of an input can be copied to an output.
template <class Backend, class Output, class Input>
MGPU_THRUST_HOST_DEVICE void check_copies()
{
  static_assert(
    std::is_assignable_v<decltype(*std::declval<Output&>()), const element_t<Input>&>,
    "mgpu_thrust: elements are copied, not moved, to the output, which must be assignable from an element of the "
    "input");
  detail::check_elements<Backend, Input>();
  detail::check_device_call<Backend, device_write<unwrapped_t<Output>, const element_t<Input>&>>();
}

/// The same of values, if there are any.
template <class Backend, class Output, class Input>
MGPU_THRUST_HOST_DEVICE void check_copied_values()
{
  if constexpr (has_values<Output>)
  {
    detail::check_copies<Backend, Output, Input>();
  }
}

/// Asserts at compile time that the results of a function of a value of A and one of B can be written to an output. An
/// extended device lambda cannot be checked.
template <class Backend, class Output, class Combine, class A, class B>
MGPU_THRUST_HOST_DEVICE void check_combination()
{
  using a_value = const element_t<A>&;
  using b_value = const element_t<B>&;
  if constexpr (!is_device_lambda<Combine>)
  {
    static_assert(
      std::is_invocable_v<Combine&, a_value, b_value>,
      "mgpu_thrust: the function that combines values must be callable with a value of the first input and one of the"
      " second, as constants");
    static_assert(
      std::is_assignable_v<decltype(*std::declval<Output&>()), std::invoke_result_t<Combine&, a_value, b_value>>,
      "mgpu_thrust: the output of values must be assignable from the results of the function that combines them");
  }
  detail::check_elements<Backend, A>();
  detail::check_elements<Backend, B>();
  detail::check_device_call<Backend, device_result<unwrapped_t<Output>, Combine, a_value, b_value>>();
}

/// Asserts at compile time that a result can be written: the elements of A and B that an operation keeps, with values
/// if it has any. Result is one of set_operation/result.h.
template <class Backend, class Operation, class Result, class AKeys, class AValues, class BKeys, class BValues>
MGPU_THRUST_HOST_DEVICE void check_kept_elements()
{
  using keys = decltype(Result::keys);
  using values = decltype(Result::values);
  using combine = typename Result::combine_type;
  constexpr bool combines = !std::is_same_v<combine, no_values>;
  if constexpr (Operation::keeps_unmatched_a || Operation::keeps_matched)
  {
    detail::check_copies<Backend, keys, AKeys>();
  }
  if constexpr (Operation::keeps_unmatched_a || (Operation::keeps_matched && !combines))
  {
    detail::check_copied_values<Backend, values, AValues>();
  }
  if constexpr (combines)
  {
    detail::check_combination<Backend, values, combine, AValues, BValues>();
  }
  if constexpr (Operation::keeps_unmatched_b)
  {
    detail::check_copies<Backend, keys, BKeys>();
    detail::check_copied_values<Backend, values, BValues>();
  }
}

/// Asserts at compile time that results of type T can be written to an output.
template <class Backend, class Output, class T>
MGPU_THRUST_HOST_DEVICE void check_results()
{
  static_assert(
    std::is_assignable_v<decltype(*std::declval<Output&>()), T>,
    "mgpu_thrust: the output must be assignable from the algorithm's results");
  detail::check_device_call<Backend, device_write<unwrapped_t<Output>, T>>();
}

/// Asserts at compile time that indices are integers.
template <class Indices>
MGPU_THRUST_HOST_DEVICE void check_index_type()
{
  static_assert(
    std::is_integral_v<typename ::cuda::std::iterator_traits<Indices>::value_type>,
    "mgpu_thrust: indices, positions and offsets must be integers");
}

/// Whether the bytes of a T are enough to copy it, as its type or the program says.
template <class T>
inline constexpr bool is_copied_by_bytes =
#if CCCL_VERSION >= 3006000
  ::cuda::is_trivially_copyable_v<T>;
#else
  thrust::is_trivially_relocatable_v<T>;
#endif

/// Asserts at compile time that the elements of an input can be combined as values of type T.
template <class Backend, class Input, class T, class Op>
MGPU_THRUST_HOST_DEVICE void check_reduction()
{
  detail::check_element_type<Backend, T>();
  static_assert(
    !std::is_same_v<Backend, cuda_backend> || std::is_trivially_copy_constructible_v<T> || is_copied_by_bytes<T>,
    "mgpu_thrust: a GPU takes values to reduce or scan that are copied by their bytes; give the type no copy"
    " constructor, or, if its bytes are enough, say THRUST_PROCLAIM_TRIVIALLY_RELOCATABLE(type)");
  detail::check_device_call<Backend, device_read<Input, T>>();
  detail::check_device_call<Backend, device_reduction<T, Op>>();
}

/// Asserts at compile time that the items of segments can be combined, and the results written. Operands has the
/// `input`, the operator `op`, and the value_type that it combines.
template <class Backend, class Operands, class Output, class Offsets>
MGPU_THRUST_HOST_DEVICE void check_segment_operands()
{
  using input = decltype(Operands::input);
  using T = typename Operands::value_type;
  detail::check_iterators<Backend, Output, input, Offsets>();
  detail::check_index_type<Offsets>();
  detail::check_results<Backend, Output, T>();
  detail::check_reduction<Backend, input, T, decltype(Operands::op)>();
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
