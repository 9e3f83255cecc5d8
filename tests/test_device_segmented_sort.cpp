// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// DeviceSegmentedSort: called directly and captured into a graph, by offsets and by flags; segments around tile borders
// and across many tiles, few segments, bad arguments.

#include "support/device_calls.h"
#include "support/sort_battery.h"
#include "support/systems.h"

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/device/device_segmented_sort.cuh>

#include <thrust/copy.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace
{

using mgpu::DeviceSegmentedSort;
using test::raw;
using device = thrust::cuda::tag;
using ints = std::vector<std::int32_t>;

ints make_keys(test::disorder d, std::int64_t size, std::uint64_t seed = 1)
{
  return test::to_keys<std::int32_t>(test::make_disorder(d, size, 1 << 30, seed));
}

/// Offsets `length` keys apart, some of them twice, up to the end or, if `covers` is false, up to the middle.
ints equal_segments(std::int64_t size, std::int64_t length, bool covers = true)
{
  ints offsets;
  for (std::int64_t at = 0; at < (covers ? size : size / 2 + 1); at += length)
  {
    offsets.insert(offsets.end(), at % 3 + 1, static_cast<std::int32_t>(at));
  }
  return offsets;
}

template <class Key>
std::vector<std::int64_t> expected_order(const std::vector<Key>& keys, const ints& offsets)
{
  std::vector<std::int64_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  for (std::size_t s = 0; s < offsets.size(); ++s)
  {
    const auto end = s + 1 < offsets.size() ? offsets[s + 1] : static_cast<std::int64_t>(keys.size());
    std::stable_sort(
      order.begin() + offsets[s], order.begin() + end,
      [&](std::int64_t i, std::int64_t j) { return keys[i] < keys[j]; });
  }
  return order;
}

/// Checks sorts of keys by offsets, called directly and captured, and by flags; and sorts of pairs and of indices.
void check(const ints& keys, const ints& offsets)
{
  const auto size = static_cast<std::int64_t>(keys.size());
  const auto segments = static_cast<std::int64_t>(offsets.size());
  const auto order = expected_order(keys, offsets);
  const thrust::device_vector<std::int32_t> d_offsets = offsets;
  for (const auto& run : {test::call, test::capture})
  {
    SCOPED_TRACE(run == test::capture ? "captured" : "called");
    auto sorted = test::to_guarded_memory<device>(keys);
    run(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return DeviceSegmentedSort::SortKeys(
          storage, bytes, raw(sorted), size, raw(d_offsets), segments, ::cuda::std::less<>{}, stream);
      });
    test::expect_sorted(sorted, keys, order);
  }
  {
    SCOPED_TRACE("short form");
    auto sorted = test::to_guarded_memory<device>(keys);
    test::call_short(
      [&](cudaStream_t stream) {
        return DeviceSegmentedSort::SortKeys(
          raw(sorted), size, raw(d_offsets), segments, ::cuda::std::less<>{}, stream);
      });
    test::expect_sorted(sorted, keys, order);
  }
  {
    SCOPED_TRACE("pairs");
    auto sorted = test::to_guarded_memory<device>(keys);
    auto values = test::values_in_guarded_memory<device, std::int64_t>(size);
    test::call(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return DeviceSegmentedSort::SortPairs(
          storage, bytes, raw(sorted), raw(values), size, raw(d_offsets), segments, ::cuda::std::less<>{}, stream);
      });
    test::expect_sorted(sorted, keys, order);
    test::expect_sorted_values<std::int64_t>(values, order);
  }
  {
    SCOPED_TRACE("indices");
    const thrust::device_vector<std::int32_t> d_keys = keys;
    thrust::device_vector<std::int64_t> indices(size + 1, -7);
    test::call(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return DeviceSegmentedSort::StableSortIndices(
          storage, bytes, raw(d_keys), size, raw(d_offsets), segments, raw(indices), ::cuda::std::less<>{}, stream);
      });
    test::expect_sorted_values<std::int64_t>(indices, order);
  }
  {
    SCOPED_TRACE("flags");
    std::vector<char> flags(size, 0);
    std::for_each(offsets.begin(), offsets.end(), [&](std::int32_t at) { at < size ? flags[at] = 1 : 0; });
    const thrust::device_vector<char> d_flags = flags;
    auto sorted = test::to_guarded_memory<device>(keys);
    test::call(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return DeviceSegmentedSort::SortKeysByFlags(
          storage, bytes, raw(sorted), size, raw(d_flags), ::cuda::std::less<>{}, stream);
      });
    test::expect_sorted(sorted, keys, order);
  }
}

