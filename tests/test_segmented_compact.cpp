// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Segmented compaction: every distribution of sizes, any share of items, segments at the ends of pieces, predicates of
// segments, columns, plain output iterators, functions that throw, overloads and policies.

#include "support/compact_battery.h"
#include "support/fuzz.h"
#include "support/policy_battery.h"
#include "support/systems.h"

#include <mgpu_thrust/segmented_compact.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using test::segmentation;

TEST(SegmentedCompact, AllSmallSegments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_small_segmentation(
    4, 2,
    [](const segmentation& in)
    {
      if (in.num_segments() > 0)
      {
        for (const std::uint32_t limit : {0, 32, 64})
        {
          test::check_compactions(in, limit);
        }
        test::check_copy_if(in, test::numbered_items(in.num_items), test::keep_by_segment{});
      }
    });
}

TEST(SegmentedCompact, EveryDistributionOfSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_segmentation(
    [](const segmentation& in)
    {
      for (const std::uint32_t limit : {0, 1, 32, 64})
      {
        test::check_compactions(in, limit);
      }
      test::check_copy_if(in, test::numbered_items(in.num_items), test::keep_by_segment{});
    });
}

#if defined(__CUDACC__)
constexpr std::int64_t compacted_piece = mgpu::detail::compact_shape<sizeof(std::int32_t)>::items;
#else
constexpr std::int64_t compacted_piece = mgpu::detail::cpu_piece_elements;
#endif

// Segments that begin or end at the ends of pieces, and segments over several pieces, next to segments of one item or
// none.
TEST(SegmentedCompact, SegmentsAtTheEndsOfPieces)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (std::int64_t d = -2; d <= 2; ++d)
  {
    for (const std::int64_t others : {0, 1})
    {
      std::vector<std::int64_t> sizes;
      for (const std::int64_t size : {compacted_piece + d, compacted_piece, 2 * compacted_piece - d})
      {
        sizes.insert(sizes.end(), others == 0 ? 3 : 5, others);
        sizes.push_back(size);
      }
      sizes.insert(sizes.end(), 2 * compacted_piece, others);
      sizes.push_back(3);
      SCOPED_TRACE(std::to_string(d) + ", others of " + std::to_string(others));
      test::check_compactions(test::from_sizes(sizes), 20);
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

#if defined(__CUDACC__)

// More tiles than a device executes at once, so that their offsets are served.
TEST(SegmentedCompact, ManyTiles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t many = (mgpu::detail::max_tiles_cut_by_blocks + 1) * compacted_piece;
  test::check_compactions(test::from_sizes({0, 1, many / 3, 0, 0, many, 7, 0}), 33);
  test::check_compactions(test::with_empty_segments(test::from_sizes({5, 3, 3000}), 2 * many), 33);
  for (const test::lengths kind :
       {test::lengths::all_ones, test::lengths::mean_4, test::lengths::mean_64, test::lengths::power_law})
  {
    const segmentation in = test::make_segmentation(kind, many, 11);
    for (const std::uint32_t limit : {0, 40, 64})
    {
      test::check_compactions(in, limit);
    }
    test::check_copy_if(in, test::numbered_items(in.num_items), test::keep_by_segment{});
  }
}

#endif

// New cases each time; MGPU_THRUST_FUZZ_SEED reproduces them.
TEST(SegmentedCompact, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_random_segmentation(
    [](const segmentation& in)
    {
      if (in.num_segments() > 0)
      {
        test::check_compactions(in, static_cast<std::uint32_t>(in.num_items + in.num_segments()) % 65);
      }
    });
}

// Without segments, and without items.
TEST(SegmentedCompact, Nothing)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_compactions({0, {}}, 32);
  test::check_compactions({0, {0, 0, 0}}, 32);
}

/// A row of two columns whose second one is small.
struct is_small_row
{
  template <class Row>
  MGPU_THRUST_HOST_DEVICE bool operator()(const Row& row) const
  {
    return thrust::get<1>(row) < 5.0;
  }
};

struct quarter_of
{
  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int32_t number) const
  {
    return number / 4;
  }
};

// Columns, without a policy; and no items, for the offsets alone.
TEST(SegmentedCompact, ColumnsAndOffsetsAlone)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using policy_t = std::decay_t<decltype(thrust::device)>;
  const auto offsets = test::to_memory<policy_t>(std::vector<std::int32_t>{0, 3, 3, 4});
  const auto keys = test::to_memory<policy_t>(std::vector<std::int32_t>{3, 1, 2, 7, 9, 8});
  const auto values = test::to_memory<policy_t>(std::vector<double>{1, 9, 2, 3, 9, 4});
  test::memory<policy_t, std::int32_t> keys_out(6);
  test::memory<policy_t, double> values_out(6);
  test::memory<policy_t, std::int64_t> offsets_out(5);
  const auto rows = thrust::make_zip_iterator(keys.begin(), values.begin());
  const auto rows_out = thrust::make_zip_iterator(keys_out.begin(), values_out.begin());
  const auto end = mgpu::segmented_copy_if(
    rows, rows + 6, offsets.begin(), offsets.end(), rows_out, offsets_out.begin(), is_small_row{});
  EXPECT_EQ(end - rows_out, 4);
  EXPECT_EQ(test::to_host(keys_out), (std::vector<std::int32_t>{3, 2, 7, 8, 0, 0}));
  EXPECT_EQ(test::to_host(values_out), (std::vector<double>{1, 2, 3, 4, 0, 0}));
  EXPECT_EQ(test::to_host(offsets_out), (std::vector<std::int64_t>{0, 2, 2, 3, 4}));

  // The items are 0 0 0 0 1 1: the last segment begins within a run.
  const auto quarters = thrust::make_transform_iterator(thrust::counting_iterator<std::int32_t>(0), quarter_of{});
  const auto last = mgpu::segmented_unique_copy(
    quarters, quarters + 6, offsets.begin(), offsets.end(), thrust::make_discard_iterator(), offsets_out.begin());
  EXPECT_EQ(last - thrust::make_discard_iterator(), 3);
  EXPECT_EQ(test::to_host(offsets_out), (std::vector<std::int64_t>{0, 1, 1, 2, 3}));
}

