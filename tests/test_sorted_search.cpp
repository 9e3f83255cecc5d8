// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sorted searches against std::, on every distribution, key type, size and comparator, under every policy.

#include "support/distributions.h"
#include "support/fuzz.h"
#include "support/keys.h"
#include "support/systems.h"

#include <mgpu_thrust/sorted_search.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

/// Items of a tile or needles of a CPU worker's piece.
template <class Key>
constexpr std::int64_t tile_items()
{
#if defined(__CUDACC__)
  return decltype(mgpu::detail::choose_sorted_search_shape<sizeof(Key)>())::items;
#else
  return mgpu::detail::cpu_piece_needles;
#endif
}

struct twice_or_one
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t lower, std::int64_t upper) const
  {
    return upper > lower ? 2 * (upper - lower) : 1;
  }
};

/// Checks all single-sided searches under all policies.
template <class Index, class Key, class Compare>
void check_searches(const std::vector<Key>& haystack, const std::vector<Key>& needles, Compare comp)
{
  std::vector<Index> lower;
  std::vector<Index> upper;
  std::vector<Index> count;
  std::vector<std::int64_t> value;
  std::vector<bool> contains;
  for (const Key& needle : needles)
  {
    const auto range = std::equal_range(haystack.begin(), haystack.end(), needle, comp);
    lower.push_back(static_cast<Index>(range.first - haystack.begin()));
    upper.push_back(static_cast<Index>(range.second - haystack.begin()));
    count.push_back(static_cast<Index>(range.second - range.first));
    value.push_back(twice_or_one{}(lower.back(), upper.back()));
    contains.push_back(range.first != range.second);
  }
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto h = test::to_memory<policy_t>(haystack);
      const auto n = test::to_memory<policy_t>(needles);
      const std::size_t size = needles.size();
      test::memory<policy_t, Index> x(size + 1, 99);
      test::memory<policy_t, Index> y(size + 1, 99);
      const auto expect = [&](test::memory<policy_t, Index>& got, const std::vector<Index>& expected)
      {
        auto host = test::to_host(got);
        ASSERT_EQ(host.back(), Index{99}) << "wrote past the end";
        host.pop_back();
        ASSERT_EQ(host, expected);
        got.assign(size + 1, 99);
      };
      ASSERT_TRUE(
        mgpu::sorted_lower_bound(policy, h.begin(), h.end(), n.begin(), n.end(), x.begin(), comp) == x.end() - 1);
      expect(x, lower);
      ASSERT_TRUE(
        mgpu::sorted_upper_bound(policy, h.begin(), h.end(), n.begin(), n.end(), x.begin(), comp) == x.end() - 1);
      expect(x, upper);
      const auto ends =
        mgpu::sorted_equal_range(policy, h.begin(), h.end(), n.begin(), n.end(), x.begin(), y.begin(), comp);
      ASSERT_TRUE(ends.first == x.end() - 1 && ends.second == y.end() - 1);
      expect(x, lower);
      expect(y, upper);
      ASSERT_TRUE(mgpu::sorted_count(policy, h.begin(), h.end(), n.begin(), n.end(), x.begin(), comp) == x.end() - 1);
      expect(x, count);
      test::memory<policy_t, std::int64_t> values(size);
      mgpu::sorted_count(policy, h.begin(), h.end(), n.begin(), n.end(), values.begin(), comp, twice_or_one{});
      ASSERT_EQ(test::to_host(values), value);
      test::flags<policy_t> found(size);
      ASSERT_TRUE(
        mgpu::sorted_contains(policy, h.begin(), h.end(), n.begin(), n.end(), found.data(), comp)
        == found.data() + size);
      ASSERT_EQ(found.to_host(), contains);
    });
}