TEST(DeviceSegmentedSort, SegmentsOfEqualLengths)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  // One tile, few, many; the last is too much for one launch.
  for (const std::int64_t size : {1, 2304, 2305, 100003, 700001, 1100003})
  {
    for (const std::int64_t length : {1, 7, 100, 5000, 9001, 100000, 1000000})
    {
      for (const test::disorder d : {test::disorder::uniform, test::disorder::few_keys, test::disorder::reversed})
      {
        SCOPED_TRACE(
          std::string(test::name_of(d)) + " " + std::to_string(size) + " keys, segments of " + std::to_string(length));
        check(make_keys(d, size), equal_segments(size, length));
        ASSERT_FALSE(HasFatalFailure());
      }
    }
    check(make_keys(test::disorder::uniform, size), equal_segments(size, 1000, false));
  }
}

/// Checks segments that begin or end around the borders of tiles `step` elements apart, which are moved by up to
/// `slack` elements. As many empty segments at the end make the mean length such that there are such tiles, not tiles
/// of each segment.
void check_borders_of_tiles(std::int64_t size, int step, int slack, int empty_segments, const std::vector<int>& tiles)
{
  const auto keys = make_keys(test::disorder::few_keys, size);
  for (const int tile : tiles)
  {
    for (const int at : {-1, 0, 1, slack, slack + 1})
    {
      const std::int32_t first = tile * step + at;
      for (const int length : {1, 40, 5 * step})
      {
        SCOPED_TRACE(std::to_string(step) + " " + std::to_string(first) + " " + std::to_string(length));
        ints offsets{0, first, first + length};
        offsets.insert(offsets.end(), empty_segments, static_cast<std::int32_t>(size));
        check(keys, offsets);
        ASSERT_FALSE(testing::Test::HasFatalFailure());
      }
    }
  }
}

// Tiles are closer to each other if segments are shorter.
TEST(DeviceSegmentedSort, SegmentsAroundBordersOfTiles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using shapes = mgpu::detail::segmented_pairwise_shapes_t<std::int32_t, 0>;
  constexpr int tile = shapes::tile_items;
  const std::vector<int> tiles{1, 8, 9};
  check_borders_of_tiles(mgpu::detail::max_pairwise<4> / 2 + 11, tile, 0, 1000, {1, 8});
  check_borders_of_tiles(20 * tile + 11, shapes::segment_step, tile - shapes::segment_step, 1000, tiles);
  check_borders_of_tiles(60 * tile + 11, shapes::long_segment_step, tile - shapes::long_segment_step, 600, tiles);
}

/// Returns the offsets of segments of these lengths, and sets `size` to that of all.
ints segments_of(const ints& lengths, std::int64_t& size)
{
  ints offsets;
  size = 0;
  for (const int length : lengths)
  {
    offsets.push_back(static_cast<std::int32_t>(size));
    size += length;
  }
  return offsets;
}

