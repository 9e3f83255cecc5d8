// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The path of a segmented reduction on both sides of each border, of types of several sizes, with and without clusters.

#include "support/segmented_reduce_borders.h"

#include <mgpu_thrust/detail/segmented_reduce/choice.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace
{

using test::plain_value;
using test::reduce_border;
using path = test::reduce_path;

/// As large as a plain_value, but not loaded in batches.
struct small_class
{
  small_class()
  {
  }
  int words[4];
};

template <class T, int ClusterBlocks>
void expect_borders(const std::vector<reduce_border>& borders, bool is_deferred = false, bool has_plan = false)
{
  const auto choose = [&](std::int64_t num_items, std::int64_t num_segments)
  {
    return mgpu::detail::choose_segmented_reduce<T, ClusterBlocks>(
             num_items, num_segments, is_deferred, has_plan, mgpu::detail::device_room{132, true})
      .path;
  };
  for (const reduce_border& border : borders)
  {
    SCOPED_TRACE(std::to_string(border.num_items) + " items in " + std::to_string(border.num_segments) + " segments");
    EXPECT_EQ(choose(border.num_items, border.num_segments), border.path);
    EXPECT_EQ(choose(border.num_items_beyond, border.num_segments_beyond), border.path_beyond);
  }
}

TEST(SegmentedReduceChoice, SmallValues)
{
  expect_borders<int, 8>(test::borders_of_4_bytes());
  expect_borders<char, 8>(test::borders_of_4_bytes()); // a lane has as many
  expect_borders<double, 8>({
    // Large inputs have longer batches, so they have higher means.
    {131072, 1, path::shared_segments, 131073, 1, path::large_segments},
    {262144, 1, path::large_segments, 262145, 1, path::few_tiles},
    {2097152, 2048, path::shared_segments, 2097153, 2048, path::large_segments},
    {8388608, 4096, path::large_segments, 8388609, 4096, path::segment_per_block},
    {8388609, 4096, path::segment_per_block, 8388609, 4097, path::tiles},
  });
  expect_borders<plain_value<16>, 8>({
    {65536, 1, path::shared_segments, 65537, 1, path::few_tiles},
    {2097152, 2048, path::shared_segments, 2097153, 2048, path::large_segments},
    {8388608, 4096, path::large_segments, 8388609, 4096, path::segment_per_block},
  });
}

// The device layer asks before it sees that there is nothing to reduce.
TEST(SegmentedReduceChoice, NoSegments)
{
  expect_borders<int, 8>({{0, 0, path::shared_segments, 1 << 20, 0, path::shared_segments}});
  expect_borders<plain_value<512>, 1>({{0, 0, path::shared_segments, 0, 1, path::one_tile}});
}

TEST(SegmentedReduceChoice, LargeValues)
{
  const std::vector<reduce_border> borders = test::borders_of_40_bytes();
  expect_borders<plain_value<40>, 8>(borders);
  expect_borders<plain_value<40>, 1>(borders);
  expect_borders<plain_value<256>, 8>(borders);
  expect_borders<small_class, 8>(borders);

  // Results of units do not fit in shared memory, so there are tiles alone.
  const std::vector<reduce_border> of_tiles{
    {1, 1, path::one_tile, 3839, 3, path::one_tile},
    {3839, 3, path::one_tile, 3839, 4, path::few_tiles},
    {0, 11520, path::one_tile, 0, 11521, path::few_tiles},
    {7864319, 1, path::few_tiles, 8388609, 1, path::tiles},
  };
  expect_borders<plain_value<260>, 8>(of_tiles);
  expect_borders<plain_value<512>, 8>(of_tiles);
  expect_borders<plain_value<512>, 8>(of_tiles, true);
}

TEST(SegmentedReduceChoice, WithoutClusters)
{
  expect_borders<int, 1>({
    {32768, 1, path::shared_segments, 32769, 1, path::few_tiles},
    {32768, 2, path::shared_segments, 32769, 2, path::few_tiles},
    {2097152, 1024, path::few_tiles, 2097153, 1024, path::few_tiles},
    {7864319, 1, path::few_tiles, 7864320, 1, path::tiles},
    {8388608, 4096, path::tiles, 8388609, 4096, path::segment_per_block},
  });
}

TEST(SegmentedReduceChoice, DeferredSizes)
{
  expect_borders<int, 8>(test::borders_of_deferred_4_bytes(), true);
  expect_borders<plain_value<40>, 8>(
    {
      {2048, 1, path::shared_segments, 2049, 1, path::one_tile},
      {3839, 1, path::one_tile, 3840, 1, path::deferred_tiles},
      {983039, 1, path::deferred_tiles, 983040, 1, path::few_tiles},
    },
    true);

  // What a kernel then does with the sizes that it reads.
  const auto choose = mgpu::detail::choose_in_deferred_tiles<int>;
  EXPECT_EQ(choose(0, 0), path::few_deferred_segments);
  EXPECT_EQ(choose(16384, 16384), path::few_deferred_segments);
  EXPECT_EQ(choose(16385, 1), path::deferred_tiles);
  EXPECT_EQ(choose(1, 16385), path::deferred_tiles);
}

TEST(SegmentedReduceChoice, Plans)
{
  expect_borders<int, 8>(test::borders_of_planned_4_bytes(), false, true);
  expect_borders<plain_value<40>, 8>(
    {
      {2048, 1, path::shared_segments, 2049, 1, path::one_tile},
      {3839, 1, path::one_tile, 3840, 1, path::planned_tiles},
    },
    false, true);
}

TEST(SegmentedReduceChoice, SizesNearTheLargest)
{
  using shape = mgpu::detail::segmented_reduce_shape;
  constexpr std::int64_t most = std::int64_t{1} << 62;
  EXPECT_EQ(shape::tiles(most, 0), most / 3840 + 1);
  EXPECT_EQ(shape::tiles(0, most), most / 11520 + 1);
  EXPECT_EQ(shape::tiles(3840, 0), 1);
  EXPECT_EQ(shape::tiles(3840, 1), 2);
  expect_borders<int, 8>({{most, 1, path::segment_per_block, 0, most, path::tiles}});
  expect_borders<plain_value<40>, 8>({{most, 1, path::tiles, 0, most, path::tiles}});

  // More segments than a grid has blocks are in tiles, of which there are few enough.
  const auto tiles_of = [](std::int64_t num_items, std::int64_t num_segments) {
    return mgpu::detail::choose_segmented_reduce<int, 8>(num_items, num_segments, false, false, {132, true}).tiles;
  };
  for (std::int64_t num_segments = mgpu::detail::max_tiles - 1; num_segments < std::int64_t{1} << 31;
       num_segments += 4096)
  {
    EXPECT_LT(tiles_of(2048 * num_segments, num_segments), mgpu::detail::max_tiles) << num_segments;
    EXPECT_LT(tiles_of(0, num_segments), mgpu::detail::max_tiles) << num_segments;
  }

  // Units of long segments: up to 4,096, but of no more items than an int counts in two.
  using blocks = mgpu::detail::segment_per_block_shape<int>;
  for (int bits = 0; bits < 63; ++bits)
  {
    const int log_items = bits < 26 ? 14 : bits < 41 ? bits - 12 : 29;
    EXPECT_EQ(blocks::log_items_of_unit(std::int64_t{1} << bits, 1), log_items) << bits;
    EXPECT_EQ(blocks::log_items_of_unit((std::int64_t{1} << bits) + 1, 999), log_items + (bits >= 26 && bits < 41))
      << bits;
  }
  // From 1,000 segments on none is long that has up to twice the mean.
  EXPECT_EQ(blocks::log_items_of_unit(1 << 26, 1024), 16);
  EXPECT_EQ(blocks::log_items_of_unit(1 << 26, 2048), 15);
  EXPECT_EQ(blocks::log_items_of_unit(1 << 26, 4096), 14);
}

// The grids that the launches read from the choice.
TEST(SegmentedReduceChoice, Grids)
{
  using mgpu::detail::choose_segmented_reduce;
  constexpr mgpu::detail::device_room h200{132, true};
  constexpr mgpu::detail::device_room unknown{};
  const auto few = choose_segmented_reduce<int, 8>(1000, 20, false, false, h200);
  EXPECT_EQ(few.blocks, 8); // three have eight segments each or fewer, the others of the cluster none
  EXPECT_EQ(few.log_size, 3);
  const auto shared = choose_segmented_reduce<int, 8>(262144, 1, false, false, h200);
  EXPECT_EQ(shared.blocks, 8); // a cluster
  EXPECT_EQ(shared.max_items_of_group, 24576);
  const auto long_segments = choose_segmented_reduce<int, 8>(1 << 26, 256, false, false, h200);
  EXPECT_EQ(long_segments.blocks, 256);
  EXPECT_EQ(long_segments.later_blocks, 1056);
  EXPECT_EQ(long_segments.tiles, 4096); // units
  EXPECT_EQ((choose_segmented_reduce<int, 8>(1 << 26, 256, false, false, unknown)).later_blocks, 4096);
  const auto whole_of_many = choose_segmented_reduce<int, 8>(1 << 26, 1 << 14, false, false, h200);
  EXPECT_EQ(whole_of_many.later_blocks, 1056);
  EXPECT_EQ(whole_of_many.max_units, 4096);
  const auto deferred = choose_segmented_reduce<int, 8>(262145, 1, true, false, h200);
  EXPECT_EQ(deferred.tiles, 69);
  EXPECT_EQ(deferred.blocks, 1024);
  EXPECT_EQ(deferred.later_blocks, 1);
  EXPECT_EQ((choose_segmented_reduce<int, 8>(1 << 27, 1 << 20, false, false, h200)).later_blocks, 69);
}

} // namespace
