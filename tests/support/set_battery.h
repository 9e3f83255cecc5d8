// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The battery of the set operations and of merges: every operation in every form, against std:: on (key, origin)
/// pairs, so that each element of a result can be traced to the element of the input that it came from.

#include <mgpu_thrust/merge.h>
#include <mgpu_thrust/set_operations.h>

#include "distributions.h"
#include "few_and_more.h"
#include "keys.h"
#include "systems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace test
{

enum class set_op
{
  intersection,
  union_of,
  difference,
  symmetric_difference,
  merge
};

/// A list of operations as a type, so that a test compiles no others.
template <set_op... Ops>
struct set_ops
{
};
using all_set_ops = set_ops<set_op::intersection, set_op::union_of, set_op::difference, set_op::symmetric_difference>;
using all_ops =
  set_ops<set_op::intersection, set_op::union_of, set_op::difference, set_op::symmetric_difference, set_op::merge>;

/// Calls f(std::integral_constant of the operation) for each operation.
template <set_op... Ops, class Function>
void for_each_op(set_ops<Ops...>, Function f)
{
  (f(std::integral_constant<set_op, Ops>{}), ...);
}

inline const char* name_of(set_op op)
{
  constexpr const char* names[] = {
    "set_intersection", "set_union", "set_difference", "set_symmetric_difference", "merge"};
  return names[static_cast<int>(op)];
}

/// Origin of an element: i for A[i], b_origin + j for B[j].
using origin = std::int32_t;
inline constexpr origin b_origin = 1 << 30;

inline std::vector<origin> origins(std::size_t size, origin first)
{
  std::vector<origin> result(size);
  for (std::size_t i = 0; i < size; ++i)
  {
    result[i] = first + static_cast<origin>(i);
  }
  return result;
}

/// The result of std:: for two sorted inputs.
template <class Key>
struct set_result
{
  std::vector<Key> keys;
  std::vector<origin> values;
};

template <class Key, class Compare>
set_result<Key> std_set_operation(set_op op, const std::vector<Key>& a, const std::vector<Key>& b, Compare comp)
{
  using element = std::pair<Key, origin>;
  std::vector<element> pairs_a;
  std::vector<element> pairs_b;
  std::vector<element> out;
  for (std::size_t i = 0; i < a.size(); ++i)
  {
    pairs_a.emplace_back(a[i], static_cast<origin>(i));
  }
  for (std::size_t j = 0; j < b.size(); ++j)
  {
    pairs_b.emplace_back(b[j], b_origin + static_cast<origin>(j));
  }
  const auto by_key = [&](const element& x, const element& y) { return comp(x.first, y.first); };
  const auto run = [&](auto algorithm)
  { algorithm(pairs_a.begin(), pairs_a.end(), pairs_b.begin(), pairs_b.end(), std::back_inserter(out), by_key); };
  switch (op)
  {
  case set_op::intersection:
    run([](auto... x) { return std::set_intersection(x...); });
    break;
  case set_op::union_of:
    run([](auto... x) { return std::set_union(x...); });
    break;
  case set_op::difference:
    run([](auto... x) { return std::set_difference(x...); });
    break;
  case set_op::symmetric_difference:
    run([](auto... x) { return std::set_symmetric_difference(x...); });
    break;
  case set_op::merge:
    run([](auto... x) { return std::merge(x...); });
    break;
  }
  set_result<Key> result;
  for (const element& e : out)
  {
    result.keys.push_back(e.first);
    result.values.push_back(e.second);
  }
  return result;
}

/// Calls mgpu's operation on keys; returns the end of the output.
template <set_op Op, class Policy, class A, class B, class Out, class Compare>
Out set_keys(const Policy& policy, A a, A a_end, B b, B b_end, Out out, Compare comp)
{
  if constexpr (Op == set_op::intersection)
  {
    return mgpu::set_intersection(policy, a, a_end, b, b_end, out, comp);
  }
  else if constexpr (Op == set_op::union_of)
  {
    return mgpu::set_union(policy, a, a_end, b, b_end, out, comp);
  }
  else if constexpr (Op == set_op::difference)
  {
    return mgpu::set_difference(policy, a, a_end, b, b_end, out, comp);
  }
  else if constexpr (Op == set_op::symmetric_difference)
  {
    return mgpu::set_symmetric_difference(policy, a, a_end, b, b_end, out, comp);
  }
  else
  {
    return mgpu::merge(policy, a, a_end, b, b_end, out, comp);
  }
}

/// Calls mgpu's operation by key; returns the ends of the outputs.
template <set_op Op, class Policy, class A, class B, class VA, class VB, class KeysOut, class ValuesOut, class Compare>
auto set_by_key(
  const Policy& policy, A a, A a_end, B b, B b_end, VA va, [[maybe_unused]] VB vb, KeysOut keys, ValuesOut values,
  Compare comp)
{
  if constexpr (Op == set_op::intersection)
  {
    return mgpu::set_intersection_by_key(policy, a, a_end, b, b_end, va, keys, values, comp);
  }
  else if constexpr (Op == set_op::union_of)
  {
    return mgpu::set_union_by_key(policy, a, a_end, b, b_end, va, vb, keys, values, comp);
  }
  else if constexpr (Op == set_op::difference)
  {
    return mgpu::set_difference_by_key(policy, a, a_end, b, b_end, va, vb, keys, values, comp);
  }
  else if constexpr (Op == set_op::symmetric_difference)
  {
    return mgpu::set_symmetric_difference_by_key(policy, a, a_end, b, b_end, va, vb, keys, values, comp);
  }
  else
  {
    return mgpu::merge_by_key(policy, a, a_end, b, b_end, va, vb, keys, values, comp);
  }
}

/// Calls mgpu's size function of an operation; a merge has none.
template <set_op Op, class Policy, class A, class B, class Compare>
std::int64_t set_size(const Policy& policy, A a, A a_end, B b, B b_end, Compare comp)
{
  if constexpr (Op == set_op::intersection)
  {
    return mgpu::set_intersection_size(policy, a, a_end, b, b_end, comp);
  }
  else if constexpr (Op == set_op::union_of)
  {
    return mgpu::set_union_size(policy, a, a_end, b, b_end, comp);
  }
  else if constexpr (Op == set_op::difference)
  {
    return mgpu::set_difference_size(policy, a, a_end, b, b_end, comp);
  }
  else
  {
    static_assert(Op == set_op::symmetric_difference);
    return mgpu::set_symmetric_difference_size(policy, a, a_end, b, b_end, comp);
  }
}

/// Compares keys with those expected in the order `comp`, and checks the guard element after them.
template <class Memory, class Key, class Compare>
void expect_keys(const Memory& keys, const std::vector<Key>& expected, const Key& guard, Compare comp)
{
  const auto& got = test::to_host(keys);
  ASSERT_EQ(got.size(), expected.size() + 1);
  ASSERT_FALSE(comp(got.back(), guard) || comp(guard, got.back())) << "wrote past the end";
  std::size_t same = 0;
  while (same < expected.size() && !comp(got[same], expected[same]) && !comp(expected[same], got[same]))
  {
    ++same;
  }
  ASSERT_EQ(same, expected.size()) << "that key is wrong";
}

/// Forms that a check covers: only the operations by key, which show everything that the others do, or all.
enum class forms
{
  by_key,
  all
};

/// Compares an operation under a policy with the result of std::. Outputs have one guard element past their end, which
/// must stay unchanged.
template <forms Forms, set_op Op, class Policy, class Key, class Compare>
void check_set_operation(
  const Policy& policy, const std::vector<Key>& a, const std::vector<Key>& b, const set_result<Key>& expected,
  Compare comp)
{
  const Key guard = a.empty() ? (b.empty() ? make_key<Key>::from(0) : b.back()) : a.front();
  const origin value_guard = -1;
  const std::size_t size = expected.keys.size();
  const auto da = test::to_memory<Policy>(a);
  const auto db = test::to_memory<Policy>(b);
  const auto va = test::to_memory<Policy>(origins(a.size(), 0));
  const auto vb = test::to_memory<Policy>(origins(b.size(), b_origin));
  {
    memory<Policy, Key> keys(size + 1, guard);
    memory<Policy, origin> values(size + 1, value_guard);
    const auto ends = test::set_by_key<Op>(
      policy, da.begin(), da.end(), db.begin(), db.end(), va.begin(), vb.begin(), keys.begin(), values.begin(), comp);
    ASSERT_EQ(ends.first - keys.begin(), static_cast<std::ptrdiff_t>(size));
    ASSERT_EQ(ends.second - values.begin(), static_cast<std::ptrdiff_t>(size));
    test::expect_keys(keys, expected.keys, guard, comp);
    const auto& got_values = test::to_host(values);
    ASSERT_EQ(got_values.back(), value_guard) << "wrote past the end";
    ASSERT_TRUE(std::equal(expected.values.begin(), expected.values.end(), got_values.begin()));
  }
  if constexpr (Forms == forms::all)
  {
    memory<Policy, Key> keys(size + 1, guard);
    const auto end = test::set_keys<Op>(policy, da.begin(), da.end(), db.begin(), db.end(), keys.begin(), comp);
    ASSERT_EQ(end - keys.begin(), static_cast<std::ptrdiff_t>(size));
    test::expect_keys(keys, expected.keys, guard, comp);
    if constexpr (Op != set_op::merge)
    {
      ASSERT_EQ(
        test::set_size<Op>(policy, da.begin(), da.end(), db.begin(), db.end(), comp), static_cast<std::int64_t>(size));
    }
  }
}

/// Compares the given operations under every policy with std::.
template <forms Forms, set_op... Ops, class Key, class Compare>
void check_set_operations(set_ops<Ops...> ops, const std::vector<Key>& a, const std::vector<Key>& b, Compare comp)
{
  for_each_op(
    ops,
    [&](auto each)
    {
      constexpr set_op op = decltype(each)::value;
      SCOPED_TRACE(name_of(op));
      const set_result<Key> expected = std_set_operation(op, a, b, comp);
      for_each_policy([&](const auto& policy) { test::check_set_operation<Forms, op>(policy, a, b, expected, comp); });
    });
  if constexpr (Forms == forms::all)
  {
    const bool expected = std::includes(a.begin(), a.end(), b.begin(), b.end(), comp);
    for_each_policy(
      [&](const auto& policy)
      {
        const auto da = test::to_memory<std::decay_t<decltype(policy)>>(a);
        const auto db = test::to_memory<std::decay_t<decltype(policy)>>(b);
        ASSERT_EQ(mgpu::includes(policy, da.begin(), da.end(), db.begin(), db.end(), comp), expected);
      });
  }
}

/// Number of items of a tile, or of a CPU worker's piece: sizes around it and several times it are tested.
template <class Key>
constexpr std::int64_t set_tile_items()
{
#if defined(__CUDACC__)
  return decltype(mgpu::detail::choose_set_operation_shape<mgpu::detail::set_union_t, sizeof(Key), false>())::items;
#else
  return mgpu::detail::cpu_piece_elements;
#endif
}

/// Checks the given operations on keys of a distribution.
template <forms Forms, class Key, set_op... Ops, class Compare>
void check_keys(
  set_ops<Ops...> ops, distribution d, std::int64_t a_size, std::int64_t b_size, std::uint64_t seed, Compare comp)
{
  SCOPED_TRACE(
    std::string(name_of(d)) + " " + std::to_string(a_size) + "+" + std::to_string(b_size) + " seed "
    + std::to_string(seed));
  const auto ranks = make_ranks(d, a_size, b_size, largest_rank<Key>(), seed);
  auto a = to_keys<Key>(ranks.first);
  auto b = to_keys<Key>(ranks.second);
  std::stable_sort(a.begin(), a.end(), comp);
  std::stable_sort(b.begin(), b.end(), comp);
  check_set_operations<Forms>(ops, a, b, comp);
}

} // namespace test