// Each segment has tiles of its own: of all lengths around those from which on they are sorted in another way.
TEST(DeviceSegmentedSort, FewSegments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using shapes = mgpu::detail::segmented_pairwise_shapes_t<std::int32_t, 0>;
  const int max_ranked = shapes::block_sort::threads;
  const int tile = shapes::tile_items;
  ints lengths{0};
  for (const int around : {2, 8, 16, 32, 64, max_ranked / 2, max_ranked, tile, 2 * tile, 4 * tile})
  {
    lengths.insert(lengths.end(), {around - 1, around, around + 1, 0});
  }
  const ints short_lengths(lengths.begin(), lengths.begin() + 29);
  for (const auto& chosen : {short_lengths, lengths, ints(lengths.rbegin(), lengths.rend())})
  {
    for (const test::disorder d : {test::disorder::uniform, test::disorder::few_keys, test::disorder::reversed})
    {
      SCOPED_TRACE(std::string(test::name_of(d)) + " in " + std::to_string(chosen.size()) + " segments");
      std::int64_t size = 0;
      const ints offsets = segments_of(chosen, size);
      check(make_keys(d, size), offsets);
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

/// Checks a sort of deferred numbers of elements and of segments, of which there are fewer than capacities allow.
void check_deferred(const ints& keys, const ints& offsets, std::int64_t items_left, std::int64_t segments_left)
{
  const thrust::device_vector<std::int64_t> counts =
    std::vector<std::int64_t>{static_cast<std::int64_t>(keys.size()), static_cast<std::int64_t>(offsets.size())};
  const thrust::device_vector<std::int32_t> d_offsets = offsets;
  auto sorted = test::to_guarded_memory<device>(keys);
  test::call(
    [&](void* storage, std::size_t& bytes, cudaStream_t stream)
    {
      return DeviceSegmentedSort::SortKeys(
        storage, bytes, raw(sorted), mgpu::deferred{raw(counts), static_cast<std::int64_t>(keys.size()) + items_left},
        raw(d_offsets), mgpu::deferred{raw(counts) + 1, static_cast<std::int64_t>(offsets.size()) + segments_left},
        ::cuda::std::less<>{}, stream);
    });
  test::expect_sorted(sorted, keys, expected_order(keys, offsets));
}

// Segments with tiles of their own, of which at least one has that many elements.
TEST(DeviceSegmentedSort, FewSegmentsOfThousands)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const int tile = mgpu::detail::segmented_pairwise_shapes_t<std::int32_t, 0>::tile_items;
  std::mt19937_64 random(11);
  for (const int num_segments : {3, 7, 32, 33, 34, 66, 99, 128})
  {
    for (const int longest : {tile, tile + 1, 2 * tile, 3 * tile - 1, 4 * tile + 1})
    {
      SCOPED_TRACE(std::to_string(num_segments) + " of up to " + std::to_string(longest));
      ints lengths{tile - 2, 0, longest};
      std::generate_n(
        std::back_inserter(lengths), num_segments - 3,
        [&]
        {
          const auto length = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(longest + 1));
          return random() % 8 == 0 ? length % 40 : length;
        });
      std::int64_t size = 0;
      const ints offsets = segments_of(lengths, size);
      check(make_keys(random() % 2 == 0 ? test::disorder::few_keys : test::disorder::uniform, size), offsets);
      check_deferred(make_keys(test::disorder::uniform, size), offsets, 0, 0);
      check_deferred(make_keys(test::disorder::uniform, size), offsets, 1000, num_segments / 4);
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

// As many segments as can have tiles of their own, one less, and one more; without a long one, and with some.
TEST(DeviceSegmentedSort, AsManySegmentsAsHaveTilesOfTheirOwn)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using shapes = mgpu::detail::segmented_pairwise_shapes_t<std::int32_t, 0>;
  using shape = shapes::block_sort;
  constexpr int most = mgpu::detail::max_own_tile_segments<shapes>;
  std::mt19937_64 random(7);
  for (const int num_segments : {most - 1, most, most + 1})
  {
    for (const std::uint64_t below : {3, 60})
    {
      for (const int long_one : {0, 1, num_segments - 1})
      {
        SCOPED_TRACE(std::to_string(num_segments) + " below " + std::to_string(below) + " " + std::to_string(long_one));
        ints lengths;
        std::generate_n(
          std::back_inserter(lengths), num_segments, [&] { return static_cast<std::int32_t>(random() % below); });
        lengths[long_one] += long_one == 0 ? 0 : 3 * shape::items;
        std::int64_t size = 0;
        const ints offsets = segments_of(lengths, size);
        check(make_keys(test::disorder::few_keys, size), offsets);
        ASSERT_FALSE(HasFatalFailure());
      }
    }
  }
}

// Whatever the offsets, a sort ends, and writes nothing outside the range.
TEST(DeviceSegmentedSort, WrongOffsetsStayWithinBounds)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(4);
  for (int repeat = 0; repeat < 100; ++repeat)
  {
    const auto size = static_cast<std::int64_t>(1 + random() % (repeat % 4 == 0 ? 100000 : 1000));
    ints offsets(1 + random() % (repeat % 3 == 0 ? 20 : repeat % 2 == 0 ? 50 : 1000));
    for (std::int32_t& offset : offsets)
    {
      offset = static_cast<std::int32_t>(random() % (size + 20)) - 10;
    }
    if (repeat % 8 == 0)
    {
      offsets.back() = std::numeric_limits<std::int32_t>::min();
      offsets.front() = std::numeric_limits<std::int32_t>::max();
    }
    const thrust::device_vector<std::int32_t> d_offsets = offsets;
    thrust::device_vector<std::int32_t> sorted(3 * size, -5);
    thrust::copy_n(make_keys(test::disorder::uniform, size).begin(), size, sorted.begin() + size);
    test::call(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return DeviceSegmentedSort::SortKeys(
          storage, bytes, raw(sorted) + size, size, raw(d_offsets), static_cast<std::int64_t>(offsets.size()),
          ::cuda::std::less<>{}, stream);
      });
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const ints result = test::to_host(sorted);
    const auto is_guard = [](std::int64_t key) { return key == -5; };
    EXPECT_TRUE(std::all_of(result.begin(), result.begin() + size, is_guard));
    EXPECT_TRUE(std::all_of(result.end() - size, result.end(), is_guard));

    thrust::device_vector<std::int64_t> indices(3 * size, -5);
    test::call(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return DeviceSegmentedSort::StableSortIndices(
          storage, bytes, raw(sorted) + size, size, raw(d_offsets), static_cast<std::int64_t>(offsets.size()),
          raw(indices) + size, ::cuda::std::less<>{}, stream);
      });
    const std::vector<std::int64_t> written = test::to_host(indices);
    EXPECT_TRUE(std::all_of(written.begin(), written.begin() + size, is_guard));
    EXPECT_TRUE(std::all_of(written.end() - size, written.end(), is_guard));
  }
}
TEST(DeviceSegmentedSort, SegmentsAroundBordersOfManyTiles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using shapes = mgpu::detail::sort_shapes_t<std::int32_t, 0>;
  constexpr int slack = shapes::tile_items - shapes::segment_step;
  const std::int64_t size = mgpu::detail::max_pairwise<4> + 11;
  check_borders_of_tiles(size, shapes::tile_items, 0, 0, {1, 8});
  check_borders_of_tiles(size, shapes::segment_step, slack, static_cast<int>(size / slack), {1, 8});

  using short_shapes = mgpu::detail::short_segments_shapes_t<std::int32_t, 0>;
  constexpr int short_slack = short_shapes::tile_items - short_shapes::segment_step;
  const auto mean = static_cast<int>(mgpu::detail::max_mean_of_short - 1);
  check_borders_of_tiles(size, short_shapes::segment_step, short_slack, static_cast<int>(size) / mean, {1, 8});
}

