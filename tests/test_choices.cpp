// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Which kernels a CUDA device executes, by sizes, types and the device: both sides of every border of the choices.

#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/cut/bisection.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/join/choice.h>
#include <mgpu_thrust/detail/join/ranges/tuning.h>
#include <mgpu_thrust/detail/join/rows/needles.h>
#include <mgpu_thrust/detail/join/rows/units.h>
#include <mgpu_thrust/detail/multiway_merge/choice.h>
#include <mgpu_thrust/detail/pairs/choice.h>
#include <mgpu_thrust/detail/pairs/lists/serial.h>
#include <mgpu_thrust/detail/pairs/tuning.h>
#include <mgpu_thrust/detail/segmented_compact/choice.h>
#include <mgpu_thrust/detail/segmented_scan/choice.h>
#include <mgpu_thrust/detail/semi_join/choice.h>
#include <mgpu_thrust/detail/set_operation/choice.h>
#include <mgpu_thrust/detail/sorted_search/choice.h>
#include <mgpu_thrust/join_kinds.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>

namespace
{

using namespace mgpu::detail;

constexpr device_room h200{132, true};
constexpr device_room of_less_room{132, false}; // one block of any kernel on each multiprocessor
constexpr device_room unknown{};

/// Checks that choose(size) is `up_to` up to the border, and `above` for more.
template <class Path, class Choose>
void expect_border(const char* name, std::int64_t border, Path up_to, Path above, Choose choose)
{
  EXPECT_EQ(static_cast<int>(choose(border)), static_cast<int>(up_to)) << name << ", up to " << border;
  EXPECT_EQ(static_cast<int>(choose(border + 1)), static_cast<int>(above)) << name << ", above " << border;
}

// Set operations and merges.

using set_path = set_operation_path;

template <class Operation, int KeyBytes, bool HasValues = false, bool Writes = true, bool IsDeferred = false>
auto set_path_of_total(const device_room& device, bool in_place = true)
{
  return [=](std::int64_t total)
  {
    using traits = set_operation_traits<Operation, KeyBytes, HasValues, Writes, IsDeferred>;
    return choose_set_operation<traits>(total / 2, total - total / 2, in_place, device).path;
  };
}

TEST(Choices, SetOperations)
{
  constexpr std::int64_t few = std::int64_t{1} << 17;
  const auto check = [](const char* name, std::int64_t few_elements, std::int64_t most, auto choose)
  {
    if (few_elements > 0)
    {
      expect_border(name, few_elements, set_path::bisect, set_path::coresident_tiles, choose);
    }
    else
    {
      EXPECT_EQ(choose(1), set_path::coresident_tiles) << name;
    }
    expect_border(name, most, set_path::coresident_tiles, set_path::cut_tiles, choose);
  };
  check("4 bytes", few, 792 * 256 * 29, set_path_of_total<set_intersection_t, 4>(h200));
  check("8 bytes", few, 660 * 192 * 23, set_path_of_total<set_intersection_t, 8>(h200));
  check("16 bytes", few, 1056 * 64 * 19, set_path_of_total<set_intersection_t, 16>(h200));
  check("72 bytes", few, 792 * 32 * 13, set_path_of_total<set_intersection_t, 72>(h200));
  check("600 bytes", few, 1584 * 128 * 29, set_path_of_total<set_intersection_t, 600>(h200));
  check("difference", few, 792 * 256 * 29, set_path_of_total<set_difference_t, 4>(h200));
  check("values", few, 1452 * 128 * 29, set_path_of_total<set_intersection_t, 4, true>(h200));
  check("difference, values", few, 1320 * 128 * 29, set_path_of_total<set_difference_t, 4, true>(h200));
  check("capacities", few, 792 * 256 * 29, set_path_of_total<set_intersection_t, 4, false, true, true>(h200));
  check("union", 0, 792 * 256 * 29, set_path_of_total<set_union_t, 4>(h200));
  check("symmetric difference", 0, 792 * 256 * 29, set_path_of_total<set_symmetric_difference_t, 4>(h200));
  check("size of a union", few, 792 * 256 * 29, set_path_of_total<set_union_t, 4, false, false>(h200));
  const auto of_less = set_path_of_total<set_intersection_t, 4>(of_less_room);
  expect_border("less room", 132 * 128 * 2 + 1, set_path::bisect, set_path::bisect_with_served_offsets, of_less);
  expect_border("less room", few, set_path::bisect_with_served_offsets, set_path::coresident_tiles, of_less);
  expect_border("less room", 132 * 256 * 29, set_path::coresident_tiles, set_path::cut_tiles, of_less);

  // If nothing is known of the device, no grid is co-resident.
  const auto of_unknown = set_path_of_total<set_intersection_t, 4>(unknown);
  expect_border("unknown", few, set_path::bisect_with_served_offsets, set_path::cut_tiles, of_unknown);
  // Without elements in A one block stores the count.
  EXPECT_EQ((set_path_of_total<set_difference_t, 4>(h200)(0)), set_path::bisect);
  // Only elements of A have threads.
  using traits = set_operation_traits<set_intersection_t, 4, false, true, false>;
  const auto in_b = [](std::int64_t a) {
    return choose_set_operation<traits>(a, std::int64_t{40000}, true, device_room{10, true}).path;
  };
  expect_border("few multiprocessors", 160 * 128, set_path::bisect, set_path::bisect_with_served_offsets, in_b);
}

// A range that is at least 64 times as long as the other is bisected, if the elements of the other know what is kept.
TEST(Choices, SetOperationsOfUnevenRanges)
{
  constexpr std::int64_t many = std::int64_t{1} << 26;
  constexpr std::int64_t some = std::int64_t{1} << 22;
  using intersection = set_operation_traits<set_intersection_t, 4, false, true, false>;
  using difference = set_operation_traits<set_difference_t, 4, false, true, false>;
  using set_union = set_operation_traits<set_union_t, 4, false, true, false>;
  using size_of_union = set_operation_traits<set_union_t, 4, false, false, false>;
  const auto short_a = [](auto traits, std::int64_t b)
  { return [=](std::int64_t a) { return choose_set_operation<decltype(traits)>(a, b, true, h200).path; }; };
  const auto short_b = [](auto traits, std::int64_t a)
  { return [=](std::int64_t b) { return choose_set_operation<decltype(traits)>(a, b, true, h200).path; }; };
  const auto check = [](const char* name, auto choose_some, auto choose_many)
  {
    expect_border(name, some / 64, set_path::bisect, set_path::coresident_tiles, choose_some);
    expect_border(name, 2048 * 128, set_path::bisect, set_path::bisect_with_served_offsets, choose_many);
    expect_border(name, many / 64, set_path::bisect_with_served_offsets, set_path::cut_tiles, choose_many);
  };
  check("intersection, short A", short_a(intersection{}, some), short_a(intersection{}, many));
  check("intersection, short B", short_b(intersection{}, some), short_b(intersection{}, many));
  check("difference, short A", short_a(difference{}, some), short_a(difference{}, many));
  check("size, short A", short_a(size_of_union{}, some), short_a(size_of_union{}, many));
  check("size, short B", short_b(size_of_union{}, some), short_b(size_of_union{}, many));
  EXPECT_EQ(short_b(difference{}, many)(1), set_path::cut_tiles);
  EXPECT_EQ(short_a(set_union{}, many)(1), set_path::cut_tiles);

  // Sizes up to a capacity may need tiles, but only of ranges that are not so uneven.
  const std::int64_t count = 0;
  const mgpu::deferred up_to_many{&count, many};
  const mgpu::deferred up_to_few{&count, std::int64_t{1000}};
  using deferred = set_operation_traits<set_intersection_t, 4, false, true, true>;
  const auto path_of = [](const auto& a, const auto& b)
  { return choose_set_operation<deferred>(a, b, true, h200).path; };
  EXPECT_EQ(path_of(up_to_few, many), set_path::bisect);
  EXPECT_EQ(path_of(many, up_to_few), set_path::bisect);
  EXPECT_EQ(path_of(up_to_few, up_to_many), set_path::bisect); // up to 65 * 1000 elements
  EXPECT_EQ(path_of(std::int64_t{80000}, up_to_many), set_path::coresident_tiles);
  EXPECT_EQ(path_of(up_to_many, std::int64_t{80000}), set_path::coresident_tiles);
  EXPECT_EQ(path_of(up_to_many, up_to_many), set_path::cut_tiles);
}

TEST(Choices, Merges)
{
  const auto check = [](const char* name, std::int64_t border, auto choose)
  {
    EXPECT_EQ(choose(1), set_path::tiles_cut_by_blocks) << name;
    expect_border(name, border, set_path::tiles_cut_by_blocks, set_path::cut_tiles, choose);
  };
  check("4 bytes", 2048 * 256 * 23, set_path_of_total<merge_t, 4>(h200));
  check("4 bytes, unknown device", 2048 * 256 * 23, set_path_of_total<merge_t, 4>(unknown));
  check("8 bytes", 2048 * 128 * 19, set_path_of_total<merge_t, 8>(h200));
  check("16 bytes", 2048 * 64 * 19, set_path_of_total<merge_t, 16>(h200));
  check("72 bytes", 2048 * 32 * 13, set_path_of_total<merge_t, 72>(h200));
  check("600 bytes", 2048 * 256 * 23, set_path_of_total<merge_t, 600>(h200));
  check("values", 2048 * 128 * 19, set_path_of_total<merge_t, 4, true>(h200));
  check("capacities", 2048 * 256 * 23, set_path_of_total<merge_t, 4, false, true, true>(h200));

  // A count that is stored where a size is read.
  const auto stored = [](const device_room& device)
  { return set_path_of_total<merge_t, 4, false, true, true>(device, false); };
  expect_border("stored", 792 * 256 * 23, set_path::coresident_tiles, set_path::cut_tiles, stored(h200));
  expect_border("less room", 132 * 256 * 23, set_path::coresident_tiles, set_path::cut_tiles, stored(of_less_room));
  EXPECT_EQ(stored(unknown)(1), set_path::cut_tiles);
}

// Sorted searches.

using search_path = sorted_search_path;

template <int KeyBytes>
using search_shape = decltype(choose_sorted_search_shape<KeyBytes>());
using one_bound = search_bisection<true, false, false>;
using both_bounds = search_bisection<true, true, false>;

TEST(Choices, Searches)
{
  constexpr std::int64_t few = std::int64_t{1} << 19;
  const auto check = [](const char* name, auto shape, auto bisection, std::int64_t few_elements, std::int64_t most)
  {
    const auto choose = [&](std::int64_t total)
    { return choose_sorted_search<decltype(shape), decltype(bisection)>(total / 2, total - total / 2, true).path; };
    if (few_elements > 0)
    {
      expect_border(name, few_elements, search_path::bisect, search_path::tiles_cut_by_blocks, choose);
    }
    expect_border(name, most, search_path::tiles_cut_by_blocks, search_path::cut_tiles, choose);
  };
  check("4 bytes", search_shape<4>{}, one_bound{}, few, 2048 * 256 * 26);
  check("8 bytes", search_shape<8>{}, one_bound{}, few, 2048 * 192 * 24);
  check("16 bytes", search_shape<16>{}, one_bound{}, few, 2048 * 128 * 15);
  check("600 bytes", search_shape<600>{}, one_bound{}, few, 2048 * 256 * 26);
  check("both bounds", search_shape<4>{}, both_bounds{}, std::int64_t{1} << 17, 2048 * 256 * 26);
  check("both sides", search_shape<4>{}, no_bisection{}, 0, 2048 * 256 * 26);
  // Keys of 72 bytes have tiles of 128 elements, and so 2048 tiles if they are few.
  check("72 bytes", search_shape<72>{}, no_bisection{}, 0, 2048 * 128);
  check("200 bytes", search_shape<200>{}, no_bisection{}, 0, 2048 * 32 * 3);

  // One needle for 64 elements of the haystack.
  for (const std::int64_t haystack : {std::int64_t{1} << 20, (std::int64_t{1} << 20) + 63, std::int64_t{1} << 33})
  {
    const bool is_small = haystack < std::int64_t{1} << 21;
    const auto above = is_small ? search_path::tiles_cut_by_blocks : search_path::cut_tiles;
    expect_border(
      "needles", haystack / 64, search_path::bisect, above,
      [&](std::int64_t needles)
      { return choose_sorted_search<search_shape<4>, one_bound>(needles, haystack, true).path; });
  }
  EXPECT_EQ((choose_sorted_search<search_shape<4>, one_bound>(0, 0, true).path), search_path::bisect);
  // Needles in a haystack of deferred size, which may be as short as tiles need.
  const std::int64_t count = 0;
  const mgpu::deferred haystack{&count, std::int64_t{1} << 33};
  EXPECT_EQ(
    (choose_sorted_search<search_shape<4>, one_bound>(std::int64_t{1} << 14, haystack, true).path),
    search_path::tiles_cut_by_blocks);
  EXPECT_EQ(
    (choose_sorted_search<search_shape<4>, one_bound>(std::int64_t{8000}, haystack, true).path), search_path::bisect);
}

TEST(Choices, SearchesThatCountMatches)
{
  using counting = search_bisection<true, false, true>;
  const auto in_place = [](std::int64_t total)
  { return choose_sorted_search<search_shape<4>, counting>(total / 2, total - total / 2, true).path; };
  expect_border("no elements", 0, search_path::none, search_path::tiles_cut_by_blocks, in_place);
  expect_border("tiles", 2048 * 256 * 26, search_path::tiles_cut_by_blocks, search_path::cut_tiles, in_place);
  const auto deferred = [](std::int64_t total)
  { return choose_sorted_search<search_shape<4>, counting>(total / 2, total - total / 2, false).path; };
  expect_border("deferred", 0, search_path::none, search_path::cut_tiles, deferred);
}

/// Checks that what is queued for the capacities has room for all sizes up to them, of those that are deferred: by a
/// Bisection of both inputs, for the sizes that the host knows, and one for those that a kernel of tiles reads. Of few
/// elements, a block may bisect for more needles than it has threads.
template <class Bisection, class KernelBisection, class SizeA, class SizeB>
void expect_room(SizeA a_size, SizeB b_size)
{
  constexpr int threads = 2;
  constexpr int tile_items = 26 * threads;
  using tiling = unless_bisected<threads, KernelBisection>;
  struct
  {
    std::int64_t a_count;
    std::int64_t b_count;
  } now;
  const std::int64_t max_a = capacity_of(a_size);
  const std::int64_t max_b = capacity_of(b_size);
  bool are_all_bisected = true;
  std::int64_t max_tiled = 0;
  std::int64_t max_needles = 0;
  int max_blocks = 0;
  for (now.a_count = is_deferred_v<SizeA> ? 0 : max_a; now.a_count <= max_a; ++now.a_count)
  {
    for (now.b_count = is_deferred_v<SizeB> ? 0 : max_b; now.b_count <= max_b; ++now.b_count)
    {
      const std::int64_t needles = needles_of<Bisection>(now.a_count, now.b_count);
      const std::int64_t elements = now.a_count + now.b_count;
      are_all_bisected = are_all_bisected && Bisection::is_for(now.a_count, now.b_count);
      max_needles = std::max(max_needles, needles);
      max_tiled = std::max(max_tiled, Bisection::is_for(now.a_count, now.b_count) ? 0 : elements);
      if (!tiling::has_tiles(now) && needles <= (elements - needles) / sparse_needles_ratio)
      {
        max_blocks = std::max(max_blocks, tiling::blocks_without_tiles(now));
      }
      ASSERT_LE(Bisection::is_for(now.a_count, now.b_count) ? 0 : elements, Bisection::max_smaller_tiled(max_a, max_b));
    }
  }
  const std::int64_t queued = Bisection::max_tiled(a_size, b_size);
  ASSERT_EQ(queued == 0, are_all_bisected);
  ASSERT_GE(queued, max_tiled);
  ASSERT_LE(queued, std::max(max_tiled, Bisection::max_smaller_tiled(max_a, max_b)));
  ASSERT_TRUE(
    are_all_bisected ? max_needles <= Bisection::max_needles(a_size, b_size)
                     : max_blocks <= (queued + tile_items - 1) / tile_items);
}

template <class Bisection, class KernelBisection = Bisection>
void expect_room_for_all_sizes()
{
  const std::int64_t count = 0;
  for (const std::int64_t a : {0, 1, 2, 3, 5, 200})
  {
    for (const std::int64_t b : {0, 1, 63, 64, 65, 127, 128, 129, 320, 1000})
    {
      SCOPED_TRACE(std::to_string(a) + " and " + std::to_string(b));
      const mgpu::deferred up_to_a{&count, a};
      const mgpu::deferred up_to_b{&count, b};
      expect_room<Bisection, KernelBisection>(up_to_a, up_to_b);
      expect_room<Bisection, KernelBisection>(up_to_a, b);
      expect_room<Bisection, KernelBisection>(a, up_to_b);
      expect_room<Bisection, KernelBisection>(up_to_b, up_to_a);
      expect_room<Bisection, KernelBisection>(up_to_b, a);
      expect_room<Bisection, KernelBisection>(b, up_to_a);
    }
  }
}

TEST(Choices, DeferredSizesHaveRoomForAllSmallerOnes)
{
  expect_room_for_all_sizes<one_way_bisection<true, bisection<0>>>();
  expect_room_for_all_sizes<one_way_bisection<true, bisection<130>>>();
  expect_room_for_all_sizes<one_way_bisection<false, bisection<130>>>();
  expect_room_for_all_sizes<two_way_bisection<bisection<0>>>();
  expect_room_for_all_sizes<two_way_bisection<bisection<130>>, two_way_bisection<bisection<0>>>();
}

// Joins.

template <int KeyBytes>
void check_joins(std::int64_t border)
{
  const auto path_of = [](bool writes, bool saturates, const device_room& device)
  {
    return [=](std::int64_t total) {
      return choose_join<KeyBytes>(mgpu::inner_join_t{}, writes, saturates, total / 2, total - total / 2, device).path;
    };
  };
  for (const bool saturates : {false, true})
  {
    const auto joined = path_of(true, saturates, h200);
    expect_border("join", border, join_path::coresident_pass, join_path::pass, joined);
    const auto counted = path_of(false, saturates, h200);
    expect_border("size", border, join_path::count_small_tiles, join_path::count_tiles, counted);
    // A join, its size and its plan have the same tiles.
    for (const std::int64_t total : {std::int64_t{0}, border - 1, border, border + 1, 2 * border})
    {
      EXPECT_EQ(has_small_tiles(joined(total)), has_small_tiles(counted(total)));
      EXPECT_EQ(path_of(true, saturates, unknown)(total), total == 0 ? join_path::coresident_pass : join_path::pass);
      const bool is_small =
        (total + coresident_join_shape<KeyBytes>::items - 1) / coresident_join_shape<KeyBytes>::items <= 132;
      EXPECT_EQ(path_of(true, saturates, of_less_room)(total), is_small ? join_path::coresident_pass : join_path::pass);
    }
  }
  // On no device are there more tiles.
  for (std::int64_t total = 1; total < std::int64_t{1} << 30; total = 2 * total + 1)
  {
    const mgpu::full_join_t full;
    const std::int64_t max_tiles = max_join_tiles<KeyBytes>(full, total / 2, total - total / 2);
    EXPECT_LE((total + join_tile_shape<KeyBytes>::items - 1) / join_tile_shape<KeyBytes>::items, max_tiles);
    if (
      choose_join<KeyBytes>(full, true, true, total, std::int64_t{0}, device_room{1000, true}).path
      == join_path::coresident_pass)
    {
      EXPECT_LE(
        (total + coresident_join_shape<KeyBytes>::items - 1) / coresident_join_shape<KeyBytes>::items, max_tiles);
    }
  }
}

TEST(Choices, Joins)
{
  check_joins<4>(660 * 256 * 7);
  check_joins<8>(660 * 256 * 7);
  check_joins<16>(528 * 128 * 11);
  check_joins<72>(528 * 32 * 11);
  check_joins<600>(660 * 256 * 7);
}

/// Whether a join, its size and its plan have tiles of needles, for sizes that may be deferred.
template <class Kind, class NumLeft, class NumRight>
bool joins_needles(Kind kind, const NumLeft& num_left, const NumRight& num_right)
{
  const auto path_of = [&](bool writes) { return choose_join<4>(kind, writes, false, num_left, num_right, h200).path; };
  const bool counts_needles = path_of(false) == join_path::count_needles;
  EXPECT_EQ(path_of(true) == join_path::needle_pass, counts_needles);
  return counts_needles;
}

// Which input may be short depends on the kind of join.
TEST(Choices, JoinsOfNeedles)
{
  constexpr std::int64_t haystack = std::int64_t{1} << 28;
  constexpr std::int64_t most = haystack / sparse_needles_ratio;
  const mgpu::inner_join_t inner;
  const mgpu::left_join_t left;
  const mgpu::right_join_t right;
  const mgpu::full_join_t full;
  for (const std::int64_t needles : {std::int64_t{0}, std::int64_t{1}, most, most + 1, haystack})
  {
    const bool is_short = needles <= most;
    EXPECT_EQ(joins_needles(inner, needles, haystack), is_short);
    EXPECT_EQ(joins_needles(inner, haystack, needles), is_short);
    EXPECT_EQ(joins_needles(left, needles, haystack), is_short);
    EXPECT_FALSE(joins_needles(left, haystack, needles));
    EXPECT_FALSE(joins_needles(right, needles, haystack));
    EXPECT_EQ(joins_needles(right, haystack, needles), is_short);
    EXPECT_FALSE(joins_needles(full, needles, haystack));
    EXPECT_FALSE(joins_needles(full, haystack, needles));
  }
  EXPECT_TRUE(joins_needles(inner, most, haystack));
  EXPECT_FALSE(joins_needles(inner, most, haystack - 1));

  // Small tiles of both inputs are as fast.
  constexpr std::int64_t small = 660 * coresident_join_shape<4>::items;
  EXPECT_FALSE(joins_needles(inner, std::int64_t{10}, small - 10));
  EXPECT_TRUE(joins_needles(inner, std::int64_t{10}, small - 9));

  // There are no needles in sizes that may have too many rows, with some room.
  constexpr std::int64_t many_needles = std::int64_t{1} << 27;
  constexpr std::int64_t too_large = std::int64_t{31} << 31;
  EXPECT_TRUE(joins_needles(inner, many_needles, too_large - 4096)); // the product has 24 bits
  EXPECT_FALSE(joins_needles(inner, many_needles, too_large));
  EXPECT_FALSE(joins_needles(inner, many_needles + 16, too_large - 4096));
  EXPECT_TRUE(joins_needles(left, std::int64_t{3}, std::int64_t{1} << 61));
  EXPECT_FALSE(joins_needles(left, std::int64_t{0}, max_rows));
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i)
  {
    const int bits = static_cast<int>(random() % 63);
    const auto a = static_cast<std::int64_t>(random() >> (63 - bits));
    const auto b = static_cast<std::int64_t>(random() >> (random() % 3 + static_cast<unsigned>(bits)));
    ASSERT_FALSE(b >= 0 && are_for_needles(a, b) && may_have_too_many_rows(a, b)) << a << ' ' << b;
  }

