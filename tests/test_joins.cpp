// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The joins: all small inputs against nested loops, every distribution, size, key type and order, rows of one key over
// many tiles, iterators, overloads and policies.

#include "support/distributions.h"
#include "support/functions.h"
#include "support/fuzz.h"
#include "support/join_battery.h"
#include "support/keys.h"
#include "support/systems.h"
#if defined(__CUDACC__)
#  include "support/cuda_policies.h"
#endif

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <list>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace
{

using ints = std::vector<std::int32_t>;

/// Elements of a tile, or of a CPU worker's piece.
template <class Key>
constexpr std::int64_t tile_items()
{
#if defined(__CUDACC__)
  return decltype(mgpu::detail::choose_join_shape<sizeof(Key)>())::items;
#else
  return mgpu::detail::cpu_piece_elements;
#endif
}

/// Where inputs are cut: tiles; groups of pieces, and pieces.
std::vector<std::int64_t> all_tile_items()
{
#if defined(__CUDACC__)
  return {tile_items<std::int32_t>()};
#else
  return {mgpu::detail::cpu_piece_elements, mgpu::detail::cpu_join_piece_elements};
#endif
}

/// All sorted sequences of up to `most` keys of 0, 1 and 2.
std::vector<ints> small_inputs(int most)
{
  std::vector<ints> all;
  for (int zeros = 0; zeros <= most; ++zeros)
  {
    for (int ones = 0; zeros + ones <= most; ++ones)
    {
      for (int twos = 0; zeros + ones + twos <= most; ++twos)
      {
        ints input(zeros, 0);
        input.insert(input.end(), ones, 1);
        input.insert(input.end(), twos, 2);
        all.push_back(input);
      }
    }
  }
  return all;
}

TEST(Joins, AllSmallInputs)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto inputs = small_inputs(4);
  test::for_each_policy(
    [&](const auto& policy)
    {
      test::for_each_join(
        [&](auto join)
        {
          for (const ints& left : inputs)
          {
            for (const ints& right : inputs)
            {
              const ::cuda::std::less<> less;
              const auto expected = test::nested_loops<std::int32_t>(join, left, right, less);
              test::check_join(policy, join, left, right, less, expected);
              ASSERT_FALSE(testing::Test::HasFatalFailure())
                << testing::PrintToString(left) << " and " << testing::PrintToString(right);
            }
          }
        });
    });
}

/// Calls f(left, right) with the keys of a distribution.
template <class Key, class Compare, class Function>
void with_keys(
  test::distribution d, std::int64_t left_size, std::int64_t right_size, std::uint64_t seed, Compare comp, Function f)
{
  SCOPED_TRACE(std::string(test::name_of(d)) + " seed " + std::to_string(seed));
  const auto ranks = test::make_ranks(d, left_size, right_size, test::largest_rank<Key>(), seed);
  auto left = test::to_keys<Key>(ranks.first);
  auto right = test::to_keys<Key>(ranks.second);
  std::stable_sort(left.begin(), left.end(), comp);
  std::stable_sort(right.begin(), right.end(), comp);
  f(left, right);
}

/// Checks all joins.
template <class Index, class Key, class Compare = ::cuda::std::less<>>
void check(test::distribution d, std::int64_t left_size, std::int64_t right_size, std::uint64_t seed, Compare comp = {})
{
  with_keys<Key>(
    d, left_size, right_size, seed, comp,
    [&](const auto& left, const auto& right) { test::check_joins<Index>(left, right, comp); });
}
/// Checks the one that keeps everything.
template <class Index, class Key, class Compare = ::cuda::std::less<>>
void check_full(
  test::distribution d, std::int64_t left_size, std::int64_t right_size, std::uint64_t seed, Compare comp = {})
{
  with_keys<Key>(
    d, left_size, right_size, seed, comp,
    [&](const auto& left, const auto& right)
    { test::check_under_all_policies<Index>(test::full_join{}, left, right, comp); });
}

/// Whether a few keys are most of the input, so that there are many rows.
bool has_few_keys(test::distribution d)
{
  return d == test::distribution::few_keys || d == test::distribution::all_equal || d == test::distribution::one_run
         || d == test::distribution::extremes;
}

