// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The semi and anti joins against nested loops on all small inputs, and against std:: on every distribution, key type,
// size and comparator, under every policy.

#include "support/distributions.h"
#include "support/functions.h"
#include "support/fuzz.h"
#include "support/keys.h"
#include "support/systems.h"
#if defined(__CUDACC__)
#  include "support/cuda_policies.h"
#endif

#include <mgpu_thrust/semi_join.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using ints = std::vector<std::int32_t>;

/// Items of a tile or rows of a CPU worker's piece.
template <class Key>
constexpr std::int64_t tile_items()
{
#if defined(__CUDACC__)
  return decltype(mgpu::detail::choose_semi_join_shape<sizeof(Key)>())::items;
#else
  return mgpu::detail::cpu_piece_rows;
#endif
}

/// The rows that a join must keep.
template <class Index>
struct expected_rows
{
  std::vector<Index> semi;
  std::vector<Index> anti;
};

/// Checks both joins and their sizes under one policy.
template <class Index, class Policy, class Key, class Compare>
void check_joins(
  const Policy& policy, const std::vector<Key>& left, const std::vector<Key>& right,
  const expected_rows<Index>& expected, Compare comp)
{
  const auto l = test::to_memory<Policy>(left);
  const auto r = test::to_memory<Policy>(right);
  test::memory<Policy, Index> out(left.size() + 1, 99);
  const auto expect = [&](auto end, const std::vector<Index>& rows)
  {
    ASSERT_EQ(end - out.begin(), static_cast<std::int64_t>(rows.size()));
    auto got = test::to_host(out);
    ASSERT_TRUE(std::all_of(got.begin() + rows.size(), got.end(), [](Index i) { return i == Index{99}; }))
      << "wrote past the end";
    got.resize(rows.size());
    ASSERT_EQ(got, rows);
    out.assign(left.size() + 1, 99);
  };
  expect(mgpu::semi_join(policy, l.begin(), l.end(), r.begin(), r.end(), out.begin(), comp), expected.semi);
  expect(mgpu::anti_join(policy, l.begin(), l.end(), r.begin(), r.end(), out.begin(), comp), expected.anti);
  ASSERT_EQ(
    mgpu::semi_join_size(policy, l.begin(), l.end(), r.begin(), r.end(), comp),
    static_cast<std::int64_t>(expected.semi.size()));
  ASSERT_EQ(
    mgpu::anti_join_size(policy, l.begin(), l.end(), r.begin(), r.end(), comp),
    static_cast<std::int64_t>(expected.anti.size()));
}

template <class Index, class Key, class Compare = ::cuda::std::less<>>
void check(test::distribution d, std::int64_t left, std::int64_t right, std::uint64_t seed, Compare comp = {})
{
  SCOPED_TRACE(
    std::string(test::name_of(d)) + " " + std::to_string(left) + " and " + std::to_string(right) + " seed "
    + std::to_string(seed));
  const auto ranks = test::make_ranks(d, left, right, test::largest_rank<Key>(), seed);
  auto l = test::to_keys<Key>(ranks.first);
  auto r = test::to_keys<Key>(ranks.second);
  std::stable_sort(l.begin(), l.end(), comp);
  std::stable_sort(r.begin(), r.end(), comp);
  expected_rows<Index> expected;
  for (std::int64_t row = 0; row < left; ++row)
  {
    const bool has_match = std::binary_search(r.begin(), r.end(), l[row], comp);
    (has_match ? expected.semi : expected.anti).push_back(static_cast<Index>(row));
  }
  test::for_each_policy([&](const auto& policy) { check_joins(policy, l, r, expected, comp); });
}

/// All sorted lists of up to `size` numbers below `keys`.
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
      expected_rows<std::int32_t> expected;
      for (std::size_t i = 0; i < left.size(); ++i)
      {
        bool has_match = false;
        for (const std::int32_t key : right)
        {
          has_match |= key == left[i];
        }
        (has_match ? expected.semi : expected.anti).push_back(static_cast<std::int32_t>(i));
      }
      test::for_each_policy([&](const auto& policy)
                            { check_joins(policy, left, right, expected, ::cuda::std::less<>{}); });
      ASSERT_FALSE(HasFatalFailure()) << testing::PrintToString(left) << " " << testing::PrintToString(right);
    }
  }
}