#if !defined(__CUDACC__)

TEST(SegmentedCompact, StringsAndPlainOutputIterators)
{
  const std::vector<std::string> items{"a", "a", "b", "b", "b", "c"};
  const std::vector<unsigned> offsets{0, 0, 3, 6};
  std::vector<std::string> kept;
  std::vector<std::int64_t> kept_offsets;
  mgpu::segmented_unique_copy(
    thrust::seq, items.begin(), items.end(), offsets.begin(), offsets.end(), std::back_inserter(kept),
    std::back_inserter(kept_offsets));
  EXPECT_EQ(kept, (std::vector<std::string>{"a", "b", "b", "c"}));
  EXPECT_EQ(kept_offsets, (std::vector<std::int64_t>{0, 0, 2, 4, 4}));
}

// Strings of many pieces under every policy.
TEST(SegmentedCompact, ManyStrings)
{
  const segmentation in = test::make_segmentation(test::lengths::mean_4, 100000, 3);
  std::vector<std::string> items;
  for (std::int64_t i = 0; i < in.num_items; ++i)
  {
    items.push_back("a string that needs memory: " + std::to_string(i / 3));
  }
  const auto keep = [&](std::int64_t i, std::int64_t, bool is_first) { return is_first || items[i - 1] != items[i]; };
  const auto expected = test::expected_compaction(in, items, keep);
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<std::string> out(expected.items.size());
      std::vector<std::int64_t> offsets(expected.offsets.size());
      const auto end = mgpu::segmented_unique_copy(
        policy, items.begin(), items.end(), in.offsets.begin(), in.offsets.end(), out.begin(), offsets.begin());
      EXPECT_EQ(end, out.end());
      EXPECT_EQ(out, expected.items);
      EXPECT_EQ(offsets, expected.offsets);
    });
}

// What a predicate throws reaches the caller, whichever worker calls it.
TEST(SegmentedCompact, PredicatesThatThrow)
{
  const segmentation in = test::make_segmentation(test::lengths::mean_64, 200000, 4);
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<int> out(200000);
      std::vector<int> offsets(in.offsets.size() + 1);
      const thrust::counting_iterator<int> numbers(0);
      const auto pred = [](int x) { return x == 177777 ? throw std::domain_error("refused") : x % 2 == 0; };
      EXPECT_THROW(
        mgpu::segmented_copy_if(
          policy, numbers, numbers + 200000, in.offsets.begin(), in.offsets.end(), out.begin(), offsets.begin(), pred),
        std::domain_error);
    });
}

#endif

/// Segments of ten items, of which some are kept. Their offsets are not written.
struct compact_call : test::policy_call
{
  explicit compact_call(std::int64_t size)
  {
    inputs.resize(2);
    for (std::int32_t i = 0; i < size; ++i)
    {
      inputs[0].push_back(i / 4);
      if (i % 10 == 0)
      {
        inputs[1].push_back(i);
      }
    }
  }
};

struct copy_if_call : compact_call
{
  explicit copy_if_call(std::int64_t size)
      : compact_call(size)
  {
    std::copy_if(inputs[0].begin(), inputs[0].end(), std::back_inserter(expected), test::keep_some{20});
    result = static_cast<std::int64_t>(expected.size());
  }

  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::segmented_copy_if(
             policy, in.first[0], in.last[0], in.first[1], in.last[1], out, thrust::make_discard_iterator(),
             test::keep_some{20})
           - out;
  }
};

struct unique_copy_call : compact_call
{
  explicit unique_copy_call(std::int64_t size)
      : compact_call(size)
  {
    for (std::int32_t i = 0; i < size; ++i)
    {
      if (i % 4 == 0 || i % 10 == 0)
      {
        expected.push_back(i / 4);
      }
    }
    result = static_cast<std::int64_t>(expected.size());
  }

  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::segmented_unique_copy(
             policy, in.first[0], in.last[0], in.first[1], in.last[1], out, thrust::make_discard_iterator())
           - out;
  }
};

} // namespace

namespace test
{
using compact_calls = testing::Types<copy_if_call, unique_copy_call>;
INSTANTIATE_TYPED_TEST_SUITE_P(SegmentedCompact, Policies, compact_calls);
} // namespace test
