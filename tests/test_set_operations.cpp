// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The set operations and merges in all forms on every distribution and size, and under policies of every kind.

#include "support/distributions.h"
#include "support/fuzz.h"
#include "support/policy_battery.h"
#include "support/set_battery.h"
#include "support/systems.h"
#include "support/uneven_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace
{

/// Checks all operations in all forms on keys of a type.
template <class Key>
void check(test::distribution distribution, std::int64_t a_size, std::int64_t b_size, std::uint64_t seed)
{
  test::check_keys<test::forms::all, Key>(test::all_ops{}, distribution, a_size, b_size, seed, ::cuda::std::less<>{});
}

TEST(SetOperations, Sizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t tile = test::set_tile_items<std::int32_t>();
  const std::int64_t sizes[] = {0, 1, 2, tile / 2, tile - 1, tile, tile + 1, 3 * tile + 7};
  for (const std::int64_t a_size : sizes)
  {
    for (const std::int64_t b_size : sizes)
    {
      for (const std::int64_t more : test::few_and_more())
      {
        check<std::int32_t>(test::distribution::runs, more + a_size, b_size, 1);
      }
      if (HasFatalFailure())
      {
        return;
      }
    }
  }
}

TEST(SetOperations, Distributions)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t tile = test::set_tile_items<std::int32_t>();
  for (const test::distribution d : test::all_distributions)
  {
    for (const std::int64_t more : test::few_and_more())
    {
      check<std::int32_t>(d, more / 2 + 3 * tile + 1, more / 2 + 3 * tile + 1, 2);
      check<std::int32_t>(d, more + 4 * tile, tile, 3);
      check<std::int32_t>(d, tile, more + 4 * tile, 4);
    }
    check<std::int32_t>(d, 100, 100, 5);
  }
}

TEST(SetOperations, Large)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = test::many_keys + 3;
  check<std::int32_t>(test::distribution::uniform, n, n, 6);
  check<std::int32_t>(test::distribution::one_run, n, n, 7);
}

#if defined(__CUDACC__)

/// Checks all operations on many keys, under one policy.
void check_many(test::distribution distribution, std::int64_t a_size, std::int64_t b_size)
{
  SCOPED_TRACE(std::to_string(a_size) + "+" + std::to_string(b_size));
  const auto ranks = test::make_ranks(distribution, a_size, b_size, test::largest_rank<std::int32_t>(), 12);
  auto a = test::to_keys<std::int32_t>(ranks.first);
  auto b = test::to_keys<std::int32_t>(ranks.second);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  test::for_each_op(
    test::all_ops{},
    [&](auto each)
    {
      constexpr test::set_op op = decltype(each)::value;
      SCOPED_TRACE(test::name_of(op));
      const ::cuda::std::less<> less;
      test::check_set_operation<test::forms::all, op>(
        thrust::cuda::par, a, b, test::std_set_operation(op, a, b, less), less);
    });
}

// On both sides of the number of elements that are few, and of the number of tiles up to which blocks cut them, and
// write when all have counted.
TEST(SetOperations, TilesCutByBlocksOrBefore)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using operation_shape = mgpu::detail::coresident_set_operation_shape<
    decltype(mgpu::detail::choose_set_operation_shape<mgpu::detail::set_union_t, sizeof(std::int32_t), false>()),
    sizeof(std::int32_t), false>;
  using merge_shape =
    decltype(mgpu::detail::choose_set_operation_shape<mgpu::detail::merge_t, sizeof(std::int32_t), false>());
  constexpr std::int64_t most = mgpu::detail::max_tiles_cut_by_blocks;
  const std::int64_t at_once = mgpu::detail::max_coresident_blocks(operation_shape::sure_blocks);
  // Of the operations by key fewer blocks fit than their registers let in.
  using by_key_shape = mgpu::detail::set_operation_shape<mgpu::detail::set_union_t, sizeof(std::int32_t), true>;
  const std::int64_t by_key_at_once = mgpu::detail::max_coresident_blocks(by_key_shape::sure_blocks);
  const std::int64_t totals[] = {
    mgpu::detail::max_to_match_by_bisection, std::min(most, at_once) * operation_shape::items,
    std::min(most, by_key_at_once) * by_key_shape::items, most * merge_shape::items};
  for (const std::int64_t total : totals)
  {
    check_many(test::distribution::runs, total / 2, total - total / 2);
    check_many(test::distribution::runs, total / 2, total - total / 2 + 1);
  }
}

