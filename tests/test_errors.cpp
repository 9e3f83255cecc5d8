// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Bad input and failures: a clear error, nothing leaked, and the next call succeeds.

#include "support/counting_allocator.h"
#include "support/distributions.h"
#include "support/set_battery.h"
#include "support/systems.h"

#include <mgpu_thrust/asof_join.h>
#include <mgpu_thrust/bulk.h>
#include <mgpu_thrust/interval.h>
#include <mgpu_thrust/join.h>
#include <mgpu_thrust/load_balance.h>
#include <mgpu_thrust/multiway_merge.h>
#include <mgpu_thrust/multiway_merge_n.h>
#include <mgpu_thrust/range_join.h>
#include <mgpu_thrust/segmented_compact.h>
#include <mgpu_thrust/segmented_reduce.h>
#include <mgpu_thrust/segmented_scan.h>
#include <mgpu_thrust/segmented_set_operations.h>
#include <mgpu_thrust/segmented_set_operations_n.h>
#include <mgpu_thrust/semi_join.h>
#include <mgpu_thrust/set_operations.h>
#include <mgpu_thrust/sorted_search.h>
#include <mgpu_thrust/window_reduce.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/device/device_join.cuh>
#endif

#include <thrust/execution_policy.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

/// Calls f, which must throw an Exception whose message contains `text`.
template <class Exception, class Function>
void expect_error(const std::string& text, Function f)
{
  try
  {
    f();
    ADD_FAILURE() << "no exception; expected: " << text;
  }
  catch (const Exception& error)
  {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

std::vector<std::int32_t> sorted_keys(std::int64_t size, std::uint64_t seed)
{
  const auto ranks = test::make_ranks(test::distribution::runs, size, size, 1 << 30, seed).first;
  return std::vector<std::int32_t>(ranks.begin(), ranks.end());
}

/// Number of elements that fills several tiles, or pieces for several workers.
constexpr std::int64_t several_pieces = 200000;

/// Two inputs of several pieces, and their union.
struct union_inputs
{
  std::vector<std::int32_t> a = sorted_keys(several_pieces, 1);
  std::vector<std::int32_t> b = sorted_keys(several_pieces, 2);
  test::set_result<std::int32_t> expected =
    test::std_set_operation(test::set_op::union_of, a, b, ::cuda::std::less<>{});
};
const union_inputs& inputs_of_union()
{
  static const union_inputs inputs;
  return inputs;
}

/// Checks that a policy computes the right union.
template <class Policy>
void expect_right_union(const Policy& policy)
{
  const ::cuda::std::less<> less;
  test::check_set_operation<test::forms::all, test::set_op::union_of>(
    policy, inputs_of_union().a, inputs_of_union().b, inputs_of_union().expected, less);
}

TEST(Errors, NegativeSize)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto a = test::to_memory<policy_t>(std::vector<std::int32_t>{1, 2, 3});
      test::memory<policy_t, std::int32_t> out(6, -1);
      expect_error<std::invalid_argument>(
        "mgpu::set_union: the last of the first input is before its first (-3",
        [&] { mgpu::set_union(policy, a.end(), a.begin(), a.begin(), a.end(), out.begin()); });
      expect_error<std::invalid_argument>(
        "mgpu::set_difference_by_key: the last of the second input",
        [&]
        {
          mgpu::set_difference_by_key(
            policy, a.begin(), a.end(), a.end(), a.begin(), a.begin(), a.begin(), out.begin(), out.begin());
        });
      expect_error<std::invalid_argument>(
        "mgpu::set_intersection_size",
        [&] { (void) mgpu::set_intersection_size(policy, a.end(), a.begin(), a.begin(), a.end()); });
      expect_error<std::invalid_argument>(
        "mgpu::includes", [&] { (void) mgpu::includes(policy, a.end(), a.begin(), a.begin(), a.end()); });
      EXPECT_EQ(test::to_host(out), std::vector<std::int32_t>(6, -1));
      expect_right_union(policy);
    });
}

TEST(Errors, SizeOverflow)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      const thrust::counting_iterator<std::int64_t> first(0);
      const auto last = first + std::numeric_limits<std::int64_t>::max();
      expect_error<std::length_error>(
        "mgpu::set_union",
        [&] { mgpu::set_union(policy, first, last, first, first + 1, thrust::make_discard_iterator()); });
      expect_error<std::length_error>(
        "mgpu::set_symmetric_difference_size",
        [&] { (void) mgpu::set_symmetric_difference_size(policy, first, last, first, last); });
#if defined(__CUDACC__)
      // More tiles than a grid has blocks.
      expect_error<std::length_error>(
        "mgpu::set_union: more elements than a grid",
        [&] { mgpu::set_union(policy, first, last, first, first, thrust::make_discard_iterator()); });
#endif
      expect_right_union(policy);
    });
}

