// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The partitioning agents, exhaustively: all pairs of small sorted inputs, every diagonal, every start.

#include "support/orders.h"
#include "support/segment_battery.h"
#include "support/time_limit.h"

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/agent/merge_path.h>
#include <mgpu_thrust/agent/multiway_path.h>
#include <mgpu_thrust/detail/cut/guided_search.h>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

namespace
{

using keys = std::vector<int>;

/// All sorted sequences of up to `longest` keys 0 .. letters - 1.
std::vector<keys> all_sorted(int letters, int longest)
{
  std::vector<keys> all{{}};
  for (std::size_t i = 0; i < all.size(); ++i)
  {
    if (static_cast<int>(all[i].size()) == longest)
    {
      continue;
    }
    for (int key = all[i].empty() ? 0 : all[i].back(); key < letters; ++key)
    {
      all.push_back(all[i]);
      all.back().push_back(key);
    }
  }
  return all;
}

struct step
{
  bool takes_a;
  bool takes_b;
};

/// The balanced path step by step, by its definition: for each key, the matching copies in pairs, then the rest.
std::vector<step> walk_balanced_path(const keys& a, const keys& b)
{
  std::vector<step> path;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size())
  {
    const bool a_less = j == b.size() || (i < a.size() && a[i] < b[j]);
    const bool b_less = i == a.size() || (j < b.size() && b[j] < a[i]);
    path.push_back({!b_less, !a_less});
    i += !b_less;
    j += !a_less;
  }
  return path;
}

/// Checks every diagonal for all pairs of sequences.
void check_walked_paths(const std::vector<keys>& sequences)
{
  for (const keys& a : sequences)
  {
    for (const keys& b : sequences)
    {
      // A diagonal inside a step that consumes a pair is starred, and cuts after the pair.
      std::vector<mgpu::balanced_path_point<int>> expected{{0, 0, false}};
      for (const step s : walk_balanced_path(a, b))
      {
        auto point = expected.back();
        point.a_index += s.takes_a;
        point.b_index += s.takes_b;
        point.starred = false;
        if (s.takes_a && s.takes_b)
        {
          expected.push_back({point.a_index, point.b_index, true});
        }
        expected.push_back(point);
      }
      const int a_size = static_cast<int>(a.size());
      const int b_size = static_cast<int>(b.size());
      ASSERT_EQ(static_cast<int>(expected.size()), a_size + b_size + 1);
      for (int diagonal = 0; diagonal <= a_size + b_size; ++diagonal)
      {
        const auto point = mgpu::balanced_path(a.begin(), a_size, b.begin(), b_size, diagonal);
        ASSERT_EQ(point.a_index, expected[diagonal].a_index);
        ASSERT_EQ(point.b_index, expected[diagonal].b_index);
        ASSERT_EQ(point.starred, expected[diagonal].starred);
        ASSERT_EQ(point.a_index + point.b_index, diagonal + point.starred);
      }
    }
  }
}

TEST(BalancedPath, IsTheWalkedPathOnEveryDiagonal)
{
  check_walked_paths(all_sorted(3, 5));
}

TEST(BalancedPath, IsTheWalkedPathThroughLongRuns)
{
  std::vector<keys> sequences;
  for (const int ones : {0, 1, 2, 5, 6, 7, 8, 12, 13, 14, 20, 45})
  {
    for (const int before : {0, 1, 3})
    {
      for (const int after : {0, 2})
      {
        keys sequence(before, 0);
        sequence.insert(sequence.end(), ones, 1);
        sequence.insert(sequence.end(), after, 2);
        sequences.push_back(sequence);
      }
    }
  }
  check_walked_paths(sequences);
}

