// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The battery of segmented reduction: operators that reveal which items were combined and in which order, and checks
/// of the function and its plan under a policy against a plain loop.

#include <mgpu_thrust/segmented_reduce.h>

#include "elements.h"
#include "segment_battery.h"
#include "systems.h"

#include <mgpu_thrust/detail/base/config.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace test
{

/// Consecutive items, by the first and the last item number. `count` is negative if the items are not consecutive.
struct item_span
{
  std::int32_t first;
  std::int32_t last;
  std::int32_t count;

  static item_span of(std::int64_t item)
  {
    return {static_cast<std::int32_t>(item), static_cast<std::int32_t>(item), 1};
  }
  friend MGPU_THRUST_HOST_DEVICE bool operator==(const item_span& x, const item_span& y)
  {
    return x.first == y.first && x.last == y.last && x.count == y.count;
  }
};

/// Concatenates spans: each item must occur once, in order. A span with a count of 0 is the identity.
struct join_spans
{
  MGPU_THRUST_HOST_DEVICE item_span operator()(const item_span& x, const item_span& y) const
  {
    if (x.count == 0 || y.count == 0)
    {
      return x.count == 0 ? y : x;
    }
    const bool are_neighbours = x.count > 0 && y.count > 0 && x.last + 1 == y.first;
    return {x.first, y.last, are_neighbours ? x.count + y.count : -1};
  }
};

/// The maps x -> factor * x + term of numbers modulo 2^32, for `Terms` terms; of 4 + 4 * Terms bytes.
template <int Terms>
struct affine_maps
{
  std::uint32_t factor;
  std::uint32_t terms[Terms];

  affine_maps() = default;
  /// Arbitrary maps that `number` determines.
  MGPU_THRUST_HOST_DEVICE explicit affine_maps(std::uint32_t number)
      : factor(2 * (number * 2654435761u) + 1)
  {
    for (int i = 0; i < Terms; ++i)
    {
      terms[i] = (number + static_cast<std::uint32_t>(i)) * 2246822519u + 374761393u;
    }
  }
  static affine_maps of(std::int64_t item)
  {
    return affine_maps(static_cast<std::uint32_t>(item));
  }
  friend MGPU_THRUST_HOST_DEVICE bool operator==(const affine_maps& x, const affine_maps& y)
  {
    bool is_equal = x.factor == y.factor;
    for (int i = 0; i < Terms; ++i)
    {
      is_equal = is_equal && x.terms[i] == y.terms[i];
    }
    return is_equal;
  }
};

/// Composes two maps: associative, and not commutative.
struct compose
{
  template <int Terms>
  MGPU_THRUST_HOST_DEVICE affine_maps<Terms> operator()(const affine_maps<Terms>& x, const affine_maps<Terms>& y) const
  {
    affine_maps<Terms> both;
    both.factor = x.factor * y.factor;
    for (int i = 0; i < Terms; ++i)
    {
      both.terms[i] = x.terms[i] * y.factor + y.terms[i];
    }
    return both;
  }
};

struct add
{
  template <class Number>
  MGPU_THRUST_HOST_DEVICE Number operator()(Number x, Number y) const
  {
    return static_cast<Number>(x + y);
  }
};
struct smaller
{
  template <class Number>
  MGPU_THRUST_HOST_DEVICE Number operator()(Number x, Number y) const
  {
    return y < x ? y : x;
  }
};
struct larger
{
  template <class Number>
  MGPU_THRUST_HOST_DEVICE Number operator()(Number x, Number y) const
  {
    return x < y ? y : x;
  }
};

/// Converts a number to an item: arithmetic items have few, small values, so that sums are exact in a float.
template <class Item>
Item item_of(std::int64_t number)
{
  if constexpr (std::is_arithmetic_v<Item>)
  {
    return static_cast<Item>((number * 31 + 7) % 101 - 50);
  }
  else if constexpr (std::is_same_v<Item, only_copied>)
  {
    return make_element<only_copied>(number);
  }
  else
  {
    return Item::of(number);
  }
}

template <class Item>
std::vector<Item> items_of(std::int64_t size)
{
  std::vector<Item> items;
  items.reserve(size);
  for (std::int64_t i = 0; i < size; ++i)
  {
    items.push_back(item_of<Item>(i));
  }
  return items;
}

template <class T>
bool is_same_result(const T& x, const T& y)
{
  if constexpr (std::is_same_v<T, only_copied>)
  {
    return x.value == y.value;
  }
  else
  {
    return x == y;
  }
}

/// Returns whether two vectors have the same bytes.
template <class Number>
bool has_same_bits(const std::vector<Number>& x, const std::vector<Number>& y)
{
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(Number)) == 0;
}

