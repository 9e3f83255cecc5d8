// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// DeviceSetOperations: every form, called and captured into a graph; sizes, counts, bad arguments, no allocation.

#include "support/device_calls.h"
#include "support/distributions.h"
#include "support/streams.h"
#include "support/systems.h"

#include <mgpu_thrust/device/device_merge.cuh>
#include <mgpu_thrust/device/device_semi_join.cuh>
#include <mgpu_thrust/device/device_set_operations.cuh>

#include <thrust/device_ptr.h>
#include <thrust/iterator/counting_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace
{

using ops = mgpu::DeviceSetOperations;
using test::raw;

/// The forms of one operation, checked against std:: on one input.
struct problem
{
  thrust::device_vector<int> a, b, a_values, b_values, keys_out, values_out;
  std::vector<int> expected_keys;
  std::vector<int> expected_values;

  template <class StdOperation>
  problem(const std::vector<int>& host_a, const std::vector<int>& host_b, StdOperation operation)
      : a(host_a)
      , b(host_b)
      , a_values(host_a.size())
      , b_values(host_b.size())
      , keys_out(host_a.size() + host_b.size())
      , values_out(host_a.size() + host_b.size())
  {
    std::vector<std::pair<int, int>> a_pairs;
    std::vector<std::pair<int, int>> b_pairs;
    std::vector<std::pair<int, int>> kept;
    for (const int key : host_a)
    {
      a_pairs.push_back({key, static_cast<int>(a_pairs.size())});
    }
    for (const int key : host_b)
    {
      b_pairs.push_back({key, -1 - static_cast<int>(b_pairs.size())});
    }
    operation(
      a_pairs, b_pairs, std::back_inserter(kept), [](const auto& x, const auto& y) { return x.first < y.first; });
    std::vector<int> values(host_a.size());
    std::generate(values.begin(), values.end(), [i = 0]() mutable { return i++; });
    a_values = values;
    values.resize(host_b.size());
    std::generate(values.begin(), values.end(), [i = -1]() mutable { return i--; });
    b_values = values;
    for (const auto& pair : kept)
    {
      expected_keys.push_back(pair.first);
      expected_values.push_back(pair.second);
    }
  }

  template <class Count>
  void check(thrust::device_vector<Count>& count, bool has_keys, bool has_values)
  {
    ASSERT_EQ(static_cast<std::size_t>(count[0]), expected_keys.size());
    const auto first = [&](const thrust::device_vector<int>& out)
    {
      std::vector<int> all = test::to_host(out);
      all.resize(expected_keys.size());
      return all;
    };
    if (has_keys)
    {
      ASSERT_EQ(first(keys_out), expected_keys);
    }
    if (has_values)
    {
      ASSERT_EQ(first(values_out), expected_values);
    }
    thrust::fill(keys_out.begin(), keys_out.end(), -77);
    thrust::fill(values_out.begin(), values_out.end(), -77);
  }
};

#define MGPU_THRUST_TEST_OPERATION(Name, std_name)                                                                     \
  struct Name                                                                                                          \
  {                                                                                                                    \
    template <class... Arguments>                                                                                      \
    static cudaError_t keys(Arguments&&... arguments)                                                                  \
    {                                                                                                                  \
      return ops::Name##Keys(std::forward<Arguments>(arguments)...);                                                   \
    }                                                                                                                  \
    template <class... Arguments>                                                                                      \
    static cudaError_t pairs(Arguments&&... arguments)                                                                 \
    {                                                                                                                  \
      return ops::Name##Pairs(std::forward<Arguments>(arguments)...);                                                  \
    }                                                                                                                  \
    template <class... Arguments>                                                                                      \
    static cudaError_t count(Arguments&&... arguments)                                                                 \
    {                                                                                                                  \
      return ops::Name##Count(std::forward<Arguments>(arguments)...);                                                  \
    }                                                                                                                  \
    template <class Range, class Output, class Compare>                                                                \
    void operator()(const Range& a, const Range& b, Output output, Compare comp) const                                 \
    {                                                                                                                  \
      std::std_name(a.begin(), a.end(), b.begin(), b.end(), output, comp);                                             \
    }                                                                                                                  \
  };
MGPU_THRUST_TEST_OPERATION(Intersection, set_intersection)
MGPU_THRUST_TEST_OPERATION(Union, set_union)
MGPU_THRUST_TEST_OPERATION(Difference, set_difference)
MGPU_THRUST_TEST_OPERATION(SymmetricDifference, set_symmetric_difference)

template <class Operation>
class DeviceSetOperations : public testing::Test
{
};
using operations = testing::Types<Intersection, Union, Difference, SymmetricDifference>;
TYPED_TEST_SUITE(DeviceSetOperations, operations);

/// Keys of a distribution, as int.
std::pair<std::vector<int>, std::vector<int>> keys_of(test::distribution d, std::int64_t a_size, std::int64_t b_size)
{
  const auto ranks = test::make_ranks(d, a_size, b_size, std::numeric_limits<int>::max(), 17);
  return {
    std::vector<int>(ranks.first.begin(), ranks.first.end()),
    std::vector<int>(ranks.second.begin(), ranks.second.end())};
}

TYPED_TEST(DeviceSetOperations, EveryFormCalledAndCaptured)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using operation = TypeParam;
  for (const test::distribution d : test::all_distributions)
  {
    for (const std::int64_t size : {0, 1, 5000, 100003, 2100000})
    {
      // The largest size makes so many tiles that each is found by a thread.
      if (size > 1000000 && d != test::distribution::runs && d != test::distribution::one_run)
      {
        continue;
      }
      SCOPED_TRACE(std::string(test::name_of(d)) + " " + std::to_string(size));
      const auto host = keys_of(d, size, size + 7);
      problem p(host.first, host.second, operation{});
      const std::int64_t a_size = p.a.size();
      const std::int64_t b_size = p.b.size();
      const ::cuda::std::less<> less{};
      thrust::device_vector<std::int64_t> count(1, -1);
      thrust::device_vector<int> narrow_count(1, -1);
      const test::two_phase_call keys = [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return operation::keys(
          storage, bytes, raw(p.a), a_size, raw(p.b), b_size, raw(p.keys_out), raw(count), less, stream);
      };
      const test::two_phase_call pairs = [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return operation::pairs(
          storage, bytes, raw(p.a), raw(p.a_values), a_size, raw(p.b), raw(p.b_values), b_size, raw(p.keys_out),
          raw(p.values_out), raw(narrow_count), less, stream);
      };
      const test::two_phase_call only_count = [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      { return operation::count(storage, bytes, raw(p.a), a_size, raw(p.b), b_size, raw(count), less, stream); };
      test::call_short(
        [&](cudaStream_t stream)
        { return operation::keys(raw(p.a), a_size, raw(p.b), b_size, raw(p.keys_out), raw(count), less, stream); });
      p.check(count, true, false);
      for (const auto& run : {test::call, test::capture})
      {
        run(keys);
        p.check(count, true, false);
        run(pairs);
        p.check(narrow_count, true, true);
        run(only_count);
        p.check(count, false, false);
        if (this->HasFatalFailure())
        {
          return;
        }
      }
    }
  }
}

struct std_merge
{
  template <class Range, class Output, class Compare>
  void operator()(const Range& a, const Range& b, Output output, Compare comp) const
  {
    std::merge(a.begin(), a.end(), b.begin(), b.end(), output, comp);
  }
};

TEST(DeviceMerge, EveryFormCalledAndCaptured)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using merges = mgpu::DeviceMerge;
  for (const test::distribution d : test::all_distributions)
  {
    for (const std::int64_t size : {0, 1, 5000, 100003, 1000003})
    {
      SCOPED_TRACE(std::string(test::name_of(d)) + " " + std::to_string(size));
      const auto host = keys_of(d, size, size + 7);
      problem p(host.first, host.second, std_merge{});
      const std::int64_t a_size = p.a.size();
      const std::int64_t b_size = p.b.size();
      thrust::device_vector<std::int64_t> count(1, a_size + b_size);
      const ::cuda::std::less<> less{};
      const test::two_phase_call keys = [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      { return merges::MergeKeys(storage, bytes, raw(p.a), a_size, raw(p.b), b_size, raw(p.keys_out), less, stream); };
      const test::two_phase_call pairs = [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return merges::MergePairs(
          storage, bytes, raw(p.a), raw(p.a_values), a_size, raw(p.b), raw(p.b_values), b_size, raw(p.keys_out),
          raw(p.values_out), less, stream);
      };
      test::call_short(
        [&](cudaStream_t stream)
        { return merges::MergeKeys(raw(p.a), a_size, raw(p.b), b_size, raw(p.keys_out), less, stream); });
      p.check(count, true, false);
      for (const auto& run : {test::call, test::capture})
      {
        run(keys);
        p.check(count, true, false);
        run(pairs);
        p.check(count, true, true);
        if (HasFatalFailure())
        {
          return;
        }
      }
    }
  }
}

TEST(DeviceSetOperationsErrors, BadArgumentsWriteNothing)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  thrust::device_vector<int> a(10, 1);
  thrust::device_vector<int> out(20, -5);
  thrust::device_vector<std::int64_t> count(1, -5);
  const auto run = [&](void* storage, std::size_t bytes, std::int64_t a_size, std::int64_t b_size)
  { return ops::UnionKeys(storage, bytes, raw(a), a_size, raw(a), b_size, raw(out), raw(count)); };
  std::size_t bytes = 0;
  ASSERT_EQ(ops::UnionKeys(nullptr, bytes, raw(a), 10, raw(a), 10, raw(out), raw(count)), cudaSuccess);
  thrust::device_vector<char> storage(bytes);
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(run(raw(storage), bytes, -1, 10), cudaErrorInvalidValue);
  EXPECT_EQ(run(raw(storage), bytes, 10, -1), cudaErrorInvalidValue);
  EXPECT_EQ(run(raw(storage), bytes, huge, 1), cudaErrorInvalidValue);
  EXPECT_EQ(run(raw(storage), bytes, huge, 0), cudaErrorInvalidValue);
  EXPECT_EQ(run(raw(storage), bytes - 1, 10, 10), cudaErrorInvalidValue);
  EXPECT_EQ(test::to_host(out), std::vector<int>(20, -5));
  EXPECT_EQ(count[0], -5);
  EXPECT_EQ(run(raw(storage), bytes, 10, 10), cudaSuccess);
  EXPECT_EQ(count[0], 10);
}

