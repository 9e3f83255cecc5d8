// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Joins whose sizes are deferred: the battery, many rows, too many rows, rows in pieces, and bad arguments.

#include "support/deferred_battery.h"
#include "support/join_battery.h"

#include <mgpu_thrust/join.h>
#include <mgpu_thrust/join_n.h>
#include <mgpu_thrust/read_count.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/device/device_join.cuh>

#  include <thrust/iterator/constant_iterator.h>
#  include <thrust/iterator/counting_iterator.h>
#endif

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace
{

using test::ints;
using test::two_ranges;

// A kind of join, with its functions for deferred sizes.
#define MGPU_THRUST_TEST_JOIN_N(name, Name)                                                                            \
  struct name##_n : test::name                                                                                         \
  {                                                                                                                    \
    template <class... Arguments>                                                                                      \
    static MGPU_THRUST_HOST_DEVICE auto rows_n(Arguments... arguments)                                                 \
    {                                                                                                                  \
      return mgpu::name##_n(arguments...);                                                                             \
    }                                                                                                                  \
    template <class... Arguments>                                                                                      \
    static MGPU_THRUST_HOST_DEVICE auto size_n(Arguments... arguments)                                                 \
    {                                                                                                                  \
      return mgpu::name##_size_n(arguments...);                                                                        \
    }                                                                                                                  \
    MGPU_THRUST_TEST_QUEUE_JOIN(Name)                                                                                  \
  };
#if defined(__CUDACC__)
#  define MGPU_THRUST_TEST_QUEUE_JOIN(Name)                                                                            \
    template <class... Arguments>                                                                                      \
    static cudaError_t queue_rows(void* storage, std::size_t& bytes, Arguments... arguments)                           \
    {                                                                                                                  \
      return mgpu::DeviceJoin::Name(storage, bytes, arguments...);                                                     \
    }                                                                                                                  \
    template <class... Arguments>                                                                                      \
    static cudaError_t queue_count(void* storage, std::size_t& bytes, Arguments... arguments)                          \
    {                                                                                                                  \
      return mgpu::DeviceJoin::Name##Count(storage, bytes, arguments...);                                              \
    }                                                                                                                  \
    template <class... Arguments>                                                                                      \
    static cudaError_t queue_some(void* storage, std::size_t& bytes, Arguments... arguments)                           \
    {                                                                                                                  \
      return mgpu::DeviceJoin::Name##Rows(storage, bytes, arguments...);                                               \
    }
#else
#  define MGPU_THRUST_TEST_QUEUE_JOIN(Name)
#endif
MGPU_THRUST_TEST_JOIN_N(inner_join, Inner)
MGPU_THRUST_TEST_JOIN_N(left_join, Left)
MGPU_THRUST_TEST_JOIN_N(right_join, Right)
MGPU_THRUST_TEST_JOIN_N(full_join, Full)

/// Calls f(kind) for each of these.
template <class Function>
void for_each_join_n(Function f)
{
  f(inner_join_n{});
  f(left_join_n{});
  f(right_join_n{});
  f(full_join_n{});
}

/// The rows of a join, computed by a walk along both ranges.
template <class Join>
test::join_rows<std::int32_t> walk_along(Join join, const ints& left, const ints& right)
{
  std::int64_t first = 0;
  std::int64_t last = 0;
  const auto right_size = static_cast<std::int64_t>(right.size());
  const auto matching = [&](std::int64_t i)
  {
    for (; first < right_size && right[first] < left[i]; ++first)
    {
    }
    for (last = std::max(first, last); last < right_size && right[last] == left[i]; ++last)
    {
    }
    return std::pair<std::int64_t, std::int64_t>(first, last);
  };
  return test::make_join_rows<std::int32_t>(join, left.size(), right_size, matching);
}

/// All rows, of keys with up to three matches.
template <class Join>
struct all_rows : test::ranges_of_copies
{
  static constexpr bool writes = true;
  static constexpr std::int64_t columns = 2;

  static ints expected(const ints& left, const ints& right)
  {
    test::join_rows<std::int32_t> rows = walk_along(Join{}, left, right);
    rows.left.insert(rows.left.end(), rows.right.begin(), rows.right.end());
    return rows.left;
  }
  static std::int64_t most(std::int64_t left, std::int64_t right)
  {
    return 2 * left + right;
  }
  template <class Policy, class Size1, class Size2, class Count>
  static MGPU_THRUST_HOST_DEVICE auto
  run(const Policy& policy, const two_ranges& ranges, Size1 size1, Size2 size2, Count count)
  {
    return Join::rows_n(
      policy, ranges.first, size1, ranges.second, size2, ranges.out, ranges.out + ranges.room, ranges.room, count);
  }
#if defined(__CUDACC__)
  template <class Size1, class Size2, class Count>
  static cudaError_t queue(
    void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 size1, Size2 size2, Count* count,
    cudaStream_t stream)
  {
    return Join::queue_rows(
      storage, bytes, ranges.first, size1, ranges.second, size2, ranges.out, ranges.out + ranges.room, ranges.room,
      count, cuda::std::less<>{}, stream);
  }
#endif
};

/// The same rows, where most counts leave more than there is room for.
template <class Join>
struct some_rows : all_rows<Join>
{
  static std::int64_t most(std::int64_t left, std::int64_t right)
  {
    return (left + right) / 4;
  }
};

/// The number of rows alone.
template <class Join>
struct number_of_rows : all_rows<Join>
{
  static constexpr bool writes = false;
  static constexpr bool saturates = true;

  static std::int64_t most(std::int64_t left, std::int64_t right)
  {
    return left * right + (Join::keeps_left ? left : 0) + (Join::keeps_right ? right : 0);
  }
  template <class Policy, class Size1, class Size2, class Count>
  static MGPU_THRUST_HOST_DEVICE auto
  run(const Policy& policy, const two_ranges& ranges, Size1 size1, Size2 size2, Count count)
  {
    return Join::size_n(policy, ranges.first, size1, ranges.second, size2, count);
  }
#if defined(__CUDACC__)
  template <class Size1, class Size2, class Count>
  static cudaError_t queue(
    void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 size1, Size2 size2, Count* count,
    cudaStream_t stream)
  {
    return Join::queue_count(
      storage, bytes, ranges.first, size1, ranges.second, size2, count, cuda::std::less<>{}, stream);
  }
#endif
};

using join_calls = testing::Types<
  all_rows<inner_join_n>, all_rows<left_join_n>, all_rows<right_join_n>, all_rows<full_join_n>, some_rows<inner_join_n>,
  some_rows<full_join_n>, number_of_rows<left_join_n>, number_of_rows<full_join_n>>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(Joins, DeferredSizes, join_calls);
} // namespace test

