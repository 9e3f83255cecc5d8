// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The kernels that a segmented reduction queues on a GPU: on both sides of each border those of the path chosen.

#include "support/captured_kernels.h"
#include "support/segmented_reduce_borders.h"
#include "support/systems.h"

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/segmented_reduce/choice.h>
#include <mgpu_thrust/detail/segmented_reduce/job.h>
#include <mgpu_thrust/detail/segmented_reduce/launch.cuh>
#include <mgpu_thrust/detail/segmented_reduce/serial.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace
{

using test::reduce_border;
using path = test::reduce_path;

/// Parts of the full name of a kernel.
using name_parts = std::vector<std::string>;

/// The kernels of a path, in their order.
std::vector<name_parts> kernels_of(path of)
{
  const name_parts cut{"::cut_kernel<", "end_bounds<"};
  const name_parts cut_tiles{"::segmented_reduce_kernel<", ", false, ", ", false>("};
  const name_parts uncut_tiles{"::segmented_reduce_kernel<", ", true, ", ", false>("};
  const name_parts uncut_tiles_or_few{"::segmented_reduce_kernel<", ", true, ", ", true>("};
  const name_parts carries{"::segmented_carry_kernel<"};
  switch (of)
  {
  case path::shared_segments:
    return {{"::whole_segments_kernel<", ", false, 8>, "}};
  case path::large_segments:
    return {{"::whole_segments_kernel<", ", true, 8>, "}};
  case path::segment_per_block:
    return {{"::segment_per_block_kernel<"}, {"::long_segments_kernel<"}};
  case path::one_tile:
    return {uncut_tiles};
  case path::few_tiles:
    return {uncut_tiles, carries};
  case path::tiles:
    return {cut, cut_tiles, carries};
  case path::planned_tiles:
    return {cut_tiles, carries};
  default:
    return {uncut_tiles_or_few, carries};
  }
}

/// Sums, whose kernels are captured and do not execute: so nothing is read.
struct plus_of_words
{
  template <class T>
  __host__ __device__ T operator()(T left, const T& right) const
  {
    left.words[0] += right.words[0];
    return left;
  }
  __host__ __device__ int operator()(int left, int right) const
  {
    return left + right;
  }
};

template <class T, class Segments>
void expect_kernels(const Segments& in, void* cuts, path chosen)
{
  T* const address = test::nowhere<T>();
  const mgpu::detail::segment_reduction reduction{static_cast<const T*>(address), address, T{}, plus_of_words{}};
  const mgpu::detail::segmented_reduce_job job(reduction, in, address, cuts);
  const auto call = [&](void* storage, std::size_t& bytes, cudaStream_t stream)
  { return mgpu::detail::enqueue(storage, bytes, job, mgpu::detail::no_count, stream); };
  const std::vector<std::string> names = test::kernels_of_call(call, test::full_name_of_kernel);
  const std::vector<name_parts> expected = kernels_of(chosen);
  ASSERT_EQ(names.size(), expected.size()) << (names.empty() ? std::string() : names[0]);
  for (std::size_t i = 0; i < names.size(); ++i)
  {
    for (const std::string& part : expected[i])
    {
      EXPECT_NE(names[i].find(part), std::string::npos) << part << " in " << names[i];
    }
  }
}

/// Calls expect(num_items, num_segments, path) for both sides of each border.
template <class Expect>
void for_both_sides(const std::vector<reduce_border>& borders, Expect expect)
{
  for (const reduce_border& border : borders)
  {
    SCOPED_TRACE(std::to_string(border.num_items) + " items in " + std::to_string(border.num_segments) + " segments");
    expect(border.num_items, border.num_segments, border.path);
    expect(border.num_items_beyond, border.num_segments_beyond, border.path_beyond);
  }
}

const int* const some_offsets = nullptr;

/// The tables are those of architectures that have clusters.
bool has_clusters()
{
  return mgpu::detail::max_cluster_blocks == 8;
}

TEST(SegmentedReducePaths, KernelsOfSmallValues)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  if (has_clusters())
  {
    for_both_sides(
      test::borders_of_4_bytes(), [](std::int64_t num_items, std::int64_t num_segments, path chosen)
      { expect_kernels<int>(mgpu::detail::make_segments_n(num_items, some_offsets, num_segments), nullptr, chosen); });
  }
}

TEST(SegmentedReducePaths, KernelsOfLargeValues)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  if (has_clusters())
  {
    for_both_sides(
      test::borders_of_40_bytes(),
      [](std::int64_t num_items, std::int64_t num_segments, path chosen)
      {
        expect_kernels<test::plain_value<40>>(
          mgpu::detail::make_segments_n(num_items, some_offsets, num_segments), nullptr, chosen);
      });
  }
}

TEST(SegmentedReducePaths, KernelsOfDeferredSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  if (has_clusters())
  {
    for_both_sides(
      test::borders_of_deferred_4_bytes(),
      [](std::int64_t num_items, std::int64_t num_segments, path chosen)
      {
        expect_kernels<int>(
          mgpu::detail::make_segments_n(
            mgpu::deferred{some_offsets, num_items}, some_offsets, mgpu::deferred{some_offsets, num_segments}),
          nullptr, chosen);
      });
  }
}

TEST(SegmentedReducePaths, KernelsOfPlans)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  if (has_clusters())
  {
    for_both_sides(
      test::borders_of_planned_4_bytes(),
      [](std::int64_t num_items, std::int64_t num_segments, path chosen)
      {
        void* const cuts = reinterpret_cast<void*>(std::uintptr_t{1} << 21);
        expect_kernels<int>(mgpu::detail::make_segments_n(num_items, some_offsets, num_segments), cuts, chosen);
      });
  }
}

} // namespace