/// Expected results: for each segment, init combined with the segment's items from left to right.
template <class T, class Item, class Op>
std::vector<T> expected_reduction(const segmentation& in, const std::vector<Item>& items, const T& init, Op op)
{
  std::vector<T> all;
  all.reserve(in.num_segments());
  for (std::int64_t segment = 0; segment < in.num_segments(); ++segment)
  {
    T value = init;
    for (std::int64_t i = 0; i < in.size(segment); ++i)
    {
      value = static_cast<T>(op(value, static_cast<T>(items[in.offsets[segment] + i])));
    }
    all.push_back(value);
  }
  return all;
}

/// Value of the guard element after the results, which must stay unchanged.
template <class T>
T guard_of()
{
  return item_of<T>(123456789);
}

/// Compares results with `expected` and checks the guard element after them.
template <class T, class Memory>
void expect_results(const Memory& out, const std::vector<T>& expected, std::int64_t size)
{
  ASSERT_EQ(size, static_cast<std::int64_t>(expected.size()));
  const auto& got = to_host(out);
  ASSERT_EQ(got.size(), expected.size() + 1);
  ASSERT_TRUE(is_same_result<T>(got.back(), guard_of<T>())) << "wrote past the end";
  const auto wrong = std::mismatch(expected.begin(), expected.end(), got.begin(), is_same_result<T>).first;
  ASSERT_TRUE(wrong == expected.end()) << "segment " << wrong - expected.begin() << " of " << expected.size();
}

/// Checks the function and a plan under a policy.
template <class Offset, class Policy, class Item, class T, class Op>
void check_reduction(
  const Policy& policy, const segmentation& in, const std::vector<Item>& items, const T& init, Op op,
  const std::vector<T>& expected)
{
  const auto offsets = to_memory<Policy>(in.offsets_as<Offset>());
  const auto input = to_memory<Policy>(items);
  {
    SCOPED_TRACE("segmented_reduce");
    memory<Policy, T> out(in.num_segments() + 1, guard_of<T>());
    const auto end =
      mgpu::segmented_reduce(policy, input.begin(), input.end(), offsets.begin(), offsets.end(), out.begin(), init, op);
    expect_results(out, expected, end - out.begin());
  }
  {
    SCOPED_TRACE("segmented_reduce_plan");
    memory<Policy, T> out(in.num_segments() + 1, guard_of<T>());
    const mgpu::segmented_reduce_plan plan(policy, in.num_items, offsets.begin(), offsets.end());
    const auto end = plan.reduce(input.begin(), out.begin(), init, op);
    expect_results(out, expected, end - out.begin());
  }
}

/// Checks the function and a plan under every policy. On a GPU, where few segments are reduced as a whole, the same
/// items are also reduced in tiles, with so many empty segments after the others that there are not few.
template <class Offset, class Item, class T, class Op>
void check_reduction(const segmentation& in, const std::vector<Item>& items, const T& init, Op op)
{
  auto expected = expected_reduction(in, items, init, op);
  const auto check = [&](const segmentation& of)
  { for_each_policy([&](const auto& policy) { check_reduction<Offset>(policy, of, items, init, op, expected); }); };
  check(in);
#if defined(__CUDACC__)
  const std::int64_t many = mgpu::detail::whole_segments_shape<T>::max_segments + 1;
  if (in.num_segments() < many)
  {
    SCOPED_TRACE("and empty segments");
    expected.resize(many, init);
    check(with_empty_segments(in, many));
  }
#endif
}

/// Checks reductions of maps, which reveal the order and missing or repeated items, and of spans, which reveal which
/// items were combined.
template <class Offset, class Policy>
void check_segmented_reduce(const Policy& policy, const segmentation& in)
{
  using maps = affine_maps<1>;
  const auto items = items_of<maps>(in.num_items);
  const auto expected = expected_reduction(in, items, maps(77), compose{});
  check_reduction<Offset>(policy, in, items, maps(77), compose{}, expected);
}
template <class Offset>
void check_segmented_reduce(const segmentation& in)
{
  check_reduction<Offset>(in, items_of<item_span>(in.num_items), item_span{0, 0, 0}, join_spans{});
  check_reduction<Offset>(in, items_of<affine_maps<1>>(in.num_items), affine_maps<1>(77), compose{});
}

} // namespace test