namespace
{

/// Two ranges of which `left` and `right` elements are there, in memory of a policy with room for `capacity`.
template <class Policy>
class join_input
{
public:
  join_input(const ints& left, const ints& right, std::int64_t capacity)
      : capacity_(capacity)
      , left_(test::to_memory<Policy>(padded(left)))
      , right_(test::to_memory<Policy>(padded(right)))
      , counts_(left_size_right_size_none(left, right))
  {
  }

  /// Joins them in rooms of several sizes, and compares the rows that have room, and the number of all, with the
  /// expected ones.
  template <class Join>
  void check_rooms(
    const Policy& policy, Join, const test::join_rows<std::int32_t>& expected, const std::vector<std::int64_t>& rooms)
  {
    for (const std::int64_t room : rooms)
    {
      SCOPED_TRACE(std::string(Join::name) + " with room for " + std::to_string(room));
      const std::int64_t written = std::min(room, expected.size());
      test::memory<Policy, std::int32_t> left_out(written + 1, -7);
      test::memory<Policy, std::int32_t> right_out(written + 1, -7);
      const auto result = Join::rows_n(
        policy, left(), left_size(), right(), right_size(), thrust::raw_pointer_cast(left_out.data()),
        thrust::raw_pointer_cast(right_out.data()), room, counts_.at(2));
      ASSERT_EQ(counts_.value(2), expected.size());
      ASSERT_EQ(result.capacity, room);
      ASSERT_EQ(mgpu::read_count(policy, result), written);
      test::expect_rows(left_out, right_out, expected, 0, written);
    }
  }

