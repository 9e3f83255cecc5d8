// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The paths of load balancing, intervals, and bulk operations on both sides of each border.

#include "support/segments_borders.h"

#include <mgpu_thrust/detail/bulk/choice.h>
#include <mgpu_thrust/detail/segments/choice.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace
{

using test::bulk_insertion_path;
using test::bulk_removal_path;
using test::segments_path;

constexpr std::int64_t largest = std::int64_t{1} << 62;

TEST(SegmentsChoice, Calls)
{
  const auto choose = [](std::int64_t num_items, std::int64_t num_segments)
  { return mgpu::detail::choose_segments(num_items, num_segments).path; };
  for (const test::segments_border& border : test::borders_of_segments())
  {
    SCOPED_TRACE(std::to_string(border.num_items) + " items in " + std::to_string(border.num_segments) + " segments");
    EXPECT_EQ(choose(border.num_items, border.num_segments), border.path);
    EXPECT_EQ(choose(border.num_items_beyond, border.num_segments_beyond), border.path_beyond);
  }
  EXPECT_EQ(choose(1, 1), segments_path::few_segments);
  EXPECT_EQ(choose(1, largest), segments_path::uncut_tiles);
  EXPECT_EQ(choose(largest, 1), segments_path::uncut_tiles);
  EXPECT_EQ(choose(largest, largest), segments_path::tiles);
  using mgpu::detail::choose_segments;
  EXPECT_EQ(choose_segments(131072, 1).blocks, 512);
  EXPECT_EQ(choose_segments(262144, 1).blocks, 512); // two items a thread
  EXPECT_EQ(choose_segments(262145, 1).blocks, 65);
  EXPECT_EQ(choose_segments(262145, 1).tiles, 65);
}

// What a kernel of tiles does with the sizes that it reads.
TEST(SegmentsChoice, DeferredSizes)
{
  const auto choose = mgpu::detail::choose_deferred_segments_path;
  EXPECT_EQ(choose(0, 0, 1, false), segments_path::few_deferred_segments);
  EXPECT_EQ(choose(256, 1024, 1, false), segments_path::few_deferred_segments);
  EXPECT_EQ(choose(256, 1025, 1, false), segments_path::one_tile);
  EXPECT_EQ(choose(257, 1024, 1, false), segments_path::one_tile);
  EXPECT_EQ(choose(25600, 1024, 100, false), segments_path::few_deferred_segments);
  EXPECT_EQ(choose(25601, 1024, 100, false), segments_path::uncut_tiles);
  EXPECT_EQ(choose(262144, 1024, 2048, false), segments_path::few_deferred_segments);
  EXPECT_EQ(choose(262145, 1024, 2048, false), segments_path::uncut_tiles);
  EXPECT_EQ(choose(8388609, 262145, 2049, false), segments_path::uncut_tiles);

  // A kernel that cuts precedes, which leaves tiles that blocks cut.
  EXPECT_EQ(choose(1, 1, 2049, true), segments_path::one_tile);
  EXPECT_EQ(choose(4096, 4096, 2049, true), segments_path::one_tile);
  EXPECT_EQ(choose(4096, 4097, 2049, true), segments_path::uncut_tiles);
  EXPECT_EQ(choose(8388608, 1, 2049, true), segments_path::uncut_tiles);
  EXPECT_EQ(choose(8388609, 1, 2049, true), segments_path::tiles);
}

TEST(BulkChoice, Removals)
{
  const auto choose = [](std::int64_t num_indices, bool is_deferred)
  { return mgpu::detail::choose_bulk_removal<4>(largest, num_indices, is_deferred).path; };
  EXPECT_EQ(choose(0, false), bulk_removal_path::uncut_tiles);
  EXPECT_EQ(choose(test::max_uncut_removals, false), bulk_removal_path::uncut_tiles);
  EXPECT_EQ(choose(test::max_uncut_removals + 1, false), bulk_removal_path::tiles);
  EXPECT_EQ(choose(largest, false), bulk_removal_path::tiles);
  EXPECT_EQ(choose(0, true), bulk_removal_path::tiles);
}

template <int ElementBytes>
void expect_insertion_border(std::int64_t max_output)
{
  SCOPED_TRACE(std::to_string(ElementBytes) + " bytes");
  const auto choose = [](std::int64_t output_size, bool in_place)
  { return mgpu::detail::choose_bulk_insertion<ElementBytes>(output_size, in_place).path; };
  EXPECT_EQ(choose(max_output, true), bulk_insertion_path::uncut_tiles);
  EXPECT_EQ(choose(max_output + 1, true), bulk_insertion_path::tiles);
  EXPECT_EQ(choose(largest, true), bulk_insertion_path::tiles);
  EXPECT_EQ(choose(1, false), bulk_insertion_path::tiles);
  EXPECT_EQ(mgpu::detail::choose_bulk_insertion<ElementBytes>(max_output, true).tiles, 2048);
}

TEST(BulkChoice, Insertions)
{
  expect_insertion_border<1>(test::max_uncut_output);
  expect_insertion_border<8>(test::max_uncut_output);
  expect_insertion_border<9>(4194304);
  expect_insertion_border<16>(4194304);
  expect_insertion_border<17>(2097152);
  expect_insertion_border<64>(2097152);
  expect_insertion_border<65>(1048576);
  expect_insertion_border<1000>(1048576);
}

} // namespace
