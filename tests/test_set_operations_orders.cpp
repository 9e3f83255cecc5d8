// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The set operations and merges in orders other than that of different numbers, ascending.

#include "support/distributions.h"
#include "support/keys.h"
#include "support/set_battery.h"
#include "support/systems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <type_traits>
#include <vector>

namespace
{

// Zeros of both signs are equal, and their signs show without values which input each came from. There are more of them
// than are taken at a time, among keys with several copies each.
TEST(SetOperations, MergeOfZerosOfBothSigns)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto keys = [](float zero)
  {
    std::vector<float> result;
    for (int key = -500; key <= 500; ++key)
    {
      result.insert(result.end(), key == 0 ? 100 : 8, key == 0 ? zero : static_cast<float>(key));
    }
    return result;
  };
  const auto a = keys(-0.0f);
  const auto b = keys(0.0f);
  const auto signs = [](const std::vector<float>& merged)
  {
    std::vector<bool> result;
    std::transform(merged.begin(), merged.end(), std::back_inserter(result), [](float x) { return std::signbit(x); });
    return result;
  };
  std::vector<float> expected;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto da = test::to_memory<policy_t>(a);
      const auto db = test::to_memory<policy_t>(b);
      test::memory<policy_t, float> out(a.size() + b.size());
      mgpu::merge(policy, da.begin(), da.end(), db.begin(), db.end(), out.begin(), ::cuda::std::less<float>{});
      ASSERT_EQ(test::to_host(out), expected);
      ASSERT_EQ(signs(test::to_host(out)), signs(expected));
    });
}

TEST(SetOperations, DescendingOrder)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const test::set_ops<test::set_op::symmetric_difference, test::set_op::merge> ops;
  test::check_keys<test::forms::all, std::int32_t>(ops, test::distribution::runs, 70000, 50000, 15, test::greater{});
}

/// Compares rows of a table by their content; the keys are row numbers, so only rows of the table may be compared.
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
      const std::int32_t a_size = 80000;
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
      test::for_each_op(
        test::all_set_ops{},
        [&](auto each)
        {
          constexpr test::set_op op = decltype(each)::value;
          SCOPED_TRACE(test::name_of(op));
          const auto expected = test::std_set_operation(op, a_rows, b_rows, on_host);
          test::memory<policy_t, std::int32_t> out(rows, -1);
          const auto end = test::set_keys<op>(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin(), there);
          auto got = test::to_host(out);
          got.resize(end - out.begin());
          ASSERT_EQ(got, expected.keys);
        });
    });
}

} // namespace
