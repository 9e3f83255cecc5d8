// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Set operations on pairs of lists whose results are lists: what is expected are the results of std::set_*, a pair at a
// time, of elements that tell their origin.

#include <mgpu_thrust/detail/pairs/lists/tuning.h>
#include <mgpu_thrust/segmented_set_operations.h>
#include <mgpu_thrust/segmented_set_operations_n.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/device/device_segmented_set_operations.cuh>
#endif

#if defined(__CUDACC__)
#  include "support/captured_kernels.h"
#endif
#include "support/deferred_battery.h"
#include "support/elements.h"
#include "support/functions.h"
#include "support/fuzz.h"
#include "support/paired_lists.h"
#include "support/policy_battery.h"
#include "support/systems.h"

#include <thrust/fill.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <limits>
#include <list>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace
{

using placed_elements = std::vector<std::int64_t>;

/// An element that tells its origin: above 32 bits the key of paired_lists, below the side and the position.
constexpr std::int64_t of_side_b = std::int64_t{1} << 31;

placed_elements with_origin(const test::ints& keys, std::int64_t side)
{
  placed_elements elements;
  for (std::size_t i = 0; i < keys.size(); ++i)
  {
    elements.push_back(keys[i] * (std::int64_t{1} << 32) + side + static_cast<std::int64_t>(i));
  }
  return elements;
}
std::int32_t position_of(std::int64_t element)
{
  return static_cast<std::int32_t>(element & (of_side_b - 1));
}

/// The order by key. It must be called with elements of lists alone.
#if defined(__CUDACC__)
using wrong_flag = int;
#else
using wrong_flag = std::atomic<int>;
#endif

struct order_of_keys
{
  wrong_flag* is_wrong;

  MGPU_THRUST_HOST_DEVICE bool operator()(std::int64_t x, std::int64_t y) const
  {
    const std::int64_t x_key = x >> 32;
    const std::int64_t y_key = y >> 32;
    if (is_wrong != nullptr && (x_key == test::between_lists || y_key == test::between_lists))
    {
      *is_wrong = 1;
    }
    return x_key < y_key;
  }
};

/// The functions, in order.
enum class list_function
{
  intersection,
  set_union,
  difference,
  symmetric_difference,
  merge
};
constexpr list_function all_list_functions[] = {
  list_function::intersection, list_function::set_union, list_function::difference, list_function::symmetric_difference,
  list_function::merge};

/// Calls a function of the library.
template <class... Args>
auto call_list_function(list_function function, const Args&... args)
{
  switch (function)
  {
  case list_function::intersection:
    return mgpu::segmented_set_intersection(args...);
  case list_function::set_union:
    return mgpu::segmented_set_union(args...);
  case list_function::difference:
    return mgpu::segmented_set_difference(args...);
  case list_function::symmetric_difference:
    return mgpu::segmented_set_symmetric_difference(args...);
  default:
    return mgpu::segmented_merge(args...);
  }
}

/// What is expected of a function.
struct expected_lists
{
  placed_elements elements;
  placed_elements offsets;
};

template <class Compare>
expected_lists expect_lists(
  list_function function, const test::paired_lists& pairs, const placed_elements& a, const placed_elements& b,
  Compare comp)
{
  expected_lists expected;
  const auto out = std::back_inserter(expected.elements);
  for (std::int64_t p = 0; p < pairs.num_pairs(); ++p)
  {
    expected.offsets.push_back(static_cast<std::int64_t>(expected.elements.size()));
    const auto list = [&](const placed_elements& all, std::int64_t begin, std::int64_t end)
    { return begin < end ? placed_elements(all.begin() + begin, all.begin() + end) : placed_elements(); };
    const placed_elements x = list(a, pairs.a_begins[p], pairs.a_ends[p]);
    const placed_elements y = list(b, pairs.b_begins[p], pairs.b_ends[p]);
    switch (function)
    {
    case list_function::intersection:
      std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), out, comp);
      break;
    case list_function::set_union:
      std::set_union(x.begin(), x.end(), y.begin(), y.end(), out, comp);
      break;
    case list_function::difference:
      std::set_difference(x.begin(), x.end(), y.begin(), y.end(), out, comp);
      break;
    case list_function::symmetric_difference:
      std::set_symmetric_difference(x.begin(), x.end(), y.begin(), y.end(), out, comp);
      break;
    case list_function::merge:
      std::merge(x.begin(), x.end(), y.begin(), y.end(), out, comp);
      break;
    }
  }
  expected.offsets.push_back(static_cast<std::int64_t>(expected.elements.size()));
  return expected;
}

/// The positions in both arrays that segmented_set_intersection_indices finds.
std::pair<test::ints, test::ints>
expect_positions(const test::paired_lists& pairs, const placed_elements& a, const placed_elements& b)
{
  test::paired_lists swapped = pairs;
  std::swap(swapped.a_begins, swapped.b_begins);
  std::swap(swapped.a_ends, swapped.b_ends);
  std::pair<test::ints, test::ints> positions;
  const order_of_keys comp{nullptr};
  for (const std::int64_t x : expect_lists(list_function::intersection, pairs, a, b, comp).elements)
  {
    positions.first.push_back(position_of(x));
  }
  for (const std::int64_t y : expect_lists(list_function::intersection, swapped, b, a, comp).elements)
  {
    positions.second.push_back(position_of(y));
  }
  return positions;
}