// Storage that is queried for some sizes is enough for all smaller ones, for which other kernels may be chosen.
TEST(DeviceSetOperationsUse, StorageGrowsWithSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int32_t* const keys = nullptr;
  std::int32_t* const out = nullptr;
  std::int64_t* const count = nullptr;
  const auto difference = [&](std::size_t& bytes, std::int64_t a, std::int64_t b)
  { return mgpu::DeviceSetOperations::DifferenceKeys(nullptr, bytes, keys, a, keys, b, out, count); };
  const auto intersection = [&](std::size_t& bytes, std::int64_t a, std::int64_t b)
  { return mgpu::DeviceSetOperations::IntersectionKeys(nullptr, bytes, keys, a, keys, b, out, count); };
  const auto semi_join = [&](std::size_t& bytes, std::int64_t a, std::int64_t b)
  { return mgpu::DeviceSemiJoin::SemiCount(nullptr, bytes, keys, a, keys, b, count); };
  const auto check = [](auto query)
  {
    constexpr std::int64_t few = mgpu::detail::max_to_match_by_bisection;
    const std::int64_t sizes[] = {0, 1, 1000, few / 2, few / 2 + 1, few, 1 << 18, 1 << 22, 1 << 24, 1 << 28};
    constexpr int n = 10;
    std::size_t bytes[n][n] = {};
    for (int i = 0; i < n; ++i)
    {
      for (int j = 0; j < n; ++j)
      {
        SCOPED_TRACE(std::to_string(sizes[i]) + " and " + std::to_string(sizes[j]));
        ASSERT_EQ(query(bytes[i][j], sizes[i], sizes[j]), cudaSuccess);
        EXPECT_GE(bytes[i][j], i > 0 ? bytes[i - 1][j] : 0);
        EXPECT_GE(bytes[i][j], j > 0 ? bytes[i][j - 1] : 0);
      }
    }
  };
  check(difference);
  check(intersection);
  check(semi_join);
}

