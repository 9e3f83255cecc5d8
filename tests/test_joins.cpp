// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The joins: all small inputs against nested loops, every distribution and size, rows of one key over many tiles,
// plans, and policies of every kind. Overloads are tested in test_joins_overloads, types in test_joins_types.

#include "support/distributions.h"
#include "support/elements.h"
#include "support/fuzz.h"
#include "support/join_battery.h"
#include "support/keys.h"
#include "support/policy_battery.h"
#include "support/systems.h"
#include "support/uneven_inputs.h"

#include <mgpu_thrust/detail/join/rows/needles.h>

#include <thrust/fill.h>
#include <thrust/iterator/constant_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace
{

using test::ints;

/// Sizes of the parts that inputs are cut into: tiles on a GPU; groups of pieces, and pieces on a CPU.
std::vector<std::int64_t> all_tile_items()
{
#if defined(__CUDACC__)
  return {test::join_tile_items<std::int32_t>(), mgpu::detail::coresident_join_shape<sizeof(std::int32_t)>::items};
#else
  return {mgpu::detail::cpu_piece_elements, mgpu::detail::cpu_join_piece_elements};
#endif
}

/// All sorted sequences of up to `most` keys from 0, 1 and 2.
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

/// Checks all joins of 4-byte keys.
void check(test::distribution d, std::int64_t left_size, std::int64_t right_size, std::uint64_t seed)
{
  test::with_keys<std::int32_t>(
    d, left_size, right_size, seed, ::cuda::std::less<>{},
    [](const auto& left, const auto& right) { test::check_joins<std::int32_t>(left, right, ::cuda::std::less<>{}); });
}

/// Checks the full join, on inputs similar to those that all kinds are tested with.
void check_full(test::distribution d, std::int64_t left_size, std::int64_t right_size, std::uint64_t seed)
{
  test::with_keys<std::int32_t>(
    d, left_size, right_size, seed, ::cuda::std::less<>{},
    [](const auto& left, const auto& right)
    { test::check_under_all_policies<std::int32_t>(test::full_join{}, left, right, ::cuda::std::less<>{}); });
}

/// Returns whether a few keys are most of the input, so that there are many rows.
bool has_few_keys(test::distribution d)
{
  return d == test::distribution::few_keys || d == test::distribution::all_equal || d == test::distribution::one_run
         || d == test::distribution::extremes;
}

TEST(Joins, Distributions)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
#if defined(__CUDACC__)
  constexpr std::int64_t most_of_few_keys = 1500;
#else
  constexpr std::int64_t most_of_few_keys = 700; // half a million rows: fifteen pieces
#endif
  for (const test::distribution d : test::all_distributions)
  {
    const std::int64_t most = has_few_keys(d) ? most_of_few_keys : 70000;
    check(d, most, most - 7, 1);
    check_full(d, most / 20, most, 2);
    check_full(d, most, most / 20, 3);
    ASSERT_FALSE(HasFatalFailure());
#if defined(__CUDACC__)
    if (!has_few_keys(d))
    {
      check(d, 1400000, 1300000, 10); // more tiles than an H200 executes at once
    }
#endif
  }
}

TEST(Joins, Sizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t tile = test::join_tile_items<std::int32_t>();
  const std::int64_t sizes[] = {0, 1, tile / 2, tile, tile + 1, 3 * tile + 5};
  for (const std::int64_t left : sizes)
  {
    for (const std::int64_t right : sizes)
    {
      check(test::distribution::uniform, left, right, 4);
      ASSERT_FALSE(HasFatalFailure());
    }
  }
  check(test::distribution::uniform, test::many_keys + 3, test::many_keys + 3, 5);
}

TEST(Joins, SkewedSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d : {test::distribution::uniform, test::distribution::runs})
  {
    check(d, 1, test::many_keys, 6);
    check(d, test::many_keys, 1, 7);
    check_full(d, test::many_keys / 1000, test::many_keys, 8);
    check_full(d, test::many_keys, test::many_keys / 1000, 9);
  }
}

