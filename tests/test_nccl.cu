// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Calls over NCCL: on all GPUs that there are, a thread and a rank each, or a process each, and on the first alone.

#include "support/nccl_processes.h"

#include <mgpu_thrust/distributed.h>
#include <mgpu_thrust/distributed/nccl_communicator.cuh>

#include <thrust/device_vector.h>
#include <thrust/system/cuda/execution_policy.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{

using gpu_pieces = std::vector<std::vector<int>>;

using test::all_gpus;
using test::from_gpu;

std::vector<int> joined(const gpu_pieces& pieces)
{
  std::vector<int> all;
  for (const std::vector<int>& piece : pieces)
  {
    all.insert(all.end(), piece.begin(), piece.end());
  }
  return all;
}

/// Random pieces: of one size, or such that rank 1 has nothing, or that rank 0 has everything.
gpu_pieces gpu_pieces_of(std::size_t num_ranks, int size, int num_keys, int placement)
{
  std::mt19937 random(3);
  gpu_pieces pieces(num_ranks);
  for (std::size_t rank = 0; rank < num_ranks; ++rank)
  {
    const bool is_empty = (placement == 1 && rank == 1) || (placement == 2 && rank > 0);
    pieces[rank].resize(is_empty ? 0 : size + static_cast<int>(rank));
    std::generate(pieces[rank].begin(), pieces[rank].end(), [&] { return static_cast<int>(random() % num_keys); });
  }
  return pieces;
}

/// What a rank gets from a sort by key of its piece, with the numbers of elements as values, from a merge of the sorted
/// keys with themselves, from an even division of this, and from a union of the keys with that, of which it has the
/// values: numbers of elements, and negative ones of the merge. And the lower bounds of the keys in the even division,
/// and their nearest rows there.
struct gpu_results
{
  std::vector<int> keys;
  std::vector<int> ids;
  std::vector<int> merged;
  std::vector<int> even;
  std::vector<int> united_ids;
  std::vector<int> bounds;
  std::vector<int> nearest;
};

struct distance_of_keys
{
  __host__ __device__ int operator()(int x, int y) const
  {
    return x < y ? y - x : x - y;
  }
};

gpu_results call_over_gpus(mgpu::nccl_communicator& communicator, const gpu_pieces& pieces)
{
  const auto exec = mgpu::over(communicator, thrust::cuda::par.on(cudaStreamPerThread));
  const auto rank = static_cast<std::size_t>(communicator.rank());
  std::size_t first_id = 0;
  for (std::size_t lower = 0; lower < rank; ++lower)
  {
    first_id += pieces[lower].size();
  }
  std::vector<int> own_ids(pieces[rank].size());
  std::iota(own_ids.begin(), own_ids.end(), static_cast<int>(first_id));
  thrust::device_vector<int> keys(pieces[rank].begin(), pieces[rank].end());
  thrust::device_vector<int> ids(own_ids.begin(), own_ids.end());
  mgpu::stable_sort_by_key(exec, keys.begin(), keys.end(), ids.begin());
  thrust::device_vector<int> merged(2 * keys.size());
  mgpu::merge(exec, keys.begin(), keys.end(), keys.begin(), keys.end(), merged.begin());
  thrust::device_vector<int> even(mgpu::rebalanced_size(exec, static_cast<std::int64_t>(merged.size())));
  mgpu::rebalance(exec, merged.begin(), merged.end(), even.begin(), static_cast<std::int64_t>(even.size()));

  const std::int64_t all = 2 * static_cast<std::int64_t>(joined(pieces).size());
  const std::int64_t share = all / communicator.size();
  const std::int64_t first_even =
    communicator.rank() * share + std::min<std::int64_t>(communicator.rank(), all % communicator.size());
  std::vector<int> own_even_ids;
  for (std::size_t i = 0; i < even.size(); ++i)
  {
    own_even_ids.push_back(-1 - static_cast<int>(first_even + static_cast<std::int64_t>(i)));
  }
  const thrust::device_vector<int> even_ids(own_even_ids.begin(), own_even_ids.end());
  thrust::device_vector<int> united(keys.size() + even.size() + 1);
  thrust::device_vector<int> united_ids(united.size());
  const auto ends = mgpu::set_union_by_key(
    exec, keys.begin(), keys.end(), even.begin(), even.end(), ids.begin(), even_ids.begin(), united.begin(),
    united_ids.begin());
  united_ids.resize(static_cast<std::size_t>(ends.second - united_ids.begin()));
  EXPECT_EQ(mgpu::set_union_size(exec, keys.begin(), keys.end(), even.begin(), even.end()), all);
  EXPECT_EQ(mgpu::set_intersection_size(exec, keys.begin(), keys.end(), even.begin(), even.end()), all / 2);
  EXPECT_TRUE(mgpu::includes(exec, even.begin(), even.end(), keys.begin(), keys.end()));

  thrust::device_vector<int> bounds(keys.size());
  mgpu::sorted_lower_bound(exec, even.begin(), even.end(), keys.begin(), keys.end(), bounds.begin());
  thrust::device_vector<int> nearest(keys.size());
  mgpu::asof_join(
    exec, keys.begin(), keys.end(), even.begin(), even.end(), nearest.begin(), mgpu::nearest(distance_of_keys{}));
  return {from_gpu(keys),       from_gpu(ids),    from_gpu(merged), from_gpu(even),
          from_gpu(united_ids), from_gpu(bounds), from_gpu(nearest)};
}

