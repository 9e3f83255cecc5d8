// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The semi and anti joins against nested loops on all small inputs, and against std:: on every distribution and size;
// overloads, errors and policies. Types are tested in test_semi_joins_types.

#include "support/distributions.h"
#include "support/keys.h"
#include "support/policy_battery.h"
#include "support/semi_join_battery.h"
#include "support/systems.h"
#include "support/uneven_inputs.h"

#include <thrust/iterator/counting_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using test::ints;

/// Checks both joins of 4-byte keys.
void check_semi_joins(test::distribution d, std::int64_t left, std::int64_t right, std::uint64_t seed)
{
  test::check_semi_joins<std::int32_t, std::int32_t>(test::all_semi_joins{}, d, left, right, seed);
}

/// Returns all sorted lists of up to `size` numbers below `keys`.
std::vector<ints> all_sorted_lists(std::size_t size, std::int32_t keys)
{
  std::vector<ints> lists{{}};
  for (std::size_t i = 0; i < lists.size(); ++i)
  {
    for (std::int32_t key = lists[i].empty() ? 0 : lists[i].back(); lists[i].size() < size && key < keys; ++key)
    {
      lists.push_back(lists[i]);
      lists.back().push_back(key);
    }
  }
  return lists;
}

TEST(SemiJoin, AllSmallInputs)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
#if defined(__CUDACC__)
  const auto lists = all_sorted_lists(3, 3);
#else
  const auto lists = all_sorted_lists(4, 3);
#endif
  for (const ints& left : lists)
  {
    for (const ints& right : lists)
    {
      test::expected_rows<std::int32_t> expected;
      for (std::size_t i = 0; i < left.size(); ++i)
      {
        bool has_match = false;
        for (const std::int32_t key : right)
        {
          has_match |= key == left[i];
        }
        (has_match ? expected.semi : expected.anti).push_back(static_cast<std::int32_t>(i));
      }
      test::check_semi_joins(test::all_semi_joins{}, left, right, expected, ::cuda::std::less<>{});
      ASSERT_FALSE(HasFatalFailure()) << testing::PrintToString(left) << " " << testing::PrintToString(right);
    }
  }
}

TEST(SemiJoin, Distributions)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d : test::all_distributions)
  {
    check_semi_joins(d, 50000, 40000, 1);
    check_semi_joins(d, 3000, 90000, 2); // few left rows, but not so few that each is searched individually
    check_semi_joins(d, 90000, 3000, 3);
    check_semi_joins(d, 50000, test::few_and_more().back() + 7, 13);
  }
}

TEST(SemiJoin, Sizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t tile = test::semi_join_tile_items<std::int32_t>();
  for (const std::int64_t right : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, tile - 1, tile, 3 * tile + 1})
  {
    for (const std::int64_t left :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{31}, std::int64_t{32}, std::int64_t{33}, std::int64_t{64},
          std::int64_t{65}, std::int64_t{97}, tile - 1, tile, tile + 1, 2 * tile})
    {
      for (const std::int64_t more : test::few_and_more())
      {
        check_semi_joins(test::distribution::uniform, more + left, right, 4);
        check_semi_joins(test::distribution::all_equal, more + left, right, 5);
      }
    }
  }
  check_semi_joins(test::distribution::uniform, (1 << 20) + 3, (1 << 20) + 3, 6);
#if defined(__CUDACC__)
  for (const std::int64_t right : {-1, 0, 1}) // both sides of max_to_semi_join_by_bisection
  {
    check_semi_joins(
      test::distribution::uniform, 60000, mgpu::detail::max_to_semi_join_by_bisection - 60000 + right, 14);
  }
  check_semi_joins(test::distribution::uniform, 4000000, 3999999, 15); // more tiles than an H200 executes at once
  check_semi_joins(test::distribution::runs, 4000000, 5000000, 16);
#endif
}

// One side so short that the other is not read, and its complement.
TEST(SemiJoin, SkewedSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d :
       {test::distribution::uniform, test::distribution::one_run, test::distribution::runs,
        test::distribution::disjoint, test::distribution::disjoint_after})
  {
    check_semi_joins(d, 1, test::many_keys, 7);
    check_semi_joins(d, 1000, test::many_keys, 8);
    check_semi_joins(d, 129, 129 * 64, 9);
    check_semi_joins(d, 129, 129 * 64 - 1, 10);
    check_semi_joins(d, test::many_keys, 1, 11);
    check_semi_joins(d, test::many_keys, 1000, 12);
#if defined(__CUDACC__)
    check_semi_joins(d, 300000, 20000000, 17); // more blocks that bisect than an H200 executes at once
#endif
  }
}