/// Keys 0, 1, ... with copies[key] copies of each.
ints copies_of_keys(const std::vector<std::int64_t>& copies)
{
  ints keys;
  for (std::size_t key = 0; key < copies.size(); ++key)
  {
    keys.insert(keys.end(), copies[key], static_cast<std::int32_t>(key));
  }
  return keys;
}

// Runs of equal keys over many tiles, on either side and on both; and tiles with so many rows that they have several
// units.
TEST(Joins, RunsOverTiles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t tile = test::join_tile_items<std::int32_t>();
  using copies = std::vector<std::int64_t>;
  const auto check_copies = [](const copies& left, const copies& right, bool all_kinds = true)
  {
    SCOPED_TRACE(testing::PrintToString(left) + " and " + testing::PrintToString(right));
    const ints left_keys = copies_of_keys(left);
    const ints right_keys = copies_of_keys(right);
    const ::cuda::std::less<> less;
    all_kinds ? test::check_joins<std::int32_t>(left_keys, right_keys, less)
              : test::check_under_all_policies<std::int32_t>(test::full_join{}, left_keys, right_keys, less);
  };
  check_copies({3 * tile + 1}, {2});
  check_copies({2}, {3 * tile + 1});
  check_copies({1, 2 * tile + 3, 1, 1}, {0, 3, 2 * tile, 1});
  check_copies({5, 0, 3, 7}, {2 * tile + 3, tile, 1, 3 * tile});
  check_copies({tile - 1, 1, tile}, {1, tile, 1});
  check_copies({3, 0, tile, 2}, {tile / 2, tile, 0, 1});
  check_copies({1, 1000, 1000, 1000}, {1, 1000, 0, 1000});
  check_copies({0, 3000}, {1, 1500, 1});
  // One run, with fewer and with more rows than are staged, among other rows.
  for (const std::int64_t run : {2, 5, 9, 10, 30})
  {
    copies left(901, 1);
    copies right(901, 1);
    left[500] = run;
    right[500] = 800;
    check_copies(left, right, run == 9);
  }
  check_copies({2, 1, 1, 0, 1, 2}, {40000, 0, 9000, 50000, 2, 35000}); // empty tiles between those with units
  ASSERT_FALSE(HasFatalFailure());
  // Runs that begin and end at each position around a tile's borders.
  for (const std::int64_t border : all_tile_items())
  {
    for (std::int64_t before = border - 4; before <= border + 1; ++before)
    {
      for (const std::int64_t left : {1, 2, 3})
      {
        for (const std::int64_t right : {1, 2, 3})
        {
          check_copies({before / 2, left, 1, 0, 1}, {0, right, 1, 1}, left == right); // most have no match
          check_copies({0, left, 1, 0, 1}, {before, right, 0, 1}, left == right);
        }
      }
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

/// The rows that all needles of a join stand for, one after another, then those of right elements without a match.
template <class Join>
test::join_rows<std::int32_t> rows_of_needles(Join join, bool are_left, const ints& left, const ints& right)
{
  const ::cuda::std::less<> less;
  const auto inputs = mgpu::detail::make_set_inputs(
    left.begin(), static_cast<std::int64_t>(left.size()), right.begin(), static_cast<std::int64_t>(right.size()));
  test::join_rows<std::int32_t> rows;
  const auto needles = static_cast<std::int64_t>(are_left ? left.size() : right.size());
  ints alone;
  for (std::int64_t needle = 0; needle < needles; ++needle)
  {
    const mgpu::detail::needle_rows found = are_left ? mgpu::detail::find_left_needle(join, inputs, needle, less)
                                                     : mgpu::detail::find_right_needle(inputs, needle, less);
    for (std::int64_t k = 0; k < found.count; ++k)
    {
      const mgpu::detail::index_pair row = are_left ? mgpu::detail::row_of_left_needle(needle, found.first_match, k)
                                                    : mgpu::detail::row_of_right_needle(needle, found, k);
      rows.add(row.left, row.right);
    }
    if (found.count == 0)
    {
      alone.push_back(static_cast<std::int32_t>(needle));
    }
  }
  for (const std::int32_t needle : alone)
  {
    if (join.keeps_right)
    {
      rows.add(-1, needle);
    }
  }
  return rows;
}

// Needles stand for the rows of a join, in their order, whichever input they are of: all small inputs, and long runs.
TEST(Joins, RowsOfNeedles)
{
  std::vector<ints> inputs = small_inputs(4);
  inputs.push_back(copies_of_keys({3, 70, 1}));
  inputs.push_back(copies_of_keys({0, 5, 600, 2}));
  inputs.push_back(copies_of_keys({1, 33, 32, 31, 900}));
  inputs.push_back(copies_of_keys({2, 1, 700}));
  const auto check = [](auto join, bool are_left, const ints& left, const ints& right)
  {
    const auto expected = test::search_each<std::int32_t>(join, left, right, ::cuda::std::less<>{});
    const auto rows = rows_of_needles(join, are_left, left, right);
    ASSERT_TRUE(rows.left == expected.left) << join.name << " of " << left.size() << " and " << right.size();
    ASSERT_TRUE(rows.right == expected.right) << join.name << " of " << left.size() << " and " << right.size();
  };
  for (const ints& left : inputs)
  {
    for (const ints& right : inputs)
    {
      if (!right.empty())
      {
        check(test::inner_join{}, true, left, right);
        check(test::left_join{}, true, left, right);
      }
      if (!left.empty())
      {
        check(test::inner_join{}, false, left, right);
        check(test::right_join{}, false, left, right);
      }
      ASSERT_FALSE(HasFatalFailure());
    }
  }
  // Numbers of rows that take 64 bits.
  const mgpu::detail::needle_rows many{std::int64_t{1} << 40, 7, 2, 3};
  const auto row = mgpu::detail::row_of_right_needle(5, many, 4);
  EXPECT_EQ(row.left, 7 + ((std::int64_t{1} << 41) + 4) / 3);
  EXPECT_EQ(row.right, 3 + ((std::int64_t{1} << 41) + 4) % 3);
  // Searches with growing parts work up to the largest sizes.
  const thrust::constant_iterator<std::int32_t> keys(7);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() - 1;
  EXPECT_EQ(mgpu::detail::end_of_copies(keys, std::int64_t{0}, most, 7, ::cuda::std::less<>{}), most);
}

TEST(Joins, UnevenSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_uneven_pair(
    3,
    [](const ints& left, const ints& right) { test::check_joins<std::int32_t>(left, right, ::cuda::std::less<>{}); });
}

// All rows of a few keys, equal or in two runs, with those of a long side: many units.
TEST(Joins, UnevenRuns)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const auto& many : {copies_of_keys({140000}), copies_of_keys({30000, 1, 110000})})
  {
    for (const auto& few : {copies_of_keys({7}), copies_of_keys({1, 2, 3})})
    {
      test::check_joins<std::int32_t>(few, many, ::cuda::std::less<>{});
      test::check_joins<std::int32_t>(many, few, ::cuda::std::less<>{});
      ASSERT_FALSE(HasFatalFailure());
    }
  }
#if !defined(__CUDACC__)
  // Runs of the short right side that begin and end around the borders of its pieces.
  const ints many = copies_of_keys({400, 2, 3, 140000});
  for (const std::int64_t run : {1022, 1023, 1024, 1025, 2048, 2049})
  {
    for (const std::int64_t before : {0, 1, 1000, 1023, 1024, 1025})
    {
      test::check_under_all_policies<std::int32_t>(
        test::right_join{}, many, copies_of_keys({0, before, run, 0, 20}), ::cuda::std::less<>{});
      test::check_under_all_policies<std::int32_t>(
        test::inner_join{}, many, copies_of_keys({1, before, run, 0, 20}), ::cuda::std::less<>{});
      ASSERT_FALSE(HasFatalFailure());
    }
  }
#endif
}

#if !defined(__CUDACC__)

TEST(Joins, FewComparisonsForAShortSide)
{
  test::expect_bisections(
    "inner",
    [](auto s, auto se, auto l, auto le, auto c) { (void) mgpu::inner_join_size(thrust::seq, s, se, l, le, c); });
  test::expect_bisections(
    "inner",
    [](auto s, auto se, auto l, auto le, auto c) { (void) mgpu::inner_join_size(thrust::seq, l, le, s, se, c); });
  test::expect_bisections(
    "left",
    [](auto s, auto se, auto l, auto le, auto c) { (void) mgpu::left_join_size(thrust::seq, s, se, l, le, c); });
  test::expect_bisections(
    "right",
    [](auto s, auto se, auto l, auto le, auto c) { (void) mgpu::right_join_size(thrust::seq, l, le, s, se, c); });
}

#endif

// Searches with growing steps work up to the largest sizes.
TEST(Joins, OneElementWithMoreMatchesThan62BitsCount)
{
  const thrust::constant_iterator<std::int32_t> keys(7);
  for (const std::int64_t size : {(std::int64_t{1} << 62) + 10, std::numeric_limits<std::int64_t>::max() - 1})
  {
    EXPECT_EQ(mgpu::inner_join_size(thrust::seq, keys, keys + 1, keys, keys + size), size);
  }
}

// A plan can be moved and outlives the arguments of its construction; pieces of any size give the same rows.
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
        test::search_each<std::int32_t>(test::full_join{}, test::to_host(left), test::to_host(right), test::greater{});
      auto first = std::make_unique<policy_t>(policy);
      mgpu::join_plan made(
        *first, mgpu::full_join_t{}, left.begin(), left.end(), right.begin(), right.end(), test::greater{});
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

// New cases each time; MGPU_THRUST_FUZZ_SEED reproduces them.
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
      check(d, left, right, random());
    });
}