/// What one host has in place of all ranks.
gpu_results expected_of(const gpu_pieces& pieces)
{
  const std::vector<int> all = joined(pieces);
  gpu_results expected;
  expected.ids.resize(all.size());
  std::iota(expected.ids.begin(), expected.ids.end(), 0);
  std::stable_sort(expected.ids.begin(), expected.ids.end(), [&](int x, int y) { return all[x] < all[y]; });
  for (const int id : expected.ids)
  {
    expected.keys.push_back(all[id]);
    expected.merged.insert(expected.merged.end(), 2, all[id]);
  }
  expected.even = expected.merged;
  // Of c copies of a key the union has those of the sort, then the last c of 2 c in the merge.
  const std::vector<int>& keys = expected.keys;
  for (auto begin = keys.begin(); begin != keys.end();)
  {
    const auto end = std::upper_bound(begin, keys.end(), *begin);
    const auto first = static_cast<int>(begin - keys.begin());
    const auto last = static_cast<int>(end - keys.begin());
    expected.united_ids.insert(expected.united_ids.end(), expected.ids.begin() + first, expected.ids.begin() + last);
    expected.bounds.insert(expected.bounds.end(), end - begin, 2 * first);
    expected.nearest.insert(expected.nearest.end(), end - begin, 2 * last - 1); // the last copy
    for (int i = first + last; i < 2 * last; ++i)
    {
      expected.united_ids.push_back(-1 - i);
    }
    begin = end;
  }
  return expected;
}

void expect_results_over_gpus(const std::vector<int>& devices)
{
  std::vector<gpu_pieces> cases;
  for (const int num_keys : {1, 16, 1 << 30})
  {
    for (const int size : {0, 1, 300, 200000})
    {
      for (int placement = 0; placement < 3; ++placement)
      {
        cases.push_back(gpu_pieces_of(devices.size(), size, num_keys, placement));
      }
    }
    cases.push_back(gpu_pieces_of(devices.size(), 1000000, num_keys, 0));
  }
  std::vector<std::vector<gpu_results>> results(cases.size(), std::vector<gpu_results>(devices.size()));
  mgpu::run_on_gpus(
    devices,
    [&](mgpu::nccl_communicator& communicator)
    {
      for (std::size_t i = 0; i < cases.size(); ++i)
      {
        results[i][static_cast<std::size_t>(communicator.rank())] = call_over_gpus(communicator, cases[i]);
      }
    });
  for (std::size_t i = 0; i < cases.size(); ++i)
  {
    gpu_results all;
    for (std::size_t rank = 0; rank < devices.size(); ++rank)
    {
      const gpu_results& own = results[i][rank];
      ASSERT_EQ(own.keys.size(), cases[i][rank].size());
      all.keys.insert(all.keys.end(), own.keys.begin(), own.keys.end());
      all.ids.insert(all.ids.end(), own.ids.begin(), own.ids.end());
      all.merged.insert(all.merged.end(), own.merged.begin(), own.merged.end());
      all.even.insert(all.even.end(), own.even.begin(), own.even.end());
      all.united_ids.insert(all.united_ids.end(), own.united_ids.begin(), own.united_ids.end());
      all.bounds.insert(all.bounds.end(), own.bounds.begin(), own.bounds.end());
      all.nearest.insert(all.nearest.end(), own.nearest.begin(), own.nearest.end());
    }
    const gpu_results expected = expected_of(cases[i]);
    // Not ASSERT_EQ, which would print the vectors.
    ASSERT_TRUE(all.keys == expected.keys) << i;
    ASSERT_TRUE(all.ids == expected.ids) << i;
    ASSERT_TRUE(all.merged == expected.merged) << i;
    ASSERT_TRUE(all.even == expected.even) << i;
    ASSERT_TRUE(all.united_ids == expected.united_ids) << i;
    ASSERT_TRUE(all.bounds == expected.bounds) << i;
    ASSERT_TRUE(all.nearest == expected.nearest) << i;
  }
}

