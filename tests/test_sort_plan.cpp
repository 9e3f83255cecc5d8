// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The passes of a sort on a GPU: runs, groups, and the passes in which a tile has work.

#include <mgpu_thrust/detail/cut/merge_plan.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>

namespace
{

using mgpu::detail::max_ways;
using mgpu::detail::merge_pass;
using mgpu::detail::merge_plan;
using mgpu::detail::tile_run;

const std::int64_t tile_counts[] = {1, 2, 3, 7, 8, 9, 16, 17, 63, 64, 65, 100, 511, 513, 15888, 300000};

TEST(SortPlan, PassesMergeAllTiles)
{
  for (const std::int64_t tiles : tile_counts)
  {
    SCOPED_TRACE(tiles);
    const merge_plan plan{tiles};
    int run_level = 0;
    for (int number = 0; number < plan.passes(); ++number)
    {
      const merge_pass pass = plan.pass(number);
      EXPECT_EQ(pass.tiles, tiles);
      EXPECT_EQ(pass.run_level, run_level);
      EXPECT_GE(pass.levels, 1);
      EXPECT_LE(1 << pass.levels, max_ways);
      EXPECT_TRUE(number == 0 || pass.levels <= plan.pass(number - 1).levels);
      run_level += pass.levels;
    }
    EXPECT_GE(std::int64_t{1} << run_level, tiles);
    EXPECT_TRUE(run_level == 0 || std::int64_t{1} << (run_level - 1) < tiles) << "a level more than are needed";
    EXPECT_EQ(plan.passes(), (run_level + 2) / 3);
  }
  EXPECT_EQ(merge_plan{0}.passes(), 0);
  EXPECT_EQ(merge_plan{1}.passes(), 0);
}

TEST(SortPlan, RunsMakeUpTheirGroup)
{
  for (const std::int64_t tiles : tile_counts)
  {
    const merge_plan plan{tiles};
    for (int number = 0; number < plan.passes(); ++number)
    {
      SCOPED_TRACE(std::to_string(tiles) + " tiles, pass " + std::to_string(number));
      const merge_pass pass = plan.pass(number);
      for (std::int64_t tile = 0; tile < tiles; tile += 1 + tiles / 77)
      {
        const tile_run group = pass.group_of(tile);
        ASSERT_LE(group.begin, tile);
        ASSERT_LT(tile, group.end);
        std::int64_t end = group.begin;
        for (int run = 0; run < max_ways; ++run)
        {
          const tile_run part = pass.run_of(group.begin, run);
          ASSERT_EQ(part.begin, end);
          ASSERT_LE(part.end - part.begin, std::int64_t{1} << pass.run_level);
          ASSERT_EQ(part.begin <= tile && tile < part.end, (tile - group.begin) >> pass.run_level == run);
          end = part.end;
        }
        ASSERT_EQ(end, group.end);
      }
    }
  }
}

TEST(SortPlan, LastPassOfATile)
{
  std::mt19937 random(1);
  for (const std::int64_t tiles : tile_counts)
  {
    const merge_plan plan{tiles};
    for (int i = 0; i < 300; ++i)
    {
      const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % n); };
      const std::int64_t tile = below(tiles);
      const tile_run first{std::max<std::int64_t>(0, tile - below(i + 1)), tile};
      const tile_run last{tile, std::min(tiles - 1, tile + below(2 * i + 1))};
      int expected = -1;
      for (int number = 0; number < plan.passes(); ++number)
      {
        const merge_pass pass = plan.pass(number);
        const tile_run group = pass.group_of(tile);
        const auto run_of = [&](std::int64_t t) { return t >> pass.run_level; };
        for (const tile_run& segment : {first, last})
        {
          for (std::int64_t t = segment.begin; t <= segment.end; ++t)
          {
            if (group.begin <= t && t < group.end && run_of(t) != run_of(tile))
            {
              expected = number;
            }
          }
        }
      }
      int last_merge = -1;
      for (int number = 0; number < plan.passes(); ++number)
      {
        last_merge = plan.merges(number, tile, first, last) ? number : last_merge;
      }
      EXPECT_EQ(last_merge, expected);
      if (expected < 0)
      {
        continue;
      }
      const int in_a_place = plan.last_pass_of(last_merge, true);
      EXPECT_TRUE(in_a_place == expected || in_a_place == expected + 1);
      EXPECT_EQ((plan.passes() - 1 - in_a_place) % 2, 0) << "not where the last pass writes to";
      EXPECT_LT(in_a_place, plan.passes());
      EXPECT_EQ(plan.last_pass_of(last_merge, false), plan.passes() - 1);
    }
  }
}

} // namespace