TEST(Joins, Distributions)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d : test::all_distributions)
  {
    const std::int64_t most = has_few_keys(d) ? 1500 : 70000;
    check<std::int32_t, std::int32_t>(d, most, most - 7, 1);
    check<std::int32_t, std::int32_t>(d, most / 20, most, 2);
    check<std::int32_t, std::int32_t>(d, most, most / 20, 3);
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST(Joins, Sizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t tile = tile_items<std::int32_t>();
  const std::int64_t sizes[] = {0, 1, tile / 2, tile, tile + 1, 3 * tile + 5};
  for (const std::int64_t left : sizes)
  {
    for (const std::int64_t right : sizes)
    {
      check<std::int32_t, std::int32_t>(test::distribution::uniform, left, right, 4);
      ASSERT_FALSE(HasFatalFailure());
    }
  }
  check<std::int32_t, std::int32_t>(test::distribution::uniform, (1 << 20) + 3, (1 << 20) + 3, 5);
}

TEST(Joins, SkewedSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d : {test::distribution::uniform, test::distribution::runs})
  {
    check<std::int32_t, std::int32_t>(d, 1, 1000000, 6);
    check<std::int32_t, std::int32_t>(d, 1000000, 1, 7);
    check<std::int32_t, std::int32_t>(d, 1000, 1000000, 8);
    check<std::int32_t, std::int32_t>(d, 1000000, 1000, 9);
  }
}

/// Keys with so many copies each.
ints copies_of_keys(const std::vector<std::int64_t>& copies)
{
  ints keys;
  for (std::size_t key = 0; key < copies.size(); ++key)
  {
    keys.insert(keys.end(), copies[key], static_cast<std::int32_t>(key));
  }
  return keys;
}

