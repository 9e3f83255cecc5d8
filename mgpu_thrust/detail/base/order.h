// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Comparators as the algorithms call them: with elements, and with a result that is a bool wherever it is used.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <type_traits>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether a comparator is a lambda that is extended for the device alone: in host code it stands for a function that
/// takes anything and returns int, whatever it is in device code, so no property of it is known in both.
#if defined(__CUDACC_EXTENDED_LAMBDA__)
template <class Compare>
inline constexpr bool is_device_lambda = __nv_is_extended_device_lambda_closure_type(Compare);
#else
template <class Compare>
inline constexpr bool is_device_lambda = false;
#endif

/// Whether a function is such a lambda without a return type of its own, which host code knows from nvcc 12.3 on.
template <class Function>
inline constexpr bool has_host_result_int =
#if defined(__CUDACC_EXTENDED_LAMBDA__) && (__CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1203)
  is_device_lambda<Function> && !__nv_is_extended_device_lambda_with_preserved_return_type(Function);
#else
  is_device_lambda<Function>;
#endif

/// The type that a comparator returns for elements of two iterators; `void` if it cannot be called with them.
template <class Compare, class A, class B, class = void>
struct comparison
{
  using type = void;
};
template <class Compare, class A, class B>
struct comparison<
  Compare, A, B,
  std::void_t<decltype(std::declval<Compare&>()(
    std::declval<const element_t<A>&>(), std::declval<const element_t<B>&>()))>>
{
  using type =
    decltype(std::declval<Compare&>()(std::declval<const element_t<A>&>(), std::declval<const element_t<B>&>()));
};
template <class Compare, class A, class B>
using comparison_t = std::remove_cv_t<std::remove_reference_t<typename comparison<Compare, A, B>::type>>;

/// Whether a comparator can be called with an element of A and one of B.
template <class Compare, class A, class B>
inline constexpr bool is_order_of = std::is_constructible_v<bool, comparison_t<Compare, A, B>>;

/// Wraps a comparator whose result is an object, which the standard requires only to convert to bool explicitly. A copy
/// of the comparator is called, with its state.
template <class Compare>
struct bool_result
{
  Compare comp;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class X, class Y>
  MGPU_THRUST_HOST_DEVICE bool operator()(const X& x, const Y& y)
  {
    return static_cast<bool>(comp(x, y));
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class X, class Y>
  MGPU_THRUST_HOST_DEVICE bool operator()(const X& x, const Y& y) const
  {
    return static_cast<bool>(comp(x, y));
  }
};

/// Whether a comparator returns objects for elements of two iterators.
template <class Compare, class A, class B>
inline constexpr bool returns_object =
  !is_device_lambda<
    Compare> && (std::is_class_v<comparison_t<Compare, A, A>> || std::is_class_v<comparison_t<Compare, A, B>> || std::is_class_v<comparison_t<Compare, B, A>> || std::is_class_v<comparison_t<Compare, B, B>>);

/// The type of the comparator that is called for elements of two iterators. A comparator that returns bool, or another
/// number, is not wrapped: so known orders are recognised, and a kernel has one name.
template <class Compare, class A, class B = A>
using order_t = std::conditional_t<returns_object<Compare, A, B>, bool_result<Compare>, Compare>;

MGPU_THRUST_EXEC_CHECK_DISABLE
template <class A, class B = A, class Compare>
MGPU_THRUST_HOST_DEVICE order_t<Compare, A, B> as_order(Compare comp)
{
  return order_t<Compare, A, B>{comp};
}

/// Orders indices by the elements that they refer to.
template <class Iterator, class Compare>
struct indirect_order
{
  Iterator first;
  Compare comp;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Index>
  MGPU_THRUST_HOST_DEVICE bool operator()(Index i, Index j)
  {
    return comp(detail::element(first, i), detail::element(first, j));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
