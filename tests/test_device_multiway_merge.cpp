// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// DeviceMultiwayMerge: each function, called directly and captured into a graph; bad arguments, storage of any
// alignment, many streams; the kernels of each path.

#include "support/captured_kernels.h"
#include "support/device_calls.h"
#include "support/runs_battery.h"
#include "support/streams.h"
#include "support/systems.h"

#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/multiway_merge/choice.h>
#include <mgpu_thrust/device/device_multiway_merge.cuh>
#include <mgpu_thrust/device/device_sort.cuh>

#include <thrust/iterator/counting_iterator.h>

#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace
{

using mgpu::DeviceMultiwayMerge;
using test::raw;
using device_runs = test::placed_runs<thrust::cuda::tag, std::int32_t>;

std::int32_t key_of_rank(std::int64_t rank)
{
  return static_cast<std::int32_t>(rank);
}

TEST(DeviceMultiwayMerge, EachFunctionCalledAndCaptured)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t k : {1, 5, 8, 30, 2000})
  {
    for (const std::int64_t size : {100, 70001, 3000000})
    {
      SCOPED_TRACE(std::to_string(size) + " in " + std::to_string(k) + " runs");
      const auto runs = test::make_runs(test::power_law_sizes(k, size), test::run_keys::random, 10000);
      const auto order = runs.merged();
      std::vector<std::int32_t> keys;
      std::vector<std::int32_t> numbers;
      std::vector<std::int32_t> positions;
      for (const std::int32_t i : order)
      {
        keys.push_back(key_of_rank(runs.ranks[i]));
        const auto run = std::upper_bound(runs.offsets.begin(), runs.offsets.end(), i) - 1;
        numbers.push_back(static_cast<std::int32_t>(run - runs.offsets.begin()));
        positions.push_back(i - *run);
      }
      const device_runs in(runs, key_of_rank, -100);
      const auto n = runs.num_items();
      thrust::device_vector<std::int32_t> out(n);
      thrust::device_vector<std::int32_t> more(n);
      const auto check = [&](const char* name, const auto& first, const auto& second, const auto& function)
      {
        for (const bool is_captured : {false, true})
        {
          SCOPED_TRACE(name);
          out.assign(n, -1);
          more.assign(n, -1);
          is_captured ? test::capture(function) : test::call(function);
          EXPECT_TRUE(test::to_host(out) == first);
          EXPECT_TRUE(second.empty() || test::to_host(more) == second);
        }
      };
      const ::cuda::std::less<> comp;
      const std::vector<std::int32_t> nothing;
      const thrust::counting_iterator<std::int32_t> values(0);
      check(
        "MergeRunsKeys", keys, nothing,
        [&](void* storage, std::size_t& bytes, cudaStream_t stream)
        {
          return DeviceMultiwayMerge::MergeRunsKeys(
            storage, bytes, raw(in.keys), n, raw(in.offsets), k, raw(out), comp, stream);
        });
      out.assign(n, -1);
      test::call_short(
        [&](cudaStream_t stream)
        { return DeviceMultiwayMerge::MergeRunsKeys(raw(in.keys), n, raw(in.offsets), k, raw(out), comp, stream); });
      EXPECT_TRUE(test::to_host(out) == keys);
      check(
        "MergeRunsPairs", keys, order,
        [&](void* storage, std::size_t& bytes, cudaStream_t stream)
        {
          return DeviceMultiwayMerge::MergeRunsPairs(
            storage, bytes, raw(in.keys), values, n, raw(in.offsets), k, raw(out), raw(more), comp, stream);
        });
      check(
        "MergeRunsIndices", order, nothing,
        [&](void* storage, std::size_t& bytes, cudaStream_t stream)
        {
          return DeviceMultiwayMerge::MergeRunsIndices(
            storage, bytes, raw(in.keys), n, raw(in.offsets), k, raw(out), comp, stream);
        });
      check(
        "MergeKeys", keys, nothing,
        [&](void* storage, std::size_t& bytes, cudaStream_t stream)
        {
          return DeviceMultiwayMerge::MergeKeys(
            storage, bytes, raw(in.first_of_runs), raw(in.sizes), k, n, raw(out), comp, stream);
        });
      check( // the values are the keys themselves
        "MergePairs", keys, keys,
        [&](void* storage, std::size_t& bytes, cudaStream_t stream)
        {
          return DeviceMultiwayMerge::MergePairs(
            storage, bytes, raw(in.first_of_runs), raw(in.first_of_runs), raw(in.sizes), k, n, raw(out), raw(more),
            comp, stream);
        });
      check(
        "MergeIndices", numbers, positions,
        [&](void* storage, std::size_t& bytes, cudaStream_t stream)
        {
          return DeviceMultiwayMerge::MergeIndices(
            storage, bytes, raw(in.first_of_runs), raw(in.sizes), k, n, raw(out), raw(more), comp, stream);
        });
    }
  }
}