TEST(BalancedPath, IsTheSamePathFromAnyOfItsPoints)
{
  for (const keys& a : all_sorted(2, 6))
  {
    for (const keys& b : all_sorted(2, 6))
    {
      const int a_size = static_cast<int>(a.size());
      const int b_size = static_cast<int>(b.size());
      for (int first = 0; first <= a_size + b_size; ++first)
      {
        const auto start = mgpu::balanced_path(a.begin(), a_size, b.begin(), b_size, first);
        for (int diagonal = first + start.starred; diagonal <= a_size + b_size; ++diagonal)
        {
          const auto whole = mgpu::balanced_path(a.begin(), a_size, b.begin(), b_size, diagonal);
          const auto rest = mgpu::balanced_path(
            a.begin() + start.a_index, a_size - start.a_index, b.begin() + start.b_index, b_size - start.b_index,
            diagonal - start.a_index - start.b_index);
          ASSERT_EQ(start.a_index + rest.a_index, whole.a_index);
          ASSERT_EQ(start.b_index + rest.b_index, whole.b_index);
          ASSERT_EQ(rest.starred, whole.starred);
        }
      }
    }
  }
}

TEST(MergePath, IsTheStableMergeOnEveryDiagonal)
{
  for (const keys& a : all_sorted(3, 5))
  {
    for (const keys& b : all_sorted(3, 5))
    {
      int i = 0;
      for (int diagonal = 0; diagonal <= static_cast<int>(a.size() + b.size()); ++diagonal)
      {
        ASSERT_EQ(
          mgpu::merge_path(a.begin(), static_cast<int>(a.size()), b.begin(), static_cast<int>(b.size()), diagonal), i);
        const int j = diagonal - i;
        i += i < static_cast<int>(a.size()) && (j == static_cast<int>(b.size()) || !(b[j] < a[i]));
      }
    }
  }
}

// Computed ranges, which need no memory, show that searches are 64 bits wide.
TEST(Agents, SearchMoreThan32BitsOfElements)
{
  const std::int64_t n = std::int64_t{1} << 40;
  const thrust::counting_iterator<std::int64_t> a(0);
  const thrust::counting_iterator<std::int64_t> b(n / 2);
  // Before n/2 only A; then pairs.
  EXPECT_EQ(mgpu::merge_path(a, n, b, n, n / 4), n / 4);
  const auto pair = mgpu::balanced_path(a, n, b, n, n / 2 + 1001);
  EXPECT_EQ(pair.a_index, n / 2 + 501);
  EXPECT_EQ(pair.b_index, 501);
  EXPECT_TRUE(pair.starred);

  const thrust::constant_iterator<int> same(7);
  const auto middle = mgpu::balanced_path(same, n, same, n, n + 2);
  EXPECT_EQ(middle.a_index, n / 2 + 1);
  EXPECT_EQ(middle.b_index, n / 2 + 1);
  const auto uneven = mgpu::balanced_path(same, n, same, n / 4, n);
  EXPECT_EQ(uneven.a_index, 3 * (n / 4));
  EXPECT_EQ(uneven.b_index, n / 4);
}

TEST(Agents, NeedFewComparisonsHoweverLongTheRun)
{
  const std::int64_t n = std::int64_t{1} << 30;
  const thrust::constant_iterator<int> same(7);
  int comparisons = 0;
  const auto count_less = [&comparisons](int x, int y)
  {
    ++comparisons;
    return x < y;
  };
  (void) mgpu::balanced_path(same, n, same, n, n, count_less);
  EXPECT_LT(comparisons, 31 + 2 * 31 + 2 * 31 + 31); // one bisection, two counts of copies, one bisection

  // Near a point of the path the cost depends on the distance from there.
  comparisons = 0;
  (void) mgpu::balanced_path(same, n, same, n, std::int64_t{4096}, count_less);
  EXPECT_LT(comparisons, 13 + 2 * 13 + 2 * 13 + 13);

  // No run crosses the cut: a merge path and one comparison suffice.
  comparisons = 0;
  const thrust::counting_iterator<std::int64_t> distinct(0);
  const auto count_wide = [&comparisons](std::int64_t x, std::int64_t y)
  {
    ++comparisons;
    return x < y;
  };
  (void) mgpu::balanced_path(distinct, n, distinct + n, n, n / 2, count_wide);
  EXPECT_LE(comparisons, 31);
}

