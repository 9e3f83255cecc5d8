// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The battery of the sorts: inputs in every disorder, and all functions under every policy against std::stable_sort.

#include <mgpu_thrust/detail/cut/equal_pieces.h>
#include <mgpu_thrust/sort.h>

#include "elements.h"
#include "keys.h"
#include "systems.h"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace test
{

/// The orders that inputs of sorts are in.
enum class disorder
{
  uniform,      ///< any key anywhere
  few_keys,     ///< seven keys, so stability shows
  all_equal,    ///< one key
  sorted,       ///< in order
  reversed,     ///< in strictly descending order
  organ_pipe,   ///< up, then down
  local,        ///< each key within some tens of positions of its sorted position
  one_misplaced ///< in order except for one key, which belongs at the other end
};

inline constexpr disorder all_disorders[] = {disorder::uniform, disorder::few_keys,     disorder::all_equal,
                                             disorder::sorted,  disorder::reversed,     disorder::organ_pipe,
                                             disorder::local,   disorder::one_misplaced};

inline const char* name_of(disorder d)
{
  constexpr const char* names[] = {"uniform",  "few_keys",   "all_equal", "sorted",
                                   "reversed", "organ_pipe", "local",     "one_misplaced"};
  return names[static_cast<int>(d)];
}

/// Ranks between 0 and `largest`, or clamped to that range, in a disorder made from a seed.
inline std::vector<std::int64_t> make_disorder(disorder d, std::int64_t size, std::int64_t largest, std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  const auto below = [&](std::int64_t n)
  { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)); };
  std::vector<std::int64_t> ranks(size);
  for (std::int64_t i = 0; i < size; ++i)
  {
    switch (d)
    {
    case disorder::uniform:
      ranks[i] = below(std::min(size + 1, largest));
      break;
    case disorder::few_keys:
      ranks[i] = below(7);
      break;
    case disorder::all_equal:
      ranks[i] = 3;
      break;
    case disorder::sorted:
      ranks[i] = i / 2;
      break;
    case disorder::reversed:
      ranks[i] = size - i;
      break;
    case disorder::organ_pipe:
      ranks[i] = std::min(i, size - i);
      break;
    case disorder::local:
      ranks[i] = i + below(40);
      break;
    case disorder::one_misplaced:
      ranks[i] = i == size - 1 ? 0 : i + 1;
      break;
    }
    ranks[i] = std::min(ranks[i], largest);
  }
  return ranks;
}

/// Integer keys in a disorder.
inline std::vector<std::int32_t> make_ints(disorder d, std::int64_t size, std::uint64_t seed = 1)
{
  return to_keys<std::int32_t>(make_disorder(d, size, 1 << 30, seed));
}

/// An expensive order: by the number of steps that the Collatz sequence of a number takes to reach 1.
struct by_collatz_steps
{
  MGPU_THRUST_HOST_DEVICE bool operator()(std::int32_t x, std::int32_t y) const
  {
    return steps(x) < steps(y);
  }

private:
  MGPU_THRUST_HOST_DEVICE static int steps(std::int32_t x)
  {
    int result = 0;
    for (std::uint64_t number = static_cast<std::uint64_t>(x % 1000) + 1; number != 1; ++result)
    {
      number = number % 2 == 0 ? number / 2 : 3 * number + 1;
    }
    return result;
  }
};

/// The indices that sort keys.
template <class Key, class Compare>
std::vector<std::int64_t> expected_order(const std::vector<Key>& keys, Compare comp)
{
  std::vector<std::int64_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(
    order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) mutable { return comp(keys[i], keys[j]); });
  return order;
}

/// Returns whether two keys are equivalent; not all key types have operator==.
template <class Key>
bool is_same_key(const Key& x, const Key& y)
{
  return !(x < y) && !(y < x);
}

/// Compares sorted keys with `keys` in `order`, and checks that the guard element after them is unchanged.
template <class Key, class Memory>
void expect_sorted(const Memory& got_memory, const std::vector<Key>& keys, const std::vector<std::int64_t>& order)
{
  const auto& got = test::to_host(got_memory);
  ASSERT_EQ(got.size(), keys.size() + 1);
  ASSERT_TRUE(is_same_key(got.back(), make_key<Key>::from(99))) << "wrote past the end";
  std::size_t same = 0;
  while (same < keys.size() && is_same_key(got[same], keys[order[same]]))
  {
    ++same;
  }
  ASSERT_EQ(same, keys.size()) << "that key is wrong";
}

/// Compares sorted values, the value of key i being number i, and checks the guard element after them.
template <class Value, class Memory>
void expect_sorted_values(const Memory& got_memory, const std::vector<std::int64_t>& order)
{
  const auto& got = test::to_host(got_memory);
  ASSERT_EQ(got.size(), order.size() + 1);
  ASSERT_TRUE(is_same(got.back(), make_element<Value>(-7))) << "wrote past the end";
  std::size_t same = 0;
  while (same < order.size() && is_same(got[same], make_element<Value>(order[same])))
  {
    ++same;
  }
  ASSERT_EQ(same, order.size()) << "that value is wrong";
}

/// Keys followed by a guard element, in memory that a policy can access.
template <class Policy, class Key>
memory<Policy, Key> to_guarded_memory(std::vector<Key> keys)
{
  keys.push_back(make_key<Key>::from(99));
  return test::to_memory<Policy>(keys);
}
template <class Policy, class Value>
memory<Policy, Value> values_in_guarded_memory(std::int64_t size)
{
  auto values = make_elements<Value>(size, 0);
  values.push_back(make_element<Value>(-7));
  return test::to_memory<Policy>(values);
}

