// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The element access and the binary searches that the partitioning agents are made of.

#include <mgpu_thrust/detail/base/config.h>

#include <thrust/iterator/iterator_traits.h>

#include <cuda/std/iterator>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Iterator>
struct has_random_access_concept : std::bool_constant<::cuda::std::random_access_iterator<Iterator>>
{
};

/// Whether an iterator has random access by Thrust's traversal tag, or by the C++20 concept: the iterators of C++20
/// views whose elements are computed have the category of an input iterator.
template <class Iterator>
inline constexpr bool is_random_access_v = std::disjunction_v<
  std::is_convertible<thrust::iterator_traversal_t<Iterator>, thrust::random_access_traversal_tag>,
  has_random_access_concept<Iterator>>;

/// Whether values are cheaper to hold in registers than to read again.
template <class Value>
inline constexpr bool
  is_small_v = std::is_trivially_copyable_v<Value>&& std::is_copy_constructible_v<Value> && sizeof(Value) <= 16;

/// Whether a thread can hold a batch of values in registers before it loads them: small ones that need no constructor.
template <class Value>
inline constexpr bool is_batchable_v = is_small_v<Value>&& std::is_trivially_default_constructible_v<Value>;

/// The type that `element` returns: the iterator's reference if the value is not small; otherwise a copy, also of what
/// a proxy refers to (zip, vector<bool>, a device reference) or an iterator computes (counting). Elements of a move
/// iterator are not moved from, as they are read more than once.
template <
  class Iterator, class Reference = typename ::cuda::std::iterator_traits<Iterator>::reference,
  class Value = typename ::cuda::std::iterator_traits<Iterator>::value_type>
using element_t = std::conditional_t<
  std::is_reference_v<Reference> && !is_small_v<Value>, const std::remove_reference_t<Reference>&, Value>;

/// Element `index` of a range, in the form that a comparator receives: never a proxy.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class Index>
MGPU_THRUST_HOST_DEVICE element_t<Iterator> element(Iterator first, Index index)
{
  return static_cast<element_t<Iterator>>(*(first + index));
}

/// The order of indices of any integer types. They are below 2^63, so 64 signed bits hold them all.
struct index_less
{
  template <class X, class Y>
  MGPU_THRUST_HOST_DEVICE bool operator()(X x, Y y) const
  {
    return static_cast<std::int64_t>(x) < static_cast<std::int64_t>(y);
  }
};

/// Returns `index` clamped to [low, high]: unsorted or invalid indices may be anywhere.
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t clamp_index(std::int64_t index, std::int64_t low, std::int64_t high)
{
  return index < low ? low : index < high ? index : high;
}

/// Returns x - y modulo 2^64: invalid indices may be any numbers.
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t index_difference(std::int64_t x, std::int64_t y)
{
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y));
}

