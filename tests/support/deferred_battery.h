// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The battery of sizes that may be deferred: the same for every function that takes two of them.

#include <mgpu_thrust/deferred.h>

#include "systems.h"
#if defined(__CUDACC__)
#  include "cuda_policies.h"
#  include "device_calls.h"
#  include "streams.h"
#endif

#include <thrust/fill.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace test
{

using ints = std::vector<std::int32_t>;

/// Two ranges for a call, in the memory of a policy, and its output.
struct two_ranges
{
  const std::int32_t* first;
  const std::int32_t* second;
  std::int32_t* out;
  std::int64_t room; ///< the elements that a column of the output has room for
};

/// The tests of a function that takes two sizes. A Call has
///
///   static ints input(int range, std::int64_t size)   the first or second range
///   static ints expected(first, second)               the output for two ranges; its size is the count. If the Call
///                                                     has a constant `columns`, the output has as many columns of that
///                                                     size, and each has its own room
///   static constexpr bool writes                      false if only the count is the result
///   static std::int64_t most(capacity1, capacity2)    the room of the output, and the capacity of the result; elements
///                                                     after it are not written
///   static run(policy, two_ranges, size1, size2, count)                       calls the function on a policy
///   static queue(storage, bytes, two_ranges, size1, size2, count, stream)     calls that of the device layer
///
/// If no count is stored, since a size is that of the result, the Call has a constant `result_at`, 0 for the first size
/// and 1 for the second, and run() returns that size. If no capacity bounds the count, which is then the largest number
/// of its type where that is too small, the Call has a constant `saturates`; and if the first range is what a call
/// removes, `removes`.
template <class Call>
class DeferredSizes : public testing::Test
{
};
TYPED_TEST_SUITE_P(DeferredSizes);

/// Two ranges in order that have keys in common, for the input() of a Call: 0 0 2 2 4 4 and so on, 0 0 0 4 4 4 and so
/// on.
struct ranges_of_copies
{
  static ints input(int range, std::int64_t size)
  {
    ints keys;
    for (std::int64_t i = 0; i < size; ++i)
    {
      keys.push_back(static_cast<std::int32_t>(range == 0 ? i - i % 2 : i / 3 * 4));
    }
    return keys;
  }
};

/// Returns the multiples of a number below `size`, in the memory of a policy.
template <class Policy>
memory<Policy, std::int32_t> multiples_of(int factor, int size)
{
  ints all;
  for (int i = 0; i < size; i += factor)
  {
    all.push_back(i);
  }
  return test::to_memory<Policy>(all);
}

/// Where among placed_counts the size of a Call's result is: after the two sizes, if it has a count of its own.
template <class Call, class = void>
inline constexpr int result_at = 2;
template <class Call>
inline constexpr int result_at<Call, std::void_t<decltype(Call::result_at)>> = Call::result_at;

/// The number of columns of a Call's output.
template <class Call, class = void>
inline constexpr std::int64_t columns_of = 1;
template <class Call>
inline constexpr std::int64_t columns_of<Call, std::void_t<decltype(Call::columns)>> = Call::columns;

/// Whether a Call's count has no capacity that its type must hold.
template <class Call, class = void>
inline constexpr bool saturates = false;
template <class Call>
inline constexpr bool saturates<Call, std::void_t<decltype(Call::saturates)>> = Call::saturates;

/// Whether a Call's result has fewer elements the more the first range has.
template <class Call, class = void>
inline constexpr bool removes = false;
template <class Call>
inline constexpr bool removes<Call, std::void_t<decltype(Call::removes)>> = Call::removes;

/// Numbers of elements that a count says, of ranges with a capacity.
struct two_counts
{
  std::int64_t first;
  std::int64_t second;
};

/// The first are few, so that most of the temporary storage holds no cuts of an earlier call then.
inline std::vector<two_counts> counts_of(std::int64_t capacity)
{
  const std::int64_t few = capacity / 16;
  return {
    {few, few},
    {capacity, capacity},
    {0, capacity},
    {capacity, 0},
    {0, 0},
    {1, capacity / 2},
    {few, capacity},
    {-3, capacity},
    {capacity / 3, -1},
    {capacity + 1000, few},
    {few, capacity + 1},
    {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()}};
}

inline std::int64_t clamped(std::int64_t count, std::int64_t capacity)
{
  return count < 0 ? 0 : count < capacity ? count : capacity;
}

/// The ranges and the output of a Call in the memory of a policy, and what the output must be.
template <class Policy, class Call>
class placed_ranges
{
public:
  explicit placed_ranges(std::int64_t capacity)
      : capacity_(capacity)
      , first_(Call::input(0, capacity))
      , second_(Call::input(1, capacity))
      , placed_first_(test::to_memory<Policy>(first_))
      , placed_second_(test::to_memory<Policy>(second_))
      , out_(out_size(), guard)
  {
  }
  two_ranges ranges()
  {
    return {
      thrust::raw_pointer_cast(placed_first_.data()), thrust::raw_pointer_cast(placed_second_.data()),
      thrust::raw_pointer_cast(out_.data()), room()};
  }
  /// Compares the count and the output with those of the given sizes, checks that the rest of the room is as it was,
  /// and makes it so again.
  void expect(std::int64_t count, const two_counts& counts)
  {
    const ints expected = Call::expected(
      ints(first_.begin(), first_.begin() + clamped(counts.first, capacity_)),
      ints(second_.begin(), second_.begin() + clamped(counts.second, capacity_)));
    const std::int64_t size = static_cast<std::int64_t>(expected.size()) / columns_of<Call>;
    if (result_at<Call> == 2)
    {
      ASSERT_EQ(count, size);
    }
    ints room_now(out_size(), guard);
    for (std::int64_t column = 0; Call::writes && column < columns_of<Call>; ++column)
    {
      std::copy_n(expected.begin() + column * size, std::min(size, room()), room_now.begin() + column * room());
    }
    ASSERT_EQ(test::to_host(out_), room_now);
    thrust::fill(out_.begin(), out_.end(), guard);
  }
  void expect_untouched() const
  {
    ASSERT_EQ(test::to_host(out_), ints(out_size(), guard));
  }

private:
  static constexpr std::int32_t guard = -7;

  std::int64_t room() const
  {
    return Call::most(capacity_, capacity_);
  }
  std::size_t out_size() const
  {
    return Call::writes ? static_cast<std::size_t>(columns_of<Call> * room()) + 1 : 1;
  }
  std::int64_t capacity_;
  ints first_;
  ints second_;
  memory<Policy, std::int32_t> placed_first_;
  memory<Policy, std::int32_t> placed_second_;
  memory<Policy, std::int32_t> out_;
};

/// Counts in the memory of a policy: of the two sizes, and of the result.
template <class Policy, class Count>
struct placed_counts
{
  memory<Policy, Count> memory_of_counts;

  explicit placed_counts(const two_counts& counts)
      : memory_of_counts(test::to_memory<Policy>(
        std::vector<Count>{static_cast<Count>(counts.first), static_cast<Count>(counts.second), Count{77}}))
  {
  }
  Count* at(int i)
  {
    return thrust::raw_pointer_cast(memory_of_counts.data()) + i;
  }
  std::int64_t value(int i) const
  {
    return static_cast<std::int64_t>(test::to_host(memory_of_counts)[static_cast<std::size_t>(i)]);
  }
};

/// Capacities: some tiles of every shape, and, on a GPU, nearly as many as a device executes at once, and more, of
/// which a thread cuts each; a count may leave only a few.
inline std::vector<std::int64_t> capacities()
{
#if defined(__CUDACC__)
  return {1, 5000, 100003, 2100000, 3000000};
#else
  return {1, 70001};
#endif
}

TYPED_TEST_P(DeferredSizes, CountsBelowAndAboveTheCapacity)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using call = TypeParam;
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      for (const std::int64_t capacity : capacities())
      {
        placed_ranges<policy_t, call> placed(capacity);
        for (const two_counts& counts : counts_of(capacity))
        {
          SCOPED_TRACE(
            std::to_string(counts.first) + " and " + std::to_string(counts.second) + " of " + std::to_string(capacity));
          placed_counts<policy_t, std::int64_t> in_memory(counts);
          const auto result = call::run(
            policy, placed.ranges(), mgpu::deferred{in_memory.at(0), capacity},
            mgpu::deferred{in_memory.at(1), capacity}, in_memory.at(2));
          ASSERT_EQ(result.capacity, call::most(capacity, capacity));
          ASSERT_EQ(result.count, in_memory.at(result_at<call>));
          placed.expect(in_memory.value(2), counts);
          if (this->HasFatalFailure())
          {
            return;
          }
        }
      }
    });
}

