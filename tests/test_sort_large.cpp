// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// More keys than 31 and 32 bits count, on a device with enough memory; and many nearly sorted keys, few of which are
// where a shortcut could go wrong.

#include "support/systems.h"

#include <mgpu_thrust/segmented_sort.h>
#include <mgpu_thrust/sort.h>

#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/logical.h>
#include <thrust/tabulate.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace
{

/// The numbers of a type, each equally often, in a random-looking order: multiplication by an odd factor permutes them.
template <class Key>
struct scrambled
{
  MGPU_THRUST_HOST_DEVICE Key operator()(std::int64_t i) const
  {
    return static_cast<Key>((static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u) >> (64 - 8 * sizeof(Key)));
  }
};

/// Returns whether elements i and i + 1 are in order; pairs across segments of `length` elements need not be.
template <class Key>
struct is_in_order
{
  const Key* keys;
  std::int64_t length;

  MGPU_THRUST_HOST_DEVICE bool operator()(std::int64_t i) const
  {
    return keys[i] <= keys[i + 1] || (i + 1) % length == 0;
  }
};

/// Number i shifted by up to `distance`, in units of `unit`.
template <class Key>
struct nearly_in_order
{
  std::int64_t distance;
  std::int64_t unit;

  MGPU_THRUST_HOST_DEVICE Key operator()(std::int64_t i) const
  {
    return static_cast<Key>((i + scrambled<std::uint32_t>{}(i) % distance) / unit);
  }
};

/// Returns whether the value of element i is its key's original index, and below the next value if the keys are equal.
template <class Key, class KeyOf>
struct is_stable
{
  const Key* keys;
  const std::uint32_t* values;
  KeyOf key_of;

  MGPU_THRUST_HOST_DEVICE bool operator()(std::int64_t i) const
  {
    return keys[i] == key_of(values[i]) && (keys[i] != keys[i + 1] || values[i] < values[i + 1]);
  }
};

struct times
{
  std::int64_t factor;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t i) const
  {
    return factor * i;
  }
};

bool has_memory(std::size_t bytes)
{
  std::size_t free = 0;
  std::size_t total = 0;
  return cudaMemGetInfo(&free, &total) == cudaSuccess && bytes <= free;
}

#define MGPU_THRUST_TEST_NEEDS_GIGABYTES(number)                                                                       \
  do                                                                                                                   \
  {                                                                                                                    \
    MGPU_THRUST_TEST_NEEDS_DEVICE();                                                                                   \
    if (!has_memory(std::size_t{number} << 30))                                                                        \
    {                                                                                                                  \
      GTEST_SKIP() << "no device with " << (number) << " GiB of free memory";                                          \
    }                                                                                                                  \
  } while (false)

const thrust::counting_iterator<std::int64_t> numbers(0);

TEST(SortLarge, MoreKeysThan32BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_GIGABYTES(12);
  const std::int64_t size = (std::int64_t{1} << 32) + 12345;
  thrust::device_vector<std::int8_t> keys(size);
  thrust::tabulate(keys.begin(), keys.end(), scrambled<std::int8_t>{});
  std::int64_t counts[4];
  const auto count = [&](int k) { return thrust::count(keys.begin(), keys.end(), static_cast<std::int8_t>(77 * k)); };
  for (int k = 0; k < 4; ++k)
  {
    counts[k] = count(k);
  }
  mgpu::sort(thrust::device, keys.begin(), keys.end());
  EXPECT_TRUE(thrust::all_of(
    thrust::device, numbers, numbers + (size - 1),
    is_in_order<std::int8_t>{thrust::raw_pointer_cast(keys.data()), size}));
  for (int k = 0; k < 4; ++k)
  {
    EXPECT_EQ(count(k), counts[k]);
  }
}

// Keys with their indices, each of which occurs once, so only their positions are checked.
TEST(SortLarge, MorePairsThan31BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_GIGABYTES(32);
  const std::int64_t size = (std::int64_t{1} << 31) + 12345;
  thrust::device_vector<std::uint16_t> keys(size);
  thrust::device_vector<std::uint32_t> values(size);
  thrust::tabulate(keys.begin(), keys.end(), scrambled<std::uint16_t>{});
  thrust::tabulate(values.begin(), values.end(), times{1});
  mgpu::stable_sort_by_key(thrust::device, keys.begin(), keys.end(), values.begin());
  const auto* const first = thrust::raw_pointer_cast(keys.data());
  EXPECT_TRUE(thrust::all_of(thrust::device, numbers, numbers + (size - 1), is_in_order<std::uint16_t>{first, size}));
  EXPECT_TRUE(thrust::all_of(
    thrust::device, numbers, numbers + (size - 1),
    is_stable<std::uint16_t, scrambled<std::uint16_t>>{first, thrust::raw_pointer_cast(values.data()), {}}));
}

template <class Key>
void check_nearly_in_order()
{
  const std::int64_t size = (std::int64_t{1} << 21) + 12345;
  thrust::device_vector<Key> keys(size);
  thrust::device_vector<Key> keys_alone(size);
  thrust::device_vector<std::uint32_t> values(size);
  for (const std::int64_t distance : {2, 20, 50, 100, 200, 300, 500, 1000, 3000})
  {
    for (const std::int64_t unit : {1, 7, 50, 100, 300})
    {
      SCOPED_TRACE(std::to_string(distance) + " places, units of " + std::to_string(unit));
      const nearly_in_order<Key> key_of{distance, unit};
      thrust::tabulate(keys.begin(), keys.end(), key_of);
      thrust::tabulate(values.begin(), values.end(), times{1});
      keys_alone = keys;
      mgpu::stable_sort_by_key(thrust::device, keys.begin(), keys.end(), values.begin());
      const auto* const first = thrust::raw_pointer_cast(keys.data());
      EXPECT_TRUE(thrust::all_of(thrust::device, numbers, numbers + (size - 1), is_in_order<Key>{first, size}));
      EXPECT_TRUE(thrust::all_of(
        thrust::device, numbers, numbers + (size - 1),
        is_stable<Key, nearly_in_order<Key>>{first, thrust::raw_pointer_cast(values.data()), key_of}));
      mgpu::locality_sort(thrust::device, keys_alone.begin(), keys_alone.end());
      EXPECT_EQ(keys_alone, keys);
    }
  }
}

TEST(SortLarge, NearlyInOrder)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_nearly_in_order<std::int32_t>();
  check_nearly_in_order<std::int64_t>();
}

// Segments of a length that divides no other size.
TEST(SortLarge, MoreKeysInSegmentsThan31BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_GIGABYTES(128);
  const std::int64_t size = (std::int64_t{1} << 31) + 12345;
  const std::int64_t length = 100003;
  thrust::device_vector<std::uint8_t> keys(size);
  thrust::tabulate(keys.begin(), keys.end(), scrambled<std::uint8_t>{});
  const auto offsets = thrust::make_transform_iterator(numbers, times{length});
  const auto zeros = [&] { return thrust::count(keys.begin(), keys.end(), std::uint8_t{0}); };
  const auto before = zeros();
  mgpu::segmented_sort(thrust::device, keys.begin(), keys.end(), offsets, offsets + (size / length + 1));
  EXPECT_TRUE(thrust::all_of(
    thrust::device, numbers, numbers + (size - 1),
    is_in_order<std::uint8_t>{thrust::raw_pointer_cast(keys.data()), length}));
  EXPECT_EQ(zeros(), before);
}

} // namespace
