// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Set operations on pairs of lists: lengths at the borders of what a block and a tile take, chosen, repeated and
// overlapping lists, duplicates, empty lists in long rows, one pair alone and very many, wrong bounds, types, and
// policies. What is expected is std::set_intersection, a pair at a time.

#include <mgpu_thrust/detail/cut/equal_pieces.h>
#include <mgpu_thrust/detail/pairs/tuning.h>
#include <mgpu_thrust/segmented_set_operations.h>
#include <mgpu_thrust/segmented_set_operations_n.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/device/device_segmented_set_operations.cuh>
#endif

#if defined(__CUDACC__)
#  include "support/captured_kernels.h"
#endif
#include "support/deferred_battery.h"
#include "support/distributions.h"
#include "support/elements.h"
#include "support/functions.h"
#include "support/fuzz.h"
#include "support/paired_lists.h"
#include "support/policy_battery.h"
#include "support/systems.h"

#include <thrust/fill.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <list>
#include <random>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace
{

using test::add_random;
using test::all_lists;
using test::between_lists;
using test::pair_offsets;
using test::paired_lists;
using test::power_law_pairs;
using test::random_list;

/// What is expected: the number of matches of each pair, and the position in B, plus one, of each element's match, or
/// 0: those of pair p begin at offsets[p].
struct expected_matches
{
  test::ints counts;
  test::ints positions;
  pair_offsets offsets;
};

template <class Compare>
expected_matches expect_matches(const paired_lists& pairs, Compare comp)
{
  expected_matches expected;
  for (std::int64_t p = 0; p < pairs.num_pairs(); ++p)
  {
    expected.offsets.push_back(static_cast<std::int64_t>(expected.positions.size()));
    const std::int64_t a_end = std::max(pairs.a_begins[p], pairs.a_ends[p]);
    const std::int64_t b_end = std::max(pairs.b_begins[p], pairs.b_ends[p]);
    // Elements as pairs with their positions, of which the comparator sees the elements.
    std::vector<std::pair<std::int32_t, std::int64_t>> a_list, b_list, a_matches, b_matches;
    for (std::int64_t i = pairs.a_begins[p]; i < a_end; ++i)
    {
      a_list.emplace_back(pairs.a[i], i);
    }
    for (std::int64_t j = pairs.b_begins[p]; j < b_end; ++j)
    {
      b_list.emplace_back(pairs.b[j], j);
    }
    const auto by_element = [&](const auto& x, const auto& y) { return comp(x.first, y.first); };
    std::set_intersection(
      a_list.begin(), a_list.end(), b_list.begin(), b_list.end(), std::back_inserter(a_matches), by_element);
    std::set_intersection(
      b_list.begin(), b_list.end(), a_list.begin(), a_list.end(), std::back_inserter(b_matches), by_element);
    expected.counts.push_back(static_cast<std::int32_t>(a_matches.size()));
    test::ints positions(a_list.size());
    for (std::size_t k = 0; k < a_matches.size(); ++k)
    {
      positions[a_matches[k].second - pairs.a_begins[p]] = static_cast<std::int32_t>(b_matches[k].second + 1);
    }
    expected.positions.insert(expected.positions.end(), positions.begin(), positions.end());
  }
  return expected;
}

/// An order that must be called with elements of lists alone.
struct order_of_listed
{
  int* is_wrong;

  template <class X, class Y>
  MGPU_THRUST_HOST_DEVICE bool operator()(const X& x, const Y& y) const
  {
    if (x == between_lists || y == between_lists)
    {
      *is_wrong = 1;
    }
    return x < y;
  }
};

/// Adds the position of a match to what is stored for its element.
struct store_match
{
  const std::int64_t* offsets;
  const std::int64_t* a_begins;
  std::int32_t* positions;

  MGPU_THRUST_HOST_DEVICE void operator()(std::int64_t pair, std::int64_t i, std::int64_t j) const
  {
    positions[offsets[pair] + (i - a_begins[pair])] += static_cast<std::int32_t>(j + 1);
  }
};

/// Checks all functions under every policy.
void check_pairs(const paired_lists& pairs)
{
  const expected_matches expected = expect_matches(pairs, std::less<>{});
  test::ints expected_flags;
  for (const std::int32_t count : expected.counts)
  {
    expected_flags.push_back(count != 0);
  }
  const std::int64_t n = pairs.num_pairs();
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto a = test::to_memory<policy_t>(pairs.a);
      const auto b = test::to_memory<policy_t>(pairs.b);
      const auto a_begins = test::to_memory<policy_t>(pairs.a_begins);
      const auto a_ends = test::to_memory<policy_t>(pairs.a_ends);
      const auto b_begins = test::to_memory<policy_t>(pairs.b_begins);
      const auto b_ends = test::to_memory<policy_t>(pairs.b_ends);
      const auto offsets = test::to_memory<policy_t>(expected.offsets);
      const auto with_pairs = [&](auto f) {
        return f(policy, a.begin(), a_begins.begin(), a_ends.begin(), b.begin(), b_begins.begin(), b_ends.begin(), n);
      };
#if defined(__CUDACC__) // the workers of a CPU would write to the same address
      test::memory<policy_t, int> is_wrong(1, 0);
      const order_of_listed comp{thrust::raw_pointer_cast(is_wrong.data())};
#else
      const ::cuda::std::less<> comp;
#endif

      test::memory<policy_t, std::int32_t> out(n + 1, -7);
      with_pairs(
        [&](const auto&... args)
        {
          const auto end = mgpu::segmented_set_intersection_size(args..., out.begin(), comp);
          test::expect_output(out, expected.counts, end - out.begin());
        });
      thrust::fill(out.begin(), out.end(), -7); // std::fill would copy each to a device on its own
      with_pairs(
        [&](const auto&... args)
        {
          const auto end = mgpu::segmented_have_overlap(args..., out.begin(), comp);
          SCOPED_TRACE("segmented_have_overlap");
          test::expect_output(out, expected_flags, end - out.begin());
        });
      test::memory<policy_t, std::int32_t> positions(expected.positions.size() + 1, 0);
      positions.back() = -7;
      const store_match store{
        thrust::raw_pointer_cast(offsets.data()), thrust::raw_pointer_cast(a_begins.data()),
        thrust::raw_pointer_cast(positions.data())};
      with_pairs([&](const auto&... args) { mgpu::for_each_in_intersections(args..., store, comp); });
      SCOPED_TRACE("for_each_in_intersections");
      test::expect_output(positions, expected.positions, static_cast<std::int64_t>(expected.positions.size()));
#if defined(__CUDACC__)
      EXPECT_EQ(test::to_host(is_wrong)[0], 0) << "the comparator was called with what is in no list";
#endif
    });
}

