// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The kernels that load balancing and bulk operations queue on a GPU: on both sides of each border those of the path
// chosen.

#include "support/captured_kernels.h"
#include "support/segments_borders.h"
#include "support/systems.h"

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/bulk/job.h>
#include <mgpu_thrust/detail/bulk/launch.cuh>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/segments/job.h>
#include <mgpu_thrust/detail/segments/launch.cuh>
#include <mgpu_thrust/detail/segments/serial.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace
{

using test::segments_path;
using names = std::vector<std::string>;

template <class Job, class Count>
void expect_kernels(const Job& job, Count* count, const names& expected)
{
  const auto call = [&](void* storage, std::size_t& bytes, cudaStream_t stream)
  { return mgpu::detail::enqueue(storage, bytes, job, count, stream); };
  EXPECT_EQ(test::kernels_of_call(call), expected);
}

template <class NumItems, class NumSegments>
void expect_segments_kernels(const NumItems& num_items, const NumSegments& num_segments, segments_path chosen)
{
  const mgpu::detail::segments_job job(
    mgpu::detail::segment_transform{
      mgpu::detail::segment_number<int>{}, mgpu::detail::no_values{}, test::nowhere<int>(1)},
    mgpu::detail::make_segments_n(num_items, static_cast<const int*>(test::nowhere<int>(2)), num_segments),
    test::nowhere<int>(1));
  expect_kernels(
    job, mgpu::detail::no_count,
    chosen == segments_path::few_segments ? names{"few_segments_kernel"}
    : chosen == segments_path::tiles      ? names{"cut_kernel", "segments_kernel"}
                                          : names{"segments_kernel"});
}

TEST(SegmentsPaths, Kernels)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto expect = [](std::int64_t num_items, std::int64_t num_segments, segments_path chosen)
  {
    SCOPED_TRACE(std::to_string(num_items) + " items in " + std::to_string(num_segments) + " segments");
    expect_segments_kernels(num_items, num_segments, chosen);
    const std::int64_t* const sizes = nullptr;
    expect_segments_kernels(mgpu::deferred{sizes, num_items}, mgpu::deferred{sizes, num_segments}, chosen);
  };
  for (const test::segments_border& border : test::borders_of_segments())
  {
    expect(border.num_items, border.num_segments, border.path);
    expect(border.num_items_beyond, border.num_segments_beyond, border.path_beyond);
  }
}

/// Expects the kernels of a bulk operation, make(num_elements, num_indices), of sizes that are deferred or are not.
template <class Make, class Count, class Size>
void expect_bulk_kernels(
  Make make, Count* count, const Size& num_elements, const Size& num_indices, const names& expected)
{
  expect_kernels(mgpu::detail::bulk_job(make(num_elements, num_indices), test::nowhere<int>(1)), count, expected);
}

TEST(BulkPaths, KernelsOfRemovals)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto make = [](const auto& num_elements, const auto& num_indices)
  { return mgpu::detail::make_bulk_removal(test::nowhere<int>(2), num_elements, test::nowhere<int>(3), num_indices); };
  const std::int64_t few = test::max_uncut_removals;
  const std::int64_t num_elements = 4 * few;
  std::int64_t* const counts = nullptr;
  expect_bulk_kernels(make, mgpu::detail::no_count, num_elements, few, {"removal_kernel"});
  expect_bulk_kernels(make, mgpu::detail::no_count, num_elements, few + 1, {"cut_kernel", "removal_kernel"});
  expect_bulk_kernels(
    make, counts, mgpu::deferred{counts, num_elements}, mgpu::deferred{counts, few}, {"cut_kernel", "removal_kernel"});
}

TEST(BulkPaths, KernelsOfInsertions)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto make = [](const auto& num_elements, const auto& num_insertions)
  {
    return mgpu::detail::make_bulk_insertion(
      test::nowhere<int>(2), num_elements, test::nowhere<int>(3), test::nowhere<int>(4), num_insertions);
  };
  const std::int64_t few = 1000;
  const std::int64_t num_elements = test::max_uncut_output - few;
  expect_bulk_kernels(make, mgpu::detail::no_count, num_elements, few, {"insertion_kernel"});
  expect_bulk_kernels(make, mgpu::detail::no_count, num_elements + 1, few, {"cut_kernel", "insertion_kernel"});

  // A kernel that stores the count where it reads sizes has to be the second.
  int* const counts = test::nowhere<int>(5);
  const mgpu::deferred elements{counts, num_elements};
  const mgpu::deferred insertions{counts + 1, few};
  expect_bulk_kernels(make, counts + 2, elements, insertions, {"insertion_kernel"});
  expect_bulk_kernels(make, counts + 1, elements, insertions, {"cut_kernel", "insertion_kernel"});
}

} // namespace
