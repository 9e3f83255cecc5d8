// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Inputs that break the preconditions: unsorted ranges, NaNs, comparators that are not orders, wrong indices and
// offsets. The headers promise for them: every call returns, and writes nothing outside the output size that it
// states; a size function counts what the other function writes, unless that reads a long range whose elements the
// size function only searches for those of a short one. On a CPU the address and undefined-behaviour
// sanitizers check this, so inputs and outputs have exactly the required size; on a GPU a guard follows each output.

#if defined(__CUDACC__)
#  include "support/device_calls.h"
#endif
#include "support/every_family.h"
#include "support/fuzz.h"
#include "support/orders.h"
#include "support/systems.h"
#include "support/time_limit.h"

#include <mgpu_thrust/mgpu_thrust.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/device/device_join.cuh>
#  include <mgpu_thrust/device/device_merge.cuh>
#  include <mgpu_thrust/device/device_multiway_merge.cuh>
#  include <mgpu_thrust/device/device_range_join.cuh>
#  include <mgpu_thrust/device/device_segmented_set_operations.cuh>
#  include <mgpu_thrust/device/device_segmented_sort.cuh>
#  include <mgpu_thrust/device/device_semi_join.cuh>
#  include <mgpu_thrust/device/device_set_operations.cuh>
#  include <mgpu_thrust/device/device_sort.cuh>
#  include <mgpu_thrust/device/device_sorted_search.cuh>
#endif

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace
{

using random_engine = std::mt19937_64;

#if defined(__CUDACC__)
constexpr bool is_gpu_test = true;
#else
constexpr bool is_gpu_test = false;
#endif

/// Random cases of a test; the sanitizers of a CPU make each slow.
constexpr std::uint64_t cases = is_gpu_test ? 30 : 15;

std::int64_t below(random_engine& random, std::int64_t n)
{
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
}

/// An output of n elements, followed by a guard on a GPU.
template <class Policy, class T>
class room
{
public:
  explicit room(std::int64_t n)
      : size_(n)
      , elements_(static_cast<std::size_t>(n + guard), T(guard_value))
  {
  }
  auto begin()
  {
    return elements_.begin();
  }
  /// Returns whether the guard is unchanged.
  bool is_intact() const
  {
    const auto all = test::to_host(elements_);
    return std::all_of(all.begin() + size_, all.end(), [](const T& x) { return x == T(guard_value); });
  }

private:
  static constexpr std::int64_t guard = test::on_cuda<Policy> ? 4096 : 0;
  static constexpr int guard_value = 77;

  std::int64_t size_;
  test::memory<Policy, T> elements_;
};

/// Returns a size from zero to several pieces of a worker, or tiles.
std::int64_t random_size(random_engine& random, std::int64_t largest)
{
  const std::int64_t scale = std::int64_t{2} << below(random, 17);
  return below(random, std::min(scale, largest) + 1);
}

/// Keys in one of several wrong orders; floating-point keys include NaNs.
template <class Key>
std::vector<Key> make_wrong_keys(random_engine& random, std::int64_t size)
{
  std::vector<Key> keys(static_cast<std::size_t>(size));
  const std::int64_t different = std::int64_t{1} << below(random, 20);
  const std::int64_t kind = below(random, 5);
  for (std::int64_t i = 0; i < size; ++i)
  {
    keys[i] = static_cast<Key>(kind == 1 ? size - i : kind == 2 ? i % different : below(random, different));
  }
  if (kind >= 3)
  {
    std::sort(keys.begin(), keys.end());
    for (std::int64_t swaps = kind == 3 ? 1 : size / 10; swaps > 0 && size > 0; --swaps)
    {
      std::swap(keys[below(random, size)], keys[below(random, size)]);
    }
  }
  if constexpr (std::is_floating_point_v<Key>)
  {
    const std::int64_t one_in = std::int64_t{2} << below(random, 10);
    for (Key& key : keys)
    {
      key = below(random, one_in) == 0 ? std::numeric_limits<Key>::quiet_NaN() : key;
    }
  }
  return keys;
}

/// Keys in order, some of them with copies.
std::vector<float> make_sorted_keys(random_engine& random, std::int64_t size)
{
  std::vector<float> keys(static_cast<std::size_t>(size));
  for (float& key : keys)
  {
    key = static_cast<float>(below(random, size));
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

// ---- Ranges of keys ----

/// Two ranges of keys with a value for each key, in memory that a policy can access.
template <class Policy, class Key>
struct two_ranges
{
  two_ranges(const std::vector<Key>& a_keys, const std::vector<Key>& b_keys)
      : a(test::to_memory<Policy>(a_keys))
      , b(test::to_memory<Policy>(b_keys))
      , a_values(a.size(), 1)
      , b_values(b.size(), 2)
  {
  }
  std::int64_t a_size() const
  {
    return static_cast<std::int64_t>(a.size());
  }
  std::int64_t b_size() const
  {
    return static_cast<std::int64_t>(b.size());
  }

  test::memory<Policy, Key> a;
  test::memory<Policy, Key> b;
  test::memory<Policy, std::int64_t> a_values;
  test::memory<Policy, std::int64_t> b_values;
};

/// Whether a range is so short that a size may follow from a search for its elements in the other, on every system.
bool is_short(std::int64_t size, std::int64_t other_size)
{
  return size <= other_size / mgpu::detail::cpu_short_side_ratio;
}

/// Calls a set operation in its three forms: operation(a..., b..., keys_out, comp), by key, and its size function.
/// is_searched tells whether the operation itself searches for the elements of a short range.
template <class Policy, class Key, class Compare, class Keys, class ByKey, class Size>
void check_set_operation(
  const Policy& policy, const two_ranges<Policy, Key>& in, std::int64_t most, bool is_searched, Compare comp, Keys keys,
  ByKey by_key, Size size)
{
  const bool is_exact =
    !test::on_cuda<Policy> && test::repeats_answers(comp)
    && (is_searched || (!is_short(in.a_size(), in.b_size()) && !is_short(in.b_size(), in.a_size())));
  const std::int64_t counted = size(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), comp);
  ASSERT_GE(counted, 0);
  ASSERT_LE(counted, most);
  {
    room<Policy, Key> out(is_exact ? counted : most);
    const auto end = keys(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), out.begin(), comp);
    ASSERT_GE(end - out.begin(), 0);
    ASSERT_LE(end - out.begin(), most);
    ASSERT_TRUE(!is_exact || end - out.begin() == counted);
    ASSERT_TRUE(out.is_intact());
  }
  room<Policy, Key> keys_out(most);
  room<Policy, std::int64_t> values_out(most);
  const auto ends = by_key(
    policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), in.a_values.begin(), in.b_values.begin(),
    keys_out.begin(), values_out.begin(), comp);
  ASSERT_GE(ends.first - keys_out.begin(), 0);
  ASSERT_LE(ends.first - keys_out.begin(), most);
  ASSERT_TRUE(keys_out.is_intact());
  ASSERT_TRUE(values_out.is_intact());
}