template <class Index, class Key, class Compare = ::cuda::std::less<>>
void check(test::distribution d, std::int64_t haystack, std::int64_t needles, std::uint64_t seed, Compare comp = {})
{
  SCOPED_TRACE(
    std::string(test::name_of(d)) + " " + std::to_string(needles) + " in " + std::to_string(haystack) + " seed "
    + std::to_string(seed));
  const auto ranks = test::make_ranks(d, haystack, needles, test::largest_rank<Key>(), seed);
  auto h = test::to_keys<Key>(ranks.first);
  auto n = test::to_keys<Key>(ranks.second);
  std::stable_sort(h.begin(), h.end(), comp);
  std::stable_sort(n.begin(), n.end(), comp);
  check_searches<Index>(h, n, comp);
}

TEST(SortedSearch, Distributions)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d : test::all_distributions)
  {
    check<std::int32_t, std::int32_t>(d, 50000, 40000, 1);
    check<std::int32_t, std::int32_t>(d, 3000, 90000, 2);
    check<std::int32_t, std::int32_t>(d, 90000, 3000, 3); // few needles, but not so few that they are searched alone
  }
}

TEST(SortedSearch, Sizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t tile = tile_items<std::int32_t>();
  for (const std::int64_t haystack : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, tile - 1, tile, 3 * tile + 1})
  {
    for (const std::int64_t needles :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{31}, std::int64_t{63}, std::int64_t{64}, std::int64_t{65},
          std::int64_t{128}, std::int64_t{129}, tile, tile + 1})
    {
      check<std::int32_t, std::int32_t>(test::distribution::uniform, haystack, needles, 4);
      check<std::int32_t, std::int32_t>(test::distribution::all_equal, haystack, needles, 5);
    }
  }
  check<std::int32_t, std::int32_t>(test::distribution::uniform, (1 << 20) + 3, (1 << 20) + 3, 6);
}

TEST(SortedSearch, SkewedSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d :
       {test::distribution::uniform, test::distribution::one_run, test::distribution::runs})
  {
    check<std::int32_t, std::int32_t>(d, 1000000, 1, 7);
    check<std::int32_t, std::int32_t>(d, 1000000, 1000, 8);
    check<std::int32_t, std::int32_t>(d, 1, 1000000, 9);
    check<std::int32_t, std::int32_t>(d, 1000, 1000000, 10);
  }
}

template <class Key>
class SortedSearchOf : public testing::Test
{
};
using key_types = testing::Types<
  std::int8_t, std::uint8_t, std::int16_t, std::uint32_t, std::int64_t, std::uint64_t, float, double,
  test::words_key<3>, test::words_key<4>, test::words_key<40>, test::words_key<100>, test::words_key<400>,
  test::only_less>;
TYPED_TEST_SUITE(SortedSearchOf, key_types);

TYPED_TEST(SortedSearchOf, KeyType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t most = (std::int64_t{1} << 20) / static_cast<std::int64_t>(sizeof(TypeParam));
  const std::int64_t n = std::min<std::int64_t>(tile_items<TypeParam>() + 5, most);
  for (const test::distribution d :
       {test::distribution::uniform, test::distribution::few_keys, test::distribution::extremes})
  {
    check<std::int64_t, TypeParam>(d, n, n, 11);
    check<std::int64_t, TypeParam>(d, 1, 3 * n, 12);
    check<std::int64_t, TypeParam>(d, 3 * n, 10, 13);
  }
}

struct greater
{
  template <class T>
  MGPU_THRUST_HOST_DEVICE bool operator()(const T& x, const T& y) const
  {
    return y < x;
  }
};

TEST(SortedSearch, DescendingOrderAndOtherIndices)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check<std::uint32_t, std::int32_t>(test::distribution::runs, 70000, 50000, 14, greater{});
  check<std::uint16_t, std::int32_t>(test::distribution::runs, 65000, 50000, 15);
  check<std::int8_t, std::int32_t>(test::distribution::uniform, 90, 100, 16);
}

struct tripled
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t i) const
  {
    return 3 * i;
  }
};

