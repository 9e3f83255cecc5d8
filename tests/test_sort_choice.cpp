// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The path of a sort, and of a segmented sort, on both sides of each border, of types of several sizes and devices.

#include "support/sort_borders.h"

#include <mgpu_thrust/detail/sort/choice.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace
{

using mgpu::detail::device_room;
using path = mgpu::detail::segmented_sort_path;

template <class Key, int ValueBytes>
void expect_sorts(const std::vector<test::sort_case>& cases)
{
  for (const test::sort_case& one : cases)
  {
    const auto chosen =
      mgpu::detail::choose_sort<Key, ValueBytes>(one.count, false, test::plain_output, test::large_device);
    EXPECT_EQ(chosen.path, one.path) << one.count;
  }
}

template <class Key, int ValueBytes>
path choose(std::int64_t count, std::int64_t num_segments, bool is_deferred, bool is_plain, const device_room& device)
{
  return mgpu::detail::choose_segmented_sort<Key, ValueBytes>(count, num_segments, is_deferred, is_plain, device)
    .in_segments;
}

template <class Key, int ValueBytes>
void expect_segmented_sorts(const std::vector<test::segmented_sort_case>& cases)
{
  for (const test::segmented_sort_case& one : cases)
  {
    const path chosen = choose<Key, ValueBytes>(one.count, one.num_segments, false, true, test::large_device);
    EXPECT_EQ(chosen, one.path) << one.count << " in " << one.num_segments;
  }
}

TEST(SortChoice, Sorts)
{
  expect_sorts<int, 0>(test::sorts_of_4_bytes());
  expect_sorts<std::int64_t, 4>(test::sorts_of_4_bytes()); // values do not matter beside 8-byte keys
  expect_sorts<int, 4>(test::sorts_of_pairs());
  expect_sorts<char, 8>(test::sorts_of_pairs());
  expect_sorts<test::large_key, 8>(test::sorts_of_16_bytes());
}

// The pieces that ranks sort by digits.
TEST(SortChoice, Pieces)
{
  using mgpu::detail::choose_piece_sort;
  using piece_path = mgpu::detail::piece_sort_path;
  EXPECT_EQ((choose_piece_sort<int, 0>((1 << 23) - 1)), piece_path::comparison);
  EXPECT_EQ((choose_piece_sort<int, 0>(1 << 23)), piece_path::digits);
  EXPECT_EQ((choose_piece_sort<float, 8>((1 << 22) - 1)), piece_path::comparison);
  EXPECT_EQ((choose_piece_sort<float, 8>(1 << 22)), piece_path::digits);
  EXPECT_EQ((choose_piece_sort<short, 4>((1 << 21) - 1)), piece_path::comparison);
  EXPECT_EQ((choose_piece_sort<short, 4>(1 << 21)), piece_path::digits);
  EXPECT_EQ((choose_piece_sort<int, 16>(1 << 30)), piece_path::comparison);
  EXPECT_EQ((choose_piece_sort<std::int64_t, 0>(1 << 30)), piece_path::comparison);
}

// What the host chooses for capacities, of 528 or 16 co-resident blocks.
TEST(SortChoice, Capacities)
{
  const auto choose_sort = [](std::int64_t count, const device_room& device)
  { return mgpu::detail::choose_sort<int, 0>(count, true, test::plain_output, device).path; };
  EXPECT_EQ(choose_sort(4096, test::large_device), test::sort_path::ranks);
  EXPECT_EQ(choose_sort(4097, test::large_device), test::sort_path::coresident);
  EXPECT_EQ(choose_sort(1216512, test::large_device), test::sort_path::coresident);
  EXPECT_EQ(choose_sort(1216513, test::large_device), test::sort_path::multiway);
  const device_room small{16, false};
  EXPECT_EQ(choose_sort(16 * 2304, small), test::sort_path::coresident);
  EXPECT_EQ(choose_sort(16 * 2304 + 1, small), test::sort_path::multiway);
  EXPECT_EQ(choose_sort(4097, device_room{0, false}), test::sort_path::multiway);
}

// What the first kernel of a deferred number of elements decides.
TEST(SortChoice, DeferredSizesBelowLargeCapacities)
{
  using mgpu::detail::choose_deferred_sort_path;
  EXPECT_EQ(choose_deferred_sort_path(528 * 2304, 528, 2304), test::sort_path::coresident);
  EXPECT_EQ(choose_deferred_sort_path(528 * 2304 + 1, 528, 2304), test::sort_path::multiway);
  EXPECT_EQ(choose_deferred_sort_path(0, 1, 2304), test::sort_path::coresident);
}

TEST(SortChoice, SegmentedSorts)
{
  expect_segmented_sorts<int, 0>(test::segmented_sorts_of_4_bytes());
  expect_segmented_sorts<test::large_key, 0>(test::segmented_sorts_of_16_bytes());
}

TEST(SortChoice, DeferredSegments)
{
  EXPECT_EQ((choose<int, 0>(5000, 1, true, true, test::large_device)), path::own_tiles);
  EXPECT_EQ((choose<int, 0>(4096, 1, true, true, test::large_device)), path::ranks);
}

// One kernel of all passes reads what it has written.
TEST(SortChoice, OutputsThatCannotBeRead)
{
  EXPECT_EQ((choose<int, 0>(10000000, 1000000, false, true, test::large_device)), path::multiway_short);
  EXPECT_EQ((choose<int, 0>(10000000, 1000000, false, false, test::large_device)), path::multiway);
}

TEST(SortChoice, SmallAndUnknownDevices)
{
  const device_room small{16, false}; // 16 co-resident blocks
  EXPECT_EQ((choose<int, 0>(12 * 2304 - 1, 5, false, true, small)), path::own_tiles);
  EXPECT_EQ((choose<int, 0>(12 * 2304, 5, false, true, small)), path::shared_tiles);
  EXPECT_EQ((choose<int, 0>(16 * 2304, 5, false, true, small)), path::shared_tiles);
  EXPECT_EQ((choose<int, 0>(16 * 2304 + 1, 5, false, true, small)), path::multiway);
  const device_room unknown{0, false};
  EXPECT_EQ((choose<int, 0>(2304, 512, false, true, unknown)), path::own_tiles); // no tile waits for another one
  EXPECT_EQ((choose<int, 0>(2305, 512, false, true, unknown)), path::multiway_short);
}

TEST(SortChoice, TilesOfShortSegments)
{
  using mgpu::detail::have_short_shapes;
  EXPECT_FALSE((have_short_shapes<int, 0>(33000, 1000)));
  EXPECT_TRUE((have_short_shapes<int, 0>(33001, 1000)));
  EXPECT_TRUE((have_short_shapes<int, 0>(192000, 1000)));
  EXPECT_FALSE((have_short_shapes<int, 0>(192001, 1000)));
  EXPECT_FALSE((have_short_shapes<int, 4>(28000, 1000)));
  EXPECT_TRUE((have_short_shapes<int, 4>(28001, 1000)));
  EXPECT_FALSE((have_short_shapes<std::int64_t, 0>(100000, 1000)));
}

// The grids: of a cluster, a spread grid of deferred sizes, and that of one kernel for all passes.
TEST(SortChoice, Grids)
{
  using mgpu::detail::choose_segmented_sort;
  using mgpu::detail::choose_sort;
  const auto by_ranks = choose_sort<int, 0>(4097 - 512, false, test::plain_output, test::large_device);
  EXPECT_EQ(by_ranks.cluster_threads, 512);
  EXPECT_EQ(by_ranks.blocks, 8);
  EXPECT_EQ((choose_sort<int, 0>(2, false, test::plain_output, test::large_device).cluster_threads), 128);
  EXPECT_EQ(
    (choose_sort<int, 0>(400 * 2304, true, test::plain_output, test::large_device).blocks), 429); // a multiple of 33
  EXPECT_EQ((choose_sort<int, 0>(1216513, true, test::plain_output, test::large_device).blocks), 528);
  EXPECT_EQ((choose_sort<int, 0>(4097, true, test::plain_output, device_room{0, false}).blocks), 1);
  const auto shared = choose_segmented_sort<int, 0>(1048576, 7282, false, true, test::large_device);
  EXPECT_EQ(shared.blocks, 521);
  EXPECT_EQ(shared.step, 2016);
  EXPECT_EQ((choose_segmented_sort<int, 0>(1000000, 7000, true, true, test::large_device).blocks), 528);
  const auto few = choose_segmented_sort<int, 0>(10560000, 20000, false, true, test::large_device);
  EXPECT_EQ(few.blocks, 396); // three of a multiprocessor
  EXPECT_EQ((choose_segmented_sort<int, 0>(10560001, 20000, false, true, test::large_device).blocks), 0);
}

// Samples are of use where the output is plain and passes are saved; without keys in the output two.
TEST(SortChoice, Locality)
{
  const auto looks = [](std::int64_t count, bool is_deferred, bool is_plain, bool discards_keys)
  {
    const device_room small{1, false}; // one co-resident block
    return mgpu::detail::choose_sort<int, 0>(count, is_deferred, {is_plain, discards_keys}, small).looks_for_locality;
  };
  EXPECT_FALSE(looks(1048576, false, true, false)); // pairwise
  EXPECT_TRUE(looks(1048577, false, true, false));
  EXPECT_TRUE(looks(1048577, false, true, true));
  EXPECT_FALSE(looks(1048577, false, false, false));
  EXPECT_FALSE(looks(8448, true, true, false)); // one tile
  EXPECT_TRUE(looks(8449, true, true, false));
  EXPECT_FALSE(looks(8 * 8448, true, true, true)); // one pass
  EXPECT_TRUE(looks(8 * 8448 + 1, true, true, true));
}

// Tiles and passes of a multiway sort: short, usual, and full tiles.
TEST(SortChoice, TilesOfSegments)
{
  const auto choose_tiles = [](std::int64_t count, std::int64_t num_segments)
  { return mgpu::detail::choose_segmented_sort<int, 0>(count, num_segments, false, true, test::large_device); };
  EXPECT_TRUE(choose_tiles(19200000, 100000).has_short_shapes);
  EXPECT_EQ(choose_tiles(19200000, 100000).step, 17 * 224);
  EXPECT_FALSE(choose_tiles(19200001, 100000).has_short_shapes);
  EXPECT_EQ(choose_tiles(19200001, 100000).step, 33 * 224);
  // Full from a mean of four times the distance that a tile can move.
  EXPECT_EQ(choose_tiles(4224 * 1000 + 4223, 1000).step, 33 * 224);
  EXPECT_EQ(choose_tiles(4224 * 1001, 1000).step, 33 * 256);
  EXPECT_EQ(choose_tiles(4224 * 1001, 1000).tiles, 501);
  EXPECT_EQ(choose_tiles(4224 * 1001, 1000).passes, 3);
  EXPECT_EQ((mgpu::detail::choose_sort_by_flags<int, 0>(1 << 24).step), 33 * 224);
}

} // namespace
