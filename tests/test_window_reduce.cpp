// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Reductions of windows of every shape, with operators that do not commute, by given bounds and by range; sums beside
// exact ones, the same bits each time, and the policies of every kind.

#include "support/fuzz.h"
#include "support/policy_battery.h"
#include "support/systems.h"
#include "support/window_battery.h"

#include <mgpu_thrust/window_reduce.h>

#include <thrust/iterator/counting_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using test::window_shape;

TEST(WindowReduce, EveryShape)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const window_shape shape : test::all_window_shapes)
  {
    for (const std::int64_t length : {5, 3000, 20000})
    {
      SCOPED_TRACE("shape " + std::to_string(static_cast<int>(shape)) + ", length " + std::to_string(length));
      test::check_spans(test::make_windows(shape, 100001, 100001, length, 1));
      test::check_spans(test::make_windows(shape, 200000, 300, length, 2));  // few rows
      test::check_spans(test::make_windows(shape, 3000, 150000, length, 3)); // many rows
    }
  }
}

TEST(WindowReduce, Sizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const window_shape shape :
       {window_shape::trailing, window_shape::any, window_shape::growing, window_shape::empty})
  {
    for (const std::int64_t items : {0, 1, 2, 31, 33, 511, 512, 2048, 8191, 8192, 8193, 10241})
    {
      for (const std::int64_t rows : {0, 1, 2, 65, 3000})
      {
        SCOPED_TRACE(std::to_string(items) + " items, " + std::to_string(rows) + " rows");
        test::check_spans(test::make_windows(shape, items, rows, 70, 4));
      }
    }
  }
}

TEST(WindowReduce, ByRange)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t copies : {1, 50, 20000, -1})
  {
    for (const std::int64_t size : {0, 1, 2, 700, 90000})
    {
      SCOPED_TRACE(std::to_string(size) + " keys, copies " + std::to_string(copies));
      const auto keys = test::make_window_keys(size, copies, 5);
      test::check_spans_by_range(keys, {0, 1}, {0, 1});
      test::check_spans_by_range(keys, {-60, 1}, {0, 1});
      test::check_spans_by_range(keys, {-30000, 1}, {500, 1});
      test::check_spans_by_range(keys, {7, 1}, {2, 1}); // empty windows
      test::check_spans_by_range(keys, {0, 2}, {0, 1});
    }
  }
}

// Operators that do not commute, on values that every operand changes.
TEST(WindowReduce, AffineMaps)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using maps = test::affine_maps<1>;
  for (const window_shape shape : test::all_window_shapes)
  {
    const auto in = test::make_windows(shape, 12000, 1500, 90, 6);
    const auto items = test::items_of<maps>(in.num_items);
    const auto expected = test::expected_windows(in, items, maps(77), test::compose{});
    test::check_windows<std::int32_t>(in, items, maps(77), test::compose{}, expected);
  }
}

// Sums of doubles are within the error of a few roundings of the exact sums, which 64 bits hold; and the same each
// time.
TEST(WindowReduce, SumsOfDoubles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto in = test::make_windows(window_shape::power_law, 100000, 100000, 0, 7);
  std::vector<double> items(in.num_items);
  std::vector<std::int64_t> sums(in.num_items + 1);
  for (std::int64_t i = 0; i < in.num_items; ++i)
  {
    const auto number = static_cast<std::int64_t>(static_cast<std::uint64_t>(i) * 2654435761u % 1000003u) - 500000;
    items[i] = static_cast<double>(number) / 1024.0 + 1e9;
    sums[i + 1] = sums[i] + number;
  }
  std::vector<double> first_results;
  const auto check = [&](const auto& policy)
  {
    using policy_t = std::decay_t<decltype(policy)>;
    const auto begins = test::to_memory<policy_t>(in.begins);
    const auto ends = test::to_memory<policy_t>(in.ends);
    const auto input = test::to_memory<policy_t>(items);
    test::memory<policy_t, double> out(in.num_windows());
    mgpu::window_reduce(
      policy, input.begin(), input.end(), begins.begin(), begins.end(), ends.begin(), out.begin(), 0.0);
    const std::vector<double> results = test::to_host(out);
    first_results = first_results.empty() ? results : first_results;
    ASSERT_TRUE(test::has_same_bits(results, first_results));
    for (std::int64_t i = 0; i < in.num_windows(); ++i)
    {
      const std::int64_t length = std::max(in.ends[i] - in.begins[i], std::int64_t{0});
      const double exact =
        static_cast<double>(length > 0 ? sums[in.ends[i]] - sums[in.begins[i]] : 0) / 1024.0 + 1e9 * length;
      ASSERT_LE(std::abs(results[i] - exact), 1e-16 * (length + 100) * std::abs(exact)) << i;
    }
  };
  test::for_each_policy(check);
  test::for_each_policy(check);
}

