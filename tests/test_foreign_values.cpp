// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Comparators, operators and functions are called with elements alone, on every path of every family but the sorts,
// which test_foreign_values_sorts.cpp has: sizes known and deferred, on a GPU with foreign values in shared memory.

#include "support/foreign_values.h"
#include "support/segment_battery.h"
#include "support/systems.h"

#include <mgpu_thrust/mgpu_thrust.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using indices = std::vector<std::int64_t>;

/// Two sorted ranges with foreign values after their ends, and room for results.
template <class Policy, class Key>
struct foreign_two_ranges
{
  test::memory<Policy, Key> a, b, out;
  test::memory<Policy, std::int64_t> places, more_places, counts;
  test::foreign_calls<Policy> calls;
  test::less_of_elements comp;
  std::string name;

  foreign_two_ranges(std::int64_t m, std::int64_t n, std::int64_t kinds)
      : a(test::to_memory<Policy>(test::marked_keys<Key>(test::sorted_ranks(m, kinds, 1), m / 2 + 9)))
      , b(test::to_memory<Policy>(test::marked_keys<Key>(test::sorted_ranks(n, kinds, 2), n / 2 + 9)))
      , out(a.size() + b.size())
      , places(a.size() + b.size())
      , more_places(a.size() + b.size())
      , counts(test::to_memory<Policy>(indices{m, n, 0}))
      , comp{calls.counter()}
      , name(std::to_string(m) + " and " + std::to_string(n) + " elements, " + std::to_string(kinds) + " kinds")
  {
    calls.poison();
  }
};

/// The set operations, merges, searches, as-of joins and semi joins.
template <class Key, class Policy>
void check_two_ranges(const Policy& policy, std::int64_t m, std::int64_t n, std::int64_t kinds)
{
  foreign_two_ranges<Policy, Key> in(m, n, kinds);
  SCOPED_TRACE(in.name);
  auto& calls = in.calls;
  const auto comp = in.comp;
  const auto a = in.a.begin(), a_end = a + m;
  const auto b = in.b.begin(), b_end = b + n;
  const auto out = in.out.begin();
  const auto i = in.places.begin(), j = in.more_places.begin();

  mgpu::set_intersection(policy, a, a_end, b, b_end, out, comp);
  calls.expect_none("set_intersection");
  mgpu::set_union(policy, a, a_end, b, b_end, out, comp);
  calls.expect_none("set_union");
  mgpu::set_difference_by_key(policy, a, a_end, b, b_end, i, j, out, i, comp);
  calls.expect_none("set_difference_by_key");
  mgpu::set_symmetric_difference(policy, a, a_end, b, b_end, out, comp);
  calls.expect_none("set_symmetric_difference");
  mgpu::set_union_size(policy, a, a_end, b, b_end, comp);
  calls.expect_none("set_union_size");
  mgpu::includes(policy, a, a_end, b, b_end, comp);
  calls.expect_none("includes");
  mgpu::merge(policy, a, a_end, b, b_end, out, comp);
  calls.expect_none("merge");
  mgpu::sorted_lower_bound(policy, a, a_end, b, b_end, i, comp);
  calls.expect_none("sorted_lower_bound");
  mgpu::sorted_equal_range(policy, a, a_end, b, b_end, i, j, comp);
  calls.expect_none("sorted_equal_range");
  mgpu::sorted_search(policy, a, a_end, b, b_end, i, j, comp);
  calls.expect_none("sorted_search");
  mgpu::asof_join(policy, a, a_end, b, b_end, i, mgpu::backward, comp, comp);
  calls.expect_none("asof_join backward");
  mgpu::asof_join(policy, a, a_end, b, b_end, i, mgpu::strictly_forward, comp, comp);
  calls.expect_none("asof_join strictly_forward");
  mgpu::asof_join(policy, a, a_end, b, b_end, i, mgpu::nearest(comp), comp, comp); // a distance of 0 or 1
  calls.expect_none("asof_join nearest");
  mgpu::semi_join(policy, a, a_end, b, b_end, i, comp);
  calls.expect_none("semi_join");
  mgpu::anti_join_size(policy, a, a_end, b, b_end, comp);
  calls.expect_none("anti_join_size");

  const auto count = thrust::raw_pointer_cast(in.counts.data());
  const mgpu::deferred a_size{count, static_cast<std::int64_t>(in.a.size())};
  const mgpu::deferred b_size{count + 1, static_cast<std::int64_t>(in.b.size())};
  mgpu::set_intersection_n(policy, a, a_size, b, b_size, out, count + 2, comp);
  calls.expect_none("set_intersection_n");
  mgpu::set_union_n(policy, a, a_size, b, b_size, out, count + 2, comp);
  calls.expect_none("set_union_n");
  mgpu::merge_n(policy, a, a_size, b, b_size, out, count + 2, comp);
  calls.expect_none("merge_n");
  mgpu::sorted_lower_bound_n(policy, a, a_size, b, b_size, i, comp);
  calls.expect_none("sorted_lower_bound_n");
  mgpu::asof_join_n(policy, a, a_size, b, b_size, i, mgpu::forward, comp, comp);
  calls.expect_none("asof_join_n");
  mgpu::semi_join_n(policy, a, a_size, b, b_size, i, count + 2, comp);
  calls.expect_none("semi_join_n");
}

