// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Load balancing and interval operations whose numbers of items and of segments are deferred: the battery, segments of
// several distributions, and a chain with the operation that finds the segments.

#include "support/deferred_battery.h"
#include "support/segment_battery.h"

#include <mgpu_thrust/interval_n.h>
#include <mgpu_thrust/load_balance_n.h>
#include <mgpu_thrust/read_count.h>
#include <mgpu_thrust/set_operations_n.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/device/device_interval.cuh>
#  include <mgpu_thrust/device/device_load_balance.cuh>
#endif

#include <thrust/iterator/counting_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using test::ints;
using test::two_ranges;

/// What the functions of the tests make of an item and of a value, 0 where there is none.
struct mix
{
  MGPU_THRUST_HOST_DEVICE std::int32_t
  operator()(std::int64_t item, std::int64_t segment, std::int64_t rank, std::int64_t value = 0) const
  {
    return static_cast<std::int32_t>(item + 3 * segment + 5 * rank + 7 * value);
  }
};

/// Stores that for each item.
struct store_mix
{
  std::int32_t* out;

  MGPU_THRUST_HOST_DEVICE void operator()(std::int64_t item, std::int64_t segment, std::int64_t rank) const
  {
    out[item] = mix{}(item, segment, rank);
  }
};

/// The first range are the offsets of segments, so that its size is the number of segments; the second are one element
/// per item. Of 64 segments 63 are empty; the last segment is long.
struct segments_input
{
  static constexpr bool writes = true;
  static constexpr int result_at = 1;

  static ints input(int range, std::int64_t size)
  {
    ints all;
    for (std::int64_t i = 0; i < size; ++i)
    {
      all.push_back(static_cast<std::int32_t>(range == 0 ? i / 64 : 3 * i + 1));
    }
    return all;
  }
  /// The output that element(item, segment, rank, value of the item) returns for each item.
  template <class Element>
  static ints elements(const ints& offsets, const ints& of_items, Element element)
  {
    ints all;
    std::size_t segment = 0;
    for (std::size_t item = 0; item < of_items.size() && !offsets.empty(); ++item)
    {
      while (segment + 1 < offsets.size() && offsets[segment + 1] <= static_cast<std::int32_t>(item))
      {
        ++segment;
      }
      const auto number = static_cast<std::int64_t>(item);
      const auto of_segment = static_cast<std::int64_t>(segment);
      all.push_back(static_cast<std::int32_t>(element(number, of_segment, number - offsets[segment], of_items[item])));
    }
    return all;
  }
  static std::int64_t most(std::int64_t, std::int64_t items)
  {
    return items;
  }
};

struct search : segments_input
{
  static ints expected(const ints& offsets, const ints& items)
  {
    return elements(
      offsets, items, [](std::int64_t, std::int64_t segment, std::int64_t, std::int64_t) { return segment; });
  }
  template <class Policy, class Size1, class Size2, class Count>
  static MGPU_THRUST_HOST_DEVICE auto
  run(const Policy& policy, const two_ranges& ranges, Size1 size1, Size2 size2, Count)
  {
    return mgpu::load_balancing_search_n(policy, size2, ranges.first, size1, ranges.out);
  }
#if defined(__CUDACC__)
  template <class Size1, class Size2, class Count>
  static cudaError_t queue(
    void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 size1, Size2 size2, Count*, cudaStream_t stream)
  {
    return mgpu::DeviceLoadBalance::Search(storage, bytes, size2, ranges.first, size1, ranges.out, stream);
  }
#endif
};

struct visit : segments_input
{
  static ints expected(const ints& offsets, const ints& items)
  {
    return elements(
      offsets, items,
      [](std::int64_t item, std::int64_t segment, std::int64_t rank, std::int64_t)
      { return mix{}(item, segment, rank); });
  }
  template <class Policy, class Size1, class Size2, class Count>
  static MGPU_THRUST_HOST_DEVICE auto
  run(const Policy& policy, const two_ranges& ranges, Size1 size1, Size2 size2, Count)
  {
    mgpu::for_each_in_segments_n(policy, size2, ranges.first, size1, store_mix{ranges.out});
    return size2;
  }
#if defined(__CUDACC__)
  template <class Size1, class Size2, class Count>
  static cudaError_t queue(
    void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 size1, Size2 size2, Count*, cudaStream_t stream)
  {
    return mgpu::DeviceLoadBalance::ForEach(storage, bytes, size2, ranges.first, size1, store_mix{ranges.out}, stream);
  }
#endif
};

