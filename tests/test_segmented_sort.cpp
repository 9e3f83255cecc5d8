// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Segmented sorts: segments of every length and mix, empty segments, segments that cross borders of pieces by one
// element, keys and values of several types, a fuzz.

#include "support/fuzz.h"
#include "support/segmented_sort_battery.h"
#include "support/sort_battery.h"
#include "support/systems.h"

#include <mgpu_thrust/segmented_sort.h>

#include <thrust/functional.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace
{

using ints = std::vector<std::int32_t>;
using test::make_ints;
using test::make_offsets;

/// Number of elements that are sorted together before runs are merged.
#if defined(__CUDACC__)
constexpr std::int64_t piece = mgpu::detail::segmented_pairwise_shapes_t<std::int32_t, 0>::tile_items; // few segments
#else
constexpr std::int64_t piece = mgpu::detail::cpu_sort_piece<std::int32_t>;
#endif

TEST(SegmentedSort, EverySmallSizeInSmallSegments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(1);
  for (std::int64_t size = 0; size <= 100; ++size)
  {
    for (const int mean : {1, 3, 20})
    {
      const auto offsets = make_offsets(size, [&] { return static_cast<std::int64_t>(random() % (2 * mean + 1)); });
      test::check_segmented_sort(make_ints(test::disorder::few_keys, size, size), offsets);
      ASSERT_FALSE(HasFatalFailure()) << size << " " << testing::PrintToString(offsets);
    }
  }
}

#if defined(__CUDACC__)

// Around the most elements, the longest segments on average, and the most segments that one block of a GPU sorts by
// ranks.
TEST(SegmentedSort, AsManyElementsAsABlockHasThreads)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t size : {127, 128, 255, 256, 257})
  {
    const auto keys = make_ints(test::disorder::few_keys, size);
    const auto ranks = test::make_disorder(test::disorder::few_keys, size, 100, 1);
    for (const std::int64_t length : {1, 2, 31, 32, 33, 128})
    {
      SCOPED_TRACE(std::to_string(size) + " in segments of " + std::to_string(length));
      const auto offsets = make_offsets(size, [=] { return length; });
      const std::vector<std::uint64_t> wide_offsets(offsets.begin(), offsets.end());
      test::check_segmented_sort(keys, offsets);
      test::check_segmented_sort<std::int64_t, test::with_values>(test::to_keys<std::uint8_t>(ranks), offsets);
      test::check_segmented_sort<test::bytes_element<33>, test::with_values>(
        test::to_keys<std::uint8_t>(ranks), offsets);
      test::check_segmented_sort<std::int8_t, test::with_values>(
        test::to_keys<test::words_key<3>>(ranks), wide_offsets);
    }
    for (const std::size_t segments : {511, 512, 513})
    {
      SCOPED_TRACE(std::to_string(size) + " in " + std::to_string(segments) + " segments");
      ints offsets(segments, 5);
      offsets.front() = 0;
      offsets.back() = static_cast<std::int32_t>(size) - 3;
      test::check_segmented_sort(keys, offsets);
    }
    ASSERT_FALSE(HasFatalFailure());
  }
}

// Few segments of few elements are sorted with a thread for each element: on both sides of the most segments, and of
// the most elements for each number of threads of a block.
TEST(SegmentedSort, FewSegmentsOfFewElements)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(3);
  for (const std::int64_t size : {300, 1023, 1024, 1025, 2049, 4095, 4096, 4097, 8192, 8193})
  {
    for (const std::int64_t segments : {2, 3, 31, 32, 33})
    {
      SCOPED_TRACE(std::to_string(size) + " in " + std::to_string(segments) + " segments");
      ints offsets{0};
      std::generate_n(
        std::back_inserter(offsets), segments - 1,
        [&] { return static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(size + 1)); });
      std::sort(offsets.begin(), offsets.end());
      test::check_segmented_sort(make_ints(test::disorder::uniform, size), offsets);
      offsets.back() = static_cast<std::int32_t>(size); // the last segment is empty, and one nearly all
      std::fill(offsets.begin() + 1, offsets.end() - 1, 1);
      test::check_segmented_sort(make_ints(test::disorder::few_keys, size), offsets);
      ASSERT_FALSE(HasFatalFailure());
    }
  }
  const auto ranks = test::make_disorder(test::disorder::few_keys, 1000, 100, 1);
  const ints offsets{0, 0, 400, 999};
  test::check_segmented_sort<std::int64_t, test::with_values>(test::to_keys<std::uint8_t>(ranks), offsets);
  test::check_segmented_sort<test::bytes_element<33>, test::with_values>(test::to_keys<std::uint8_t>(ranks), offsets);
  test::check_segmented_sort<std::int8_t, test::with_values>(test::to_keys<test::words_key<3>>(ranks), offsets);
}

