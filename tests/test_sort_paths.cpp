// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The kernels that sorts and segmented sorts queue on a GPU: on both sides of each border those of the path chosen.

#include "support/captured_kernels.h"
#include "support/sort_borders.h"
#include "support/systems.h"

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/device/device_segmented_sort.cuh>
#include <mgpu_thrust/device/device_sort.cuh>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace
{

using mgpu::deferred;
using test::nowhere;
using names = std::vector<std::string>;

/// Appends `kernels`, `times` times.
void append(names& all, std::int64_t times, const names& kernels)
{
  for (; times > 0; --times)
  {
    all.insert(all.end(), kernels.begin(), kernels.end());
  }
}

/// The kernels of a sort of `count` keys, which are the capacity if the size is deferred.
template <class Key>
names kernels_of(std::int64_t count, bool is_deferred)
{
  const auto path =
    mgpu::detail::choose_sort<Key, 0>(count, is_deferred, test::plain_output, mgpu::detail::current_device_room()).path;
  const auto plan_of = [=](std::int64_t tile_items)
  { return mgpu::detail::merge_plan{(count + tile_items - 1) / tile_items}; };
  if (path == test::sort_path::ranks)
  {
    return {"sort_by_ranks_kernel"};
  }
  if (path == test::sort_path::coresident)
  {
    return {"sort_few_kernel"};
  }
  if (path == test::sort_path::pairwise)
  {
    names all{"block_sort_kernel"};
    append(all, plan_of(mgpu::detail::pairwise_shapes_t<Key, 0>::tile_items).levels(), {"merge_pairs_kernel"});
    return all;
  }
  const int passes = plan_of(mgpu::detail::sort_shapes_t<Key, 0>::tile_items).passes();
  names all{is_deferred ? "sort_few_kernel" : "look_for_locality_kernel", "block_sort_kernel", "merge_borders_kernel"};
  append(all, passes % 2, {"copy_tiles_kernel"});
  append(all, passes, {"cut_kernel", "merge_pass_kernel"});
  return all;
}

/// The kernels of a sort of `count` keys by offsets.
template <class Key>
names kernels_of(test::segmented_sort_path path, std::int64_t count, std::int64_t num_segments)
{
  using of = test::segmented_sort_path;
  switch (path)
  {
  case of::ranks:
    return {"sort_segments_by_ranks_kernel"};
  case of::own_tiles:
  case of::shared_tiles:
    return {"sort_segments_kernel"};
  case of::multiway_short:
    return {"cut_kernel", "block_sort_kernel", "merge_passes_kernel"};
  default:
    using shapes = mgpu::detail::sort_shapes_t<Key, 0>;
    const bool are_long = count / (shapes::tile_items - shapes::segment_step) / 4 > num_segments;
    const std::int64_t step = are_long ? shapes::tile_items : shapes::segment_step;
    names all{"cut_kernel", "block_sort_kernel"};
    append(all, mgpu::detail::merge_plan{(count + step - 1) / step}.passes(), {"cut_kernel", "merge_pass_kernel"});
    return all;
  }
}

template <class Key>
void expect_sorts(const std::vector<test::sort_case>& cases)
{
  const auto captured = [](auto size)
  {
    return test::kernels_of_call(
      [=](void* storage, std::size_t& bytes, cudaStream_t stream)
      { return mgpu::DeviceSort::SortKeys(storage, bytes, nowhere<Key>(), size, ::cuda::std::less<>{}, stream); });
  };
  for (const test::sort_case& one : cases)
  {
    SCOPED_TRACE(one.count);
    EXPECT_EQ(captured(one.count), kernels_of<Key>(one.count, false));
    EXPECT_EQ(captured(deferred{nowhere<const std::int64_t>(), one.count}), kernels_of<Key>(one.count, true));
  }
}

template <class Key>
void expect_segmented_sorts(const std::vector<test::segmented_sort_case>& cases)
{
  for (const test::segmented_sort_case& one : cases)
  {
    SCOPED_TRACE(std::to_string(one.count) + " in " + std::to_string(one.num_segments));
    if (one.num_segments == 0)
    {
      continue; // nothing is queued
    }
    const auto call = [&](void* storage, std::size_t& bytes, cudaStream_t stream)
    {
      return mgpu::DeviceSegmentedSort::SortKeys(
        storage, bytes, nowhere<Key>(), one.count, nowhere<const int>(), one.num_segments, ::cuda::std::less<>{},
        stream);
    };
    const auto chosen = mgpu::detail::choose_segmented_sort<Key, 0>(
      one.count, one.num_segments, false, true, mgpu::detail::current_device_room());
    EXPECT_EQ(test::kernels_of_call(call), kernels_of<Key>(chosen.in_segments, one.count, one.num_segments));
  }
}

TEST(SortPaths, KernelsOfSorts)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  if (mgpu::detail::max_cluster_blocks == 8) // the tables are those of architectures that have clusters
  {
    expect_sorts<int>(test::sorts_of_4_bytes());
    expect_sorts<test::large_key>(test::sorts_of_16_bytes());
  }
}

TEST(SortPaths, KernelsOfSegmentedSorts)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  expect_segmented_sorts<int>(test::segmented_sorts_of_4_bytes());
  expect_segmented_sorts<test::large_key>(test::segmented_sorts_of_16_bytes());
}

} // namespace