// A few keys against a range of any size: only the path that is taken has limits.
TEST(Errors, FewKeysAgainstAnyNumber)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto policy = thrust::device;
  using policy_t = std::decay_t<decltype(policy)>;
  using indices = std::vector<std::int64_t>;
  const thrust::counting_iterator<std::int64_t> all(0);
  const thrust::constant_iterator<std::int32_t> one(1);
  const auto ones = test::to_memory<policy_t>(std::vector<std::int32_t>(3, 1));
  for (const int bits : {20, 36, 40, 50, 60}) // joins have needles up to 31 * 2^58 pairs, and few has 4
  {
    SCOPED_TRACE(bits);
    const std::int64_t count = std::int64_t{1} << bits;
    const auto last = all + count;
    const auto few = test::to_memory<policy_t>(indices{-1, 5, 5, count - 1});
    test::memory<policy_t, std::int64_t> out(8, -5);
    const auto x = out.begin();
    const auto y = x + 4;
    const auto written = [&](auto end)
    {
      const indices copied = test::to_host(out);
      return indices(copied.begin(), copied.begin() + (end - x));
    };
    EXPECT_EQ(written(mgpu::set_intersection(policy, few.begin(), few.end(), all, last, x)), (indices{5, count - 1}));
    EXPECT_EQ(written(mgpu::set_intersection(policy, all, last, few.begin(), few.end(), x)), (indices{5, count - 1}));
    EXPECT_EQ(written(mgpu::set_difference(policy, few.begin(), few.end(), all, last, x)), (indices{-1, 5}));
    EXPECT_EQ(mgpu::set_intersection_size(policy, few.begin(), few.end(), all, last), 2);
    EXPECT_EQ(mgpu::set_union_size(policy, few.begin(), few.end(), all, last), count + 2);
    EXPECT_EQ(mgpu::set_difference_size(policy, all, last, few.begin(), few.end()), count - 2);
    EXPECT_TRUE(mgpu::includes(policy, all, last, few.begin() + 2, few.end()));

    mgpu::sorted_lower_bound(policy, all, last, few.begin(), few.end(), x);
    EXPECT_EQ(written(y), (indices{0, 5, 5, count - 1}));
    mgpu::sorted_count(policy, all, last, few.begin(), few.end(), x);
    EXPECT_EQ(written(y), (indices{0, 1, 1, 1}));
    mgpu::sorted_count(policy, one, one + count, ones.begin(), ones.end(), x);
    EXPECT_EQ(written(x + 3), indices(3, count));
    mgpu::asof_join(policy, few.begin(), few.end(), all, last, x, mgpu::backward);
    EXPECT_EQ(written(y), (indices{-1, 5, 5, count - 1}));
    mgpu::asof_join(policy, ones.begin(), ones.end(), one, one + count, x, mgpu::nearest(::cuda::std::minus<>{}));
    EXPECT_EQ(written(x + 3), indices(3, count - 1));

    EXPECT_EQ(written(mgpu::semi_join(policy, few.begin(), few.end(), all, last, x)), (indices{1, 2, 3}));
    EXPECT_EQ(written(mgpu::anti_join(policy, few.begin(), few.end(), all, last, x)), indices{0});
    EXPECT_EQ(mgpu::semi_join_size(policy, all, last, few.begin(), few.end()), 2);
    EXPECT_EQ(mgpu::anti_join_size(policy, all, last, few.begin(), few.end()), count - 2);

    EXPECT_EQ(mgpu::inner_join_size(policy, few.begin(), few.end(), all, last), 3);
    EXPECT_EQ(mgpu::inner_join_size(policy, all, last, few.begin(), few.end()), 3);
    EXPECT_EQ(mgpu::inner_join_size(policy, ones.begin(), ones.end(), one, one + count), 3 * count);
    mgpu::left_join(policy, few.begin(), few.end(), all, last, x, y);
    EXPECT_EQ(test::to_host(out), (indices{0, 1, 2, 3, -1, 5, 5, count - 1}));
    const mgpu::join_plan plan(policy, mgpu::right_join_t{}, all, last, few.begin(), few.end());
    EXPECT_EQ(plan.size(), 4);
    plan.fill(x, y);
    EXPECT_EQ(test::to_host(out), (indices{5, 5, count - 1, -1, 1, 2, 3, 0}));

    mgpu::range_count(policy, all, last, few.begin(), few.end() - 1, few.begin() + 1, x);
    EXPECT_EQ(written(x + 3), (indices{5, 0, count - 6}));
    EXPECT_EQ(mgpu::range_join_size(policy, all, last, few.begin(), few.end() - 1, few.begin() + 1), count - 1);
#if defined(__CUDACC__)
    if (bits > 43)
    {
      const auto nowhere = thrust::make_discard_iterator();
      const std::string text = ": more elements than a grid";
      expect_error<std::length_error>(
        "mgpu::full_join_size" + text, [&] { (void) mgpu::full_join_size(policy, few.begin(), few.end(), all, last); });
      expect_error<std::length_error>(
        "mgpu::semi_join" + text, [&] { mgpu::semi_join(policy, all, last, few.begin(), few.end(), nowhere); });
      expect_error<std::length_error>(
        "mgpu::sorted_lower_bound" + text,
        [&] { mgpu::sorted_lower_bound(policy, few.begin(), few.end(), all, last, nowhere); });
      std::size_t bytes = 0;
      EXPECT_EQ(
        mgpu::DeviceJoin::FullCount(nullptr, bytes, all, count, all, std::int64_t{3}, x.base().get()),
        cudaErrorInvalidValue);
    }
#endif
  }
}

TEST(Errors, OfAsofJoins)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto a = test::to_memory<policy_t>(std::vector<std::int32_t>{0, 1, 2});
      test::memory<policy_t, std::int8_t> out(3, -5);
      const auto join = [&](auto left, auto left_end, auto right, auto right_end, auto direction)
      { mgpu::asof_join(policy, left, left_end, right, right_end, out.begin(), direction); };
      expect_error<std::invalid_argument>(
        "mgpu::asof_join: the last of the left input is before its first (-3",
        [&] { join(a.end(), a.begin(), a.begin(), a.end(), mgpu::forward); });
      expect_error<std::invalid_argument>(
        "mgpu::asof_join: the last of the right input is before its first (-3",
        [&] { join(a.begin(), a.end(), a.end(), a.begin(), mgpu::backward); });
      const thrust::counting_iterator<std::int64_t> numbers(0);
      const std::string text = "mgpu::asof_join: indices of up to 128 do not fit the output, which holds 127 at most";
      expect_error<std::length_error>(text, [&] { join(a.begin(), a.end(), numbers, numbers + 129, mgpu::forward); });
      expect_error<std::length_error>(text, [&] { join(a.begin(), a.end(), numbers, numbers + 129, mgpu::backward); });
      EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(3, -5));
      join(a.begin(), a.end(), numbers, numbers + 128, mgpu::strictly_backward);
      EXPECT_EQ(test::to_host(out), (std::vector<std::int8_t>{-1, 0, 1}));
    });
}