/// A segment's value is its offset.
struct transform : segments_input
{
  static ints expected(const ints& offsets, const ints& items)
  {
    return elements(
      offsets, items,
      [](std::int64_t item, std::int64_t segment, std::int64_t rank, std::int64_t)
      { return mix{}(item, segment, rank, item - rank); });
  }
  template <class Policy, class Size1, class Size2, class Count>
  static MGPU_THRUST_HOST_DEVICE auto
  run(const Policy& policy, const two_ranges& ranges, Size1 size1, Size2 size2, Count)
  {
    return mgpu::transform_in_segments_n(policy, size2, ranges.first, size1, ranges.first, ranges.out, mix{});
  }
#if defined(__CUDACC__)
  template <class Size1, class Size2, class Count>
  static cudaError_t queue(
    void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 size1, Size2 size2, Count*, cudaStream_t stream)
  {
    return mgpu::DeviceLoadBalance::Transform(
      storage, bytes, size2, ranges.first, size1, ranges.first, ranges.out, mix{}, stream);
  }
#endif
};

/// Segments are scattered to where they were.
struct scatter : segments_input
{
  static ints expected(const ints& offsets, const ints& items)
  {
    return elements(
      offsets, items, [](std::int64_t, std::int64_t, std::int64_t, std::int64_t element) { return element; });
  }
  template <class Policy, class Size1, class Size2, class Count>
  static MGPU_THRUST_HOST_DEVICE auto
  run(const Policy& policy, const two_ranges& ranges, Size1 size1, Size2 size2, Count)
  {
    mgpu::interval_scatter_n(policy, size2, ranges.first, size1, ranges.first, ranges.second, ranges.out);
    return size2;
  }
#if defined(__CUDACC__)
  template <class Size1, class Size2, class Count>
  static cudaError_t queue(
    void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 size1, Size2 size2, Count*, cudaStream_t stream)
  {
    return mgpu::DeviceInterval::Scatter(
      storage, bytes, size2, ranges.first, size1, ranges.first, ranges.second, ranges.out, stream);
  }
#endif
};

/// The value of a segment is its number.
struct expand : search
{
  template <class Policy, class Size1, class Size2, class Count>
  static MGPU_THRUST_HOST_DEVICE auto
  run(const Policy& policy, const two_ranges& ranges, Size1 size1, Size2 size2, Count)
  {
    return mgpu::interval_expand_n(
      policy, size2, ranges.first, size1, thrust::counting_iterator<std::int32_t>(0), ranges.out);
  }
#if defined(__CUDACC__)
  template <class Size1, class Size2, class Count>
  static cudaError_t queue(
    void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 size1, Size2 size2, Count*, cudaStream_t stream)
  {
    return mgpu::DeviceInterval::Expand(
      storage, bytes, size2, ranges.first, size1, thrust::counting_iterator<std::int32_t>(0), ranges.out, stream);
  }
#endif
};

using deferred_calls = testing::Types<search, visit, transform, scatter, expand>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(Segments, DeferredSizes, deferred_calls);
} // namespace test