#if defined(__CUDACC__)
constexpr std::int64_t paired_tile = mgpu::detail::long_pairs_shape::word_steps;
#else
constexpr std::int64_t paired_tile = mgpu::detail::cpu_piece_elements;
#endif

TEST(SegmentedSetOperations, SmallListsOfEveryKind)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::vector<test::ints> lists = all_lists(3, 3);
  paired_lists pairs;
  for (const auto& a : lists)
  {
    for (const auto& b : lists)
    {
      pairs.add(a, b);
    }
  }
  check_pairs(pairs);
}

// Lists around the lengths at which a pair is long, and around those of tiles, one pair alone and several.
TEST(SegmentedSetOperations, BordersOfBlocksAndTiles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(1);
  paired_lists all;
  constexpr std::int64_t short_size = mgpu::detail::max_short_needles;
  constexpr std::int64_t merged_size = short_size * mgpu::detail::segmented_sets_shape::items_per_thread / 2;
  const std::vector<std::int64_t> sizes{
    1,
    31,
    32,
    33,
    short_size - 1,
    short_size,
    short_size + 1,
    merged_size,
    merged_size + 1,
    paired_tile / 2,
    paired_tile - 1,
    paired_tile,
    paired_tile + 1,
    3 * paired_tile + 5};
  for (const std::int64_t a_size : sizes)
  {
    for (const std::int64_t b_size : {a_size, a_size + 1, 6 * a_size, 40 * a_size})
    {
      if (b_size <= 200000)
      {
        add_random(all, a_size, b_size, 1 + a_size % 3, random);
        add_random(all, b_size, a_size, 1 + a_size % 3, random);
        all.add({}, {});
      }
    }
  }
  check_pairs(all);
  for (const std::int64_t size : {short_size, paired_tile, 3 * paired_tile + 5})
  {
    for (const std::int64_t copies : {1, 700, 10000000})
    {
      paired_lists one;
      add_random(one, size, size + 17, copies, random);
      check_pairs(one);
    }
  }
}