TEST(Errors, OfBulkRemoveAndInsert)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto a = test::to_memory<policy_t>(std::vector<std::int32_t>{0, 1, 2});
      test::memory<policy_t, std::int32_t> out(6, -1);
      expect_error<std::invalid_argument>(
        "mgpu::bulk_remove: the last of the input is before its first (-3",
        [&] { mgpu::bulk_remove(policy, a.end(), a.begin(), a.begin(), a.begin(), out.begin()); });
      expect_error<std::invalid_argument>(
        "mgpu::bulk_remove: the last of the indices",
        [&] { mgpu::bulk_remove(policy, a.begin(), a.end(), a.end(), a.begin(), out.begin()); });
      expect_error<std::invalid_argument>(
        "mgpu::bulk_remove: more indices (3) than elements (2)",
        [&] { mgpu::bulk_remove(policy, a.begin(), a.begin() + 2, a.begin(), a.end(), out.begin()); });
      expect_error<std::invalid_argument>(
        "mgpu::bulk_insert: the last of the input",
        [&] { mgpu::bulk_insert(policy, a.end(), a.begin(), a.begin(), a.begin(), a.begin(), out.begin()); });
      expect_error<std::invalid_argument>(
        "mgpu::bulk_insert: the last of the positions",
        [&] { mgpu::bulk_insert(policy, a.begin(), a.end(), a.begin(), a.end(), a.begin(), out.begin()); });
      const thrust::counting_iterator<std::int64_t> first(0);
      const auto last = first + std::numeric_limits<std::int64_t>::max();
      expect_error<std::length_error>(
        "mgpu::bulk_insert",
        [&] { mgpu::bulk_insert(policy, first, last, first, first, first + 1, thrust::make_discard_iterator()); });
#if defined(__CUDACC__)
      expect_error<std::length_error>(
        "mgpu::bulk_remove: more elements than a grid",
        [&] { mgpu::bulk_remove(policy, first, last, first, first, thrust::make_discard_iterator()); });
#endif
      EXPECT_EQ(test::to_host(out), std::vector<std::int32_t>(6, -1));
      EXPECT_TRUE(mgpu::bulk_remove(policy, a.begin(), a.end(), a.begin(), a.end(), out.begin()) == out.begin());
      EXPECT_TRUE(
        mgpu::bulk_insert(policy, a.begin(), a.end(), a.begin(), a.begin(), a.end(), out.begin()) == out.end());
      EXPECT_EQ(test::to_host(out), (std::vector<std::int32_t>{0, 0, 1, 1, 2, 2}));
    });
}

/// Does nothing with an item.
struct ignore_item
{
  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int64_t, std::int64_t, std::int64_t) const
  {
    return 0;
  }
};

TEST(Errors, OfSegments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto offsets = test::to_memory<policy_t>(std::vector<std::int32_t>{0, 1, 2});
      test::memory<policy_t, std::int32_t> out(6, -1);
      const auto result = out.begin();
      // All functions must throw an error with this text for these arguments.
      const auto check = [&](const std::string& text, std::int64_t num_items, auto first, auto last)
      {
        const auto expect = [&](const std::string& name, auto f)
        { expect_error<std::invalid_argument>("mgpu::" + name + ": " + text, f); };
        expect("load_balancing_search", [&] { mgpu::load_balancing_search(policy, num_items, first, last, result); });
        expect(
          "for_each_in_segments", [&] { mgpu::for_each_in_segments(policy, num_items, first, last, ignore_item{}); });
        expect(
          "transform_in_segments",
          [&] { mgpu::transform_in_segments(policy, num_items, first, last, result, ignore_item{}); });
        expect("interval_expand", [&] { mgpu::interval_expand(policy, num_items, first, last, first, result); });
        expect("interval_gather", [&] { mgpu::interval_gather(policy, num_items, first, last, first, first, result); });
        expect(
          "interval_scatter", [&] { mgpu::interval_scatter(policy, num_items, first, last, first, first, result); });
        expect(
          "interval_move", [&] { mgpu::interval_move(policy, num_items, first, last, first, first, first, result); });
      };
      check("the number of items is negative (-1)", -1, offsets.begin(), offsets.end());
      check("the last of the offsets is before its first (-3", 4, offsets.end(), offsets.begin());
      check("4 items, and no segment that they belong to", 4, offsets.begin(), offsets.begin());

      const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
      const thrust::constant_iterator<std::int32_t> zeros(0);
      const auto nowhere = thrust::make_discard_iterator();
      expect_error<std::length_error>(
        "mgpu::load_balancing_search: more than 2^63 - 1 items and segments together",
        [&] { mgpu::load_balancing_search(policy, largest, zeros, zeros + 1, nowhere); });
      expect_error<std::length_error>(
        "mgpu::interval_expand: more than 2^63 - 1",
        [&] { mgpu::interval_expand(policy, 1, zeros, zeros + largest, zeros, nowhere); });
      test::memory<policy_t, std::int8_t> narrow(6, -1);
      expect_error<std::length_error>(
        "mgpu::load_balancing_search: indices of up to 128 do not fit the output, which holds 127 at most",
        [&] { mgpu::load_balancing_search(policy, 6, zeros, zeros + 129, narrow.begin()); });
      EXPECT_EQ(test::to_host(out), std::vector<std::int32_t>(6, -1));
      EXPECT_EQ(test::to_host(narrow), std::vector<std::int8_t>(6, -1));
      mgpu::load_balancing_search(policy, 6, zeros, zeros + 128, narrow.begin());
      EXPECT_EQ(test::to_host(narrow), std::vector<std::int8_t>(6, 127));
      // Without items nothing is written, so any segment number fits.
      mgpu::load_balancing_search(policy, 0, zeros, zeros + 129, narrow.begin());
      mgpu::load_balancing_search(policy, 6, offsets.begin(), offsets.end(), result);
      EXPECT_EQ(test::to_host(out), (std::vector<std::int32_t>{0, 1, 2, 2, 2, 2}));
    });
}