TEST(Nccl, ResultsOfOneGpu)
{
  if (all_gpus().empty())
  {
    GTEST_SKIP() << "no CUDA device";
  }
  expect_results_over_gpus({0});
}

TEST(Nccl, ResultsOfAllGpus)
{
  if (all_gpus().size() < 2)
  {
    GTEST_SKIP() << "no CUDA device, or one";
  }
  expect_results_over_gpus(all_gpus());
}

TEST(Nccl, RanksThatLeave)
{
  const std::vector<int> devices = all_gpus();
  if (devices.empty())
  {
    GTEST_SKIP() << "no CUDA device";
  }
  const auto nothing_to_do = [](mgpu::nccl_communicator&) {};
  EXPECT_THROW(mgpu::run_on_gpus({}, nothing_to_do), std::invalid_argument);
  EXPECT_THROW(mgpu::run_on_gpus({0, 0}, nothing_to_do), std::invalid_argument);
  EXPECT_THROW(mgpu::run_on_gpus({-1}, nothing_to_do), std::exception);
  // A rank throws, or returns, after some calls; the others wait for it.
  for (int calls = 0; calls < 4; ++calls)
  {
    const bool returns = calls % 2 == 1;
    for (const int leaving : {0, static_cast<int>(devices.size()) - 1})
    {
      const auto run = [&](mgpu::nccl_communicator& communicator)
      {
        const auto exec = mgpu::over(communicator, thrust::cuda::par);
        thrust::device_vector<int> keys(1000, communicator.rank());
        for (int call = 0; call < 2; ++call)
        {
          if (call == calls / 2 && communicator.rank() == leaving)
          {
            if (returns)
            {
              return;
            }
            throw std::logic_error("the rank that leaves");
          }
          mgpu::sort(exec, keys.begin(), keys.end());
        }
      };
      if (!returns)
      {
        EXPECT_THROW(mgpu::run_on_gpus(devices, run), std::logic_error);
      }
      else if (devices.size() > 1)
      {
        EXPECT_THROW(mgpu::run_on_gpus(devices, run), mgpu::rank_error);
      }
    }
  }
}

TEST(Nccl, ARankThatLeavesDuringAnExchange)
{
  const std::vector<int> devices = all_gpus();
  if (devices.size() < 3)
  {
    GTEST_SKIP() << "no CUDA device, or fewer than three";
  }
  // Ranks 0 and 1 abort while their kernels run, and free their memory at once.
  for (int repetition = 0; repetition < 3; ++repetition)
  {
    const auto run = [&](mgpu::nccl_communicator& communicator)
    {
      constexpr std::size_t bytes = std::size_t{1} << 30;
      const bool exchanges = communicator.rank() < 2;
      const thrust::device_vector<char> sent(exchanges ? bytes : 0);
      thrust::device_vector<char> received(sent.size());
      const auto exec = thrust::cuda::par.on(cudaStreamPerThread);
      for (int call = 0; call < 3; ++call)
      {
        communicator.group_start();
        if (exchanges)
        {
          const int peer = 1 - communicator.rank();
          communicator.send(exec, thrust::raw_pointer_cast(sent.data()), bytes, peer);
          communicator.recv(exec, thrust::raw_pointer_cast(received.data()), bytes, peer);
        }
        communicator.group_end(exec);
        if (call == repetition && communicator.rank() == 2)
        {
          throw std::logic_error("the rank that leaves");
        }
      }
    };
    EXPECT_THROW(mgpu::run_on_gpus(devices, run), std::logic_error);
  }
}

