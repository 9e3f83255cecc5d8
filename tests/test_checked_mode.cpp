// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The checked mode: before any output is written, an error names an unsorted input and its first position out of
// order; likewise for wrong indices and offsets, and comparators that are no strict weak orders.

#define MGPU_THRUST_CHECK_PRECONDITIONS

#include "support/set_battery.h"
#include "support/systems.h"

#include <mgpu_thrust/asof_join.h>
#include <mgpu_thrust/bulk.h>
#include <mgpu_thrust/interval.h>
#include <mgpu_thrust/join.h>
#include <mgpu_thrust/load_balance.h>
#include <mgpu_thrust/multiway_merge.h>
#include <mgpu_thrust/range_join.h>
#include <mgpu_thrust/segmented_compact.h>
#include <mgpu_thrust/segmented_reduce.h>
#include <mgpu_thrust/segmented_scan.h>
#include <mgpu_thrust/segmented_set_operations.h>
#include <mgpu_thrust/segmented_sort.h>
#include <mgpu_thrust/semi_join.h>
#include <mgpu_thrust/sort.h>
#include <mgpu_thrust/sort_n.h>
#include <mgpu_thrust/sorted_search.h>
#include <mgpu_thrust/window_reduce.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

template <class Function>
void expect_not_sorted(const std::string& text, Function f)
{
  try
  {
    f();
    ADD_FAILURE() << "no exception; expected: " << text;
  }
  catch (const std::invalid_argument& error)
  {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST(CheckedMode, NamesTheInputAndThePosition)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::vector<std::int32_t> numbers(100000);
  for (std::size_t i = 0; i < numbers.size(); ++i)
  {
    numbers[i] = static_cast<std::int32_t>(i / 3);
  }
  auto broken = numbers;
  broken[77777] = 5;
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto a = test::to_memory<policy_t>(numbers);
      const auto b = test::to_memory<policy_t>(broken);
      test::memory<policy_t, std::int32_t> out(2 * numbers.size(), -1);
      test::for_each_op(
        test::all_set_ops{},
        [&](auto each)
        {
          constexpr test::set_op op = decltype(each)::value;
          const std::string name = std::string("mgpu::") + test::name_of(op);
          const auto less = ::cuda::std::less<>{};
          expect_not_sorted(
            name + ": the first input is not sorted: the element at position 77777",
            [&] { test::set_keys<op>(policy, b.begin(), b.end(), a.begin(), a.end(), out.begin(), less); });
          expect_not_sorted(
            name + "_by_key: the second input is not sorted: the element at position 77777",
            [&]
            {
              test::set_by_key<op>(
                policy, a.begin(), a.end(), b.begin(), b.end(), a.begin(), b.begin(), out.begin(), out.begin(), less);
            });
          expect_not_sorted(
            name + "_size: the second input",
            [&] { (void) test::set_size<op>(policy, a.begin(), a.end(), b.begin(), b.end(), less); });
        });
      expect_not_sorted(
        "mgpu::set_union_by_key: the second input is not sorted: the element at position 77777",
        [&]
        {
          mgpu::set_union_by_key(
            policy, a.begin(), a.end(), b.begin(), b.end(), a.begin(), b.begin(), out.begin(), out.begin(),
            ::cuda::std::less<>{}, ::cuda::std::plus<>{});
        });
      expect_not_sorted(
        "mgpu::includes: the first input",
        [&] { (void) mgpu::includes(policy, b.begin(), b.end(), a.begin(), a.end()); });
      expect_not_sorted(
        "mgpu::merge: the second input is not sorted: the element at position 77777",
        [&] { mgpu::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin()); });
      expect_not_sorted(
        "mgpu::sorted_lower_bound: the haystack is not sorted: the element at position 77777",
        [&] { mgpu::sorted_lower_bound(policy, b.begin(), b.end(), a.begin(), a.end(), out.begin()); });
      expect_not_sorted(
        "mgpu::sorted_upper_bound: the range of needles is not sorted: the element at position 77777",
        [&] { mgpu::sorted_upper_bound(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin()); });
      expect_not_sorted(
        "mgpu::sorted_search: the second input", [&]
        { mgpu::sorted_search(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(), out.begin() + a.size()); });
      expect_not_sorted(
        "mgpu::asof_join: the right input is not sorted: the element at position 77777",
        [&] { mgpu::asof_join(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(), mgpu::backward); });
      expect_not_sorted(
        "mgpu::asof_join: the left input is not sorted: the element at position 77777",
        [&] { mgpu::asof_join(policy, b.begin(), b.end(), a.begin(), a.end(), out.begin(), mgpu::forward); });
      expect_not_sorted(
        "mgpu::semi_join: the left input is not sorted: the element at position 77777",
        [&] { mgpu::semi_join(policy, b.begin(), b.end(), a.begin(), a.end(), out.begin()); });
      expect_not_sorted(
        "mgpu::anti_join_size: the right input is not sorted: the element at position 77777",
        [&] { (void) mgpu::anti_join_size(policy, a.begin(), a.end(), b.begin(), b.end()); });
      expect_not_sorted(
        "mgpu::left_join: the left input is not sorted: the element at position 77777",
        [&] { mgpu::left_join(policy, b.begin(), b.end(), a.begin(), a.end(), out.begin(), out.begin() + a.size()); });
      expect_not_sorted(
        "mgpu::full_join_size: the right input is not sorted: the element at position 77777",
        [&] { (void) mgpu::full_join_size(policy, a.begin(), a.end(), b.begin(), b.end()); });
      expect_not_sorted(
        "mgpu::join_plan: the right input is not sorted: the element at position 77777",
        [&] { (void) mgpu::join_plan(policy, mgpu::inner_join_t{}, a.begin(), a.end(), b.begin(), b.end()); });
      // Intervals need not be sorted.
      expect_not_sorted(
        "mgpu::range_join: the range of points is not sorted: the element at position 77777",
        [&] {
          mgpu::range_join(
            policy, b.begin(), b.end(), a.begin(), a.end(), a.begin(), out.begin(), out.begin() + a.size());
        });
      expect_not_sorted(
        "mgpu::range_count: the range of points",
        [&] { mgpu::range_count(policy, b.begin(), b.end(), a.begin(), a.end(), a.begin(), out.begin()); });
      EXPECT_EQ(mgpu::range_join_size(policy, a.begin(), a.end(), b.begin(), b.end(), b.begin()), 0);
      // Ascending keys are not sorted in descending order.
      expect_not_sorted(
        "the element at position 3", [&]
        { mgpu::set_union(policy, a.begin(), a.end(), a.begin(), a.end(), out.begin(), ::cuda::std::greater<>{}); });
      EXPECT_EQ(test::to_host(out), std::vector<std::int32_t>(2 * numbers.size(), -1)) << "output touched";
      EXPECT_EQ(
        mgpu::set_intersection_size(policy, a.begin(), a.end(), a.begin(), a.end()),
        static_cast<std::int64_t>(numbers.size()));
    });
}

