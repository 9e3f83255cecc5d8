// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// DeviceSortedSearch and BlockSortedSearch: every form, called directly and captured; more than 2^32 elements.

#include "support/device_calls.h"
#include "support/distributions.h"
#include "support/index_check.h"
#include "support/orders.h"
#include "support/streams.h"
#include "support/systems.h"
#include "support/time_limit.h"

#include <mgpu_thrust/block/block_sorted_search.cuh>
#include <mgpu_thrust/device/device_sorted_search.cuh>
#include <mgpu_thrust/sorted_search.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace
{

using search = mgpu::DeviceSortedSearch;
using test::raw;

struct add
{
  __device__ std::int64_t operator()(std::int64_t x, std::int64_t y) const
  {
    return x + y;
  }
};

TEST(DeviceSortedSearch, EveryFormCalledAndCaptured)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d : test::all_distributions)
  {
    for (const std::int64_t size : {0, 1, 5000, 100003, 1000003})
    {
      SCOPED_TRACE(std::string(test::name_of(d)) + " " + std::to_string(size));
      const auto ranks = test::make_ranks(d, size, size + 7, 1 << 30, 1);
      const std::vector<int> host_h(ranks.first.begin(), ranks.first.end());
      const std::vector<int> host_n(ranks.second.begin(), ranks.second.end());
      std::vector<int> lower;
      std::vector<int> upper;
      std::vector<int> sum;
      std::vector<int> count;
      std::vector<int> contains;
      std::vector<int> h_upper; // upper bounds of the haystack in the needles
      std::int64_t h_matches = 0;
      for (const int needle : host_n)
      {
        const auto range = std::equal_range(host_h.begin(), host_h.end(), needle);
        lower.push_back(static_cast<int>(range.first - host_h.begin()));
        upper.push_back(static_cast<int>(range.second - host_h.begin()));
        sum.push_back(lower.back() + upper.back());
        count.push_back(upper.back() - lower.back());
        contains.push_back(range.first != range.second);
      }
      for (const int key : host_h)
      {
        h_upper.push_back(static_cast<int>(std::upper_bound(host_n.begin(), host_n.end(), key) - host_n.begin()));
        h_matches += std::binary_search(host_n.begin(), host_n.end(), key);
      }
      thrust::device_vector<int> h(host_h);
      thrust::device_vector<int> n(host_n);
      thrust::device_vector<int> x(host_n.size());
      thrust::device_vector<int> y(host_n.size());
      thrust::device_vector<int> z(host_h.size());
      thrust::device_vector<std::int64_t> counts(2, -1);
      const std::int64_t h_size = h.size();
      const std::int64_t n_size = n.size();
      const ::cuda::std::less<> less{};
      test::call_short([&](cudaStream_t stream)
                       { return search::Count(raw(h), h_size, raw(n), n_size, raw(x), less, add{}, stream); });
      ASSERT_EQ(test::to_host(x), sum);
      for (const auto& run : {test::call, test::capture})
      {
        const auto check = [&](const test::two_phase_call& f, const std::vector<int>& expected)
        {
          thrust::fill(x.begin(), x.end(), -1);
          run(f);
          ASSERT_EQ(test::to_host(x), expected);
        };
        check(
          [&](void* storage, std::size_t& bytes, cudaStream_t stream)
          { return search::LowerBound(storage, bytes, raw(h), h_size, raw(n), n_size, raw(x), less, stream); },
          lower);
        check(
          [&](void* storage, std::size_t& bytes, cudaStream_t stream)
          { return search::UpperBound(storage, bytes, raw(h), h_size, raw(n), n_size, raw(x), less, stream); },
          upper);
        check(
          [&](void* storage, std::size_t& bytes, cudaStream_t stream)
          { return search::Contains(storage, bytes, raw(h), h_size, raw(n), n_size, raw(x), less, stream); },
          contains);
        check(
          [&](void* storage, std::size_t& bytes, cudaStream_t stream)
          { return search::EqualRange(storage, bytes, raw(h), h_size, raw(n), n_size, raw(x), raw(y), less, stream); },
          lower);
        ASSERT_EQ(test::to_host(y), upper);
        check(
          [&](void* storage, std::size_t& bytes, cudaStream_t stream)
          { return search::Count(storage, bytes, raw(h), h_size, raw(n), n_size, raw(x), less, stream); },
          count);
        check(
          [&](void* storage, std::size_t& bytes, cudaStream_t stream)
          { return search::Count(storage, bytes, raw(h), h_size, raw(n), n_size, raw(x), less, add{}, stream); },
          sum);
        check(
          [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
            return search::Search(
              storage, bytes, raw(n), n_size, raw(h), h_size, raw(x), raw(z), raw(counts), less, stream);
          },
          lower);
        ASSERT_EQ(test::to_host(z), h_upper);
        ASSERT_EQ(counts[0], std::count(contains.begin(), contains.end(), 1));
        ASSERT_EQ(counts[1], h_matches);
      }
      if (HasFatalFailure())
      {
        return;
      }
    }
  }
}