TEST(Errors, OfJoins)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto a = test::to_memory<policy_t>(std::vector<std::int32_t>{0, 1, 2});
      test::memory<policy_t, std::int8_t> out(600, -5);
      const auto x = out.begin();
      const auto y = out.begin() + 300;
      expect_error<std::invalid_argument>(
        "mgpu::inner_join: the last of the left input is before its first (-3",
        [&] { mgpu::inner_join(policy, a.end(), a.begin(), a.begin(), a.end(), x, y); });
      expect_error<std::invalid_argument>(
        "mgpu::full_join_size: the last of the right input",
        [&] { (void) mgpu::full_join_size(policy, a.begin(), a.end(), a.end(), a.begin()); });
      expect_error<std::invalid_argument>(
        "mgpu::join_plan: the last of the left input",
        [&] { (void) mgpu::join_plan(policy, mgpu::left_join_t{}, a.end(), a.begin(), a.begin(), a.end()); });
      const thrust::counting_iterator<std::int64_t> first(0);
      const auto last = first + std::numeric_limits<std::int64_t>::max();
      const auto nowhere = thrust::make_discard_iterator();
      expect_error<std::length_error>(
        "mgpu::left_join: more than 2^63 - 1 elements",
        [&] { mgpu::left_join(policy, first, last, first, first + 1, nowhere, nowhere); });
      const std::string no_room = ": indices of up to 128 do not fit the output, which holds 127 at most";
      expect_error<std::length_error>(
        "mgpu::right_join" + no_room,
        [&] { mgpu::right_join(policy, first, first + 129, first + 100, first + 110, x, y); });
      expect_error<std::length_error>(
        "mgpu::inner_join" + no_room, [&] { mgpu::inner_join(policy, first, first + 10, first, first + 129, x, y); });
      const mgpu::join_plan plan(policy, mgpu::inner_join_t{}, first, first + 129, first, first + 128);
      expect_error<std::length_error>("mgpu::join_plan::fill" + no_room, [&] { plan.fill(x, y); });
      expect_error<std::invalid_argument>(
        "mgpu::join_plan::fill: no rows from 100 to 129 among 128", [&] { plan.fill(100, 129, nowhere, nowhere); });
      EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(600, -5));
      mgpu::inner_join(policy, first, first + 128, first, first + 128, x, y);
      EXPECT_EQ(test::to_host(out)[127], 127);
      EXPECT_EQ(test::to_host(out)[427], 127);
      EXPECT_EQ(test::to_host(out)[428], -5);
    });
}

TEST(Errors, OfSegmentedReduce)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto items = test::to_memory<policy_t>(std::vector<std::int32_t>{1, 2, 3, 4});
      const auto offsets = test::to_memory<policy_t>(std::vector<std::int32_t>{0, 1, 2});
      test::memory<policy_t, std::int32_t> out(3, -1);
      const auto reduce = [&](auto first, auto last, auto offsets_first, auto offsets_last)
      { mgpu::segmented_reduce(policy, first, last, offsets_first, offsets_last, out.begin()); };
      const auto plan = [&](std::int64_t num_items, auto offsets_first, auto offsets_last)
      { const mgpu::segmented_reduce_plan made(policy, num_items, offsets_first, offsets_last); };
      expect_error<std::invalid_argument>(
        "mgpu::segmented_reduce: the last of the input is before its first (-4",
        [&] { reduce(items.end(), items.begin(), offsets.begin(), offsets.end()); });
      expect_error<std::invalid_argument>(
        "mgpu::segmented_reduce: the last of the offsets is before its first (-3",
        [&] { reduce(items.begin(), items.end(), offsets.end(), offsets.begin()); });
      expect_error<std::invalid_argument>(
        "mgpu::segmented_reduce: 4 items, and no segment that they belong to",
        [&] { reduce(items.begin(), items.end(), offsets.begin(), offsets.begin()); });
      expect_error<std::invalid_argument>(
        "mgpu::segmented_reduce_plan: the number of items is negative (-1)",
        [&] { plan(-1, offsets.begin(), offsets.end()); });
      expect_error<std::invalid_argument>(
        "mgpu::segmented_reduce_plan: the last of the offsets is before its first (-3",
        [&] { plan(4, offsets.end(), offsets.begin()); });
      expect_error<std::invalid_argument>(
        "mgpu::segmented_reduce_plan: 4 items, and no segment", [&] { plan(4, offsets.begin(), offsets.begin()); });
      const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
      const thrust::constant_iterator<std::int32_t> zeros(0);
      expect_error<std::length_error>(
        "mgpu::segmented_reduce: more than 2^63 - 1 items and segments together",
        [&] { reduce(zeros, zeros + largest, zeros, zeros + 1); });
      expect_error<std::length_error>(
        "mgpu::segmented_reduce_plan: more than 2^63 - 1", [&] { plan(1, zeros, zeros + largest); });
      EXPECT_EQ(test::to_host(out), std::vector<std::int32_t>(3, -1));
      reduce(items.begin(), items.end(), offsets.begin(), offsets.end());
      EXPECT_EQ(test::to_host(out), (std::vector<std::int32_t>{1, 2, 7}));
    });
}

/// Keeps every item.
struct keep_item
{
  MGPU_THRUST_HOST_DEVICE bool operator()(std::int32_t) const
  {
    return true;
  }
};

TEST(Errors, OfSegmentedCompaction)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto items = test::to_memory<policy_t>(std::vector<std::int32_t>(200, 4));
      const auto offsets = test::to_memory<policy_t>(std::vector<std::int32_t>{0, 1, 2});
      test::memory<policy_t, std::int32_t> out(200, -1);
      test::memory<policy_t, std::int8_t> offsets_out(4, -1);
      const auto copy = [&](auto first, auto last, auto offsets_first, auto offsets_last)
      {
        mgpu::segmented_copy_if(
          policy, first, last, offsets_first, offsets_last, out.begin(), offsets_out.begin(), keep_item{});
      };
      const auto first = items.begin();
      expect_error<std::invalid_argument>(
        "mgpu::segmented_copy_if: the last of the input is before its first (-4",
        [&] { copy(first + 4, first, offsets.begin(), offsets.end()); });
      expect_error<std::invalid_argument>(
        "mgpu::segmented_copy_if: the last of the offsets is before its first (-3",
        [&] { copy(first, first + 4, offsets.end(), offsets.begin()); });
      expect_error<std::invalid_argument>(
        "mgpu::segmented_copy_if: 4 items, and no segment that they belong to",
        [&] { copy(first, first + 4, offsets.begin(), offsets.begin()); });
      expect_error<std::length_error>(
        "mgpu::segmented_copy_if: indices of up to 128 do not fit the output, which holds 127 at most",
        [&] { copy(first, first + 128, offsets.begin(), offsets.end()); });
      EXPECT_EQ(test::to_host(out), std::vector<std::int32_t>(200, -1));
      EXPECT_EQ(test::to_host(offsets_out), std::vector<std::int8_t>(4, -1));
      copy(first, first + 127, offsets.begin(), offsets.end());
      EXPECT_EQ(test::to_host(offsets_out), (std::vector<std::int8_t>{0, 1, 2, 127}));
    });
}