TEST(SemiJoin, Distributions)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d : test::all_distributions)
  {
    check<std::int32_t, std::int32_t>(d, 50000, 40000, 1);
    check<std::int32_t, std::int32_t>(
      d, 3000, 90000, 2); // few on the left, but not so few that they are searched alone
    check<std::int32_t, std::int32_t>(d, 90000, 3000, 3);
  }
}

TEST(SemiJoin, Sizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t tile = tile_items<std::int32_t>();
  for (const std::int64_t right : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, tile - 1, tile, 3 * tile + 1})
  {
    for (const std::int64_t left :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{31}, std::int64_t{32}, std::int64_t{33}, std::int64_t{64},
          std::int64_t{65}, std::int64_t{97}, tile - 1, tile, tile + 1, 2 * tile})
    {
      check<std::int32_t, std::int32_t>(test::distribution::uniform, left, right, 4);
      check<std::int32_t, std::int32_t>(test::distribution::all_equal, left, right, 5);
    }
  }
  check<std::int32_t, std::int32_t>(test::distribution::uniform, (1 << 20) + 3, (1 << 20) + 3, 6);
}

// One side so short that the other is not read, and its complement.
TEST(SemiJoin, SkewedSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d :
       {test::distribution::uniform, test::distribution::one_run, test::distribution::runs,
        test::distribution::disjoint, test::distribution::disjoint_after})
  {
    check<std::int32_t, std::int32_t>(d, 1, 1000000, 7);
    check<std::int32_t, std::int32_t>(d, 1000, 1000000, 8);
    check<std::int32_t, std::int32_t>(d, 129, 129 * 64, 9);
    check<std::int32_t, std::int32_t>(d, 129, 129 * 64 - 1, 10);
    check<std::int32_t, std::int32_t>(d, 1000000, 1, 11);
    check<std::int32_t, std::int32_t>(d, 1000000, 1000, 12);
  }
}

// Runs of one key on either side which end just before, at and just behind the ends of tiles; what equals the last rows
// of a tile may lie in the next.
TEST(SemiJoin, RunsOverTiles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t tile = tile_items<std::int32_t>();
  for (const std::int64_t left_run : {tile - 1, tile, tile + 1, 3 * tile})
  {
    for (const std::int64_t right_run : {std::int64_t{0}, std::int64_t{1}, tile, 2 * tile + 1})
    {
      for (const std::int64_t before : {std::int64_t{0}, std::int64_t{1}, tile / 2})
      {
        SCOPED_TRACE(std::to_string(before) + ", " + std::to_string(left_run) + " and " + std::to_string(right_run));
        ints left(before, 1);
        left.insert(left.end(), left_run, 5);
        left.insert(left.end(), 100, 7);
        ints right(before / 2, 1);
        right.insert(right.end(), right_run, 5);
        right.insert(right.end(), 100, 6);
        expected_rows<std::int32_t> expected;
        for (std::size_t row = 0; row < left.size(); ++row)
        {
          const bool has_match = (left[row] == 5 && right_run > 0) || (left[row] == 1 && before > 1);
          (has_match ? expected.semi : expected.anti).push_back(static_cast<std::int32_t>(row));
        }
        test::for_each_policy([&](const auto& policy)
                              { check_joins(policy, left, right, expected, ::cuda::std::less<>{}); });
        ASSERT_FALSE(HasFatalFailure());
      }
    }
  }
}

template <class Key>
class SemiJoinOf : public testing::Test
{
};
using key_types = testing::Types<
  std::int8_t, std::uint8_t, std::int16_t, std::uint32_t, std::int64_t, std::uint64_t, float, double,
  test::words_key<3>, test::words_key<4>, test::words_key<40>, test::words_key<100>, test::words_key<400>,
  test::only_less>;
TYPED_TEST_SUITE(SemiJoinOf, key_types);