  // A deferred short input always is short. A deferred haystack may be as small as the needles; then a kernel decides.
  constexpr std::int64_t* at = nullptr;
  EXPECT_TRUE(joins_needles(inner, mgpu::deferred{at, most}, haystack));
  EXPECT_FALSE(joins_needles(inner, mgpu::deferred{at, most + 1}, haystack));
  EXPECT_FALSE(joins_needles(inner, most, mgpu::deferred{at, haystack}));
  EXPECT_TRUE(joins_needles(right, haystack, mgpu::deferred{at, most}));
  EXPECT_FALSE(joins_needles(right, mgpu::deferred{at, haystack}, most));
  EXPECT_EQ(max_elements_without_needles(left, std::int64_t{1000}, mgpu::deferred{at, haystack}), 1000 * 65 - 1);
  EXPECT_EQ(max_elements_without_needles(inner, mgpu::deferred{at, haystack}, std::int64_t{1000}), 1000 * 65 - 1);
  EXPECT_EQ(max_elements_without_needles(left, mgpu::deferred{at, haystack}, std::int64_t{1000}), haystack + 1000);
}

// A range join is one pass unless there may be too many rows.
TEST(Choices, RangeJoins)
{
  const auto path_of = [](bool writes, bool saturates, std::int64_t intervals, std::int64_t points)
  { return choose_range_join<4>(writes, saturates, intervals, points).path; };
  constexpr std::int64_t intervals = std::int64_t{1} << 31;
  constexpr std::int64_t most_points = (max_rows - 1) / intervals;
  EXPECT_EQ(path_of(true, false, intervals, most_points), range_join_path::pass);
  EXPECT_EQ(path_of(true, false, intervals, most_points + 1), range_join_path::count_rows);
  EXPECT_EQ(path_of(true, true, intervals, most_points + 1), range_join_path::pass);
  EXPECT_EQ(path_of(false, false, 3, 3), range_join_path::count_rows);
  EXPECT_EQ(path_of(true, false, 0, 0), range_join_path::pass);
  EXPECT_EQ(choose_range_count<4>(std::int64_t{7}, std::int64_t{7}).path, range_join_path::count_points);

  // A tile of many points may have too many rows for the pass.
  constexpr std::int64_t many_points = max_rows / 128 / interval_shape::items;
  EXPECT_LT(choose_range_join<4>(true, true, std::int64_t{1} << 20, many_points - 1).max_blocks, max_tiles);
  EXPECT_EQ(choose_range_join<4>(true, true, std::int64_t{1} << 20, many_points).max_blocks, max_tiles);
  EXPECT_LT(choose_range_join<4>(false, false, std::int64_t{1} << 20, many_points).max_blocks, max_tiles);

  // Points are staged up to 16 for each interval, and fewer intervals where there are more points.
  using tiling = interval_tiling<interval_shape, 4>;
  constexpr std::int64_t many = std::int64_t{1} << 26;
  EXPECT_EQ(tiling::intervals_of_tile(many, many), interval_shape::items);
  EXPECT_EQ(tiling::intervals_of_tile(many, 4 * many), tiling::max_points * 3 / 4 / 4);
  EXPECT_EQ(tiling::staged_intervals(many, 16 * many), tiling::max_points * 3 / 4 / 16);
  EXPECT_EQ(tiling::staged_intervals(many, 17 * many), 0);
  EXPECT_EQ((interval_tiling<interval_shape, 512>::staged_intervals(many, many)), 0);
}