  const std::int32_t* left() const
  {
    return thrust::raw_pointer_cast(left_.data());
  }
  const std::int32_t* right() const
  {
    return thrust::raw_pointer_cast(right_.data());
  }
  auto left_size()
  {
    return mgpu::deferred{counts_.at(0), capacity_};
  }
  auto right_size()
  {
    return mgpu::deferred{counts_.at(1), capacity_};
  }
  /// The counts: of both ranges, and of a result.
  test::placed_counts<Policy, std::int64_t>& counts()
  {
    return counts_;
  }

private:
  static test::two_counts left_size_right_size_none(const ints& left, const ints& right)
  {
    return {static_cast<std::int64_t>(left.size()), static_cast<std::int64_t>(right.size())};
  }
  ints padded(ints keys) const
  {
    keys.resize(static_cast<std::size_t>(capacity_));
    return keys;
  }
  std::int64_t capacity_;
  test::memory<Policy, std::int32_t> left_;
  test::memory<Policy, std::int32_t> right_;
  test::placed_counts<Policy, std::int64_t> counts_;
};

/// `before` different keys, `many` equal ones, and as many different ones as there were before.
ints many_equal(std::int64_t before, std::int64_t many, int step)
{
  ints keys;
  for (std::int64_t i = 0; i < before; ++i)
  {
    keys.push_back(static_cast<std::int32_t>(i * step));
  }
  keys.insert(keys.end(), static_cast<std::size_t>(many), std::int32_t{100000000});
  for (std::int64_t i = 0; i < before; ++i)
  {
    keys.push_back(static_cast<std::int32_t>(200000000 + i * step));
  }
  return keys;
}

struct sizes_of_many
{
  std::int64_t before;
  std::int64_t left;
  std::int64_t right;
  std::int64_t capacity;
};

/// Rows of which a tile has so many that several blocks or workers write them. Whether a GPU's tiles are few or many
/// decides how many rows a block writes: both, and a few tiles where the capacity has many.
TEST(JoinsN, RoomForSomeOfManyRows)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
#if defined(__CUDACC__)
  const std::vector<sizes_of_many> all_sizes{
    {20, 700, 600, 1400}, {3, 900, 500, 3000000}, {900000, 1500, 1200, 2000000}};
#else
  const std::vector<sizes_of_many> all_sizes{{20, 700, 600, 1400}, {9000, 2000, 100, 50000}};
#endif
  for (const sizes_of_many& sizes : all_sizes)
  {
    const ints left = many_equal(sizes.before, sizes.left, 2);
    const ints right = many_equal(sizes.before, sizes.right, 3);
    for_each_join_n(
      [&](auto join)
      {
        const auto expected = walk_along(join, left, right);
        const std::int64_t size = expected.size();
        const std::vector<std::int64_t> rooms{
          0, 1, 8192, 8193, 65536, 65541, 200003, size / 2, size - 1, size, std::numeric_limits<std::int64_t>::max()};
        test::for_each_policy(
          [&](const auto& policy)
          {
            join_input<std::decay_t<decltype(policy)>> input(left, right, sizes.capacity);
            input.check_rooms(policy, join, expected, rooms);
          });
      });
  }
}

/// Ranges that are not sorted, with sizes that are deferred: nothing after the room is written.
TEST(JoinsN, UnsortedInputsStayInTheRoom)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  ints keys(30000);
  std::uint32_t random = 1;
  for (std::int32_t& key : keys)
  {
    random = random * 1664525 + 1013904223;
    key = static_cast<std::int32_t>(random >> 20);
  }
  for_each_join_n(
    [&](auto join)
    {
      test::for_each_policy(
        [&](const auto& policy)
        {
          using policy_t = std::decay_t<decltype(policy)>;
          join_input<policy_t> input(
            ints(keys.begin(), keys.begin() + 25000), ints(keys.rbegin(), keys.rbegin() + 21000), 30000);
          for (const std::int64_t room : {100, 20000, 70000})
          {
            test::memory<policy_t, std::int32_t> out(2 * room + 1, -7);
            std::int32_t* const first = thrust::raw_pointer_cast(out.data());
            join.rows_n(
              policy, input.left(), input.left_size(), input.right(), input.right_size(), first, first + room, room,
              input.counts().at(2));
            ASSERT_GE(input.counts().value(2), 0);
            ASSERT_EQ(test::to_host(out)[2 * room], -7);
          }
        });
    });
}