TEST(Errors, OfSegmentedScans)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto items = test::to_memory<policy_t>(std::vector<std::int32_t>{1, 2, 3, 4});
      const auto offsets = test::to_memory<policy_t>(std::vector<std::int32_t>{0, 1, 2});
      test::memory<policy_t, std::int32_t> out(4, -1);
      const auto inclusive = [&](auto first, auto last, auto offsets_first, auto offsets_last)
      { mgpu::segmented_inclusive_scan(policy, first, last, offsets_first, offsets_last, out.begin()); };
      const auto exclusive = [&](auto first, auto last, auto offsets_first, auto offsets_last)
      { mgpu::segmented_exclusive_scan(policy, first, last, offsets_first, offsets_last, out.begin()); };
      expect_error<std::invalid_argument>(
        "mgpu::segmented_inclusive_scan: the last of the input is before its first (-4",
        [&] { inclusive(items.end(), items.begin(), offsets.begin(), offsets.end()); });
      expect_error<std::invalid_argument>(
        "mgpu::segmented_exclusive_scan: the last of the offsets is before its first (-3",
        [&] { exclusive(items.begin(), items.end(), offsets.end(), offsets.begin()); });
      expect_error<std::invalid_argument>(
        "mgpu::segmented_exclusive_scan: 4 items, and no segment that they belong to",
        [&] { exclusive(items.begin(), items.end(), offsets.begin(), offsets.begin()); });
      const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
      const thrust::constant_iterator<std::int32_t> zeros(0);
      expect_error<std::length_error>(
        "mgpu::segmented_inclusive_scan: more than 2^63 - 1 items and segments together",
        [&] { inclusive(zeros, zeros + largest, zeros, zeros + 1); });
      EXPECT_EQ(test::to_host(out), std::vector<std::int32_t>(4, -1));
      exclusive(items.begin(), items.end(), offsets.begin(), offsets.end());
      EXPECT_EQ(test::to_host(out), (std::vector<std::int32_t>{0, 0, 0, 3}));
    });
}

TEST(Errors, OfMultiwayMerges)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto keys = test::to_memory<policy_t>(std::vector<std::int32_t>{1, 2, 1, 3});
      const auto sizes = test::to_memory<policy_t>(std::vector<std::int32_t>{2, 2});
      const auto offsets = test::to_memory<policy_t>(std::vector<std::int32_t>{0, 2});
      const auto* const first_key = thrust::raw_pointer_cast(keys.data());
      const auto runs = test::to_memory<policy_t>(std::vector<const std::int32_t*>{first_key, first_key + 2});
      test::memory<policy_t, std::int8_t> out(4, -1);
      const auto of_range = [&](auto first, auto last, auto offsets_first, auto offsets_last)
      { mgpu::merge_runs_indices(policy, first, last, offsets_first, offsets_last, out.begin()); };
      const auto of_runs = [&](auto first, std::int64_t k, std::int64_t n) {
        mgpu::multiway_merge_indices(policy, first, sizes.begin(), k, n, out.begin(), thrust::make_discard_iterator());
      };
      expect_error<std::invalid_argument>(
        "mgpu::merge_runs_indices: the last of the input is before its first (-4",
        [&] { of_range(keys.end(), keys.begin(), offsets.begin(), offsets.end()); });
      expect_error<std::invalid_argument>(
        "mgpu::merge_runs_indices: the last of the offsets is before its first (-2",
        [&] { of_range(keys.begin(), keys.end(), offsets.end(), offsets.begin()); });
      expect_error<std::invalid_argument>(
        "mgpu::merge_runs_indices: 4 items, and no run that they belong to",
        [&] { of_range(keys.begin(), keys.end(), offsets.begin(), offsets.begin()); });
      expect_error<std::invalid_argument>(
        "mgpu::multiway_merge_indices: the number of runs is negative (-2)", [&] { of_runs(runs.begin(), -2, 4); });
      expect_error<std::invalid_argument>(
        "mgpu::multiway_merge_indices: the number of items is negative (-4)", [&] { of_runs(runs.begin(), 2, -4); });
      expect_error<std::invalid_argument>(
        "mgpu::multiway_merge_indices: 4 items, and no run", [&] { of_runs(runs.begin(), 0, 4); });
      const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
      expect_error<std::length_error>(
        "mgpu::multiway_merge_indices: more than 2^63 - 1 items and runs together",
        [&] { of_runs(runs.begin(), 2, largest); });
      const thrust::constant_iterator<std::int32_t> zeros(0);
      expect_error<std::length_error>(
        "mgpu::merge_runs_indices: indices of up to 128 do not fit the output, which holds 127 at most",
        [&] { mgpu::merge_runs_indices(policy, zeros, zeros + 129, zeros, zeros + 1, out.begin()); });
      expect_error<std::length_error>(
        "mgpu::multiway_merge_indices: indices of up to 128", [&] { of_runs(runs.begin(), 129, 4); });
      expect_error<std::invalid_argument>(
        "mgpu::merge_runs_unique: 4 items, and no run that they belong to", [&]
        { mgpu::merge_runs_unique(policy, keys.begin(), keys.end(), offsets.begin(), offsets.begin(), out.begin()); });
      expect_error<std::invalid_argument>(
        "mgpu::multiway_merge_reduce_by_key_size: the number of runs is negative (-2)",
        [&] { mgpu::multiway_merge_reduce_by_key_size(policy, runs.begin(), runs.begin(), sizes.begin(), -2, 4); });
      auto* const d_count = reinterpret_cast<std::int8_t*>(thrust::raw_pointer_cast(out.data()));
      expect_error<std::length_error>(
        "mgpu::merge_runs_unique_n: a size of up to 200 does not fit the count of the result, which holds 127 at most",
        [&] { mgpu::merge_runs_unique_n(policy, zeros, 200, zeros, 1, out.begin(), d_count); });
      EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(4, -1));
      of_range(keys.begin(), keys.end(), offsets.begin(), offsets.end());
      EXPECT_EQ(test::to_host(out), (std::vector<std::int8_t>{0, 2, 1, 3}));
      of_runs(runs.begin(), 2, 4);
      EXPECT_EQ(test::to_host(out), (std::vector<std::int8_t>{0, 1, 0, 1}));
    });
}