/// Tiles have all intervals, and capacities have as many tiles as any smaller numbers.
template <class Tiling>
void check_interval_tiles()
{
  std::mt19937_64 random(2);
  const auto number = [&] { return static_cast<std::int64_t>(random() >> (30 + random() % 34)); };
  const auto up_to = [&](std::int64_t capacity)
  {
    return random() % 2 == 0 ? static_cast<std::int64_t>(random() % (static_cast<std::uint64_t>(capacity) + 1))
                             : std::max(capacity - static_cast<std::int64_t>(random() % 5), std::int64_t{0});
  };
  for (int i = 0; i < 100000; ++i)
  {
    const std::int64_t most_intervals = number();
    const std::int64_t most_points = i % 3 == 0 ? number() : most_intervals * static_cast<std::int64_t>(random() % 20);
    const std::int64_t intervals = up_to(most_intervals);
    const std::int64_t points = up_to(most_points);
    const std::int64_t of_tile = Tiling::intervals_of_tile(intervals, points);
    const std::int64_t tiles = Tiling::tiles(intervals, points);
    ASSERT_GE(tiles * of_tile, intervals);
    ASSERT_TRUE(intervals == 0 || (tiles - 1) * of_tile < intervals);
    ASSERT_LE(tiles, Tiling::max_tiles(most_intervals, most_points)) << intervals << " " << points;
  }
}