TEST(JoinsN, ComparatorsEmptyCapacitiesAndBadArguments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto down = test::to_memory<policy_t>(ints{9, 7, 5, 3, 1});
      test::memory<policy_t, std::int32_t> left_out(10, -7);
      test::memory<policy_t, std::int32_t> right_out(10, -7);
      auto counts = test::to_memory<policy_t>(ints{4, 100, 100});
      mgpu::left_join_n(
        policy, down.begin(), mgpu::deferred{counts.data(), 5}, down.begin() + 2, 3, left_out.begin(),
        right_out.begin(), 3, counts.data() + 1, cuda::std::greater<>{});
      EXPECT_EQ(test::to_host(counts), (ints{4, 4, 100}));
      EXPECT_EQ(test::to_host(left_out), (ints{0, 1, 2, -7, -7, -7, -7, -7, -7, -7}));
      EXPECT_EQ(test::to_host(right_out), (ints{-1, -1, 0, -7, -7, -7, -7, -7, -7, -7}));

      // Nothing can be in the result, so nothing is read.
      const auto none = mgpu::full_join_size_n(
        policy, down.begin(), mgpu::deferred{counts.data(), 0}, down.begin(), 0, counts.data() + 2);
      EXPECT_EQ(test::to_host(counts)[2], 0);
      EXPECT_EQ(none.capacity, 0);

      // Bounds that are none; indices that an output cannot hold.
      const auto join = [&](std::int64_t capacity, std::int64_t room)
      {
        mgpu::inner_join_n(
          policy, down.begin(), mgpu::deferred{counts.data(), capacity}, down.begin(), 3, left_out.begin(),
          right_out.begin(), room, counts.data() + 2);
      };
      EXPECT_THROW(join(-1, 3), std::invalid_argument);
      EXPECT_THROW(join(5, -1), std::invalid_argument);
      test::memory<policy_t, std::int8_t> narrow(1, std::int8_t{-7});
      const auto many = test::to_memory<policy_t>(ints(200, 1));
      EXPECT_THROW(
        mgpu::inner_join_n(
          policy, many.begin(), 200, many.begin(), 1, narrow.begin(), right_out.begin(), 1, counts.data() + 2),
        std::length_error);
      EXPECT_EQ(test::to_host(counts)[2], 0);
      EXPECT_EQ(test::to_host(narrow)[0], -7);

      // A count that is too small for the number of all rows is the largest one of its type.
      test::memory<policy_t, std::int16_t> small_count(1, std::int16_t{-7});
      const auto one_row = mgpu::inner_join_n(
        policy, many.begin(), 200, many.begin(), 200, left_out.begin(), right_out.begin(), 1, small_count.begin());
      EXPECT_EQ(mgpu::read_count(policy, one_row), 1);
      EXPECT_EQ(test::to_host(small_count)[0], 32767);

      // Bounds of the number of rows saturate.
      const std::int64_t large = std::int64_t{1} << 40;
      auto zero = test::to_memory<policy_t>(ints{0, 0});
      EXPECT_EQ(
        mgpu::full_join_size_n(policy, down.begin(), mgpu::deferred{zero.data(), 5}, down.begin(), 2, zero.data() + 1)
          .capacity,
        17);
      if (!test::on_cuda<policy_t>) // where storage is for the capacities
      {
        const mgpu::deferred most{zero.data(), large};
        EXPECT_EQ(
          mgpu::inner_join_size_n(policy, down.begin(), most, down.begin(), most, zero.data() + 1).capacity,
          std::numeric_limits<std::int64_t>::max());
      }
    });
}