// A function object that calls a function template.
#define MGPU_THRUST_TEST_CALL(function) [](const auto&... arguments) { return mgpu::function(arguments...); }

template <class Policy, class Key, class Compare>
void check_set_operations(const Policy& policy, const two_ranges<Policy, Key>& in, Compare comp)
{
  const std::int64_t smaller = std::min(in.a_size(), in.b_size());
  const std::int64_t both = in.a_size() + in.b_size();
  check_set_operation(
    policy, in, smaller, true, comp, MGPU_THRUST_TEST_CALL(set_intersection),
    [](
      const auto& exec, auto a, auto a_end, auto b, auto b_end, auto a_values, auto b_values, auto keys, auto values,
      auto c)
    {
      mgpu::set_intersection_by_key(
        exec, a, a_end, b, b_end, a_values, b_values, keys, values, c, cuda::std::multiplies<>{});
      return mgpu::set_intersection_by_key(exec, a, a_end, b, b_end, a_values, keys, values, c);
    },
    MGPU_THRUST_TEST_CALL(set_intersection_size));
  check_set_operation(
    policy, in, both, false, comp, MGPU_THRUST_TEST_CALL(set_union),
    [](const auto&... arguments)
    {
      mgpu::set_union_by_key(arguments..., cuda::std::plus<>{});
      return mgpu::set_union_by_key(arguments...);
    },
    MGPU_THRUST_TEST_CALL(set_union_size));
  check_set_operation(
    policy, in, in.a_size(), is_short(in.a_size(), in.b_size()), comp, MGPU_THRUST_TEST_CALL(set_difference),
    MGPU_THRUST_TEST_CALL(set_difference_by_key), MGPU_THRUST_TEST_CALL(set_difference_size));
  check_set_operation(
    policy, in, both, false, comp, MGPU_THRUST_TEST_CALL(set_symmetric_difference),
    MGPU_THRUST_TEST_CALL(set_symmetric_difference_by_key), MGPU_THRUST_TEST_CALL(set_symmetric_difference_size));
  (void) mgpu::includes(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), comp);
}

template <class Policy, class Key, class Compare>
void check_merges(const Policy& policy, const two_ranges<Policy, Key>& in, Compare comp)
{
  room<Policy, Key> keys(in.a_size() + in.b_size());
  room<Policy, std::int64_t> values(in.a_size() + in.b_size());
  mgpu::merge(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), keys.begin(), comp);
  ASSERT_TRUE(keys.is_intact());
  mgpu::merge_by_key(
    policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), in.a_values.begin(), in.b_values.begin(), keys.begin(),
    values.begin(), comp);
  ASSERT_TRUE(keys.is_intact());
  ASSERT_TRUE(values.is_intact());
}

/// Both ranges in three runs each.
template <class Policy, class Key, class Compare>
void check_multiway_merges(const Policy& policy, const two_ranges<Policy, Key>& in, Compare comp)
{
  const std::int64_t n = in.a_size() + in.b_size();
  std::vector<const Key*> firsts;
  std::vector<std::int64_t> run_sizes;
  for (const auto* range : {&in.a, &in.b})
  {
    const auto size = static_cast<std::int64_t>(range->size());
    for (const std::int64_t begin : {std::int64_t{0}, size / 3, size / 2})
    {
      firsts.push_back(thrust::raw_pointer_cast(range->data()) + begin);
      run_sizes.push_back((begin == 0 ? size / 3 : begin == size / 3 ? size / 2 : size) - begin);
    }
  }
  const auto runs = test::to_memory<Policy>(firsts);
  const auto sizes = test::to_memory<Policy>(run_sizes);
  room<Policy, Key> keys(n);
  mgpu::multiway_merge(policy, runs.begin(), sizes.begin(), 6, n, keys.begin(), comp);
  ASSERT_TRUE(keys.is_intact());
  room<Policy, std::int64_t> indices(in.a_size());
  const auto offsets =
    test::to_memory<Policy>(std::vector<std::int64_t>{0, in.a_size() / 9, in.a_size() / 7, in.a_size() / 2});
  mgpu::merge_runs_indices(policy, in.a.begin(), in.a.end(), offsets.begin(), offsets.end(), indices.begin(), comp);
  ASSERT_TRUE(indices.is_intact());
  mgpu::multiway_merge_unique(policy, runs.begin(), sizes.begin(), 6, n, keys.begin(), comp);
  ASSERT_TRUE(keys.is_intact());
  room<Policy, Key> folded(in.a_size());
  mgpu::merge_runs_reduce_by_key(
    policy, in.a.begin(), in.a.end(), in.a_values.begin(), offsets.begin(), offsets.end(), folded.begin(),
    indices.begin(), comp);
  ASSERT_TRUE(folded.is_intact());
  ASSERT_TRUE(indices.is_intact());
}