/// Returns the number of indices in [begin, end), which may be of any integer types: 0 if `end` is not after `begin`.
/// An unsigned integer above 2^63 - 1 is no index, so a range that it bounds has none.
template <class Begin, class End>
MGPU_THRUST_HOST_DEVICE constexpr std::int64_t size_of_range(Begin begin, End end)
{
  const auto first = static_cast<std::int64_t>(begin); // negative if it is no index
  const auto last = static_cast<std::int64_t>(end);
  const std::int64_t least = std::is_unsigned_v<Begin> ? first : std::is_unsigned_v<End> ? last : 0;
  // Not last - first: nvcc 13.0 makes that max(last - first, 0), which is wrong where the difference overflows.
  return first < last && least >= 0 ? detail::index_difference(last, first) : 0;
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

/// The first index in [begin, end) for which `before` is false, or `end`; it is true up to there. Plain bisection.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Index, class Before>
MGPU_THRUST_HOST_DEVICE Index partition_point(Index begin, Index end, Before before)
{
  while (begin < end)
  {
    const Index middle = begin + ((end - begin) >> 1);
    if (before(middle))
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

/// Narrows [begin, end), in which the predicate `before` is true up to some index, by `Probes` independent probes at
/// low, low + stride, low + 2 * stride and so on.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <int Probes, class Index, class Before>
MGPU_THRUST_HOST_DEVICE void narrow_range(Index& begin, Index& end, Index low, Index stride, Before before)
{
  const Index old_begin = begin;
  const Index old_end = end;
#ifdef __CUDA_ARCH__
#  pragma unroll
#endif
  for (int k = 0; k < Probes; ++k)
  {
    const Index probe = low + k * stride;
    const bool is_inside = old_begin <= probe && probe < old_end;
    const bool is_before = is_inside && before(probe);
    begin = is_before ? probe + 1 : begin;
    end = is_inside && !is_before && probe < end ? probe : end;
  }
}

/// The first index in [begin, end) for which `before` is false, or `end`; faster if it is near `guess`. Searches within
/// 16 indices first, then within 512, by independent probes, so that it waits for memory twice if the guess is good.
/// `before` is true up to there; otherwise the result is unspecified in [begin, end].
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Index, class Before>
MGPU_THRUST_HOST_DEVICE Index partition_point_near(Index begin, Index end, Index guess, Before before)
{
  constexpr int parts = 8;
  constexpr Index fine = 4;
  constexpr Index coarse = 128;
  detail::narrow_range<parts + 1>(begin, end, guess - parts / 2 * fine, fine, before);
  if (end - begin >= fine)
  {
    detail::narrow_range<parts + 1>(begin, end, guess - parts / 2 * coarse, coarse, before);
  }
  while (begin < end)
  {
    const Index low = begin;
    detail::narrow_range<parts>(begin, end, low, (end - low + parts - 1) / parts, before);
  }
  return begin;
}

/// Number of copies of `key` that end at `end`, in a range whose elements before `end` are not after `key`. They are
/// usually few: the nearest elements are probed first, independently, then earlier ones with doubling strides. The
/// range must have an element 0, even if `end` is 0. Index is signed.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class Index, class Key, class Compare>
MGPU_THRUST_HOST_DEVICE Index copies_before(Iterator first, Index end, const Key& key, Compare comp)
{
  constexpr int nearby = 6;
  Index copies = 0;
  bool is_copy = true;
#ifdef __CUDA_ARCH__
#  pragma unroll
#endif
  for (int distance = 1; distance <= nearby; ++distance)
  {
    const Index index = end - distance;
    is_copy &= (index >= 0) & !comp(detail::element(first, index < 0 ? 0 : index), key);
    copies += is_copy;
  }
  if (!is_copy)
  {
    return copies;
  }
  if (!comp(detail::element(first, Index(0)), key))
  {
    return end;
  }
  Index begin = 1; // as element 0 is before `key`
  Index last = end - nearby;
  for (Index stride = nearby; stride < last; stride += stride)
  {
    const Index probe = last - stride;
    if (comp(detail::element(first, probe), key))
    {
      begin = probe + 1;
      break;
    }
    last = probe;
  }
  return end - detail::lower_bound(first, begin, last, key, comp);
}

/// Number of copies of `key` in [begin, end), where no element is before `key`. The nearest elements are probed
/// independently, then the last. The range must have an element end - 1, even if `begin` is `end`.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Iterator, class Index, class Key, class Compare>
MGPU_THRUST_HOST_DEVICE Index copies_after(Iterator first, Index begin, Index end, const Key& key, Compare comp)
{
  constexpr int nearby = 3;
  Index copies = 0;
  bool is_copy = true;
#ifdef __CUDA_ARCH__
#  pragma unroll
#endif
  for (int distance = 0; distance < nearby; ++distance)
  {
    const bool is_inside = distance < end - begin;
    is_copy &= is_inside & !comp(key, detail::element(first, is_inside ? begin + distance : end - 1));
    copies += is_copy;
  }
  if (!is_copy || end - begin == nearby)
  {
    return copies;
  }
  if (!comp(key, detail::element(first, end - 1)))
  {
    return end - begin;
  }
  return detail::upper_bound(first, begin + nearby, end - 1, key, comp) - begin;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