TEST(SemiJoin, UnevenSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_uneven_pair(
    1000, [](const ints& left, const ints& right)
    { test::check_semi_joins<std::int32_t>(test::all_semi_joins{}, left, right, ::cuda::std::less<>{}); });
}

#if !defined(__CUDACC__)

TEST(SemiJoin, FewComparisonsForAShortSide)
{
  ints out(200);
  const auto o = out.begin();
  test::expect_bisections(
    "semi_join", [o](auto s, auto se, auto l, auto le, auto c) { mgpu::semi_join(thrust::seq, s, se, l, le, o, c); });
  test::expect_bisections(
    "anti_join", [o](auto s, auto se, auto l, auto le, auto c) { mgpu::anti_join(thrust::seq, s, se, l, le, o, c); });
  test::expect_bisections(
    "left",
    [](auto s, auto se, auto l, auto le, auto c) { (void) mgpu::semi_join_size(thrust::seq, s, se, l, le, c); });
  test::expect_bisections(
    "right",
    [](auto s, auto se, auto l, auto le, auto c) { (void) mgpu::anti_join_size(thrust::seq, l, le, s, se, c); });
}

#endif

// Runs of one key on either side that end just before, at and just after the ends of tiles; right elements equal to the
// last rows of a tile may lie in the next tile.
TEST(SemiJoin, RunsOverTiles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t tile = test::semi_join_tile_items<std::int32_t>();
  for (const std::int64_t left_run : {tile - 1, tile, tile + 1, 3 * tile})
  {
    for (const std::int64_t right_run : {std::int64_t{0}, std::int64_t{1}, tile, 2 * tile + 1})
    {
      for (const std::int64_t more : {std::int64_t{0}, std::int64_t{1}, tile / 2})
      {
        const std::int64_t before = test::few_and_more().back() + more;
        SCOPED_TRACE(std::to_string(before) + ", " + std::to_string(left_run) + " and " + std::to_string(right_run));
        ints left(before, 1);
        left.insert(left.end(), left_run, 5);
        left.insert(left.end(), 100, 7);
        ints right(before / 2, 1);
        right.insert(right.end(), right_run, 5);
        right.insert(right.end(), 100, 6);
        test::expected_rows<std::int32_t> expected;
        for (std::size_t row = 0; row < left.size(); ++row)
        {
          const bool has_match = (left[row] == 5 && right_run > 0) || (left[row] == 1 && before > 1);
          (has_match ? expected.semi : expected.anti).push_back(static_cast<std::int32_t>(row));
        }
        test::check_semi_joins(test::all_semi_joins{}, left, right, expected, ::cuda::std::less<>{});
        ASSERT_FALSE(HasFatalFailure());
      }
    }
  }
}

TEST(SemiJoin, WithoutPolicyAndComparator)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  thrust::device_vector<std::int32_t> left(ints{1, 3, 3, 5});
  thrust::device_vector<std::int32_t> right(ints{2, 3, 5, 5});
  thrust::device_vector<std::int32_t> out(4);
  out.erase(mgpu::semi_join(left.begin(), left.end(), right.begin(), right.end(), out.begin()), out.end());
  EXPECT_EQ(test::to_host(out), (ints{1, 2, 3}));
  out.erase(mgpu::anti_join(left.begin(), left.end(), right.begin(), right.end(), out.begin()), out.end());
  EXPECT_EQ(test::to_host(out), (ints{0}));
  EXPECT_EQ(mgpu::semi_join_size(left.begin(), left.end(), right.begin(), right.end()), 3);
  EXPECT_EQ(mgpu::anti_join_size(left.begin(), left.end(), right.begin(), right.end()), 1);
  const std::vector<std::int32_t> falling_left{5, 3, 1};
  const std::vector<std::int32_t> falling_right{4, 3, 2};
  std::vector<std::int32_t> rows(3);
  rows.erase(
    mgpu::semi_join(
      falling_left.begin(), falling_left.end(), falling_right.begin(), falling_right.end(), rows.begin(),
      test::greater{}),
    rows.end());
  EXPECT_EQ(rows, (ints{1}));
  EXPECT_EQ(
    mgpu::anti_join_size(
      falling_left.begin(), falling_left.end(), falling_right.begin(), falling_right.end(), test::greater{}),
    2);
}

