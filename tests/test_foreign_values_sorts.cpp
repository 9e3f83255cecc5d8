// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The sorts call comparators with elements alone, on every path: sizes known and deferred, on a GPU with foreign values
// in shared memory.

#include "support/foreign_values.h"
#include "support/segmented_sort_battery.h"
#include "support/sort_battery.h"
#include "support/systems.h"

#include <mgpu_thrust/segmented_sort.h>
#include <mgpu_thrust/segmented_sort_n.h>
#include <mgpu_thrust/sort.h>
#include <mgpu_thrust/sort_n.h>

#include <thrust/copy.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

/// Unsorted keys with foreign values after their end, which a sort finds again each time.
template <class Policy, class Key>
struct foreign_keys
{
  std::int64_t size;
  test::memory<Policy, Key> input, keys;
  test::memory<Policy, std::int32_t> values;
  test::memory<Policy, std::int64_t> count;
  test::foreign_calls<Policy> calls;

  explicit foreign_keys(const std::vector<std::int64_t>& ranks)
      : size(static_cast<std::int64_t>(ranks.size()))
      , input(test::to_memory<Policy>(test::marked_keys<Key>(ranks, size / 2 + 9)))
      , keys(input)
      , values(input.size())
      , count(1, size)
  {
  }

  /// Calls sort(keys, number of keys), for a number that is known or deferred.
  template <class Size, class Sort>
  void check(const char* function, const Size& number, Sort sort)
  {
    thrust::copy(input.begin(), input.end(), keys.begin());
    calls.poison();
    sort(keys.begin(), number);
    calls.expect_none(function);
  }
  auto deferred_size() const
  {
    return mgpu::deferred{thrust::raw_pointer_cast(count.data()), static_cast<std::int64_t>(input.size())};
  }
};

template <class Key, class Policy>
void check_sorts(const Policy& policy, const std::vector<std::int64_t>& ranks)
{
  foreign_keys<Policy, Key> in(ranks);
  const test::less_of_elements comp{in.calls.counter()};
  const auto values = in.values.begin();
  in.check("sort", in.size, [&](auto first, auto n) { mgpu::sort(policy, first, first + n, comp); });
  in.check(
    "sort_by_key", in.size, [&](auto first, auto n) { mgpu::sort_by_key(policy, first, first + n, values, comp); });
  in.check("locality_sort", in.size, [&](auto first, auto n) { mgpu::locality_sort(policy, first, first + n, comp); });
  in.check("sort_n", in.deferred_size(), [&](auto first, auto n) { mgpu::sort_n(policy, first, n, comp); });
  in.check(
    "sort_by_key_n", in.deferred_size(),
    [&](auto first, auto n) { mgpu::sort_by_key_n(policy, first, n, values, comp); });
}

template <class Key, class Policy>
void check_segmented_sorts(
  const Policy& policy, const std::vector<std::int64_t>& ranks, const std::vector<std::int32_t>& begins)
{
  foreign_keys<Policy, Key> in(ranks);
  const test::less_of_elements comp{in.calls.counter()};
  const auto values = in.values.begin();
  const auto offsets = test::to_memory<Policy>(begins);
  const auto segments = static_cast<std::int64_t>(begins.size());
  std::vector<char> heads(in.size);
  for (const std::int32_t begin : begins)
  {
    heads[begin] = 1;
  }
  const auto flags = test::to_memory<Policy>(heads);
  in.check(
    "segmented_sort", in.size,
    [&](auto first, auto n) { mgpu::segmented_sort(policy, first, first + n, offsets.begin(), offsets.end(), comp); });
  in.check(
    "segmented_sort_by_key", in.size,
    [&](auto first, auto n)
    { mgpu::segmented_sort_by_key(policy, first, first + n, values, offsets.begin(), offsets.end(), comp); });
  in.check(
    "segmented_sort_by_flags", in.size,
    [&](auto first, auto n) { mgpu::segmented_sort_by_flags(policy, first, first + n, flags.begin(), comp); });
  in.check(
    "segmented_sort_n", in.deferred_size(),
    [&](auto first, auto n) { mgpu::segmented_sort_n(policy, first, n, offsets.begin(), segments, comp); });
}

/// In these the parts of runs that a key is ranked in are of all sizes, also empty.
constexpr test::disorder disorders[] = {
  test::disorder::uniform, test::disorder::sorted, test::disorder::reversed, test::disorder::few_keys,
  test::disorder::one_misplaced};

/// Calls call(key) for a key of each size that has other kernels; the largest are sorted by their indices.
template <class Call>
void for_each_key(Call call)
{
  call(test::marked_key<1>{});
  call(test::marked_key<2>{});
  call(test::marked_key<4>{});
  call(test::marked_key<6>{});
}

TEST(ForeignValues, Sorts)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      for (const std::int64_t size :
           test::foreign_sizes({2, 31, 257, 1000, 3000, 9000, 20000, 33000, 150000, 300007, 1300003}))
      {
        for (const test::disorder d : disorders)
        {
          SCOPED_TRACE(std::to_string(size) + " keys, " + test::name_of(d));
          const auto ranks = test::make_disorder(d, size, (1 << 24) - 1, 3);
          for_each_key([&](auto key) { check_sorts<decltype(key)>(policy, ranks); });
        }
      }
    });
}

TEST(ForeignValues, SegmentedSorts)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      for (const std::int64_t size : test::foreign_sizes({31, 3000, 9000, 20000, 60000, 150000, 1300003}))
      {
        for (const std::int64_t longest : {std::int64_t{3}, std::int64_t{40}, std::int64_t{700}, size / 3 + 2, size})
        {
          for (const test::disorder d : disorders)
          {
            SCOPED_TRACE(
              std::to_string(size) + " keys in segments of up to " + std::to_string(longest) + ", " + test::name_of(d));
            const auto ranks = test::make_disorder(d, size, (1 << 24) - 1, 3);
            std::int64_t segment = 0;
            const auto begins = test::make_offsets(
              size, [&] { return ++segment % 5 == 3 ? longest : segment * 7919 % (longest + 1) + 1; });
            for_each_key([&](auto key) { check_segmented_sorts<decltype(key)>(policy, ranks, begins); });
          }
        }
      }
    });
}

} // namespace