TEST(Choices, IntervalTiles)
{
  check_interval_tiles<interval_tiling<interval_shape, 1>>();
  check_interval_tiles<interval_tiling<interval_shape, 4>>();
  check_interval_tiles<interval_tiling<interval_count_shape, 8>>();
  check_interval_tiles<interval_tiling<interval_shape, 100>>();
}

template <class Shape>
std::int64_t tiles_of_size(std::int64_t elements)
{
  return (elements + Shape::items - 1) / Shape::items;
}

/// The tiles of known sizes, or of capacities where kernels read the sizes.
template <int KeyBytes, class Kind>
std::int64_t launched_tiles(Kind kind, std::int64_t left_count, std::int64_t right_count)
{
  const join_path path = choose_join<KeyBytes>(kind, true, true, left_count, right_count, h200).path;
  return path == join_path::needle_pass ? join_tiles_of<join_needle_shape>(kind, left_count, right_count)
         : path == join_path::pass      ? join_tiles_of<join_tile_shape<KeyBytes>>(kind, left_count, right_count)
                                        : tiles_of_size<coresident_join_shape<KeyBytes>>(left_count + right_count);
}

template <int KeyBytes, class Kind>
void check_tiles_of_smaller_sizes(Kind kind)
{
  std::mt19937_64 random(1);
  const auto below = [&](std::int64_t n)
  { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)); };
  for (int i = 0; i < 20000; ++i)
  {
    const std::int64_t left = std::int64_t{1} << below(34);
    const std::int64_t right = std::int64_t{1} << below(34);
    const std::int64_t capacity = max_join_tiles<KeyBytes>(kind, left, right);
    std::int64_t smaller_left = left - below(left);
    std::int64_t smaller_right = right - below(right);
    if (i % 2 == 0) // around the border
    {
      smaller_right = std::min(right, sparse_needles_ratio * smaller_left - 1 + below(2));
    }
    else if (i % 4 == 1)
    {
      smaller_left = std::min(left, sparse_needles_ratio * smaller_right - 1 + below(2));
    }
    ASSERT_LE((launched_tiles<KeyBytes>(kind, smaller_left, smaller_right)), capacity)
      << smaller_left << " and " << smaller_right << " within " << left << " and " << right;

    // A kernel that reads the sizes finds no more tiles than were launched.
    constexpr std::int64_t* at = nullptr;
    const mgpu::deferred num_left{at, left};
    const mgpu::deferred num_right{at, right};
    using shape = join_tile_shape<KeyBytes>;
    const std::int64_t launched = join_tiles_of<shape>(kind, num_left, num_right);
    const std::int64_t needed =
      has_needles(kind, smaller_left, smaller_right)
        ? tiles_of_needles<shape::threads>(number_of_needles(kind, smaller_left, smaller_right))
        : tiles_of_size<shape>(smaller_left + smaller_right);
    ASSERT_LE(needed, launched) << smaller_left << " and " << smaller_right << " within " << left << " and " << right;
    ASSERT_LE(launched, capacity);
  }
}