namespace
{

/// Calls deferred(num_items, offsets, num_segments, out) with sizes below their capacities, by `more_items` at the
/// items, and known(num_items, begin and end of the offsets, out), and compares what they write. Offsets after the real
/// ones are wrong.
template <class Policy, class Deferred, class Known>
void expect_same(
  const test::segmentation& in, std::int64_t room, Deferred deferred, Known known, std::int64_t more_items = 10000)
{
  constexpr std::int64_t more = 300000;
  const std::int64_t num_segments = in.num_segments();
  std::vector<std::int64_t> offsets = in.offsets;
  offsets.resize(static_cast<std::size_t>(num_segments + more), 0);
  const auto placed = test::to_memory<Policy>(offsets);
  const auto counts = test::to_memory<Policy>(std::vector<std::int64_t>{in.num_items, num_segments});
  test::memory<Policy, std::int32_t> out(static_cast<std::size_t>(room), -7);
  test::memory<Policy, std::int32_t> expected(static_cast<std::size_t>(room), -7);
  known(in.num_items, placed.begin(), placed.begin() + num_segments, expected.begin());
  // The capacities choose the kernel.
  for (const std::int64_t capacity : {num_segments, num_segments + more})
  {
    deferred(
      mgpu::deferred{counts.data(), in.num_items + more_items}, placed.begin(),
      mgpu::deferred{counts.data() + 1, capacity}, out.begin());
    ASSERT_EQ(test::to_host(out), test::to_host(expected));
    thrust::fill(out.begin(), out.end(), -7);
  }
}

TEST(SegmentsN, DistributionsOfSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto check = [](const auto& policy, const test::interval_case& intervals)
  {
    using policy_t = std::decay_t<decltype(policy)>;
    const test::segmentation& in = intervals.in;
    const auto values = test::to_memory<policy_t>(test::make_elements<std::int32_t>(in.num_segments(), 1000));
    const auto from = test::to_memory<policy_t>(intervals.from.as<std::int64_t>());
    const auto to = test::to_memory<policy_t>(intervals.to.as<std::int64_t>());
    const auto input = test::to_memory<policy_t>(test::make_elements<std::int32_t>(intervals.from.end, 0));
    const std::int64_t room = in.num_items + 1;
    expect_same<policy_t>(
      in, room,
      [&](auto n, auto offsets, auto size, auto out) { mgpu::load_balancing_search_n(policy, n, offsets, size, out); },
      [&](auto n, auto first, auto last, auto out) { mgpu::load_balancing_search(policy, n, first, last, out); });
    expect_same<policy_t>(
      in, room,
      [&](auto n, auto offsets, auto size, auto out)
      { mgpu::transform_in_segments_n(policy, n, offsets, size, out, mix{}); },
      [&](auto n, auto first, auto last, auto out)
      { mgpu::transform_in_segments(policy, n, first, last, out, mix{}); });
    expect_same<policy_t>(
      in, room,
      [&](auto n, auto offsets, auto size, auto out)
      { mgpu::interval_expand_n(policy, n, offsets, size, values.begin(), out); },
      [&](auto n, auto first, auto last, auto out)
      { mgpu::interval_expand(policy, n, first, last, values.begin(), out); });
    expect_same<policy_t>(
      in, room,
      [&](auto n, auto offsets, auto size, auto out)
      { mgpu::interval_gather_n(policy, n, offsets, size, from.begin(), input.begin(), out); },
      [&](auto n, auto first, auto last, auto out)
      { mgpu::interval_gather(policy, n, first, last, from.begin(), input.begin(), out); });
    expect_same<policy_t>(
      in, intervals.to.end + 1,
      [&](auto n, auto offsets, auto size, auto out)
      { mgpu::interval_move_n(policy, n, offsets, size, from.begin(), to.begin(), input.begin(), out); },
      [&](auto n, auto first, auto last, auto out)
      { mgpu::interval_move(policy, n, first, last, from.begin(), to.begin(), input.begin(), out); });
  };
  for (const test::lengths kind :
       {test::lengths::all_ones, test::lengths::power_law, test::lengths::empty_runs_everywhere,
        test::lengths::all_in_last, test::lengths::mean_64})
  {
    for (const std::int64_t num_items : {1, 4097, 50001})
    {
      SCOPED_TRACE(std::string(test::name_of(kind)) + ", " + std::to_string(num_items) + " items");
      const test::interval_case intervals(test::make_segmentation(kind, num_items, 1));
      test::for_each_policy([&](const auto& policy) { check(policy, intervals); });
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

#if defined(__CUDACC__)
// As many items and segments as blocks of tiles share, and one more of each, of few tiles and of many. As many items as
// blocks cut, and one more, with a capacity for which a kernel that cuts is queued, and with one for which it is not.
TEST(SegmentsN, SizesOfOtherKernels)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto check = [](std::int64_t num_items, std::int64_t num_segments, std::int64_t max_items)
  {
    SCOPED_TRACE(std::to_string(num_segments) + " segments, " + std::to_string(num_items) + " items");
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(num_segments), num_items / (2 * num_segments));
    sizes[sizes.size() / 3] = 0;
    sizes.back() = num_items - std::accumulate(sizes.begin(), sizes.end() - 1, std::int64_t{0});
    const test::segmentation in = test::from_sizes(sizes);
    test::for_each_policy(
      [&](const auto& policy)
      {
        expect_same<std::decay_t<decltype(policy)>>(
          in, in.num_items + 1,
          [&](auto n, auto offsets, auto size, auto out)
          { mgpu::load_balancing_search_n(policy, n, offsets, size, out); },
          [&](auto n, auto first, auto last, auto out) { mgpu::load_balancing_search(policy, n, first, last, out); },
          max_items - num_items);
      });
  };
  using few_shape = mgpu::detail::few_segments_shape;
  constexpr std::int64_t tile_items = mgpu::detail::segments_shape::items;
  constexpr std::int64_t max_without_cut = mgpu::detail::max_tiles_cut_by_blocks * tile_items;
  constexpr std::int64_t max_segments = mgpu::detail::segments_shape::max_segments_without_cut;
  constexpr std::int64_t tiles = mgpu::detail::max_tiles_cut_by_blocks + 100;
  constexpr std::int64_t few_tiles = 100;
  constexpr std::int64_t few = few_tiles * few_shape::threads;
  for (const int more : {0, 1})
  {
    check(few + more, few_shape::max_segments, few_tiles * tile_items);
    check(few, few_shape::max_segments + more, few_tiles * tile_items);
    check(few_shape::max_items + more, few_shape::max_segments, tiles * tile_items);
    check(max_without_cut + more, max_segments, tiles * tile_items);
    check(max_without_cut + more, max_segments + 1, tiles * tile_items);
    ASSERT_FALSE(HasFatalFailure());
  }
}
#endif

TEST(SegmentsN, ValuesOfVisitedSegments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto offsets = test::to_memory<policy_t>(ints{0, 3, 3, 4, 1});
      const auto values = test::to_memory<policy_t>(std::vector<std::int64_t>{10, 20, 30, 40, 50});
      const auto counts = test::to_memory<policy_t>(ints{6, 4});
      test::memory<policy_t, std::int32_t> calls(7, 0);
      test::memory<policy_t, std::int64_t> noted[3];
      for (auto& notes : noted)
      {
        notes.resize(7, -7);
      }
      mgpu::for_each_in_segments_n(
        policy, mgpu::deferred{counts.data(), 100}, offsets.begin(), mgpu::deferred{counts.data() + 1, 5},
        values.begin(),
        test::note_item{
          thrust::raw_pointer_cast(calls.data()), thrust::raw_pointer_cast(noted[0].data()),
          thrust::raw_pointer_cast(noted[1].data()), thrust::raw_pointer_cast(noted[2].data())});
      using numbers = std::vector<std::int64_t>;
      EXPECT_EQ(test::to_host(calls), (ints{1, 1, 1, 1, 1, 1, 0}));
      EXPECT_EQ(test::to_host(noted[0]), (numbers{0, 0, 0, 2, 3, 3, -7}));
      EXPECT_EQ(test::to_host(noted[1]), (numbers{0, 1, 2, 0, 0, 1, -7}));
      EXPECT_EQ(test::to_host(noted[2]), (numbers{10, 10, 10, 30, 40, 40, -7}));
    });
}

