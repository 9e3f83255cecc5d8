// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Two set operations at the same time, on two streams, with memory that is allocated once.
//
// You learn what an execution policy of CUDA specifies: the stream and the allocator of temporary storage; when a
// function waits for its stream; and how to write a caching allocator, so that only the first call has to wait for
// cudaMalloc.

#include <mgpu_thrust/set_operations.h>

#include "example_support.h"

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/tabulate.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <future>
#include <map>
#include <new>
#include <vector>

/// A caching allocator of device memory: it keeps deallocated blocks and reuses them.
///
/// Memory is reused while work that uses it may still be queued. That is safe as long as all that work is in one
/// stream, where it executes in order. So each stream has its own allocator, which then needs no lock either.
class caching_allocator
{
public:
  using value_type = char; // Thrust requests numbers of bytes

  caching_allocator() = default;
  caching_allocator(const caching_allocator&) = delete;
  caching_allocator& operator=(const caching_allocator&) = delete;
  ~caching_allocator()
  {
    for (const auto& block : unused_)
    {
      cudaFree(block.second);
    }
  }

  char* allocate(std::ptrdiff_t bytes)
  {
    auto block = unused_.lower_bound(bytes); // the smallest block that is large enough
    if (block == unused_.end())
    {
      void* memory = nullptr;
      if (cudaMalloc(&memory, bytes) != cudaSuccess)
      {
        throw std::bad_alloc();
      }
      ++cuda_mallocs_;
      block = unused_.emplace(bytes, static_cast<char*>(memory));
    }
    char* const memory = block->second;
    used_.emplace(memory, block->first);
    unused_.erase(block);
    return memory;
  }

  void deallocate(char* memory, std::size_t) // the block may be larger than requested
  {
    const auto block = used_.find(memory);
    unused_.emplace(block->second, memory);
    used_.erase(block);
  }

  int cuda_mallocs() const
  {
    return cuda_mallocs_;
  }

private:
  std::multimap<std::ptrdiff_t, char*> unused_; // unused blocks by size
  std::map<char*, std::ptrdiff_t> used_;
  int cuda_mallocs_ = 0;
};

constexpr int count = 1 << 20;

/// factor, 2 * factor, 3 * factor, ...
struct multiples
{
  int factor;

  __host__ __device__ int operator()(int i) const
  {
    return (i + 1) * factor;
  }
};

/// A stream, with the allocator and the vectors that one host thread uses on it.
struct lane
{
  cudaStream_t stream = nullptr;
  caching_allocator allocator;
  thrust::device_vector<int> a = thrust::device_vector<int>(count);
  thrust::device_vector<int> b = thrust::device_vector<int>(count);
  thrust::device_vector<int> result = thrust::device_vector<int>(2 * count);

  lane()
  {
    example::check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  ~lane()
  {
    cudaStreamDestroy(stream);
  }

  // With par_nosync Thrust's functions need not wait for work whose result is not returned: thrust::tabulate is only
  // queued. A set operation returns the end of its result, so it waits for its stream, once, and then the result is
  // complete. With thrust::cuda::par every call would wait.
  auto policy()
  {
    return thrust::cuda::par_nosync(allocator).on(stream);
  }
  void queue_inputs(int a_factor, int b_factor)
  {
    thrust::tabulate(policy(), a.begin(), a.end(), multiples{a_factor});
    thrust::tabulate(policy(), b.begin(), b.end(), multiples{b_factor});
  }

  // Both return the size of the result.
  std::ptrdiff_t intersect(int a_factor, int b_factor)
  {
    queue_inputs(a_factor, b_factor);
    return mgpu::set_intersection(policy(), a.begin(), a.end(), b.begin(), b.end(), result.begin()) - result.begin();
  }
  std::ptrdiff_t unite(int a_factor, int b_factor)
  {
    queue_inputs(a_factor, b_factor);
    return mgpu::set_union(policy(), a.begin(), a.end(), b.begin(), b.end(), result.begin()) - result.begin();
  }
};

constexpr int rounds = 2;
constexpr int factors[rounds][2] = {{2, 3}, {3, 5}}; // of A and B

/// The outcome of one round of a lane.
struct outcome
{
  std::ptrdiff_t size;
  int cuda_mallocs;
  bool right;
};

/// Executes all rounds of a lane. `operation` is a member function; a number belongs to its result if `is_wanted`
/// returns true, whose arguments are whether the number is in A and in B.
std::vector<outcome>
run(lane& used, std::ptrdiff_t (lane::*operation)(int, int), bool (*is_wanted)(bool in_a, bool in_b))
{
  std::vector<outcome> outcomes;
  for (const auto& [a_factor, b_factor] : factors)
  {
    const int before = used.allocator.cuda_mallocs();
    const std::ptrdiff_t size = (used.*operation)(a_factor, b_factor);
    const int after = used.allocator.cuda_mallocs();

    // Compare with a plain loop over all numbers.
    std::vector<int> expected;
    for (int i = 1; i <= count * std::max(a_factor, b_factor); ++i)
    {
      const bool in_a = i % a_factor == 0 && i / a_factor <= count;
      const bool in_b = i % b_factor == 0 && i / b_factor <= count;
      if (is_wanted(in_a, in_b))
      {
        expected.push_back(i);
      }
    }
    const thrust::host_vector<int> actual(used.result.begin(), used.result.begin() + size);
    outcomes.push_back({size, after - before, actual == expected});
  }
  return outcomes;
}

int main()
{
  example::skip_without_device();
  lane lanes[2];

  // A set operation waits for its stream, so two host threads are needed for two concurrent set operations. (With
  // mgpu::DeviceSetOperations one is enough, as these functions do not synchronize: see graph.cu.)
  auto first = std::async(
    std::launch::async,
    [&] { return run(lanes[0], &lane::intersect, [](bool in_a, bool in_b) { return in_a && in_b; }); });
  auto second = std::async(
    std::launch::async, [&] { return run(lanes[1], &lane::unite, [](bool in_a, bool in_b) { return in_a || in_b; }); });
  const std::vector<outcome> both = first.get(); // rethrows an exception of the other thread
  const std::vector<outcome> either = second.get();

  bool right = true;
  for (int round = 0; round < rounds; ++round)
  {
    std::printf(
      "Round %d: A is %d multiples of %d, B is %d multiples of %d\n", round + 1, count, factors[round][0], count,
      factors[round][1]);
    std::printf(
      "  stream 1: %td numbers in both, calls of cudaMalloc: %d\n", both[round].size, both[round].cuda_mallocs);
    std::printf(
      "  stream 2: %td numbers in either, calls of cudaMalloc: %d\n", either[round].size, either[round].cuda_mallocs);
    right = right && both[round].right && either[round].right;
  }
  if (!right)
  {
    std::printf("WRONG: a plain loop says otherwise\n");
    return 1;
  }
  return 0;
}