TEST(CheckedMode, NamesTheComparator)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::vector<std::int32_t> numbers{1, 2, 3, 4};
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto in = test::to_memory<policy_t>(numbers);
      const auto a = in.begin();
      const auto last = in.end();
      test::memory<policy_t, std::int32_t> out(2 * numbers.size(), -1);
      const auto o = out.begin();
      test::memory<policy_t, std::int32_t> more = out;
      const auto offsets = test::to_memory<policy_t>(std::vector<std::int32_t>{0, 3});
      const ::cuda::std::less_equal<> comp;
      const auto expect = [&](const std::string& call, auto f)
      {
        const std::size_t colon = call.find(':');
        expect_not_sorted(
          "mgpu::" + call.substr(0, colon) + ": the comparator is no strict weak order of " + call.substr(colon + 2)
            + ": the element at position 0 goes before itself, as with <=",
          f);
      };
      expect("set_union: the first input", [&] { mgpu::set_union(policy, a, last, a, last, o, comp); });
      expect("set_union: the second input", [&] { mgpu::set_union(policy, a, a, a, last, o, comp); });
      expect("merge: the first input", [&] { mgpu::merge(policy, a, last, a, last, o, comp); });
      expect("sorted_count: the range of needles", [&] { mgpu::sorted_count(policy, a, last, a, last, o, comp); });
      expect("asof_join: the left input", [&] { mgpu::asof_join(policy, a, last, a, last, o, mgpu::forward, comp); });
      expect("semi_join: the left input", [&] { mgpu::semi_join(policy, a, last, a, last, o, comp); });
      expect("inner_join: the left input", [&] { mgpu::inner_join(policy, a, last, a, last, o, more.begin(), comp); });
      expect(
        "range_join: the range of points",
        [&] { mgpu::range_join(policy, a, last, a, last, a, o, more.begin(), comp); });
      expect(
        "range_join_size: the range of begins", [&] { (void) mgpu::range_join_size(policy, a, a, a, last, a, comp); });
      expect("sort: the input", [&] { mgpu::sort(policy, o, out.end(), comp); });
      expect("sort_n: the input", [&] { mgpu::sort_n(policy, o, 2, comp); });
      expect("sort_by_key: the keys", [&] { mgpu::sort_by_key(policy, o, o + 2, more.begin(), comp); });
      expect("stable_sort_indices: the input", [&] { mgpu::stable_sort_indices(policy, a, last, o, comp); });
      expect(
        "segmented_sort: the input",
        [&] { mgpu::segmented_sort(policy, o, out.end(), offsets.begin(), offsets.end(), comp); });
      expect(
        "segmented_sort_by_flags: the input", [&] { mgpu::segmented_sort_by_flags(policy, o, out.end(), a, comp); });
      EXPECT_EQ(test::to_host(out), std::vector<std::int32_t>(2 * numbers.size(), -1)) << "output touched";
    });
}

