// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Bulk removal and insertion whose sizes are deferred: the battery, scattered indices and positions, wrong ones, and a
// chain of both.

#include "support/bulk_battery.h"
#include "support/deferred_battery.h"

#include <mgpu_thrust/bulk_n.h>
#include <mgpu_thrust/read_count.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/device/device_bulk.cuh>
#endif

#include <thrust/iterator/constant_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using test::ints;
using test::two_ranges;

/// The first range are indices, which leave out most of what is before the last of them; the second are elements.
struct removal
{
  static constexpr bool writes = true;
  static constexpr bool removes = true;

  static ints input(int range, std::int64_t size)
  {
    ints all;
    for (std::int64_t i = 0; i < size; ++i)
    {
      all.push_back(static_cast<std::int32_t>(range == 0 ? i + i / 4 : 3 * i));
    }
    return all;
  }
  static ints expected(const ints& indices, const ints& elements)
  {
    ints kept;
    for (std::size_t i = 0; i < elements.size() && indices.size() < elements.size(); ++i)
    {
      if (!std::binary_search(indices.begin(), indices.end(), static_cast<std::int32_t>(i)))
      {
        kept.push_back(elements[i]);
      }
    }
    return kept;
  }
  static std::int64_t most(std::int64_t, std::int64_t elements)
  {
    return elements;
  }
  template <class Policy, class Size1, class Size2, class Count>
  static MGPU_THRUST_HOST_DEVICE auto
  run(const Policy& policy, const two_ranges& ranges, Size1 size1, Size2 size2, Count count)
  {
    return mgpu::bulk_remove_n(policy, ranges.second, size2, ranges.first, size1, ranges.out, count);
  }
#if defined(__CUDACC__)
  template <class Size1, class Size2, class Count>
  static cudaError_t queue(
    void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 size1, Size2 size2, Count* count,
    cudaStream_t stream)
  {
    return mgpu::DeviceBulk::Remove(
      storage, bytes, ranges.second, size2, ranges.first, size1, ranges.out, count, stream);
  }
#endif
};

/// The first range are values, which are inserted at position 0, since other positions are wrong for some counts; the
/// second are elements.
struct insertion
{
  static constexpr bool writes = true;

  static ints input(int range, std::int64_t size)
  {
    ints all;
    for (std::int64_t i = 0; i < size; ++i)
    {
      all.push_back(static_cast<std::int32_t>(range == 0 ? -100 - i : 3 * i));
    }
    return all;
  }
  static ints expected(const ints& values, const ints& elements)
  {
    ints all = values;
    all.insert(all.end(), elements.begin(), elements.end());
    return all;
  }
  static std::int64_t most(std::int64_t values, std::int64_t elements)
  {
    return values + elements;
  }
  template <class Policy, class Size1, class Size2, class Count>
  static MGPU_THRUST_HOST_DEVICE auto
  run(const Policy& policy, const two_ranges& ranges, Size1 size1, Size2 size2, Count count)
  {
    return mgpu::bulk_insert_n(
      policy, ranges.second, size2, ranges.first, thrust::constant_iterator<int>(0), size1, ranges.out, count);
  }
#if defined(__CUDACC__)
  template <class Size1, class Size2, class Count>
  static cudaError_t queue(
    void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 size1, Size2 size2, Count* count,
    cudaStream_t stream)
  {
    return mgpu::DeviceBulk::Insert(
      storage, bytes, ranges.second, size2, ranges.first, thrust::constant_iterator<int>(0), size1, ranges.out, count,
      stream);
  }
#endif
};

using deferred_calls = testing::Types<removal, insertion>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(Bulk, DeferredSizes, deferred_calls);
} // namespace test

namespace
{

/// Elements and values of a test, in the memory of a policy, with room for an output, and for an element before and
/// after it.
template <class Policy>
struct bulk_memory
{
  test::memory<Policy, std::int32_t> elements;
  test::memory<Policy, std::int32_t> values;
  test::memory<Policy, std::int32_t> out;