/// A count that is read where another is, one more.
struct one_more
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t count) const
  {
    return count + 1;
  }
};

TYPED_TEST_P(DeferredSizes, SizesOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using call = TypeParam;
  constexpr std::int64_t capacity = 10007; // results of three times as many elements fit std::int16_t
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      placed_ranges<policy_t, call> placed(capacity);
      const two_counts counts{10000, 400};
      placed_counts<policy_t, std::int16_t> narrow(counts);
      placed_counts<policy_t, std::uint64_t> wide(counts);

      // One size is plain.
      call::run(policy, placed.ranges(), 10000, mgpu::deferred{narrow.at(1), capacity}, narrow.at(2));
      placed.expect(narrow.value(2), counts);
      call::run(policy, placed.ranges(), mgpu::deferred{wide.at(0), capacity}, 400u, wide.at(2));
      placed.expect(wide.value(2), counts);
      // Both are.
      call::run(policy, placed.ranges(), 10000, 400, narrow.at(2));
      placed.expect(narrow.value(2), counts);
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
      // Counts of different types; iterators of several kinds.
      call::run(
        policy, placed.ranges(), mgpu::deferred{wide.memory_of_counts.begin(), capacity},
        mgpu::deferred{thrust::counting_iterator<int>(400), capacity}, wide.memory_of_counts.data() + 2);
      placed.expect(wide.value(2), counts);
      call::run(
        policy, placed.ranges(), mgpu::deferred{thrust::make_transform_iterator(narrow.at(0), one_more{}), capacity},
        mgpu::deferred{wide.at(1), capacity}, wide.at(2));
      placed.expect(wide.value(2), {10001, 400});
      // A count of 64 bits above 2^63.
      wide = placed_counts<policy_t, std::uint64_t>({-1, 400});
      call::run(policy, placed.ranges(), mgpu::deferred{wide.at(0), capacity}, 400, wide.at(2));
      placed.expect(wide.value(2), {capacity, 400});
#endif
    });
}