/// What the values of a match are combined to. It tells both.
struct combine_positions
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t a, std::int64_t b) const
  {
    return a * (std::int64_t{1} << 32) + b;
  }
};

/// The values of the elements of a result, of which each element's value is its position, and `matches` are the
/// intersections.
placed_elements expect_values(
  const expected_lists& result, const expected_lists& matches, const std::pair<test::ints, test::ints>& positions)
{
  placed_elements values;
  for (std::size_t p = 0; p + 1 < result.offsets.size(); ++p)
  {
    auto match = static_cast<std::size_t>(matches.offsets[p]);
    for (std::int64_t k = result.offsets[p]; k < result.offsets[p + 1]; ++k)
    {
      const std::int64_t element = result.elements[static_cast<std::size_t>(k)];
      const bool is_match =
        match < static_cast<std::size_t>(matches.offsets[p + 1]) && matches.elements[match] == element;
      values.push_back(
        is_match ? combine_positions{}(positions.first[match], positions.second[match]) : position_of(element));
      match += is_match;
    }
  }
  return values;
}

/// What is expected of searches for the elements of B in A: both bounds, and where those of each pair begin, after an
/// element that is not written.
struct expected_bounds
{
  placed_elements lower;
  placed_elements upper;
  placed_elements offsets;
};

expected_bounds expect_bounds(const test::paired_lists& pairs, const placed_elements& a, const placed_elements& b)
{
  expected_bounds expected;
  const order_of_keys comp{nullptr};
  for (std::int64_t p = 0; p < pairs.num_pairs(); ++p)
  {
    expected.lower.push_back(-7);
    expected.upper.push_back(-7);
    expected.offsets.push_back(static_cast<std::int64_t>(expected.lower.size()));
    const bool is_empty = pairs.a_begins[p] >= pairs.a_ends[p];
    const auto first = a.begin() + (is_empty ? 0 : pairs.a_begins[p]);
    const auto last = is_empty ? first : a.begin() + pairs.a_ends[p];
    for (std::int64_t j = pairs.b_begins[p]; j < pairs.b_ends[p]; ++j)
    {
      expected.lower.push_back(std::lower_bound(first, last, b[j], comp) - first);
      expected.upper.push_back(std::upper_bound(first, last, b[j], comp) - first);
    }
  }
  return expected;
}

/// Checks all functions under every policy.
void check_lists(const test::paired_lists& pairs)
{
  const placed_elements a_elements = with_origin(pairs.a, 0);
  const placed_elements b_elements = with_origin(pairs.b, of_side_b);
  std::vector<expected_lists> expected;
  for (const list_function function : all_list_functions)
  {
    expected.push_back(expect_lists(function, pairs, a_elements, b_elements, order_of_keys{nullptr}));
  }
  const auto positions = expect_positions(pairs, a_elements, b_elements);
  const expected_bounds bounds = expect_bounds(pairs, a_elements, b_elements);
  const std::int64_t n = pairs.num_pairs();
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto a = test::to_memory<policy_t>(a_elements);
      const auto b = test::to_memory<policy_t>(b_elements);
      const auto a_begins = test::to_memory<policy_t>(pairs.a_begins);
      const auto a_ends = test::to_memory<policy_t>(pairs.a_ends);
      const auto b_begins = test::to_memory<policy_t>(pairs.b_begins);
      const auto b_ends = test::to_memory<policy_t>(pairs.b_ends);
#if defined(__CUDACC__)
      test::memory<policy_t, int> is_wrong(1, 0);
      const order_of_keys comp{thrust::raw_pointer_cast(is_wrong.data())};
#else
      wrong_flag is_wrong{0};
      const order_of_keys comp{&is_wrong};
#endif
      test::memory<policy_t, std::int64_t> offsets(n + 2, -7);
      for (const list_function function : all_list_functions)
      {
        SCOPED_TRACE("function " + std::to_string(static_cast<int>(function)));
        const expected_lists& lists = expected[static_cast<std::size_t>(function)];
        test::memory<policy_t, std::int64_t> out(lists.elements.size() + 1, -7);
        thrust::fill(offsets.begin(), offsets.end(), -7);
        const auto end = call_list_function(
          function, policy, a.begin(), a_begins.begin(), a_ends.begin(), b.begin(), b_begins.begin(), b_ends.begin(), n,
          out.begin(), offsets.begin(), comp);
        test::expect_output(offsets, lists.offsets, n + 1);
        test::expect_output(out, lists.elements, end - out.begin());
      }
      SCOPED_TRACE("positions");
      test::memory<policy_t, std::int32_t> in_a(positions.first.size() + 1, -7), in_b = in_a;
      thrust::fill(offsets.begin(), offsets.end(), -7);
      const auto ends = mgpu::segmented_set_intersection_indices(
        policy, a.begin(), a_begins.begin(), a_ends.begin(), b.begin(), b_begins.begin(), b_ends.begin(), n,
        in_a.begin(), in_b.begin(), offsets.begin(), comp);
      test::expect_output(offsets, expected[0].offsets, n + 1);
      test::expect_output(in_a, positions.first, ends.first - in_a.begin());
      test::expect_output(in_b, positions.second, ends.second - in_b.begin());

      const auto check_values = [&](const expected_lists& lists, auto function)
      {
        const placed_elements expected_values = expect_values(lists, expected[0], positions);
        const thrust::counting_iterator<std::int64_t> numbers(0);
        test::memory<policy_t, std::int64_t> keys(lists.elements.size() + 1, -7), values = keys;
        thrust::fill(offsets.begin(), offsets.end(), -7);
        const auto ends_of_both = function(
          policy, a.begin(), a_begins.begin(), a_ends.begin(), b.begin(), b_begins.begin(), b_ends.begin(), n, numbers,
          numbers, keys.begin(), values.begin(), offsets.begin(), comp, combine_positions{});
        test::expect_output(offsets, lists.offsets, n + 1);
        test::expect_output(keys, lists.elements, ends_of_both.first - keys.begin());
        test::expect_output(values, expected_values, ends_of_both.second - values.begin());
      };
      SCOPED_TRACE("with values");
      check_values(expected[0], [](const auto&... args) { return mgpu::segmented_set_intersection_by_key(args...); });
      check_values(expected[1], [](const auto&... args) { return mgpu::segmented_set_union_by_key(args...); });

      SCOPED_TRACE("bounds");
      const auto bound_offsets = test::to_memory<policy_t>(bounds.offsets);
      const auto check_bounds = [&](const placed_elements& expected_of_all, auto function)
      {
        test::memory<policy_t, std::int64_t> found(expected_of_all.size() + 1, -7);
        function(
          policy, a.begin(), a_begins.begin(), a_ends.begin(), b.begin(), b_begins.begin(), b_ends.begin(), n,
          found.begin(), bound_offsets.begin(), comp);
        test::expect_output(found, expected_of_all, static_cast<std::int64_t>(expected_of_all.size()));
      };
      check_bounds(bounds.lower, [](const auto&... args) { mgpu::segmented_lower_bound(args...); });
      check_bounds(bounds.upper, [](const auto&... args) { mgpu::segmented_upper_bound(args...); });
#if defined(__CUDACC__)
      EXPECT_EQ(test::to_host(is_wrong)[0], 0) << "the comparator was called with what is in no list";
#else
      EXPECT_EQ(is_wrong, 0) << "the comparator was called with what is in no list";
#endif
    });
}