// Equal keys over many tiles, on either side and on both; and so many rows of a tile that it has several units.
TEST(Joins, RunsOverTiles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t tile = tile_items<std::int32_t>();
  const auto check_copies = [](const std::vector<std::int64_t>& left, const std::vector<std::int64_t>& right)
  {
    SCOPED_TRACE(testing::PrintToString(left) + " and " + testing::PrintToString(right));
    test::check_joins<std::int32_t>(copies_of_keys(left), copies_of_keys(right), ::cuda::std::less<>{});
  };
  check_copies({3 * tile + 1}, {2});
  check_copies({2}, {3 * tile + 1});
  check_copies({1, 2 * tile + 3, 1, 1}, {0, 3, 2 * tile, 1});
  check_copies({5, 0, 3, 7}, {2 * tile + 3, tile, 1, 3 * tile});
  check_copies({tile - 1, 1, tile}, {1, tile, 1});
  check_copies({3, 0, tile, 2}, {tile / 2, tile, 0, 1});
  check_copies({1, 1000, 1000, 1000}, {1, 1000, 0, 1000});
  check_copies({0, 3000}, {1, 1500, 1});
  check_copies({2, 1, 1, 0, 1, 2}, {40000, 0, 9000, 50000, 2, 35000}); // empty tiles between those with units
  ASSERT_FALSE(HasFatalFailure());
  // Where runs begin and end at each place around a tile's borders.
  for (const std::int64_t border : all_tile_items())
  {
    for (std::int64_t before = border - 4; before <= border + 1; ++before)
    {
      for (const std::int64_t left : {1, 2, 3})
      {
        for (const std::int64_t right : {1, 2, 3})
        {
          check_copies({before / 2, left, 1, 0, 1}, {0, right, 1, 1}); // most have no match
          check_copies({0, left, 1, 0, 1}, {before, right, 0, 1});
        }
      }
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

template <class Key>
class JoinsOf : public testing::Test
{
};
using key_types = testing::Types<
  std::int8_t, std::uint8_t, std::int16_t, std::uint32_t, std::int64_t, std::uint64_t, float, double,
  test::words_key<3>, test::words_key<4>, test::words_key<400>, test::only_less>;
TYPED_TEST_SUITE(JoinsOf, key_types);

TYPED_TEST(JoinsOf, KeyType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = sizeof(TypeParam) > 100 ? 700 : sizeof(TypeParam) < 2 ? 3000 : tile_items<TypeParam>() + 5;
  check_full<std::int64_t, TypeParam>(test::distribution::uniform, n, n, 10);
  check_full<std::int64_t, TypeParam>(test::distribution::few_keys, 500, 600, 11);
  check_full<std::int64_t, TypeParam>(test::distribution::extremes, 300, 700, 12);
}

struct greater
{
  template <class T>
  MGPU_THRUST_HOST_DEVICE bool operator()(const T& x, const T& y) const
  {
    return y < x;
  }
};

TEST(Joins, DescendingOrderAndOtherIndices)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_full<std::int64_t, std::int32_t>(test::distribution::runs, 70000, 50000, 13, greater{});
  check_full<std::int16_t, std::int32_t>(test::distribution::runs, 32000, 30000, 14);
  check_full<std::int8_t, std::int32_t>(test::distribution::uniform, 128, 100, 15);
}

/// Compares rows of a table by their numbers, which must be rows of it.
struct less_row
{
  const std::int32_t* keys;
  std::int32_t rows;
  bool* has_wrong_number;

  MGPU_THRUST_HOST_DEVICE bool operator()(std::int32_t x, std::int32_t y) const
  {
    if (x < 0 || x >= rows || y < 0 || y >= rows)
    {
      *has_wrong_number = true;
      return false;
    }
    return keys[x] < keys[y];
  }
};

// A comparator that takes numbers of rows is called with such numbers only.
TEST(Joins, IndirectComparator)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int32_t n = 50000;
  const auto ranks = test::make_ranks(test::distribution::runs, n, n, 1 << 30, 16);
  const ints left(ranks.first.begin(), ranks.first.end());
  const ints right(ranks.second.begin(), ranks.second.end());
  ints both = left;
  both.insert(both.end(), right.begin(), right.end());
  test::for_each_join(
    [&](auto join)
    {
      const auto expected = test::search_each<std::int32_t>(join, left, right, ::cuda::std::less<>{});
      test::for_each_policy(
        [&](const auto& policy)
        {
          using policy_t = std::decay_t<decltype(policy)>;
          const auto keys = test::to_memory<policy_t>(both);
          test::flags<policy_t> wrong(1);
          const less_row comp{thrust::raw_pointer_cast(keys.data()), 2 * n, wrong.data()};
          const thrust::counting_iterator<std::int32_t> rows(0);
          test::memory<policy_t, std::int32_t> left_out(expected.size() + 1, -7);
          test::memory<policy_t, std::int32_t> right_out(expected.size() + 1, -7);
          const auto ends =
            join.run(policy, rows, rows + n, rows + n, rows + 2 * n, left_out.begin(), right_out.begin(), comp);
          ASSERT_EQ(ends.first - left_out.begin(), expected.size());
          test::expect_rows(left_out, right_out, expected, 0, expected.size());
        });
    });
}

/// A right key that only compares with others by its number, and has no type in common with a left key.
struct right_key
{
  std::int64_t number;
  std::int32_t payload[3];
};
struct less_number
{
  static MGPU_THRUST_HOST_DEVICE std::int64_t number(std::int16_t x)
  {
    return x;
  }
  static MGPU_THRUST_HOST_DEVICE std::int64_t number(const right_key& x)
  {
    return x.number;
  }
  template <class X, class Y>
  MGPU_THRUST_HOST_DEVICE bool operator()(const X& x, const Y& y) const
  {
    return number(x) < number(y);
  }
};

TEST(Joins, DifferentKeyTypes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto ranks = test::make_ranks(test::distribution::uniform, 30000, 40000, 32767, 17);
  const std::vector<std::int16_t> left(ranks.first.begin(), ranks.first.end());
  std::vector<right_key> right;
  for (const std::int64_t rank : ranks.second)
  {
    right.push_back({rank, {1, 2, 3}});
  }
  test::check_under_all_policies<std::int32_t>(test::full_join{}, left, right, less_number{});
}

// Keys at addresses that are aligned to their type and to nothing more.
TEST(Joins, AlignedToTheTypeOnly)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto ranks = test::make_ranks(test::distribution::uniform, 20000, 20000, 32767, 18);
  const std::vector<std::int16_t> all_left(ranks.first.begin(), ranks.first.end());
  const std::vector<std::int16_t> all_right(ranks.second.begin(), ranks.second.end());
  test::for_each_join(
    [&](auto join)
    {
      test::for_each_policy(
        [&](const auto& policy)
        {
          using policy_t = std::decay_t<decltype(policy)>;
          const auto left = test::to_memory<policy_t>(all_left);
          const auto right = test::to_memory<policy_t>(all_right);
          for (const int shift : {0, 1, 2, 3, 7})
          {
            const auto expected = test::search_each<std::int32_t>(
              join, std::vector<std::int16_t>(all_left.begin() + shift, all_left.end()),
              std::vector<std::int16_t>(all_right.begin() + 2 * shift, all_right.end()), ::cuda::std::less<>{});
            test::memory<policy_t, std::int32_t> left_out(expected.size() + 1 + shift, -7);
            test::memory<policy_t, std::int32_t> right_out(expected.size() + 1 + shift, -7);
            join.run(
              policy, left.begin() + shift, left.end(), right.begin() + 2 * shift, right.end(),
              left_out.begin() + shift, right_out.begin() + shift);
            left_out.erase(left_out.begin(), left_out.begin() + shift);
            right_out.erase(right_out.begin(), right_out.begin() + shift);
            test::expect_rows(left_out, right_out, expected, 0, expected.size());
          }
        });
    });
}