#if defined(__CUDACC__)

/// `copies[key]` copies of keys 0, 1, and so on, `times` times over.
ints repeated_copies(std::int64_t times, const std::vector<std::int64_t>& copies)
{
  ints keys;
  std::int32_t key = 0;
  for (std::int64_t i = 0; i < times; ++i)
  {
    for (const std::int64_t count : copies)
    {
      keys.insert(keys.end(), static_cast<std::size_t>(count), key++);
    }
  }
  return keys;
}

/// The sizes that are read, not the capacities, tell whether an input is short, and which. Outputs end within runs.
TEST(JoinsN, Needles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t ratio = mgpu::detail::sparse_needles_ratio;
  const auto check = [](const ints& left, const ints& right, std::int64_t capacity)
  {
    SCOPED_TRACE(std::to_string(left.size()) + " and " + std::to_string(right.size()));
    for_each_join_n(
      [&](auto join)
      {
        const auto expected = walk_along(join, left, right);
        const std::int64_t size = expected.size();
        test::for_each_policy(
          [&](const auto& policy)
          {
            join_input<std::decay_t<decltype(policy)>> input(left, right, capacity);
            input.check_rooms(
              policy, join, expected, {0, 1, 4097, 70000, size / 3, std::max<std::int64_t>(size - 1, 0), size});
            join.size_n(
              policy, input.left(), input.left_size(), input.right(), input.right_size(), input.counts().at(2));
            ASSERT_EQ(input.counts().value(2), size);
          });
      });
  };
  const auto check_both = [&](const ints& needles, const ints& haystack, std::int64_t capacity)
  {
    check(needles, haystack, capacity);
    check(haystack, needles, capacity);
  };
  const ints haystack = repeated_copies(500, {ratio, 3 * ratio, 0, 1, 10 * ratio - 1});
  const auto size = static_cast<std::int64_t>(haystack.size()); // 448,000
  ints needles = repeated_copies(500, {2, 1, 3, 0, 8});
  ASSERT_EQ(size, ratio * static_cast<std::int64_t>(needles.size()));
  check_both(needles, haystack, test::join_haystack_size);
  needles.push_back(needles.back()); // one too many
  check_both(needles, haystack, test::join_haystack_size);
  check_both({}, haystack, test::join_haystack_size);
  check_both({0}, haystack, test::join_haystack_size);
  check_both({1, 1, 1, 2, 2, 3}, haystack, test::join_haystack_size);
  check_both(ints(300, 1), haystack, test::join_haystack_size);
  check_both(ints(5, 5), ints(1000000, 5), test::join_haystack_size);
}

/// Capacities that guarantee that the deferred input is short; and such that leave it open. The storage is enough for
/// all smaller sizes.
TEST(JoinsN, CapacitiesOfNeedles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  ints haystack = repeated_copies(1, {5, 1000, 0, 3000});
  haystack.resize(static_cast<std::size_t>(test::join_haystack_size), 9);
  const thrust::device_vector<std::int32_t> left(haystack);
  for (const ints& needles :
       {ints{}, ints{1}, ints{0, 1, 1, 2, 2, 3}, ints(300, 3), repeated_copies(100, {1, 2, 3, 0, 4})})
  {
    SCOPED_TRACE(needles.size());
    for (const std::int64_t capacity : {std::int64_t{1000}, test::join_haystack_size})
    {
      for_each_join_n(
        [&](auto join)
        {
          SCOPED_TRACE(join.name);
          const auto expected = walk_along(join, haystack, needles);
          const std::int64_t size = expected.size();
          join_input<thrust::cuda::tag> input({}, needles, capacity);
          for (const std::int64_t room : {size, size / 2})
          {
            thrust::device_vector<std::int32_t> x(room + 1, -7);
            thrust::device_vector<std::int32_t> y(room + 1, -7);
            join.rows_n(
              thrust::device, test::raw(left), test::join_haystack_size, input.right(), input.right_size(),
              test::raw(x), test::raw(y), room, input.counts().at(2));
            ASSERT_EQ(input.counts().value(2), size);
            test::expect_rows(x, y, expected, 0, room);
          }
        });
    }
  }
}