// The storage for some sizes is enough for all smaller ones, and as many tiles are launched for capacities as all
// smaller sizes need.
TEST(Choices, TilesOfJoinsOfSmallerSizes)
{
  check_tiles_of_smaller_sizes<4>(mgpu::inner_join_t{});
  check_tiles_of_smaller_sizes<4>(mgpu::left_join_t{});
  check_tiles_of_smaller_sizes<4>(mgpu::right_join_t{});
  check_tiles_of_smaller_sizes<4>(mgpu::full_join_t{});
  check_tiles_of_smaller_sizes<16>(mgpu::inner_join_t{});
  check_tiles_of_smaller_sizes<72>(mgpu::inner_join_t{});
  check_tiles_of_smaller_sizes<600>(mgpu::right_join_t{});
}

// Units of extra rows: clamp(rows / blocks, clamp(rows / 128, 1024, first unit), 65536).
TEST(Choices, UnitsOfJoins)
{
  using shape = join_tile_shape<4>;
  EXPECT_EQ(first_unit_rows<shape>(512), shape::staged_rows);
  EXPECT_EQ(first_unit_rows<shape>(513), 65536);
  EXPECT_EQ(extra_unit_rows(0, 1024, 8192), 1024);
  EXPECT_EQ(extra_unit_rows(128 * 1024 + 127, 1024, 8192), 1024);
  EXPECT_EQ(extra_unit_rows(128 * 1025, 1024, 8192), 1025);
  EXPECT_EQ(extra_unit_rows(1024 * 8192, 1024, 8192), 8192);
  EXPECT_EQ(extra_unit_rows(1024 * 8193, 1024, 8192), 8193);
  EXPECT_EQ(extra_unit_rows(std::int64_t{1} << 40, 1024, 8192), 65536);
  EXPECT_EQ(extra_unit_rows(std::int64_t{1} << 20, 1024, 65536), 8192);
}