TEST(MergePath, IsTheSameNearAnyGuess)
{
  // Inputs so long that the result may be outside the window searched first, and outside the next one.
  std::mt19937 random(3);
  for (const int copies : {1, 50, 6000})
  {
    keys a(5000);
    keys b(7000);
    for (keys* const range : {&a, &b})
    {
      std::generate(range->begin(), range->end(), [&] { return static_cast<int>(random() % (12000 / copies)); });
      std::sort(range->begin(), range->end());
    }
    for (int diagonal = 0; diagonal <= 12000; diagonal += 1 + static_cast<int>(random() % 300))
    {
      const int expected = mgpu::merge_path(a.begin(), 5000, b.begin(), 7000, diagonal);
      for (const int off : {0, 1, -1, 127, 128, 129, -128, -129, 1023, 1025, -1026, 9000, -9000})
      {
        ASSERT_EQ(
          mgpu::detail::merge_path_near(
            a.begin(), 5000, b.begin(), 7000, diagonal, expected + off, ::cuda::std::less<>{}),
          expected);
      }
    }
  }
}

TEST(PartitionPoint, IsTheSameNearAnyGuess)
{
  for (const std::int64_t size : {0, 1, 2, 3, 8, 9, 33, 100, 1024, 1100, 20000})
  {
    for (std::int64_t expected = 0; expected <= size; expected += 1 + size / 97)
    {
      for (const std::int64_t off : {0, 1, -1, 3, 4, -5, 15, 16, 17, -15, -16, -17, 511, 512, 513, -512, -513, 90000})
      {
        // The predicate is not called for positions outside the range.
        constexpr std::int64_t begin = 1000;
        int asked = 0;
        const auto before = [&](std::int64_t place)
        {
          EXPECT_TRUE(begin <= place && place < begin + size);
          ++asked;
          return place < begin + expected;
        };
        ASSERT_EQ(
          mgpu::detail::partition_point_near(begin, begin + size, begin + expected + off, before), begin + expected);
        EXPECT_LE(asked, off * off < 16 * 16 ? 9 + 8 : 9 + 9 + 6 * 8);
      }
    }
  }

  // Without a partition point, the result is some position of the range.
  std::mt19937 random(5);
  for (int repeat = 0; repeat < 10000; ++repeat)
  {
    const auto size = static_cast<std::int64_t>(random() % 3000);
    const auto guess = static_cast<std::int64_t>(random() % 4000) - 500;
    const auto place = mgpu::detail::partition_point_near(
      std::int64_t{0}, size, guess,
      [&](std::int64_t asked)
      {
        EXPECT_TRUE(0 <= asked && asked < size);
        return random() % 2 == 0;
      });
    ASSERT_TRUE(0 <= place && place <= size);
  }
}

TEST(BalancedPath, TakesUnsignedCountsAndStaysInside)
{
  // In memory, the runs continue before and after the ranges.
  for (const int ones : {1, 2, 5, 6, 7, 13, 20})
  {
    const keys a(10 + ones + 10, 1);
    for (const unsigned others : {1u, 4u, 9u})
    {
      const keys b(10 + others + 10, 1);
      for (unsigned diagonal = 0; diagonal <= ones + others; ++diagonal)
      {
        const auto expected =
          mgpu::balanced_path(a.data() + 10, ones, b.data() + 10, static_cast<int>(others), static_cast<int>(diagonal));
        const auto narrow =
          mgpu::balanced_path(a.data() + 10, static_cast<unsigned>(ones), b.data() + 10, others, diagonal);
        const auto wide = mgpu::balanced_path(
          a.data() + 10, static_cast<std::size_t>(ones), b.data() + 10, std::size_t{others}, std::size_t{diagonal});
        ASSERT_EQ(narrow.a_index, static_cast<unsigned>(expected.a_index));
        ASSERT_EQ(narrow.b_index, static_cast<unsigned>(expected.b_index));
        ASSERT_EQ(wide.a_index, static_cast<std::size_t>(expected.a_index));
        ASSERT_EQ(wide.b_index, static_cast<std::size_t>(expected.b_index));
      }
    }
  }
}