/// Offsets out of order and out of range write nothing after the output.
TEST(SegmentsN, WrongOffsets)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t num_items = 50021;
  constexpr std::int64_t capacity = 300000;
#if defined(__CUDACC__)
  // An earlier kernel finds the segments of so many tiles, if there may be many segments.
  constexpr std::int64_t most_items = 9000000;
#else
  constexpr std::int64_t most_items = 2 * num_items;
#endif
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto counts = test::to_memory<policy_t>(std::vector<std::int64_t>{num_items, 20011});
      for (const std::int64_t step : {-7, 12345677})
      {
        ints offsets;
        for (std::int64_t i = 0; i < capacity; ++i)
        {
          offsets.push_back(static_cast<std::int32_t>(step * (i - 40)));
        }
        const auto placed = test::to_memory<policy_t>(offsets);
        for (const std::int64_t most_segments : {std::int64_t{20011}, capacity})
        {
          test::memory<policy_t, std::int32_t> out(static_cast<std::size_t>(most_items), -7);
          mgpu::load_balancing_search_n(
            policy, mgpu::deferred{counts.data(), most_items}, placed.begin(),
            mgpu::deferred{counts.data() + 1, most_segments}, out.begin());
          const ints now = test::to_host(out);
          ASSERT_EQ(std::count(now.begin() + num_items, now.end(), -7), most_items - num_items);
        }
      }
    });
}