TYPED_TEST(SemiJoinOf, KeyType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t most = (std::int64_t{1} << 20) / static_cast<std::int64_t>(sizeof(TypeParam));
  const std::int64_t n = std::min<std::int64_t>(tile_items<TypeParam>() + 5, most);
  for (const test::distribution d :
       {test::distribution::uniform, test::distribution::few_keys, test::distribution::extremes})
  {
    check<std::int64_t, TypeParam>(d, n, n, 13);
    check<std::int64_t, TypeParam>(d, 3 * n, 1, 14);
    check<std::int64_t, TypeParam>(d, 10, 3 * n, 15);
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

TEST(SemiJoin, DescendingOrderAndOtherIndices)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check<std::uint32_t, std::int32_t>(test::distribution::runs, 70000, 50000, 16, greater{});
  check<std::uint16_t, std::int32_t>(test::distribution::runs, 65536, 50000, 17);
  check<std::int8_t, std::int32_t>(test::distribution::uniform, 128, 100, 18);
  check<std::uint64_t, std::int32_t>(test::distribution::uniform, 30000, 50000, 19);
}

/// A row of a table, by its key and a payload that has no part in the order.
struct row
{
  std::int32_t key;
  float payload;
};

/// Compares keys of different types, in all four combinations.
struct by_key
{
  static MGPU_THRUST_HOST_DEVICE std::int64_t key(const row& r)
  {
    return r.key;
  }
  static MGPU_THRUST_HOST_DEVICE std::int64_t key(std::int64_t k)
  {
    return k;
  }
  template <class X, class Y>
  MGPU_THRUST_HOST_DEVICE bool operator()(const X& x, const Y& y) const
  {
    return key(x) < key(y);
  }
};

TEST(SemiJoin, KeysOfTwoTypes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::vector<row> rows;
  std::vector<std::int64_t> keys;
  ints expected;
  for (std::int32_t i = 0; i < 30000; ++i)
  {
    rows.push_back({i / 2, static_cast<float>(-i)});
    keys.push_back(3 * i);
    if (i / 2 % 3 == 0)
    {
      expected.push_back(i);
    }
  }
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto l = test::to_memory<policy_t>(rows);
      const auto r = test::to_memory<policy_t>(keys);
      test::memory<policy_t, std::int32_t> out(rows.size());
      const auto end = mgpu::semi_join(policy, l.begin(), l.end(), r.begin(), r.end(), out.begin(), by_key{});
      auto got = test::to_host(out);
      got.resize(end - out.begin());
      ASSERT_EQ(got, expected);
    });
}

/// A column of the left table, to be looked up where a row's number is written.
struct look_up
{
  const std::int64_t* column;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t row) const
  {
    return column[row];
  }
};

// Computed keys, keys of two columns, keys in an order of their own; an output that writes a column and no number.
TEST(SemiJoin, FancyIterators)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      constexpr std::int64_t size = 30000;
      const thrust::counting_iterator<std::int32_t> numbers(0);
      const auto threes =
        thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), test::times_three{});
      std::vector<std::int64_t> squares;
      for (std::int64_t i = 0; i < size; ++i)
      {
        squares.push_back(i * i);
      }
      const auto column = test::to_memory<policy_t>(squares);
      test::memory<policy_t, double> out(size); // which could be no row number
      const auto to_column = thrust::make_transform_output_iterator(
        thrust::raw_pointer_cast(out.data()), look_up{thrust::raw_pointer_cast(column.data())});
      const auto end = mgpu::anti_join(policy, numbers, numbers + size, threes, threes + size, to_column);
      ASSERT_EQ(end - to_column, size / 3 * 2);
      const auto got = test::to_host(out);
      for (std::int64_t i = 0; i < size / 3 * 2; ++i)
      {
        const std::int64_t row = i / 2 * 3 + 1 + i % 2;
        ASSERT_EQ(got[i], static_cast<double>(row * row));
      }

      const auto rows = thrust::make_zip_iterator(numbers, threes);
      const auto other_rows = thrust::make_zip_iterator(numbers + 5, threes + 5);
      ASSERT_EQ(mgpu::semi_join_size(policy, rows, rows + 50, other_rows, other_rows + 100), 45);
      const auto every_third = thrust::make_permutation_iterator(column.begin(), threes);
      ASSERT_EQ(mgpu::semi_join_size(policy, every_third, every_third + 1000, column.begin(), column.end()), 1000);
      ASSERT_EQ(
        mgpu::anti_join_size(policy, column.begin(), column.end(), every_third, every_third + 1000), size - 1000);
    });
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
      falling_left.begin(), falling_left.end(), falling_right.begin(), falling_right.end(), rows.begin(), greater{}),
    rows.end());
  EXPECT_EQ(rows, (ints{1}));
  EXPECT_EQ(
    mgpu::anti_join_size(
      falling_left.begin(), falling_left.end(), falling_right.begin(), falling_right.end(), greater{}),
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

#if defined(__CUDACC__)

TEST(SemiJoin, CudaPolicies)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_cuda_policy(
    [](const auto& policy, cudaStream_t)
    {
      const thrust::counting_iterator<std::int32_t> numbers(0);
      thrust::device_vector<std::int32_t> out(50000, -1);
      cudaDeviceSynchronize(); // the streams do not wait for each other
      const auto end = mgpu::semi_join(policy, numbers, numbers + 50000, numbers + 20000, numbers + 90000, out.begin());
      ASSERT_EQ(end - out.begin(), 30000);
      ASSERT_EQ(out[0], 20000);
      ASSERT_EQ(out[29999], 49999);
      ASSERT_EQ(out[30000], -1);
      ASSERT_EQ(mgpu::anti_join_size(policy, numbers, numbers + 50000, numbers + 20000, numbers + 90000), 20000);
      ASSERT_EQ(mgpu::anti_join_size(policy, numbers, numbers + 500, numbers + 200, numbers + 90000), 200);
    });
}