// Unsigned 32-bit counts that do not fit a signed 32-bit integer.
// Cuts by a comparator that is no order are unspecified, but in both ranges, and on the diagonal.
TEST(BalancedPath, EndsWhateverTheOrder)
{
  const test::time_limit limit;
  std::mt19937_64 random(9);
  for (int repeat = 0; repeat < 200; ++repeat)
  {
    keys a(random() % 40);
    keys b(random() % 40);
    for (keys* const range : {&a, &b})
    {
      std::generate(range->begin(), range->end(), [&] { return static_cast<int>(random() % 20); });
      std::sort(range->begin(), range->end());
    }
    const auto a_count = static_cast<int>(a.size());
    const auto b_count = static_cast<int>(b.size());
    for (const test::order_kind kind : test::wrong_orders)
    {
      for (int diagonal = 0; diagonal <= a_count + b_count; ++diagonal)
      {
        const auto point = mgpu::balanced_path(a.data(), a_count, b.data(), b_count, diagonal, test::some_order{kind});
        ASSERT_TRUE(0 <= point.a_index && point.a_index <= a_count);
        ASSERT_TRUE(0 <= point.b_index && point.b_index <= b_count);
        ASSERT_EQ(point.a_index + point.b_index, diagonal + point.starred);
      }
    }
  }
}

TEST(BalancedPath, TakesUnsignedCountsAbove31Bits)
{
  const thrust::counting_iterator<std::int64_t> a(0);
  const std::int64_t b_first = 2500000000;
  for (const unsigned diagonal : {2500000100u, 2500000101u, 3399999999u})
  {
    const auto expected =
      mgpu::balanced_path(a, std::int64_t{3000000000}, a + b_first, std::int64_t{400000000}, std::int64_t{diagonal});
    const auto got = mgpu::balanced_path(a, 3000000000u, a + b_first, 400000000u, diagonal);
    EXPECT_EQ(got.a_index, expected.a_index);
    EXPECT_EQ(got.b_index, expected.b_index);
    EXPECT_EQ(got.starred, expected.starred);
  }
}

// The path step by step: the start of each segment, then its items.
TEST(LoadBalance, EveryDiagonalOfAllSmallSegments)
{
  test::for_each_small_segmentation(
    6, 3,
    [](const test::segmentation& in)
    {
      std::vector<mgpu::load_balance_point> path{{0, 0}};
      for (std::int64_t segment = 0; segment < in.num_segments(); ++segment)
      {
        path.push_back({path.back().item_index, segment + 1});
        for (std::int64_t i = 0; i < in.size(segment); ++i)
        {
          path.push_back({path.back().item_index + 1, segment + 1});
        }
      }
      ASSERT_EQ(static_cast<std::int64_t>(path.size()), in.num_items + in.num_segments() + 1);
      for (std::size_t diagonal = 0; diagonal < path.size(); ++diagonal)
      {
        const auto cut = mgpu::load_balance(in.num_items, in.offsets.begin(), in.num_segments(), diagonal);
        ASSERT_EQ(cut.item_index, path[diagonal].item_index) << diagonal;
        ASSERT_EQ(cut.segment_index, path[diagonal].segment_index) << diagonal;
      }
      const auto segments = in.segments();
      for (std::int64_t item = 0; item < in.num_items; ++item)
      {
        ASSERT_EQ(mgpu::segment_of(in.offsets.begin(), in.num_segments(), item), segments[item]) << item;
      }
    });
}

TEST(LoadBalance, CountsBeyond32Bits)
{
  // 2^40 segments of 4 items, and 2^40 segments with all items in the last.
  const std::int64_t count = std::int64_t{1} << 40;
  const auto fours = thrust::make_transform_iterator(
    thrust::counting_iterator<std::int64_t>(0), [](std::int64_t segment) { return 4 * segment; });
  for (const std::int64_t segment : {std::int64_t{0}, std::int64_t{5}, count / 3, count - 1})
  {
    for (const std::int64_t items : {0, 1, 4})
    {
      const auto cut = mgpu::load_balance(4 * count, fours, count, 5 * segment + 1 + items);
      EXPECT_EQ(cut.item_index, 4 * segment + items);
      EXPECT_EQ(cut.segment_index, segment + 1);
    }
    EXPECT_EQ(mgpu::segment_of(fours, count, 4 * segment), segment);
    EXPECT_EQ(mgpu::segment_of(fours, count, 4 * segment + 3), segment);
  }
  const thrust::constant_iterator<std::uint8_t> zeros(0);
  const auto cut = mgpu::load_balance(count, zeros, count, count + 7);
  EXPECT_EQ(cut.item_index, 7);
  EXPECT_EQ(cut.segment_index, count);
  EXPECT_EQ(mgpu::segment_of(zeros, count, 7), count - 1);
}