TEST(Errors, PairsOfLists)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto keys = test::to_memory<policy_t>(std::vector<std::int32_t>{1, 2, 1, 3});
      const auto bounds = test::to_memory<policy_t>(std::vector<std::int32_t>{0, 2, 4});
      test::memory<policy_t, std::int8_t> out(2, -1);
      const auto first = keys.begin();
      const auto begins = bounds.begin();
      const auto ends = begins + 1;
      const auto count = [&](std::int64_t n)
      { mgpu::segmented_set_intersection_size(policy, first, begins, ends, first, ends, ends + 1, n, out.begin()); };
      expect_error<std::invalid_argument>(
        "mgpu::segmented_set_intersection_size: the number of pairs is negative (-3)", [&] { count(-3); });
      EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(2, -1));
      count(0);
      EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(2, -1));
      count(1);
      EXPECT_EQ(test::to_host(out), (std::vector<std::int8_t>{1, -1}));

      // Offsets that cannot hold the number of all elements.
      const thrust::constant_iterator<std::int32_t> zeros(0);
      test::memory<policy_t, std::int32_t> merged(129, -1);
      const auto merge = [&](std::int64_t n, int end)
      {
        mgpu::segmented_merge(
          policy, zeros, zeros, thrust::make_constant_iterator(64), zeros, zeros, thrust::make_constant_iterator(end),
          n, merged.begin(), out.begin());
      };
      expect_error<std::invalid_argument>(
        "mgpu::segmented_merge: the number of pairs is negative (-1)", [&] { merge(-1, 1); });
      expect_error<std::length_error>(
        "mgpu::segmented_merge: indices of up to 128 do not fit the output, which holds 127 at most",
        [&] { merge(1, 64); });
      EXPECT_EQ(test::to_host(merged), std::vector<std::int32_t>(129, -1));
      EXPECT_EQ(test::to_host(out), (std::vector<std::int8_t>{1, -1}));
      std::int64_t* const no_count = nullptr;
      expect_error<std::invalid_argument>(
        "mgpu::segmented_merge_n: the number of elements that the result has room for is negative (-2)",
        [&]
        {
          mgpu::segmented_merge_n(
            policy, zeros, zeros, zeros, zeros, zeros, zeros, 1, merged.begin(), -2, out.begin(), no_count);
        });
      merge(1, 63);
      EXPECT_EQ(test::to_host(merged)[126], 0);
      EXPECT_EQ(test::to_host(merged)[127], -1);
      EXPECT_EQ(test::to_host(out), (std::vector<std::int8_t>{0, 127}));
    });
}

struct same_key
{
  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int32_t key) const
  {
    return key;
  }
};

TEST(Errors, OfWindowReduce)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto ones = test::to_memory<policy_t>(std::vector<std::int32_t>{1, 1, 1});
      test::memory<policy_t, std::int32_t> out(3, -1);
      const auto reduce = [&](auto first, auto last, auto begins_first, auto begins_last)
      { mgpu::window_reduce(policy, first, last, begins_first, begins_last, ones.begin(), out.begin(), 5); };
      const auto reduce_by_range = [&](auto first, auto last)
      { mgpu::window_reduce_by_range(policy, first, last, first, out.begin(), same_key{}, same_key{}, 5); };
      expect_error<std::invalid_argument>(
        "mgpu::window_reduce: the last of the items is before its first (-3",
        [&] { reduce(ones.end(), ones.begin(), ones.begin(), ones.end()); });
      expect_error<std::invalid_argument>(
        "mgpu::window_reduce: the last of the begins is before its first (-3",
        [&] { reduce(ones.begin(), ones.end(), ones.end(), ones.begin()); });
      expect_error<std::invalid_argument>(
        "mgpu::window_reduce_by_range: the last of the range of keys is before its first (-3",
        [&] { reduce_by_range(ones.end(), ones.begin()); });
      const thrust::constant_iterator<std::int32_t> zeros(0);
      expect_error<std::length_error>(
        "mgpu::window_reduce: more than 2^63 - 1 elements",
        [&] { reduce(zeros, zeros + std::numeric_limits<std::int64_t>::max(), zeros, zeros + 1); });
      EXPECT_EQ(test::to_host(out), std::vector<std::int32_t>(3, -1));
      reduce(ones.begin(), ones.end(), zeros, zeros + 3);
      EXPECT_EQ(test::to_host(out), std::vector<std::int32_t>(3, 6));
      reduce_by_range(ones.begin(), ones.end());
      EXPECT_EQ(test::to_host(out), std::vector<std::int32_t>(3, 8));
    });
}