// Copies of an element across the ends of pieces, and more on one side than on the other.
TEST(SegmentedSetOperations, CopiesAcrossPieces)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(2);
  for (const std::int64_t copies : {paired_tile / 3, paired_tile, 3 * paired_tile})
  {
    check_pairs(test::pairs_of_copies(copies, random));
  }
}

TEST(SegmentedSetOperations, OnePairAloneAndVeryMany)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(3);
  paired_lists one;
  add_random(one, 600000, 500000, 1, random);
  check_pairs(one);
  paired_lists unlike;
  add_random(unlike, 2000000, 20000, 1, random);
  add_random(unlike, 7, 2000000, 1, random);
  check_pairs(unlike);

  // Pairs of one element and some long ones among them, on both sides of windows' ends.
  paired_lists many;
  for (std::int64_t p = 0; p < test::many_keys; ++p)
  {
    const bool is_long = p % 100000 < 3;
    many.add(
      is_long ? random_list(4000, 5000, random) : test::ints(1, static_cast<std::int32_t>(random() % 2)),
      is_long ? random_list(p % 2 == 0 ? 3000 : 30000, 5000, random)
              : test::ints(1, static_cast<std::int32_t>(random() % 2)));
  }
  check_pairs(many);
}

TEST(SegmentedSetOperations, PowerLaws)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(4);
  check_pairs(power_law_pairs(3000, 200000, true, random));
  check_pairs(power_law_pairs(3000, 200000, false, random));
  check_pairs(power_law_pairs(30000, 90000, false, random));
}

// Pairs that are chosen from few lists, overlap, or end before they begin. Only lists that are not empty are read.
TEST(SegmentedSetOperations, ChosenRepeatedOverlappingAndReversed)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(5);
  paired_lists pairs;
  pairs.a.clear();
  pairs.b.clear();
  pairs.a = random_list(100000, 60000, random);
  pairs.b = pairs.a;
  const auto bounds = [&](pair_offsets& begins, pair_offsets& ends)
  {
    const auto begin = static_cast<std::int64_t>(random() % 100000);
    const auto longest = random() % 20 == 0 ? 100000 - begin : std::min<std::int64_t>(100000 - begin, 300);
    const auto size = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(longest + 1));
    const bool is_reversed = random() % 10 == 0;
    begins.push_back(is_reversed ? std::int64_t{1} << 60 : begin);
    ends.push_back(is_reversed ? -5 : begin + size);
  };
  for (int p = 0; p < 2000; ++p)
  {
    bounds(pairs.a_begins, pairs.a_ends);
    if (p % 2 == 0) // near each other
    {
      pairs.b_begins.push_back(pairs.a_begins.back());
      pairs.b_ends.push_back(pairs.a_ends.back() - static_cast<std::int64_t>(random() % 20));
    }
    else
    {
      bounds(pairs.b_begins, pairs.b_ends);
    }
  }
  check_pairs(pairs);
  check_pairs({});
}

// Bounds of any integer types, at the ends of these: a list is empty if its end is not after its begin, or if it has
// positions above 2^63 - 1. Both lists of a pair are one, of the numbers of its positions.
template <class Begin, class End>
void check_bounds_of_types()
{
  SCOPED_TRACE(typeid(Begin).name() + std::string(" to ") + typeid(End).name());
  constexpr Begin last_begin = std::numeric_limits<Begin>::max();
  constexpr Begin first_begin = std::numeric_limits<Begin>::min();
  constexpr End last_end = std::numeric_limits<End>::max();
  constexpr End first_end = std::numeric_limits<End>::min();
  std::vector<Begin> begins{last_begin, last_begin, 1, 5, 0};
  std::vector<End> ends{0, first_end, 0, 5, 3};
  test::ints expected{0, 0, 0, 0, 3};
  const auto add = [&](Begin begin, End end, std::int32_t size)
  {
    begins.push_back(begin);
    ends.push_back(end);
    expected.push_back(size);
  };
  constexpr bool are_wide = std::is_same_v<Begin, std::uint64_t> || std::is_same_v<End, std::uint64_t>;
  if constexpr (std::is_same_v<Begin, End>)
  {
    add(last_begin, last_end, 0);
    add(first_begin, first_end, 0);
    add(first_begin, static_cast<End>(first_end + 3), 3);
    add(static_cast<Begin>(last_begin - 3), last_end, are_wide ? 0 : 3);
  }
  if constexpr (are_wide)
  {
    add(5, static_cast<End>(-1), 0);
    add(static_cast<Begin>(-9), static_cast<End>(-4), 0);
  }
  if constexpr (are_wide && std::is_same_v<Begin, End>)
  {
    constexpr Begin above = Begin{1} << 63;
    add(above, 0, 0);
    add(above, above + 5, 0);
    add(above - 4, above + 1, 0);
    add(above - 4, above - 1, 3);
  }
  const auto n = static_cast<std::int64_t>(begins.size());
  test::call_with_one_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const thrust::counting_iterator<std::int64_t> all(0);
      const auto own_begins = test::to_memory<policy_t>(begins);
      const auto own_ends = test::to_memory<policy_t>(ends);
      test::memory<policy_t, std::int32_t> out(n + 1, -7);
      mgpu::segmented_set_intersection_size(
        policy, all, own_begins.begin(), own_ends.begin(), all, own_begins.begin(), own_ends.begin(), n, out.begin());
      test::expect_output(out, expected, n);
    });
}