TEST(Agents, TakeCountsOfDifferentTypes)
{
  const int a[] = {1, 3}, b[] = {2, 3};
  EXPECT_EQ(mgpu::merge_path(a, 2, b, std::int64_t{2}, 2u), 1);
  EXPECT_EQ(mgpu::balanced_path(a, std::size_t{2}, b, std::size_t{2}, std::size_t{3}).b_index, 2u);
}

/// Checks both bounds of numbers in a haystack, and of those around them.
template <class Key, class Compare>
void check_guided_bounds(std::vector<Key> haystack, Compare comp)
{
  std::sort(haystack.begin(), haystack.end(), comp);
  const auto count = static_cast<std::int64_t>(haystack.size());
  std::vector<Key> needles = haystack;
  needles.insert(needles.end(), {std::numeric_limits<Key>::lowest(), std::numeric_limits<Key>::max(), Key{}});
  for (std::size_t i = 0; i < haystack.size(); i += 7)
  {
    needles.push_back(static_cast<Key>(haystack[i] / 2));
    needles.push_back(static_cast<Key>(haystack[i] + 1));
  }
  for (const Key needle : needles)
  {
    const auto bounds = std::equal_range(haystack.begin(), haystack.end(), needle, comp);
    const auto lower = [&](const Key& x) { return comp(x, needle); };
    const auto upper = [&](const Key& x) { return !comp(needle, x); };
    const auto first = haystack.begin();
    ASSERT_EQ(mgpu::detail::guided_partition_point(first, count, needle, lower), bounds.first - first);
    ASSERT_EQ(mgpu::detail::guided_partition_point(first, count, needle, upper), bounds.second - first);
  }
}

template <class Key, class Compare>
void check_guided_bounds_of(Compare comp)
{
  static_assert(mgpu::detail::is_number_order<Compare, Key, Key>);
  std::mt19937_64 random(1);
  const auto check = [&](std::int64_t count, auto key)
  {
    std::vector<Key> haystack;
    for (std::int64_t i = 0; i < count; ++i)
    {
      haystack.push_back(static_cast<Key>(key(i)));
    }
    check_guided_bounds(haystack, comp);
  };
  using bits = std::conditional_t<std::is_integral_v<Key>, Key, std::int32_t>;
  for (const std::int64_t count : {0, 1, 2, 15, 16, 17, 40, 2047, 2049, 30000})
  {
    SCOPED_TRACE(count);
    check(count, [&](std::int64_t) { return static_cast<bits>(random()); });  // even
    check(count, [&](std::int64_t i) { return i * i; });                      // ever further apart
    check(count, [&](std::int64_t) { return random() % 3; });                 // long runs
    check(count, [&](std::int64_t i) { return i % 64 == 0 ? random() : i; }); // dense, and far apart
    check(count, [&](std::int64_t i) { return i < count - 1 ? Key{1} : std::numeric_limits<Key>::max(); });
  }
}