TEST(DeviceSortedSearch, BadArgumentsWriteNothing)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  thrust::device_vector<int> a(200, 1);
  thrust::device_vector<std::int8_t> out(200, -5);
  thrust::device_vector<char> storage(1 << 20);
  const auto run = [&](std::size_t bytes, std::int64_t h_size, std::int64_t n_size)
  { return search::LowerBound(raw(storage), bytes, raw(a), h_size, raw(a), n_size, raw(out)); };
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(run(storage.size(), -1, 10), cudaErrorInvalidValue);
  EXPECT_EQ(run(storage.size(), 10, -1), cudaErrorInvalidValue);
  EXPECT_EQ(run(storage.size(), 1, huge), cudaErrorInvalidValue);
  EXPECT_EQ(run(storage.size(), 128, 10), cudaErrorInvalidValue); // 128 does not fit std::int8_t
  EXPECT_EQ(run(1, 10, 10), cudaErrorInvalidValue);
  EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(200, -5));
  EXPECT_EQ(run(storage.size(), 127, 200), cudaSuccess);
  EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(200, 0));
}

TEST(DeviceSortedSearch, NothingWaitsUnderNosync)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_nothing_waits(
    [](cudaStream_t stream)
    {
      const thrust::counting_iterator<std::int64_t> numbers(0);
      mgpu::sorted_lower_bound(
        thrust::cuda::par_nosync.on(stream), numbers, numbers + 100000, numbers, numbers + 100000,
        thrust::make_discard_iterator());
    });
}

struct plus_three
{
  __host__ __device__ std::int64_t operator()(std::int64_t i) const
  {
    return i + 3;
  }
};

TEST(DeviceSortedSearch, MoreElementsThan32BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = (std::int64_t{1} << 31) + 5;
  const thrust::counting_iterator<std::int64_t> numbers(0);
  test::index_check check;
  mgpu::sorted_lower_bound(
    thrust::device, numbers, numbers + n + 9, numbers + 3, numbers + 3 + n, check.output(plus_three{}));
  EXPECT_EQ(check.wrong(), 0);
  EXPECT_EQ(check.sampled(), check.samples_of(n));
  mgpu::sorted_upper_bound(
    thrust::device, numbers + 1, numbers + n + 9, numbers + 3, numbers + 3 + n, check.output(plus_three{}));
  EXPECT_EQ(check.wrong(), 0);
  mgpu::sorted_lower_bound(
    thrust::device, numbers, numbers + 4 * n, numbers + 3, numbers + 1000, check.output(plus_three{}));
  EXPECT_EQ(check.wrong(), 0);
  std::int64_t counts[2] = {0, 0};
  mgpu::sorted_search(
    thrust::device, numbers, numbers + n, numbers + 5, numbers + n + 5, thrust::make_discard_iterator(),
    thrust::make_discard_iterator(), &counts);
  EXPECT_EQ(counts[0], n - 5);
  EXPECT_EQ(counts[1], n - 5);
}

constexpr int block_threads = 64;
constexpr int most_needles = 1000;

template <class Key>
__global__ void search_in_block(
  const Key* needles, int needle_count, const Key* haystack, int haystack_count, int* lower, int* upper, int2* range,
  int* warp_match, int2* warp_range, test::some_order comp)
{
  using collective = mgpu::BlockSortedSearch<block_threads, most_needles>;
  __shared__ collective::TempStorage temp;
  collective(temp).LowerBounds(
    needles, needle_count, haystack, haystack_count, comp, [=](int i, int bound) { lower[i] = bound; });
  __syncthreads();
  collective(temp).UpperBounds(
    needles, needle_count, haystack, haystack_count, comp, [=](int i, int bound) { upper[i] = bound; });
  __syncthreads();
  collective(temp).EqualRanges(
    needles, needle_count, haystack, haystack_count, comp,
    [=](int i, int first, int last) { range[i] = make_int2(first, last); });
  __syncthreads();
  // Called by all lanes, which agree on the end of the needles; each warp's needles come in order from its first one.
  int next = collective::WarpBegin(needle_count) + static_cast<int>(threadIdx.x) % 32;
  collective(temp).WarpMatches(
    needles, needle_count, haystack, haystack_count, comp,
    [&](int i, bool is_found, bool is_needle)
    {
      const int present = __popc(__ballot_sync(~0u, is_needle));
      if (is_needle)
      {
        warp_match[i] = i == next && present == min(needle_count - i / 32 * 32, 32) ? is_found : -1;
      }
      next += 32;
    });
  __syncthreads();
  collective(temp).WarpEqualRanges(
    needles, needle_count, haystack, haystack_count, comp,
    [=](int i, int first, int last, Key needle, bool is_needle)
    {
      const int present = __popc(__ballot_sync(~0u, is_needle && needle == needles[i]));
      if (is_needle)
      {
        warp_range[i] = present == min(needle_count - i / 32 * 32, 32) ? make_int2(first, last) : make_int2(-1, -1);
      }
    });
}