TEST(Errors, OfRangeJoins)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto a = test::to_memory<policy_t>(std::vector<std::int32_t>{0, 1, 2});
      test::memory<policy_t, std::int8_t> out(600, -5);
      const auto x = out.begin();
      const auto y = out.begin() + 300;
      expect_error<std::invalid_argument>(
        "mgpu::range_join: the last of the range of begins is before its first (-3",
        [&] { mgpu::range_join(policy, a.begin(), a.end(), a.end(), a.begin(), a.begin(), x, y); });
      expect_error<std::invalid_argument>(
        "mgpu::range_join_size: the last of the range of points",
        [&] { (void) mgpu::range_join_size(policy, a.end(), a.begin(), a.begin(), a.end(), a.begin()); });
      expect_error<std::invalid_argument>(
        "mgpu::range_count: the last of the range of points",
        [&] { mgpu::range_count(policy, a.end(), a.begin(), a.begin(), a.end(), a.begin(), x); });
      expect_error<std::invalid_argument>(
        "mgpu::range_join_plan: the last of the range of begins",
        [&] { (void) mgpu::range_join_plan(policy, a.begin(), a.end(), a.end(), a.begin(), a.begin()); });
      const thrust::counting_iterator<std::int64_t> first(0);
      const auto last = first + std::numeric_limits<std::int64_t>::max();
      const auto nowhere = thrust::make_discard_iterator();
      expect_error<std::length_error>(
        "mgpu::range_join: more than 2^63 - 1 elements",
        [&] { mgpu::range_join(policy, first, last, first, first + 1, first, nowhere, nowhere); });
      const std::string no_room = ": indices of up to 128 do not fit the output, which holds 127 at most";
      expect_error<std::length_error>(
        "mgpu::range_join" + no_room,
        [&] { mgpu::range_join(policy, first, first + 129, first, first + 10, first + 1, x, y); });
      expect_error<std::length_error>(
        "mgpu::range_join" + no_room,
        [&] { mgpu::range_join(policy, first, first + 10, first, first + 129, first + 1, x, y); });
      expect_error<std::length_error>(
        "mgpu::range_count" + no_room,
        [&] { mgpu::range_count(policy, first, first + 128, first, first + 10, first + 1, x); });
      const mgpu::range_join_plan plan(policy, first, first + 129, first, first + 128, first + 1);
      expect_error<std::length_error>("mgpu::range_join_plan::fill" + no_room, [&] { plan.fill(x, y); });
      expect_error<std::invalid_argument>(
        "mgpu::range_join_plan::fill: no rows from 100 to 129 among 128",
        [&] { plan.fill(100, 129, nowhere, nowhere); });
      EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(600, -5));
      mgpu::range_join(policy, first, first + 128, first, first + 128, first + 1, x, y);
      EXPECT_EQ(test::to_host(out)[127], 127);
      EXPECT_EQ(test::to_host(out)[427], 127);
      EXPECT_EQ(test::to_host(out)[428], -5);
    });
}

#if !defined(__CUDACC__)

// 2^64 rows, which the caller's thread detects after it reads few elements.
TEST(Errors, MoreRowsThan64BitsCount)
{
  const thrust::constant_iterator<std::int32_t> keys(5);
  const auto left_last = keys + (std::int64_t{1} << 20);
  const auto right_last = keys + (std::int64_t{1} << 44);
  std::vector<std::int64_t> out(2, -5);
  const auto x = out.begin();
  expect_error<std::length_error>(
    "mgpu::inner_join: 2^63 - 1 rows, or more",
    [&] { mgpu::inner_join(thrust::seq, keys, left_last, keys, right_last, x, x + 1); });
  expect_error<std::length_error>(
    "mgpu::inner_join_size: 2^63 - 1 rows, or more",
    [&] { (void) mgpu::inner_join_size(thrust::cpp::par, keys, left_last, keys, right_last); });
  EXPECT_EQ(out, std::vector<std::int64_t>(2, -5));
}

#  if defined(_OPENMP)

/// A policy whose default temporary storage is exhausted.
struct out_of_memory_policy : thrust::omp::execution_policy<out_of_memory_policy>
{
};
template <class T>
thrust::pair<T*, std::ptrdiff_t> get_temporary_buffer(out_of_memory_policy&, std::ptrdiff_t)
{
  return {nullptr, 0};
}

TEST(Errors, NoMemoryNamesTheAlgorithm)
{
  omp_set_num_threads(3);
  const auto a = sorted_keys(several_pieces, 1);
  std::vector<std::int32_t> out(2 * several_pieces, -1);
  expect_error<std::bad_alloc>(
    "mgpu::set_union: no memory for",
    [&] { mgpu::set_union(out_of_memory_policy{}, a.begin(), a.end(), a.begin(), a.end(), out.begin()); });
  EXPECT_EQ(out, std::vector<std::int32_t>(2 * several_pieces, -1));
}

#  endif

/// Throws at a given call, counted over all copies.
struct throwing_less
{
  std::atomic<std::int64_t>* calls_left;

  bool operator()(std::int32_t x, std::int32_t y) const
  {
    if (calls_left->fetch_sub(1) == 1)
    {
      throw std::domain_error("the comparator's own");
    }
    return x < y;
  }
};

TEST(Errors, AnExceptionOfTheComparatorReachesTheCaller)
{
  const auto a = sorted_keys(several_pieces, 1);
  const auto b = sorted_keys(several_pieces, 2);
  std::vector<std::int32_t> out(2 * several_pieces);
  const auto nowhere = thrust::make_discard_iterator();
  test::for_each_policy(
    [&](const auto& policy)
    {
      for (const std::int64_t call : {1, 2, 1000, 50000, 300000})
      {
        std::atomic<std::int64_t> calls_left{call};
        const throwing_less comp{&calls_left};
        expect_error<std::domain_error>(
          "the comparator's own",
          [&] { mgpu::set_union(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(), comp); });
        calls_left = call;
        expect_error<std::domain_error>(
          "the comparator's own",
          [&] { (void) mgpu::set_symmetric_difference_size(policy, a.begin(), a.end(), b.begin(), b.end(), comp); });
        calls_left = call;
        expect_error<std::domain_error>(
          "the comparator's own",
          [&] { mgpu::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(), comp); });
        calls_left = call;
        expect_error<std::domain_error>(
          "the comparator's own",
          [&] { mgpu::sorted_lower_bound(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(), comp); });
        calls_left = call;
        expect_error<std::domain_error>(
          "the comparator's own",
          [&] {
            mgpu::asof_join(
              policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(), mgpu::nearest(comp), comp, comp);
          });
        calls_left = call;
        expect_error<std::domain_error>(
          "the comparator's own",
          [&] { mgpu::full_join(policy, a.begin(), a.end(), b.begin(), b.end(), nowhere, nowhere, comp); });
        calls_left = call;
        expect_error<std::domain_error>(
          "the comparator's own",
          [&] { mgpu::range_join(policy, a.begin(), a.end(), b.begin(), b.end(), b.begin(), nowhere, nowhere, comp); });
        calls_left = call;
        expect_error<std::domain_error>(
          "the comparator's own",
          [&] { mgpu::range_count(policy, a.begin(), a.end(), b.begin(), b.end(), b.begin(), nowhere, comp); });
        calls_left = call;
        expect_error<std::domain_error>(
          "the comparator's own",
          [&] { mgpu::semi_join(policy, a.begin(), a.end(), b.begin(), b.end(), nowhere, comp); });
        calls_left = call;
        expect_error<std::domain_error>(
          "the comparator's own",
          [&] { (void) mgpu::anti_join_size(policy, a.begin(), a.end(), b.begin(), b.end(), comp); });
        calls_left = call;
        expect_error<std::domain_error>(
          "the comparator's own", [&] { (void) mgpu::includes(policy, a.begin(), a.end(), a.begin(), a.end(), comp); });
      }
      expect_right_union(policy);
    });
}