TEST(SegmentedLists, SmallListsOfEveryKind)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::vector<test::ints> lists = test::all_lists(3, 3);
  test::paired_lists pairs;
  for (const auto& a : lists)
  {
    for (const auto& b : lists)
    {
      pairs.add(a, b);
    }
  }
  check_lists(pairs);
  check_lists({});
}

// Lengths around those of chunks, and of the longer list where the shorter one is searched for; one pair alone.
TEST(SegmentedLists, BordersOfChunks)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(11);
  test::paired_lists all;
  constexpr std::int64_t steps = mgpu::detail::segmented_lists_shape::path_steps;
  constexpr std::int64_t tile = steps * mgpu::detail::segmented_lists_shape::threads;
  for (const std::int64_t a_size :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, steps / 2 - 1, steps / 2, steps / 2 + 1, steps - 1, steps,
        steps + 1, 2 * steps - 1, 2 * steps, 2 * steps + 1, std::int64_t{100}, tile / 2, tile - 7, tile})
  {
    for (const std::int64_t b_size :
         {a_size, a_size + 1, steps - a_size % steps, 31 * a_size, 32 * a_size, 33 * a_size + 1})
    {
      if (b_size <= 10 * tile)
      {
        test::add_random(all, a_size, b_size, 1 + a_size % 3, random);
        test::add_random(all, b_size, a_size, 1 + a_size % 3, random);
        all.add({}, {});
      }
    }
  }
  check_lists(all);
  for (const std::int64_t copies : {1, 700, 10000000})
  {
    test::paired_lists one;
    test::add_random(one, 70000, 50017, copies, random);
    check_lists(one);
    test::paired_lists unlike;
    test::add_random(unlike, 2000, 300000, copies, random);
    test::add_random(unlike, 300000, 2000, copies, random);
    check_lists(unlike);
  }
}

// Copies of an element across the ends of pieces, and more on one side than on the other.
TEST(SegmentedLists, CopiesAcrossPieces)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(12);
  for (const std::int64_t copies : {5, 50, 3000, 40000})
  {
    check_lists(test::pairs_of_copies(copies, random));
  }
}

// Long ones among very many short ones and empty ones; chosen, repeated and overlapping lists, and wrong bounds.
TEST(SegmentedLists, PowerLawsAndChosenLists)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(13);
  check_lists(test::power_law_pairs(2000, 50000, true, random));
  test::paired_lists many = test::power_law_pairs(10000, 50000, false, random);
  for (int k = 0; k < 2000; ++k)
  {
    many.add_again(static_cast<std::int64_t>(random() % 10000), static_cast<std::int64_t>(random() % 10000));
  }
  check_lists(many);

  test::paired_lists chosen;
  chosen.a = test::random_list(100000, 60000, random);
  chosen.b = chosen.a;
  const auto add_bounds = [&](test::pair_offsets& begins, test::pair_offsets& ends)
  {
    const auto begin = static_cast<std::int64_t>(random() % 100000);
    const auto longest = random() % 20 == 0 ? 100000 - begin : std::min<std::int64_t>(100000 - begin, 300);
    const auto size = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(longest + 1));
    const bool is_reversed = random() % 10 == 0;
    begins.push_back(is_reversed ? std::int64_t{1} << 60 : begin);
    ends.push_back(is_reversed ? -5 : begin + size);
  };
  for (int p = 0; p < 500; ++p)
  {
    add_bounds(chosen.a_begins, chosen.a_ends);
    add_bounds(chosen.b_begins, chosen.b_ends);
  }
  check_lists(chosen);
}