TEST(SegmentedSetOperations, BoundsOfAnyIntegers)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_bounds_of_types<std::int8_t, std::int8_t>();
  check_bounds_of_types<std::uint8_t, std::uint8_t>();
  check_bounds_of_types<std::int16_t, std::int16_t>();
  check_bounds_of_types<std::uint16_t, std::uint16_t>();
  check_bounds_of_types<std::int32_t, std::int32_t>();
  check_bounds_of_types<std::uint32_t, std::uint32_t>();
  check_bounds_of_types<std::int64_t, std::int64_t>();
  check_bounds_of_types<std::uint64_t, std::uint64_t>();
  check_bounds_of_types<std::uint64_t, std::int32_t>();
  check_bounds_of_types<std::int64_t, std::uint64_t>();
}

/// An element of another type than that of the other side's, compared by its half.
struct halved_number
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t x) const
  {
    return x / 2;
  }
};
struct is_more
{
  template <class X, class Y>
  MGPU_THRUST_HOST_DEVICE bool operator()(X x, Y y) const
  {
    return static_cast<std::int64_t>(x) > static_cast<std::int64_t>(y);
  }
};
struct twice_of
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t x) const
  {
    return 2 * x;
  }
};

// Elements of two types, computed ones, and bounds of several types, in descending order; computed outputs.
TEST(SegmentedSetOperations, TypesAndComputedIterators)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t n = 3300;
  // A has the numbers from 4000 down to 1, and a list 500 of them; B those from 10000 down to 0, most of them twice.
  test::for_each_policy(
    [=](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      std::vector<std::int16_t> descending(n + 700);
      for (std::size_t k = 0; k < descending.size(); ++k)
      {
        descending[k] = static_cast<std::int16_t>(descending.size() - k);
      }
      const auto a = test::to_memory<policy_t>(descending);
      const thrust::counting_iterator<std::int32_t> from(0);
      const auto b = thrust::make_transform_iterator(
        thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(-20000), halved_number{}),
        thrust::negate<std::int64_t>{}); // 10000, 9999, 9999, 9998, ... 1, 1, 0, 0, 0
      test::memory<policy_t, std::int16_t> out(n + 1, -7);
      const auto end = mgpu::segmented_set_intersection_size(
        policy, a.begin(), from, from + 500, b, thrust::make_constant_iterator(std::uint8_t{0}),
        thrust::make_constant_iterator(20000u), n, thrust::make_transform_output_iterator(out.begin(), twice_of{}),
        is_more{});
      EXPECT_EQ(end.base() - out.begin(), n);
      const auto got = test::to_host(out);
      // All numbers of A are in B.
      EXPECT_TRUE(std::all_of(got.begin(), got.end() - 1, [](int x) { return x == 1000; }));
      EXPECT_EQ(got.back(), -7);

      test::flags<policy_t> flags(n);
      mgpu::segmented_have_overlap(
        policy, b, thrust::make_constant_iterator(std::uint16_t{19000}), thrust::make_constant_iterator(20000),
        a.begin(), from, from + 500, n, flags.data(), is_more{});
      const auto bits = flags.to_host();
      for (std::int64_t p = 0; p < n; ++p)
      {
        // B has the numbers from 500 to 1, and the pair's list those from 4000 - p to 3501 - p.
        ASSERT_EQ(bits[p], descending[p + 499] <= 500);
      }
    });
}

TEST(SegmentedSetOperations, WithoutAPolicy)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
#if defined(__CUDACC__)
  using memory_policy = thrust::cuda::tag;