/// The last digits of a column's value at a row, or another number where there is no row.
struct value_at
{
  const std::int64_t* column;
  std::int64_t otherwise;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t row) const
  {
    return row < 0 ? otherwise : column[row] % 100;
  }
};

// Keys that are computed, and outputs that write columns of the tables instead of numbers, or nothing.
TEST(Joins, FancyIterators)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t n = 20000;
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const thrust::counting_iterator<std::int64_t> numbers(0);
      const auto threes = thrust::make_transform_iterator(numbers, test::times_three{});
      std::vector<std::int64_t> squares(3 * n);
      for (std::int64_t i = 0; i < 3 * n; ++i)
      {
        squares[i] = i * i;
      }
      const auto column = test::to_memory<policy_t>(squares);
      const value_at value{thrust::raw_pointer_cast(column.data()), -5};
      // No numbers of elements would fit the columns.
      test::memory<policy_t, double> x(3 * n);
      test::memory<policy_t, std::int8_t> y(3 * n);
      const auto x_out = thrust::make_transform_output_iterator(x.begin(), value);
      const auto y_out = thrust::make_transform_output_iterator(y.begin(), value);
      const auto ends = mgpu::left_join(policy, numbers, numbers + 3 * n, threes, threes + n, x_out, y_out);
      ASSERT_EQ(ends.first - x_out, 3 * n);
      ASSERT_EQ(ends.second - y_out, 3 * n);
      const auto got_x = test::to_host(x);
      const auto got_y = test::to_host(y);
      for (std::int64_t i = 0; i < 3 * n; ++i)
      {
        ASSERT_EQ(got_x[i], i * i % 100);
        ASSERT_EQ(got_y[i], i % 3 == 0 ? i * i / 9 % 100 : -5);
      }
      const auto nowhere = thrust::make_discard_iterator();
      EXPECT_EQ(
        mgpu::inner_join(policy, numbers, numbers + 3 * n, threes, threes + n, nowhere, nowhere).first - nowhere, n);
      const auto rows = thrust::make_zip_iterator(numbers, threes);
      EXPECT_EQ(mgpu::full_join_size(policy, rows, rows + 50, rows + 5, rows + 105), 105);
      const thrust::constant_iterator<std::int32_t> sevens(7);
      EXPECT_EQ(mgpu::inner_join_size(policy, sevens, sevens + 1000000, sevens, sevens + 1000000), 1000000000000);
    });
}