/// Stores that a position was visited, of as many as there are.
struct mark_visited
{
  std::int64_t* visited;
  std::int64_t a_size;
  std::int64_t b_size;
  std::int64_t num_pairs;

  MGPU_THRUST_HOST_DEVICE void operator()(std::int64_t pair, std::int64_t i, std::int64_t j) const
  {
    const bool is_inside = 0 <= i && i < a_size && 0 <= j && j < b_size && 0 <= pair && pair < num_pairs;
    visited[num_pairs * (is_inside ? i : a_size) + (is_inside ? pair : 0)] = 1;
  }
};

/// Pairs of both ranges, and of parts of them.
template <class Policy, class Key, class Compare>
void check_pairs_of_lists(const Policy& policy, const two_ranges<Policy, Key>& in, Compare comp)
{
  const std::int64_t m = in.a_size();
  const std::int64_t n = in.b_size();
  const auto a_begins = test::to_memory<Policy>(std::vector<std::int64_t>{0, m / 3, 0, m / 2, m});
  const auto a_ends = test::to_memory<Policy>(std::vector<std::int64_t>{m, std::min(m / 3 + 100, m), m / 9, m, -7});
  const auto b_begins = test::to_memory<Policy>(std::vector<std::int64_t>{0, 0, n / 2, n / 3, 0});
  const auto b_ends = test::to_memory<Policy>(std::vector<std::int64_t>{n, n, n, n / 2, n});
  room<Policy, std::int64_t> results(5);
  const auto with_pairs = [&](auto f)
  {
    return f(
      policy, in.a.begin(), a_begins.begin(), a_ends.begin(), in.b.begin(), b_begins.begin(), b_ends.begin(),
      std::int64_t{5});
  };
  with_pairs([&](const auto&... args) { mgpu::segmented_set_intersection_size(args..., results.begin(), comp); });
  ASSERT_TRUE(results.is_intact());
  with_pairs([&](const auto&... args) { mgpu::segmented_have_overlap(args..., results.begin(), comp); });
  ASSERT_TRUE(results.is_intact());
  test::memory<Policy, std::int64_t> visited(5 * m + 1, 0);
  const mark_visited mark{thrust::raw_pointer_cast(visited.data()), m, n, 5};
  with_pairs([&](const auto&... args) { mgpu::for_each_in_intersections(args..., mark, comp); });
  ASSERT_EQ(test::to_host(visited).back(), 0) << "a position that is outside of the lists";

  // Lists as results. The room is stated for all pairs together.
  std::int64_t all_a = 0, all_b = 0, shorter = 0;
  const auto host = [](const auto& bounds) { return test::to_host(bounds); };
  for (std::size_t p = 0; p < 5; ++p)
  {
    const std::int64_t a_size = std::max<std::int64_t>(0, host(a_ends)[p] - host(a_begins)[p]);
    const std::int64_t b_size = std::max<std::int64_t>(0, host(b_ends)[p] - host(b_begins)[p]);
    all_a += a_size;
    all_b += b_size;
    shorter += std::min(a_size, b_size);
  }
  const auto expect_room = [&](std::int64_t size, auto f)
  {
    room<Policy, Key> kept(size);
    room<Policy, std::int64_t> offsets(6);
    with_pairs([&](const auto&... args) { f(kept.begin(), offsets.begin(), args...); });
    ASSERT_TRUE(kept.is_intact());
    ASSERT_TRUE(offsets.is_intact());
  };
  expect_room(
    shorter, [&](auto out, auto offsets, const auto&... args)
    { mgpu::segmented_set_intersection(args..., out, offsets, comp); });
  expect_room(
    all_a,
    [&](auto out, auto offsets, const auto&... args) { mgpu::segmented_set_difference(args..., out, offsets, comp); });
  expect_room(
    all_a + all_b,
    [&](auto out, auto offsets, const auto&... args) { mgpu::segmented_set_union(args..., out, offsets, comp); });
  expect_room(
    all_a + all_b, [&](auto out, auto offsets, const auto&... args)
    { mgpu::segmented_set_symmetric_difference(args..., out, offsets, comp); });
  expect_room(
    all_a + all_b,
    [&](auto out, auto offsets, const auto&... args) { mgpu::segmented_merge(args..., out, offsets, comp); });

  // Searches for the lists of B.
  room<Policy, std::int64_t> bounds(5 * n);
  const auto offsets = test::to_memory<Policy>(std::vector<std::int64_t>{0, n, 2 * n, 3 * n, 4 * n});
  with_pairs([&](const auto&... args) { mgpu::segmented_lower_bound(args..., bounds.begin(), offsets.begin(), comp); });
  with_pairs([&](const auto&... args) { mgpu::segmented_upper_bound(args..., bounds.begin(), offsets.begin(), comp); });
  ASSERT_TRUE(bounds.is_intact());
}

template <class Policy, class Key, class Compare>
void check_searches(const Policy& policy, const two_ranges<Policy, Key>& in, Compare comp)
{
  const std::int64_t guard = test::on_cuda<Policy> ? 4096 : 0;
  test::memory<Policy, std::int32_t> lower(in.a.size() + guard, -7);
  test::memory<Policy, std::int32_t> upper(in.b.size() + guard, -7);
  mgpu::sorted_lower_bound(policy, in.b.begin(), in.b.end(), in.a.begin(), in.a.end(), lower.begin(), comp);
  mgpu::sorted_upper_bound(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), upper.begin(), comp);
  std::int64_t matches[2];
  mgpu::sorted_search(
    policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), lower.begin(), upper.begin(), comp, &matches);
  mgpu::sorted_count(policy, in.b.begin(), in.b.end(), in.a.begin(), in.a.end(), lower.begin(), comp);
  const auto got = test::to_host(upper);
  ASSERT_TRUE(std::all_of(got.begin() + in.b_size(), got.end(), [](std::int32_t x) { return x == -7; }));
  const auto counts = test::to_host(lower);
  ASSERT_TRUE(std::all_of(counts.begin() + in.a_size(), counts.end(), [](std::int32_t x) { return x == -7; }));
}

