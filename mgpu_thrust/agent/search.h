// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The element access and the binary searches that the partitioning agents are made of.

#include <mgpu_thrust/detail/config.h>

#include <iterator>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Values that are cheaper to hold in registers than to read again.
template <class Value>
inline constexpr bool is_small_v = std::is_trivially_copyable_v<Value> && sizeof(Value) <= 16;

/// What `element` returns: a reference where the iterator has one and the value is not small; else a copy of the value,
/// also where there is only a proxy (zip, vector<bool>, a device reference) or the value is computed (counting).
template <
  class Iterator, class Reference = typename std::iterator_traits<Iterator>::reference,
  class Value = typename std::iterator_traits<Iterator>::value_type>
using element_t = std::conditional_t<
  std::is_lvalue_reference_v<Reference> && !is_small_v<Value>, const std::remove_reference_t<Reference>&, Value>;

/// Element `index` of a range, as a comparator is meant to see it: never a proxy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class Index>
MGPU_THRUST_HOST_DEVICE element_t<Iterator> element(Iterator first, Index index)
{
  return *(first + index);
}

/// First index in [begin, end) whose element is not before `key`, or `end`. Plain bisection.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class Index, class Key, class Compare>
MGPU_THRUST_HOST_DEVICE Index lower_bound(Iterator first, Index begin, Index end, const Key& key, Compare comp)
{
  while (begin < end)
  {
    const Index middle = begin + ((end - begin) >> 1);
    if (comp(detail::element(first, middle), key))
    {
      begin = middle + 1;
    }
    else
    {
      end = middle;
    }
  }
  return begin;
}

/// First index in [begin, end) whose element is after `key`, or `end`. Plain bisection.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class Index, class Key, class Compare>
MGPU_THRUST_HOST_DEVICE Index upper_bound(Iterator first, Index begin, Index end, const Key& key, Compare comp)
{
  while (begin < end)
  {
    const Index middle = begin + ((end - begin) >> 1);
    if (comp(key, detail::element(first, middle)))
    {
      end = middle;
    }
    else
    {
      begin = middle + 1;
    }
  }
  return begin;
}

/// The lower bound of `key` in [0, end), searched from the end with doubling strides: 2 log2(end - result) probes, so
/// cheap where the result is near the end, which it is unless a key has many copies, and where it is 0.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class Index, class Key, class Compare>
MGPU_THRUST_HOST_DEVICE Index lower_bound_from_end(Iterator first, Index end, const Key& key, Compare comp)
{
  Index begin = 0;
  for (Index stride = 1; stride < end; stride += stride)
  {
    if (stride == 8 && !comp(detail::element(first, Index(0)), key))
    {
      return 0;
    }
    const Index probe = end - stride;
    if (comp(detail::element(first, probe), key))
    {
      begin = probe + 1;
      break;
    }
    end = probe;
  }
  return detail::lower_bound(first, begin, end, key, comp);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
