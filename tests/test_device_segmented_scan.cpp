// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// DeviceSegmentedScan: each function, called directly and captured into a graph; more than 2^31 items; bad arguments,
// storage of any alignment, many streams.

#include "support/captured_kernels.h"
#include "support/device_calls.h"
#include "support/segment_battery.h"
#include "support/streams.h"
#include "support/systems.h"

#include <mgpu_thrust/device/device_segmented_scan.cuh>

#include <thrust/count.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace
{

using mgpu::DeviceSegmentedScan;
using test::raw;

/// Starts of segments of `length` items each.
struct scans_in_steps
{
  std::int64_t length;
  __host__ __device__ std::int64_t operator()(std::int64_t segment) const
  {
    return segment * length;
  }
};
auto starts_of(std::int64_t length)
{
  return thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), scans_in_steps{length});
}

/// Whether an inclusive scan of ones in segments of `length` items has another result than the rank.
struct is_wrong_rank
{
  const std::int64_t* ranks;
  std::int64_t length;
  __host__ __device__ bool operator()(std::int64_t item) const
  {
    return ranks[item] != item % length + 1;
  }
};

/// Scans `size` ones in segments of `length`, by calls of scan(storage, bytes, result), and returns the number of wrong
/// results.
template <class Scan>
std::int64_t count_wrong_ranks(std::int64_t size, std::int64_t length, Scan scan)
{
  thrust::device_vector<std::int64_t> out(size, -1);
  std::size_t bytes = 0;
  EXPECT_EQ(scan(nullptr, bytes, raw(out)), cudaSuccess);
  thrust::device_vector<char> storage(bytes);
  EXPECT_EQ(scan(raw(storage), bytes, raw(out)), cudaSuccess);
  const thrust::counting_iterator<std::int64_t> numbers(0);
  return thrust::count_if(thrust::device, numbers, numbers + size, is_wrong_rank{raw(out), length});
}

TEST(DeviceSegmentedScan, EachFunctionCalledAndCaptured)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const thrust::plus<> plus;
  for (const std::int64_t size : {100, 2303, 2304, 2305, 1000000, 9000000})
  {
    SCOPED_TRACE(size);
    const std::int64_t length = 1009;
    const std::int64_t segments = (size + length - 1) / length;
    const thrust::constant_iterator<std::int64_t> ones(1);
    const thrust::counting_iterator<std::int64_t> numbers(0);
    thrust::device_vector<std::int64_t> out(size);
    const auto check = [&](const char* name, const auto& function)
    {
      for (const bool is_captured : {false, true})
      {
        SCOPED_TRACE(name);
        thrust::fill(out.begin(), out.end(), -1);
        is_captured ? test::capture(function) : test::call(function);
        EXPECT_EQ(thrust::count_if(thrust::device, numbers, numbers + size, is_wrong_rank{raw(out), length}), 0);
      }
    };
    check(
      "InclusiveScan",
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return DeviceSegmentedScan::InclusiveScan(
          storage, bytes, ones, size, starts_of(length), segments, raw(out), plus, stream);
      });
    thrust::fill(out.begin(), out.end(), -1);
    test::call_short(
      [&](cudaStream_t stream)
      { return DeviceSegmentedScan::InclusiveScan(ones, size, starts_of(length), segments, raw(out), plus, stream); });
    EXPECT_EQ(thrust::count_if(thrust::device, numbers, numbers + size, is_wrong_rank{raw(out), length}), 0);
    check(
      "InclusiveScanInit",
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return DeviceSegmentedScan::InclusiveScanInit(
          storage, bytes, ones, size, starts_of(length), segments, raw(out), std::int64_t{0}, plus, stream);
      });
    check(
      "ExclusiveScan",
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return DeviceSegmentedScan::ExclusiveScan(
          storage, bytes, ones, size, starts_of(length), segments, raw(out), std::int64_t{1}, plus, stream);
      });
  }
}