  bulk_memory(std::int64_t num_elements, std::int64_t num_values)
      : elements(test::to_memory<Policy>(test::make_elements<std::int32_t>(num_elements, 0)))
      , values(test::to_memory<Policy>(test::make_elements<std::int32_t>(num_values, test::first_value)))
      , out(static_cast<std::size_t>(num_elements + num_values) + 2, -7)
  {
  }
  /// Compares the output with the expected one, if that is not null, and what is around its room with what was there.
  void expect(const ints* expected, std::int64_t room)
  {
    const ints now = test::to_host(out);
    ASSERT_EQ(now.front(), -7);
    ASSERT_EQ(std::count(now.begin() + room + 1, now.end(), -7), now.end() - now.begin() - room - 1);
    if (expected != nullptr)
    {
      ASSERT_EQ(ints(now.begin() + 1, now.begin() + 1 + room), *expected);
    }
    thrust::fill(out.begin(), out.end(), -7);
  }
};

/// Indices and positions anywhere, of so few and so many elements that they are cut in several ways.
TEST(BulkN, ScatteredIndices)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      for (const std::int64_t size : {1, 5000, 300007})
      {
        const std::int64_t capacity = 4 * size;
        bulk_memory<policy_t> memory(capacity, capacity);
        for (const double probability : {0.0, 0.01, 0.5, 1.0})
        {
          const ints indices = test::random_indices<std::int32_t>(size, probability, 1);
          const auto num_indices = static_cast<std::int64_t>(indices.size());
          ints more_indices = indices;
          more_indices.resize(static_cast<std::size_t>(capacity), 0);
          const auto placed = test::to_memory<policy_t>(more_indices);
          auto counts = test::to_memory<policy_t>(std::vector<std::int64_t>{size, num_indices, -1});
          const mgpu::deferred num_elements{counts.data(), capacity};
          const mgpu::deferred num_placed{counts.data() + 1, capacity};
          SCOPED_TRACE(std::to_string(num_indices) + " of " + std::to_string(size));

          const auto kept = mgpu::bulk_remove_n(
            policy, memory.elements.begin(), num_elements, placed.begin(), num_placed, memory.out.begin() + 1,
            counts.data() + 2);
          const ints expected_kept = test::expected_removal<std::int32_t>(size, indices);
          ASSERT_EQ(mgpu::read_count(policy, kept), size - num_indices);
          memory.expect(&expected_kept, size - num_indices);

          const auto all = mgpu::bulk_insert_n(
            policy, memory.elements.begin(), num_elements, memory.values.begin(), placed.begin(), num_placed,
            memory.out.begin() + 1, counts.data() + 2);
          const ints expected_all = test::expected_insertion<std::int32_t>(size, indices);
          ASSERT_EQ(mgpu::read_count(policy, all), size + num_indices);
          memory.expect(&expected_all, size + num_indices);
        }
      }
    });
}

/// Indices out of order and out of range write no element before or after the output.
TEST(BulkN, WrongIndices)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t size = 50021;
  constexpr std::int64_t num_indices = 20011;
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      bulk_memory<policy_t> memory(2 * size, 2 * size);
      auto counts = test::to_memory<policy_t>(std::vector<std::int64_t>{size, num_indices, -1});
      const mgpu::deferred num_elements{counts.data(), 2 * size};
      const mgpu::deferred num_placed{counts.data() + 1, 2 * size};
      for (const std::int64_t step : {-7, 0, 1, 12345677})
      {
        ints indices;
        for (std::int64_t i = 0; i < 2 * size; ++i)
        {
          indices.push_back(static_cast<std::int32_t>(step * (i - 40)));
        }
        const auto placed = test::to_memory<policy_t>(indices);
        mgpu::bulk_remove_n(
          policy, memory.elements.begin(), num_elements, placed.begin(), num_placed, memory.out.begin() + 1,
          counts.data() + 2);
        ASSERT_EQ(test::to_host(counts)[2], size - num_indices);
        memory.expect(nullptr, size - num_indices);
        mgpu::bulk_insert_n(
          policy, memory.elements.begin(), num_elements, memory.values.begin(), placed.begin(), num_placed,
          memory.out.begin() + 1, counts.data() + 2);
        ASSERT_EQ(test::to_host(counts)[2], size + num_indices);
        memory.expect(nullptr, size + num_indices);
      }
    });
}