/// Checks that a count must be able to hold the capacity of the result.
template <class Call, class Policy>
void check_small_count(const Policy& policy)
{
  constexpr std::int64_t largest = std::numeric_limits<std::int16_t>::max();
  std::int64_t capacity = 1;
  while ((saturates<Call> ? capacity : Call::most(capacity, capacity)) <= largest)
  {
    capacity *= 2;
  }
  placed_ranges<Policy, Call> placed(capacity);
  placed_counts<Policy, std::int16_t> counts({0, 400});
  const int first = removes<Call> ? 0 : static_cast<int>(capacity);
  const mgpu::deferred second{counts.at(1), capacity};
  if constexpr (saturates<Call>)
  {
    Call::run(policy, placed.ranges(), first, second, counts.at(2));
    ASSERT_EQ(counts.value(2), largest);
  }
  else
  {
    ASSERT_THROW(Call::run(policy, placed.ranges(), first, second, counts.at(2)), std::length_error);
    ASSERT_EQ(counts.value(2), 77);
    placed.expect_untouched();
  }
#if defined(__CUDACC__)
  std::size_t bytes = 0;
  ASSERT_EQ(
    Call::queue(nullptr, bytes, placed.ranges(), first, second, counts.at(2), nullptr),
    saturates<Call> ? cudaSuccess : cudaErrorInvalidValue);
#endif
}

TYPED_TEST_P(DeferredSizes, CountsThatCannotHoldTheCapacity)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  if constexpr (result_at<TypeParam> == 2)
  {
    test::for_each_policy([](const auto& policy) { test::check_small_count<TypeParam>(policy); });
  }
}

TYPED_TEST_P(DeferredSizes, CountIsReadAndWritten)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using call = TypeParam;
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      for (const std::int64_t capacity : capacities())
      {
        placed_ranges<policy_t, call> placed(capacity);
        const two_counts counts{capacity / 2, capacity - 1};
        for (const int written : {0, 1})
        {
          placed_counts<policy_t, int> in_memory(counts);
          call::run(
            policy, placed.ranges(), mgpu::deferred{in_memory.at(0), capacity},
            mgpu::deferred{in_memory.at(1), capacity}, in_memory.at(written));
          placed.expect(in_memory.value(written), counts);
          ASSERT_EQ(in_memory.value(2), 77);
        }
      }
    });
}

#if defined(__CUDACC__)