// Short segments on average, so one kernel does all passes; but some are of several tiles, one of half of all keys, and
// there are more tiles than blocks execute at once. In the last input none needs a pass.
TEST(DeviceSegmentedSort, LongSegmentsAmongShortOnes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = 5000011;
  for (const std::int64_t longest : {size / 2, std::int64_t{70000}, std::int64_t{9000}, std::int64_t{0}})
  {
    SCOPED_TRACE(std::to_string(longest));
    std::mt19937_64 random(longest);
    ints offsets;
    for (std::int64_t at = 0; at < size;)
    {
      offsets.push_back(static_cast<std::int32_t>(at));
      const bool is_first_half = at < size / 2;
      const bool is_long = longest == size / 2 ? at > size / 4 && is_first_half : random() % 2000 == 0;
      at += is_long ? longest : static_cast<std::int64_t>(random() % 40);
    }
    for (const auto disorder : {test::disorder::uniform, test::disorder::sorted})
    {
      check(make_keys(disorder, size), offsets);
    }
  }
}

// So many empty segments in one tile that each key searches for its segment.
TEST(DeviceSegmentedSort, ManyEmptySegments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = 50000;
  ints offsets(1, 0);
  offsets.insert(offsets.end(), 100000, 300);
  offsets.insert(offsets.end(), 100000, 20001);
  offsets.push_back(20100);
  offsets.insert(offsets.end(), 100000, static_cast<std::int32_t>(size));
  check(make_keys(test::disorder::uniform, size), offsets);
}