/// What a block finds for each needle.
struct block_bounds
{
  std::vector<int> lower;
  std::vector<int> upper;
  std::vector<int2> range;
  std::vector<int> warp_match;
  std::vector<int2> warp_range;
};

block_bounds
search_by_block(const std::vector<int>& needles, const std::vector<int>& haystack, const test::some_order& comp)
{
  const thrust::device_vector<int> n(needles);
  const thrust::device_vector<int> h(haystack);
  thrust::device_vector<int> lower(n.size());
  thrust::device_vector<int> upper(n.size());
  thrust::device_vector<int2> range(n.size());
  thrust::device_vector<int> warp_match(n.size());
  thrust::device_vector<int2> warp_range(n.size());
  search_in_block<<<1, block_threads>>>(
    raw(n), static_cast<int>(n.size()), raw(h), static_cast<int>(h.size()), raw(lower), raw(upper), raw(range),
    raw(warp_match), raw(warp_range), comp);
  return {
    test::to_host(lower), test::to_host(upper), test::to_host(range), test::to_host(warp_match),
    test::to_host(warp_range)};
}

TEST(BlockSortedSearch, BoundsOfEverySize)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d : test::all_distributions)
  {
    for (const int needle_count : {0, 1, 63, 64, 65, 129, most_needles})
    {
      for (const int haystack_count : {0, 1, 2, 3, 126, 127, 128, 255, 1000, 20000})
      {
        SCOPED_TRACE(
          std::string(test::name_of(d)) + " " + std::to_string(needle_count) + " in " + std::to_string(haystack_count));
        const auto ranks = test::make_ranks(d, haystack_count, needle_count, 1 << 30, 5);
        const std::vector<int> host_h(ranks.first.begin(), ranks.first.end());
        const std::vector<int> host_n(ranks.second.begin(), ranks.second.end());
        const block_bounds got = search_by_block(host_n, host_h, {});
        for (int i = 0; i < needle_count; ++i)
        {
          const auto expected = std::equal_range(host_h.begin(), host_h.end(), host_n[i]);
          const int first = static_cast<int>(expected.first - host_h.begin());
          const int last = static_cast<int>(expected.second - host_h.begin());
          ASSERT_EQ(got.lower[i], first);
          ASSERT_EQ(got.upper[i], last);
          ASSERT_EQ(got.range[i].x, first);
          ASSERT_EQ(got.range[i].y, last);
          ASSERT_EQ(got.warp_match[i], first < last);
          ASSERT_EQ(got.warp_range[i].x, first);
          ASSERT_EQ(got.warp_range[i].y, last);
        }
      }
    }
  }
}

// Bounds by a comparator that is no order are unspecified, but the calls end, with bounds in the haystack.
TEST(BlockSortedSearch, StaysInsideWhateverTheOrder)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const test::time_limit limit;
  for (const test::order_kind kind : test::wrong_orders)
  {
    for (const int needle_count : {1, 65, most_needles})
    {
      for (const int haystack_count : {0, 1, 127, 1000, 20000})
      {
        SCOPED_TRACE(
          to_string(test::some_order{kind}) + ", " + std::to_string(needle_count) + " in "
          + std::to_string(haystack_count));
        const auto ranks = test::make_ranks(test::distribution::uniform, haystack_count, needle_count, 1 << 30, 5);
        const block_bounds got =
          search_by_block({ranks.second.begin(), ranks.second.end()}, {ranks.first.begin(), ranks.first.end()}, {kind});
        const auto is_inside = [&](int bound) { return 0 <= bound && bound <= haystack_count; };
        for (int i = 0; i < needle_count; ++i)
        {
          ASSERT_TRUE(is_inside(got.lower[i]) && is_inside(got.upper[i]));
          ASSERT_TRUE(is_inside(got.range[i].x) && is_inside(got.range[i].y));
          ASSERT_TRUE(is_inside(got.warp_range[i].x) && is_inside(got.warp_range[i].y));
        }
      }
    }
  }
}

} // namespace