/// A distance that is none: its results are in no order.
struct product_of_keys
{
  MGPU_THRUST_HOST_DEVICE float operator()(float x, float y) const
  {
    return x * y;
  }
};

/// Rows that are written are those of the right input, or -1, and functions are called with elements. A GPU may leave
/// rows unwritten, as its tiles can miss some of the left ones.
template <class Policy, class Key, class Compare>
void check_asof_joins(const Policy& policy, const two_ranges<Policy, Key>& in, Compare comp)
{
  test::memory<Policy, std::int32_t> out(in.a.size() + (test::on_cuda<Policy> ? 4096 : 0), -7);
  const auto check = [&](auto direction, auto accept)
  {
    mgpu::asof_join(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), out.begin(), direction, comp, accept);
    const auto rows = test::to_host(out);
    const auto end = rows.begin() + in.a_size();
    const auto is_row_or_left = [&](std::int32_t row)
    { return (-1 <= row && row < in.b_size()) || (test::on_cuda<Policy> && row == -7); };
    ASSERT_TRUE(std::all_of(rows.begin(), end, is_row_or_left));
    ASSERT_TRUE(std::all_of(end, rows.end(), [](std::int32_t row) { return row == -7; }));
  };
  check(mgpu::backward, mgpu::accept_any{});
  check(mgpu::strictly_backward, comp);
  check(mgpu::forward, comp);
  check(mgpu::nearest(product_of_keys{}), comp);
}

/// The windows of keys that are not sorted.
template <class Policy, class Key, class Compare>
void check_windows_by_range(const Policy& policy, const two_ranges<Policy, Key>& in, Compare comp)
{
  room<Policy, std::int64_t> sums(in.a_size());
  const auto end = mgpu::window_reduce_by_range(
    policy, in.a.begin(), in.a.end(), in.a_values.begin(), sums.begin(), test::own_key{}, test::own_key{},
    std::int64_t{0}, ::cuda::std::plus<>{}, comp);
  ASSERT_TRUE(end == sums.begin() + in.a_size());
  ASSERT_TRUE(sums.is_intact());
}

/// Calls a semi or anti join with an output of the size that its size function returns, if that searches for left rows.
template <class Policy, class Key, class Compare, class Join, class Size>
void check_semi_join(const Policy& policy, const two_ranges<Policy, Key>& in, Compare comp, Join join, Size size)
{
  const std::int64_t counted = size(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), comp);
  ASSERT_GE(counted, 0);
  ASSERT_LE(counted, in.a_size());
  const bool is_exact = test::repeats_answers(comp) && !is_short(in.b_size(), in.a_size());
  room<Policy, std::int32_t> out(is_exact ? counted : in.a_size());
  const auto end = join(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), out.begin(), comp);
  ASSERT_LE(end - out.begin(), in.a_size());
  ASSERT_TRUE(!is_exact || end - out.begin() == counted);
  ASSERT_TRUE(out.is_intact());
}

/// Calls a join and its plan, whole and in two parts, with an output of the size that its size function returns.
template <class Policy, class Key, class Compare, class Kind, class Join, class Size>
void check_join(const Policy& policy, const two_ranges<Policy, Key>& in, Compare comp, Kind kind, Join join, Size size)
{
  const std::int64_t counted = size(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), comp);
  ASSERT_GE(counted, 0);
  ASSERT_LE(counted, in.a_size() * in.b_size() + in.a_size() + in.b_size());
  if (counted > (std::int64_t{1} << 17) || !test::repeats_answers(comp))
  {
    return;
  }
  {
    room<Policy, std::int32_t> left(counted);
    room<Policy, std::int64_t> right(counted);
    const auto ends =
      join(policy, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), left.begin(), right.begin(), comp);
    ASSERT_LE(ends.first - left.begin(), counted);
    ASSERT_EQ(ends.second - right.begin(), ends.first - left.begin());
    ASSERT_TRUE(left.is_intact());
    ASSERT_TRUE(right.is_intact());
  }
  const mgpu::join_plan plan(policy, kind, in.a.begin(), in.a.end(), in.b.begin(), in.b.end(), comp);
  const std::int64_t half = plan.size() / 2;
  room<Policy, std::int32_t> left(plan.size());
  room<Policy, std::int64_t> right(plan.size());
  plan.fill(left.begin(), right.begin());
  plan.fill(0, half, left.begin(), right.begin());
  plan.fill(half, plan.size(), left.begin() + half, right.begin() + half);
  ASSERT_TRUE(left.is_intact());
  ASSERT_TRUE(right.is_intact());
}

template <class Policy, class Key, class Compare>
void check_joins(const Policy& policy, const two_ranges<Policy, Key>& in, Compare comp)
{
  check_semi_join(policy, in, comp, MGPU_THRUST_TEST_CALL(semi_join), MGPU_THRUST_TEST_CALL(semi_join_size));
  check_semi_join(policy, in, comp, MGPU_THRUST_TEST_CALL(anti_join), MGPU_THRUST_TEST_CALL(anti_join_size));
  check_join(
    policy, in, comp, mgpu::inner_join_t{}, MGPU_THRUST_TEST_CALL(inner_join), MGPU_THRUST_TEST_CALL(inner_join_size));
  check_join(
    policy, in, comp, mgpu::left_join_t{}, MGPU_THRUST_TEST_CALL(left_join), MGPU_THRUST_TEST_CALL(left_join_size));
  check_join(
    policy, in, comp, mgpu::right_join_t{}, MGPU_THRUST_TEST_CALL(right_join), MGPU_THRUST_TEST_CALL(right_join_size));
  check_join(
    policy, in, comp, mgpu::full_join_t{}, MGPU_THRUST_TEST_CALL(full_join), MGPU_THRUST_TEST_CALL(full_join_size));
}

