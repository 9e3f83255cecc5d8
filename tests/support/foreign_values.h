// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Comparators and operators that count calls with values that are no elements, which memory that nobody has written,
/// or that is past the end of a range, is full of.

#include "systems.h"

#include <mgpu_thrust/detail/base/config.h>

#include <cuda/atomic>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace test
{

/// A key whose bits tell that it is an element: its rank is below 2^24, and all else follows from that.
template <int Words>
struct marked_key
{
  std::int32_t words[Words];

  static constexpr std::int32_t mark = 0x5a000000;

  MGPU_THRUST_HOST_DEVICE static marked_key from(std::int64_t rank)
  {
    marked_key key{};
    for (int w = 0; w < Words; ++w)
    {
      key.words[w] = (mark | static_cast<std::int32_t>(rank)) ^ w;
    }
    return key;
  }
  MGPU_THRUST_HOST_DEVICE bool is_element() const
  {
    bool is_one = (words[0] & 0x7f000000) == mark;
    for (int w = 1; w < Words; ++w)
    {
      is_one &= words[w] == (words[0] ^ w);
    }
    return is_one;
  }
};

/// The value of memory that holds no element: four of these bytes are no first word of a key.
inline constexpr int foreign_byte = 0x7b;

/// Counts calls with values that are no elements.
template <class Policy>
class foreign_calls
{
public:
  unsigned* counter()
  {
    return thrust::raw_pointer_cast(count_.data());
  }
  /// Expects that there were none since the last call, and leaves foreign values in shared memory for the next one.
  void expect_none(const char* function)
  {
#if defined(__CUDACC__)
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << function;
#endif
    EXPECT_EQ(test::to_host(count_)[0], 0u) << function << " calls a function with values that are no elements";
    count_[0] = 0;
    poison();
  }

  static void poison();

private:
  memory<Policy, unsigned> count_ = memory<Policy, unsigned>(1);
};

MGPU_THRUST_HOST_DEVICE inline void count_foreign(unsigned* counter)
{
  ::cuda::atomic_ref<unsigned>(*counter).fetch_add(1u, ::cuda::memory_order_relaxed);
}

/// The order of marked keys.
struct less_of_elements
{
  unsigned* foreign;

  template <class Key>
  MGPU_THRUST_HOST_DEVICE bool operator()(const Key& x, const Key& y) const
  {
    if (!x.is_element() || !y.is_element())
    {
      test::count_foreign(foreign);
    }
    return x.words[0] < y.words[0];
  }
};

/// Consecutive items of a segment, from one place to another. The place of an item is its number plus that of its
/// segment, so items of different segments are no neighbours. With four words, the last two tell that it is a range.
template <int Words>
struct item_range
{
  std::int32_t words[Words];

  MGPU_THRUST_HOST_DEVICE static item_range from(std::int32_t begin, std::int32_t end)
  {
    item_range range{};
    for (int w = 0; w < Words; ++w)
    {
      range.words[w] = (w % 2 == 0 ? begin : end) ^ w / 2;
    }
    return range;
  }
  /// What goes before the items of any segment.
  MGPU_THRUST_HOST_DEVICE static item_range init()
  {
    return from(-1, -1);
  }
  MGPU_THRUST_HOST_DEVICE std::int32_t begin() const
  {
    return words[0];
  }
  MGPU_THRUST_HOST_DEVICE std::int32_t end() const
  {
    return words[1];
  }
  friend MGPU_THRUST_HOST_DEVICE bool operator==(const item_range& x, const item_range& y)
  {
    bool are_same = true;
    for (int w = 0; w < Words; ++w)
    {
      are_same &= x.words[w] == y.words[w];
    }
    return are_same;
  }
  MGPU_THRUST_HOST_DEVICE bool is_range(std::int32_t places) const
  {
    return *this == from(begin(), end()) && 0 <= begin() && begin() < end() && end() <= places;
  }
};

/// Joins neighbours: ranges of one segment, or init and a range that begins where a segment does. Counts calls with
/// other operands.
struct join_neighbours
{
  const unsigned char* is_start; ///< by places
  std::int32_t places;
  unsigned* foreign;

  template <class Range>
  MGPU_THRUST_HOST_DEVICE Range operator()(const Range& x, const Range& y) const
  {
    const bool is_first = x == Range::init();
    if (!y.is_range(places) || (is_first ? !is_start[y.begin()] : !x.is_range(places) || x.end() != y.begin()))
    {
      test::count_foreign(foreign);
    }
    return Range::from(is_first ? y.begin() : x.begin(), y.end());
  }
};

#if defined(__CUDACC__)
namespace
{
__global__ void poison_shared_memory(int words)
{
  extern __shared__ int shared[];
  volatile int* const all = shared;
  for (int i = static_cast<int>(threadIdx.x); i < words; i += static_cast<int>(blockDim.x))
  {
    all[i] = 0x01010101 * foreign_byte;
  }
}
} // namespace
#endif

/// Fills the shared memory of all multiprocessors.
template <class Policy>
void foreign_calls<Policy>::poison()
{
#if defined(__CUDACC__)
  int bytes = 0;
  int multiprocessors = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  ASSERT_EQ(
    cudaFuncSetAttribute(poison_shared_memory, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), cudaSuccess);
  poison_shared_memory<<<4 * multiprocessors, 1024, bytes>>>(bytes / 4);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
#endif
}

/// Those of the sizes that are tested: on a CPU, where paths do not depend on sizes, no large ones.
inline std::vector<std::int64_t> foreign_sizes(std::vector<std::int64_t> sizes)
{
#if !defined(__CUDACC__)
  sizes.erase(std::remove_if(sizes.begin(), sizes.end(), [](std::int64_t size) { return size > 10000; }), sizes.end());
#endif
  return sizes;
}

/// Marked keys of ranks, and after them as many values that are no elements.
template <class Key>
std::vector<Key> marked_keys(const std::vector<std::int64_t>& ranks, std::int64_t foreign = 0)
{
  Key other;
  std::fill(std::begin(other.words), std::end(other.words), 0x01010101 * foreign_byte);
  std::vector<Key> keys;
  keys.reserve(ranks.size() + foreign);
  for (const std::int64_t rank : ranks)
  {
    keys.push_back(Key::from(rank));
  }
  keys.insert(keys.end(), foreign, other);
  return keys;
}

/// Ranks in order, each below `kinds`.
inline std::vector<std::int64_t> sorted_ranks(std::int64_t size, std::int64_t kinds, std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> ranks(size);
  std::generate(
    ranks.begin(), ranks.end(),
    [&] { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(kinds)); });
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

} // namespace test
