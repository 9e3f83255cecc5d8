// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Pairs of sorted lists: a segment of A and one of B each.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Where the lists of a pair are. The shorter one has the needles, the other one is the haystack.
struct list_pair
{
  std::int64_t a_begin;
  std::int64_t a_count;
  std::int64_t b_begin;
  std::int64_t b_count;

  MGPU_THRUST_HOST_DEVICE bool needles_are_a() const
  {
    return a_count <= b_count;
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t needles() const
  {
    return needles_are_a() ? a_count : b_count;
  }
};

/// The lists of A, or of B, by the begin and the end of each. An end that is not after its begin is that of an empty
/// list.
template <class Elements, class Begins, class Ends>
struct pair_lists
{
  Elements elements;
  Begins begins;
  Ends ends;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void find(std::int64_t pair, std::int64_t& begin, std::int64_t& count) const
  {
    const auto passed = detail::element(begins, pair);
    begin = static_cast<std::int64_t>(passed);
    count = detail::size_of_range(passed, detail::element(ends, pair));
  }
};

/// Pairs of lists of A and of B, which are pair_lists.
template <class A, class B>
struct list_pairs
{
  A a;
  B b;
  std::int64_t num_pairs;

  /// The same pairs with another number.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE list_pairs with_sizes(std::int64_t new_num_pairs, std::int64_t) const
  {
    return {a, b, new_num_pairs};
  }

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE list_pair pair(std::int64_t number) const
  {
    list_pair lists;
    a.find(number, lists.a_begin, lists.a_count);
    b.find(number, lists.b_begin, lists.b_count);
    return lists;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