// New cases each time; MGPU_THRUST_FUZZ_SEED reproduces them.
TEST(SegmentedLists, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    8,
    [](std::mt19937_64& random)
    {
      test::paired_lists pairs;
      const auto n = static_cast<std::int64_t>(1 + random() % (random() % 3 == 0 ? 3000 : 20));
      std::int64_t left = 200000;
      for (std::int64_t p = 0; p < n; ++p)
      {
        const auto size = [&]
        {
          const std::uint64_t longest = random() % 3 == 0 ? 100000 : random() % 2 == 0 ? 300 : 6;
          const std::int64_t taken = std::min(static_cast<std::int64_t>(random() % longest), left);
          left -= taken;
          return taken;
        };
        const std::int64_t a_size = size();
        const std::int64_t b_size = size();
        test::add_random(
          pairs, a_size, b_size, random() % 5 == 0 ? 100 : 1 + static_cast<std::int64_t>(random() % 3), random);
      }
      check_lists(pairs);
    });
}

// Elements of two types and computed ones, in descending order; offsets of a small type, and too many elements for it.
TEST(SegmentedLists, TypesAndOffsetsThatAreTooSmall)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      std::vector<std::int16_t> descending(700);
      for (std::size_t k = 0; k < descending.size(); ++k)
      {
        descending[k] = static_cast<std::int16_t>(descending.size() - k);
      }
      const auto a = test::to_memory<policy_t>(descending);
      const auto b = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(-650), test::negate{});
      const thrust::counting_iterator<std::int32_t> from(0);
      // Lists of one element each, and of A: 700 - p; of B: 650 - p.
      const auto united = [&](std::int64_t n, auto out, auto offsets)
      {
        return mgpu::segmented_set_union(
          policy, a.begin(), from, from + 1, b, from, from + 1, n, out, offsets, cuda::std::greater<std::int64_t>{});
      };
      test::memory<policy_t, std::int32_t> out(401, -7);
      test::memory<policy_t, std::uint8_t> offsets(201, 9);
      const auto end = united(127, out.begin(), offsets.begin());
      EXPECT_EQ(end - out.begin(), 254);
      const auto got = test::to_host(out);
      const auto got_offsets = test::to_host(offsets);
      for (std::size_t p = 0; p < 127; ++p)
      {
        ASSERT_EQ(got[2 * p], 700 - static_cast<int>(p));
        ASSERT_EQ(got[2 * p + 1], 650 - static_cast<int>(p));
        ASSERT_EQ(got_offsets[p], 2 * p);
      }
      EXPECT_EQ(got[254], -7);
      EXPECT_EQ(got_offsets[127], 254);
      EXPECT_EQ(got_offsets[128], 9);
      thrust::fill(offsets.begin(), offsets.end(), std::uint8_t{9});
      EXPECT_THROW(united(200, out.begin(), offsets.begin()), std::length_error);
      EXPECT_EQ(test::to_host(out), got) << "written before the error";
      EXPECT_EQ(test::to_host(offsets)[0], 9);
      const auto same = united(
        200, thrust::make_transform_output_iterator(out.begin(), test::negate{}), thrust::make_discard_iterator());
      EXPECT_EQ(same.base() - out.begin(), 400);
      EXPECT_EQ(test::to_host(out)[399], -451);
    });
}

#if !defined(__CUDACC__)