struct nan_last
{
  MGPU_THRUST_HOST_DEVICE bool operator()(float x, float y) const
  {
    return x < y || (x == x && y != y);
  }
};
struct descending
{
  MGPU_THRUST_HOST_DEVICE bool operator()(float x, float y) const
  {
    return x > y;
  }
};

TEST(CheckedMode, NamesNaN)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto sort = [&](const std::vector<float>& numbers, auto comp)
      {
        auto range = test::to_memory<policy_t>(numbers);
        mgpu::sort(policy, range.begin(), range.end(), comp);
        return test::to_host(range);
      };
      const ::cuda::std::less<> less;
      const std::string of =
        "mgpu::sort: the comparator is no strict weak order of the input: the element at position ";
      expect_not_sorted(of + "2 is NaN", [&] { (void) sort({3, 3, nan, 1, nan}, less); });
      expect_not_sorted(of + "0 is NaN", [&] { (void) sort({nan, 3, 3, 1}, descending{}); });
      const auto keys = test::to_memory<policy_t>(std::vector<float>{1, 2, nan});
      test::memory<policy_t, std::int32_t> out(3, -1);
      expect_not_sorted(
        "mgpu::stable_sort_indices: the comparator is no strict weak order of the input: the element at position 2",
        [&] { mgpu::stable_sort_indices(policy, keys.begin(), keys.end(), out.begin()); });
      expect_not_sorted(
        "mgpu::sorted_lower_bound: the comparator is no strict weak order of the haystack: the element at position 2",
        [&] { mgpu::sorted_lower_bound(policy, keys.begin(), keys.end(), keys.begin(), keys.begin(), out.begin()); });
      EXPECT_EQ(test::to_host(out), std::vector<std::int32_t>(3, -1)) << "output touched";
      // Here NaNs are in order, or equivalent to all.
      EXPECT_EQ(sort({nan, 3, 1, 2}, nan_last{})[2], 3);
      EXPECT_EQ(sort({2, nan, 2}, less).size(), 3u);
      EXPECT_EQ(sort({nan, nan}, less).size(), 2u);
    });
}