TEST(BulkN, CapacitiesOfResults)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      bulk_memory<policy_t> memory(9, 9);
      const auto indices = test::to_memory<policy_t>(ints{1, 3, 4, 5, 6, 7});
      auto counts = test::to_memory<policy_t>(ints{7, 2, 100});
      const auto remove = [&](auto size, auto num_indices)
      {
        return mgpu::bulk_remove_n(
          policy, memory.elements.begin(), size, indices.begin(), num_indices, memory.out.begin() + 1,
          counts.data() + 2);
      };

      // Integers are subtracted, deferred sizes are not, as they may be 0.
      const mgpu::deferred num_elements{counts.data(), 9};
      const mgpu::deferred num_indices{counts.data() + 1, 6};
      EXPECT_EQ(remove(num_elements, num_indices).capacity, 9);
      EXPECT_EQ(remove(num_elements, 6).capacity, 3);
      EXPECT_EQ(remove(7, num_indices).capacity, 7);
      EXPECT_EQ(remove(7, 2).capacity, 5);
      const ints kept{0, 2, 4, 5, 6};
      memory.expect(&kept, 5);

      // More indices than elements leave nothing.
      EXPECT_EQ(remove(5, 6).capacity, 0);
      EXPECT_EQ(test::to_host(counts)[2], 0);
      remove(mgpu::deferred{counts.data() + 1, 9}, mgpu::deferred{counts.data(), 6});
      EXPECT_EQ(test::to_host(counts), (ints{7, 2, 0}));
      memory.expect(nullptr, 0);

      // A bound that is none.
      EXPECT_THROW(remove(mgpu::deferred{counts.data(), -1}, 0), std::invalid_argument);
    });
}

/// Values replace elements: these are removed, then the values are inserted where the first of them was.
TEST(BulkN, Chain)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t size = 30030;
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      bulk_memory<policy_t> memory(size, 100);
      test::memory<policy_t, std::int32_t> kept(size);
      const auto indices = test::to_memory<policy_t>(ints{500, 501, 502, 9000});
      const auto positions = test::to_memory<policy_t>(ints(100, 500));
      test::memory<policy_t, std::int64_t> count(1);
      const auto left =
        mgpu::bulk_remove_n(policy, memory.elements.begin(), size, indices.begin(), 4, kept.begin(), count.data());
      const auto replaced = mgpu::bulk_insert_n(
        policy, kept.begin(), left, memory.values.begin(), positions.begin(), 100, memory.out.begin() + 1,
        count.data());
      ASSERT_EQ(replaced.capacity, size + 96);
      ASSERT_EQ(mgpu::read_count(policy, replaced), size + 96);
      const ints out = test::to_host(memory.out);
      ASSERT_EQ(out[500], 499);
      ASSERT_EQ(out[501], test::first_value);
      ASSERT_EQ(out[600], test::first_value + 99);
      ASSERT_EQ(out[601], 503);
      ASSERT_EQ(out[size + 96], size - 1);
    });
}

#if defined(__CUDACC__)

/// Sizes of the device layer, without a count.
TEST(BulkN, WithoutCount)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t size = 20000;
  bulk_memory<thrust::cuda::tag> memory(size, size);
  const ints indices = test::random_indices<std::int32_t>(size, 0.5, 1);
  const auto num_indices = static_cast<std::int64_t>(indices.size());
  const thrust::device_vector<std::int32_t> placed = indices;
  const thrust::device_vector<std::int64_t> counts = std::vector<std::int64_t>{num_indices};
  const mgpu::deferred num_placed{test::raw(counts), size};
  test::capture(
    [&](void* storage, std::size_t& bytes, cudaStream_t stream)
    {
      return mgpu::DeviceBulk::Remove(
        storage, bytes, test::raw(memory.elements), size, test::raw(placed), num_placed, test::raw(memory.out) + 1,
        stream);
    });
  const ints expected_kept = test::expected_removal<std::int32_t>(size, indices);
  memory.expect(&expected_kept, size - num_indices);
  test::capture(
    [&](void* storage, std::size_t& bytes, cudaStream_t stream)
    {
      return mgpu::DeviceBulk::Insert(
        storage, bytes, test::raw(memory.elements), size, test::raw(memory.values), test::raw(placed), num_placed,
        test::raw(memory.out) + 1, stream);
    });
  const ints expected_all = test::expected_insertion<std::int32_t>(size, indices);
  memory.expect(&expected_all, size + num_indices);
}

#endif

} // namespace