// Serial policies write to plain output iterators; elements may own memory.
TEST(SegmentedLists, StringsAndPlainOutputIterators)
{
  std::mt19937_64 random(14);
  const test::paired_lists pairs = test::power_law_pairs(300, 5000, false, random);
  std::vector<std::string> words_a, words_b;
  const auto word = [](std::int32_t x)
  { return "a word that is too long for its object " + std::to_string(x + 10000000); };
  std::transform(pairs.a.begin(), pairs.a.end(), std::back_inserter(words_a), word);
  std::transform(pairs.b.begin(), pairs.b.end(), std::back_inserter(words_b), word);
  std::vector<std::string> expected;
  std::vector<std::int32_t> expected_offsets{0};
  for (std::int64_t p = 0; p < pairs.num_pairs(); ++p)
  {
    std::set_symmetric_difference(
      words_a.begin() + pairs.a_begins[p], words_a.begin() + pairs.a_ends[p], words_b.begin() + pairs.b_begins[p],
      words_b.begin() + pairs.b_ends[p], std::back_inserter(expected));
    expected_offsets.push_back(static_cast<std::int32_t>(expected.size()));
  }
  const auto with_pairs = [&](const auto& policy, auto out, auto offsets)
  {
    return mgpu::segmented_set_symmetric_difference(
      policy, words_a.begin(), pairs.a_begins.begin(), pairs.a_ends.begin(), words_b.begin(), pairs.b_begins.begin(),
      pairs.b_ends.begin(), pairs.num_pairs(), out, offsets, std::less<>{});
  };
  test::for_each_policy(
    [&](const auto& policy)
    {
      std::vector<std::string> out(expected.size());
      std::vector<std::int32_t> offsets(expected_offsets.size());
      EXPECT_TRUE(with_pairs(policy, out.begin(), offsets.begin()) == out.end());
      EXPECT_TRUE(out == expected);
      EXPECT_EQ(offsets, expected_offsets);
    });
  std::list<std::string> listed;
  std::list<std::int32_t> listed_offsets;
  with_pairs(thrust::seq, std::back_inserter(listed), std::back_inserter(listed_offsets));
  EXPECT_TRUE(std::equal(listed.begin(), listed.end(), expected.begin(), expected.end()));
  EXPECT_TRUE(
    std::equal(listed_offsets.begin(), listed_offsets.end(), expected_offsets.begin(), expected_offsets.end()));
}

#endif

/// The union of each number and its third, which gives all of them but 0 twice.
struct union_with_thirds : test::policy_call
{
  static constexpr bool synchronises = true;

  explicit union_with_thirds(std::int64_t size)
  {
    test::ints numbers, thirds;
    for (std::int32_t x = 0; x < size; ++x)
    {
      numbers.push_back(x);
      thirds.push_back(x / 3);
      expected.push_back(x / 3);
      if (x > 0)
      {
        expected.push_back(x);
      }
    }
    inputs = {numbers, thirds};
    result = static_cast<std::int64_t>(expected.size());
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    const thrust::counting_iterator<std::int64_t> from(0);
    return mgpu::segmented_set_union(
             policy, in.first[0], from, from + 1, in.first[1], from, from + 1, in.size(0), out,
             thrust::make_discard_iterator())
           - out;
  }
};

/// The end of a pair's list, which begins at the number of the pair; some are long.
struct end_of_numbers
{
  bool is_a;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t pair) const
  {
    return pair + (pair % 30000 == 7 ? (is_a ? 3000 : 2500) : is_a ? pair % 3 : 2);
  }
};

/// Lists of numbers that begin with that of the pair, as many as the first range has elements. There is not room for
/// all.
struct deferred_lists : test::call_on_numbered_pairs
{
  static test::ints expected(const test::ints& first, const test::ints&)
  {
    test::ints elements;
    for (const std::int32_t pair : first)
    {
      const std::int64_t end = std::min(end_of_numbers{true}(pair), end_of_numbers{false}(pair));
      for (std::int64_t x = pair; x < end; ++x)
      {
        elements.push_back(static_cast<std::int32_t>(x));
      }
    }
    return elements;
  }
  template <class Policy, class Size1, class Size2, class Count>
  static MGPU_THRUST_HOST_DEVICE auto
  run(const Policy& policy, const test::two_ranges& ranges, Size1 num_pairs, Size2, Count d_count)
  {
    const thrust::counting_iterator<std::int64_t> numbers(0);
    return mgpu::segmented_set_intersection_n(
      policy, numbers, ranges.first, thrust::make_transform_iterator(numbers, end_of_numbers{true}), numbers,
      ranges.first, thrust::make_transform_iterator(numbers, end_of_numbers{false}), num_pairs, ranges.out, ranges.room,
      thrust::make_discard_iterator(), d_count);
  }
#if defined(__CUDACC__)
  template <class Size1, class Size2, class Count>
  static cudaError_t queue(
    void* storage, std::size_t& bytes, const test::two_ranges& ranges, Size1 num_pairs, Size2, Count* d_count,
    cudaStream_t stream)
  {
    const thrust::counting_iterator<std::int64_t> numbers(0);
    return mgpu::DeviceSegmentedSetOperations::Intersection(
      storage, bytes, numbers, ranges.first, thrust::make_transform_iterator(numbers, end_of_numbers{true}), numbers,
      ranges.first, thrust::make_transform_iterator(numbers, end_of_numbers{false}), num_pairs, ranges.out, ranges.room,
      thrust::make_discard_iterator(), d_count, ::cuda::std::less<>{}, stream);
  }
#endif
};

