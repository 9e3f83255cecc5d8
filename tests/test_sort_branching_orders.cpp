// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Sorts by comparisons that have control flow: arrays, tuples, columns, strings. tests/compile_time has limits of the
// time that nvcc takes for them.

#include "support/branching_keys.h"
#include "support/segmented_sort_battery.h"
#include "support/sort_battery.h"
#include "support/systems.h"

#include <cuda/std/array>

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

template <class Key>
void check_key()
{
  test::check_types<Key, test::keys_alone | test::with_values>();
  for (const std::int64_t size : {std::int64_t{5000}, test::several_pieces})
  {
    const auto keys = test::to_keys<Key>(test::make_disorder(test::disorder::uniform, size, 1 << 20, 5));
    std::int64_t segments = 0;
    const auto offsets = test::make_offsets(size, [&] { return ++segments % 5 == 0 ? 3001 : segments % 40; });
    test::check_segmented_sort<std::int32_t, test::keys_alone>(keys, offsets);
  }
}

TEST(SortBranchingOrders, Arrays)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_key<::cuda::std::array<std::int32_t, 2>>();
#if defined(__CUDACC__)
  check_key<::cuda::std::array<std::int32_t, 3>>();
#endif
}

#if defined(__CUDACC__) // for a CPU a comparison with control flow is one like others

TEST(SortBranchingOrders, PointersAndEarlyReturns)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_key<test::pointers_key>();
}

TEST(SortBranchingOrders, Columns)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_key<test::columns_key>();
}

TEST(SortBranchingOrders, Text)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_key<test::text_key>();
}

#endif

TEST(SortBranchingOrders, Tuples)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_key<test::tuple_key>();
}

TEST(SortBranchingOrders, StringsByOffsets)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::string text;
  std::vector<std::int32_t> offsets{0};
  for (int i = 0; i < 50000; ++i)
  {
    text += std::to_string(i * 7919LL % 10007).substr(0, i % 6);
    offsets.push_back(static_cast<std::int32_t>(text.size()));
  }
  std::vector<std::int32_t> strings(offsets.size() - 1);
  std::iota(strings.begin(), strings.end(), 0);
  const auto expected = test::expected_order(strings, test::by_text{text.data(), offsets.data()});
  const std::vector<std::int32_t> sorted(expected.begin(), expected.end());
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto characters = test::to_memory<policy_t>(std::vector<char>(text.begin(), text.end()));
      const auto ends = test::to_memory<policy_t>(offsets);
      auto keys = test::to_memory<policy_t>(strings);
      const test::by_text order{thrust::raw_pointer_cast(characters.data()), thrust::raw_pointer_cast(ends.data())};
      mgpu::stable_sort(policy, keys.begin(), keys.end(), order);
      EXPECT_EQ(test::to_host(keys), sorted);
    });
}

} // namespace