/// Comparator that records values that are not keys, such as those of uninitialized temporary storage.
struct watching_order
{
  std::int32_t* strangers;

  MGPU_THRUST_HOST_DEVICE bool operator()(std::int32_t x, std::int32_t y) const
  {
    if (x >= 1 << 30 || y >= 1 << 30)
    {
      *strangers = x >= 1 << 30 ? x : y;
    }
    return x < y;
  }
};

// Tiles have work in few passes or in many, the first tiles in none: their keys are not in the temporary storage that a
// pass reads from.
TEST(DeviceSegmentedSort, ComparesKeysOfTheInputAlone)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::uint64_t longest[] = {100, 9000, 30000, 500000};
  for (const std::pair<int, int>& of_test :
       {std::pair{300000, 4}, {3000000, 1}, {3000000, 2}, {3000000, 3}, {3000000, 4}})
  {
    const int size = of_test.first;
    const int kinds = of_test.second;
    SCOPED_TRACE(std::to_string(size) + " " + std::to_string(kinds));
    std::mt19937_64 random(kinds);
    ints offsets;
    for (std::int64_t at = 0; at < size;)
    {
      offsets.push_back(static_cast<std::int32_t>(at));
      const std::uint64_t below = longest[at < size / 10 ? 0 : random() % kinds];
      at += 1 + static_cast<std::int64_t>(random() % below);
    }
    const auto keys = make_keys(test::disorder::uniform, size);
    const thrust::device_vector<std::int32_t> d_offsets = offsets;
    auto sorted = test::to_guarded_memory<device>(keys);
    thrust::device_vector<std::int32_t> strangers(1, 0);
    test::call(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return DeviceSegmentedSort::SortKeys(
          storage, bytes, raw(sorted), size, raw(d_offsets), static_cast<std::int64_t>(offsets.size()),
          watching_order{raw(strangers)}, stream);
      });
    EXPECT_EQ(strangers[0], 0);
    test::expect_sorted(sorted, keys, expected_order(keys, offsets));
  }
}