// A pass writes rows before it knows their number, so there must not be too many; unless outputs have bounded room.
TEST(Choices, JoinsOfTooManyRows)
{
  constexpr std::int64_t a = std::int64_t{1} << 33;
  constexpr std::int64_t too_many = std::numeric_limits<std::int64_t>::max();
  const std::int64_t most = (too_many - 1 - a) / (a + 1); // b for which a * b + a + b is less than that
  ASSERT_LT(a * most + a + most, too_many);
  const auto path_of = [&](bool saturates)
  { return [=](std::int64_t b) { return choose_join<4>(mgpu::full_join_t{}, true, saturates, a, b, h200).path; }; };
  std::int64_t border = most;
  while (!may_have_too_many_rows(a, border + 1))
  {
    ++border;
  }
  EXPECT_LE(border, most + 1);
  expect_border("rows", border, join_path::pass, join_path::count_tiles, path_of(false));
  expect_border("bounded", border, join_path::pass, join_path::pass, path_of(true));
  EXPECT_FALSE(may_have_too_many_rows(0, too_many / 2));
  // A join of small tiles never counts first, whatever its device: no kernels for that are compiled.
  constexpr std::int64_t most_elements = max_tiles_cut_by_blocks * coresident_join_shape<4>::items;
  EXPECT_FALSE(may_have_too_many_rows(most_elements, most_elements));
}