/// Merges of the thirds of two ranges, and of runs of another.
template <class Key, class Policy>
void check_multiway_merges(const Policy& policy, std::int64_t m, std::int64_t n, std::int64_t kinds)
{
  foreign_two_ranges<Policy, Key> in(m, n, kinds);
  SCOPED_TRACE(in.name);
  const auto* const a = thrust::raw_pointer_cast(in.a.data());
  const auto* const b = thrust::raw_pointer_cast(in.b.data());
  const auto runs =
    test::to_memory<Policy>(std::vector<const Key*>{a, b, a + m / 3, b + n / 3, a + m / 3 * 2, b + n / 3 * 2, a, b, a});
  const auto sizes =
    test::to_memory<Policy>(indices{m / 3, n / 3, m / 3, n / 3, m - m / 3 * 2, n - n / 3 * 2, 0, 0, 0});
  const auto offsets = test::to_memory<Policy>(indices{0, m / 5, m / 4, m / 2});
  const mgpu::deferred a_size{thrust::raw_pointer_cast(in.counts.data()), static_cast<std::int64_t>(in.a.size())};
  in.calls.poison();
  mgpu::multiway_merge(policy, runs.begin(), sizes.begin(), 9, m + n, in.out.begin(), in.comp);
  in.calls.expect_none("multiway_merge");
  mgpu::multiway_merge_indices(
    policy, runs.begin(), sizes.begin(), 6, m + n, in.places.begin(), in.more_places.begin(), in.comp);
  in.calls.expect_none("multiway_merge_indices");
  mgpu::merge_runs_by_key_n(
    policy, in.a.begin(), a_size, in.places.begin(), offsets.begin(), 4, in.out.begin(), in.more_places.begin(),
    in.comp);
  in.calls.expect_none("merge_runs_by_key_n");
  mgpu::multiway_merge_unique(policy, runs.begin(), sizes.begin(), 9, m + n, in.out.begin(), in.comp);
  in.calls.expect_none("multiway_merge_unique");
  mgpu::merge_runs_reduce_by_key(
    policy, in.a.begin(), in.a.begin() + m, in.places.begin(), offsets.begin(), offsets.end(), in.out.begin(),
    in.more_places.begin(), in.comp);
  in.calls.expect_none("merge_runs_reduce_by_key");
}