/// Calls a range join and its plan, with outputs of the sizes that they count, and counts the points of intervals. B
/// has the points. Intervals begin at an element of A, and end at the third after it.
template <class Policy, class Key, class Compare>
void check_range_joins(const Policy& policy, const two_ranges<Policy, Key>& in, Compare comp)
{
  const std::int64_t intervals = std::max<std::int64_t>(in.a_size() - 3, 0);
  const auto points = in.b.begin();
  const auto last_point = in.b.end();
  const auto begins = in.a.begin();
  const auto ends = in.a.end() - intervals;
  room<Policy, std::int32_t> counts(intervals);
  mgpu::range_count(policy, points, last_point, begins, begins + intervals, ends, counts.begin(), comp, mgpu::closed);
  ASSERT_TRUE(counts.is_intact());
  const std::int64_t counted =
    mgpu::range_join_size(policy, points, last_point, begins, begins + intervals, ends, comp, mgpu::closed);
  ASSERT_GE(counted, 0);
  ASSERT_LE(counted, in.b_size() * intervals);
  if (counted > (std::int64_t{1} << 17) || !test::repeats_answers(comp))
  {
    return;
  }
  {
    room<Policy, std::int32_t> x(counted);
    room<Policy, std::int64_t> y(counted);
    const auto row_ends = mgpu::range_join(
      policy, points, last_point, begins, begins + intervals, ends, x.begin(), y.begin(), comp, mgpu::closed);
    ASSERT_LE(row_ends.first - x.begin(), counted);
    ASSERT_TRUE(x.is_intact());
    ASSERT_TRUE(y.is_intact());
  }
  const mgpu::range_join_plan plan(policy, points, last_point, begins, begins + intervals, ends, comp, mgpu::closed);
  room<Policy, std::int32_t> x(plan.size());
  room<Policy, std::int64_t> y(plan.size());
  plan.fill(x.begin(), y.begin());
  plan.fill(plan.size() / 2, plan.size(), x.begin() + plan.size() / 2, y.begin() + plan.size() / 2);
  ASSERT_TRUE(x.is_intact());
  ASSERT_TRUE(y.is_intact());
}

template <class Policy, class Key, class Compare>
void check_sorts(const Policy& policy, const two_ranges<Policy, Key>& in, Compare comp)
{
  auto keys = in.a;
  auto values = in.a_values;
  mgpu::stable_sort(policy, keys.begin(), keys.end(), comp);
  mgpu::stable_sort_by_key(policy, keys.begin(), keys.end(), values.begin(), comp);
  mgpu::stable_sort_indices(policy, in.a.begin(), in.a.end(), values.begin(), comp);
  const auto offsets =
    test::to_memory<Policy>(std::vector<std::int64_t>{0, in.a_size() / 9, in.a_size() / 7, in.a_size() / 2});
  mgpu::segmented_sort_by_key(policy, keys.begin(), keys.end(), values.begin(), offsets.begin(), offsets.end(), comp);
  mgpu::segmented_stable_sort_indices(
    policy, in.a.begin(), in.a.end(), offsets.begin(), offsets.end(), values.begin(), comp);
  mgpu::segmented_sort_by_flags(policy, keys.begin(), keys.end(), in.a_values.begin(), comp);
  mgpu::locality_sort(policy, keys.begin(), keys.end(), comp);
}

/// Functions with deferred sizes of up to as many keys as a range has, and on a GPU functions of the device layer. On a
/// CPU few keys and one policy are enough: deferred sizes lead to the same loops.
template <class Policy, class Key, class Compare>
void check_other_layers(const Policy& policy, const two_ranges<Policy, Key>& in, Compare comp)
{
  test::every_family<Policy, Key, std::int64_t, test::as_pointers, Compare> calls(
    policy, mgpu::detail::clamp_index(in.a_size(), 16, is_gpu_test ? in.a_size() : 3000), comp);
  calls.call_ordered_deferred();
#if defined(__CUDACC__)
  const std::int64_t m = in.a_size();
  const std::int64_t n = in.b_size();
  const Key* const a = test::raw(in.a);
  const Key* const b = test::raw(in.b);
  thrust::device_vector<Key> keys(m + n);
  thrust::device_vector<std::int64_t> numbers(m + n + 3);
  thrust::device_vector<std::int64_t> more(m + n);
  const std::int64_t shorter = std::min(m, n);
  const thrust::device_vector<std::int64_t> bounds(std::vector<std::int64_t>{0, shorter / 3, shorter});
  thrust::device_vector<std::int64_t> count(1);
  const std::int64_t* const begins = test::raw(bounds);
  const auto call = [&](auto function)
  {
    test::call([&](void* storage, std::size_t& bytes, cudaStream_t stream)
               { return function(stream, storage, bytes); });
  };
  call(
    [&](auto stream, auto&... storage)
    {
      return mgpu::DeviceSetOperations::UnionKeys(
        storage..., a, m, b, n, test::raw(keys), test::raw(count), comp, stream);
    });
  call([&](auto stream, auto&... storage)
       { return mgpu::DeviceMerge::MergeKeys(storage..., a, m, b, n, test::raw(keys), comp, stream); });
  call([&](auto stream, auto&... storage)
       { return mgpu::DeviceSortedSearch::LowerBound(storage..., b, n, a, m, test::raw(numbers), comp, stream); });
  call(
    [&](auto stream, auto&... storage)
    { return mgpu::DeviceSemiJoin::Semi(storage..., a, m, b, n, test::raw(numbers), test::raw(count), comp, stream); });
  call(
    [&](auto stream, auto&... storage)
    {
      return mgpu::DeviceJoin::Inner(
        storage..., a, m, b, n, test::raw(numbers), test::raw(more), m + n, test::raw(count), comp, stream);
    });
  call(
    [&](auto stream, auto&... storage)
    {
      return mgpu::DeviceRangeJoin::Rows(
        storage..., b, n, a, m / 2, a + m / 2, test::raw(numbers), test::raw(more), m + n, test::raw(count), comp,
        mgpu::closed_open, stream);
    });
  call(
    [&](auto stream, auto&... storage)
    { return mgpu::DeviceMultiwayMerge::MergeRunsKeys(storage..., a, m, begins, 2, test::raw(keys), comp, stream); });
  call([&](auto stream, auto&... storage)
       { return mgpu::DeviceSort::StableSortKeys(storage..., test::raw(keys), m, comp, stream); });
  call([&](auto stream, auto&... storage)
       { return mgpu::DeviceSegmentedSort::StableSortKeys(storage..., test::raw(keys), m, begins, 2, comp, stream); });
  call(
    [&](auto stream, auto&... storage)
    {
      return mgpu::DeviceSegmentedSetOperations::IntersectionSize(
        storage..., a, begins, begins + 1, b, begins, begins + 1, 2, test::raw(numbers), comp, stream);
    });
  call(
    [&](auto stream, auto&... storage)
    {
      return mgpu::DeviceSegmentedSetOperations::Intersection(
        storage..., a, begins, begins + 1, b, begins, begins + 1, 2, test::raw(keys), m, test::raw(numbers),
        test::raw(count), comp, stream);
    });
#endif
}