// Offsets and count are not cut off where there is not room for all elements; all functions with a deferred number of
// pairs.
TEST(SegmentedLists, RoomForSomeElements)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto lists = test::to_memory<policy_t>(test::ints{1, 3, 5, 2, 3, 5, 3, 4, 9});
      const auto bounds = test::to_memory<policy_t>(test::pair_offsets{0, 3, 6, 8, 9});
      const auto num_pairs = test::to_memory<policy_t>(test::ints{2});
      const auto begins = bounds.begin();
      const auto check = [&](auto function, const test::ints& elements, const test::ints& ends)
      {
        test::memory<policy_t, std::int32_t> out(elements.size() + 1, -7), offsets(5, -7), count(1, -7);
        const auto result = function(
          policy, lists.begin(), begins, begins + 1, lists.begin(), begins + 1, begins + 2,
          mgpu::deferred{num_pairs.begin(), 3}, out.begin(), static_cast<std::int64_t>(elements.size()),
          offsets.begin(), count.begin());
        EXPECT_EQ(result.capacity, static_cast<std::int64_t>(elements.size()));
        test::expect_output(out, elements, static_cast<std::int64_t>(elements.size()));
        EXPECT_EQ(test::to_host(offsets), (test::ints{ends[0], ends[1], ends[2], -7, -7}));
        EXPECT_EQ(test::to_host(count)[0], ends[2]);
      };
      check([](const auto&... args) { return mgpu::segmented_set_intersection_n(args...); }, {3, 5}, {0, 2, 3});
      check([](const auto&... args) { return mgpu::segmented_set_union_n(args...); }, {1, 2, 3, 5, 2}, {0, 4, 8});
      check([](const auto&... args) { return mgpu::segmented_set_difference_n(args...); }, {1, 2}, {0, 1, 3});
      check([](const auto&... args) { return mgpu::segmented_set_symmetric_difference_n(args...); }, {1}, {0, 2, 5});
      check([](const auto&... args) { return mgpu::segmented_merge_n(args...); }, {1, 2, 3, 3, 5, 5, 2}, {0, 6, 11});
      test::memory<policy_t, std::int32_t> in_a(3, -7), in_b(3, -7), offsets(3, -7), count(1, -7);
      mgpu::segmented_set_intersection_indices_n(
        policy, lists.begin(), begins, begins + 1, lists.begin(), begins + 1, begins + 2, 2, in_a.begin(), in_b.begin(),
        2, offsets.begin(), count.begin());
      EXPECT_EQ(test::to_host(in_a), (test::ints{1, 2, -7}));
      EXPECT_EQ(test::to_host(in_b), (test::ints{4, 5, -7}));
      EXPECT_EQ(test::to_host(offsets), (test::ints{0, 2, 3}));
      EXPECT_EQ(test::to_host(count)[0], 3);
      test::memory<policy_t, std::int32_t> keys(3, -7), values(3, -7);
      const auto numbers = test::to_memory<policy_t>(test::ints{0, 1, 2, 3, 4, 5, 6, 7, 8});
      mgpu::segmented_set_union_by_key_n(
        policy, lists.begin(), begins, begins + 1, lists.begin(), begins + 1, begins + 2,
        mgpu::deferred{num_pairs.begin(), 3}, numbers.begin(), numbers.begin(), keys.begin(), values.begin(), 3,
        offsets.begin(), count.begin(), ::cuda::std::less<>{}, ::cuda::std::plus<>{});
      EXPECT_EQ(test::to_host(count)[0], 8);
      EXPECT_EQ(test::to_host(keys), (test::ints{1, 2, 3}));
      EXPECT_EQ(test::to_host(values), (test::ints{0, 3, 5}));
      EXPECT_EQ(test::to_host(offsets), (test::ints{0, 4, 8}));
      mgpu::segmented_set_intersection_by_key_n(
        policy, lists.begin(), begins, begins + 1, lists.begin(), begins + 1, begins + 2, 2, numbers.begin(),
        numbers.begin(), keys.begin(), values.begin(), 2, offsets.begin(), count.begin());
      EXPECT_EQ(test::to_host(keys), (test::ints{3, 5, 3}));
      EXPECT_EQ(test::to_host(values), (test::ints{1, 2, 5})); // of A
      EXPECT_EQ(test::to_host(offsets), (test::ints{0, 2, 3}));
      EXPECT_EQ(test::to_host(count)[0], 3);
      const auto result_offsets = test::to_memory<policy_t>(test::ints{0, 3, 5});
      test::memory<policy_t, std::int32_t> found(7, -7);
      const mgpu::deferred two{num_pairs.begin(), 3};
      EXPECT_EQ(
        mgpu::segmented_lower_bound_n(
          policy, lists.begin(), begins, begins + 1, lists.begin(), begins + 1, begins + 2, two, found.begin(),
          result_offsets.begin())
          .capacity,
        3);
      EXPECT_EQ(test::to_host(found), (test::ints{1, 1, 2, 1, 2, -7, -7}));
      mgpu::segmented_upper_bound_n(
        policy, lists.begin(), begins, begins + 1, lists.begin(), begins + 1, begins + 2, two, found.begin(),
        result_offsets.begin());
      EXPECT_EQ(test::to_host(found), (test::ints{1, 2, 3, 2, 2, -7, -7}));
      // No pairs have an offset.
      thrust::fill(offsets.begin(), offsets.end(), -7);
      mgpu::segmented_set_union_n(
        policy, lists.begin(), begins, begins + 1, lists.begin(), begins + 1, begins + 2, 0, in_a.begin(), 3,
        offsets.begin(), count.begin());
      EXPECT_EQ(test::to_host(offsets), (test::ints{0, -7, -7}));
      EXPECT_EQ(test::to_host(in_a), (test::ints{1, 2, -7}));
      EXPECT_EQ(test::to_host(count)[0], 0);

      // A count that is too small for the number is the largest one.
      test::memory<policy_t, std::int16_t> small_count(1, -7);
      const thrust::constant_iterator<std::int32_t> zeros(0), end(20000);
      mgpu::segmented_merge_n(
        policy, zeros, zeros, end, zeros, zeros, end, 1, in_a.begin(), 2, thrust::make_discard_iterator(),
        small_count.begin());
      EXPECT_EQ(test::to_host(small_count)[0], 32767);
      EXPECT_EQ(test::to_host(in_a), (test::ints{0, 0, -7}));

      // Offsets can hold the number of elements, but not as many as lists of these lengths may have.
      const thrust::counting_iterator<std::int32_t> elements(0);
      const thrust::constant_iterator<std::int32_t> b_begin(19990), b_end(39990);
      test::memory<policy_t, std::int16_t> small_offsets(3, -7);
      mgpu::segmented_set_intersection_n(
        policy, elements, zeros, end, elements, b_begin, b_end, 2, in_a.begin(), 2, small_offsets.begin(),
        small_count.begin());
      EXPECT_EQ(test::to_host(in_a), (test::ints{19990, 19991, -7}));
      EXPECT_EQ(test::to_host(small_offsets), (std::vector<std::int16_t>{0, 10, 20}));
      EXPECT_EQ(test::to_host(small_count)[0], 20);
    });
}