TEST(SemiJoin, NumbersThatDoNotFitAreAnError)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const thrust::counting_iterator<std::int32_t> numbers(0);
      test::memory<policy_t, std::int8_t> out(130, -5);
      const auto expect_length_error = [&](const std::string& text, auto f)
      {
        try
        {
          f();
          ADD_FAILURE() << "no exception";
        }
        catch (const std::length_error& error)
        {
          EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
        }
      };
      expect_length_error(
        "mgpu::semi_join: indices of up to 128 do not fit the output",
        [&] { mgpu::semi_join(policy, numbers, numbers + 129, numbers, numbers + 10, out.begin()); });
      expect_length_error(
        "mgpu::anti_join: indices of up to 128 do not fit the output",
        [&] { mgpu::anti_join(policy, numbers, numbers + 129, numbers, numbers + 10, out.begin()); });
      EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(130, -5));
      mgpu::semi_join(policy, numbers, numbers + 128, numbers, numbers + 1000, out.begin());
      EXPECT_EQ(test::to_host(out)[127], 127);
      EXPECT_EQ(test::to_host(out)[128], -5);
      const auto expect_invalid_argument = [&](const std::string& text, auto f)
      {
        try
        {
          f();
          ADD_FAILURE() << "no exception";
        }
        catch (const std::invalid_argument& error)
        {
          EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
        }
      };
      expect_invalid_argument(
        "mgpu::semi_join: the last of the left input is before its first",
        [&] { mgpu::semi_join(policy, numbers + 1, numbers, numbers, numbers + 10, out.begin()); });
      expect_invalid_argument(
        "mgpu::anti_join_size: the last of the right input is before its first",
        [&] { (void) mgpu::anti_join_size(policy, numbers, numbers, numbers + 1, numbers); });
    });
}

// New cases each time; MGPU_THRUST_FUZZ_SEED reproduces them.
TEST(SemiJoin, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::fuzz_distributions([](auto... input) { check_semi_joins(input...); });
}

/// Rows 0, 1, ..., of which the second half has matches.
struct two_tables : test::policy_call
{
  explicit two_tables(std::int64_t size)
  {
    inputs.resize(2);
    for (std::int32_t i = 0; i < size; ++i)
    {
      inputs[0].push_back(i);
      inputs[1].push_back(i + static_cast<std::int32_t>(size / 2));
    }
  }
};

struct semi_join_call : two_tables
{
  explicit semi_join_call(std::int64_t size)
      : two_tables(size)
  {
    expected.assign(inputs[0].begin() + size / 2, inputs[0].end());
    result = static_cast<std::int64_t>(expected.size());
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::semi_join(policy, in.first[0], in.last[0], in.first[1], in.last[1], out) - out;
  }
};

struct anti_join_call : two_tables
{
  explicit anti_join_call(std::int64_t size)
      : two_tables(size)
  {
    expected.assign(inputs[0].begin(), inputs[0].begin() + size / 2);
    result = static_cast<std::int64_t>(expected.size());
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::anti_join(policy, in.first[0], in.last[0], in.first[1], in.last[1], out) - out;
  }
};

/// The sizes of both joins, one of a row that is searched individually.
struct semi_join_sizes_call : two_tables
{
  static constexpr auto allocates_on_cpu = test::cpu_storage::never;

  explicit semi_join_sizes_call(std::int64_t size)
      : two_tables(size)
  {
    result = (size - size / 2) * 1000000 + 1;
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t*)
  {
    return mgpu::semi_join_size(policy, in.first[0], in.last[0], in.first[1], in.last[1]) * 1000000
           + mgpu::anti_join_size(policy, in.first[0], in.first[0] + 1, in.first[1], in.last[1]);
  }
};

using semi_join_calls = testing::Types<semi_join_call, anti_join_call, semi_join_sizes_call>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(SemiJoins, Policies, semi_join_calls);
}