TEST(Errors, AnExceptionOfAnItemsFunctionReachesTheCaller)
{
  const thrust::counting_iterator<std::int64_t> offsets(0);
  std::vector<std::int64_t> out(several_pieces);
  test::for_each_policy(
    [&](const auto& policy)
    {
      for (const std::int64_t call : {1, 2, 1000, 50000, 200000})
      {
        std::atomic<std::int64_t> calls{0};
        const auto f = [&](std::int64_t item, std::int64_t, std::int64_t)
        {
          if (++calls == call)
          {
            throw std::domain_error("the function's own");
          }
          return item;
        };
        expect_error<std::domain_error>(
          "the function's own",
          [&] { mgpu::for_each_in_segments(policy, several_pieces, offsets, offsets + several_pieces / 2, f); });
        calls = 0;
        expect_error<std::domain_error>(
          "the function's own",
          [&] {
            mgpu::transform_in_segments(policy, several_pieces, offsets, offsets + several_pieces / 2, out.begin(), f);
          });
      }
      mgpu::load_balancing_search(policy, several_pieces, offsets, offsets + several_pieces, out.begin());
      EXPECT_EQ(out.back(), several_pieces - 1);
    });
}

/// Throws at a given call, counted over all copies.
struct throwing_plus
{
  std::atomic<std::int64_t>* calls_left;

  std::string operator()(const std::string& x, const std::string& y) const
  {
    if (calls_left->fetch_sub(1) == 1)
    {
      throw std::domain_error("the operator's own");
    }
    return x + y;
  }
};

TEST(Errors, AnExceptionOfAReductionsOperatorReachesTheCaller)
{
  const std::string word = "a word that is too long for its object"; // so that an object not destroyed leaks memory
  const thrust::constant_iterator<std::string> words(word);
  const thrust::counting_iterator<std::int64_t> numbers(0);
  const auto twos = thrust::make_transform_iterator(numbers, [](std::int64_t x) { return 2 * x; });
  std::vector<std::string> out(several_pieces / 2);
  const auto last_word = [](const std::string&, const std::string& y) { return y; };
  test::for_each_policy(
    [&](const auto& policy)
    {
      const mgpu::segmented_reduce_plan plan(policy, several_pieces, twos, twos + several_pieces / 2);
      for (const std::int64_t call : {1, 2, 1000, 50000, 150000})
      {
        std::atomic<std::int64_t> calls_left{call};
        const throwing_plus op{&calls_left};
        expect_error<std::domain_error>(
          "the operator's own",
          [&]
          {
            mgpu::segmented_reduce(
              policy, words, words + several_pieces, twos, twos + several_pieces / 2, out.begin(), word, op);
          });
        calls_left = call;
        expect_error<std::domain_error>("the operator's own", [&] { plan.reduce(words, out.begin(), word, op); });
        calls_left = call;
        expect_error<std::domain_error>(
          "the operator's own",
          [&]
          {
            mgpu::window_reduce(
              policy, words, words + several_pieces, twos, twos + several_pieces / 2, twos + 2, out.begin(), word, op);
          });
      }
      plan.reduce(words, out.begin(), std::string(), last_word);
      EXPECT_EQ(out, std::vector<std::string>(several_pieces / 2, word));
    });
}

#  if defined(_OPENMP)

TEST(Errors, AThrowingComparatorLeaksNothing)
{
  omp_set_num_threads(3);
  test::allocation_log log;
  test::counting_allocator allocator{&log};
  const auto a = sorted_keys(several_pieces, 1);
  std::vector<std::int32_t> out(2 * several_pieces);
  std::atomic<std::int64_t> calls_left{100000};
  EXPECT_THROW(
    mgpu::set_union(
      thrust::omp::par(allocator), a.begin(), a.end(), a.begin(), a.end(), out.begin(), throwing_less{&calls_left}),
    std::domain_error);
  EXPECT_GT(log.allocations, 0);
  EXPECT_EQ(log.live, 0);
}

#  endif
#endif

#if defined(__CUDACC__)

// A synchronising call on a stream under capture fails in the CUDA runtime.
TEST(Errors, ACudaErrorIsASystemError)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::allocation_log log;
  test::counting_allocator allocator{&log};
  const thrust::device_vector<std::int32_t> a(1000, 1);
  thrust::device_vector<std::int32_t> out(2000);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
  expect_error<thrust::system_error>(
    "mgpu::set_union", [&]
    { mgpu::set_union(thrust::cuda::par(allocator).on(stream), a.begin(), a.end(), a.begin(), a.end(), out.begin()); });
  EXPECT_EQ(log.live, 0);
  cudaGraph_t graph = nullptr;
  (void) cudaStreamEndCapture(stream, &graph);
  if (graph != nullptr)
  {
    cudaGraphDestroy(graph);
  }
  (void) cudaGetLastError();
  cudaStreamDestroy(stream);
  expect_right_union(thrust::cuda::par);
}

#endif

} // namespace
