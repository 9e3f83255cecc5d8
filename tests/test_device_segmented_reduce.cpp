// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// DeviceSegmentedReduce: called directly and captured into a graph; segments that span many tiles, more than 2^31 items
// and segments, bad arguments, many streams.

#include "support/device_calls.h"
#include "support/elements.h"
#include "support/segment_battery.h"
#include "support/streams.h"
#include "support/systems.h"

#include <mgpu_thrust/device/device_segmented_reduce.cuh>

#include <thrust/count.h>
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace
{

using mgpu::DeviceSegmentedReduce;
using test::raw;

/// Affine maps of the integers modulo 2^32; their composition is associative and never commutative.
template <int Words>
struct map
{
  std::uint32_t factor;
  std::uint32_t shift;
  std::uint32_t others[Words - 2]; // copies of the shift
};
template <>
struct map<2>
{
  std::uint32_t factor;
  std::uint32_t shift;
};

template <int Words>
struct chain
{
  __host__ __device__ map<Words> operator()(const map<Words>& left, const map<Words>& right) const
  {
    map<Words> both = left;
    both.factor = left.factor * right.factor;
    both.shift = left.shift * right.factor + right.shift;
    if constexpr (Words > 2)
    {
      for (std::uint32_t& other : both.others)
      {
        other = both.shift;
      }
    }
    return both;
  }
};

template <int Words>
map<Words> map_of(std::uint32_t i)
{
  map<Words> result{};
  result.factor = i * 2654435761u | 1;
  result.shift = i * 40503u + 7;
  if constexpr (Words > 2)
  {
    for (std::uint32_t& other : result.others)
    {
      other = result.shift;
    }
  }
  return result;
}

/// Reduces maps of `Words` words in segments, called directly and captured, and checks each result.
template <int Words>
void check(const test::segmentation& in)
{
  std::vector<map<Words>> items;
  for (std::int64_t i = 0; i < in.num_items; ++i)
  {
    items.push_back(map_of<Words>(static_cast<std::uint32_t>(i)));
  }
  const map<Words> init = map_of<Words>(77);
  const thrust::device_vector<map<Words>> d_items(items.begin(), items.end());
  const thrust::device_vector<std::int32_t> offsets = in.offsets_as<std::int32_t>();
  thrust::device_vector<map<Words>> out(in.num_segments());
  const auto function = [&](void* storage, std::size_t& bytes, cudaStream_t stream)
  {
    return DeviceSegmentedReduce::Reduce(
      storage, bytes, raw(d_items), in.num_items, raw(offsets), in.num_segments(), raw(out), init, chain<Words>{},
      stream);
  };
  for (const bool is_captured : {false, true})
  {
    thrust::fill(out.begin(), out.end(), map<Words>{});
    is_captured ? test::capture(function) : test::call(function);
    const std::vector<map<Words>> got(test::to_host(out));
    int wrong = 0;
    for (std::int64_t s = 0; s < in.num_segments(); ++s)
    {
      map<Words> expected = init;
      for (std::int64_t i = 0; i < in.size(s); ++i)
      {
        expected = chain<Words>{}(expected, items[in.offsets[s] + i]);
      }
      wrong += expected.factor != got[s].factor || expected.shift != got[s].shift;
    }
    ASSERT_EQ(wrong, 0) << "of " << in.num_segments() << " segments; captured: " << is_captured;
  }
  const thrust::device_vector<map<Words>> called(out);
  thrust::fill(out.begin(), out.end(), map<Words>{});
  test::call_short(
    [&](cudaStream_t stream)
    {
      return DeviceSegmentedReduce::Reduce(
        raw(d_items), in.num_items, raw(offsets), in.num_segments(), raw(out), init, chain<Words>{}, stream);
    });
  for (std::int64_t s = 0; s < in.num_segments(); s += 97)
  {
    const map<Words> got = out[s];
    const map<Words> expected = called[s];
    ASSERT_EQ(got.shift, expected.shift);
  }
}

/// Also with so many empty segments after the others that they are not reduced as a whole.
template <int Words>
void check_whole_and_in_tiles(const test::segmentation& in)
{
  check<Words>(in);
  check<Words>(test::with_empty_segments(in, mgpu::detail::whole_segments_shape<map<Words>>::max_segments + 1));
}

TEST(DeviceSegmentedReduce, CalledAndCaptured)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::lengths kind : test::all_lengths)
  {
    SCOPED_TRACE(test::name_of(kind));
    for (const std::int64_t num_items : {1, 3839, 3840, 3841, 4 * 3840 + 7, 100001})
    {
      const test::segmentation in = test::make_segmentation(kind, num_items, 1);
      check_whole_and_in_tiles<2>(in); // in shared memory
      check_whole_and_in_tiles<4>(in); // read in place
    }
  }
}

