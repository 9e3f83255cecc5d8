// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The joins of keys of every type, with no more than their type's alignment, and with row numbers of other types.

#include "support/distributions.h"
#include "support/join_battery.h"
#include "support/keys.h"
#include "support/systems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using test::join_forms;

/// Checks the full join.
template <class Index, class Key, join_forms Forms = join_forms::all>
void check_full(test::distribution d, std::int64_t left_size, std::int64_t right_size, std::uint64_t seed)
{
  const ::cuda::std::less<> less;
  test::with_keys<Key>(
    d, left_size, right_size, seed, less,
    [&](const auto& left, const auto& right)
    { test::check_under_all_policies<Index, Forms>(test::full_join{}, left, right, less); });
}

template <class Key, join_forms Forms>
void check_key_type()
{
  SCOPED_TRACE("keys of " + std::to_string(sizeof(Key)) + " bytes");
  const std::int64_t n = sizeof(Key) > 100 ? 700 : sizeof(Key) < 2 ? 3000 : test::join_tile_items<Key>() + 5;
  check_full<std::int64_t, Key, Forms>(test::distribution::uniform, n, n, 10);
  check_full<std::int64_t, Key, Forms>(test::distribution::few_keys, 500, 600, 11);
  check_full<std::int64_t, Key, Forms>(test::distribution::extremes, 300, 700, 12);
#if defined(__CUDACC__)
  if (Forms == join_forms::all && sizeof(Key) <= 16) // more tiles than an H200 executes at once
  {
    check_full<std::int64_t, Key, Forms>(test::distribution::uniform, 900000, 700000, 13);
  }
#endif
}

// Joins in one pass and plans load and search the same tiles. Among key types with the same tile shape, one is tested
// with both, the others with a plan.
TEST(Joins, KeysOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_key_type<test::only_less, join_forms::planned>();
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_key_type<std::int8_t, join_forms::planned>();
  check_key_type<std::int64_t, join_forms::all>();
  check_key_type<double, join_forms::planned>();
  check_key_type<test::words_key<3>, join_forms::all>();
#endif
  check_key_type<test::words_key<400>, join_forms::all>();      // too large for shared memory
#if defined(__CUDACC__) && !defined(MGPU_THRUST_TEST_FEW_TYPES) // other tiles; a CPU has no other paths for these
  check_key_type<std::uint8_t, join_forms::planned>();
  check_key_type<std::int16_t, join_forms::all>();
  check_key_type<std::uint32_t, join_forms::planned>();
  check_key_type<float, join_forms::planned>();
  check_key_type<std::uint64_t, join_forms::planned>();
  check_key_type<test::words_key<4>, join_forms::planned>();
#endif
}

TEST(Joins, RowsOfOtherTypes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_full<std::int16_t, std::int32_t>(test::distribution::runs, 32000, 30000, 14);
  check_full<std::int8_t, std::int32_t, join_forms::planned>(test::distribution::uniform, 128, 100, 15);
}

// Keys at addresses with no more than their type's alignment.
TEST(Joins, AlignedToTheTypeOnly)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto ranks = test::make_ranks(test::distribution::uniform, 20000, 20000, 32767, 18);
  const std::vector<std::int16_t> all_left(ranks.first.begin(), ranks.first.end());
  const std::vector<std::int16_t> all_right(ranks.second.begin(), ranks.second.end());
  const test::full_join join;
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto left = test::to_memory<policy_t>(all_left);
      const auto right = test::to_memory<policy_t>(all_right);
      for (const int shift : {0, 1, 2, 3, 7})
      {
        const auto expected = test::search_each<std::int64_t>(
          join, std::vector<std::int16_t>(all_left.begin() + shift, all_left.end()),
          std::vector<std::int16_t>(all_right.begin() + 2 * shift, all_right.end()), ::cuda::std::less<>{});
        test::memory<policy_t, std::int64_t> left_out(expected.size() + 1 + shift, -7);
        test::memory<policy_t, std::int64_t> right_out(expected.size() + 1 + shift, -7);
        join.run(
          policy, left.begin() + shift, left.end(), right.begin() + 2 * shift, right.end(), left_out.begin() + shift,
          right_out.begin() + shift);
        left_out.erase(left_out.begin(), left_out.begin() + shift);
        right_out.erase(right_out.begin(), right_out.begin() + shift);
        test::expect_rows(left_out, right_out, expected, 0, expected.size());
      }
    });
}

} // namespace