/// The intersection of two ranges, one pair, and of parts of them.
template <class Key, class Policy>
void check_pairs_of_lists(const Policy& policy, std::int64_t m, std::int64_t n, std::int64_t kinds)
{
  foreign_two_ranges<Policy, Key> in(m, n, kinds);
  SCOPED_TRACE(in.name);
  const auto a_begins = test::to_memory<Policy>(indices{0, m / 2, m, m / 3});
  const auto a_ends = test::to_memory<Policy>(indices{m, m, 0, m / 3 + (m + 29) / 30});
  const auto b_begins = test::to_memory<Policy>(indices{0, 0, 0, n / 2});
  const auto b_ends = test::to_memory<Policy>(indices{n, n / 2, n, n});
  in.calls.poison();
  mgpu::segmented_set_intersection_size(
    policy, in.a.begin(), a_begins.begin(), a_ends.begin(), in.b.begin(), b_begins.begin(), b_ends.begin(), 4,
    in.places.begin(), in.comp);
  in.calls.expect_none("segmented_set_intersection_size");
  mgpu::segmented_set_union(
    policy, in.a.begin(), a_begins.begin() + 2, a_ends.begin() + 2, in.b.begin(), b_begins.begin() + 2,
    b_ends.begin() + 2, 2, in.out.begin(), in.places.begin(), in.comp);
  in.calls.expect_none("segmented_set_union");
  mgpu::segmented_set_intersection(
    policy, in.a.begin(), a_begins.begin() + 3, a_ends.begin() + 3, in.b.begin(), b_begins.begin() + 3,
    b_ends.begin() + 3, 1, in.out.begin(), in.places.begin(), in.comp);
  in.calls.expect_none("segmented_set_intersection");
  mgpu::segmented_upper_bound(
    policy, in.a.begin(), a_begins.begin() + 2, a_ends.begin() + 2, in.b.begin(), b_begins.begin() + 2,
    b_ends.begin() + 2, 2, in.places.begin(), b_begins.begin() + 2, in.comp);
  in.calls.expect_none("segmented_upper_bound");
}

/// The joins, where they have not too many rows.
template <class Key, class Policy>
void check_joins(const Policy& policy, std::int64_t m, std::int64_t n, std::int64_t kinds)
{
  foreign_two_ranges<Policy, Key> in(m, n, kinds);
  SCOPED_TRACE(in.name);
  auto& calls = in.calls;
  const auto comp = in.comp;
  const auto a = in.a.begin(), a_end = a + m;
  const auto b = in.b.begin(), b_end = b + n;
  const std::int64_t rows = mgpu::full_join_size(policy, a, a_end, b, b_end, comp);
  calls.expect_none("full_join_size");
  if (rows > 1 << 21)
  {
    return;
  }
  test::memory<Policy, std::int64_t> left(rows), right(rows);
  mgpu::inner_join(policy, a, a_end, b, b_end, left.begin(), right.begin(), comp);
  calls.expect_none("inner_join");
  mgpu::full_join(policy, a, a_end, b, b_end, left.begin(), right.begin(), comp);
  calls.expect_none("full_join");
  const auto count = thrust::raw_pointer_cast(in.counts.data());
  mgpu::inner_join_n(
    policy, a, mgpu::deferred{count, static_cast<std::int64_t>(in.a.size())}, b,
    mgpu::deferred{count + 1, static_cast<std::int64_t>(in.b.size())}, left.begin(), right.begin(), rows, count + 2,
    comp);
  calls.expect_none("inner_join_n");
}

/// The range joins, where they have not too many rows. The points are B. Intervals begin at an element of A, and end at
/// the third after it.
template <class Key, class Policy>
void check_range_joins(const Policy& policy, std::int64_t m, std::int64_t n, std::int64_t kinds)
{
  foreign_two_ranges<Policy, Key> in(m, n, kinds);
  SCOPED_TRACE(in.name);
  auto& calls = in.calls;
  const auto comp = in.comp;
  const std::int64_t intervals = m > 3 ? m - 3 : 0;
  const auto begins = in.a.begin(), begins_end = begins + intervals;
  const auto ends = begins + (m - intervals);
  const auto points = in.b.begin(), points_end = points + n;
  mgpu::range_count(policy, points, points_end, begins, begins_end, ends, in.places.begin(), comp, mgpu::open);
  calls.expect_none("range_count");
  const std::int64_t rows =
    mgpu::range_join_size(policy, points, points_end, begins, begins_end, ends, comp, mgpu::closed);
  calls.expect_none("range_join_size");
  if (rows > 1 << 21)
  {
    return;
  }
  test::memory<Policy, std::int64_t> x(rows), y(rows);
  mgpu::range_join(policy, points, points_end, begins, begins_end, ends, x.begin(), y.begin(), comp, mgpu::closed);
  calls.expect_none("range_join");
  // In order of neither begins nor ends.
  mgpu::range_count(
    policy, points, points_end, thrust::make_reverse_iterator(begins_end), thrust::make_reverse_iterator(begins),
    thrust::make_reverse_iterator(ends + intervals), in.places.begin(), comp);
  calls.expect_none("range_count, descending");
  const auto count = thrust::raw_pointer_cast(in.counts.data());
  mgpu::range_join_n(
    policy, points, mgpu::deferred{count + 1, static_cast<std::int64_t>(in.b.size())}, begins, intervals, ends,
    x.begin(), y.begin(), rows, count + 2, comp);
  calls.expect_none("range_join_n");
}