TEST(CheckedMode, NamesTheWrongIndex)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int32_t size = 1000;
  const std::vector<std::int32_t> elements(size, 1);
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto input = test::to_memory<policy_t>(elements);
      test::memory<policy_t, std::int32_t> out(2 * size, -1);
      const auto remove = [&](const std::vector<std::int32_t>& indices)
      {
        const auto removed = test::to_memory<policy_t>(indices);
        mgpu::bulk_remove(policy, input.begin(), input.end(), removed.begin(), removed.end(), out.begin());
      };
      const auto insert = [&](const std::vector<std::int32_t>& positions)
      {
        const auto places = test::to_memory<policy_t>(positions);
        mgpu::bulk_insert(policy, input.begin(), input.end(), input.begin(), places.begin(), places.end(), out.begin());
      };
      const std::string in_remove = "mgpu::bulk_remove: the indices are out of order or of range: the one at position ";
      const std::string in_insert =
        "mgpu::bulk_insert: the positions are out of order or of range: the one at position ";
      expect_not_sorted(in_remove + "2 must be from 0 to 999", [&] { remove({1, 2, 2, 3, 3}); });
      expect_not_sorted(in_remove + "1 must", [&] { remove({5, 4}); });
      expect_not_sorted(in_remove + "0 must", [&] { remove({-1, 4}); });
      expect_not_sorted(in_remove + "1 must", [&] { remove({999, 1000}); });
      expect_not_sorted(in_insert + "3 must be from 0 to 1000", [&] { insert({1, 2, 2, 1}); });
      expect_not_sorted(in_insert + "0 must", [&] { insert({-3}); });
      expect_not_sorted(in_insert + "2 must", [&] { insert({999, 1000, 1001}); });
      EXPECT_EQ(test::to_host(out), std::vector<std::int32_t>(2 * size, -1)) << "output touched";
      remove({0, 1, 998, 999});
      insert({0, 0, 5, 1000, 1000});
    });
}

/// Must not be called.
struct fail_if_called
{
  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int64_t, std::int64_t, std::int64_t) const
  {
    *static_cast<volatile int*>(nullptr) = 0;
    return 0;
  }
};

TEST(CheckedMode, NamesTheWrongOffset)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t size = 1000;
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      test::memory<policy_t, std::int32_t> out(size, -1);
      const test::memory<policy_t, std::int32_t> input(size, 5);
      // All functions; each must report `text` for these offsets.
      const auto check = [&](const std::string& text, const std::vector<std::int32_t>& wrong)
      {
        const auto offsets = test::to_memory<policy_t>(wrong);
        const auto first = offsets.begin();
        const auto last = offsets.end();
        const auto in = input.begin();
        const auto expect = [&](const std::string& name, auto f) {
          expect_not_sorted(
            "mgpu::" + name + ": the offsets are out of order or of range: the one at position " + text, f);
        };
        const auto result = out.begin();
        expect("load_balancing_search", [&] { mgpu::load_balancing_search(policy, size, first, last, result); });
        expect(
          "for_each_in_segments", [&] { mgpu::for_each_in_segments(policy, size, first, last, fail_if_called{}); });
        expect(
          "transform_in_segments",
          [&] { mgpu::transform_in_segments(policy, size, first, last, result, fail_if_called{}); });
        expect("interval_expand", [&] { mgpu::interval_expand(policy, size, first, last, in, result); });
        expect("interval_gather", [&] { mgpu::interval_gather(policy, size, first, last, in, in, result); });
        expect("interval_scatter", [&] { mgpu::interval_scatter(policy, size, first, last, in, in, result); });
        expect("interval_move", [&] { mgpu::interval_move(policy, size, first, last, in, in, in, result); });
        expect("segmented_reduce", [&] { mgpu::segmented_reduce(policy, in, in + size, first, last, result); });
        expect("segmented_reduce_plan", [&] { const mgpu::segmented_reduce_plan plan(policy, size, first, last); });
        expect(
          "segmented_inclusive_scan",
          [&] { mgpu::segmented_inclusive_scan(policy, in, in + size, first, last, result); });
        expect(
          "segmented_unique_copy",
          [&] { mgpu::segmented_unique_copy(policy, in, in + size, first, last, result, result); });
        expect("merge_runs", [&] { mgpu::merge_runs(policy, in, in + size, first, last, result); });
        expect("segmented_sort", [&] { mgpu::segmented_sort(policy, result, out.end(), first, last); });
        expect(
          "segmented_stable_sort_indices",
          [&] { mgpu::segmented_stable_sort_indices(policy, in, in + size, first, last, result); });
      };
      check("0 must be 0", {1, 2, 3});
      check("0 must be 0", {-1, 2, 3});
      check("0 must be 0", {1001});
      check("2 must be from 0 to 1000, and not below the one in front of it", {0, 5, 4, 3});
      check("1 must be from 0 to 1000", {0, 1001});
      check("3 must be", {0, 0, 1000, 999, 2000});
      EXPECT_EQ(test::to_host(out), std::vector<std::int32_t>(size, -1)) << "output touched";
      const auto right = test::to_memory<policy_t>(std::vector<std::int32_t>{0, 0, 7, 7, 1000, 1000});
      mgpu::load_balancing_search(policy, size, right.begin(), right.end(), out.begin());
      EXPECT_EQ(test::to_host(out)[7], 3);
      mgpu::interval_expand(policy, 0, right.begin(), right.begin() + 2, input.begin(), out.begin());
      mgpu::segmented_reduce(policy, input.begin(), input.end(), right.begin(), right.end(), out.begin());
      EXPECT_EQ(test::to_host(out)[1], 35);
    });
}