TEST(Agents, GuidedSearches)
{
  check_guided_bounds_of<std::int32_t>(::cuda::std::less<>{});
  check_guided_bounds_of<std::uint32_t>(::cuda::std::greater<>{});
  check_guided_bounds_of<std::int64_t>(::cuda::std::less<std::int64_t>{});
  check_guided_bounds_of<std::uint64_t>(std::less<>{});
  check_guided_bounds_of<std::int8_t>(std::greater<std::int8_t>{});
  check_guided_bounds_of<float>(::cuda::std::less<>{});
  check_guided_bounds_of<double>(::cuda::std::greater<>{});
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> infinite(3000, infinity);
  infinite.resize(6000, -infinity);
  infinite.resize(9000, 1.0f);
  check_guided_bounds(infinite, ::cuda::std::less<>{});

  // A haystack that is long enough to be guided.
  const thrust::counting_iterator<std::int64_t> numbers(-7);
  const std::int64_t count = std::int64_t{1} << 40;
  for (const std::int64_t needle : {std::int64_t{-8}, std::int64_t{-7}, count / 3, count - 8, count})
  {
    const std::int64_t bound = std::min(std::max(needle + 7, std::int64_t{0}), count);
    EXPECT_EQ(mgpu::detail::lower_bound_in_haystack(numbers, count, needle, ::cuda::std::less<>{}), bound);
    EXPECT_EQ(
      mgpu::detail::upper_bound_in_haystack(numbers, count, needle, ::cuda::std::less<>{}),
      std::min(bound + (needle >= -7), count));
  }

  // An order by other values, and elements of another type, are bisected.
  const auto by_digit = [](int x, int y) { return x % 10 < y % 10; };
  static_assert(!mgpu::detail::is_number_order<decltype(by_digit), int, int>);
  static_assert(!mgpu::detail::is_number_order<std::less<>, int, double>);
  static_assert(!mgpu::detail::is_number_order<std::less<int>, double, double>);
  const std::vector<int> digits{10, 21, 1, 33, 5};
  EXPECT_EQ(mgpu::detail::lower_bound_in_haystack(digits.begin(), std::int64_t{5}, 3, by_digit), 3);
  EXPECT_EQ(mgpu::detail::upper_bound_in_haystack(digits.begin(), std::int64_t{5}, 1, by_digit), 3);
}

/// Order of keys, which are not negative; counts calls with others.
struct less_of_keys
{
  std::int64_t* strangers;

  bool operator()(int x, int y) const
  {
    *strangers += x < 0 || y < 0;
    return x < y;
  }
};

/// Some runs, with what is no key before, between and after them.
struct guarded_runs
{
  std::vector<keys> memory;
  std::vector<const int*> firsts;
  std::vector<std::int32_t> sizes;

  void add(const keys& run)
  {
    keys guarded{-1};
    guarded.insert(guarded.end(), run.begin(), run.end());
    guarded.push_back(-2);
    memory.push_back(std::move(guarded));
    firsts.push_back(memory.back().data() + 1);
    sizes.push_back(static_cast<std::int32_t>(run.size()));
  }
  /// Calls f(diagonal, cut) for each diagonal, as the merge proceeds.
  template <class Function>
  void for_each_cut(int letters, Function f) const
  {
    std::vector<std::int64_t> cut(sizes.size());
    std::int64_t diagonal = 0;
    f(diagonal, cut);
    for (int key = 0; key < letters; ++key)
    {
      for (std::size_t run = 0; run < sizes.size(); ++run)
      {
        for (; cut[run] < sizes[run] && firsts[run][cut[run]] == key; f(++diagonal, cut))
        {
          ++cut[run];
        }
      }
    }
  }
};

/// Checks the cuts of some runs, from their beginnings and between two other cuts.
void check_multiway_paths(const guarded_runs& runs, int letters, std::int64_t between)
{
  const auto k = static_cast<std::int64_t>(runs.sizes.size());
  std::int64_t strangers = 0;
  std::vector<std::int64_t> cut(runs.sizes.size());
  std::vector<std::int64_t> ends(runs.sizes.size());
  std::vector<std::vector<std::int64_t>> cuts;
  runs.for_each_cut(
    letters,
    [&](std::int64_t diagonal, const std::vector<std::int64_t>& expected)
    {
      mgpu::multiway_path(runs.firsts.begin(), runs.sizes.begin(), k, diagonal, cut.begin(), less_of_keys{&strangers});
      ASSERT_EQ(cut, expected) << "diagonal " << diagonal;
      cuts.push_back(expected);
    });
  using iterated = mgpu::detail::iterated_runs<const int* const*, const std::int32_t*>;
  const iterated all{runs.firsts.data(), runs.sizes.data()};
  less_of_keys comp{&strangers};
  const auto count = static_cast<std::int64_t>(cuts.size());
  for (std::int64_t first = 0; between > 0 && first < count; first += between)
  {
    for (std::int64_t last = first; last < count; last += between)
    {
      for (std::int64_t diagonal = first; diagonal <= last; diagonal += between)
      {
        mgpu::detail::multiway_search<iterated, std::int64_t*, less_of_keys>(all, k, cut.data(), comp)
          .find(
            diagonal - first, mgpu::detail::elements_between{cuts[first].data(), cuts[last].data()},
            mgpu::detail::stored_ends<std::int64_t*>{ends.data()});
        ASSERT_EQ(cut, cuts[diagonal]) << "diagonal " << diagonal << " between " << first << " and " << last;
      }
    }
  }
  ASSERT_EQ(strangers, 0);
}