/// Calls a function with every policy, or with one.
struct every_policy
{
  template <class Function>
  void operator()(Function f) const
  {
    test::for_each_policy(f);
  }
};
struct one_policy
{
  template <class Function>
  void operator()(Function f) const
  {
    test::call_with_one_policy(f);
  }
};

/// Calls check(policy, ranges, comp) under every policy, or one, for two ranges of keys.
template <class Key, class Check, class Compare, class Policies = every_policy>
void check_everywhere(
  const std::vector<Key>& a, const std::vector<Key>& b, Check check, Compare comp, Policies with_policies = {})
{
  SCOPED_TRACE(std::to_string(a.size()) + " and " + std::to_string(b.size()) + " keys");
  with_policies(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      check(policy, two_ranges<policy_t, Key>(a, b), comp);
    });
}

/// Calls check(policy, ranges, comp) under every policy, or one, for sorted ranges of few and of many keys, and each
/// comparator that is no order.
template <class Check, class Policies = every_policy>
void check_every_order(Check check, Policies with_policies = {})
{
  const test::time_limit limit;
  constexpr std::int64_t many = is_gpu_test ? 700001 : 40001;
  constexpr std::int64_t sizes[][2] = {{1, 1}, {40, 50}, {7, 3000}, {3000, 7}, {many, many - 10000}};
  random_engine random(1);
  for (const auto& [a_size, b_size] : sizes)
  {
    const auto a = make_sorted_keys(random, a_size);
    const auto b = make_sorted_keys(random, b_size);
    for (const test::order_kind kind : test::wrong_orders)
    {
      SCOPED_TRACE(to_string(test::some_order{kind}));
      check_everywhere(a, b, check, test::some_order{kind}, with_policies);
    }
  }
}

/// Calls check(policy, ranges, comp) under every policy for many fuzzed ranges of keys. On a GPU it calls it for twice
/// `many` keys too, if other kernels are used for so many.
template <class Check, class Compare = test::some_order>
void fuzz_everywhere(Check check, [[maybe_unused]] std::int64_t many = 0, Compare comp = {})
{
#if defined(__CUDACC__)
  if (many > 0)
  {
    random_engine random(many);
    const auto a = make_wrong_keys<float>(random, many);
    const auto b = make_wrong_keys<float>(random, many);
    check_everywhere(a, b, check, comp);
  }
#endif
  test::for_each_fuzz_case(
    cases,
    [check, comp](random_engine& random)
    {
      const std::int64_t largest = below(random, 4) == 0 ? 150000 : 5000;
      const auto a = make_wrong_keys<float>(random, random_size(random, largest));
      const auto b = make_wrong_keys<float>(random, random_size(random, largest));
      check_everywhere(a, b, check, comp);
    });
}

// A function object that calls a function template of this file.
#define MGPU_THRUST_TEST_CHECK(function) [](const auto&... arguments) { function(arguments...); }

TEST(BrokenPreconditions, SetOperations)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  fuzz_everywhere(MGPU_THRUST_TEST_CHECK(check_set_operations), 0, ::cuda::std::less<>{}); // has loops of its own
  check_every_order(MGPU_THRUST_TEST_CHECK(check_set_operations));
}

TEST(BrokenPreconditions, Merges)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  fuzz_everywhere(MGPU_THRUST_TEST_CHECK(check_merges), 1000003);
  check_every_order(MGPU_THRUST_TEST_CHECK(check_merges));
}

TEST(BrokenPreconditions, MultiwayMerges)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  fuzz_everywhere(MGPU_THRUST_TEST_CHECK(check_multiway_merges), 1000003);
  check_every_order(MGPU_THRUST_TEST_CHECK(check_multiway_merges));
}

TEST(BrokenPreconditions, PairsOfLists)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  fuzz_everywhere(MGPU_THRUST_TEST_CHECK(check_pairs_of_lists), 1000003);
  check_every_order(MGPU_THRUST_TEST_CHECK(check_pairs_of_lists));
}

TEST(BrokenPreconditions, Searches)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  fuzz_everywhere(MGPU_THRUST_TEST_CHECK(check_searches), 1000003);
  check_every_order(MGPU_THRUST_TEST_CHECK(check_searches));
}

