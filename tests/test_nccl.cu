// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Merges and sorts over NCCL: on all GPUs that there are, a thread and a rank each, and on the first alone.

#include <mgpu_thrust/distributed.h>
#include <mgpu_thrust/distributed/nccl_communicator.cuh>

#include <thrust/device_vector.h>
#include <thrust/system/cuda/execution_policy.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

namespace
{

using gpu_pieces = std::vector<std::vector<int>>;

std::vector<int> all_gpus()
{
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess)
  {
    count = 0;
  }
  std::vector<int> devices(static_cast<std::size_t>(count));
  std::iota(devices.begin(), devices.end(), 0);
  return devices;
}

std::vector<int> joined(const gpu_pieces& pieces)
{
  std::vector<int> all;
  for (const std::vector<int>& piece : pieces)
  {
    all.insert(all.end(), piece.begin(), piece.end());
  }
  return all;
}

gpu_pieces pieces_of_random_keys(std::size_t num_ranks, int size, int num_keys)
{
  std::mt19937 random(3);
  gpu_pieces pieces(num_ranks);
  for (std::size_t rank = 0; rank < num_ranks; ++rank)
  {
    pieces[rank].resize(rank == 1 ? 10 : size);
    std::generate(pieces[rank].begin(), pieces[rank].end(), [&] { return static_cast<int>(random() % num_keys); });
  }
  return pieces;
}

/// Sorts pieces, merges them with themselves and divides the result evenly, and compares it with std::sort's.
void expect_results_over_nccl(const std::vector<int>& devices, int size, int num_keys)
{
  gpu_pieces keys = pieces_of_random_keys(devices.size(), size, num_keys);
  gpu_pieces sorted(devices.size());
  gpu_pieces even(devices.size());
  mgpu::run_on_gpus(
    devices,
    [&](mgpu::nccl_communicator& communicator)
    {
      const auto exec = mgpu::over(communicator, thrust::cuda::par.on(cudaStreamPerThread));
      const auto rank = static_cast<std::size_t>(communicator.rank());
      thrust::device_vector<int> mine(keys[rank].begin(), keys[rank].end());
      mgpu::sort(exec, mine.begin(), mine.end());
      thrust::device_vector<int> merged(2 * mine.size());
      mgpu::merge(exec, mine.begin(), mine.end(), mine.begin(), mine.end(), merged.begin());
      thrust::device_vector<int> out(mgpu::rebalanced_size(exec, static_cast<std::int64_t>(merged.size())));
      mgpu::rebalance(exec, merged.begin(), merged.end(), out.begin(), static_cast<std::int64_t>(out.size()));
      cudaStreamSynchronize(cudaStreamPerThread);
      sorted[rank].resize(mine.size());
      even[rank].resize(out.size());
      thrust::copy(mine.begin(), mine.end(), sorted[rank].begin());
      thrust::copy(out.begin(), out.end(), even[rank].begin());
    });
  std::vector<int> all = joined(keys);
  std::sort(all.begin(), all.end());
  ASSERT_EQ(joined(sorted), all);
  all.insert(all.end(), all.begin(), all.end());
  std::sort(all.begin(), all.end());
  ASSERT_EQ(joined(even), all);
}

TEST(Nccl, Results)
{
  const std::vector<int> devices = all_gpus();
  if (devices.empty())
  {
    GTEST_SKIP() << "no CUDA device";
  }
  for (const std::vector<int>& some : {std::vector<int>{0}, devices})
  {
    for (const int num_keys : {1, 16, 1 << 30})
    {
      expect_results_over_nccl(some, 100, num_keys);
      expect_results_over_nccl(some, 3000000, num_keys);
    }
  }
}

TEST(Nccl, Errors)
{
  const std::vector<int> devices = all_gpus();
  if (devices.empty())
  {
    GTEST_SKIP() << "no CUDA device";
  }
  const auto nothing_to_do = [](mgpu::nccl_communicator&) {};
  EXPECT_THROW(mgpu::run_on_gpus({}, nothing_to_do), std::invalid_argument);
  EXPECT_THROW(mgpu::run_on_gpus({0, 0}, nothing_to_do), std::invalid_argument);
  // The last rank leaves; the others wait for it.
  EXPECT_THROW(
    mgpu::run_on_gpus(
      devices,
      [&](mgpu::nccl_communicator& communicator)
      {
        if (communicator.rank() + 1 == communicator.size())
        {
          throw std::logic_error("the rank that leaves");
        }
        (void) mgpu::rebalanced_size(mgpu::over(communicator, thrust::cuda::par), 1);
      }),
    std::logic_error);
}

} // namespace