/// Sizes that the host can check, and items without segments.
TEST(SegmentsN, PossibleSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto offsets = test::to_memory<policy_t>(ints(1000, 0));
      const auto counts = test::to_memory<policy_t>(ints{4, 0, 1});
      test::memory<policy_t, std::int8_t> out(10, -7);
      const auto search = [&](auto num_items, auto num_segments)
      { return mgpu::load_balancing_search_n(policy, num_items, offsets.begin(), num_segments, out.begin()); };
      const mgpu::deferred four{counts.data(), 10};

      search(four, 0);
      search(four, mgpu::deferred{counts.data() + 1, 100});
      search(4, mgpu::deferred{counts.data() + 1, 100});
      EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(10, -7));
      EXPECT_THROW(search(4, 0), std::invalid_argument);
      EXPECT_THROW(search(mgpu::deferred{counts.data(), -1}, 1), std::invalid_argument);
      EXPECT_THROW(search(four, mgpu::deferred{counts.data(), -1}), std::invalid_argument);

      // The number of the last segment fits the output, for every number up to the capacity.
      EXPECT_THROW(search(four, mgpu::deferred{counts.data() + 2, 129}), std::length_error);
      EXPECT_EQ(search(four, mgpu::deferred{counts.data() + 2, 128}).count, counts.data());
      EXPECT_EQ(test::to_host(out), (std::vector<std::int8_t>{0, 0, 0, 0, -7, -7, -7, -7, -7, -7}));
    });
}

/// Doubles a number.
struct twice
{
  MGPU_THRUST_HOST_DEVICE void operator()(std::int32_t& number) const
  {
    number *= 2;
  }
};

TEST(SegmentsN, ForEach)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      constexpr std::int64_t size = 20000;
      auto numbers = test::to_memory<policy_t>(ints(size, 3));
      const auto count = test::to_memory<policy_t>(ints{15000});
      const auto returned = mgpu::for_each_n(policy, numbers.begin(), mgpu::deferred{count.data(), size}, twice{});
      EXPECT_EQ(returned.capacity, size);
      EXPECT_EQ(mgpu::for_each_n(policy, numbers.begin(), 100, twice{}), 100);
      ints expected(size, 3);
      std::fill(expected.begin(), expected.begin() + 15000, 6);
      std::fill(expected.begin(), expected.begin() + 100, 12);
      EXPECT_EQ(test::to_host(numbers), expected);
    });
}

/// The elements that two lists have in common, each as many times as its rank among them: the number of segments is
/// left by the operation before.
TEST(SegmentsN, Chain)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto a = test::to_memory<policy_t>(ints{1, 3, 5, 7, 9});
      const auto b = test::to_memory<policy_t>(ints{3, 4, 5, 6, 7});
      const auto offsets = test::to_memory<policy_t>(ints{0, 1, 3, 6, 10}); // of 1, 2, 3, 4 and 5 items
      test::memory<policy_t, std::int32_t> common(5);
      test::memory<policy_t, std::int32_t> out(16, -7);
      auto count = test::to_memory<policy_t>(ints{0, 6});
      const auto num_common =
        mgpu::set_intersection_n(policy, a.begin(), 5, b.begin(), 5, common.begin(), count.data());
      const auto num_items = mgpu::interval_expand_n(
        policy, mgpu::deferred{count.data() + 1, 15}, offsets.begin(), num_common, common.begin(), out.begin());
      ASSERT_EQ(mgpu::read_count(policy, num_items), 6);
      ASSERT_EQ(test::to_host(out), (ints{3, 5, 5, 7, 7, 7, -7, -7, -7, -7, -7, -7, -7, -7, -7, -7}));
    });
}

} // namespace