TEST(BrokenPreconditions, AsofJoins)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  fuzz_everywhere(MGPU_THRUST_TEST_CHECK(check_asof_joins), 1000003);
  check_every_order(MGPU_THRUST_TEST_CHECK(check_asof_joins));
}

TEST(BrokenPreconditions, Joins)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  fuzz_everywhere(MGPU_THRUST_TEST_CHECK(check_joins));
  check_every_order(MGPU_THRUST_TEST_CHECK(check_joins));
}

TEST(BrokenPreconditions, RangeJoins)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  fuzz_everywhere(MGPU_THRUST_TEST_CHECK(check_range_joins));
  check_every_order(MGPU_THRUST_TEST_CHECK(check_range_joins));
}

TEST(BrokenPreconditions, WindowsByRange)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  fuzz_everywhere(MGPU_THRUST_TEST_CHECK(check_windows_by_range), 1000003);
  check_every_order(MGPU_THRUST_TEST_CHECK(check_windows_by_range));
}

TEST(BrokenPreconditions, Sorts)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  fuzz_everywhere(MGPU_THRUST_TEST_CHECK(check_sorts), 1100003);
  check_every_order(MGPU_THRUST_TEST_CHECK(check_sorts));
}

TEST(BrokenPreconditions, OtherLayers)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_every_order(MGPU_THRUST_TEST_CHECK(check_other_layers), one_policy{});
}

// Regression: endless writes with one element of each range out of order.
TEST(BrokenPreconditions, JoinsOfOneElementOutOfOrder)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::vector<float> a(40);
  std::vector<float> b(40);
  for (std::size_t i = 0; i < a.size(); ++i)
  {
    a[i] = b[i] = static_cast<float>(i);
  }
  a[22] = 0;
  b[3] = 59;
  check_everywhere(a, b, MGPU_THRUST_TEST_CHECK(check_joins), test::some_order{});
}

// Regression: 14 elements written for ten keys, because several pieces found matches.
TEST(BrokenPreconditions, SetOperationsOfFewKeysAndManyNaNs)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    4,
    [](random_engine& random)
    {
      const auto make_keys = [&](std::int64_t size)
      {
        std::vector<float> keys(static_cast<std::size_t>(size));
        for (float& key : keys)
        {
          const bool is_number = below(random, 2) == 0;
          key = is_number ? static_cast<float>(below(random, 10)) : std::numeric_limits<float>::quiet_NaN();
        }
        return keys;
      };
      const ::cuda::std::less<> less;
      check_everywhere(make_keys(99818), make_keys(10), MGPU_THRUST_TEST_CHECK(check_set_operations), less);
      check_everywhere(make_keys(10), make_keys(99818), MGPU_THRUST_TEST_CHECK(check_set_operations), less);
    });
}

// ---- Indices and offsets ----

/// Numbers up to about `largest`, mostly in order, of which some are negative, too large, or out of order.
template <class Number>
std::vector<Number> make_wrong_numbers(random_engine& random, std::int64_t size, std::int64_t largest)
{
  std::vector<Number> numbers(static_cast<std::size_t>(size));
  for (Number& number : numbers)
  {
    number = static_cast<Number>(below(random, largest + 1));
  }
  const std::int64_t kind = below(random, 4);
  if (kind != 0)
  {
    std::sort(numbers.begin(), numbers.end());
  }
  for (std::int64_t wrong = kind < 2 ? 1 + size / 50 : kind == 2 ? 1 : 0; wrong > 0 && size > 0; --wrong)
  {
    constexpr Number half = std::numeric_limits<Number>::max() / 2; // of an unsigned type, the largest signed one
    const Number choices[] = {
      static_cast<Number>(-1),
      static_cast<Number>(-1000000),
      std::numeric_limits<Number>::max(),
      std::numeric_limits<Number>::min(),
      half,
      half + 1,
      static_cast<Number>(below(random, 2 * largest + 2))};
    numbers[below(random, size)] = choices[below(random, 7)];
  }
  return numbers;
}

template <class Index>
void check_wrong_indices()
{
  test::for_each_fuzz_case(
    cases,
    [](random_engine& random)
    {
      const std::int64_t size = random_size(random, 200000);
      const auto removed = make_wrong_numbers<Index>(random, std::min(random_size(random, 200000), size), size);
      const auto inserted = make_wrong_numbers<Index>(random, random_size(random, 200000), size);
      test::for_each_policy(
        [&](const auto& policy)
        {
          using policy_t = std::decay_t<decltype(policy)>;
          const test::memory<policy_t, std::int32_t> source(size, 1);
          const test::memory<policy_t, std::int32_t> values(inserted.size(), 2);
          const auto indices = test::to_memory<policy_t>(removed);
          const auto positions = test::to_memory<policy_t>(inserted);
          const std::int64_t left = size - static_cast<std::int64_t>(removed.size());
          const std::int64_t all = size + static_cast<std::int64_t>(inserted.size());
          room<policy_t, std::int32_t> removal(left);
          room<policy_t, std::int32_t> insertion(all);
          const auto removal_end =
            mgpu::bulk_remove(policy, source.begin(), source.end(), indices.begin(), indices.end(), removal.begin());
          ASSERT_LE(removal_end - removal.begin(), left);
          const auto insertion_end = mgpu::bulk_insert(
            policy, source.begin(), source.end(), values.begin(), positions.begin(), positions.end(),
            insertion.begin());
          ASSERT_LE(insertion_end - insertion.begin(), all);
          ASSERT_TRUE(removal.is_intact());
          ASSERT_TRUE(insertion.is_intact());
        });
    });
}