// So many tiles that the offsets of their results are served.
TEST(SetOperations, ManyTiles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d :
       {test::distribution::uniform, test::distribution::one_run, test::distribution::all_equal})
  {
    check_many(d, 4000003, 4000001);
  }
}

#endif

// A range is never included in a shorter one, whatever its elements are.
TEST(SetOperations, ALongerRangeIsNotIncluded)
{
  const int a[] = {1, 2, 2};
  const int b[] = {1, 2, 2, 3};
  int calls = 0;
  const auto comp = [&](int x, int y)
  {
    ++calls;
    return x < y;
  };
  EXPECT_FALSE(mgpu::includes(thrust::host, a, a + 3, b, b + 4, comp));
  EXPECT_FALSE(mgpu::includes(thrust::host, a, a, b, b + 1, comp));
  EXPECT_EQ(calls, 0);
  EXPECT_TRUE(mgpu::includes(thrust::host, a, a + 3, b, b + 3, comp));
  EXPECT_TRUE(mgpu::includes(thrust::host, a, a, b, b, comp));
  EXPECT_GT(calls, 0);
}

TEST(SetOperations, RunsOfEveryLength)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const int copies : {2, 4, 9, 16, 29, 31, 33, 70})
  {
    SCOPED_TRACE("about " + std::to_string(copies) + " copies");
    std::mt19937_64 random(copies);
    for (const std::int64_t more : test::few_and_more())
    {
      const auto keys = [&]
      {
        std::vector<std::int32_t> result;
        for (std::int32_t key = 0; static_cast<std::int64_t>(result.size()) < more / 2 + 20000; ++key)
        {
          result.insert(result.end(), copies - 2 + random() % 5, key);
        }
        return result;
      };
      const auto a = keys();
      test::check_set_operations<test::forms::all>(test::all_ops{}, a, keys(), ::cuda::std::less<>{});
    }
    if (HasFatalFailure())
    {
      return;
    }
  }
}

TEST(SetOperations, SkewedSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d : {test::distribution::uniform, test::distribution::all_equal})
  {
    check<std::int32_t>(d, 1, test::many_keys, 8);
    check<std::int32_t>(d, test::many_keys, 1, 9);
    check<std::int32_t>(d, test::many_keys / 1000, test::many_keys, 10);
    check<std::int32_t>(d, test::many_keys, test::many_keys / 1000, 11);
  }
}

// One side so short that its elements are searched for in the other, if the result does not need the rest of that.
TEST(SetOperations, UnevenSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_uneven_pair(
    1000, [](const test::ints& a, const test::ints& b)
    { test::check_set_operations<test::forms::all>(test::all_ops{}, a, b, ::cuda::std::less<>{}); });
}

#if !defined(__CUDACC__)

TEST(SetOperations, FewComparisonsForAShortSide)
{
  std::vector<std::int32_t> out(200);
  const auto o = out.begin();
  test::expect_bisections(
    "A and B",
    [o](auto s, auto se, auto l, auto le, auto c) { mgpu::set_intersection(thrust::seq, s, se, l, le, o, c); });
  test::expect_bisections(
    "B and A",
    [o](auto s, auto se, auto l, auto le, auto c) { mgpu::set_intersection(thrust::seq, l, le, s, se, o, c); });
  test::expect_bisections(
    "A - B", [o](auto s, auto se, auto l, auto le, auto c) { mgpu::set_difference(thrust::seq, s, se, l, le, o, c); });
  test::expect_bisections(
    "includes", [](auto s, auto se, auto l, auto le, auto c) { (void) mgpu::includes(thrust::seq, l, le, s, se, c); });
  test::for_each_op(
    test::all_set_ops{},
    [&](auto each)
    {
      constexpr test::set_op op = decltype(each)::value;
      test::expect_bisections(
        test::name_of(op),
        [](auto s, auto se, auto l, auto le, auto c) { (void) test::set_size<op>(thrust::seq, s, se, l, le, c); });
      test::expect_bisections(
        test::name_of(op),
        [](auto s, auto se, auto l, auto le, auto c) { (void) test::set_size<op>(thrust::seq, l, le, s, se, c); });
    });
}

#endif