template <class Policy, class Join>
void check_overloads(const Policy& policy, Join join)
{
  const ints host_left{1, 3, 3, 5};
  const ints host_right{0, 3, 3, 4};
  const ints host_down_left{5, 3, 3, 1};
  const ints host_down_right{4, 3, 3, 0};
  const auto up = test::search_each<std::int32_t>(join, host_left, host_right, ::cuda::std::less<>{});
  const auto down = test::search_each<std::int32_t>(join, host_down_left, host_down_right, greater{});
  const auto left = test::to_memory<Policy>(host_left);
  const auto right = test::to_memory<Policy>(host_right);
  const auto down_left = test::to_memory<Policy>(host_down_left);
  const auto down_right = test::to_memory<Policy>(host_down_right);
  test::memory<Policy, std::int32_t> x(9, -7);
  test::memory<Policy, std::int32_t> y(9, -7);
  const auto check = [&](const auto& ends, const test::join_rows<std::int32_t>& expected)
  {
    ASSERT_EQ(ends.first - x.begin(), expected.size());
    ASSERT_EQ(ends.second - y.begin(), expected.size());
    test::expect_rows(x, y, expected, 0, expected.size());
  };
  const auto l = left.begin();
  const auto r = right.begin();
  const auto dl = down_left.begin();
  const auto dr = down_right.begin();
  check(join.run(policy, l, l + 4, r, r + 4, x.begin(), y.begin()), up);
  check(join.run(l, l + 4, r, r + 4, x.begin(), y.begin()), up);
  check(join.run(policy, dl, dl + 4, dr, dr + 4, x.begin(), y.begin(), greater{}), down);
  check(join.run(dl, dl + 4, dr, dr + 4, x.begin(), y.begin(), greater{}), down);
  EXPECT_EQ(join.size(policy, l, l + 4, r, r + 4), up.size());
  EXPECT_EQ(join.size(l, l + 4, r, r + 4), up.size());
  EXPECT_EQ(join.size(policy, dl, dl + 4, dr, dr + 4, greater{}), up.size());
  EXPECT_EQ(join.size(dl, dl + 4, dr, dr + 4, greater{}), up.size());
  const mgpu::join_plan plan(policy, typename Join::kind{}, l, l + 4, r, r + 4);
  check(plan.fill(x.begin(), y.begin()), up);
}

TEST(Joins, Overloads)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy([](const auto& policy)
                        { test::for_each_join([&](auto join) { check_overloads(policy, join); }); });
}

// Searches that look further and further ahead do so up to the largest sizes.
TEST(Joins, OneElementWithMoreMatchesThan62BitsCount)
{
  const thrust::constant_iterator<std::int32_t> keys(7);
  for (const std::int64_t size : {(std::int64_t{1} << 62) + 10, std::numeric_limits<std::int64_t>::max() - 1})
  {
    EXPECT_EQ(mgpu::inner_join_size(thrust::seq, keys, keys + 1, keys, keys + size), size);
  }
}

// A plan can be moved and outlives what it was made from; pieces of any size are the same rows.
TEST(JoinPlan, MovedAndFilledInPiecesOfEverySize)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const ints host_left = copies_of_keys({1, 0, 3, 2, 0, 1});
  const ints host_right = copies_of_keys({2, 1, 3, 0, 2, 1});
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      auto left = test::to_memory<policy_t>(ints(host_left.rbegin(), host_left.rend()));
      auto right = test::to_memory<policy_t>(ints(host_right.rbegin(), host_right.rend()));
      const auto sorted =
        test::search_each<std::int32_t>(test::full_join{}, test::to_host(left), test::to_host(right), greater{});
      auto first = std::make_unique<policy_t>(policy);
      mgpu::join_plan made(
        *first, mgpu::full_join_t{}, left.begin(), left.end(), right.begin(), right.end(), greater{});
      first.reset();
      const auto plan = std::move(made);
      const std::int64_t size = sorted.size();
      ASSERT_EQ(plan.size(), size);
      test::memory<policy_t, std::int32_t> x(size + 1, -7);
      test::memory<policy_t, std::int32_t> y(size + 1, -7);
      for (std::int64_t begin = 0; begin <= size; ++begin)
      {
        for (std::int64_t end = begin; end <= size; ++end)
        {
          plan.fill(begin, end, x.begin(), y.begin());
          test::expect_rows(x, y, sorted, begin, end - begin);
        }
      }
      EXPECT_THROW(plan.fill(-1, 2, x.begin(), y.begin()), std::invalid_argument);
      EXPECT_THROW(plan.fill(2, 1, x.begin(), y.begin()), std::invalid_argument);
      EXPECT_THROW(plan.fill(0, size + 1, x.begin(), y.begin()), std::invalid_argument);
      EXPECT_EQ(test::to_host(x), ints(size + 1, -7));
    });
}

// Other cases each time; MGPU_THRUST_FUZZ_SEED repeats them.
TEST(Joins, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    60,
    [](std::mt19937_64& random)
    {
      const auto d = test::all_distributions[random() % std::size(test::all_distributions)];
      const auto any_size = [&]
      { return static_cast<std::int64_t>(random() % (std::uint64_t{2} << random() % (has_few_keys(d) ? 11 : 17))); };
      const std::int64_t left = any_size();
      const std::int64_t right = any_size();
      check<std::int32_t, std::int32_t>(d, left, right, random());
    });
}

#if defined(__CUDACC__)

