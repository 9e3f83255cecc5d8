// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// DeviceMultiwayMerge: each function that folds equal keys, called directly and captured into a graph; their kernels.

#include "support/captured_kernels.h"
#include "support/device_calls.h"
#include "support/fold_battery.h"
#include "support/systems.h"

#include <mgpu_thrust/device/device_multiway_merge.cuh>

#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace
{

using mgpu::DeviceMultiwayMerge;
using test::raw;
using maps = test::affine_maps<1>;

TEST(DeviceMergeFolds, EachFunctionCalledAndCaptured)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t k : {1, 8, 30})
  {
    for (const std::int64_t size : {100, 70001, 3000000})
    {
      SCOPED_TRACE(std::to_string(size) + " in " + std::to_string(k) + " runs");
      const auto runs =
        test::with_numbers(test::make_runs(test::power_law_sizes(k, size), test::run_keys::random, 9000));
      const auto values = test::items_of<maps>(runs.num_items());
      const auto all = test::expected_folds(runs, values, test::compose{}, mgpu::keep_all{});
      const auto most = test::expected_folds(runs, values, test::compose{}, test::keeps_most{});
      const test::placed_runs<thrust::cuda::tag, std::int64_t> in(
        runs, [](std::int64_t rank) { return rank; }, -100);
      const auto placed_values = test::to_memory<thrust::cuda::tag>(values);
      std::vector<const maps*> firsts;
      for (const std::int32_t offset : runs.offsets)
      {
        firsts.push_back(raw(placed_values) + offset);
      }
      const auto value_runs = test::to_memory<thrust::cuda::tag>(firsts);
      const auto n = runs.num_items();
      thrust::device_vector<std::int64_t> keys(n);
      thrust::device_vector<maps> results(n);
      thrust::device_vector<std::uint32_t> count(1);
      const auto check = [&](const char* name, const test::folds<maps>& expected, bool writes, const auto& function)
      {
        for (const bool is_captured : {false, true})
        {
          SCOPED_TRACE(name);
          keys.assign(n, -1);
          count[0] = 77;
          is_captured ? test::capture(function) : test::call(function);
          EXPECT_EQ(count[0], expected.keys.size());
          auto got = test::to_host(keys);
          got.resize(writes ? expected.keys.size() : 0);
          EXPECT_TRUE(got == (writes ? expected.keys : std::vector<std::int64_t>{}));
        }
      };
      const auto check_values = [&](const test::folds<maps>& expected)
      {
        auto got = test::to_host(results);
        got.resize(expected.values.size());
        EXPECT_TRUE(got == expected.values);
        results.assign(n, maps(0));
      };
      const test::order_of_ranks comp;
      const test::compose op;
      const test::keeps_most keep;
      check(
        "MergeRunsReduceByKey", most, true,
        [&](void* storage, std::size_t& bytes, cudaStream_t stream)
        {
          return DeviceMultiwayMerge::MergeRunsReduceByKey(
            storage, bytes, raw(in.keys), raw(placed_values), n, raw(in.offsets), k, raw(keys), raw(results),
            raw(count), comp, op, keep, stream);
        });
      check_values(most);
      test::call_short(
        [&](cudaStream_t stream)
        {
          return DeviceMultiwayMerge::MergeRunsReduceByKey(
            raw(in.keys), raw(placed_values), n, raw(in.offsets), k, raw(keys), raw(results), raw(count), comp, op,
            keep, stream);
        });
      check_values(most);
      check(
        "MergeReduceByKey", all, true,
        [&](void* storage, std::size_t& bytes, cudaStream_t stream)
        {
          return DeviceMultiwayMerge::MergeReduceByKey(
            storage, bytes, raw(in.first_of_runs), raw(value_runs), raw(in.sizes), k, n, raw(keys), raw(results),
            raw(count), comp, op, mgpu::keep_all{}, stream);
        });
      check_values(all);
      check(
        "MergeRunsUnique", all, true,
        [&](void* storage, std::size_t& bytes, cudaStream_t stream)
        {
          return DeviceMultiwayMerge::MergeRunsUnique(
            storage, bytes, raw(in.keys), n, raw(in.offsets), k, raw(keys), raw(count), comp, stream);
        });
      check(
        "MergeUnique", all, true,
        [&](void* storage, std::size_t& bytes, cudaStream_t stream)
        {
          return DeviceMultiwayMerge::MergeUnique(
            storage, bytes, raw(in.first_of_runs), raw(in.sizes), k, n, raw(keys), raw(count), comp, stream);
        });
      check(
        "MergeRunsReduceByKeyCount", most, false,
        [&](void* storage, std::size_t& bytes, cudaStream_t stream)
        {
          return DeviceMultiwayMerge::MergeRunsReduceByKeyCount(
            storage, bytes, raw(in.keys), raw(placed_values), n, raw(in.offsets), k, raw(count), comp, op, keep,
            stream);
        });
      check(
        "MergeReduceByKeyCount", most, false,
        [&](void* storage, std::size_t& bytes, cudaStream_t stream)
        {
          return DeviceMultiwayMerge::MergeReduceByKeyCount(
            storage, bytes, raw(in.first_of_runs), raw(value_runs), raw(in.sizes), k, n, raw(count), comp, op, keep,
            stream);
        });
      check(
        "MergeRunsUniqueCount", all, false,
        [&](void* storage, std::size_t& bytes, cudaStream_t stream)
        {
          return DeviceMultiwayMerge::MergeRunsUniqueCount(
            storage, bytes, raw(in.keys), n, raw(in.offsets), k, raw(count), comp, stream);
        });
      check(
        "MergeUniqueCount", all, false,
        [&](void* storage, std::size_t& bytes, cudaStream_t stream)
        {
          return DeviceMultiwayMerge::MergeUniqueCount(
            storage, bytes, raw(in.first_of_runs), raw(in.sizes), k, n, raw(count), comp, stream);
        });
    }
  }
}

// A scan, and a cut and a kernel a pass, the last of which folds.
TEST(DeviceMergeFolds, Kernels)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using names = std::vector<std::string>;
  const auto* const keys = test::nowhere<const std::int32_t>(1);
  const auto* const offsets = test::nowhere<const std::int32_t>(2);
  auto* const out = test::nowhere<std::int32_t>(3);
  auto* const count = test::nowhere<std::int64_t>(4);
  for (const std::int64_t k : {1, 8, 9, 100})
  {
    names expected{"DeviceScanInitKernel", "DeviceScanKernel"};
    for (const std::int64_t runs : {64, 8})
    {
      if (k > runs)
      {
        expected.insert(expected.end(), {"cut_kernel", "merge_runs_kernel"});
      }
    }
    expected.insert(expected.end(), {"cut_kernel", "fold_runs_kernel"});
    EXPECT_EQ(
      test::kernels_of_call(
        [&](void* storage, std::size_t& bytes, cudaStream_t stream)
        {
          return DeviceMultiwayMerge::MergeRunsUnique(
            storage, bytes, keys, 5000, offsets, k, out, count, ::cuda::std::less<>{}, stream);
        }),
      expected);
  }
}

} // namespace