// A graph sorts the data present at its launch, by the segments present at its launch.
TEST(DeviceSegmentedSort, CapturedAndRunOnOtherData)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = 300007;
  const auto first = make_keys(test::disorder::sorted, size);
  const auto second = make_keys(test::disorder::uniform, size, 2);
  auto first_offsets = equal_segments(size, 100);
  auto second_offsets = equal_segments(size, 50000);
  second_offsets.resize(first_offsets.size(), static_cast<std::int32_t>(size)); // empty segments at the end
  auto sorted = test::to_guarded_memory<device>(first);
  thrust::device_vector<std::int32_t> offsets = first_offsets;
  const auto other = test::to_guarded_memory<device>(second);
  const thrust::device_vector<std::int32_t> other_offsets = second_offsets;
  test::capture_and_change(
    [&](void* storage, std::size_t& bytes, cudaStream_t stream)
    {
      return DeviceSegmentedSort::SortKeys(
        storage, bytes, raw(sorted), size, raw(offsets), static_cast<std::int64_t>(offsets.size()),
        ::cuda::std::less<>{}, stream);
    },
    [&]
    {
      thrust::copy(other.begin(), other.end(), sorted.begin());
      thrust::copy(other_offsets.begin(), other_offsets.end(), offsets.begin());
    });
  test::expect_sorted(sorted, second, expected_order(second, second_offsets));
}

TEST(DeviceSegmentedSort, BadArgumentsWriteNothing)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = 100000;
  const auto keys = make_keys(test::disorder::reversed, size);
  thrust::device_vector<std::int32_t> sorted = keys;
  const thrust::device_vector<std::int32_t> offsets = ints{0, 500};
  std::size_t bytes = 0;
  ASSERT_EQ(DeviceSegmentedSort::SortKeys(nullptr, bytes, raw(sorted), size, raw(offsets), 2), cudaSuccess);
  thrust::device_vector<char> storage(bytes);
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  const auto sort = [&](std::size_t storage_bytes, std::int64_t count, std::int64_t segments)
  { return DeviceSegmentedSort::SortKeys(raw(storage), storage_bytes, raw(sorted), count, raw(offsets), segments); };
  EXPECT_EQ(sort(bytes, -1, 2), cudaErrorInvalidValue);
  EXPECT_EQ(sort(bytes, size, -1), cudaErrorInvalidValue);
  EXPECT_EQ(sort(bytes, size, 0), cudaErrorInvalidValue);
  EXPECT_EQ(sort(bytes, huge, 2), cudaErrorInvalidValue);
  EXPECT_EQ(sort(bytes - 1, size, 2), cudaErrorInvalidValue);
  EXPECT_EQ(sort(bytes, 0, 0), cudaSuccess);
  thrust::device_vector<std::int8_t> indices(200, std::int8_t{-1});
  EXPECT_EQ(
    DeviceSegmentedSort::StableSortIndices(raw(storage), bytes, raw(sorted), 200, raw(offsets), 1, raw(indices)),
    cudaErrorInvalidValue); // an index of 199 does not fit
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(test::to_host(sorted), keys);
  EXPECT_EQ(test::to_host(indices), std::vector<std::int8_t>(200, std::int8_t{-1}));
}

// Storage that is queried for some sizes is enough for all smaller ones, for which other tiles may be chosen.
TEST(DeviceSegmentedSort, StorageGrowsWithSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::int32_t* const keys = nullptr;
  std::int32_t* const indices = nullptr;
  std::mt19937_64 random(1);
  std::size_t of_keys = 0;
  std::size_t of_indices = 0;
  for (std::int64_t size = 1; size < std::int64_t{1} << 31; size += 1 + size / 50)
  {
    const auto segments = 1 + static_cast<std::int64_t>(random() >> 1) % size / (1 << random() % 20);
    SCOPED_TRACE(std::to_string(size) + " in " + std::to_string(segments));
    std::size_t bytes = 0;
    ASSERT_EQ(DeviceSegmentedSort::SortKeys(nullptr, bytes, keys, size, indices, segments), cudaSuccess);
    EXPECT_GE(bytes, of_keys);
    of_keys = bytes;
    ASSERT_EQ(
      DeviceSegmentedSort::StableSortIndices(nullptr, bytes, keys, size, indices, segments, indices), cudaSuccess);
    EXPECT_GE(bytes, of_indices);
    of_indices = bytes;
  }
}

} // namespace