// On a CPU all integers are 64-bit numbers as soon as they are read; a GPU's numbers of items are as wide as these.
TEST(BrokenPreconditions, WrongIndices)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_wrong_indices<std::uint64_t>();
#if defined(__CUDACC__) && !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_wrong_indices<std::int32_t>();
#endif
}

/// Returns item + 3 * segment + rank, none of which may overflow.
struct sum_of_numbers
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t item, std::int64_t segment, std::int64_t rank) const
  {
    return static_cast<std::int64_t>(
      static_cast<std::uint64_t>(item) + 3 * static_cast<std::uint64_t>(segment) + static_cast<std::uint64_t>(rank));
  }
};

/// Keeps all items, if their segments are those that there are.
struct keep_in_segments
{
  std::int64_t num_segments;

  MGPU_THRUST_HOST_DEVICE bool operator()(std::int32_t, std::int64_t segment) const
  {
    return 0 <= segment && segment < num_segments;
  }
};

template <class Offset>
void check_wrong_offsets()
{
  test::for_each_fuzz_case(
    cases,
    [](random_engine& random)
    {
      const std::int64_t items = random_size(random, 200000);
      const auto wrong = make_wrong_numbers<Offset>(random, 1 + random_size(random, 100000), items);
      SCOPED_TRACE(std::to_string(items) + " items, " + std::to_string(wrong.size()) + " segments");
      test::for_each_policy(
        [&](const auto& policy)
        {
          using policy_t = std::decay_t<decltype(policy)>;
          const auto offsets = test::to_memory<policy_t>(wrong);
          const auto first = offsets.begin();
          const auto last = offsets.end();
          room<policy_t, std::int64_t> out(items);
          mgpu::load_balancing_search(policy, items, first, last, out.begin());
          mgpu::transform_in_segments(policy, items, first, last, out.begin(), sum_of_numbers{});
          const test::memory<policy_t, std::int64_t> values(wrong.size(), 1);
          mgpu::interval_expand(policy, items, first, last, values.begin(), out.begin());
          ASSERT_TRUE(out.is_intact());

          test::memory<policy_t, std::int32_t> elements(items, 1);
          room<policy_t, std::int32_t> sums(static_cast<std::int64_t>(wrong.size()));
          mgpu::segmented_reduce(
            policy, elements.begin(), elements.end(), first, last, sums.begin(), std::int32_t{0},
            ::cuda::std::plus<>{});
          ASSERT_TRUE(sums.is_intact());
          room<policy_t, std::int32_t> scanned(items);
          mgpu::segmented_exclusive_scan(
            policy, elements.begin(), elements.end(), first, last, scanned.begin(), std::int32_t{0},
            ::cuda::std::plus<>{});
          ASSERT_TRUE(scanned.is_intact());
          room<policy_t, std::int32_t> kept(items);
          room<policy_t, std::int64_t> kept_offsets(static_cast<std::int64_t>(wrong.size()) + 1);
          mgpu::segmented_unique_copy(
            policy, elements.begin(), elements.end(), first, last, kept.begin(), kept_offsets.begin());
          ASSERT_TRUE(kept.is_intact());
          mgpu::segmented_copy_if(
            policy, elements.begin(), elements.end(), first, last, kept.begin(), kept_offsets.begin(),
            keep_in_segments{static_cast<std::int64_t>(wrong.size())});
          ASSERT_TRUE(kept.is_intact());
          ASSERT_TRUE(kept_offsets.is_intact());
          room<policy_t, std::int32_t> merged(items);
          mgpu::merge_runs(policy, elements.begin(), elements.end(), first, last, merged.begin());
          ASSERT_TRUE(merged.is_intact());
          mgpu::merge_runs_unique(policy, elements.begin(), elements.end(), first, last, merged.begin());
          ASSERT_TRUE(merged.is_intact());
          mgpu::segmented_sort(policy, elements.begin(), elements.end(), first, last);
          test::memory<policy_t, std::int32_t> keys(items, 1);
          mgpu::segmented_sort_by_key(policy, keys.begin(), keys.end(), elements.begin(), first, last);
          room<policy_t, std::int32_t> indices(items);
          mgpu::segmented_stable_sort_indices(policy, keys.begin(), keys.end(), first, last, indices.begin());
          ASSERT_TRUE(indices.is_intact());
        });
    });
}

template <class Index>
void check_wrong_windows()
{
  test::for_each_fuzz_case(
    cases,
    [](random_engine& random)
    {
      const std::int64_t items = random_size(random, 20000);
      const std::int64_t rows = random_size(random, 3000);
      const auto wrong_begins = make_wrong_numbers<Index>(random, rows, items);
      const auto wrong_ends = make_wrong_numbers<Index>(random, rows, items);
      SCOPED_TRACE(std::to_string(items) + " items, " + std::to_string(rows) + " windows");
      test::for_each_policy(
        [&](const auto& policy)
        {
          using policy_t = std::decay_t<decltype(policy)>;
          const auto begins = test::to_memory<policy_t>(wrong_begins);
          const auto ends = test::to_memory<policy_t>(wrong_ends);
          const test::memory<policy_t, std::int32_t> elements(items, 1);
          room<policy_t, std::int32_t> sums(rows);
          const auto end = mgpu::window_reduce(
            policy, elements.begin(), elements.end(), begins.begin(), begins.end(), ends.begin(), sums.begin(),
            std::int32_t{0});
          ASSERT_TRUE(end == sums.begin() + rows);
          ASSERT_TRUE(sums.is_intact());
        });
    });
}

TEST(BrokenPreconditions, WrongWindows)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const test::time_limit limit;
  check_wrong_windows<std::uint64_t>();
#if defined(__CUDACC__) && !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_wrong_windows<std::int32_t>();
#endif
}

TEST(BrokenPreconditions, WrongOffsets)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_wrong_offsets<std::uint64_t>();
#if defined(__CUDACC__) && !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_wrong_offsets<std::int32_t>();
#endif
}

} // namespace