// New cases each time; MGPU_THRUST_FUZZ_SEED reproduces them.
TEST(WindowReduce, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    40,
    [](auto& random)
    {
      const auto any = [&](int bits) { return static_cast<std::int64_t>(random() >> (64 - 1 - random() % bits)); };
      const auto shape = test::all_window_shapes[random() % std::size(test::all_window_shapes)];
      test::check_spans(test::make_windows(shape, any(17), any(17), any(15) + 1, random()));
      const auto keys = test::make_window_keys(any(17), 1 + any(10), random());
      test::check_spans_by_range(keys, {-any(16), 1}, {any(16), 1});
    });
}

#if !defined(__CUDACC__)

TEST(WindowReduce, StringsAndPlainOutputIterators)
{
  const std::vector<std::string> items{"a", "b", "c", "d", "e"};
  const std::vector<unsigned> begins{0, 0, 1, 3, 5}, ends{0, 3, 3, 5, 5};
  std::vector<std::string> words;
  mgpu::window_reduce(
    thrust::seq, items.begin(), items.end(), begins.begin(), begins.end(), ends.begin(), std::back_inserter(words),
    std::string("-"));
  EXPECT_EQ(words, (std::vector<std::string>{"-", "-abc", "-bc", "-de", "-"}));
  std::vector<std::string> longer(5);
  mgpu::window_reduce_by_range(
    items.begin(), items.end(), items.begin(), longer.begin(), [](const std::string& s) { return s; },
    [](const std::string& s) { return std::string(1, static_cast<char>(s[0] + 2)); }, std::string(), std::plus<>{});
  EXPECT_EQ(longer, (std::vector<std::string>{"abc", "bcd", "cde", "de", "e"}));
}

// Strings in long windows, whose totals and stacks are objects with memory of their own.
TEST(WindowReduce, LargestStrings)
{
  const auto in = test::make_windows(window_shape::trailing, 30000, 30000, 9000, 8);
  std::vector<std::string> items;
  for (std::int64_t i = 0; i < in.num_items; ++i)
  {
    items.push_back("a string that needs memory: " + std::to_string(i * 7919 % 30011));
  }
  const auto larger = [](const std::string& x, const std::string& y) { return x < y ? y : x; };
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<std::string> out(in.num_windows());
      mgpu::window_reduce(
        policy, items.begin(), items.end(), in.begins.begin(), in.begins.end(), in.ends.begin(), out.begin(),
        std::string(), larger);
      for (std::int64_t i = 0; i < in.num_windows(); i += 997)
      {
        ASSERT_EQ(out[i], *std::max_element(items.begin() + in.begins[i], items.begin() + in.ends[i]));
      }
    });
}

// What an operator throws reaches the caller, whichever worker calls it.
TEST(WindowReduce, OperatorsThatThrow)
{
  const auto in = test::make_windows(window_shape::trailing, 100000, 100000, 20000, 9);
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<int> out(100000);
      const thrust::counting_iterator<int> numbers(0);
      const auto op = [](int x, int y) { return y == 77777 ? throw std::domain_error("refused") : std::max(x, y); };
      EXPECT_THROW(
        mgpu::window_reduce(
          policy, numbers, numbers + 100000, in.begins.begin(), in.begins.end(), in.ends.begin(), out.begin(), 0, op),
        std::domain_error);
    });
}

#endif

/// Windows of 1,000 items up to a row's own.
struct window_call : test::policy_call
{
  static constexpr auto allocates_on_cpu = test::cpu_storage::always;
  static constexpr bool synchronises = false;

  explicit window_call(std::int64_t size)
  {
    inputs.resize(3);
    std::int32_t sum = 5;
    for (std::int32_t i = 0; i < size; ++i)
    {
      inputs[0].push_back(i % 1000);
      inputs[1].push_back(std::max(i - 999, 0));
      inputs[2].push_back(i + 1);
      sum += i % 1000;
      expected.push_back(sum);
      sum -= i < 999 ? 0 : inputs[0][i - 999];
    }
    result = size;
  }
};

struct given_call : window_call
{
  using window_call::window_call;

  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::window_reduce(
             policy, in.first[0], in.last[0], in.first[1], in.last[1], in.first[2], out, std::int32_t{5})
           - out;
  }
};

struct by_range_call : window_call
{
  using window_call::window_call;

  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::window_reduce_by_range(
             policy, in.first[2], in.last[2], in.first[0], out, test::key_bound{-999, 1}, test::key_bound{0, 1},
             std::int32_t{5})
           - out;
  }
};

} // namespace

namespace test
{
using window_calls = testing::Types<given_call, by_range_call>;
INSTANTIATE_TYPED_TEST_SUITE_P(WindowReduce, Policies, window_calls);
} // namespace test