// Segments that span one tile, several, or more than one thread combines; with empty segments between them.
TEST(DeviceSegmentedReduce, SegmentsInManyTiles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t tiles : {1, 2, 31, 32, 33, 34, 600})
  {
    SCOPED_TRACE(tiles);
    const std::int64_t size = tiles * 3840;
    check_whole_and_in_tiles<2>(test::from_sizes({size}));
    check_whole_and_in_tiles<2>(test::from_sizes({0, 0, size - 1, 0, 1, size + 1, 0, 2, size, 0}));
    check_whole_and_in_tiles<4>(test::from_sizes({5, size, 0, size / 2}));
    std::vector<std::int64_t> sizes(20000, 0); // segment ends that fill a tile by themselves
    sizes[3] = size;
    sizes[19000] = size;
    check_whole_and_in_tiles<2>(test::from_sizes(sizes));
  }
}

// A segment per block; blocks share the long ones.
TEST(DeviceSegmentedReduce, SegmentPerBlock)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::vector<std::int64_t> sizes(600, 4000);
  sizes[5] = 100000;
  sizes[6] = 0;
  sizes[200] = 400000;
  check<2>(test::from_sizes(sizes));
  check<4>(test::from_sizes(sizes));
}

TEST(DeviceSegmentedReduce, BadArgumentsWriteNothing)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const thrust::device_vector<int> zeros(200, 0);
  thrust::device_vector<int> out(200, -5);
  const auto reduce = [&](void* storage, std::size_t bytes, std::int64_t n, std::int64_t m) {
    return DeviceSegmentedReduce::Reduce(storage, bytes, raw(zeros), n, raw(zeros), m, raw(out), 9, thrust::plus<>{});
  };
  std::size_t bytes = 0;
  ASSERT_EQ(
    DeviceSegmentedReduce::Reduce(nullptr, bytes, raw(zeros), 200, raw(zeros), 10, raw(out), 9, thrust::plus<>{}),
    cudaSuccess);
  thrust::device_vector<char> storage(bytes);
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  const auto bad = [&](const char* what, std::size_t storage_bytes, std::int64_t n, std::int64_t m)
  {
    SCOPED_TRACE(what);
    EXPECT_EQ(reduce(raw(storage), storage_bytes, n, m), cudaErrorInvalidValue);
  };
  bad("negative items", bytes, -1, 10);
  bad("negative segments", bytes, 10, -1);
  bad("neither", bytes, 0, -1);
  bad("no segments", bytes, 10, 0);
  bad("too many items", bytes, huge, 10);
  bad("too many segments", bytes, 10, huge);
  bad("too little storage", bytes - 1, 200, 10);
  EXPECT_EQ(test::to_host(out), std::vector<int>(200, -5));
  EXPECT_EQ(reduce(raw(storage), bytes, 0, 0), cudaSuccess);
  EXPECT_EQ(test::to_host(out), std::vector<int>(200, -5));
  EXPECT_EQ(reduce(raw(storage), bytes, 0, 200), cudaSuccess);
  EXPECT_EQ(test::to_host(out), std::vector<int>(200, 9));
}

TEST(DeviceSegmentedReduce, StorageOfAnyAlignment)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = 1000000;
  const thrust::counting_iterator<std::int64_t> numbers(0);
  thrust::device_vector<std::int64_t> out(1);
  const thrust::device_vector<int> zero(1, 0);
  std::size_t bytes = 0;
  const auto reduce = [&](void* storage)
  {
    return DeviceSegmentedReduce::Reduce(
      storage, bytes, numbers, n, raw(zero), 1, raw(out), std::int64_t{0}, thrust::plus<>{});
  };
  ASSERT_EQ(reduce(nullptr), cudaSuccess);
  thrust::device_vector<char> storage(bytes + 300);
  for (const int shift : {0, 1, 17, 255, 256})
  {
    thrust::fill(out.begin(), out.end(), -1);
    ASSERT_EQ(reduce(raw(storage) + shift), cudaSuccess);
    EXPECT_EQ(test::to_host(out)[0], n * (n - 1) / 2) << shift;
  }
}