#if defined(__CUDACC__)

/// Checks the joins whose time follows the needles, on either side.
void check_needles(const ints& needles, const ints& haystack)
{
  SCOPED_TRACE(std::to_string(needles.size()) + " needles in " + std::to_string(haystack.size()));
  const ::cuda::std::less<> less;
  test::check_under_all_policies<std::int32_t>(test::inner_join{}, needles, haystack, less);
  test::check_under_all_policies<std::int32_t>(test::left_join{}, needles, haystack, less);
  test::check_under_all_policies<std::int32_t>(test::inner_join{}, haystack, needles, less);
  test::check_under_all_policies<std::int32_t>(test::right_join{}, haystack, needles, less);
}

// Ratios around the least one for which an input is short, and numbers of needles around those of a tile.
TEST(Joins, Needles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t ratio = mgpu::detail::sparse_needles_ratio;
  constexpr std::int64_t most = test::join_haystack_size / ratio;
  const auto check_size = [](test::distribution d, std::int64_t needles, std::int64_t haystack, std::uint64_t seed)
  {
    test::with_keys<std::int32_t>(
      d, needles, haystack, seed, ::cuda::std::less<>{},
      [](const auto& short_keys, const auto& long_keys) { check_needles(short_keys, long_keys); });
    ASSERT_FALSE(HasFatalFailure());
  };
  check_size(test::distribution::uniform, most, test::join_haystack_size, 20);
  check_size(test::distribution::runs, most, most * ratio, 21);
  check_size(test::distribution::runs, most, most * ratio - 1, 22); // too many for needles
  check_size(test::distribution::uniform, most + 1, test::join_haystack_size, 23);
  constexpr int tile = mgpu::detail::join_needle_shape::threads;
  for (const std::int64_t needles : {0, 1, tile, tile + 1, 10 * tile - 1})
  {
    check_size(test::distribution::runs, needles, test::join_haystack_size, 24);
  }
}

