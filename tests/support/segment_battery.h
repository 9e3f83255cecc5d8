// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The battery of load-balancing search and the interval operations: segments of every distribution of sizes, and each
/// function under a policy against a plain loop.

#include <mgpu_thrust/interval.h>
#include <mgpu_thrust/load_balance.h>

#include "elements.h"
#include "fuzz.h"
#include "systems.h"

#include <cuda/atomic>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace test
{

/// Segments, by their offsets and their number of items.
struct segmentation
{
  std::int64_t num_items = 0;
  std::vector<std::int64_t> offsets;

  std::int64_t num_segments() const
  {
    return static_cast<std::int64_t>(offsets.size());
  }
  std::int64_t size(std::int64_t segment) const
  {
    return (segment + 1 < num_segments() ? offsets[segment + 1] : num_items) - offsets[segment];
  }
  void add(std::int64_t size)
  {
    offsets.push_back(num_items);
    num_items += size;
  }
  /// The offsets, converted to `Offset`.
  template <class Offset>
  std::vector<Offset> offsets_as() const
  {
    return std::vector<Offset>(offsets.begin(), offsets.end());
  }
  /// The segment of each item.
  std::vector<std::int64_t> segments() const
  {
    std::vector<std::int64_t> all;
    all.reserve(num_items);
    for (std::int64_t segment = 0; segment < num_segments(); ++segment)
    {
      all.insert(all.end(), size(segment), segment);
    }
    return all;
  }
};

/// Returns a segmentation with empty segments after the others, so that there are `count` at least.
inline segmentation with_empty_segments(segmentation in, std::int64_t count)
{
  in.offsets.resize(std::max(count, in.num_segments()), in.num_items);
  return in;
}

inline segmentation from_sizes(const std::vector<std::int64_t>& sizes)
{
  segmentation in;
  for (const std::int64_t size : sizes)
  {
    in.add(size);
  }
  return in;
}

/// Distributions of segment lengths.
enum class lengths
{
  all_ones,
  mean_4,
  mean_64,
  all_4096,
  power_law, ///< lengths by a power law, and half of the segments empty
  one_segment,
  all_in_first,
  all_in_last,
  empty_run_at_start, ///< a stretch of 70000 empty segments; also in the next two
  empty_run_in_middle,
  empty_run_at_end,
  empty_runs_everywhere,
  every_other_empty,
  ones_and_runs ///< thousands of segments of one item between others
};
inline constexpr lengths all_lengths[] = {
  lengths::all_ones,
  lengths::mean_4,
  lengths::mean_64,
  lengths::all_4096,
  lengths::power_law,
  lengths::one_segment,
  lengths::all_in_first,
  lengths::all_in_last,
  lengths::empty_run_at_start,
  lengths::empty_run_in_middle,
  lengths::empty_run_at_end,
  lengths::empty_runs_everywhere,
  lengths::every_other_empty,
  lengths::ones_and_runs};

inline const char* name_of(lengths kind)
{
  constexpr const char* names[] = {
    "all ones",
    "mean 4",
    "mean 64",
    "all 4096",
    "power law",
    "one segment",
    "all in first",
    "all in last",
    "empty run at start",
    "empty run in middle",
    "empty run at end",
    "empty runs everywhere",
    "every other empty",
    "ones and runs"};
  return names[static_cast<int>(kind)];
}

/// Segments with `num_items` items in total; there is at least one segment.
inline segmentation make_segmentation(lengths kind, std::int64_t num_items, std::uint64_t seed)
{
  constexpr std::int64_t long_run = 70000;
  std::mt19937_64 random(seed);
  segmentation in;
  const auto add_empty = [&](std::int64_t count)
  {
    for (; count > 0; --count)
    {
      in.add(0);
    }
  };
  // Appends segments of next_size() items until they have `items` in total.
  const auto add_until = [&](std::int64_t items, auto next_size)
  {
    while (in.num_items < items)
    {
      in.add(std::min<std::int64_t>(next_size(), items - in.num_items));
    }
  };
  const auto up_to = [&](std::int64_t largest) { return static_cast<std::int64_t>(random() % (largest + 1)); };
  switch (kind)
  {
  case lengths::all_ones:
    add_until(num_items, [] { return 1; });
    break;
  case lengths::mean_4:
    add_until(num_items, [&] { return up_to(8); });
    break;
  case lengths::mean_64:
    add_until(num_items, [&] { return up_to(128); });
    break;
  case lengths::all_4096:
    add_until(num_items, [] { return 4096; });
    break;
  case lengths::power_law:
    add_until(
      num_items,
      [&]() -> std::int64_t
      {
        const double uniform = static_cast<double>(random() % 1000000 + 1) / 1000000.0;
        return random() % 2 == 0 ? 0 : static_cast<std::int64_t>(std::pow(uniform, -1.0));
      });
    break;
  case lengths::one_segment:
    in.add(num_items);
    break;
  case lengths::all_in_first:
    in.add(num_items);
    add_empty(1000);
    break;
  case lengths::all_in_last:
    add_empty(1000);
    in.add(num_items);
    break;
  case lengths::empty_run_at_start:
    add_empty(long_run);
    add_until(num_items, [&] { return up_to(3); });
    break;
  case lengths::empty_run_in_middle:
    add_until(num_items / 2, [&] { return up_to(3); });
    add_empty(long_run);
    add_until(num_items, [&] { return up_to(3); });
    break;
  case lengths::empty_run_at_end:
    add_until(num_items, [&] { return up_to(3); });
    add_empty(long_run);
    break;
  case lengths::empty_runs_everywhere:
    add_until(
      num_items,
      [&]() -> std::int64_t
      {
        add_empty(random() % 1000 == 0 ? up_to(5000) : 0);
        return 1 + up_to(100);
      });
    break;
  case lengths::every_other_empty:
    add_until(
      num_items,
      [&]() -> std::int64_t
      {
        add_empty(1);
        return 2;
      });
    break;
  case lengths::ones_and_runs:
    while (in.num_items < num_items)
    {
      add_until(std::min(num_items, in.num_items + up_to(5000)), [] { return 1; });
      add_until(std::min(num_items, in.num_items + up_to(300)), [&] { return up_to(40); });
    }
    break;
  }
  if (in.offsets.empty())
  {
    in.add(0);
  }
  return in;
}

/// Numbers of items around the size of a GPU's tile.
inline constexpr std::int64_t tile_sizes[] = {0, 1, 2, 4095, 4096, 4097, 3 * 4096 + 5, 50001};

/// Calls f(segmentation) for all distributions of lengths with all tile_sizes, and for some with many items.
template <class Function>
void for_each_segmentation(Function f)
{
  const auto call = [&](lengths kind, std::int64_t num_items)
  {
    SCOPED_TRACE(std::string(name_of(kind)) + ", " + std::to_string(num_items) + " items");
    f(make_segmentation(kind, num_items, num_items));
  };
  for (const lengths kind : all_lengths)
  {
    for (const std::int64_t num_items : tile_sizes)
    {
      call(kind, num_items);
      ASSERT_FALSE(testing::Test::HasFatalFailure());
    }
  }
  for (const lengths kind : {lengths::mean_4, lengths::power_law, lengths::ones_and_runs})
  {
    call(kind, (std::int64_t{1} << 20) + 3);
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
}

/// Calls f(segmentation) for all lists of up to `longest` segments of up to `largest` items.
template <class Function>
void for_each_small_segmentation(std::int64_t longest, std::int64_t largest, Function f)
{
  std::vector<std::int64_t> sizes;
  for (;;)
  {
    SCOPED_TRACE(testing::PrintToString(sizes));
    f(from_sizes(sizes));
    ASSERT_FALSE(testing::Test::HasFatalFailure());
    // Next list: count up; on overflow, add a segment.
    auto digit = sizes.begin();
    while (digit != sizes.end() && *digit == largest)
    {
      *digit++ = 0;
    }
    if (digit != sizes.end())
    {
      ++*digit;
    }
    else if (static_cast<std::int64_t>(sizes.size()) < longest)
    {
      sizes.push_back(0);
    }
    else
    {
      return;
    }
  }
}

/// Calls f(segmentation) for fuzz cases: parts of different distributions, with sizes of every magnitude.
template <class Function>
void for_each_random_segmentation(Function f)
{
  test::for_each_fuzz_case(
    60,
    [&](std::mt19937_64& random)
    {
      segmentation in;
      const std::uint64_t parts = 1 + random() % 4;
      for (std::uint64_t part = 0; part < parts; ++part)
      {
        const auto kind = all_lengths[random() % std::size(all_lengths)];
        const auto more = make_segmentation(kind, random() % (std::uint64_t{2} << random() % 17), random());
        for (std::int64_t segment = 0; segment < more.num_segments(); ++segment)
        {
          in.add(more.size(segment));
        }
      }
      SCOPED_TRACE(std::to_string(in.num_items) + " items in " + std::to_string(in.num_segments()));
      f(in);
    });
}

/// Positions of intervals in an input or output, and the buffer size that they need.
struct interval_places
{
  std::vector<std::int64_t> places;
  std::int64_t end = 0;

  template <class Place>
  std::vector<Place> as() const
  {
    return std::vector<Place>(places.begin(), places.end());
  }
};

/// Disjoint positions of intervals, in shuffled order with gaps between some; empty intervals have arbitrary positions.
inline interval_places shuffled_places(const segmentation& in, std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> order(in.num_segments());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  interval_places to{std::vector<std::int64_t>(order.size()), 0};
  for (const std::int64_t segment : order)
  {
    to.end += random() % 16 == 0 ? 3 : 0;
    to.places[segment] = in.size(segment) > 0 ? to.end : 100000000 + static_cast<std::int64_t>(random() % 9);
    to.end += in.size(segment);
  }
  return to;
}

/// Intervals with their source and destination positions.
struct interval_case
{
  segmentation in;
  interval_places from;
  interval_places to;
  std::vector<std::int64_t> segments;

  explicit interval_case(const segmentation& intervals)
      : in(intervals)
      , from(shuffled_places(intervals, 1))
      , to(shuffled_places(intervals, 2))
      , segments(intervals.segments())
  {
  }
};

/// Compares an output with element(i) for each i, and checks the guard element after it.
template <class Element, class Memory, class Function>
void expect_elements(const Memory& out, std::int64_t size, Function element)
{
  std::vector<Element> expected;
  expected.reserve(size);
  for (std::int64_t i = 0; i < size; ++i)
  {
    expected.push_back(element(i));
  }
  expect_output(out, expected, size);
}

template <class Index, class Offset, class Policy>
void check_load_balancing_search(const Policy& policy, const segmentation& in)
{
  SCOPED_TRACE("load_balancing_search");
  const auto offsets = to_memory<Policy>(in.offsets_as<Offset>());
  memory<Policy, Index> out(in.num_items + 1, static_cast<Index>(-7));
  const auto end = mgpu::load_balancing_search(policy, in.num_items, offsets.begin(), offsets.end(), out.begin());
  ASSERT_EQ(end - out.begin(), in.num_items);
  const auto segments = in.segments();
  expect_elements<Index>(out, in.num_items, [&](std::int64_t i) { return static_cast<Index>(segments[i]); });
}

/// Records the arguments of each call.
struct note_item
{
  std::int32_t* calls;
  std::int64_t* segments;
  std::int64_t* ranks;
  std::int64_t* values;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void operator()(std::int64_t item, std::int64_t segment, std::int64_t rank) const
  {
    ::cuda::atomic_ref<std::int32_t, ::cuda::thread_scope_device>(calls[item])
      .fetch_add(1, ::cuda::memory_order_relaxed);
    segments[item] = segment;
    ranks[item] = rank;
  }
  MGPU_THRUST_HOST_DEVICE void
  operator()(std::int64_t item, std::int64_t segment, std::int64_t rank, std::int64_t value) const
  {
    (*this)(item, segment, rank);
    values[item] = value;
  }
};

/// Checks that a function is called once for each item, with the right arguments, with and without values.
template <class Offset, class Policy>
void check_for_each_in_segments(const Policy& policy, const segmentation& in)
{
  SCOPED_TRACE("for_each_in_segments");
  const auto offsets = to_memory<Policy>(in.offsets_as<Offset>());
  const auto segments = in.segments();
  for (const bool with_values : {false, true})
  {
    memory<Policy, std::int32_t> calls(in.num_items + 1, 0);
    memory<Policy, std::int64_t> noted[3];
    for (auto& notes : noted)
    {
      notes.resize(in.num_items + 1, -7);
    }
    const note_item f{
      thrust::raw_pointer_cast(calls.data()), thrust::raw_pointer_cast(noted[0].data()),
      thrust::raw_pointer_cast(noted[1].data()), thrust::raw_pointer_cast(noted[2].data())};
    if (with_values)
    {
      const auto values = to_memory<Policy>(make_elements<std::int64_t>(in.num_segments(), 1000000));
      mgpu::for_each_in_segments(policy, in.num_items, offsets.begin(), offsets.end(), values.begin(), f);
    }
    else
    {
      mgpu::for_each_in_segments(policy, in.num_items, offsets.begin(), offsets.end(), f);
    }
    const auto& got_calls = to_host(calls);
    const auto& got_segments = to_host(noted[0]);
    const auto& got_ranks = to_host(noted[1]);
    const auto& got_values = to_host(noted[2]);
    ASSERT_EQ(got_calls.back(), 0) << "called for an item that there is not";
    for (std::int64_t i = 0; i < in.num_items; ++i)
    {
      const bool is_right = got_calls[i] == 1 && got_segments[i] == segments[i]
                            && got_ranks[i] == i - in.offsets[segments[i]]
                            && got_values[i] == (with_values ? 1000000 + segments[i] : -7);
      if (!is_right) // an assertion per item would take most of the time
      {
        FAIL() << "item " << i << ": " << got_calls[i] << " calls, segment " << got_segments[i] << ", rank "
               << got_ranks[i] << ", value " << got_values[i];
      }
    }
  }
}

/// Combines an item, its segment, its rank and its segment's value into one number.
struct mix_item
{
  MGPU_THRUST_HOST_DEVICE std::int64_t
  operator()(std::int64_t item, std::int64_t segment, std::int64_t rank, std::int64_t value = 0) const
  {
    return item + 1000003 * segment + 10000019 * rank + 7 * value;
  }
};

/// Checks transform_in_segments with and without values.
template <class Offset, class Policy>
void check_transform_in_segments(const Policy& policy, const segmentation& in)
{
  SCOPED_TRACE("transform_in_segments");
  const auto offsets = to_memory<Policy>(in.offsets_as<Offset>());
  const auto values = to_memory<Policy>(make_elements<std::int32_t>(in.num_segments(), 1000000));
  const auto segments = in.segments();
  const auto expect = [&](const auto& out, std::int64_t end, std::int64_t value, std::int64_t step)
  {
    ASSERT_EQ(end, in.num_items);
    expect_elements<std::int64_t>(
      out, in.num_items,
      [&](std::int64_t i)
      { return mix_item{}(i, segments[i], i - in.offsets[segments[i]], value + step * segments[i]); });
  };
  {
    memory<Policy, std::int64_t> out(in.num_items + 1, -7);
    const auto end =
      mgpu::transform_in_segments(policy, in.num_items, offsets.begin(), offsets.end(), out.begin(), mix_item{});
    expect(out, end - out.begin(), 0, 0);
  }
  {
    memory<Policy, std::int64_t> out(in.num_items + 1, -7);
    const auto end = mgpu::transform_in_segments(
      policy, in.num_items, offsets.begin(), offsets.end(), values.begin(), out.begin(), mix_item{});
    expect(out, end - out.begin(), 1000000, 1);
  }
}

template <class Element, class Offset, class Policy>
void check_interval_expand(const Policy& policy, const interval_case& intervals)
{
  SCOPED_TRACE("interval_expand");
  const segmentation& in = intervals.in;
  const std::vector<std::int64_t>& segments = intervals.segments;
  const auto offsets = to_memory<Policy>(in.offsets_as<Offset>());
  const auto values = to_memory<Policy>(make_elements<Element>(in.num_segments(), 0));
  memory<Policy, Element> out(in.num_items + 1, make_element<Element>(-7));
  const auto end =
    mgpu::interval_expand(policy, in.num_items, offsets.begin(), offsets.end(), values.begin(), out.begin());
  ASSERT_EQ(end - out.begin(), in.num_items);
  expect_elements<Element>(out, in.num_items, [&](std::int64_t i) { return make_element<Element>(segments[i]); });
}

template <class Element, class Offset, class Policy>
void check_interval_gather(const Policy& policy, const interval_case& intervals)
{
  SCOPED_TRACE("interval_gather");
  const segmentation& in = intervals.in;
  const interval_places& from = intervals.from;
  const std::vector<std::int64_t>& segments = intervals.segments;
  const auto offsets = to_memory<Policy>(in.offsets_as<Offset>());
  const auto gather = to_memory<Policy>(from.as<Offset>());
  const auto input = to_memory<Policy>(make_elements<Element>(from.end, 0));
  memory<Policy, Element> out(in.num_items + 1, make_element<Element>(-7));
  const auto end = mgpu::interval_gather(
    policy, in.num_items, offsets.begin(), offsets.end(), gather.begin(), input.begin(), out.begin());
  ASSERT_EQ(end - out.begin(), in.num_items);
  expect_elements<Element>(
    out, in.num_items,
    [&](std::int64_t i) { return make_element<Element>(from.places[segments[i]] + i - in.offsets[segments[i]]); });
}

/// Checks interval_scatter, or interval_move whose source positions differ from its destinations.
template <bool Moves, class Element, class Offset, class Policy>
void check_interval_scatter(const Policy& policy, const interval_case& intervals)
{
  SCOPED_TRACE(Moves ? "interval_move" : "interval_scatter");
  const segmentation& in = intervals.in;
  const interval_places& from = intervals.from;
  const interval_places& to = intervals.to;
  const auto offsets = to_memory<Policy>(in.offsets_as<Offset>());
  const auto gather = to_memory<Policy>(from.as<Offset>());
  const auto scatter = to_memory<Policy>(to.as<std::int64_t>());
  const auto input = to_memory<Policy>(make_elements<Element>(Moves ? from.end : in.num_items, 0));
  memory<Policy, Element> out(to.end + 1, make_element<Element>(-7));
  std::vector<std::int64_t> origins(to.end, -7); // the element expected at each position
  for (std::int64_t segment = 0; segment < in.num_segments(); ++segment)
  {
    for (std::int64_t rank = 0; rank < in.size(segment); ++rank)
    {
      origins[to.places[segment] + rank] = (Moves ? from.places : in.offsets)[segment] + rank;
    }
  }
  if constexpr (Moves)
  {
    mgpu::interval_move(
      policy, in.num_items, offsets.begin(), offsets.end(), gather.begin(), scatter.begin(), input.begin(),
      out.begin());
  }
  else
  {
    mgpu::interval_scatter(
      policy, in.num_items, offsets.begin(), offsets.end(), scatter.begin(), input.begin(), out.begin());
  }
  expect_elements<Element>(out, to.end, [&](std::int64_t i) { return make_element<Element>(origins[i]); });
}

/// Checks load-balancing search and the functions that are called for items in segments.
template <class Offset, class Policy>
void check_load_balance(const Policy& policy, const segmentation& in)
{
  check_load_balancing_search<std::int32_t, Offset>(policy, in);
  check_for_each_in_segments<Offset>(policy, in);
  check_transform_in_segments<Offset>(policy, in);
}

/// Checks the interval operations.
template <class Element, class Offset, class Policy>
void check_intervals(const Policy& policy, const interval_case& intervals)
{
  check_interval_expand<Element, Offset>(policy, intervals);
  check_interval_gather<Element, Offset>(policy, intervals);
  check_interval_scatter<false, Element, Offset>(policy, intervals);
  check_interval_scatter<true, Element, Offset>(policy, intervals);
}

} // namespace test
