// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The short form of device functions: the stream of an environment, and its memory, which is freed.

#include "support/device_calls.h"
#include "support/systems.h"

#include <mgpu_thrust/detail/execute/with_storage.cuh>
#include <mgpu_thrust/device/device_bulk.cuh>
#include <mgpu_thrust/device/device_window_reduce.cuh>

#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>

#include <cuda/std/functional>
#include <cuda/stream_ref>

#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <numeric>
#include <vector>

#if MGPU_THRUST_HAS_CCCL_ENVIRONMENTS
#  include <cuda/memory_resource>
#  include <cuda/std/execution>
#endif

namespace
{

using test::raw;

/// 5 + the sum of the items up to each one. Pointers to char and a variable for the size could be the arguments of a
/// two-phase call.
struct sums_of_chars
{
  static constexpr int rows = 100000;
  thrust::device_vector<char> items = thrust::device_vector<char>(rows, 1);
  thrust::device_vector<int> out = thrust::device_vector<int>(rows, -1);

  template <class... Env>
  cudaError_t call(const Env&... op_and_env)
  {
    std::size_t size = rows;
    const thrust::constant_iterator<int> begins(0);
    const thrust::counting_iterator<int> ends(1);
    return mgpu::DeviceWindowReduce::Reduce(raw(items), size, begins, rows, ends, raw(out), 5, op_and_env...);
  }
  void check(int item)
  {
    std::vector<int> expected(rows, item);
    expected[0] += 5;
    std::partial_sum(expected.begin(), expected.end(), expected.begin());
    ASSERT_EQ(test::to_host(out), expected);
    thrust::fill(out.begin(), out.end(), -1);
  }
};

TEST(DeviceEnvironment, StreamOfOneOfThem)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const ::cuda::std::plus<> plus;
  sums_of_chars sums;
  EXPECT_EQ(sums.call(), cudaSuccess);
  sums.check(1);
  EXPECT_EQ(sums.call(plus), cudaSuccess);
  sums.check(1);
  EXPECT_EQ(sums.call(plus, nullptr), cudaSuccess);
  sums.check(1);
  test::call_short([&](cudaStream_t stream) { return sums.call(plus, stream); });
  sums.check(1);
  test::call_short([&](cudaStream_t stream) { return sums.call(plus, ::cuda::stream_ref(stream)); });
  sums.check(1);

  thrust::device_vector<int> numbers(std::vector<int>{10, 11, 12, 13, 14});
  thrust::device_vector<int> kept(5, -1);
  test::call_short([&](cudaStream_t stream)
                   { return mgpu::DeviceBulk::Remove(raw(numbers), 3, raw(numbers), 0, raw(kept), stream); });
  EXPECT_EQ(test::to_host(kept), (std::vector<int>{10, 11, 12, -1, -1}));
}

/// Captures the sums with the environment make_env(stream) into a graph and launches it twice, with other items.
template <class MakeEnv>
void check_captured(MakeEnv make_env)
{
  sums_of_chars sums;
  test::capture_and_change(
    [&](void* storage, std::size_t& bytes, cudaStream_t stream)
    {
      bytes = 1;
      return storage == nullptr ? cudaSuccess : sums.call(::cuda::std::plus<>{}, make_env(stream));
    },
    [&]
    {
      sums.check(1);
      thrust::fill(sums.items.begin(), sums.items.end(), 2);
    });
  sums.check(2);
}

// A graph of another stream's work would be empty, and its launches would write nothing.
TEST(DeviceEnvironment, CapturedAndLaunchedTwice)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_captured([](cudaStream_t stream) { return stream; });
  check_captured([](cudaStream_t stream) { return ::cuda::stream_ref(stream); });
}

/// The bytes that are allocated from the device's pool.
std::uint64_t used_bytes_of_pool()
{
  int device = 0;
  cudaMemPool_t pool = nullptr;
  std::uint64_t bytes = 0;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetMemPool(&pool, device), cudaSuccess);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes), cudaSuccess);
  return bytes;
}

/// A call that needs `bytes` of storage, and returns `on_query` without storage and `on_work` with it.
struct failing_call
{
  std::size_t needed;
  cudaError_t on_query;
  cudaError_t on_work;
  int* executed;

  cudaError_t operator()(void* storage, std::size_t& bytes, cudaStream_t) const
  {
    if (storage == nullptr)
    {
      bytes = needed;
      return on_query;
    }
    ++*executed;
    EXPECT_EQ(bytes, needed);
    EXPECT_GE(used_bytes_of_pool(), needed);
    return on_work;
  }
};