// Runs of equal keys: of needles, over borders of tiles, of matches, and of both. More rows than a first unit, in few
// tiles and in many.
TEST(Joins, RunsOfNeedles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t rest = test::join_haystack_size;
  const auto check_copies = [](const std::vector<std::int64_t>& needles, const std::vector<std::int64_t>& haystack)
  {
    check_needles(copies_of_keys(needles), copies_of_keys(haystack));
    ASSERT_FALSE(HasFatalFailure());
  };
  check_copies({1}, {rest}); // all keys are equal
  check_copies({5}, {rest});
  check_copies({0, 1, 0}, {rest / 2, 1, rest / 2});
  check_copies({100, 300, 100, 1}, {1, 7, 0, rest});
  check_copies({100, 300, 0, 3, 2}, {0, 5000, rest, 1, 100});
  check_copies({1, 127, 129, 1, 0, 128, 255, 2}, {3, 2, 1, 0, rest, 2, 1, 1000000});
  check_copies({1000, 2, 1000}, {0, rest, 4});
  // Each needle has rows, in each tile more than a first unit; the tiles are few.
  std::vector<std::int64_t> needles(3000, 0);
  std::vector<std::int64_t> haystack(3000, rest / 1500 - 240);
  for (std::int64_t key = 0; key < 3000; key += 2)
  {
    needles[key] = 3;
    haystack[key] = 241;
  }
  check_copies(needles, haystack);
  // So many tiles that first units are larger. Some tiles have more rows, many have none.
  needles.assign(70000, 1);
  haystack.assign(70000, 65);
  needles[2] = 3;
  haystack[2] = 30000;
  needles[35000] = 200;
  haystack[35000] = 1000;
  std::fill(haystack.begin() + 50000, haystack.begin() + 60000, 0);
  haystack.push_back(rest / 4);
  haystack[69999] = 70000;
  check_copies(needles, haystack);
}