#if defined(__CUDACC__)

// A block has several tiles of one pair, with copies across them.
TEST(SegmentedLists, TilesOfALongPair)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(15);
  for (const std::int64_t copies : {5, 5000})
  {
    test::paired_lists pairs;
    test::add_random(pairs, 1 << 23, (1 << 23) + 9999, copies, random);
    const placed_elements a_elements = with_origin(pairs.a, 0);
    const placed_elements b_elements = with_origin(pairs.b, of_side_b);
    const thrust::device_vector<std::int64_t> a(a_elements), b(b_elements);
    const order_of_keys comp{nullptr};
    const thrust::constant_iterator<std::int64_t> a_end(pairs.a_ends[0]), b_end(pairs.b_ends[0]), one(1);
    for (const list_function function : {list_function::set_union, list_function::symmetric_difference})
    {
      const expected_lists expected = expect_lists(function, pairs, a_elements, b_elements, comp);
      thrust::device_vector<std::int64_t> out(expected.elements.size() + 1, -7);
      const auto end = call_list_function(
        function, thrust::cuda::par, a.begin(), one, a_end, b.begin(), one, b_end, std::int64_t{1}, out.begin(),
        thrust::make_discard_iterator(), comp);
      test::expect_output(out, expected.elements, end - out.begin());
    }
  }
}

// 2^33 elements in all, of 65,536 pairs that share a list.
TEST(SegmentedLists, MoreElementsThan32BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t n = 1 << 16;
  const thrust::device_vector<std::int32_t> list(n, 3);
  const thrust::constant_iterator<std::int32_t> begin(0), end(n);
  thrust::device_vector<std::int32_t> out(101, -7);
  thrust::device_vector<std::int64_t> offsets(n + 1, -7), count(1, -7);
  mgpu::segmented_merge_n(
    thrust::cuda::par, list.begin(), begin, end, list.begin(), begin, end, n, out.begin(), 100, offsets.begin(),
    count.begin());
  test::expect_output(out, test::ints(100, 3), 100);
  EXPECT_EQ(count[0], std::int64_t{1} << 33);
  EXPECT_EQ(offsets[n], std::int64_t{1} << 33);
  EXPECT_EQ(offsets[n - 1], (std::int64_t{1} << 33) - 2 * n);
  thrust::device_vector<std::int32_t> small_offsets(n + 1, -7);
  EXPECT_THROW(
    mgpu::segmented_merge(
      thrust::cuda::par, list.begin(), begin, end, list.begin(), begin, end, n, thrust::make_discard_iterator(),
      small_offsets.begin()),
    std::length_error);
  EXPECT_EQ(test::to_host(small_offsets), test::ints(n + 1, -7));

  // Intersections are counted before they are written, if there could be too many elements.
  const thrust::counting_iterator<std::int32_t> numbers(0);
  const thrust::device_vector<std::int16_t> untouched(3, -7);
  thrust::device_vector<std::int16_t> ends(untouched);
  mgpu::segmented_set_intersection_n(
    thrust::cuda::par, numbers, begin, end, numbers, begin, end, 2, out.begin() + 100, 1, ends.begin(), count.begin());
  EXPECT_EQ(count[0], 2 * n);
  EXPECT_EQ(out[100], -7);
  EXPECT_EQ(test::to_host(ends), test::to_host(untouched));
}