/// Starts of segments of `length` items each.
struct in_steps
{
  std::int64_t length;
  __host__ __device__ std::int64_t operator()(std::int64_t segment) const
  {
    return segment * length;
  }
};

struct is_other
{
  std::int64_t value;
  __host__ __device__ bool operator()(std::int64_t x) const
  {
    return x != value;
  }
};

/// Returns 5 and the number of items for each segment.
thrust::device_vector<std::int64_t> count_ones(std::int64_t num_items, in_steps offsets, std::int64_t num_segments)
{
  thrust::device_vector<std::int64_t> out(num_segments, -1);
  std::size_t bytes = 0;
  const auto reduce = [&](void* storage)
  {
    return DeviceSegmentedReduce::Reduce(
      storage, bytes, thrust::constant_iterator<std::int32_t>(1), num_items,
      thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), offsets), num_segments, raw(out),
      std::int64_t{5}, thrust::plus<>{});
  };
  EXPECT_EQ(reduce(nullptr), cudaSuccess);
  thrust::device_vector<char> storage(bytes);
  EXPECT_EQ(reduce(raw(storage)), cudaSuccess);
  return out;
}

/// Counts the ones in each segment, and returns the number of results that are not `expected`.
std::int64_t count_wrong(std::int64_t num_items, in_steps offsets, std::int64_t num_segments, std::int64_t expected)
{
  const thrust::device_vector<std::int64_t> out = count_ones(num_items, offsets, num_segments);
  return thrust::count_if(out.begin(), out.end(), is_other{expected});
}

TEST(DeviceSegmentedReduce, OneSegmentOfMoreThan32Bits)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = (std::int64_t{1} << 32) + 12345;
  EXPECT_EQ(count_wrong(n, in_steps{n}, 1, n + 5), 0);
}

TEST(DeviceSegmentedReduce, MoreThan32BitsOfItemsInSegmentsOf1000)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  EXPECT_EQ(count_wrong(5000000000, in_steps{1000}, 5000000, 1005), 0);
}

// A segment per block, of which blocks share the last, of 2,502,500,000 items.
TEST(DeviceSegmentedReduce, MoreThan32BitsOfItemsOfWhichOneSegmentHasHalf)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const thrust::device_vector<std::int64_t> out = count_ones(5000000000, in_steps{5000}, 499501);
  EXPECT_EQ(thrust::count_if(out.begin(), out.end(), is_other{5005}), 1);
  EXPECT_EQ(out.back(), 2502500005);
}

TEST(DeviceSegmentedReduce, MoreThan31BitsOfSegmentsOfOneItem)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = (std::int64_t{1} << 31) + 12345;
  EXPECT_EQ(count_wrong(n, in_steps{1}, n, 6), 0);
}

TEST(DeviceSegmentedReduce, ManyHostThreadsAndStreams)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_on_many_streams(
    [](int t, cudaStream_t stream)
    {
      int wrong = 0;
      const std::int64_t length = 5 + 3000 * t;
      const std::int64_t m = 700000 / length;
      const auto offsets =
        thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), in_steps{length});
      const thrust::counting_iterator<std::int64_t> numbers(0);
      thrust::device_vector<std::int64_t> sums(m);
      cudaDeviceSynchronize(); // the stream does not wait for the vector to be filled
      std::size_t bytes = 0;
      const auto run = [&](void* storage)
      {
        return DeviceSegmentedReduce::Reduce(
          storage, bytes, numbers, m * length, offsets, m, raw(sums), std::int64_t{0}, thrust::plus<>{}, stream);
      };
      wrong += run(nullptr) != cudaSuccess;
      thrust::device_vector<char> storage(bytes);
      for (int repeat = 0; repeat < 20; ++repeat) // queued one after another, with the same storage
      {
        wrong += run(raw(storage)) != cudaSuccess;
      }
      wrong += cudaStreamSynchronize(stream) != cudaSuccess;
      const auto got = test::to_host(sums);
      for (std::int64_t s = 0; s < m; ++s)
      {
        wrong += got[s] != s * length * length + length * (length - 1) / 2;
      }
      return wrong;
    });
}

} // namespace