/// All functions on one device thread.
__global__ void
in_a_thread(const int* left, int left_size, const int* right, int right_size, int* x, int* y, std::int64_t* sizes)
{
  const auto ends = mgpu::full_join(thrust::seq, left, left + left_size, right, right + right_size, x, y);
  sizes[0] = ends.first - x;
  sizes[1] = mgpu::full_join_size(thrust::seq, left, left + left_size, right, right + right_size);
  sizes[2] = mgpu::inner_join_size(thrust::seq, left, left + left_size, right, right + right_size);
}

TEST(JoinPolicies, CalledFromDeviceCode)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto ranks = test::make_ranks(test::distribution::uniform, 2000, 3000, 1 << 30, 19);
  const ints host_left(ranks.first.begin(), ranks.first.end());
  const ints host_right(ranks.second.begin(), ranks.second.end());
  const ::cuda::std::less<> less;
  const auto full = test::search_each<std::int32_t>(test::full_join{}, host_left, host_right, less);
  const thrust::device_vector<int> left(host_left);
  const thrust::device_vector<int> right(host_right);
  thrust::device_vector<int> x(full.size() + 1, -7);
  thrust::device_vector<int> y(full.size() + 1, -7);
  thrust::device_vector<std::int64_t> sizes(3);
  in_a_thread<<<1, 1>>>(
    thrust::raw_pointer_cast(left.data()), 2000, thrust::raw_pointer_cast(right.data()), 3000,
    thrust::raw_pointer_cast(x.data()), thrust::raw_pointer_cast(y.data()), thrust::raw_pointer_cast(sizes.data()));
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(sizes[0], full.size());
  EXPECT_EQ(sizes[1], full.size());
  EXPECT_EQ(sizes[2], test::search_each<std::int32_t>(test::inner_join{}, host_left, host_right, less).size());
  test::expect_rows(x, y, full, 0, full.size());
}

TEST(JoinPolicies, OfCuda)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto ranks = test::make_ranks(test::distribution::uniform, 30000, 30000, 1 << 30, 20);
  const ints host_left(ranks.first.begin(), ranks.first.end());
  const ints host_right(ranks.second.begin(), ranks.second.end());
  const auto expected =
    test::search_each<std::int32_t>(test::full_join{}, host_left, host_right, ::cuda::std::less<>{});
  const thrust::device_vector<int> left(host_left);
  const thrust::device_vector<int> right(host_right);
  test::for_each_cuda_policy(
    [&](const auto& policy, cudaStream_t stream)
    {
      thrust::device_vector<int> x(expected.size() + 1, -7);
      thrust::device_vector<int> y(expected.size() + 1, -7);
      cudaDeviceSynchronize(); // the stream does not wait for others
      const auto ends =
        mgpu::full_join(policy, left.begin(), left.end(), right.begin(), right.end(), x.begin(), y.begin());
      ASSERT_EQ(ends.first - x.begin(), expected.size());
      cudaStreamSynchronize(stream);
      test::expect_rows(x, y, expected, 0, expected.size());
      cudaDeviceSynchronize();
      {
        const mgpu::join_plan plan(policy, mgpu::full_join_t{}, left.begin(), left.end(), right.begin(), right.end());
        plan.fill(x.begin(), y.begin());
        cudaStreamSynchronize(stream); // par_nosync does not
      }
      test::expect_rows(x, y, expected, 0, expected.size());
    });
}

#else

#  if defined(_OPENMP)
struct derived_policy : thrust::omp::execution_policy<derived_policy>
{
};
#  endif

TEST(JoinPolicies, OfTheCpu)
{
  const auto ranks = test::make_ranks(test::distribution::uniform, 70000, 70000, 1 << 30, 20);
  const ints left(ranks.first.begin(), ranks.first.end());
  const ints right(ranks.second.begin(), ranks.second.end());
  const ::cuda::std::less<> less;
  const auto expected = test::search_each<std::int32_t>(test::full_join{}, left, right, less);
  test::check_join(thrust::host, test::full_join{}, left, right, less, expected);
  test::check_join(thrust::device, test::full_join{}, left, right, less, expected); // C++ here
  test::check_join(thrust::cpp::tag{}, test::full_join{}, left, right, less, expected);
#  if defined(_OPENMP)
  test::check_join(derived_policy{}, test::full_join{}, left, right, less, expected);
#  endif
}