struct by_last_digit
{
  MGPU_THRUST_HOST_DEVICE bool operator()(std::int32_t x, std::int32_t y) const
  {
    return x % 10 < y % 10;
  }
};

// Segments of a few thousand elements, up to as many as a cluster sorts: keys and values of several sizes, and other
// orders.
TEST(SegmentedSort, SegmentsOfThousands)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = 24011;
  const auto ranks = test::make_disorder(test::disorder::few_keys, size, 100, 1);
  const ints offsets{0, 2500, 2500, 8644, 8645, 14000, 20000, 23900};
  test::check_segmented_sort(make_ints(test::disorder::uniform, size), offsets, by_last_digit{});
  test::check_segmented_sort(make_ints(test::disorder::uniform, size), offsets, thrust::greater<std::int32_t>{});
  test::check_segmented_sort<std::int64_t, test::with_values>(test::to_keys<std::uint8_t>(ranks), offsets);
  test::check_segmented_sort<std::int32_t, test::with_values>(
    test::to_keys<std::int16_t>(ranks), offsets, thrust::greater<std::int16_t>{});
  test::check_segmented_sort<test::bytes_element<33>, test::with_values>(test::to_keys<std::uint32_t>(ranks), offsets);
  test::check_segmented_sort<std::int8_t, test::keys_alone | test::with_values>(test::to_keys<float>(ranks), offsets);
}

#endif

