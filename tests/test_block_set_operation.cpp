// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// BlockSetOperation: many small problems over few keys, one per block; each block cuts its ranges into tiles itself.

#include "support/orders.h"
#include "support/systems.h"
#include "support/time_limit.h"

#include <mgpu_thrust/block/block_set_operation.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace
{

/// The input ranges of a block, and the position of its output.
struct block_problem
{
  int a_begin, a_end;
  int b_begin, b_end;
  int out_begin;
};

template <class Operation, int ItemsPerThread, bool ItemsAreKeys>
__global__ void block_kernel(
  const int* a_keys, const int* b_keys, const block_problem* problems, int* keys_out, std::int64_t* counts,
  test::some_order comp)
{
  constexpr int threads = 64;
  using collective = mgpu::BlockSetOperation<Operation, threads, ItemsPerThread, int, ItemsAreKeys>;
  constexpr int tile_items = threads * ItemsPerThread;
  __shared__ typename collective::TempStorage temp;
  __shared__ int survivors[threads * collective::steps];
  const block_problem problem = problems[blockIdx.x];
  const int room = problem.a_end - problem.a_begin + problem.b_end - problem.b_begin;
  int a = problem.a_begin;
  int b = problem.b_begin;
  int written = 0;
  while (a < problem.a_end || b < problem.b_end)
  {
    const int a_left = problem.a_end - a;
    const int b_left = problem.b_end - b;
    const auto cut = mgpu::detail::operation_path(
      Operation{}, a_keys + a, a_left, b_keys + b, b_left, min(tile_items, a_left + b_left), comp);
    typename collective::Items items;
    collective(temp).Run(
      mgpu::SetTile{a_keys + a, cut.a_index, b_keys + b, cut.b_index, cut.a_index < a_left, cut.b_index < b_left}, comp,
      items);
    const auto write = [&](int first, int count)
    {
      __syncthreads();
      for (int i = threadIdx.x; i < count; i += threads)
      {
        const int item = survivors[i];
        const int to = written + first + i;
        if (to < room) // whatever the order
        {
          keys_out[problem.out_begin + to] = ItemsAreKeys         ? item
                                             : item < cut.a_index ? a_keys[a + item]
                                                                  : b_keys[b + item - cut.a_index];
        }
      }
      __syncthreads();
    };
    if (blockIdx.x % 3 == 0) // as many at a time as the buffer holds
    {
      constexpr int at_a_time = 50;
      for (int first = 0; first < items.total; first += at_a_time)
      {
        items.Store(survivors, first, at_a_time);
        write(first, min(at_a_time, items.total - first));
      }
    }
    else
    {
      items.Store(survivors);
      write(0, items.total);
    }
    written += items.total;
    a += cut.a_index;
    b += cut.b_index;
  }
  if (threadIdx.x == 0)
  {
    counts[blockIdx.x] = written;
  }
}

struct intersection_reference
{
  using operation = mgpu::SetIntersection;
  template <class... Arguments>
  static void run(Arguments... arguments)
  {
    std::set_intersection(arguments...);
  }
};
struct union_reference
{
  using operation = mgpu::SetUnion;
  template <class... Arguments>
  static void run(Arguments... arguments)
  {
    std::set_union(arguments...);
  }
};
struct difference_reference
{
  using operation = mgpu::SetDifference;
  template <class... Arguments>
  static void run(Arguments... arguments)
  {
    std::set_difference(arguments...);
  }
};
struct symmetric_difference_reference
{
  using operation = mgpu::SetSymmetricDifference;
  template <class... Arguments>
  static void run(Arguments... arguments)
  {
    std::set_symmetric_difference(arguments...);
  }
};

struct merge_reference
{
  using operation = mgpu::Merge;
  template <class... Arguments>
  static void run(Arguments... arguments)
  {
    std::merge(arguments...);
  }
};

template <class Reference>
class BlockSetOperation : public testing::Test
{
};
using references = testing::Types<
  intersection_reference, union_reference, difference_reference, symmetric_difference_reference, merge_reference>;
TYPED_TEST_SUITE(BlockSetOperation, references);

template <class Reference, int ItemsPerThread, bool ItemsAreKeys>
void check(std::uint64_t seed, const test::some_order& comp = {})
{
  SCOPED_TRACE(
    "items per thread " + std::to_string(ItemsPerThread) + ", keys " + std::to_string(ItemsAreKeys) + ", seed "
    + std::to_string(seed) + ", " + to_string(comp));
  constexpr int tile = 64 * ItemsPerThread;
  std::mt19937_64 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<int> a;
  std::vector<int> b;
  std::vector<block_problem> problems;
  for (int p = 0; p < 2000; ++p)
  {
    block_problem problem{};
    problem.a_begin = static_cast<int>(a.size());
    problem.b_begin = static_cast<int>(b.size());
    problem.out_begin = problem.a_begin + problem.b_begin;
    const int keys = 1 + below(p % 2 == 0 ? 5 : 2 * tile); // few keys, so long runs, or many
    for (int n = below(2 * tile); n > 0; --n)
    {
      a.push_back(below(keys));
    }
    for (int n = below(2 * tile); n > 0; --n)
    {
      b.push_back(below(keys));
    }
    std::sort(a.begin() + problem.a_begin, a.end());
    std::sort(b.begin() + problem.b_begin, b.end());
    problem.a_end = static_cast<int>(a.size());
    problem.b_end = static_cast<int>(b.size());
    problems.push_back(problem);
  }
  thrust::device_vector<int> out(a.size() + b.size(), -1);
  a.resize(a.size() + 32); // in a wrong order, threads may read their steps past the end of a tile
  b.resize(b.size() + 32);
  const thrust::device_vector<int> device_a(a);
  const thrust::device_vector<int> device_b(b);
  const thrust::device_vector<block_problem> device_problems(problems);
  thrust::device_vector<std::int64_t> counts(problems.size(), -1);
  block_kernel<typename Reference::operation, ItemsPerThread, ItemsAreKeys>
    <<<static_cast<unsigned>(problems.size()), 64>>>(
      thrust::raw_pointer_cast(device_a.data()), thrust::raw_pointer_cast(device_b.data()),
      thrust::raw_pointer_cast(device_problems.data()), thrust::raw_pointer_cast(out.data()),
      thrust::raw_pointer_cast(counts.data()), comp);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const auto got = test::to_host(out);
  const auto got_counts = test::to_host(counts);
  for (std::size_t p = 0; p < problems.size(); ++p)
  {
    const block_problem& problem = problems[p];
    if (comp.kind != test::order_kind::less) // the result is unspecified: a thread may keep all its steps
    {
      ASSERT_GE(got_counts[p], 0) << "problem " << p;
      continue;
    }
    std::vector<int> expected;
    Reference::run(
      a.begin() + problem.a_begin, a.begin() + problem.a_end, b.begin() + problem.b_begin, b.begin() + problem.b_end,
      std::back_inserter(expected));
    ASSERT_EQ(got_counts[p], static_cast<std::int64_t>(expected.size())) << "problem " << p;
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), got.begin() + problem.out_begin)) << "problem " << p;
  }
}

TYPED_TEST(BlockSetOperation, TilesOfOneBlock)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check<TypeParam, 1, true>(1);
  check<TypeParam, 1, false>(2);
  check<TypeParam, 2, true>(3);
  check<TypeParam, 7, false>(4);
  check<TypeParam, 7, true>(5);
  check<TypeParam, 31, true>(6);
  check<TypeParam, 31, false>(7);
}

TYPED_TEST(BlockSetOperation, EndsWhateverTheOrder)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const test::time_limit limit;
  for (const test::order_kind kind : test::wrong_orders)
  {
    check<TypeParam, 1, true>(8, {kind});
    check<TypeParam, 7, false>(9, {kind});
    check<TypeParam, 31, true>(10, {kind});
  }
}

} // namespace