/// Sizes for each path: those of few elements, of bisections, of one launch, and of tiles that are cut first.
template <class Call>
void for_each_two_sizes(Call call)
{
  for (const std::int64_t size : test::foreign_sizes({0, 1, 33, 1000, 5000, 40000, 140000, 300007}))
  {
    for (const std::int64_t kinds : {std::int64_t{3}, size / 4 + 1, 4 * size + 1})
    {
      call(size, size, kinds);
    }
    call(size, size / 100, size + 1);
    call(size / 100, size, size + 1);
  }
#if defined(__CUDACC__)
  call(1300003, 1200001, 2000000);
#endif
}

TEST(ForeignValues, TwoRanges)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      for_each_two_sizes(
        [&](auto m, auto n, auto kinds)
        {
          check_two_ranges<test::marked_key<1>>(policy, m, n, kinds);
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
          check_two_ranges<test::marked_key<4>>(policy, m, n, kinds);
          check_multiway_merges<test::marked_key<1>>(policy, m, n, kinds);
#endif
          check_multiway_merges<test::marked_key<4>>(policy, m, n, kinds);
          check_pairs_of_lists<test::marked_key<1>>(policy, m, n, kinds);
        });
    });
}

TEST(ForeignValues, Joins)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy) {
      for_each_two_sizes([&](auto m, auto n, auto kinds) { check_joins<test::marked_key<1>>(policy, m, n, kinds); });
    });
}

TEST(ForeignValues, RangeJoins)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      for_each_two_sizes([&](auto m, auto n, auto kinds)
                         { check_range_joins<test::marked_key<1>>(policy, m, n, kinds); });
    });
}

/// Functions of items: of those that there are, each with its segment and rank.
struct item_of_segment
{
  const std::int64_t* offsets;
  std::int64_t segments;
  std::int64_t items;
  unsigned* foreign;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t item, std::int64_t segment, std::int64_t rank) const
  {
    const bool is_item = 0 <= item && item < items && 0 <= segment && segment < segments;
    if (
      !is_item || offsets[segment] + rank != item || rank < 0
      || item >= (segment + 1 < segments ? offsets[segment + 1] : items))
    {
      test::count_foreign(foreign);
    }
    return item;
  }
};

/// Keeps items, which are neighbours of one segment where they are compared.
struct keep_neighbours
{
  test::join_neighbours join;
  item_of_segment of_segment;

  template <class Range>
  MGPU_THRUST_HOST_DEVICE bool operator()(const Range& x, const Range& y) const
  {
    join(x, y);
    return x.begin() % 2 == 0;
  }
  /// The place of an item is the sum of its number and that of its segment.
  template <class Range>
  MGPU_THRUST_HOST_DEVICE bool operator()(const Range& x, std::int64_t segment) const
  {
    const bool is_segment = 0 <= segment && segment < of_segment.segments;
    const std::int64_t item = x.begin() - segment;
    of_segment(x.is_range(join.places) ? item : -1, segment, is_segment ? item - of_segment.offsets[segment] : 0);
    return x.begin() % 2 == 0;
  }
};

/// Items of segments, as ranges; values that are none are after them.
template <class Policy, int Words>
struct ranges_in_segments
{
  using range = test::item_range<Words>;

  const test::segmentation& segments;
  std::vector<std::int32_t> places; // of the items
  std::vector<std::int32_t> firsts; // where the segment of each begins
  std::vector<unsigned char> is_start;

  explicit ranges_in_segments(const test::segmentation& of)
      : segments(of)
      , is_start(of.num_items + of.num_segments())
  {
    for (std::int64_t s = 0; s < of.num_segments(); ++s)
    {
      const std::int64_t first = of.offsets[s] + s;
      is_start[first] = true;
      for (std::int64_t i = 0; i < of.size(s); ++i)
      {
        places.push_back(static_cast<std::int32_t>(first + i));
        firsts.push_back(static_cast<std::int32_t>(first));
      }
    }
  }