#else
  using memory_policy = std::decay_t<decltype(thrust::seq)>;
#endif
  paired_lists pairs;
  pairs.add({1, 2, 2, 5}, {2, 2, 2, 5, 6});
  pairs.add({1}, {2});
  const expected_matches expected = expect_matches(pairs, std::less<>{});
  const auto a = test::to_memory<memory_policy>(pairs.a);
  const auto b = test::to_memory<memory_policy>(pairs.b);
  const auto a_begins = test::to_memory<memory_policy>(pairs.a_begins);
  const auto a_ends = test::to_memory<memory_policy>(pairs.a_ends);
  const auto b_begins = test::to_memory<memory_policy>(pairs.b_begins);
  const auto b_ends = test::to_memory<memory_policy>(pairs.b_ends);
  const auto offsets = test::to_memory<memory_policy>(expected.offsets);
  test::memory<memory_policy, std::int32_t> out(3, -7);
  const auto with_pairs = [&](auto f)
  { return f(a.begin(), a_begins.begin(), a_ends.begin(), b.begin(), b_begins.begin(), b_ends.begin(), 2); };
  with_pairs([&](const auto&... args) { mgpu::segmented_set_intersection_size(args..., out.begin()); });
  test::expect_output(out, expected.counts, 2);
  with_pairs([&](const auto&... args) { mgpu::segmented_have_overlap(args..., out.begin()); });
  test::expect_output(out, test::ints{1, 0}, 2);
  test::memory<memory_policy, std::int32_t> positions(6, 0);
  positions.back() = -7;
  const store_match store{
    thrust::raw_pointer_cast(offsets.data()), thrust::raw_pointer_cast(a_begins.data()),
    thrust::raw_pointer_cast(positions.data())};
  with_pairs([&](const auto&... args) { mgpu::for_each_in_intersections(args..., store); });
  test::expect_output(positions, expected.positions, 5);
}

#if !defined(__CUDACC__)

// Wherever the work of a pair is cut, both parts have the matches of the whole, each once.
TEST(SegmentedSetOperations, EveryCutOfSmallPairs)
{
  const auto check = [](const test::ints& of_a, const test::ints& of_b)
  {
    paired_lists pairs;
    pairs.add(of_a, of_b);
    using lists = mgpu::detail::pair_lists<const std::int32_t*, const std::int64_t*, const std::int64_t*>;
    const mgpu::detail::list_pairs<lists, lists> in{
      {pairs.a.data(), pairs.a_begins.data(), pairs.a_ends.data()},
      {pairs.b.data(), pairs.b_begins.data(), pairs.b_ends.data()},
      1};
    const mgpu::detail::pair_work work(in.pair(0));
    const expected_matches expected = expect_matches(pairs, std::less<>{});
    std::less<> comp;
    for (std::int64_t cut = 0; cut <= work.weight(); ++cut)
    {
      test::ints positions(of_a.size());
      const auto find = [&](std::int64_t begin, std::int64_t end)
      {
        mgpu::detail::find_matches(
          in, work, begin, end, comp,
          [&](std::int64_t i, std::int64_t j)
          {
            positions[i - 1] += static_cast<std::int32_t>(j + 1);
            return true;
          });
      };
      find(0, cut);
      find(cut, work.weight());
      ASSERT_EQ(positions, expected.positions) << "cut at " << cut << " of " << work.weight();
    }
  };
  const std::vector<test::ints> lists = all_lists(5, 3);
  for (const auto& a : lists)
  {
    for (const auto& b : lists)
    {
      check(a, b);
    }
    // So much longer that it is bisected.
    test::ints long_list;
    for (std::int32_t x = 0; x < 3; ++x)
    {
      long_list.insert(long_list.end(), x == 1 ? 2 : 200, x);
    }
    check(a, long_list);
    check(long_list, a);
  }
}