/// Outputs with room for all rows, and the number of rows stored where a size is read.
TEST(DeviceJoinN, RoomForAllRows)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const ints left = many_equal(30000, 300, 2);
  const ints right = many_equal(30000, 200, 3);
  for_each_join_n(
    [&](auto join)
    {
      SCOPED_TRACE(join.name);
      const auto expected = walk_along(join, left, right);
      join_input<thrust::cuda::tag> input(left, right, 500000);
      thrust::device_vector<std::int32_t> x(expected.size() + 1, -7);
      thrust::device_vector<std::int32_t> y(expected.size() + 1, -7);
      test::call(
        [&](void* storage, std::size_t& bytes, cudaStream_t stream)
        {
          return join.queue_rows(
            storage, bytes, input.left(), input.left_size(), input.right(), input.right_size(), test::raw(x),
            test::raw(y), input.counts().at(0), cuda::std::less<>{}, stream);
        });
      ASSERT_EQ(input.counts().value(0), expected.size());
      test::expect_rows(x, y, expected, 0, expected.size());
    });
}

/// Rows in pieces have the sizes that were counted, though the counts are others by then.
void check_rows_in_pieces(const ints& left, const ints& right, std::int64_t capacity)
{
  for_each_join_n(
    [&](auto join)
    {
      SCOPED_TRACE(join.name);
      const auto expected = walk_along(join, left, right);
      const std::int64_t size = expected.size();
      join_input<thrust::cuda::tag> input(left, right, capacity);
      thrust::device_vector<std::int32_t> x(size + 1, -7);
      thrust::device_vector<std::int32_t> y(size + 1, -7);
      test::call(
        [&](void* storage, std::size_t& bytes, cudaStream_t stream)
        {
          cudaError_t error = join.queue_count(
            storage, bytes, input.left(), input.left_size(), input.right(), input.right_size(), input.counts().at(2),
            cuda::std::less<>{}, stream);
          if (error == cudaSuccess && storage != nullptr)
          {
            error = cudaMemsetAsync(input.counts().at(0), 0, 2 * sizeof(std::int64_t), stream);
          }
          const std::int64_t piece = size / 4 + 1;
          for (std::int64_t first = 0; error == cudaSuccess && storage != nullptr && first < size; first += piece)
          {
            error = join.queue_some(
              storage, bytes, input.left(), input.left_size(), input.right(), input.right_size(), first, piece,
              test::raw(x) + first, test::raw(y) + first, cuda::std::less<>{}, stream);
          }
          return error;
        });
      ASSERT_EQ(input.counts().value(2), size);
      test::expect_rows(x, y, expected, 0, size);
    });
}

TEST(DeviceJoinN, RowsInPieces)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_rows_in_pieces(many_equal(30000, 300, 2), many_equal(30000, 700, 3), 500000);
}

TEST(DeviceJoinN, RowsOfNeedlesInPieces)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const ints haystack = repeated_copies(500, {300, 0, 7, 1, 900});
  const ints needles = repeated_copies(500, {2, 1, 3, 0, 1});
  check_rows_in_pieces(needles, haystack, test::join_haystack_size);
  check_rows_in_pieces(haystack, needles, test::join_haystack_size);
}

/// Capacities that could have 2^64 rows, so the rows are counted first; there are some. Their number is stored where a
/// size was read, before they are written.
TEST(DeviceJoinN, FewRowsOfCapacitiesThatMayHaveTooMany)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t capacity = std::int64_t{1} << 32;
  const thrust::counting_iterator<std::int64_t> numbers(0);
  test::placed_counts<thrust::cuda::tag, std::int64_t> counts({20000, 13000});
  thrust::device_vector<std::int64_t> x(13001, -7);
  thrust::device_vector<std::int64_t> y(13001, -7);
  test::call(
    [&](void* storage, std::size_t& bytes, cudaStream_t stream)
    {
      return mgpu::DeviceJoin::Inner(
        storage, bytes, numbers + 5, mgpu::deferred{counts.at(0), capacity}, numbers,
        mgpu::deferred{counts.at(1), capacity}, test::raw(x), test::raw(y), counts.at(0), cuda::std::less<>{}, stream);
    });
  EXPECT_EQ(counts.value(0), 12995);
  const auto left = test::to_host(x);
  const auto right = test::to_host(y);
  for (std::int64_t row = 0; row < 13001; ++row)
  {
    ASSERT_EQ(left[row], row < 12995 ? row : -7);
    ASSERT_EQ(right[row], row < 12995 ? row + 5 : -7);
  }
}