  test::memory<Policy, range> items(std::int64_t foreign) const
  {
    std::vector<range> all;
    for (const std::int32_t place : places)
    {
      all.push_back(range::from(place, place + 1));
    }
    range other;
    std::fill(std::begin(other.words), std::end(other.words), 0x01010101 * test::foreign_byte);
    all.insert(all.end(), foreign, other);
    return test::to_memory<Policy>(all);
  }
  void expect_sums(const test::memory<Policy, range>& sums) const
  {
    expect(
      sums,
      [&](std::int64_t s)
      {
        const auto first = static_cast<std::int32_t>(segments.offsets[s] + s);
        const auto size = static_cast<std::int32_t>(segments.size(s));
        return size == 0 ? range::init() : range::from(first, first + size);
      });
  }
  void expect_scanned(const test::memory<Policy, range>& scanned, bool is_inclusive) const
  {
    expect(
      scanned,
      [&](std::int64_t i)
      {
        const std::int32_t end = places[i] + is_inclusive;
        return firsts[i] == end ? range::init() : range::from(firsts[i], end);
      });
  }

private:
  template <class Expected>
  static void expect(const test::memory<Policy, range>& results, Expected expected)
  {
    const auto& got = test::to_host(results);
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i)
    {
      wrong += !(got[i] == expected(static_cast<std::int64_t>(i)));
    }
    EXPECT_EQ(wrong, 0);
  }
};

template <int Words, class Policy>
void check_segments(const Policy& policy, const test::segmentation& segments)
{
  using range = test::item_range<Words>;
  SCOPED_TRACE(
    std::to_string(segments.num_items) + " items in " + std::to_string(segments.num_segments()) + " segments");
  const std::int64_t foreign = segments.num_items / 2 + 9;
  const ranges_in_segments<Policy, Words> in(segments);
  const auto items = in.items(foreign);
  const auto items_end = items.begin() + segments.num_items;
  const auto starts = test::to_memory<Policy>(in.is_start);
  const auto offsets = test::to_memory<Policy>(segments.offsets);
  const auto count = test::to_memory<Policy>(indices{segments.num_items, segments.num_segments()});
  test::memory<Policy, range> sums(segments.num_segments());
  test::memory<Policy, range> scanned(segments.num_items);
  test::memory<Policy, std::int64_t> results(segments.num_items);
  test::foreign_calls<Policy> calls;
  const test::join_neighbours op{
    thrust::raw_pointer_cast(starts.data()), static_cast<std::int32_t>(starts.size()), calls.counter()};
  const item_of_segment f{
    thrust::raw_pointer_cast(offsets.data()), segments.num_segments(), segments.num_items, calls.counter()};
  calls.poison();

  mgpu::segmented_reduce(
    policy, items.begin(), items_end, offsets.begin(), offsets.end(), sums.begin(), range::init(), op);
  calls.expect_none("segmented_reduce");
  in.expect_sums(sums);
  if constexpr (Words == 2)
  {
    mgpu::segmented_inclusive_scan(
      policy, items.begin(), items_end, offsets.begin(), offsets.end(), scanned.begin(), op);
  }
  else
  {
    mgpu::segmented_inclusive_scan(
      policy, items.begin(), items_end, offsets.begin(), offsets.end(), scanned.begin(), range::init(), op);
  }
  calls.expect_none("segmented_inclusive_scan");
  in.expect_scanned(scanned, true);
  mgpu::transform_in_segments(policy, segments.num_items, offsets.begin(), offsets.end(), results.begin(), f);
  calls.expect_none("transform_in_segments");

  const keep_neighbours keep{op, f};
  test::memory<Policy, std::int64_t> kept_offsets(segments.num_segments() + 1);
  mgpu::segmented_unique_copy(
    policy, items.begin(), items_end, offsets.begin(), offsets.end(), scanned.begin(), kept_offsets.begin(), keep);
  calls.expect_none("segmented_unique_copy");

  const mgpu::deferred num_items{thrust::raw_pointer_cast(count.data()), segments.num_items + foreign};
  mgpu::segmented_reduce_n(
    policy, items.begin(), num_items, offsets.begin(), segments.num_segments(), sums.begin(), range::init(), op);
  calls.expect_none("segmented_reduce_n");
  in.expect_sums(sums);
  mgpu::segmented_exclusive_scan_n(
    policy, items.begin(), mgpu::deferred{thrust::raw_pointer_cast(count.data()), segments.num_items}, offsets.begin(),
    segments.num_segments(), scanned.begin(), range::init(), op);
  calls.expect_none("segmented_exclusive_scan_n");
  in.expect_scanned(scanned, false);
  test::memory<Policy, std::int64_t> kept_count(1);
  mgpu::segmented_copy_if_n(
    policy, items.begin(), num_items, offsets.begin(), segments.num_segments(), scanned.begin(), kept_offsets.begin(),
    kept_count.data(), keep);
  calls.expect_none("segmented_copy_if_n");
  mgpu::transform_in_segments_n(
    policy, mgpu::deferred{thrust::raw_pointer_cast(count.data()), segments.num_items}, offsets.begin(),
    segments.num_segments(), results.begin(), f);
  calls.expect_none("transform_in_segments_n");
}