TEST(SegmentedSort, SegmentsOfEveryMeanLength)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(2);
  for (const std::int64_t size : {10007, 200003})
  {
    for (const std::int64_t mean : {1, 4, 30, 300, 3000, 30000, 1000000})
    {
      SCOPED_TRACE(std::to_string(size) + " in segments of about " + std::to_string(mean));
      const auto offsets = make_offsets(size, [&] { return static_cast<std::int64_t>(random() % (2 * mean + 1)); });
      test::check_segmented_sort(make_ints(test::disorder::uniform, size), offsets);
      test::check_segmented_sort<std::int32_t, test::with_values>(
        make_ints(test::disorder::few_keys, size), offsets, thrust::greater<std::int32_t>{});
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

// Lengths from one to nearly all, and long stretches of empty segments before, between and after.
TEST(SegmentedSort, MixedAndEmptySegments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = 200003;
  const auto keys = make_ints(test::disorder::uniform, size);
  std::mt19937_64 random(3);
  test::check_segmented_sort(
    keys, make_offsets(size, [&] { return static_cast<std::int64_t>(1 + (std::uint64_t{1} << random() % 18)); }));
  ints offsets(1000, 0);
  offsets.insert(offsets.end(), 70000, 5);
  offsets.insert(offsets.end(), 3, 65536);
  offsets.insert(offsets.end(), 1000, static_cast<std::int32_t>(size));
  test::check_segmented_sort(keys, offsets);
  test::check_segmented_sort(keys, ints{0});
  // So many empty segments that they may be skipped, before two consecutive segments that are not empty.
  ints crowds;
  for (std::int32_t begin = 0; begin < 3000; begin += 10)
  {
    crowds.insert(crowds.end(), 20 + begin / 10 % 20, begin);
    crowds.push_back(begin + 4);
  }
  test::check_segmented_sort(make_ints(test::disorder::uniform, 3000), crowds);
  test::check_segmented_sort(ints{}, ints{});
  test::check_segmented_sort(ints{}, ints{0, 0, 0});
}

// Segments that begin around the borders of pieces and tiles.
TEST(SegmentedSort, BordersOfPieces)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto keys = make_ints(test::disorder::reversed, 4 * piece + 11);
  for (const std::int64_t first : {piece - 1, piece, piece + 1})
  {
    for (const std::int64_t second : {first, first + 1, 2 * piece - 1, 2 * piece, 2 * piece + 1, 4 * piece})
    {
      test::check_segmented_sort(keys, ints{0, static_cast<std::int32_t>(first), static_cast<std::int32_t>(second)});
      ASSERT_FALSE(HasFatalFailure()) << first << " " << second;
    }
  }
}

TEST(SegmentedSort, KeysValuesAndOffsetsOfSeveralTypes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = 60007;
  const auto ranks = test::make_disorder(test::disorder::few_keys, size, 100, 1);
  const auto offsets = make_offsets(size, [] { return std::int64_t{1009}; });
  const std::vector<std::uint64_t> wide_offsets(offsets.begin(), offsets.end());
  // Each form is tested with keys of several sizes, not all.
  using test::by_flags;
  using test::keys_alone;
  using test::with_values;
  test::check_segmented_sort<double, keys_alone | by_flags>(test::to_keys<double>(ranks), wide_offsets);
  test::check_segmented_sort<std::int64_t, with_values>(test::to_keys<std::uint8_t>(ranks), offsets);
  test::check_segmented_sort<test::bytes_element<33>, with_values>(test::to_keys<std::uint8_t>(ranks), offsets);
  test::check_segmented_sort<std::int8_t, with_values>(test::to_keys<test::words_key<3>>(ranks), wide_offsets);
  test::check_segmented_sort<test::only_copied, with_values | by_flags>(
    test::to_keys<test::words_key<12>>(ranks), offsets);
}

// Segments that begin one element before each border of pieces, at it, or one after it, and end `length` elements
// later, so that segments of two and three elements cross all borders.
TEST(SegmentedSort, CrossesEveryBorderByOneElement)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = 9 * piece + 5;
  const auto keys = make_ints(test::disorder::reversed, size);
  for (const std::int64_t before : {-1, 0, 1})
  {
    for (const std::int64_t length : {1, 2, 3})
    {
      SCOPED_TRACE(std::to_string(before) + " of " + std::to_string(length));
      ints offsets{0};
      for (std::int64_t border = piece; border < size; border += piece)
      {
        offsets.push_back(static_cast<std::int32_t>(border - before));
        offsets.push_back(static_cast<std::int32_t>(border - before + length));
      }
      test::check_segmented_sort(keys, offsets);
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

// All segments have one length, which may or may not divide the piece size.
TEST(SegmentedSort, SegmentsOfOneLength)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = 3 * piece + 100;
  const auto keys = make_ints(test::disorder::uniform, size);
  for (const std::int64_t length :
       {std::int64_t{1}, std::int64_t{2}, std::int64_t{31}, std::int64_t{32}, std::int64_t{33}, piece - 1, piece,
        piece + 1, size - 1, size})
  {
    SCOPED_TRACE(length);
    test::check_segmented_sort(keys, make_offsets(size, [=] { return length; }));
    ASSERT_FALSE(HasFatalFailure());
  }
}

#if defined(__CUDACC__)
// Segments of some dozen small keys have tiles of a shape of their own: on both sides of both bounds, of equal and of
// random lengths, and with long ones among them.
TEST(SegmentedSort, SegmentsOfSomeDozenKeys)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = mgpu::detail::max_pairwise<4> + 1003;
  const auto keys = make_ints(test::disorder::uniform, size);
  const auto few_keys = make_ints(test::disorder::few_keys, size);
  const std::int64_t shortest = mgpu::detail::min_mean_of_short<0>;
  const std::int64_t shortest_with_values = mgpu::detail::min_mean_of_short<4>;
  const std::int64_t longest = mgpu::detail::max_mean_of_short;
  for (const std::int64_t length :
       {shortest_with_values, shortest_with_values + 1, shortest, shortest + 1, std::int64_t{64}, longest, longest + 1})
  {
    SCOPED_TRACE(length);
    test::check_segmented_sort(keys, make_offsets(size, [=] { return length; }));
    ASSERT_FALSE(HasFatalFailure());
  }
  std::mt19937_64 random(8);
  for (const std::uint64_t of_long : {0, 9000, 200000})
  {
    SCOPED_TRACE(of_long);
    const auto offsets = make_offsets(
      size,
      [&]
      {
        const std::uint64_t below = of_long > 0 && random() % 5000 == 0 ? of_long : 160;
        return static_cast<std::int64_t>(random() % below);
      });
    test::check_segmented_sort(few_keys, offsets);
    ASSERT_FALSE(HasFatalFailure());
  }
}
#endif

// Segments of a tile each, of which most keys are the least or the largest of their type.
TEST(SegmentedSort, LeastAndLargestIntegers)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  auto keys = make_ints(test::disorder::few_keys, 20000);
  for (std::size_t i = 0; i < keys.size(); ++i)
  {
    using limits = std::numeric_limits<std::int32_t>;
    keys[i] = i % 5 == 0 ? keys[i] : keys[i] % 2 == 0 ? limits::min() : limits::max();
  }
  for (const std::int64_t length : {128, 129, 192, 193, 288, 289, 2000})
  {
    SCOPED_TRACE(length);
    test::check_segmented_sort(keys, make_offsets(20000, [=] { return length; }));
  }
}