/// 2^64 rows, or few after as many: the number saturates, and the first rows are written.
TEST(JoinsN, MoreRowsThan64BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = std::int64_t{1} << 32;
  const thrust::constant_iterator<std::int32_t> keys(5);
  thrust::device_vector<std::int64_t> x(101, -7);
  thrust::device_vector<std::int64_t> y(101, -7);
  test::placed_counts<thrust::cuda::tag, std::int64_t> counts({n, n});
  for_each_join_n(
    [&](auto join)
    {
      join.rows_n(
        thrust::device, keys, mgpu::deferred{counts.at(0), n + 5}, keys, n, test::raw(x), test::raw(y), 100,
        counts.at(2));
      EXPECT_EQ(counts.value(2), std::numeric_limits<std::int64_t>::max());
      const auto left = test::to_host(x);
      const auto right = test::to_host(y);
      for (std::int64_t row = 0; row < 101; ++row)
      {
        ASSERT_EQ(left[row], row < 100 ? 0 : -7);
        ASSERT_EQ(right[row], row < 100 ? row : -7);
      }
      join.size_n(thrust::device, keys, mgpu::deferred{counts.at(0), n + 5}, keys, n, counts.at(1));
      EXPECT_EQ(counts.value(1), std::numeric_limits<std::int64_t>::max());
    });
}

/// More rows of a tile than 30 bits count, of few tiles and of many; and room for the first of them.
TEST(JoinsN, ManyRowsOfOneTile)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t run : {1100000, 2200000})
  {
    const ints left = many_equal(0, 1200, 1);
    ints right = many_equal(500, run, 1);
    right.erase(right.begin(), right.begin() + 500);
    for_each_join_n(
      [&](auto join)
      {
        join_input<thrust::cuda::tag> input(left, right, run + 500);
        for (const std::int64_t room : {5000, 8192, 9000})
        {
          thrust::device_vector<std::int32_t> x(room + 1, -7);
          thrust::device_vector<std::int32_t> y(room + 1, -7);
          join.rows_n(
            thrust::device, input.left(), 1200, input.right(), input.right_size(), test::raw(x), test::raw(y), room,
            input.counts().at(2));
          ASSERT_EQ(input.counts().value(2), 1200 * run + (join.keeps_right ? 500 : 0));
          const auto got_left = test::to_host(x);
          const auto got_right = test::to_host(y);
          for (std::int64_t row = 0; row <= room; ++row)
          {
            ASSERT_EQ(got_left[row], row < room ? 0 : -7);
            ASSERT_EQ(got_right[row], row < room ? row : -7);
          }
        }
      });
  }
}

TEST(DeviceJoinN, BadArguments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::placed_counts<thrust::cuda::tag, std::int64_t> counts({0, 0});
  const std::int32_t* const keys = nullptr;
  std::int32_t* const out = nullptr;
  std::size_t bytes = 0;
  const auto query = [&](std::int64_t capacity, std::int64_t room)
  {
    return mgpu::DeviceJoin::Full(
      nullptr, bytes, keys, mgpu::deferred{counts.at(0), capacity}, keys, std::int64_t{5}, out, out, room,
      counts.at(2));
  };
  EXPECT_EQ(query(10, 0), cudaSuccess);
  EXPECT_EQ(query(-1, 10), cudaErrorInvalidValue);
  EXPECT_EQ(query(10, -1), cudaErrorInvalidValue);
  EXPECT_EQ(query(std::int64_t{1} << 50, 10), cudaErrorInvalidValue);
}

#endif

} // namespace