// Of ranges that are not sorted, a join, its size and its plan find the same number of rows, and no index is invalid.
TEST(Joins, UnsortedNeedles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937 random(26);
  ints short_keys(3000);
  ints long_keys(test::join_haystack_size);
  for (ints* const keys : {&short_keys, &long_keys})
  {
    std::generate(keys->begin(), keys->end(), [&] { return static_cast<std::int32_t>(random() % 3000); });
  }
  const auto check = [](auto join, const ints& host_left, const ints& host_right)
  {
    SCOPED_TRACE(join.name);
    const thrust::device_vector<std::int32_t> left(host_left);
    const thrust::device_vector<std::int32_t> right(host_right);
    const std::int64_t size = join.size(thrust::cuda::par, left.begin(), left.end(), right.begin(), right.end());
    thrust::device_vector<std::int32_t> x(size + 1, -7);
    thrust::device_vector<std::int32_t> y(size + 1, -7);
    const auto check_rows = [&]
    {
      const ints host_x = test::to_host(x);
      const ints host_y = test::to_host(y);
      const auto are_valid = [&](const ints& indices, const ints& keys)
      {
        return std::all_of(
          indices.begin(), indices.end() - 1,
          [&](std::int32_t index) { return -1 <= index && index < static_cast<std::int64_t>(keys.size()); });
      };
      EXPECT_TRUE(are_valid(host_x, host_left));
      EXPECT_TRUE(are_valid(host_y, host_right));
      EXPECT_EQ(host_x.back(), -7);
      EXPECT_EQ(host_y.back(), -7);
      thrust::fill(x.begin(), x.end(), -7);
      thrust::fill(y.begin(), y.end(), -7);
    };
    const auto ends =
      join.run(thrust::cuda::par, left.begin(), left.end(), right.begin(), right.end(), x.begin(), y.begin());
    EXPECT_EQ(ends.first - x.begin(), size);
    check_rows();
    const mgpu::join_plan plan(
      thrust::cuda::par, typename decltype(join)::kind{}, left.begin(), left.end(), right.begin(), right.end());
    ASSERT_EQ(plan.size(), size);
    plan.fill(x.begin(), y.begin());
    check_rows();
  };
  check(test::inner_join{}, short_keys, long_keys);
  check(test::inner_join{}, long_keys, short_keys);
  check(test::left_join{}, short_keys, long_keys);
  check(test::right_join{}, long_keys, short_keys);
}