TEST(DeviceMultiwayMerge, BadArgumentsWriteNothing)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const thrust::device_vector<std::int64_t> zeros(200, 0);
  thrust::device_vector<std::int64_t> out(200, -5);
  std::size_t bytes = 0;
  ASSERT_EQ(
    DeviceMultiwayMerge::MergeRunsKeys(nullptr, bytes, raw(zeros), 200, raw(zeros), std::int64_t{10}, raw(out)),
    cudaSuccess);
  thrust::device_vector<char> storage(bytes);
  const auto merge = [&](std::size_t storage_bytes, std::int64_t n, std::int64_t k)
  { return DeviceMultiwayMerge::MergeRunsKeys(raw(storage), storage_bytes, raw(zeros), n, raw(zeros), k, raw(out)); };
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  const auto bad = [&](const char* what, std::size_t storage_bytes, std::int64_t n, std::int64_t k)
  {
    SCOPED_TRACE(what);
    EXPECT_EQ(merge(storage_bytes, n, k), cudaErrorInvalidValue);
  };
  bad("negative items", bytes, -1, 10);
  bad("negative runs", bytes, 10, -1);
  bad("no runs", bytes, 10, 0);
  bad("too many items", bytes, huge, 10);
  bad("too many runs", bytes, 10, huge);
  bad("too little storage", bytes - 1, 200, 10);
  EXPECT_EQ(merge(bytes, 0, 0), cudaSuccess);
  EXPECT_EQ(test::to_host(out), std::vector<std::int64_t>(200, -5));
}

// Queued one after another with the same storage, which begins at any address.
TEST(DeviceMultiwayMerge, ManyHostThreadsAndStreams)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_on_many_streams(
    [](int t, cudaStream_t stream)
    {
      int wrong = 0;
      const auto runs = test::make_runs(test::power_law_sizes(3 + 20 * t, 300000), test::run_keys::random);
      const device_runs in(runs, key_of_rank, -100);
      const auto n = runs.num_items();
      thrust::device_vector<std::int32_t> out(n);
      cudaDeviceSynchronize(); // the stream does not wait for the vectors to be filled
      std::size_t bytes = 0;
      const auto run = [&](void* storage)
      {
        return DeviceMultiwayMerge::MergeRunsIndices(
          storage, bytes, raw(in.keys), n, raw(in.offsets), runs.num_runs(), raw(out), ::cuda::std::less<>{}, stream);
      };
      wrong += run(nullptr) != cudaSuccess;
      thrust::device_vector<char> storage(bytes + 17);
      for (int repeat = 0; repeat < 20; ++repeat)
      {
        wrong += run(raw(storage) + repeat % 17) != cudaSuccess;
      }
      wrong += cudaStreamSynchronize(stream) != cudaSuccess;
      wrong += test::to_host(out) != runs.merged();
      return wrong;
    });
}

// On both sides of borders: a sort, or a scan and the passes over given runs. Runs in buffers of their own need the
// scan for a sort too; the first pass reads them where they are.
TEST(DeviceMultiwayMerge, KernelsOfPaths)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using names = std::vector<std::string>;
  using mgpu::detail::multiway_merge_path;
  using key = std::int32_t;
  const ::cuda::std::less<> comp;
  const auto* const keys = test::nowhere<const key>(1);
  const auto* const numbers = test::nowhere<const std::int32_t>(2);
  const auto* const runs = test::nowhere<const key* const>(3);
  auto* const out = test::nowhere<key>(4);
  const names scan{"DeviceScanInitKernel", "DeviceScanKernel"};
  struct sizes
  {
    std::int64_t items;
    std::int64_t runs;
    multiway_merge_path path;
  };
  const std::int64_t few = std::int64_t{1} << 20;
  for (const sizes& one : std::vector<sizes>{
         {4096, 8, multiway_merge_path::sorted},
         {few, 64, multiway_merge_path::sorted},
         {few + 1, 1, multiway_merge_path::merged},
         {few + 1, 8, multiway_merge_path::merged},
         {2 * few, 9, multiway_merge_path::merged},
         {2 * few, 512, multiway_merge_path::merged},
         {2 * few, 513, multiway_merge_path::sorted},
         {128 * few, 131072, multiway_merge_path::merged},
         {128 * few, 131073, multiway_merge_path::sorted}})
  {
    SCOPED_TRACE(std::to_string(one.items) + " in " + std::to_string(one.runs) + " runs");
    EXPECT_EQ((mgpu::detail::choose_multiway_merge<key, 0>(one.items, one.runs).path), one.path);
    names of_path =
      test::kernels_of_call([&](void* storage, std::size_t& bytes, cudaStream_t stream)
                            { return mgpu::DeviceSort::StableSortKeys(storage, bytes, out, one.items, comp, stream); });
    names of_range = of_path;
    if (one.path == multiway_merge_path::merged)
    {
      of_path.clear();
      for (int pass = std::max(mgpu::detail::merge_plan{one.runs}.passes(), 1); pass > 0; --pass)
      {
        of_path.insert(of_path.end(), {"cut_kernel", "merge_runs_kernel"});
      }
      of_range = scan;
      of_range.insert(of_range.end(), of_path.begin(), of_path.end());
    }
    names of_buffers = scan;
    of_buffers.insert(of_buffers.end(), of_path.begin(), of_path.end());
    EXPECT_EQ(
      test::kernels_of_call(
        [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
          return DeviceMultiwayMerge::MergeRunsKeys(
            storage, bytes, keys, one.items, numbers, one.runs, out, comp, stream);
        }),
      of_range);
    EXPECT_EQ(
      test::kernels_of_call(
        [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
          return DeviceMultiwayMerge::MergeKeys(storage, bytes, runs, numbers, one.runs, one.items, out, comp, stream);
        }),
      of_buffers);
  }
}

} // namespace