// Serial policies write to plain output iterators; elements may own memory; comparators see elements alone.
TEST(SegmentedSetOperations, StringsAndPlainOutputIterators)
{
  std::mt19937_64 random(6);
  const paired_lists pairs = power_law_pairs(300, 5000, false, random);
  const expected_matches expected = expect_matches(pairs, std::less<>{});
  std::vector<std::string> words_a, words_b;
  const auto word = [](std::int32_t x)
  { return "a word that is too long for its object " + std::to_string(x + 10000000); };
  std::transform(pairs.a.begin(), pairs.a.end(), std::back_inserter(words_a), word);
  std::transform(pairs.b.begin(), pairs.b.end(), std::back_inserter(words_b), word);
  const std::string no_element = word(between_lists);
  const auto comp = [&](const std::string& x, const std::string& y)
  { return x == no_element || y == no_element ? throw std::string("no element of a list") : x < y; };
  const auto with_pairs = [&](const auto& policy, auto out)
  {
    return mgpu::segmented_set_intersection_size(
      policy, words_a.begin(), pairs.a_begins.begin(), pairs.a_ends.begin(), words_b.begin(), pairs.b_begins.begin(),
      pairs.b_ends.begin(), pairs.num_pairs(), out, comp);
  };
  test::for_each_policy(
    [&](const auto& policy)
    {
      test::ints out(pairs.num_pairs());
      with_pairs(policy, out.begin());
      EXPECT_TRUE(out == expected.counts);
    });
  std::list<std::int32_t> listed;
  with_pairs(thrust::seq, std::back_inserter(listed));
  EXPECT_TRUE(std::equal(listed.begin(), listed.end(), expected.counts.begin(), expected.counts.end()));
  std::vector<bool> flags(pairs.num_pairs());
  mgpu::segmented_have_overlap(
    thrust::seq, pairs.a.begin(), pairs.a_begins.begin(), pairs.a_ends.begin(), pairs.b.begin(), pairs.b_begins.begin(),
    pairs.b_ends.begin(), pairs.num_pairs(), flags.begin());
  for (std::size_t p = 0; p < flags.size(); ++p)
  {
    ASSERT_EQ(flags[p], expected.counts[p] != 0);
  }
}

// An exception of the function stops all workers.
TEST(SegmentedSetOperations, ExceptionsStopAllWorkers)
{
  std::mt19937_64 random(7);
  paired_lists pairs;
  add_random(pairs, 300000, 300000, 1, random);
  test::for_each_policy(
    [&](const auto& policy)
    {
      EXPECT_THROW(
        mgpu::for_each_in_intersections(
          policy, pairs.a.begin(), pairs.a_begins.begin(), pairs.a_ends.begin(), pairs.b.begin(),
          pairs.b_begins.begin(), pairs.b_ends.begin(), 1,
          [](std::int64_t, std::int64_t i, std::int64_t)
          {
            if (i > 200000)
            {
              throw std::string("a match");
            }
          }),
        std::string);
    });
}

#endif

// New cases each time; MGPU_THRUST_FUZZ_SEED reproduces them.
TEST(SegmentedSetOperations, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    12,
    [](std::mt19937_64& random)
    {
      paired_lists pairs;
      const auto n = static_cast<std::int64_t>(1 + random() % (random() % 3 == 0 ? 3000 : 20));
      std::int64_t left = 400000;
      for (std::int64_t p = 0; p < n; ++p)
      {
        const auto size = [&]
        {
          const std::uint64_t longest = random() % 3 == 0 ? 100000 : random() % 2 == 0 ? 300 : 6;
          const auto wanted = static_cast<std::int64_t>(random() % longest);
          const std::int64_t taken = std::min(wanted, left);
          left -= taken;
          return taken;
        };
        const std::int64_t a_size = size();
        const std::int64_t b_size = size();
        add_random(
          pairs, a_size, b_size, random() % 5 == 0 ? 100 : 1 + static_cast<std::int64_t>(random() % 3), random);
      }
      for (std::uint64_t k = random() % 100; k > 0; --k)
      {
        pairs.add_again(static_cast<std::int64_t>(random() % n), static_cast<std::int64_t>(random() % n));
      }
      check_pairs(pairs);
    });
}

/// The edges of a graph, whose vertex v has as neighbours v + 1, v + 2, v + 4 and so on, and their common neighbours.
struct common_neighbours_call : test::policy_call
{
  static constexpr bool synchronises = false;