// A few keys against any number: one block searches. Where all is read, or there are many needles, the tiles are more
// than a grid has room for.
TEST(Choices, LimitsAreThoseOfThePath)
{
  using search = search_shape<4>;
  using both_sides = no_bisection;
  using semi = semi_join_shape<4>;
  const auto tiles_of_sets = [](auto operation, bool writes, const auto& a, const auto& b)
  {
    using op = decltype(operation);
    constexpr bool is_deferred = is_deferred_v<std::decay_t<decltype(a)>>;
    using writing = set_operation_traits<op, 4, false, true, is_deferred>;
    using counting = set_operation_traits<op, 4, false, false, is_deferred>;
    return writes ? choose_set_operation<writing>(a, b, true, device_room{}).max_blocks
                  : choose_set_operation<counting>(a, b, true, device_room{}).max_blocks;
  };
  const auto expect_one_block = [&](const auto& few, const auto& many)
  {
    EXPECT_EQ(tiles_of_sets(set_intersection_t{}, true, few, many), 1);
    EXPECT_EQ(tiles_of_sets(set_intersection_t{}, true, many, few), 1);
    EXPECT_EQ(tiles_of_sets(set_difference_t{}, true, few, many), 1);
    EXPECT_EQ(tiles_of_sets(set_union_t{}, false, few, many), 1);
    EXPECT_EQ(tiles_of_sets(set_difference_t{}, false, many, few), 1);
    EXPECT_EQ((choose_sorted_search<search, one_bound>(few, many, true).max_blocks), 1);
    EXPECT_EQ((choose_sorted_search<search, both_bounds>(few, many, true).max_blocks), 1);
    EXPECT_EQ(choose_semi_join<semi>(few, many, true, device_room{}).max_blocks, 1);
    EXPECT_EQ(choose_semi_join<semi>(few, many, false, device_room{}).max_blocks, 1);
    EXPECT_EQ(choose_semi_join<semi>(many, few, false, device_room{}).max_blocks, 1);
    EXPECT_EQ(join_tiles_of_path<4>(mgpu::inner_join_t{}, few, many), 1);
    EXPECT_EQ(join_tiles_of_path<4>(mgpu::inner_join_t{}, many, few), 1);
    EXPECT_EQ(join_tiles_of_path<4>(mgpu::left_join_t{}, few, many), 1);
    EXPECT_EQ(join_tiles_of_path<4>(mgpu::right_join_t{}, many, few), 1);
  };
  const auto expect_too_many = [&](const auto& few, const auto& many)
  {
    constexpr std::int64_t grid = std::numeric_limits<int>::max();
    EXPECT_GT(tiles_of_sets(set_union_t{}, true, few, many), grid);
    EXPECT_GT(tiles_of_sets(set_difference_t{}, true, many, few), grid);
    EXPECT_GT(tiles_of_sets(merge_t{}, true, few, many), grid);
    EXPECT_GT((choose_sorted_search<search, one_bound>(many, few, true).max_blocks), grid);
    EXPECT_GT((choose_sorted_search<search, both_sides>(few, many, true).max_blocks), grid);
    EXPECT_GT(choose_semi_join<semi>(many, few, true, device_room{}).max_blocks, grid);
    EXPECT_GT(join_tiles_of_path<4>(mgpu::full_join_t{}, few, many), grid);
    EXPECT_GT(join_tiles_of_path<4>(mgpu::left_join_t{}, many, few), grid);
    EXPECT_GT(join_tiles_of_path<4>(mgpu::right_join_t{}, few, many), grid);
  };
  constexpr std::int64_t few = 3;
  for (const int bits : {30, 36, 40, 50, 61})
  {
    const std::int64_t many = std::int64_t{1} << bits;
    expect_one_block(few, many);
    // The storage is that of smaller sizes that take tiles.
    EXPECT_EQ(semi_join_storage_bisection<false>::max_smaller_tiled(many, few), 65 * few);
    EXPECT_EQ((max_join_tiles<4>(mgpu::inner_join_t{}, many, few)), bits < 24 ? 1 : max_tiles_cut_by_blocks);
    if (bits > 44)
    {
      expect_too_many(few, many);
    }
  }
  // Capacities count, whatever the sizes will be; a haystack may have as few elements as tiles need.
  constexpr std::int64_t* at = nullptr;
  const mgpu::deferred up_to_few{at, std::int64_t{2}};
  const mgpu::deferred up_to_many{at, std::int64_t{1} << 61};
  expect_too_many(up_to_few, up_to_many);
  expect_one_block(up_to_few, up_to_many);
  // Needles are too many, too.
  constexpr std::int64_t needles = std::int64_t{1} << 40;
  constexpr std::int64_t most = std::int64_t{1} << 50;
  EXPECT_EQ(
    (choose_sorted_search<search, one_bound>(needles, most, true).max_blocks), needles / bisection_shape::threads);
  EXPECT_EQ(tiles_of_sets(set_intersection_t{}, true, needles, most), needles / bisection_shape::threads);
  EXPECT_EQ(
    choose_semi_join<semi>(most, needles, false, device_room{}).max_blocks,
    max_tiles_cut_by_blocks); // which take needles in turn
}

// Segmented scans: one tile, tiles that are co-resident, and more; by items, and by segments.
template <int Bytes>
void check_segmented_scans(std::int64_t coresident_tiles)
{
  struct value
  {
    char bytes[Bytes];
  };
  using path = segmented_scan_path;
  using shape = coresident_scan_shape<value>;
  const auto of_items = [](const device_room& device)
  { return [=](std::int64_t items) { return choose_segmented_scan<value>(items, 0, device).path; }; };
  const auto of_segments = [](std::int64_t segments) { return choose_segmented_scan<value>(0, segments, h200).path; };
  expect_border("one tile", shape::cut_items, path::one_tile, path::coresident_tiles, of_items(h200));
  expect_border("one tile", shape::weight, path::one_tile, path::coresident_tiles, of_segments);
  expect_border("tiles", coresident_tiles * shape::cut_items, path::coresident_tiles, path::tiles, of_items(h200));
  expect_border("tiles", coresident_tiles * shape::weight, path::coresident_tiles, path::tiles, of_segments);
  expect_border("less room", 132 * shape::cut_items, path::coresident_tiles, path::tiles, of_items(of_less_room));
  expect_border("unknown device", shape::cut_items, path::one_tile, path::tiles, of_items(unknown));
  EXPECT_EQ(choose_segmented_scan<value>(shape::cut_items, 0, h200).blocks, 1);
}

TEST(Choices, SegmentedScans)
{
  check_segmented_scans<1>(512);
  check_segmented_scans<4>(512);
  check_segmented_scans<8>(512);
  check_segmented_scans<16>(512);
  check_segmented_scans<64>(396);
  check_segmented_scans<128>(396);
  check_segmented_scans<300>(512);
}

// Compactions of items in segments: tiles that are co-resident, and more; by items, and by segments.
template <int Bytes>
void check_compactions(std::int64_t coresident_tiles)
{
  using path = segmented_compact_path;
  using shape = compact_shape<Bytes>;
  const auto of_items = [](const device_room& device)
  { return [=](std::int64_t items) { return choose_segmented_compact<shape>(items, 0, device).path; }; };
  const auto of_segments = [](std::int64_t segments)
  { return choose_segmented_compact<shape>(0, segments, h200).path; };
  expect_border("tiles", coresident_tiles * shape::items, path::coresident_tiles, path::tiles, of_items(h200));
  expect_border("tiles", coresident_tiles * shape::weight, path::coresident_tiles, path::tiles, of_segments);
  expect_border("less room", 132 * shape::items, path::coresident_tiles, path::tiles, of_items(of_less_room));
  EXPECT_EQ(choose_segmented_compact<shape>(0, 0, unknown).path, path::tiles);
  EXPECT_EQ(choose_segmented_compact<shape>(0, 0, h200).blocks, 1);
}

TEST(Choices, Compactions)
{
  check_compactions<1>(1056);
  check_compactions<4>(1056);
  check_compactions<8>(792);
  check_compactions<16>(660);
  check_compactions<128>(660);
  check_compactions<400>(528);
}

