// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Comparators that are no strict weak order. All are of one type, so that functions are compiled for them once.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/target.h>

#include <cstdint>
#include <string>

namespace test
{

enum class order_kind
{
  less,        ///< no order of NaNs
  not_greater, ///< each of two equal elements goes before the other
  always,
  never,
  by_elements, ///< an answer at random for each two elements
  by_turn      ///< an answer at random for each call, on the host
};

inline constexpr int num_order_kinds = 6;

/// The kinds that are no order of any elements.
inline constexpr order_kind wrong_orders[] = {
  order_kind::not_greater, order_kind::always, order_kind::never, order_kind::by_elements,
#if !defined(__CUDACC__)
  order_kind::by_turn
#endif
};

/// A number that looks random.
MGPU_THRUST_HOST_DEVICE inline std::uint64_t hash_of(std::uint64_t x)
{
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  return (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u >> 32;
}

/// The number of calls by a thread so far.
inline std::uint64_t next_turn()
{
  static thread_local std::uint64_t turn = 0;
  return ++turn;
}

/// The comparator of a kind, of numbers.
struct some_order
{
  order_kind kind = order_kind::less;

  template <class X, class Y>
  MGPU_THRUST_HOST_DEVICE bool operator()(const X& x, const Y& y) const
  {
    switch (kind)
    {
    case order_kind::less:
      return x < y;
    case order_kind::not_greater:
      return x <= y;
    case order_kind::always:
      return true;
    case order_kind::never:
      return false;
    case order_kind::by_elements:
      return hash_of(3 * static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y)) % 2 != 0;
    case order_kind::by_turn:
      break;
    }
    MGPU_THRUST_IF_HOST((return hash_of(test::next_turn()) % 2 != 0;))
    return false;
  }
  friend std::string to_string(const some_order& order)
  {
    constexpr const char* names[num_order_kinds] = {"less", "not_greater", "always", "never", "by_elements", "by_turn"};
    return names[static_cast<int>(order.kind)];
  }
};

/// Whether a comparator has one answer for each two elements.
template <class Compare>
bool repeats_answers(const Compare&)
{
  return true;
}
inline bool repeats_answers(const some_order& order)
{
  return order.kind != order_kind::by_turn;
}

} // namespace test