// So many rows that runs of them are streamed, among pieces with short ones, to outputs of one type and of two.
TEST(JoinPolicies, MoreRowsThanCachesHold)
{
  const ints left = copies_of_keys({9000, 3, 2, 1, 4100, 0, 1, 200, 5, 9000});
  const ints right = copies_of_keys({1, 2, 0, 9000, 4200, 7, 2, 129, 127, 1});
  const ::cuda::std::less<> less;
  const auto check = [&](const auto& policy)
  {
    using policy_t = std::decay_t<decltype(policy)>;
    const auto expected = test::search_each<std::int32_t>(test::full_join{}, left, right, less);
    ASSERT_GT(expected.size(), mgpu::detail::cpu_join_streamed_rows);
    test::check_join(policy, test::full_join{}, left, right, less, expected);
    test::memory<policy_t, std::int64_t> x(expected.size() + 1, -7);
    test::memory<policy_t, std::int32_t> y(expected.size() + 1, -7);
    mgpu::full_join(policy, left.begin(), left.end(), right.begin(), right.end(), x.begin(), y.begin());
    EXPECT_TRUE(std::equal(expected.left.begin(), expected.left.end(), x.begin()));
    EXPECT_TRUE(std::equal(expected.right.begin(), expected.right.end(), y.begin()));
    EXPECT_EQ(x.back(), -7);
    EXPECT_EQ(y.back(), -7);
  };
#  if defined(_OPENMP)
  check(thrust::omp::par);
#  endif
#  if MGPU_THRUST_HAS_TBB
  check(thrust::tbb::par);
#  endif
}

TEST(JoinIterators, PlainOutputIterators)
{
  const ints left{1, 3, 3, 5};
  const ints right{0, 3, 3, 4};
  test::for_each_join(
    [&](auto join)
    {
      const auto expected = test::search_each<std::int64_t>(join, left, right, ::cuda::std::less<>{});
      std::list<std::int64_t> x;
      std::vector<std::int64_t> y;
      join.run(
        thrust::seq, left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(x),
        std::back_inserter(y));
      EXPECT_EQ(std::vector<std::int64_t>(x.begin(), x.end()), expected.left);
      EXPECT_EQ(y, expected.right);
      x.clear();
      join.run(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(x), y.begin());
      EXPECT_EQ(std::vector<std::int64_t>(x.begin(), x.end()), expected.left);
    });
}

// A lambda makes an iterator or a comparator that can be copied, but not assigned.
TEST(JoinIterators, Lambdas)
{
  const auto numbers = thrust::make_counting_iterator(std::int64_t{0});
  const auto tens = thrust::make_transform_iterator(numbers, [](std::int64_t x) { return 10 * x; });
  const auto less = [](std::int64_t x, std::int64_t y) { return x < y; };
  test::for_each_policy(
    [&](const auto& policy)
    {
      ints x(100000, -7);
      ints y(100000, -7);
      const auto x_out = thrust::make_transform_output_iterator(x.begin(), [](std::int64_t i) { return i + 1; });
      const auto y_out = thrust::make_transform_output_iterator(y.begin(), [](std::int64_t j) { return j + 1; });
      const auto ends = mgpu::full_join(policy, numbers, numbers + 100000, tens, tens + 10000, x_out, y_out, less);
      EXPECT_EQ(ends.first - x_out, 100000);
      const mgpu::join_plan plan(policy, mgpu::full_join_t{}, numbers, numbers + 100000, tens, tens + 10000, less);
      for (int repeat = 0; repeat < 2; ++repeat)
      {
        for (std::int32_t i = 0; i < 100000; ++i)
        {
          ASSERT_EQ(x[i], i + 1);
          ASSERT_EQ(y[i], i % 10 == 0 ? i / 10 + 1 : 0);
        }
        x.assign(100000, -7);
        y.assign(100000, -7);
        plan.fill(x_out, y_out);
      }
    });
}

// Keys that own memory.
TEST(JoinIterators, Strings)
{
  std::vector<std::string> left;
  std::vector<std::string> right;
  for (int i = 0; i < 40000; ++i)
  {
    left.push_back("a key that is too long for its object " + std::to_string(i / 3));
    right.push_back("a key that is too long for its object " + std::to_string(i / 2));
  }
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  test::check_under_all_policies<std::int32_t>(test::full_join{}, left, right, ::cuda::std::less<>{});
}

#endif

} // namespace
