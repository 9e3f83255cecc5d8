// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The overloads of joins, with and without a policy and a comparator, and joins in other orders.

#include "support/distributions.h"
#include "support/elements.h"
#include "support/join_battery.h"
#include "support/keys.h"
#include "support/systems.h"

#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace
{

using row_numbers = std::vector<std::int32_t>;

TEST(Joins, DescendingOrder)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::with_keys<std::int32_t>(
    test::distribution::runs, 70000, 50000, 13, test::greater{},
    [](const auto& left, const auto& right)
    { test::check_under_all_policies<std::int32_t>(test::full_join{}, left, right, test::greater{}); });
}

/// Compares rows of a table by their row numbers, which must be valid.
struct less_row
{
  const std::int32_t* keys;
  std::int32_t rows;
  std::int32_t* has_wrong_number;

  MGPU_THRUST_HOST_DEVICE bool operator()(std::int32_t x, std::int32_t y) const
  {
    if (x < 0 || x >= rows || y < 0 || y >= rows)
    {
      *has_wrong_number = 1;
      return false;
    }
    return keys[x] < keys[y];
  }
};

void check_indirect_comparator(std::int32_t left_size, std::int32_t right_size)
{
  const std::int32_t size = left_size + right_size;
  const auto ranks = test::make_ranks(test::distribution::runs, left_size, right_size, 1 << 30, 16);
  const row_numbers left(ranks.first.begin(), ranks.first.end());
  const row_numbers right(ranks.second.begin(), ranks.second.end());
  row_numbers both = left;
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
          test::memory<policy_t, std::int32_t> wrong(1, 0);
          const less_row comp{thrust::raw_pointer_cast(keys.data()), size, thrust::raw_pointer_cast(wrong.data())};
          const auto numbers = test::to_memory<policy_t>(test::make_elements<std::int32_t>(size, 0));
          const auto rows = numbers.begin();
          test::memory<policy_t, std::int32_t> left_out(expected.size() + 1, -7);
          test::memory<policy_t, std::int32_t> right_out(expected.size() + 1, -7);
          const auto ends = join.run(
            policy, rows, rows + left_size, rows + left_size, rows + size, left_out.begin(), right_out.begin(), comp);
          ASSERT_EQ(ends.first - left_out.begin(), expected.size());
          test::expect_rows(left_out, right_out, expected, 0, expected.size());
          ASSERT_EQ(test::to_host(wrong)[0], 0);
        });
    });
}

// A comparator of row numbers is called with valid row numbers only.
TEST(Joins, IndirectComparator)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_indirect_comparator(50000, 50000);
#if defined(__CUDACC__)
  check_indirect_comparator(1000, 4000000);
  check_indirect_comparator(4000000, 1000);
#endif
}

template <class Policy, class Join>
void check_overloads(const Policy& policy, Join join)
{
  const row_numbers host_left{1, 3, 3, 5};
  const row_numbers host_right{0, 3, 3, 4};
  const auto expected = test::search_each<std::int32_t>(join, host_left, host_right, ::cuda::std::less<>{});
  row_numbers both = host_left;
  both.insert(both.end(), host_right.begin(), host_right.end());
  const auto keys = test::to_memory<Policy>(both);
  test::memory<Policy, std::int32_t> wrong(1, 0);
  const less_row comp{thrust::raw_pointer_cast(keys.data()), 8, thrust::raw_pointer_cast(wrong.data())};
  const auto rows =
    test::to_memory<Policy>(row_numbers{0, 1, 2, 3, 4, 5, 6, 7}); // rows of the left table, then of the right
  const auto a = rows.begin();
  const auto b = a + 4;
  const auto left = test::to_memory<Policy>(host_left);
  const auto right = test::to_memory<Policy>(host_right);
  test::memory<Policy, std::int32_t> x(9, -7);
  test::memory<Policy, std::int32_t> y(9, -7);
  const auto check = [&](const auto& ends)
  {
    ASSERT_EQ(ends.first - x.begin(), expected.size());
    ASSERT_EQ(ends.second - y.begin(), expected.size());
    test::expect_rows(x, y, expected, 0, expected.size());
  };
  const auto l = left.begin();
  const auto r = right.begin();
  check(join.run(policy, l, l + 4, r, r + 4, x.begin(), y.begin()));
  check(join.run(l, l + 4, r, r + 4, x.begin(), y.begin()));
  check(join.run(policy, a, b, b, b + 4, x.begin(), y.begin(), comp));
  check(join.run(a, b, b, b + 4, x.begin(), y.begin(), comp));
  EXPECT_EQ(join.size(policy, l, l + 4, r, r + 4), expected.size());
  EXPECT_EQ(join.size(l, l + 4, r, r + 4), expected.size());
  EXPECT_EQ(join.size(policy, a, b, b, b + 4, comp), expected.size());
  EXPECT_EQ(join.size(a, b, b, b + 4, comp), expected.size());
  const mgpu::join_plan plan(policy, typename Join::kind{}, l, l + 4, r, r + 4);
  check(plan.fill(x.begin(), y.begin()));
  EXPECT_EQ(test::to_host(wrong)[0], 0);
}

TEST(Joins, Overloads)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy([](const auto& policy)
                        { test::for_each_join([&](auto join) { check_overloads(policy, join); }); });
}

} // namespace