  explicit common_neighbours_call(std::int64_t size)
      : common_neighbours_call(size, false)
  {
  }
  common_neighbours_call(std::int64_t size, bool of_flags)
  {
    const auto n = static_cast<std::int32_t>(size / 8);
    test::ints neighbours, begins, ends, from, to;
    for (std::int32_t v = 0; v < n; ++v)
    {
      begins.push_back(static_cast<std::int32_t>(neighbours.size()));
      for (std::int32_t d = 1; d <= 128 && v + d < n; d *= 2)
      {
        neighbours.push_back(v + d);
      }
      ends.push_back(static_cast<std::int32_t>(neighbours.size()));
      from.push_back(v);
    }
    for (std::int32_t v = 0; v < n; ++v)
    {
      const std::int32_t other = (v * 7 + 1) % n;
      test::ints common;
      std::set_intersection(
        neighbours.begin() + begins[v], neighbours.begin() + ends[v], neighbours.begin() + begins[other],
        neighbours.begin() + ends[other], std::back_inserter(common));
      const auto count = static_cast<std::int32_t>(common.size());
      expected.push_back(of_flags ? count != 0 : count);
    }
    inputs = {neighbours, begins, ends};
    result = n;
  }
  /// The other vertex of a pair.
  struct other_vertex
  {
    std::int64_t n;

    MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t v) const
    {
      return (v * 7 + 1) % n;
    }
  };
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    const auto others =
      thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), other_vertex{in.size(1)});
    return mgpu::segmented_set_intersection_size(
             policy, in.first[0], in.first[1], in.first[2], in.first[0],
             thrust::make_permutation_iterator(in.first[1], others),
             thrust::make_permutation_iterator(in.first[2], others), in.size(1), out)
           - out;
  }
};

/// Whether a few lists of any lengths overlap the same list.
struct overlap_call : test::policy_call
{
  static constexpr bool synchronises = false;

  explicit overlap_call(std::int64_t size)
  {
    test::ints elements(size);
    for (std::int64_t i = 0; i < size; ++i)
    {
      elements[i] = static_cast<std::int32_t>(2 * i);
    }
    test::ints begins, ends;
    for (std::int64_t length = 1; length < size / 2; length *= 2)
    {
      begins.push_back(static_cast<std::int32_t>(length));
      ends.push_back(static_cast<std::int32_t>(2 * length));
      expected.push_back(2 * length > size / 3);
    }
    inputs = {elements, begins, ends};
    result = static_cast<std::int64_t>(begins.size());
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::segmented_have_overlap(
             policy, in.first[0], in.first[1], in.first[2], in.first[0], thrust::make_constant_iterator(in.size(0) / 3),
             thrust::make_constant_iterator(in.size(0)), in.size(1), out)
           - out;
  }
};

/// The lengths of the lists of a pair: some are long, on both sides.
struct length_of_pair
{
  bool is_a;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t pair) const
  {
    return pair % 1000 == 7 ? (is_a ? 3000 : 2500) : is_a ? pair % 5 : 3;
  }
};
/// The end of a pair's list, which begins at the number of the pair.
struct end_of_pair
{
  length_of_pair length;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t pair) const
  {
    return pair + length(pair);
  }
};

/// Lists of numbers that begin with that of the pair, as many as the first range has elements.
struct deferred_pairs : test::call_on_numbered_pairs
{
  static constexpr int result_at = 0;

  static test::ints expected(const test::ints& first, const test::ints&)
  {
    test::ints counts;
    for (const std::int32_t pair : first)
    {
      counts.push_back(static_cast<std::int32_t>(std::min(length_of_pair{true}(pair), length_of_pair{false}(pair))));
    }
    return counts;
  }
  template <class Policy, class Size1, class Size2, class Count>
  static MGPU_THRUST_HOST_DEVICE auto
  run(const Policy& policy, const test::two_ranges& ranges, Size1 num_pairs, Size2, Count)
  {
    const thrust::counting_iterator<std::int64_t> numbers(0);
    return mgpu::segmented_set_intersection_size_n(
      policy, numbers, ranges.first, thrust::make_transform_iterator(numbers, end_of_pair{{true}}), numbers,
      ranges.first, thrust::make_transform_iterator(numbers, end_of_pair{{false}}), num_pairs, ranges.out);
  }
#if defined(__CUDACC__)
  template <class Size1, class Size2, class Count>
  static cudaError_t queue(
    void* storage, std::size_t& bytes, const test::two_ranges& ranges, Size1 num_pairs, Size2, Count*,
    cudaStream_t stream)
  {
    const thrust::counting_iterator<std::int64_t> numbers(0);
    return mgpu::DeviceSegmentedSetOperations::IntersectionSize(
      storage, bytes, numbers, ranges.first, thrust::make_transform_iterator(numbers, end_of_pair{{
                                                                               true
                                                                             }}),
      numbers, ranges.first, thrust::make_transform_iterator(numbers, end_of_pair{{
                                                               false
                                                             }}),
      num_pairs, ranges.out, ::cuda::std::less<>{}, stream);
  }
#endif
};

