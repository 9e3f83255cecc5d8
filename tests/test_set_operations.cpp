// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The battery: all operations in all forms, on every distribution, size, key type and comparator, under every policy.
// It is a covering array: each value of an axis meets each policy, not each value of every other axis.

#include "support/distributions.h"
#include "support/keys.h"
#include "support/set_battery.h"
#include "support/systems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace
{

/// Items of a tile, or of a CPU worker's piece: sizes around it and several times it are tested.
template <class Key>
constexpr std::int64_t tile_items()
{
#if defined(__CUDACC__)
  return decltype(mgpu::detail::choose_set_operation_shape<mgpu::detail::set_union_t, sizeof(Key), false>())::items;
#else
  return mgpu::detail::cpu_piece_elements;
#endif
}

template <test::forms Forms, class Key, class Compare = ::cuda::std::less<>>
void check(
  test::distribution distribution, std::int64_t a_size, std::int64_t b_size, std::uint64_t seed,
  Compare comp = Compare{})
{
  SCOPED_TRACE(
    std::string(test::name_of(distribution)) + " " + std::to_string(a_size) + "+" + std::to_string(b_size) + " seed "
    + std::to_string(seed));
  const auto [a_ranks, b_ranks] = test::make_ranks(distribution, a_size, b_size, test::largest_rank<Key>(), seed);
  auto a = test::to_keys<Key>(a_ranks);
  auto b = test::to_keys<Key>(b_ranks);
  std::stable_sort(a.begin(), a.end(), comp);
  std::stable_sort(b.begin(), b.end(), comp);
  test::check_set_operations<Forms>(a, b, comp);
}

TEST(SetOperations, Sizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t tile = tile_items<std::int32_t>();
  const std::int64_t sizes[] = {0, 1, 2, tile / 2, tile - 1, tile, tile + 1, 3 * tile + 7};
  for (const std::int64_t a_size : sizes)
  {
    for (const std::int64_t b_size : sizes)
    {
      check<test::forms::all, std::int32_t>(test::distribution::runs, a_size, b_size, 1);
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
  const std::int64_t tile = tile_items<std::int32_t>();
  for (const test::distribution d : test::all_distributions)
  {
    check<test::forms::all, std::int32_t>(d, 3 * tile + 1, 3 * tile + 1, 2);
    check<test::forms::all, std::int32_t>(d, 4 * tile, tile, 3);
    check<test::forms::all, std::int32_t>(d, tile, 4 * tile, 4);
    check<test::forms::all, std::int32_t>(d, 100, 100, 5);
  }
}

TEST(SetOperations, KeysOf8Bytes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t tile = tile_items<std::int64_t>();
  for (const test::distribution d : test::all_distributions)
  {
    check<test::forms::all, std::int64_t>(d, 3 * tile + 1, 2 * tile, 14);
    check<test::forms::all, std::int64_t>(d, 2 * tile, 0, 15);
  }
}

TEST(SetOperations, Large)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = (std::int64_t{1} << 20) + 3;
  check<test::forms::all, std::int32_t>(test::distribution::uniform, n, n, 6);
  check<test::forms::all, std::int32_t>(test::distribution::one_run, n, n, 7);
}

TEST(SetOperations, RunsOfEveryLength)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const int copies : {2, 4, 9, 16, 29, 31, 33, 70})
  {
    SCOPED_TRACE("about " + std::to_string(copies) + " copies");
    std::mt19937_64 random(copies);
    const auto keys = [&]
    {
      std::vector<std::int32_t> result;
      for (std::int32_t key = 0; result.size() < 20000; ++key)
      {
        result.insert(result.end(), copies - 2 + random() % 5, key);
      }
      return result;
    };
    const auto a = keys();
    test::check_set_operations<test::forms::all>(a, keys(), ::cuda::std::less<>{});
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
    check<test::forms::all, std::int32_t>(d, 1, 1000000, 8);
    check<test::forms::all, std::int32_t>(d, 1000000, 1, 9);
    check<test::forms::all, std::int32_t>(d, 1000, 1000000, 10);
    check<test::forms::all, std::int32_t>(d, 1000000, 1000, 11);
  }
}

template <class Key>
class SetOperationsOf : public testing::Test
{
};
using key_types = testing::Types<
  std::int8_t, std::uint8_t, std::int16_t, std::uint32_t, std::int64_t, std::uint64_t, float, double,
  test::words_key<3>, test::words_key<4>, test::words_key<40>, test::words_key<400>, test::only_less>;
TYPED_TEST_SUITE(SetOperationsOf, key_types);

TYPED_TEST(SetOperationsOf, KeyType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  // Several tiles, as far as the keys are not so large that this takes long.
  const std::int64_t most = (std::int64_t{1} << 20) / static_cast<std::int64_t>(sizeof(TypeParam));
  const std::int64_t n = std::min<std::int64_t>(tile_items<TypeParam>() + 5, most);
  for (const test::distribution d :
       {test::distribution::uniform, test::distribution::few_keys, test::distribution::extremes})
  {
    check<test::forms::by_key, TypeParam>(d, n, n, 12);
    check<test::forms::by_key, TypeParam>(d, 3 * n, 1, 13);
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

TEST(SetOperations, DescendingOrder)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check<test::forms::all, std::int32_t>(test::distribution::runs, 70000, 50000, 15, greater{});
}

/// Compares rows of a table by their content; the keys are row numbers, so nothing but a row of the input may be asked.
struct by_row
{
  const std::int32_t* table;
  std::int32_t rows;

  MGPU_THRUST_HOST_DEVICE bool operator()(std::int32_t x, std::int32_t y) const
  {
    return at(x) < at(y);
  }
  MGPU_THRUST_HOST_DEVICE std::int32_t at(std::int32_t row) const
  {
    return row >= 0 && row < rows ? table[row] : trap();
  }
  MGPU_THRUST_HOST_DEVICE static std::int32_t trap()
  {
    NV_IF_ELSE_TARGET(NV_IS_HOST, (std::abort();), (__trap();));
    return 0;
  }
};

TEST(SetOperations, IndirectComparator)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const std::int32_t a_size = 50000;
      const std::int32_t b_size = 60000;
      const auto [a_part, b_part] = test::make_ranks(test::distribution::runs, a_size, b_size, 1 << 30, 16);
      std::vector<std::int32_t> table(a_part.begin(), a_part.end());
      table.insert(table.end(), b_part.begin(), b_part.end());
      const auto memory = test::to_memory<policy_t>(table);
      const std::int32_t rows = a_size + b_size;
      std::vector<std::int32_t> a_rows(a_size);
      std::vector<std::int32_t> b_rows(b_size);
      for (std::int32_t i = 0; i < rows; ++i)
      {
        (i < a_size ? a_rows[i] : b_rows[i - a_size]) = i;
      }
      const by_row on_host{table.data(), rows};
      const by_row there{thrust::raw_pointer_cast(memory.data()), rows};
      const auto a = test::to_memory<policy_t>(a_rows);
      const auto b = test::to_memory<policy_t>(b_rows);
      for (const test::set_op op : test::all_set_ops)
      {
        SCOPED_TRACE(test::name_of(op));
        const auto expected = test::std_set_operation(op, a_rows, b_rows, on_host);
        test::memory<policy_t, std::int32_t> out(rows, -1);
        const auto end = test::set_keys(op, policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(), there);
        auto got = test::to_host(out);
        got.resize(end - out.begin());
        ASSERT_EQ(got, expected.keys);
      }
    });
}

} // namespace