// New cases each time; MGPU_THRUST_FUZZ_SEED reproduces them.
TEST(Joins, FuzzNeedles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    6,
    [](std::mt19937_64& random)
    {
      const auto copies = [&](std::int64_t keys, std::int64_t most)
      {
        std::vector<std::int64_t> all(keys);
        std::generate(
          all.begin(), all.end(),
          [&] { return static_cast<std::int64_t>(random() % (std::uint64_t{1} << random() % most)); });
        return all;
      };
      const std::int64_t keys = 1 + static_cast<std::int64_t>(random() % 3000);
      const ints needles = copies_of_keys(copies(keys, 5));
      std::vector<std::int64_t> haystack = copies(keys, 9);
      haystack[random() % haystack.size()] += test::join_haystack_size; // where few needles are, or none
      if (needles.size() < 40000)
      {
        check_needles(needles, copies_of_keys(haystack));
      }
    });
}

// Few tiles, of which one has most rows, before, between and after tiles with some more rows than a first unit: a unit
// of extra rows has those of several tiles. And so many tiles that their first units are larger.
TEST(Joins, UnitsOfSeveralTiles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto check = [](std::int64_t runs_before, std::int64_t runs_after)
  {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(runs_before), 6);
    counts.push_back(6000);
    counts.insert(counts.end(), static_cast<std::size_t>(runs_after), 6);
    const ints keys = copies_of_keys(counts);
    SCOPED_TRACE(keys.size());
    test::join_rows<std::int32_t> expected; // counted off, as the oracle would take long
    std::int32_t first = 0;
    for (const std::int64_t count : counts)
    {
      for (std::int64_t i = 0; i < count * count; ++i)
      {
        expected.left.push_back(first + static_cast<std::int32_t>(i / count));
        expected.right.push_back(first + static_cast<std::int32_t>(i % count));
      }
      first += static_cast<std::int32_t>(count);
    }
    const auto left = thrust::device_vector<std::int32_t>(keys);
    const std::int64_t size = expected.left.size();
    thrust::device_vector<std::int32_t> x(size + 1, -7), y(size + 1, -7);
    const auto ends =
      mgpu::inner_join(thrust::device, left.begin(), left.end(), left.begin(), left.end(), x.begin(), y.begin());
    EXPECT_EQ(ends.first - x.begin(), size);
    expected.left.push_back(-7);
    expected.right.push_back(-7);
    EXPECT_TRUE(test::to_host(x) == expected.left);
    EXPECT_TRUE(test::to_host(y) == expected.right);

    // A plan writes them in the same units: all rows; and some, whose units begin elsewhere.
    const mgpu::join_plan plan(
      thrust::device, mgpu::inner_join_t{}, left.begin(), left.end(), left.begin(), left.end());
    for (const std::int64_t parts : {1, 7})
    {
      thrust::fill(x.begin(), x.end() - 1, -8);
      thrust::fill(y.begin(), y.end() - 1, -8);
      for (std::int64_t part = 0; part < parts; ++part)
      {
        const std::int64_t from = size * part / parts;
        plan.fill(from, size * (part + 1) / parts, x.begin() + from, y.begin() + from);
      }
      EXPECT_TRUE(test::to_host(x) == expected.left);
      EXPECT_TRUE(test::to_host(y) == expected.right);
    }
  };
  check(0, 4000);
  check(3000, 3000);
  check(40000, 40000);
  check(7000, 0);
  const std::int64_t tile = decltype(mgpu::detail::choose_join_shape<sizeof(std::int32_t)>())::items;
  const std::int64_t runs = (mgpu::detail::max_tiles_with_small_units * tile - 12000) / 12;
  check(runs / 2, runs - runs / 2);
  check(runs / 2, runs - runs / 2 + 1);
}