// The other functions with a deferred number of pairs.
TEST(SegmentedSetOperations, DeferredFlagsAndVisits)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto lists = test::to_memory<policy_t>(test::ints{1, 3, 5, 2, 3, 5, 4, 6, 3});
      const auto offsets = test::to_memory<policy_t>(pair_offsets{0, 3, 6, 8, 9});
      const auto num_pairs = test::to_memory<policy_t>(test::ints{2, 3});
      const auto begins = offsets.begin();
      test::memory<policy_t, std::int32_t> out(4, -7);
      const mgpu::deferred size{num_pairs.begin(), 3};
      const auto result = mgpu::segmented_have_overlap_n(
        policy, lists.begin(), begins, begins + 1, lists.begin(), begins + 1, begins + 2, size, out.begin());
      EXPECT_EQ(result.capacity, 3);
      EXPECT_EQ(test::to_host(out), (test::ints{1, 0, -7, -7}));
      test::memory<policy_t, std::int32_t> positions(9, 0);
      const store_match store{
        thrust::raw_pointer_cast(offsets.data()), thrust::raw_pointer_cast(offsets.data()),
        thrust::raw_pointer_cast(positions.data())};
      mgpu::for_each_in_intersections_n(
        policy, lists.begin(), begins, begins + 1, lists.begin(), begins + 1, begins + 2, size, store);
      EXPECT_EQ(test::to_host(positions), (test::ints{0, 5, 6, 0, 0, 0, 0, 0, 0}));
    });
}

#if defined(__CUDACC__)

TEST(SegmentedSetOperations, DeviceCalls)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using device = mgpu::DeviceSegmentedSetOperations;
  const thrust::device_vector<std::int32_t> lists(test::ints{1, 3, 5, 2, 3, 5, 4, 6, 3});
  const thrust::device_vector<std::int64_t> offsets(pair_offsets{0, 3, 6, 8, 9});
  thrust::device_vector<std::int32_t> out(9, 0);
  const auto elements = lists.begin();
  const auto begins = offsets.begin();
  const store_match store{
    thrust::raw_pointer_cast(offsets.data()), thrust::raw_pointer_cast(offsets.data()),
    thrust::raw_pointer_cast(out.data())};
  test::call(
    [&](void* storage, std::size_t& bytes, cudaStream_t stream)
    {
      return device::ForEachInIntersections(
        storage, bytes, elements, begins, begins + 1, elements, begins + 1, begins + 2, 3, store, ::cuda::std::less<>{},
        stream);
    });
  EXPECT_EQ(test::to_host(out), (test::ints{0, 5, 6, 0, 0, 0, 0, 0, 0}));
  const auto overlap = [&](std::int64_t num_pairs)
  {
    return [&, num_pairs](void* storage, std::size_t& bytes, cudaStream_t stream)
    {
      return device::HaveOverlap(
        storage, bytes, elements, begins, begins + 1, elements, begins + 1, begins + 2, num_pairs, out.begin(),
        ::cuda::std::less<>{}, stream);
    };
  };
  test::call(overlap(3));
  EXPECT_EQ(test::to_host(out), (test::ints{1, 0, 0, 0, 0, 0, 0, 0, 0}));
  std::size_t bytes = 0;
  EXPECT_EQ(overlap(-1)(nullptr, bytes, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(overlap(std::int64_t{1} << 50)(nullptr, bytes, nullptr), cudaErrorInvalidValue);
  ASSERT_EQ(overlap(3)(nullptr, bytes, nullptr), cudaSuccess);
  thrust::device_vector<char> storage(bytes);
  void* const memory = thrust::raw_pointer_cast(storage.data());
  std::size_t too_few = bytes - 1;
  EXPECT_EQ(overlap(3)(memory, too_few, nullptr), cudaErrorInvalidValue);
  const auto kernels = test::captured_kernels([&](cudaStream_t stream) { return overlap(3)(memory, bytes, stream); });
  EXPECT_EQ(kernels, (std::vector<std::string>{"short_pairs_kernel", "long_pairs_kernel"}));
}

#endif

using segmented_set_calls = testing::Types<common_neighbours_call, overlap_call>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(SegmentedSetOperations, Policies, segmented_set_calls);
INSTANTIATE_TYPED_TEST_SUITE_P(SegmentedSetOperations, DeferredSizes, deferred_pairs);
} // namespace test