TYPED_TEST_P(DeferredSizes, ReplayedWithOtherCounts)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using call = TypeParam;
  for (const std::int64_t capacity : capacities())
  {
    placed_ranges<thrust::cuda::tag, call> placed(capacity);
    placed_counts<thrust::cuda::tag, std::int64_t> in_memory({0, 0});
    const std::vector<two_counts> all_counts = counts_of(capacity);
    const auto set = [&](const two_counts& counts)
    {
      in_memory.memory_of_counts = std::vector<std::int64_t>{counts.first, counts.second, 77};
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    };
    test::replay(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return call::queue(
          storage, bytes, placed.ranges(), mgpu::deferred{in_memory.at(0), capacity},
          mgpu::deferred{in_memory.at(1), capacity}, in_memory.at(2), stream);
      },
      static_cast<int>(all_counts.size()), [&](int i) { set(all_counts[static_cast<std::size_t>(i)]); },
      [&](int i)
      {
        SCOPED_TRACE(std::to_string(capacity) + ", counts " + std::to_string(i));
        placed.expect(in_memory.value(2), all_counts[static_cast<std::size_t>(i)]);
      });
    if (this->HasFatalFailure())
    {
      return;
    }
  }
}

TYPED_TEST_P(DeferredSizes, NosyncDoesNotWait)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using call = TypeParam;
  constexpr std::int64_t capacity = 100000;
  placed_ranges<thrust::cuda::tag, call> placed(capacity);
  const two_counts counts{70000, 90000};
  placed_counts<thrust::cuda::tag, std::int64_t> in_memory(counts);
  test::kept_memory memory;
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  test::check_nothing_waits(
    [&](cudaStream_t stream)
    {
      test::kept_memory::allocator allocator{&memory};
      call::run(
        thrust::cuda::par_nosync(allocator).on(stream), placed.ranges(), mgpu::deferred{in_memory.at(0), capacity},
        mgpu::deferred{in_memory.at(1), capacity}, in_memory.at(2));
    });
  placed.expect(in_memory.value(2), counts);
}

// So many tiles that an earlier kernel cuts them, also where it need not read the sizes.
TYPED_TEST_P(DeferredSizes, ManyTiles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using call = TypeParam;
  constexpr std::int64_t capacity = 9000011;
  placed_ranges<thrust::cuda::tag, call> placed(capacity);
  for (const two_counts& counts : {two_counts{capacity / 16, capacity / 16}, {capacity, capacity}, {5, capacity / 3}})
  {
    for (const int written : {2, 1})
    {
      SCOPED_TRACE(std::to_string(counts.first) + " and " + std::to_string(counts.second));
      placed_counts<thrust::cuda::tag, std::int64_t> in_memory(counts);
      call::run(
        thrust::cuda::par, placed.ranges(), mgpu::deferred{in_memory.at(0), capacity},
        mgpu::deferred{in_memory.at(1), capacity}, in_memory.at(written));
      placed.expect(in_memory.value(written), counts);
      if (this->HasFatalFailure())
      {
        return;
      }
    }
  }
}

template <class Call>
__global__ void run_deferred_in_a_thread(two_ranges ranges, std::int64_t* counts, std::int64_t capacity)
{
  Call::run(thrust::seq, ranges, mgpu::deferred{counts, capacity}, mgpu::deferred{counts + 1, capacity}, counts + 2);
}

TYPED_TEST_P(DeferredSizes, CalledFromDeviceCode)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t capacity = 1000;
  placed_ranges<thrust::cuda::tag, TypeParam> placed(capacity);
  const two_counts counts{700, 1001};
  placed_counts<thrust::cuda::tag, std::int64_t> in_memory(counts);
  run_deferred_in_a_thread<TypeParam><<<1, 1>>>(placed.ranges(), in_memory.at(0), capacity);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  placed.expect(in_memory.value(2), counts);
}

REGISTER_TYPED_TEST_SUITE_P(
  DeferredSizes, CountsBelowAndAboveTheCapacity, SizesOfEveryType, CountsThatCannotHoldTheCapacity,
  CountIsReadAndWritten, ReplayedWithOtherCounts, NosyncDoesNotWait, ManyTiles, CalledFromDeviceCode);

#else

REGISTER_TYPED_TEST_SUITE_P(
  DeferredSizes, CountsBelowAndAboveTheCapacity, SizesOfEveryType, CountsThatCannotHoldTheCapacity,
  CountIsReadAndWritten);

#endif

} // namespace test