// Computed keys of different types on both sides, and keys of two columns.
TEST(SortedSearch, FancyIterators)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto threes = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), tripled{});
      const thrust::counting_iterator<std::int32_t> numbers(0);
      test::memory<policy_t, std::int32_t> lower(30000);
      mgpu::sorted_lower_bound(policy, threes, threes + 10000, numbers, numbers + 30000, lower.begin());
      const auto got = test::to_host(lower);
      for (std::int32_t i = 0; i < 30000; ++i)
      {
        ASSERT_EQ(got[i], (i + 2) / 3);
      }
      const auto rows = thrust::make_zip_iterator(numbers, threes);
      const auto other_rows = thrust::make_zip_iterator(numbers + 5, threes + 5);
      test::flags<policy_t> found(100);
      mgpu::sorted_contains(policy, rows, rows + 50, other_rows, other_rows + 100, found.data());
      const auto flags = found.to_host();
      for (std::int32_t i = 0; i < 100; ++i)
      {
        ASSERT_EQ(flags[i], i + 5 < 50);
      }
    });
}

TEST(SortedSearch, IndicesThatDoNotFitAreAnError)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const thrust::counting_iterator<std::int32_t> numbers(0);
      test::memory<policy_t, std::int8_t> out(10, -5);
      const auto expect_length_error = [&](auto f)
      {
        try
        {
          f();
          ADD_FAILURE() << "no exception";
        }
        catch (const std::length_error& error)
        {
          EXPECT_NE(std::string(error.what()).find("mgpu::sorted_"), std::string::npos);
          EXPECT_NE(std::string(error.what()).find("do not fit the output"), std::string::npos);
        }
      };
      expect_length_error(
        [&] { mgpu::sorted_lower_bound(policy, numbers, numbers + 128, numbers, numbers + 10, out.begin()); });
      expect_length_error(
        [&] { mgpu::sorted_upper_bound(policy, numbers, numbers + 128, numbers, numbers + 10, out.begin()); });
      expect_length_error(
        [&]
        {
          mgpu::sorted_search(
            policy, numbers, numbers + 10, numbers, numbers + 128, out.begin(), thrust::make_discard_iterator());
        });
      EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(10, -5));
      mgpu::sorted_lower_bound(policy, numbers, numbers + 127, numbers, numbers + 10, out.begin());
      EXPECT_EQ(test::to_host(out)[9], 9);
      EXPECT_THROW(
        mgpu::sorted_lower_bound(policy, numbers + 1, numbers, numbers, numbers + 10, out.begin()),
        std::invalid_argument);
      EXPECT_THROW(
        mgpu::sorted_contains(policy, numbers, numbers, numbers + 1, numbers, out.begin()), std::invalid_argument);
    });
}

#if !defined(__CUDACC__)

TEST(SortedSearch, PlainOutputIterators)
{
  const std::vector<int> haystack{1, 3, 3, 5};
  const std::vector<int> needles{0, 3, 4, 9};
  std::vector<int> lower;
  std::vector<long> upper;
  mgpu::sorted_equal_range(
    thrust::seq, haystack.begin(), haystack.end(), needles.begin(), needles.end(), std::back_inserter(lower),
    std::back_inserter(upper));
  EXPECT_EQ(lower, (std::vector<int>{0, 1, 3, 4}));
  EXPECT_EQ(upper, (std::vector<long>{0, 3, 3, 4}));
  std::vector<bool> found;
  mgpu::sorted_contains(
    thrust::host, haystack.begin(), haystack.end(), needles.begin(), needles.end(), std::back_inserter(found));
  EXPECT_EQ(found, (std::vector<bool>{false, true, false, false}));
}

#endif

// Other cases each time; MGPU_THRUST_FUZZ_SEED repeats them.
TEST(SortedSearch, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    100,
    [](std::mt19937_64& random)
    {
      const auto any_size = [&] { return static_cast<std::int64_t>(random() % (std::uint64_t{2} << random() % 17)); };
      const std::int64_t haystack = any_size();
      const std::int64_t needles = any_size();
      const auto d = test::all_distributions[random() % std::size(test::all_distributions)];
      check<std::int32_t, std::int32_t>(d, haystack, needles, random());
    });
}

} // namespace