/// How a sort gets at its elements: by the iterator to them.
struct as_they_are
{
  template <class Iterator>
  static Iterator of(Iterator first)
  {
    return first;
  }
};

/// By iterators that are not to contiguous memory.
struct permuted
{
  template <class Iterator>
  static auto of(Iterator first)
  {
    return thrust::make_permutation_iterator(first, thrust::counting_iterator<std::int64_t>(0));
  }
};

/// The forms of a sort. On a GPU each form needs its own kernels for each key type and order, but values and indices of
/// one size share theirs: so not every type and order is tested with every form.
inline constexpr unsigned keys_alone = 1;
inline constexpr unsigned with_values = 2;
inline constexpr unsigned as_indices = 4;
inline constexpr unsigned all_forms = keys_alone | with_values | as_indices;

/// Checks sorts of keys in the forms `Forms` under one policy.
template <class Value, unsigned Forms = all_forms, class Index = std::int32_t, class Policy, class Key, class Compare>
void check_sort(
  const Policy& policy, const std::vector<Key>& keys, const std::vector<std::int64_t>& order, Compare comp)
{
  const auto size = static_cast<std::int64_t>(keys.size());
  if constexpr ((Forms & keys_alone) != 0)
  {
    SCOPED_TRACE("stable_sort");
    auto sorted = to_guarded_memory<Policy>(keys);
    mgpu::stable_sort(policy, sorted.begin(), sorted.begin() + size, comp);
    expect_sorted(sorted, keys, order);
  }
  if constexpr ((Forms & with_values) != 0)
  {
    SCOPED_TRACE("stable_sort_by_key");
    auto sorted = to_guarded_memory<Policy>(keys);
    auto values = values_in_guarded_memory<Policy, Value>(size);
    mgpu::stable_sort_by_key(policy, sorted.begin(), sorted.begin() + size, values.begin(), comp);
    expect_sorted(sorted, keys, order);
    expect_sorted_values<Value>(values, order);
  }
  if constexpr ((Forms & as_indices) != 0)
  {
    SCOPED_TRACE("stable_sort_indices");
    const auto input = to_guarded_memory<Policy>(keys);
    memory<Policy, Index> indices(size + 1, make_element<Index>(-7));
    const auto end = mgpu::stable_sort_indices(policy, input.begin(), input.begin() + size, indices.begin(), comp);
    ASSERT_EQ(end - indices.begin(), size);
    expect_sorted_values<Index>(indices, order);
  }
}

/// Checks sorts of keys in the forms `Forms` under all policies.
template <
  class Value, unsigned Forms = all_forms, class Index = std::int32_t, class Key, class Compare = ::cuda::std::less<>>
void check_sort_everywhere(const std::vector<Key>& keys, Compare comp = Compare{})
{
  const auto order = expected_order(keys, comp);
  for_each_policy([&](const auto& policy) { check_sort<Value, Forms, Index>(policy, keys, order, comp); });
}

/// Checks sorts of few integers, of which most are the least or the largest of their type: about as many as the lanes
/// of a warp, or a few warps, or a few blocks have.
template <class Key, unsigned Forms, class Value = std::int32_t, class Index = std::int32_t, class Compare>
void check_extreme_integers(Compare comp)
{
  const Key all[] = {
    std::numeric_limits<Key>::min(), std::numeric_limits<Key>::max(), static_cast<Key>(7),
    static_cast<Key>(std::numeric_limits<Key>::max() - 1)};
  std::mt19937_64 random(17);
  for (const std::int64_t size : {1, 2, 9, 10, 287, 288, 289, 2303, 2305, 5000, 9215, 9217, 9504})
  {
    SCOPED_TRACE(size);
    std::vector<Key> keys;
    std::generate_n(std::back_inserter(keys), size, [&] { return all[random() % 4]; });
    check_sort_everywhere<Value, Forms, Index>(keys, comp);
  }
}

/// A number of keys that fills several tiles, or three or more pieces for workers.
#if defined(__CUDACC__)
inline constexpr std::int64_t several_pieces = 100003;
#else
inline constexpr std::int64_t several_pieces = 2 * mgpu::detail::cpu_piece_elements + 5003;
#endif

/// Checks sorts of keys of a type in the forms `Forms`, for several sizes and disorders; sorts of indices have at most
/// as many keys as the index type can count.
template <class Key, unsigned Forms, class Value = std::int32_t, class Index = std::int32_t>
void check_types(std::int64_t large_size = several_pieces)
{
  SCOPED_TRACE(
    "keys of " + std::to_string(sizeof(Key)) + " bytes, values of " + std::to_string(sizeof(Value)) + ", indices of "
    + std::to_string(sizeof(Index)));
  for (const disorder d : {disorder::uniform, disorder::few_keys, disorder::local})
  {
    std::vector<std::int64_t> sizes{7, 1000, 3001, large_size};
#if defined(__CUDACC__)
    if (d == disorder::uniform)
    {
      // The least size of a multiway sort; of large keys also the most of a pairwise one, as it is half of that of
      // others.
      constexpr std::int64_t most = mgpu::detail::max_pairwise<sizeof(Key)>;
      if (sizeof(Key) > 8)
      {
        sizes.push_back(most);
      }
      sizes.push_back(most + 1);
    }
#endif
    for (const std::int64_t size : sizes)
    {
      auto keys = to_keys<Key>(make_disorder(d, size, largest_rank<Key>(), size));
      check_sort_everywhere<Value, Forms & ~as_indices, Index>(keys);
      if (size - 1 > mgpu::detail::largest_index<Index>)
      {
        keys.erase(keys.begin() + mgpu::detail::largest_index<Index> + 1, keys.end());
      }
      check_sort_everywhere<Value, Forms & as_indices, Index>(keys);
    }
  }
}

} // namespace test