TEST(Nccl, AbortOfARank)
{
  const std::vector<int> devices = all_gpus();
  if (devices.empty())
  {
    GTEST_SKIP() << "no CUDA device";
  }
  std::atomic<int> thrown{0};
  mgpu::run_on_gpus(
    devices,
    [&](mgpu::nccl_communicator& communicator)
    {
      EXPECT_FALSE(communicator.is_aborted());
      EXPECT_NE(communicator.native_handle(), nullptr);
      EXPECT_THROW(communicator.send(thrust::cuda::par, nullptr, 1, communicator.size()), std::invalid_argument);
      if (communicator.rank() == 0)
      {
        communicator.abort();
        communicator.abort();
      }
      try
      {
        (void) mgpu::rebalanced_size(mgpu::over(communicator, thrust::cuda::par), 1);
      }
      catch (const mgpu::rank_error&)
      {
        ++thrown;
      }
      EXPECT_TRUE(communicator.is_aborted());
      EXPECT_EQ(communicator.native_handle(), nullptr);
    });
  EXPECT_EQ(thrown, static_cast<int>(devices.size()));
}

/// An allocator of storage whose n-th allocation fails.
struct gpu_memory_that_ends
{
  using value_type = char;

  int allocations_left;

  char* allocate(std::ptrdiff_t bytes)
  {
    if (allocations_left-- == 0)
    {
      throw std::bad_alloc();
    }
    char* memory = nullptr;
    return cudaMalloc(&memory, static_cast<std::size_t>(bytes) + 1) == cudaSuccess ? memory : throw std::bad_alloc();
  }
  void deallocate(char* memory, std::size_t)
  {
    cudaFree(memory);
  }
};

TEST(Nccl, ErrorsReachAllRanks)
{
  const std::vector<int> devices = all_gpus();
  if (devices.size() < 2)
  {
    GTEST_SKIP() << "no CUDA device, or one";
  }
  constexpr std::size_t kinds = 4; // a sort and a merge, of which two ranks fail
  std::vector<std::array<int, kinds>> calls_that_threw(devices.size());
  mgpu::run_on_gpus(
    devices,
    [&](mgpu::nccl_communicator& communicator)
    {
      for (int kind = 0; kind < static_cast<int>(kinds); ++kind)
      {
        const bool is_merge = kind % 2 == 1;
        const int failing = kind / 2;
        bool has_thrown = true;
        for (int allocation = 0; has_thrown; ++allocation)
        {
          ASSERT_LT(allocation, 30);
          gpu_memory_that_ends memory{communicator.rank() == failing ? allocation : -1};
          const auto exec = mgpu::over(communicator, thrust::cuda::par(memory).on(cudaStreamPerThread));
          thrust::device_vector<int> keys(100000, communicator.rank());
          const thrust::device_vector<int> lower_keys(keys.size(), -1); // all before `keys`, so elements move
          thrust::device_vector<int> out(2 * keys.size());
          has_thrown = false;
          try
          {
            if (is_merge)
            {
              mgpu::merge(exec, keys.begin(), keys.end(), lower_keys.begin(), lower_keys.end(), out.begin());
            }
            else
            {
              mgpu::sort(exec, keys.begin(), keys.end());
            }
          }
          catch (const mgpu::rank_error& error)
          {
            EXPECT_NE(communicator.rank(), failing) << error.what();
            has_thrown = true;
          }
          catch (const std::exception& error)
          {
            EXPECT_EQ(communicator.rank(), failing) << error.what();
            has_thrown = true;
          }
          calls_that_threw[static_cast<std::size_t>(communicator.rank())][static_cast<std::size_t>(kind)] += has_thrown;
          // The error was before elements moved: the communicator goes on.
          EXPECT_EQ(mgpu::rebalanced_size(mgpu::over(communicator, thrust::cuda::par), 1), 1);
        }
      }
    });
  for (const std::array<int, kinds>& calls : calls_that_threw)
  {
    EXPECT_EQ(calls, calls_that_threw[0]);
    for (const int count : calls)
    {
      EXPECT_GE(count, 1);
    }
  }
}

// ---- Communicators of the caller, which carry messages by NCCL ----