/// A key, moved; that of one key is moved further.
struct moved_key
{
  std::int32_t move;
  std::int32_t wrong_key;

  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int32_t key) const
  {
    return key == wrong_key ? -1000 : key + move;
  }
};

TEST(CheckedMode, NamesTheWrongWindow)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      test::memory<policy_t, std::int32_t> out(4, -1);
      const auto keys = test::to_memory<policy_t>(std::vector<std::int32_t>{1, 5, 9, 12});
      const auto right = test::to_memory<policy_t>(std::vector<std::int32_t>{0, 0, 3, 4});
      const auto descends = test::to_memory<policy_t>(std::vector<std::int32_t>{0, 2, 1, 4});
      const auto too_large = test::to_memory<policy_t>(std::vector<std::int32_t>{0, 1, 2, 5});
      const auto reduce = [&](const auto& begins, const auto& ends) {
        mgpu::window_reduce(
          policy, keys.begin(), keys.end(), begins.begin(), begins.end(), ends.begin(), out.begin(), 0);
      };
      const auto by_range = [&](const auto& of, moved_key low, moved_key high)
      { mgpu::window_reduce_by_range(policy, of.begin(), of.end(), keys.begin(), out.begin(), low, high, 0); };
      const std::string range = " must be from 0 to 4, and not below the one in front of it";
      expect_not_sorted(
        "mgpu::window_reduce: the begins are out of order or of range: the one at position 2" + range,
        [&] { reduce(descends, right); });
      expect_not_sorted(
        "mgpu::window_reduce: the ends are out of order or of range: the one at position 3" + range,
        [&] { reduce(right, too_large); });
      expect_not_sorted(
        "mgpu::window_reduce_by_range: the range of keys is not sorted: the element at position 2",
        [&] {
          by_range(descends, {0, -1}, {0, -1});
        });
      expect_not_sorted(
        "mgpu::window_reduce_by_range: the begins of windows are out of order or of range: the one at position 2",
        [&] {
          by_range(keys, {0, 9}, {0, -1});
        });
      expect_not_sorted(
        "mgpu::window_reduce_by_range: the ends of windows are out of order or of range: the one at position 3",
        [&] {
          by_range(keys, {-5, -1}, {0, 12});
        });
      EXPECT_EQ(test::to_host(out), std::vector<std::int32_t>(4, -1)) << "output touched";
      reduce(right, right);
      EXPECT_EQ(test::to_host(out), std::vector<std::int32_t>(4, 0));
      by_range(keys, {-4, -1}, {0, -1});
      EXPECT_EQ(test::to_host(out), (std::vector<std::int32_t>{1, 6, 14, 21}));
    });
}

