// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Segmented reductions and scans over ranks that are threads.

#include "support/fuzz.h"
#include "support/rank_pieces.h"
#include "support/systems.h"

#include <mgpu_thrust/distributed.h>

#include <thrust/execution_policy.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

/// The function x -> factor x + summand, and the composition of two of them, which does not commute.
struct affine
{
  unsigned factor;
  unsigned summand;

  friend bool operator==(const affine& x, const affine& y)
  {
    return x.factor == y.factor && x.summand == y.summand;
  }
};
struct compose
{
  std::atomic<int>* calls_left = nullptr;

  MGPU_THRUST_HOST_DEVICE affine operator()(const affine& x, const affine& y) const
  {
#if !defined(__CUDA_ARCH__)
    if (calls_left != nullptr && calls_left->fetch_sub(1) == 0)
    {
      throw std::runtime_error("the call that was to fail");
    }
#endif
    return {x.factor * y.factor, x.summand * y.factor + y.summand};
  }
};
using affine_items = std::vector<affine>;
constexpr affine init{3, 5};

/// Items in segments, in pieces by rank, each with the offsets of the segments that begin there.
struct segmented_pieces
{
  std::vector<affine_items> items;
  test::sequence_keys offsets;
};

/// Divides segments that begin at `begins` among the ranks. The one where pieces meet begins at random on either rank.
segmented_pieces random_segments(std::mt19937& random, const std::vector<int>& sizes, std::vector<int> begins)
{
  segmented_pieces pieces;
  std::sort(begins.begin(), begins.end());
  auto next = begins.begin();
  int piece_begin = 0;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank)
  {
    affine_items& items = pieces.items.emplace_back();
    std::generate_n(
      std::back_inserter(items), sizes[rank],
      [&] {
        return affine{static_cast<unsigned>(random() % 9 + 1), static_cast<unsigned>(random() % 10)};
      });
    const int piece_end = piece_begin + sizes[rank];
    test::rank_keys& offsets = pieces.offsets.emplace_back();
    const bool is_last = rank + 1 == sizes.size();
    while (next != begins.end() && (*next < piece_end || (*next == piece_end && (is_last || random() % 2 == 0))))
    {
      offsets.push_back(*next - piece_begin);
      ++next;
    }
    piece_begin = piece_end;
  }
  return pieces;
}

/// The results of all calls: reductions by rank; and scans, inclusive ones without and with init, and exclusive ones.
struct segment_results
{
  std::vector<affine_items> reduced;
  std::array<std::vector<affine_items>, 3> scanned;

  explicit segment_results(std::size_t num_ranks)
      : reduced(num_ranks)
  {
    scanned.fill(reduced);
  }
};

segment_results expected_of(const segmented_pieces& pieces)
{
  segment_results expected(pieces.items.size());
  affine* total = nullptr; // of the segment
  std::size_t rank_of_total = 0;
  bool is_first = true;
  affine without_init{};
  for (std::size_t rank = 0; rank < pieces.items.size(); ++rank)
  {
    const affine_items& items = pieces.items[rank];
    const test::rank_keys& offsets = pieces.offsets[rank];
    std::size_t segment = 0;
    for (std::size_t i = 0; i <= items.size(); ++i)
    {
      for (; segment < offsets.size() && offsets[segment] == static_cast<int>(i); ++segment)
      {
        expected.reduced[rank].push_back(init);
        rank_of_total = rank;
        is_first = true;
      }
      if (i < items.size())
      {
        total = &expected.reduced[rank_of_total].back();
        expected.scanned[2][rank].push_back(*total);
        *total = compose{}(*total, items[i]);
        expected.scanned[1][rank].push_back(*total);
        without_init = is_first ? items[i] : compose{}(without_init, items[i]);
        expected.scanned[0][rank].push_back(without_init);
        is_first = false;
      }
    }
  }
  return expected;
}