// The kernels of each path.
TEST(DeviceSegmentedScan, KernelsOfEachPath)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using shape = mgpu::detail::coresident_scan_shape<std::int64_t>;
  const auto kernels_of = [](std::int64_t size)
  {
    return test::kernels_of_call(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return DeviceSegmentedScan::InclusiveScan(
          storage, bytes, test::nowhere<std::int64_t>(), size, starts_of(size), 1, test::nowhere<std::int64_t>(),
          thrust::plus<>{}, stream);
      });
  };
  const std::vector<std::string> one{"segmented_scan_kernel"};
  const std::vector<std::string> two{"cut_kernel", "segmented_scan_kernel"};
  EXPECT_EQ(kernels_of(shape::cut_items - 1), one);
  EXPECT_EQ(kernels_of(100 * shape::cut_items), one);
  EXPECT_EQ(kernels_of(513 * shape::cut_items), two);
}

TEST(DeviceSegmentedScan, MoreThan32BitsOfItems)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = (std::int64_t{1} << 32) + 12345;
  for (const std::int64_t length : {size, std::int64_t{1000}})
  {
    const auto scan = [&](void* storage, std::size_t& bytes, std::int64_t* out)
    {
      return DeviceSegmentedScan::InclusiveScan(
        storage, bytes, thrust::constant_iterator<std::int64_t>(1), size, starts_of(length),
        (size + length - 1) / length, out, thrust::plus<>{});
    };
    EXPECT_EQ(count_wrong_ranks(size, length, scan), 0) << length;
  }
}

TEST(DeviceSegmentedScan, BadArgumentsWriteNothing)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const thrust::device_vector<std::int64_t> zeros(200, 0);
  thrust::device_vector<std::int64_t> out(200, -5);
  const auto scan = [&](void* storage, std::size_t bytes, std::int64_t n, std::int64_t m)
  {
    return DeviceSegmentedScan::ExclusiveScan(
      storage, bytes, raw(zeros), n, raw(zeros), m, raw(out), std::int64_t{9}, thrust::plus<>{});
  };
  std::size_t bytes = 0;
  ASSERT_EQ(
    DeviceSegmentedScan::ExclusiveScan(
      nullptr, bytes, raw(zeros), 200, raw(zeros), std::int64_t{10}, raw(out), std::int64_t{9}, thrust::plus<>{}),
    cudaSuccess);
  thrust::device_vector<char> storage(bytes);
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  const auto bad = [&](const char* what, std::size_t storage_bytes, std::int64_t n, std::int64_t m)
  {
    SCOPED_TRACE(what);
    EXPECT_EQ(scan(raw(storage), storage_bytes, n, m), cudaErrorInvalidValue);
  };
  bad("negative items", bytes, -1, 10);
  bad("negative segments", bytes, 10, -1);
  bad("no segments", bytes, 10, 0);
  bad("too many items", bytes, huge, 10);
  bad("too many segments", bytes, 10, huge);
  bad("too little storage", bytes - 1, 200, 10);
  EXPECT_EQ(scan(raw(storage), bytes, 0, 0), cudaSuccess);
  EXPECT_EQ(scan(raw(storage), bytes, 0, 200), cudaSuccess);
  EXPECT_EQ(test::to_host(out), std::vector<std::int64_t>(200, -5));
}

// Queued one after another with the same storage, which begins at any address.
TEST(DeviceSegmentedScan, ManyHostThreadsAndStreams)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_on_many_streams(
    [](int t, cudaStream_t stream)
    {
      int wrong = 0;
      const std::int64_t length = 5 + 3000 * t;
      const std::int64_t segments = 700000 / length;
      thrust::device_vector<std::int64_t> out(segments * length);
      cudaDeviceSynchronize(); // the stream does not wait for the vector to be filled
      std::size_t bytes = 0;
      const auto run = [&](void* storage)
      {
        return DeviceSegmentedScan::InclusiveScan(
          storage, bytes, thrust::constant_iterator<std::int64_t>(1), segments * length, starts_of(length), segments,
          raw(out), thrust::plus<>{}, stream);
      };
      wrong += run(nullptr) != cudaSuccess;
      thrust::device_vector<char> storage(bytes + 17);
      for (int repeat = 0; repeat < 20; ++repeat)
      {
        wrong += run(raw(storage) + repeat % 17) != cudaSuccess;
      }
      wrong += cudaStreamSynchronize(stream) != cudaSuccess;
      const auto got = test::to_host(out);
      for (std::int64_t i = 0; i < segments * length; ++i)
      {
        wrong += got[i] != i % length + 1;
      }
      return wrong;
    });
}

} // namespace