__global__ void join_in_a_thread(const std::int32_t* left, const std::int32_t* right, std::int32_t* out, int* sizes)
{
  sizes[0] = static_cast<int>(mgpu::semi_join(thrust::seq, left, left + 4, right, right + 4, out) - out);
  sizes[1] = static_cast<int>(mgpu::anti_join(thrust::seq, left, left + 4, right, right + 4, out + 4) - (out + 4));
  sizes[2] = static_cast<int>(mgpu::semi_join_size(thrust::seq, left, left + 4, right, right + 4));
  sizes[3] = static_cast<int>(mgpu::anti_join_size(thrust::seq, left, left + 4, right, right + 4));
}

TEST(SemiJoin, InDeviceCode)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const thrust::device_vector<std::int32_t> left(ints{1, 3, 3, 5});
  const thrust::device_vector<std::int32_t> right(ints{2, 3, 5, 5});
  thrust::device_vector<std::int32_t> out(8, -1);
  thrust::device_vector<int> sizes(4);
  join_in_a_thread<<<1, 1>>>(
    thrust::raw_pointer_cast(left.data()), thrust::raw_pointer_cast(right.data()), thrust::raw_pointer_cast(out.data()),
    thrust::raw_pointer_cast(sizes.data()));
  EXPECT_EQ(test::to_host(out), (ints{1, 2, 3, -1, 0, -1, -1, -1}));
  EXPECT_EQ(test::to_host(sizes), (std::vector<int>{3, 1, 3, 1}));
}

#else

TEST(SemiJoin, PlainOutputIterators)
{
  const std::vector<int> left{1, 3, 3, 5};
  const std::vector<int> right{2, 3, 5, 5};
  std::vector<std::int64_t> semi;
  mgpu::semi_join(thrust::seq, left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(semi));
  EXPECT_EQ(semi, (std::vector<std::int64_t>{1, 2, 3}));
  std::vector<short> anti;
  mgpu::anti_join(thrust::host, left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(anti));
  EXPECT_EQ(anti, (std::vector<short>{0}));
}

// An exception of the comparator reaches the caller, whoever called it.
TEST(SemiJoin, ComparatorsMayThrow)
{
  const thrust::counting_iterator<std::int32_t> numbers(0);
  const auto comp = [](std::int32_t x, std::int32_t y)
  {
    if (x == 77777)
    {
      throw std::runtime_error("no order");
    }
    return x < y;
  };
  test::for_each_policy(
    [&](const auto& policy)
    {
      ints out(200000);
      EXPECT_THROW(
        mgpu::semi_join(policy, numbers, numbers + 200000, numbers, numbers + 200000, out.begin(), comp),
        std::runtime_error);
      EXPECT_THROW(
        (void) mgpu::anti_join_size(policy, numbers, numbers + 200000, numbers, numbers + 200000, comp),
        std::runtime_error);
    });
}

#endif

// Other cases each time; MGPU_THRUST_FUZZ_SEED repeats them.
TEST(SemiJoin, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    100,
    [](std::mt19937_64& random)
    {
      const auto any_size = [&] { return static_cast<std::int64_t>(random() % (std::uint64_t{2} << random() % 17)); };
      const std::int64_t left = any_size();
      const std::int64_t right = any_size();
      const auto d = test::all_distributions[random() % std::size(test::all_distributions)];
      check<std::int32_t, std::int32_t>(d, left, right, random());
    });
}

} // namespace