// Merges of runs: few elements, short runs, and runs that take more passes than a sort.
template <class Key, int ValueBytes>
void check_merges_of_runs(std::int64_t few)
{
  using path = multiway_merge_path;
  const auto in_runs = [](std::int64_t num_runs)
  { return [=](std::int64_t count) { return choose_multiway_merge<Key, ValueBytes>(count, num_runs).path; }; };
  const auto of_elements = [](std::int64_t count)
  { return [=](std::int64_t num_runs) { return choose_multiway_merge<Key, ValueBytes>(count, num_runs).path; }; };
  for (const std::int64_t num_runs : {1, 2, 64, 500})
  {
    expect_border("few elements", few, path::sorted, path::merged, in_runs(num_runs));
  }
  // A mean of 1,024.
  expect_border("short runs", 102400000 - 1, path::sorted, path::merged, in_runs(100000));
  expect_border("short runs", 131072, path::merged, path::sorted, of_elements(std::int64_t{1} << 27));
  // As many passes as a sort, three of twice as many elements, and one more from 2^23 on.
  expect_border("many runs", 512, path::merged, path::sorted, of_elements(2 * few));
  expect_border("many runs", (std::int64_t{1} << 23) - 1, path::sorted, path::merged, in_runs(5000));
}

TEST(Choices, MergesOfRuns)
{
  struct key16
  {
    std::int64_t words[2];
  };
  check_merges_of_runs<std::int32_t, 0>(std::int64_t{1} << 20);
  check_merges_of_runs<std::int32_t, 4>(std::int64_t{1} << 20);
  check_merges_of_runs<std::int64_t, 0>(std::int64_t{1} << 20);
  check_merges_of_runs<std::int64_t, 8>(std::int64_t{1} << 20);
  check_merges_of_runs<key16, 8>(std::int64_t{1} << 19);
  // Six passes, where up to 4,096 tiles of a sort take four.
  const auto in_runs = [](std::int64_t num_runs)
  { return [=](std::int64_t count) { return choose_multiway_merge<std::int32_t, 0>(count, num_runs).path; }; };
  using path = multiway_merge_path;
  expect_border("two more passes", std::int64_t{4096} * 8448, path::sorted, path::merged, in_runs(32769));
  expect_border("one more pass", std::int64_t{32768} * 1024 - 1, path::sorted, path::merged, in_runs(32768));
}

TEST(Choices, PairsOfLists)
{
  using path = segmented_sets_path;
  constexpr int chunk = segmented_sets_shape::items_per_thread;
  const auto alike = [](std::int64_t size) { return choose_segmented_sets_path(size, size); };
  expect_border("lists alike", max_short_needles * chunk / 2, path::merged, path::long_merged, alike);
  const auto of = [](std::int64_t needles)
  { return [=](std::int64_t haystack) { return choose_segmented_sets_path(needles, haystack); }; };
  expect_border("one needle", chunk - 1, path::merged, path::searched, of(1));
  expect_border("few needles", 10 * min_searched_ratio - 1, path::merged, path::searched, of(10));
  EXPECT_EQ(choose_segmented_sets_path(0, 0), path::merged);
  EXPECT_EQ(choose_segmented_sets_path(0, std::int64_t{1} << 50), path::searched);
  const auto in_long = [](std::int64_t needles) { return choose_segmented_sets_path(needles, std::int64_t{1} << 50); };
  expect_border("needles", max_short_needles, path::searched, path::long_searched, in_long);
  expect_border("long lists", min_searched_ratio * 1000 - 1, path::long_merged, path::long_searched, of(1000));
  EXPECT_EQ(window_pairs(1), 1);
  EXPECT_EQ(window_pairs(min_windows), 1);
  EXPECT_EQ(window_pairs(min_windows + 1), 2);
  EXPECT_EQ(window_pairs(min_windows * 31), 31);
  EXPECT_EQ(window_pairs(std::int64_t{1} << 40), 32);
  const segmented_sets_choice chosen = choose_segmented_sets(min_windows * 31, h200);
  EXPECT_EQ(chosen.window_pairs, 31);
  EXPECT_EQ(chosen.blocks, min_windows / 2); // of two warps
  EXPECT_EQ(chosen.long_blocks, 132 * 8);
  EXPECT_EQ(choose_segmented_sets(1, unknown).long_blocks, min_windows);
  EXPECT_EQ(choose_segmented_sets(0, h200).blocks, 0);

  // The storage of windows is enough for all smaller numbers of pairs.
  std::int64_t windows = 0;
  for (std::int64_t pairs = 1; pairs < 300000; pairs += pairs < 20000 ? 1 : 97)
  {
    windows = std::max(windows, choose_segmented_sets(pairs, h200).blocks * segmented_sets_shape::warps);
    ASSERT_LE(windows, max_windows(pairs)) << pairs;
  }
}

TEST(Choices, PairsOfListsWithListsAsResults)
{
  const auto path_of = [](auto operation, std::int64_t a_count, std::int64_t b_count)
  {
    return choose_segmented_lists_path(
      list_work<decltype(operation)>(list_pair{0, a_count, 0, b_count}, min_needle_ratio).side());
  };
  const auto expect_needles = [&](auto operation, bool of_a, bool of_b)
  {
    EXPECT_EQ(path_of(operation, 10, 320) == segmented_lists_path::needles, of_a);
    EXPECT_EQ(path_of(operation, 320, 10) == segmented_lists_path::needles, of_b);
    EXPECT_EQ(path_of(operation, 10, 319), segmented_lists_path::walk);
    EXPECT_EQ(path_of(operation, 319, 10), segmented_lists_path::walk);
  };
  expect_needles(set_intersection_t{}, true, true);
  expect_needles(set_difference_t{}, true, false);
  expect_needles(set_union_t{}, false, false);
  expect_needles(set_symmetric_difference_t{}, false, false);
  expect_needles(merge_t{}, false, false);
  EXPECT_EQ(choose_segmented_lists(1, 528).blocks, 528);
  EXPECT_EQ(choose_segmented_lists(1, 1).blocks, 5);
  EXPECT_EQ(choose_segmented_lists(1, 1000).blocks, 768);
  EXPECT_EQ(choose_segmented_lists(1, 0).blocks, 1056);
  EXPECT_EQ(choose_segmented_lists((std::int64_t{1} << 37) - 1, 528).tiles, 1056);
  EXPECT_EQ(choose_segmented_lists(std::int64_t{1} << 60, 528).tiles, std::int64_t{1} << 33); // more than a grid takes
}

} // namespace
