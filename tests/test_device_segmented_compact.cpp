// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// DeviceSegmentedCompact, called directly and captured; the kernels that sizes choose; more than 2^31 items and
// segments.

#include "support/captured_kernels.h"
#include "support/compact_battery.h"
#include "support/device_calls.h"
#include "support/index_check.h"
#include "support/streams.h"
#include "support/systems.h"

#include <mgpu_thrust/device/device_segmented_compact.cuh>
#include <mgpu_thrust/segmented_compact.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>

#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace
{

using test::raw;
using device = mgpu::DeviceSegmentedCompact;
using compacted_tile = mgpu::detail::compact_shape<sizeof(std::int32_t)>;

/// As many items as tiles of a grid that is not co-resident on any device.
constexpr std::int64_t served_items = (mgpu::detail::max_tiles_cut_by_blocks + 1) * compacted_tile::items;

TEST(DeviceSegmentedCompact, CalledAndCaptured)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::lengths kind :
       {test::lengths::all_ones, test::lengths::mean_64, test::lengths::power_law, test::lengths::empty_run_in_middle})
  {
    for (const std::int64_t size : {std::int64_t{0}, std::int64_t{1}, std::int64_t{100003}, served_items})
    {
      SCOPED_TRACE(std::string(name_of(kind)) + " " + std::to_string(size));
      const auto in = test::make_segmentation(kind, size, 5);
      const auto host_items = test::runs_of_copies(size, 30);
      const auto expected = test::expected_compaction(
        in, host_items,
        [&](std::int64_t i, std::int64_t, bool is_first)
        { return is_first || !test::are_copies{}(host_items[i - 1], host_items[i]); });
      const thrust::device_vector<std::int32_t> items(host_items);
      const thrust::device_vector<std::int64_t> offsets(in.offsets);
      thrust::device_vector<std::int32_t> out(size);
      thrust::device_vector<std::int64_t> offsets_out(in.num_segments() + 1);
      thrust::device_vector<std::int64_t> count(1);
      for (const auto& run : {test::call, test::capture})
      {
        thrust::fill(out.begin(), out.end(), -7);
        thrust::fill(offsets_out.begin(), offsets_out.end(), -7);
        run(
          [&](void* storage, std::size_t& bytes, cudaStream_t stream)
          {
            return device::UniqueCopy(
              storage, bytes, raw(items), size, raw(offsets), in.num_segments(), raw(out), raw(offsets_out), raw(count),
              test::are_copies{}, stream);
          });
        const auto kept = static_cast<std::int64_t>(expected.items.size());
        ASSERT_EQ(count[0], kept);
        auto written = expected.items;
        written.resize(size, -7);
        ASSERT_EQ(test::to_host(out), written);
        ASSERT_EQ(test::to_host(offsets_out), expected.offsets);
      }
      thrust::fill(offsets_out.begin(), offsets_out.end(), -7);
      test::call_short(
        [&](cudaStream_t stream)
        {
          return device::UniqueCopy(
            raw(items), size, raw(offsets), in.num_segments(), raw(out), raw(offsets_out), raw(count),
            test::are_copies{}, stream);
        });
      ASSERT_EQ(test::to_host(offsets_out), expected.offsets);
    }
  }
}

TEST(DeviceSegmentedCompact, BadArgumentsWriteNothing)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  thrust::device_vector<int> ones(200, 1);
  thrust::device_vector<int> zeros(200, 0);
  thrust::device_vector<int> out(200, -5);
  thrust::device_vector<std::int8_t> offsets_out(200, -5);
  thrust::device_vector<int> count(1, -5);
  thrust::device_vector<char> storage(1 << 20);
  const auto run = [&](std::size_t bytes, std::int64_t items, std::int64_t segments)
  {
    return device::CopyIf(
      raw(storage), bytes, raw(ones), items, raw(zeros), segments, raw(out), raw(offsets_out), raw(count),
      test::keep_some{64});
  };
  EXPECT_EQ(run(storage.size(), -1, 10), cudaErrorInvalidValue);
  EXPECT_EQ(run(storage.size(), 10, -1), cudaErrorInvalidValue);
  EXPECT_EQ(run(storage.size(), 10, 0), cudaErrorInvalidValue);
  EXPECT_EQ(run(storage.size(), 128, 1), cudaErrorInvalidValue); // offsets of up to 127
  EXPECT_EQ(run(storage.size(), 1, std::numeric_limits<std::int64_t>::max()), cudaErrorInvalidValue);
  EXPECT_EQ(run(1, 10, 10), cudaErrorInvalidValue);
  EXPECT_EQ(test::to_host(out), std::vector<int>(200, -5));
  EXPECT_EQ(test::to_host(offsets_out), std::vector<std::int8_t>(200, -5));
  EXPECT_EQ(count[0], -5);
  EXPECT_EQ(run(storage.size(), 127, 1), cudaSuccess);
  EXPECT_EQ(count[0], 127);
}

TEST(DeviceSegmentedCompact, KernelsBySize)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto kernels_of = [](std::int64_t items, std::int64_t segments)
  {
    return test::kernels_of_call(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return device::CopyIf(
          storage, bytes, test::nowhere<int>(1), items, test::nowhere<int>(2), segments, test::nowhere<int>(3),
          test::nowhere<std::int64_t>(4), test::nowhere<std::int64_t>(5), test::keep_some{20}, stream);
      });
  };
  const std::int64_t most = mgpu::detail::max_coresident_tiles<compacted_tile>(mgpu::detail::current_device_room());
  const std::vector<std::string> few{"segmented_compact_kernel"};
  const std::vector<std::string> many{"cut_kernel", "segmented_compact_kernel"};
  EXPECT_EQ(kernels_of(5, 1), few);
  EXPECT_EQ(kernels_of(most * compacted_tile::items - 1, 2), few);
  EXPECT_EQ(kernels_of(most * compacted_tile::items, 1), many);
  EXPECT_EQ(kernels_of(0, most * compacted_tile::weight), few);
  EXPECT_EQ(kernels_of(0, most * compacted_tile::weight + 1), many);
}

/// Keeps every item.
struct keep_all
{
  __host__ __device__ bool operator()(std::int64_t) const
  {
    return true;
  }
};

TEST(DeviceSegmentedCompact, MoreItemsAndSegmentsThan32BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = (std::int64_t{1} << 31) + 5;
  const thrust::counting_iterator<std::int64_t> numbers(0);
  test::index_check check;
  // Segments of an item each; then one segment, and its distinct items.
  auto end = mgpu::segmented_copy_if(
    thrust::device, numbers, numbers + n, numbers, numbers + n, check.output(cuda::std::identity{}),
    thrust::make_discard_iterator(), keep_all{});
  EXPECT_EQ(end - check.output(cuda::std::identity{}), n);
  mgpu::segmented_copy_if(
    thrust::device, numbers, numbers + n, numbers, numbers + n, thrust::make_discard_iterator(),
    check.output(cuda::std::identity{}), keep_all{});
  end = mgpu::segmented_unique_copy(
    thrust::device, numbers, numbers + n, numbers, numbers + 1, check.output(cuda::std::identity{}),
    thrust::make_discard_iterator());
  EXPECT_EQ(end - check.output(cuda::std::identity{}), n);
  EXPECT_EQ(check.wrong(), 0);
}

} // namespace