TEST(DeviceSetOperationsUse, StorageOfAnyAlignmentAndIteratorsOfAnyKind)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const thrust::counting_iterator<int> numbers(0);
  thrust::device_vector<int> out(1000);
  thrust::device_vector<unsigned> count(1);
  std::size_t bytes = 0;
  const auto run = [&](void* storage)
  {
    return ops::DifferencePairs(
      storage, bytes, numbers, numbers + 5, 1000, numbers + 10, nullptr, 500, thrust::make_discard_iterator(),
      out.begin(), raw(count), ::cuda::std::less<>{});
  };
  ASSERT_EQ(run(nullptr), cudaSuccess);
  thrust::device_vector<char> storage(bytes + 1);
  ASSERT_EQ(run(raw(storage) + 1), cudaSuccess);
  ASSERT_EQ(count[0], 500u);
  EXPECT_EQ(out[9], 14);
  EXPECT_EQ(out[10], 515);
}

TEST(DeviceSetOperationsUse, ManyHostThreadsAndStreams)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_on_many_streams(
    [](int t, cudaStream_t stream)
    {
      int wrong = 0;
      const thrust::counting_iterator<std::int64_t> numbers(0);
      thrust::device_vector<std::int64_t> counts(20);
      thrust::device_vector<char> storage;
      for (int repeat = 0; repeat < 20; ++repeat) // queued one after another, with the same storage
      {
        const std::int64_t size = 300000 + 1000 * t + repeat;
        std::size_t bytes = 0;
        const auto run = [&](void* memory)
        {
          return ops::UnionKeys(
            memory, bytes, numbers, size, numbers + 50000, size, thrust::make_discard_iterator(), raw(counts) + repeat,
            ::cuda::std::less<>{}, stream);
        };
        wrong += run(nullptr) != cudaSuccess;
        if (storage.size() < bytes)
        {
          cudaStreamSynchronize(stream);
          storage.resize(bytes);
        }
        bytes = storage.size();
        wrong += run(raw(storage)) != cudaSuccess;
      }
      wrong += cudaStreamSynchronize(stream) != cudaSuccess;
      for (int repeat = 0; repeat < 20; ++repeat)
      {
        wrong += counts[repeat] != 350000 + 1000 * t + repeat;
      }
      return wrong;
    });
}

} // namespace