TEST(DeviceEnvironment, MemoryIsFreedAfterErrors)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::uint64_t used = used_bytes_of_pool();
  sums_of_chars sums;
  EXPECT_EQ(sums.call(), cudaSuccess);
  int executed = 0;
  const auto with_storage = [&](std::size_t bytes, cudaError_t on_query, cudaError_t on_work) {
    return mgpu::detail::with_storage(cudaStream_t{}, failing_call{bytes, on_query, on_work, &executed});
  };
  EXPECT_EQ(with_storage(1000, cudaErrorInvalidValue, cudaSuccess), cudaErrorInvalidValue);
  EXPECT_EQ(
    with_storage(std::numeric_limits<std::size_t>::max() / 4, cudaSuccess, cudaSuccess), cudaErrorMemoryAllocation);
  (void) cudaGetLastError();
  EXPECT_EQ(executed, 0);
  EXPECT_EQ(with_storage(1000, cudaSuccess, cudaErrorLaunchOutOfResources), cudaErrorLaunchOutOfResources);
  EXPECT_EQ(executed, 1);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(used_bytes_of_pool(), used);
}

#if MGPU_THRUST_HAS_CCCL_ENVIRONMENTS
/// What a resource has done.
struct resource_log
{
  int allocations = 0;
  int frees = 0;
  std::size_t bytes = 0;
  cudaStream_t stream = nullptr;
};

/// Memory of the pool of the stream's device, or none; the log outlives the resource and its copies.
struct logging_resource
{
  resource_log* log;
  bool fails = false;

  void* allocate(::cuda::stream_ref stream, std::size_t bytes, std::size_t)
  {
    void* memory = nullptr;
    if (fails || cudaMallocAsync(&memory, bytes, stream.get()) != cudaSuccess)
    {
      throw std::bad_alloc();
    }
    ++log->allocations;
    log->bytes += bytes;
    log->stream = stream.get();
    return memory;
  }
  void deallocate(::cuda::stream_ref stream, void* memory, std::size_t bytes, std::size_t) noexcept
  {
    EXPECT_EQ(cudaFreeAsync(memory, stream.get()), cudaSuccess);
    ++log->frees;
    log->bytes -= bytes;
  }
  void* allocate_sync(std::size_t, std::size_t)
  {
    throw std::bad_alloc();
  }
  void deallocate_sync(void*, std::size_t, std::size_t) noexcept
  {
  }
  friend bool operator==(const logging_resource& a, const logging_resource& b)
  {
    return a.log == b.log;
  }
  friend bool operator!=(const logging_resource& a, const logging_resource& b)
  {
    return a.log != b.log;
  }
};

/// An environment as users write one.
struct own_environment
{
  cudaStream_t stream;
  logging_resource resource;

  ::cuda::stream_ref query(::cuda::get_stream_t) const noexcept
  {
    return stream;
  }
  logging_resource query(::cuda::mr::get_memory_resource_t) const noexcept
  {
    return resource;
  }
};

TEST(DeviceEnvironment, ResourceOfTheEnvironment)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  namespace execution = ::cuda::std::execution;
  const ::cuda::std::plus<> plus;
  resource_log log;
  sums_of_chars sums;
  test::call_short(
    [&](cudaStream_t stream)
    {
      const cudaError_t error = sums.call(plus, own_environment{stream, {&log}});
      EXPECT_EQ(log.stream, stream);
      return error;
    });
  sums.check(1);
  check_captured([&](cudaStream_t stream) { return own_environment{stream, {&log}}; });
  const execution::prop resource{::cuda::mr::get_memory_resource, logging_resource{&log}};
  check_captured(
    [&](cudaStream_t stream)
    {
      const execution::prop of_stream{::cuda::get_stream, ::cuda::stream_ref(stream)};
      return execution::env{of_stream, resource};
    });
  EXPECT_EQ(sums.call(plus, resource), cudaSuccess);
  EXPECT_EQ(log.stream, nullptr);
  sums.check(1);
  EXPECT_EQ(sums.call(plus, execution::env<>{}), cudaSuccess);
  sums.check(1);
  EXPECT_EQ(log.allocations, 4);
  EXPECT_EQ(sums.call(plus, own_environment{nullptr, {&log, true}}), cudaErrorMemoryAllocation);
  int executed = 0;
  const failing_call call{1000, cudaSuccess, cudaErrorLaunchOutOfResources, &executed};
  EXPECT_EQ(mgpu::detail::with_storage(own_environment{nullptr, {&log}}, call), cudaErrorLaunchOutOfResources);
  EXPECT_EQ(executed, 1);
  EXPECT_EQ(log.allocations, 5);
  EXPECT_EQ(log.frees, 5);
  EXPECT_EQ(log.bytes, 0u);
}
#endif

} // namespace