// All runs of up to four keys, two different ones: up to five of them for multiway_path, up to three between cuts.
TEST(MultiwayPath, CutsEverySmallMerge)
{
  const std::vector<keys> sequences = all_sorted(2, 4);
  const auto count = static_cast<std::int64_t>(sequences.size());
  std::int64_t all = 1;
  for (int k = 0; k <= 5; ++k, all *= count)
  {
    for (std::int64_t number = 0; number < all; number += k <= 4 ? 1 : 4) // a quarter of the merges of five runs
    {
      guarded_runs runs;
      for (std::int64_t run = 0, rest = number; run < k; ++run, rest /= count)
      {
        runs.add(sequences[rest % count]);
      }
      check_multiway_paths(runs, 2, k <= 3 ? 1 : 0);
      ASSERT_FALSE(HasFatalFailure()) << k << " runs, number " << number;
    }
  }
}

// More elements than a round of the search chooses: random runs, few and many keys, runs that do not overlap.
TEST(MultiwayPath, CutsLongerMerges)
{
  std::mt19937_64 random(7);
  for (int repeat = 0; repeat < 400; ++repeat)
  {
    const int letters = repeat % 4 == 0 ? 3 : repeat % 4 == 1 ? 20 : 500;
    const auto k = static_cast<int>(1 + random() % (repeat % 5 == 0 ? 70 : 9));
    guarded_runs runs;
    for (int run = 0; run < k; ++run)
    {
      keys run_keys(random() % (run % 3 == 0 ? 90 : 7));
      const int low = repeat % 7 == 0 ? run * letters / k : 0;
      const int range = repeat % 7 == 0 ? letters / k + 1 : letters;
      for (int& key : run_keys)
      {
        key = std::min(low + static_cast<int>(random() % range), letters - 1);
      }
      std::sort(run_keys.begin(), run_keys.end());
      runs.add(run_keys);
    }
    check_multiway_paths(runs, letters, 1 + static_cast<std::int64_t>(random() % 60) + k);
    ASSERT_FALSE(HasFatalFailure()) << "repeat " << repeat;
  }
}

// Of keys that are not sorted, or by a comparator that is no order, the cut is unspecified, but the search ends, within
// the runs.
TEST(MultiwayPath, EndsWhateverTheOrder)
{
  const test::time_limit limit;
  std::mt19937_64 random(8);
  for (int repeat = 0; repeat < 2000; ++repeat)
  {
    guarded_runs runs;
    std::int64_t total = 0;
    for (int run = 0; run < 1 + repeat % 12; ++run)
    {
      keys run_keys(random() % 60);
      std::generate(run_keys.begin(), run_keys.end(), [&] { return static_cast<int>(random() % 50); });
      total += static_cast<std::int64_t>(run_keys.size());
      runs.add(run_keys);
    }
    std::vector<std::int16_t> cut(runs.sizes.size());
    std::int64_t strangers = 0;
    const auto k = static_cast<std::int64_t>(runs.sizes.size());
    for (int kind = 0; kind < test::num_order_kinds; ++kind)
    {
      const test::some_order order{static_cast<test::order_kind>(kind)};
      const auto comp = [&](int x, int y)
      {
        strangers += x < 0 || y < 0;
        return order(x, y);
      };
      const auto diagonal = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(total + 1));
      mgpu::multiway_path(runs.firsts.begin(), runs.sizes.begin(), k, diagonal, cut.begin(), comp);
      for (std::size_t run = 0; run < cut.size(); ++run)
      {
        ASSERT_TRUE(0 <= cut[run] && cut[run] <= runs.sizes[run]) << "repeat " << repeat;
      }
    }
    ASSERT_EQ(strangers, 0);
  }
}

} // namespace