#endif

#if !defined(__CUDACC__)

// Many rows of one key are written in units. Pieces of three rows begin and end at each row around the units' borders.
TEST(JoinPolicies, PiecesAroundBordersOfUnits)
{
  const ints left = copies_of_keys({3, 600, 1});
  const ints right = copies_of_keys({2, 600, 0, 1});
  const auto expected = test::search_each<std::int32_t>(test::full_join{}, left, right, ::cuda::std::less<>{});
  test::for_each_policy(
    [&](const auto& policy)
    {
      const mgpu::join_plan plan(
        policy, mgpu::full_join_t{}, left.begin(), left.end(), right.begin(), right.end(), ::cuda::std::less<>{});
      ASSERT_EQ(plan.size(), expected.size());
      ints x(4, -7);
      ints y(4, -7);
      for (std::int64_t unit = mgpu::detail::cpu_join_unit_rows; unit < plan.size();
           unit += mgpu::detail::cpu_join_unit_rows)
      {
        for (std::int64_t begin = unit - 4; begin <= unit + 8; ++begin)
        {
          plan.fill(begin, begin + 3, x.begin(), y.begin());
          test::expect_rows(x, y, expected, begin, 3);
        }
      }
    });
}

// So many rows that long runs are streamed, among pieces with short runs, to outputs of one type and of two types.
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

#endif

/// The full join of two tables: the left has the keys 0, 1, ..., and the right has those of the left's second half and
/// as many others. In the output, the right row numbers follow the left ones.
struct full_join_call : test::policy_call
{
  explicit full_join_call(std::int64_t size)
  {
    inputs.resize(2);
    for (std::int32_t i = 0; i < size; ++i)
    {
      inputs[0].push_back(i);
      inputs[1].push_back(i + static_cast<std::int32_t>(size / 2));
    }
    const auto rows = test::search_each<std::int32_t>(test::full_join{}, inputs[0], inputs[1], ::cuda::std::less<>{});
    expected = rows.left;
    expected.insert(expected.end(), rows.right.begin(), rows.right.end());
    result = rows.size();
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    const auto ends =
      mgpu::full_join(policy, in.first[0], in.last[0], in.first[1], in.last[1], out, out + in.output_size / 2);
    return ends.first - out;
  }
};

struct join_plan_call : full_join_call
{
  static constexpr bool runs_in_device_code = false;
  static constexpr auto allocates_on_cpu = test::cpu_storage::always; // for data kept between the count and the rows

  using full_join_call::full_join_call;
  template <class Policy>
  static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    const mgpu::join_plan plan(policy, mgpu::full_join_t{}, in.first[0], in.last[0], in.first[1], in.last[1]);
    return plan.fill(out, out + in.output_size / 2).first - out;
  }
};

/// The sizes of a full join and of an inner join.
struct join_sizes_call : full_join_call
{
  explicit join_sizes_call(std::int64_t size)
      : full_join_call(size)
  {
    expected.clear();
    result = result * 1000000 + size - size / 2;
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t*)
  {
    return mgpu::full_join_size(policy, in.first[0], in.last[0], in.first[1], in.last[1]) * 1000000
           + mgpu::inner_join_size(policy, in.first[0], in.last[0], in.first[1], in.last[1]);
  }
};

using calls = testing::Types<full_join_call, join_plan_call, join_sizes_call>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(Joins, Policies, calls);
}