TEST(Nccl, CommunicatorOfOneRank)
{
  if (all_gpus().empty())
  {
    GTEST_SKIP() << "no CUDA device";
  }
  for (const bool is_blocking : {true, false})
  {
    ncclUniqueId id;
    ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
    const test::owned_comm owned(id, 0, 1, is_blocking);
    {
      mgpu::nccl_communicator communicator(owned.comm);
      communicator.connect();
      std::vector<int> sent(100000, 7); // more than what is reserved
      std::vector<int> received(sent.size());
      communicator.all_gather(sent.data(), received.data(), sent.size() * sizeof(int));
      EXPECT_EQ(received, sent);
      const thrust::device_vector<int> source(sent.begin(), sent.end());
      thrust::device_vector<int> target(sent.size());
      communicator.group_start();
      const std::size_t bytes = sent.size() * sizeof(int);
      communicator.send(thrust::cuda::par, thrust::raw_pointer_cast(source.data()), bytes, 0);
      communicator.recv(thrust::cuda::par, thrust::raw_pointer_cast(target.data()), bytes, 0);
      communicator.group_end(thrust::cuda::par);
      EXPECT_EQ(from_gpu(target), sent);
      const gpu_pieces pieces = gpu_pieces_of(1, 5000, 100, 0);
      EXPECT_EQ(call_over_gpus(communicator, pieces).ids, expected_of(pieces).ids);
    }
    owned.end(false);
  }
}

TEST(NcclProcess, Results)
{
  test::call_in_process(
    std::chrono::seconds(20),
    [](mgpu::nccl_communicator& communicator)
    {
      for (const int num_keys : {1, 1 << 30})
      {
        for (const int size : {300, 3000000})
        {
          const auto num_ranks = static_cast<std::size_t>(communicator.size());
          const gpu_pieces pieces = gpu_pieces_of(num_ranks, size, num_keys, num_keys > 1);
          const gpu_results own = call_over_gpus(communicator, pieces);
          const gpu_results all = expected_of(pieces);
          std::size_t begin = 0;
          for (int lower = 0; lower < communicator.rank(); ++lower)
          {
            begin += pieces[static_cast<std::size_t>(lower)].size();
          }
          const auto part = [](const std::vector<int>& of_all, std::size_t first, std::size_t count)
          { return std::vector<int>(of_all.begin() + first, of_all.begin() + first + count); };
          EXPECT_EQ(own.ids, part(all.ids, begin, own.ids.size()));
          EXPECT_EQ(own.merged, part(all.merged, 2 * begin, own.merged.size()));
        }
      }
    });
}

TEST(NcclProcess, ARankThatDoesNotCome)
{
  test::call_in_process(
    std::chrono::seconds(20),
    [](mgpu::nccl_communicator& communicator)
    {
      mgpu::nccl_communicator impatient(communicator.native_handle(), std::chrono::seconds(2));
      if (communicator.rank() == 0)
      {
        EXPECT_THROW((void) mgpu::rebalanced_size(mgpu::over(impatient, thrust::cuda::par), 1), mgpu::rank_error);
        EXPECT_TRUE(impatient.is_aborted());
      }
      else
      {
        std::this_thread::sleep_for(std::chrono::seconds(4));
        impatient.abort();
      }
      std::exit(testing::Test::HasFailure() ? 1 : 0); // `communicator` refers to what is aborted
    });
}

TEST(Nccl, RanksOfProcesses)
{
  const std::vector<int> devices = all_gpus();
  if (devices.size() < 2)
  {
    GTEST_SKIP() << "no CUDA device, or one";
  }
  const std::string results = "Results";
  const auto expect_success = [&](const std::string& name, bool is_blocking, test::nccl_links links)
  {
    for (const test::ended_process& process : test::run_processes(name, devices, is_blocking, links))
    {
      EXPECT_EQ(process.status, 0) << name << ", blocking " << is_blocking << '\n' << process.output;
      EXPECT_TRUE(name != results || !process.links.empty());
    }
  };
  for (const test::nccl_links links : {test::nccl_links::best, test::nccl_links::sockets})
  {
    expect_success(results, true, links);
    expect_success(results, false, links);
  }
  expect_success("ARankThatDoesNotCome", false, test::nccl_links::best);
}

} // namespace