TEST(CheckedMode, RunsOfMerges)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto keys = test::to_memory<policy_t>(std::vector<std::int32_t>{1, 5, 9, 2, 4, 3, 8});
      const auto* const first = thrust::raw_pointer_cast(keys.data());
      const auto runs = test::to_memory<policy_t>(std::vector<const std::int32_t*>{first, first + 3, first + 5});
      test::memory<policy_t, std::int32_t> out(7, -1);
      const auto merge = [&](const std::vector<std::int64_t>& run_sizes, std::int64_t n, auto comp)
      {
        const auto sizes = test::to_memory<policy_t>(run_sizes);
        mgpu::multiway_merge(
          policy, runs.begin(), sizes.begin(), static_cast<std::int64_t>(run_sizes.size()), n, out.begin(), comp);
      };
      const ::cuda::std::less<> less;
      expect_not_sorted("mgpu::multiway_merge: the size of run 1 is negative", [&] { merge({3, -1, 2}, 4, less); });
      expect_not_sorted(
        "mgpu::multiway_merge: the sizes of the runs are 7 in total, and the number of items is 6",
        [&] {
          merge({3, 2, 2}, 6, less);
        });
      expect_not_sorted(
        "mgpu::multiway_merge: the sizes of the runs are 9223372036854775807 in total",
        [&] {
          merge({std::int64_t{1} << 62, std::int64_t{1} << 62, 2}, 6, less);
        });
      expect_not_sorted(
        "mgpu::multiway_merge: run 1 is not sorted: the element at position 2 goes before the one in front of it",
        [&] {
          merge({3, 4}, 7, less);
        });
      expect_not_sorted(
        "mgpu::multiway_merge: the comparator is no strict weak order of run 0: the element at position 0 goes before "
        "itself, as with <=",
        [&] {
          merge({1, 1}, 2, ::cuda::std::less_equal<>{});
        });
      const auto offsets = test::to_memory<policy_t>(std::vector<std::int32_t>{0, 3, 4});
      expect_not_sorted(
        "mgpu::merge_runs: run 2 is not sorted: the element at position 1",
        [&] { mgpu::merge_runs(policy, keys.begin(), keys.end(), offsets.begin(), offsets.end(), out.begin()); });
      expect_not_sorted(
        "mgpu::merge_runs_unique: run 2 is not sorted: the element at position 1", [&]
        { mgpu::merge_runs_unique(policy, keys.begin(), keys.end(), offsets.begin(), offsets.end(), out.begin()); });
      EXPECT_EQ(test::to_host(out), std::vector<std::int32_t>(7, -1)) << "output touched";
      merge({3, 2, 2}, 7, less);
      EXPECT_EQ(test::to_host(out), (std::vector<std::int32_t>{1, 2, 3, 4, 5, 8, 9}));
    });
}

TEST(CheckedMode, PairsOfLists)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto keys = test::to_memory<policy_t>(std::vector<std::int32_t>{1, 5, 9, 2, 4, 3, 8});
      const auto begins = test::to_memory<policy_t>(std::vector<std::int32_t>{0, 3});
      test::memory<policy_t, std::int32_t> out(2, -1);
      const auto overlap = [&](const std::vector<std::int32_t>& a_ends, const std::vector<std::int32_t>& b_ends)
      {
        const auto of_a = test::to_memory<policy_t>(a_ends);
        const auto of_b = test::to_memory<policy_t>(b_ends);
        const auto first = keys.begin();
        mgpu::segmented_have_overlap(
          policy, first, begins.begin(), of_a.begin(), first, begins.begin(), of_b.begin(), 2, out.begin());
      };
      expect_not_sorted(
        "mgpu::segmented_have_overlap: the list of A of pair 1 is not sorted: the element at position 2 goes before "
        "the "
        "one in front of it",
        [&] {
          overlap({3, 7}, {3, 5});
        });
      expect_not_sorted(
        "mgpu::segmented_have_overlap: the list of B of pair 0 is not sorted: the element at position 3 goes",
        [&] {
          overlap({3, 5}, {5, 5});
        });
      EXPECT_EQ(test::to_host(out), std::vector<std::int32_t>(2, -1)) << "output touched";
      overlap({3, -1}, {1, 5});
      EXPECT_EQ(test::to_host(out), (std::vector<std::int32_t>{1, 0}));
      expect_not_sorted(
        "mgpu::segmented_merge: the list of A of pair 0 is not sorted: the element at position 3",
        [&]
        {
          const auto four = test::to_memory<policy_t>(std::vector<std::int32_t>{4});
          mgpu::segmented_merge(
            policy, keys.begin(), begins.begin(), four.begin(), keys.begin(), begins.begin(), begins.begin(), 1,
            out.begin(), out.begin());
        });
      expect_not_sorted(
        "mgpu::segmented_upper_bound: the haystack of pair 0 is not sorted: the element at position 3",
        [&]
        {
          const auto four = test::to_memory<policy_t>(std::vector<std::int32_t>{4});
          mgpu::segmented_upper_bound(
            policy, keys.begin(), begins.begin(), four.begin(), keys.begin(), begins.begin(), begins.begin(), 1,
            out.begin(), begins.begin());
        });
    });
}

} // namespace