// New cases each time; MGPU_THRUST_FUZZ_SEED reproduces them.
TEST(SetOperations, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    200,
    [](std::mt19937_64& random)
    {
      // Sizes of every magnitude, small ones as often as large ones.
      const auto any_size = [&] { return static_cast<std::int64_t>(random() % (std::uint64_t{2} << random() % 18)); };
      const std::int64_t a_size = any_size();
      const std::int64_t b_size = any_size();
      const auto d = test::all_distributions[random() % std::size(test::all_distributions)];
      check<std::int32_t>(d, a_size, b_size, random());
    });
}

/// Two inputs, in which every third element of one and every second of the other are in both.
struct two_inputs : test::policy_call
{
  explicit two_inputs(std::int64_t size)
  {
    inputs.resize(2);
    for (std::int32_t i = 0; i < size; ++i)
    {
      inputs[0].push_back(2 * i);
      inputs[1].push_back(3 * i);
    }
  }
  /// Sets the result of std:: as the expected output.
  void expect_result_of(test::set_op op)
  {
    expected = test::std_set_operation(op, inputs[0], inputs[1], ::cuda::std::less<>{}).keys;
    result = static_cast<std::int64_t>(expected.size());
  }
};

struct set_union_call : two_inputs
{
  explicit set_union_call(std::int64_t size)
      : two_inputs(size)
  {
    expect_result_of(test::set_op::union_of);
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::set_union(policy, in.first[0], in.last[0], in.first[1], in.last[1], out) - out;
  }
};

struct set_union_by_key_call : two_inputs
{
  explicit set_union_by_key_call(std::int64_t size)
      : two_inputs(size)
  {
    expect_result_of(test::set_op::union_of);
    expected.insert(expected.end(), result, 0); // the values follow the keys
    std::copy_n(expected.begin(), result, expected.begin() + result);
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    const auto ends = mgpu::set_union_by_key(
      policy, in.first[0], in.last[0], in.first[1], in.last[1], in.first[0], in.first[1], out,
      out + in.output_size / 2);
    return ends.first - out;
  }
};

struct difference_of_copies
{
  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(const std::int32_t& a, const std::int32_t& b) const
  {
    return a - 2 * b;
  }
};

struct combined_union_call : set_union_by_key_call
{
  explicit combined_union_call(std::int64_t size)
      : set_union_by_key_call(size)
  {
    for (auto value = expected.begin() + result; value != expected.end(); ++value)
    {
      const bool is_match = *value % 6 == 0 && *value < 2 * size;
      *value = is_match ? -*value : *value;
    }
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    const auto ends = mgpu::set_union_by_key(
      policy, in.first[0], in.last[0], in.first[1], in.last[1], in.first[0], in.first[1], out, out + in.output_size / 2,
      ::cuda::std::less<>{}, difference_of_copies{});
    return ends.first - out;
  }
};

struct set_union_size_call : two_inputs
{
  static constexpr auto allocates_on_cpu = test::cpu_storage::never;

  explicit set_union_size_call(std::int64_t size)
      : two_inputs(size)
  {
    expect_result_of(test::set_op::union_of);
    expected.clear();
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t*)
  {
    return mgpu::set_union_size(policy, in.first[0], in.last[0], in.first[1], in.last[1]);
  }
};

struct includes_call : two_inputs
{
  static constexpr auto allocates_on_cpu = test::cpu_storage::never;

  explicit includes_call(std::int64_t size)
      : two_inputs(size)
  {
    result = 1;
  }
  /// Checks that the first input includes a part of itself and does not include the second.
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t*)
  {
    return mgpu::includes(policy, in.first[0], in.last[0], in.first[0] + in.size(0) / 2, in.last[0])
           && !mgpu::includes(policy, in.first[0], in.last[0], in.first[1], in.last[1]);
  }
};

struct merge_call : two_inputs
{
  static constexpr std::int64_t size_with_storage = test::size_of_many_tiles;

  static constexpr bool synchronises = false;
  static constexpr auto allocates_on_cpu = test::cpu_storage::never;

  explicit merge_call(std::int64_t size)
      : two_inputs(size)
  {
    expect_result_of(test::set_op::merge);
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::merge(policy, in.first[0], in.last[0], in.first[1], in.last[1], out) - out;
  }
};

using calls = testing::Types<
  set_union_call, set_union_by_key_call, combined_union_call, set_union_size_call, includes_call, merge_call>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(SetOperations, Policies, calls);
}