TEST(SegmentedLists, DeviceCalls)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using device = mgpu::DeviceSegmentedSetOperations;
  const thrust::device_vector<std::int32_t> lists(test::ints{1, 3, 5, 2, 3, 5, 3, 4});
  const thrust::device_vector<std::int64_t> bounds(test::pair_offsets{0, 3, 6, 8});
  const auto begins = bounds.begin();
  const auto check = [&](auto function, const test::ints& elements, const test::ints& ends)
  {
    thrust::device_vector<std::int32_t> out(elements.size() + 1, -7), offsets(3, -7);
    thrust::device_vector<std::int16_t> count(1, -7);
    const auto with_room = [&](std::int64_t num_pairs, std::int64_t room)
    {
      return [&, num_pairs, room](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return function(
          storage, bytes, lists.begin(), begins, begins + 1, lists.begin(), begins + 1, begins + 2, num_pairs,
          out.begin(), room, offsets.begin(), thrust::raw_pointer_cast(count.data()), ::cuda::std::less<>{}, stream);
      };
    };
    test::call(with_room(2, static_cast<std::int64_t>(elements.size())));
    test::expect_output(out, elements, static_cast<std::int64_t>(elements.size()));
    EXPECT_EQ(test::to_host(offsets), ends);
    EXPECT_EQ(test::to_host(count)[0], ends.back());
    std::size_t bytes = 0;
    constexpr std::int64_t pairs = 1 << 20;
    EXPECT_EQ(with_room(pairs, 1)(nullptr, bytes, nullptr), cudaSuccess);
    EXPECT_LE(bytes, 8 * pairs + pairs / 12 + 24 * 1024);
    EXPECT_EQ(with_room(2, 1)(nullptr, bytes, nullptr), cudaSuccess);
    EXPECT_LE(bytes, 24 * 1024u);
    EXPECT_EQ(with_room(-1, 1)(nullptr, bytes, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(with_room(2, -1)(nullptr, bytes, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(with_room(std::numeric_limits<std::int64_t>::max(), 1)(nullptr, bytes, nullptr), cudaErrorInvalidValue);
  };
  check([](auto&&... args) { return device::Intersection(args...); }, {3, 5, 3}, {0, 2, 3});
  check([](auto&&... args) { return device::Union(args...); }, {1, 2, 3, 5, 2}, {0, 4, 8});
  check([](auto&&... args) { return device::Difference(args...); }, {1, 2}, {0, 1, 3});
  check([](auto&&... args) { return device::SymmetricDifference(args...); }, {1}, {0, 2, 5});
  check([](auto&&... args) { return device::Merge(args...); }, {1, 2, 3, 3, 5, 5, 2}, {0, 6, 11});

  thrust::device_vector<std::int32_t> in_a(4, -7), in_b(4, -7), offsets(3, -7), count(1, -7);
  const auto indices = [&](void* storage, std::size_t& bytes, cudaStream_t stream)
  {
    return device::IntersectionIndices(
      storage, bytes, lists.begin(), begins, begins + 1, lists.begin(), begins + 1, begins + 2, 2, in_a.begin(),
      in_b.begin(), 3, offsets.begin(), thrust::raw_pointer_cast(count.data()), ::cuda::std::less<>{}, stream);
  };
  test::call(indices);
  EXPECT_EQ(test::to_host(in_a), (test::ints{1, 2, 4, -7}));
  EXPECT_EQ(test::to_host(in_b), (test::ints{4, 5, 6, -7}));
  const thrust::counting_iterator<std::int32_t> numbers(0);
  const auto call_combined = [&](auto function)
  {
    test::call(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return function(
          storage, bytes, lists.begin(), begins, begins + 1, lists.begin(), begins + 1, begins + 2, 2, numbers, numbers,
          in_a.begin(), in_b.begin(), 3, offsets.begin(), thrust::raw_pointer_cast(count.data()), ::cuda::std::less<>{},
          ::cuda::std::plus<>{}, stream);
      });
  };
  call_combined([](auto&&... args) { return device::IntersectionCombined(args...); });
  EXPECT_EQ(test::to_host(in_a), (test::ints{3, 5, 3, -7}));
  EXPECT_EQ(test::to_host(in_b), (test::ints{5, 7, 10, -7}));
  call_combined([](auto&&... args) { return device::UnionCombined(args...); });
  EXPECT_EQ(test::to_host(in_b), (test::ints{0, 3, 5, -7}));
  EXPECT_EQ(test::to_host(count)[0], 8);
  const auto call_search = [&](auto function)
  {
    thrust::fill(in_a.begin(), in_a.end(), -7);
    test::call(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return function(
          storage, bytes, lists.begin(), begins, begins + 1, lists.begin(), begins + 1, begins + 2, 1, in_a.begin(),
          begins, ::cuda::std::less<>{}, stream);
      });
  };
  call_search([](auto&&... args) { return device::LowerBound(args...); });
  EXPECT_EQ(test::to_host(in_a), (test::ints{1, 1, 2, -7}));
  call_search([](auto&&... args) { return device::UpperBound(args...); });
  EXPECT_EQ(test::to_host(in_a), (test::ints{1, 2, 3, -7}));
  std::size_t bytes = 0;
  ASSERT_EQ(indices(nullptr, bytes, nullptr), cudaSuccess);
  thrust::device_vector<char> storage(bytes);
  void* const memory = thrust::raw_pointer_cast(storage.data());
  std::size_t too_few = bytes - 1;
  EXPECT_EQ(indices(memory, too_few, nullptr), cudaErrorInvalidValue);
  const auto kernels = test::captured_kernels([&](cudaStream_t stream) { return indices(memory, bytes, stream); });
  EXPECT_EQ(kernels, (std::vector<std::string>{"write_matches_kernel"}));
}

#endif

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(SegmentedLists, Policies, union_with_thirds);
INSTANTIATE_TYPED_TEST_SUITE_P(SegmentedLists, DeferredSizes, deferred_lists);
} // namespace test