// More than half of the segments are empty, and few are very long.
TEST(SegmentedSort, LengthsByAPowerLaw)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(5);
  const auto length = [&]
  {
    const double u = (static_cast<double>(random() >> 11) + 1) / 9007199254740992.0;
    return std::min<std::int64_t>(static_cast<std::int64_t>(std::pow(u, -1 / 1.2)) - 1, 100000);
  };
  for (const std::int64_t size : {3000, 300007})
  {
    test::check_segmented_sort(make_ints(test::disorder::few_keys, size), make_offsets(size, length));
    test::check_segmented_sort(make_ints(test::disorder::local, size), make_offsets(size, length));
  }
}

// Segments that are in order, or nearly, next to segments that are not.
TEST(SegmentedSort, SegmentsInEveryDisorder)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(6);
  for (const test::disorder d : test::all_disorders)
  {
    SCOPED_TRACE(test::name_of(d));
    for (const std::int64_t mean : {100, 10000})
    {
      const auto keys = make_ints(d, 150001);
      test::check_segmented_sort(
        keys, make_offsets(150001, [&] { return static_cast<std::int64_t>(random() % (2 * mean + 1)); }));
    }
  }
}

#if !defined(__CUDACC__)

// A CPU merges only across a piece's border if no element moves past the middle of either piece. Here the key before
// the border moves to the end of its segment, which lies around the middle.
TEST(SegmentedSort, EndsAroundTheMiddleOfAPiece)
{
  const std::int64_t middle = piece + piece / 2;
  for (std::int64_t end = middle - 2; end <= middle + 3; ++end)
  {
    SCOPED_TRACE(end - middle);
    std::vector<std::int32_t> keys(static_cast<std::size_t>(3 * piece));
    std::iota(keys.begin(), keys.end(), 0);
    keys[static_cast<std::size_t>(piece - 1)] = static_cast<std::int32_t>(keys.size());
    test::check_segmented_sort(keys, std::vector<std::int32_t>{0, static_cast<std::int32_t>(end)});
  }
}

#endif

TEST(SegmentedSortFuzz, RandomSegmentsAndDisorders)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    40,
    [](auto& random)
    {
      const auto size = static_cast<std::int64_t>(random() % (std::uint64_t{2} << random() % 18));
      const auto d = test::all_disorders[random() % std::size(test::all_disorders)];
      const std::uint64_t most = std::uint64_t{2} << random() % 17;
      const std::uint64_t one_in = 1 + random() % 8; // one segment in `one_in` has elements, the others are empty
      const auto offsets =
        make_offsets(size, [&] { return static_cast<std::int64_t>(random() % one_in == 0 ? 1 + random() % most : 0); });
      test::check_segmented_sort(make_ints(d, size, random()), offsets);
    });
}

} // namespace