void expect_results_over_ranks(const segmented_pieces& pieces)
{
  using policy = std::decay_t<decltype(thrust::device)>;
  segment_results results(pieces.items.size());
  mgpu::run_on_threads(
    static_cast<int>(pieces.items.size()),
    [&](mgpu::thread_communicator& communicator)
    {
      const auto rank = static_cast<std::size_t>(communicator.rank());
      const auto exec = mgpu::over(communicator, thrust::device);
      auto items = test::to_memory<policy>(pieces.items[rank]);
      const auto offsets = test::to_memory<policy>(pieces.offsets[rank]);
      test::memory<policy, affine> reduced(offsets.size());
      EXPECT_TRUE(
        mgpu::segmented_reduce(
          exec, items.begin(), items.end(), offsets.begin(), offsets.end(), reduced.begin(), init, compose{})
        == reduced.end());
      results.reduced[rank] = test::to_host(reduced);
      test::memory<policy, affine> scanned(items.size());
      const auto keep = [&](std::size_t scan, auto end)
      {
        EXPECT_TRUE(end == scanned.end());
        results.scanned[scan][rank] = test::to_host(scanned);
      };
      keep(
        2, mgpu::segmented_exclusive_scan(
             exec, items.begin(), items.end(), offsets.begin(), offsets.end(), scanned.begin(), init, compose{}));
      keep(
        1, mgpu::segmented_inclusive_scan(
             exec, items.begin(), items.end(), offsets.begin(), offsets.end(), scanned.begin(), init, compose{}));
      EXPECT_TRUE(
        mgpu::segmented_inclusive_scan(
          exec, items.begin(), items.end(), offsets.begin(), offsets.end(), items.begin(), compose{})
        == items.end());
      results.scanned[0][rank] = test::to_host(items); // in place
    });
  const segment_results expected = expected_of(pieces);
  EXPECT_TRUE(results.reduced == expected.reduced);
  for (std::size_t scan = 0; scan < 3; ++scan)
  {
    EXPECT_TRUE(results.scanned[scan] == expected.scanned[scan]) << scan;
  }
}

TEST(DistributedSegments, Fuzz)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    80,
    [](std::mt19937_64& seeds)
    {
      std::mt19937 random(static_cast<unsigned>(seeds()));
      const auto up_to = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
      std::vector<int> sizes(static_cast<std::size_t>(2 + up_to(4)));
      const int largest = std::array<int, 3>{2, 10, 300}[static_cast<std::size_t>(up_to(2))];
      std::generate(sizes.begin(), sizes.end(), [&] { return up_to(1) * up_to(largest); });
      const int total = std::accumulate(sizes.begin(), sizes.end(), 0);
      std::vector<int> begins{0};
      for (int more = up_to(1) * up_to(up_to(1) == 0 ? 3 : total); more > 0; --more)
      {
        begins.push_back(up_to(total));
      }
      expect_results_over_ranks(random_segments(random, sizes, begins));
    });
}

TEST(DistributedSegments, ManyItems)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937 random(3);
  const std::vector<int> sizes{70000, 0, 150000, 40000};
  std::vector<int> begins{0};
  expect_results_over_ranks(random_segments(random, sizes, begins)); // one segment
  for (int i = 0; i < 1000; ++i)
  {
    begins.push_back(static_cast<int>(random() % 260000));
  }
  expect_results_over_ranks(random_segments(random, sizes, begins));
}

TEST(DistributedSegments, WrongCalls)
{
  const affine_items items(3, {1, 1});
  const auto thrown_for = [&](const test::sequence_keys& offsets)
  {
    std::string text;
    mgpu::run_on_threads(
      2,
      [&](mgpu::thread_communicator& communicator)
      {
        const test::rank_keys& own = offsets[static_cast<std::size_t>(communicator.rank())];
        affine_items results(own.size(), init);
        try
        {
          mgpu::segmented_reduce(
            mgpu::over(communicator, thrust::seq), items.begin(), items.end(), own.begin(), own.end(), results.begin(),
            affine{7, 7}, compose{});
          ADD_FAILURE();
        }
        catch (const std::exception& error)
        {
          EXPECT_EQ(results, affine_items(own.size(), init)); // unchanged
          if (communicator.rank() == 0)
          {
            text = error.what();
          }
        }
      });
    return text;
  };
  EXPECT_EQ(thrown_for({{}, {0}}), "mgpu::segmented_reduce: items before the first segment of all ranks");
  EXPECT_EQ(thrown_for({{1}, {0}}), "mgpu::segmented_reduce: items before the first segment of all ranks");
}

#if !defined(__CUDACC__) // a kernel cannot throw

TEST(DistributedSegments, ErrorsOfOperatorsEnd)
{
  std::mt19937 random(8);
  const segmented_pieces pieces = random_segments(random, {7, 4, 6}, {0, 2, 5, 14});
  test::fail_at_each_call(
    4,
    [&](mgpu::thread_communicator& communicator, std::atomic<int>* calls_left)
    {
      const auto rank = static_cast<std::size_t>(communicator.rank());
      affine_items scanned(pieces.items[rank].size());
      mgpu::segmented_inclusive_scan(
        mgpu::over(communicator, thrust::seq), pieces.items[rank].begin(), pieces.items[rank].end(),
        pieces.offsets[rank].begin(), pieces.offsets[rank].end(), scanned.begin(), compose{calls_left});
    },
    [](int thrown) { EXPECT_TRUE(thrown == 0 || thrown == 1 || thrown == 3) << thrown; });
}

#endif

} // namespace