test::segmentation segments_of(std::int64_t items, std::int64_t longest)
{
  test::segmentation segments;
  for (std::int64_t s = 0; segments.num_items < items; ++s)
  {
    segments.add(std::min(items - segments.num_items, s % 5 == 3 ? longest : s * 7919 % (longest + 1)));
  }
  return segments;
}

/// Windows of `length` items, and values that are none after all items.
template <int Words, class Policy>
void check_windows(const Policy& policy, std::int64_t items, std::int64_t length)
{
  using range = test::item_range<Words>;
  SCOPED_TRACE(std::to_string(items) + " items, windows of " + std::to_string(length));
  test::segmentation all;
  all.add(items);
  const ranges_in_segments<Policy, Words> in(all);
  const auto input = in.items(items / 2 + 9);
  const auto starts = test::to_memory<Policy>(std::vector<unsigned char>(items + 1, 1)); // init goes before any item
  const auto counts = test::to_memory<Policy>(indices{items});
  indices host_begins, host_ends;
  std::vector<range> expected;
  for (std::int64_t i = 0; i < items; ++i)
  {
    host_begins.push_back(std::max<std::int64_t>(i - length / 2, 0));
    host_ends.push_back(std::min(i - length / 2 + length, items));
    expected.push_back(
      range::from(static_cast<std::int32_t>(host_begins.back()), static_cast<std::int32_t>(host_ends.back())));
  }
  const auto begins = test::to_memory<Policy>(host_begins);
  const auto ends = test::to_memory<Policy>(host_ends);
  test::memory<Policy, range> out(items);
  test::foreign_calls<Policy> calls;
  const test::join_neighbours op{
    thrust::raw_pointer_cast(starts.data()), static_cast<std::int32_t>(starts.size()), calls.counter()};
  calls.poison();
  mgpu::window_reduce(
    policy, input.begin(), input.begin() + items, begins.begin(), begins.end(), ends.begin(), out.begin(),
    range::init(), op);
  calls.expect_none("window_reduce");
  EXPECT_TRUE(test::to_host(out) == expected);
  const mgpu::deferred num_items{thrust::raw_pointer_cast(counts.data()), items + items / 2 + 9};
  mgpu::window_reduce_n(
    policy, input.begin(), num_items, begins.begin(), items, ends.begin(), out.begin(), range::init(), op);
  calls.expect_none("window_reduce_n");
  EXPECT_TRUE(test::to_host(out) == expected);
}

TEST(ForeignValues, Windows)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      for (const std::int64_t items : test::foreign_sizes({1, 100, 3000, 70001}))
      {
        for (const std::int64_t length : {std::int64_t{1}, std::int64_t{9}, std::int64_t{600}, items / 3 + 2})
        {
          check_windows<2>(policy, items, length);
        }
      }
    });
}

/// Operators are called with neighbours alone.
TEST(ForeignValues, Segments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      const auto check = [&](std::int64_t items, std::int64_t longest)
      {
        const test::segmentation segments = segments_of(items, longest);
        check_segments<2>(policy, segments);
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
        check_segments<4>(policy, segments);
#endif
      };
      for (const std::int64_t items : test::foreign_sizes({1, 100, 3000, 20000, 70001, 300007}))
      {
        for (const std::int64_t longest : {std::int64_t{1}, std::int64_t{9}, std::int64_t{600}, items / 3 + 2, items})
        {
          check(items, longest);
        }
      }
#if defined(__CUDACC__) // the paths of many tiles, of large segments, and of a segment for each block
      check(1500007, 9);
      check(1500007, 1500007);
      check(3000001, 4000);
      check(8500003, 2900000);
#endif
    });
}

} // namespace
