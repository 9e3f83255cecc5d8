// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Sequences whose pieces lie on several ranks, and calls over threads that are ranks.

#include "systems.h"

#include <mgpu_thrust/distributed.h>

#include <thrust/execution_policy.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace test
{

using rank_keys = std::vector<int>;           // of one rank
using sequence_keys = std::vector<rank_keys>; // of each rank

inline rank_keys concatenation(const sequence_keys& pieces)
{
  rank_keys all;
  for (const rank_keys& piece : pieces)
  {
    all.insert(all.end(), piece.begin(), piece.end());
  }
  return all;
}

/// The number of elements that each rank has.
inline std::vector<std::int64_t> brought_sizes(const std::vector<sequence_keys>& sequences)
{
  std::vector<std::int64_t> sizes(sequences[0].size());
  for (const sequence_keys& keys : sequences)
  {
    for (std::size_t rank = 0; rank < sizes.size(); ++rank)
    {
      sizes[rank] += static_cast<std::int64_t>(keys[rank].size());
    }
  }
  return sizes;
}

template <class Policy, class T>
using device_pieces = std::vector<test::memory<Policy, T>>;

/// Pieces of `sizes` elements of a distribution: random keys below num_keys.
inline sequence_keys random_pieces(std::mt19937& random, const std::vector<int>& sizes, int num_keys)
{
  sequence_keys pieces;
  for (const int size : sizes)
  {
    rank_keys& piece = pieces.emplace_back(size);
    std::generate(piece.begin(), piece.end(), [&] { return static_cast<int>(random() % num_keys); });
  }
  return pieces;
}

/// Cuts a vector into pieces of given sizes.
template <class Sizes>
sequence_keys cut_into(const rank_keys& all, const Sizes& sizes)
{
  sequence_keys pieces;
  auto next = all.begin();
  for (const auto size : sizes)
  {
    pieces.emplace_back(next, next + size);
    next += size;
  }
  return pieces;
}

/// The same elements in order, in pieces of the same sizes, which ascend by rank.
inline sequence_keys ascending_by_rank(const sequence_keys& pieces)
{
  rank_keys all = concatenation(pieces);
  std::sort(all.begin(), all.end());
  return cut_into(all, brought_sizes({pieces}));
}

/// The ids 0, 1, 2... of elements in the order of the ranks.
inline sequence_keys ids_of(const sequence_keys& pieces, int first_id)
{
  sequence_keys ids;
  for (const rank_keys& piece : pieces)
  {
    rank_keys& of_rank = ids.emplace_back(piece.size());
    std::iota(of_rank.begin(), of_rank.end(), first_id);
    first_id += static_cast<int>(piece.size());
  }
  return ids;
}

template <class Policy>
sequence_keys to_host_pieces(const device_pieces<Policy, int>& pieces)
{
  sequence_keys copies;
  for (const auto& piece : pieces)
  {
    copies.push_back(test::to_host(piece));
  }
  return copies;
}
template <class Policy>
device_pieces<Policy, int> to_memory_pieces(const sequence_keys& pieces)
{
  device_pieces<Policy, int> copies;
  for (const rank_keys& piece : pieces)
  {
    copies.push_back(test::to_memory<Policy>(piece));
  }
  return copies;
}

/// Room for numbers that a rank gets, and a guard after it.
template <class Policy>
struct rank_output
{
  std::int64_t room;
  test::memory<Policy, int> memory;

  explicit rank_output(std::int64_t size)
      : room(size)
      , memory(static_cast<std::size_t>(size + 1), -2)
  {
  }
  auto begin()
  {
    return memory.begin();
  }
  /// What calls have written, from its end.
  template <class Iterator>
  rank_keys written(Iterator end)
  {
    rank_keys all = test::to_host(memory);
    const std::int64_t size = end - begin();
    EXPECT_TRUE(size >= 0 && size <= room) << size << " of " << room;
    EXPECT_EQ(all.back(), -2);
    all.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(size, 0, room)));
    return all;
  }
};

/// Replaces up to eight keys of pieces of three ranks by random ones below num_keys: the pieces need not ascend then.
inline void break_order(std::mt19937& random, sequence_keys& pieces, int num_keys)
{
  for (unsigned broken = random() % 9; broken > 0; --broken)
  {
    rank_keys& one = pieces[random() % 3];
    if (!one.empty())
    {
      one[random() % one.size()] = static_cast<int>(random() % static_cast<unsigned>(num_keys));
    }
  }
}

/// Calls f(policy) for a serial policy and one with workers, or for a CUDA policy with a stream for each thread.
template <class Function>
void for_each_local_policy(Function f)
{
#if defined(__CUDACC__)
  f(thrust::cuda::par.on(cudaStreamPerThread));
#else
  f(thrust::seq);
#  if defined(_OPENMP)
  f(thrust::omp::par);
#  endif
#endif
}

/// Calls f(a, b) with pieces of two sequences, for different numbers of ranks and distributions.
template <class Function>
void for_each_distribution(Function f)
{
  std::mt19937 random(5);
  for (const int num_ranks : {1, 2, 3, 5, 8, 16})
  {
    SCOPED_TRACE(std::to_string(num_ranks) + " ranks");
    const auto sizes = [&](auto size_of)
    {
      std::vector<int> all;
      for (int rank = 0; rank < num_ranks; ++rank)
      {
        all.push_back(size_of(rank));
      }
      return all;
    };
    const auto same = sizes([](int) { return 700; });
    const auto uneven = sizes([](int rank) { return rank % 3 == 1 ? 0 : 400 + 200 * rank; });
    const auto on_last = sizes([&](int rank) { return rank == num_ranks - 1 ? 3000 : 0; });
    const auto one_each = sizes([](int) { return 1; });
    const auto none = sizes([](int) { return 0; });
    f(random_pieces(random, same, 1 << 30), random_pieces(random, uneven, 1 << 30));
    f(random_pieces(random, uneven, 3), random_pieces(random, same, 3));  // runs over several ranks
    f(random_pieces(random, same, 1), random_pieces(random, on_last, 1)); // all equal
    f(random_pieces(random, on_last, 100), random_pieces(random, none, 1));
    f(random_pieces(random, one_each, 2), random_pieces(random, one_each, 2));
    f(random_pieces(random, none, 1), random_pieces(random, none, 1));
  }
}

/// An order that throws at one of its calls, on the host.
struct order_that_throws
{
  std::atomic<int>* calls_left;

  MGPU_THRUST_HOST_DEVICE bool operator()(int x, int y) const
  {
#if !defined(__CUDA_ARCH__)
    if (calls_left != nullptr && calls_left->fetch_sub(1) == 0)
    {
      throw std::runtime_error("the call that was to fail");
    }
#endif
    return x < y;
  }
};

/// Executes f(communicator, rank) on 3 ranks, of which none must hang. Returns how many have thrown, after a check that
/// `failing` has, and that others have thrown mgpu::rank_error.
template <class Function>
int ranks_that_throw(int failing, Function f)
{
  std::atomic<int> thrown{0};
  std::atomic<bool> has_failed{false};
  mgpu::run_on_threads(
    3,
    [&](mgpu::thread_communicator& communicator)
    {
      try
      {
        f(communicator);
      }
      catch (const mgpu::rank_error&)
      {
        EXPECT_NE(communicator.rank(), failing);
        ++thrown;
      }
      catch (const std::exception&)
      {
        EXPECT_EQ(communicator.rank(), failing);
        has_failed = true;
        ++thrown;
      }
    });
  EXPECT_TRUE(thrown == 0 || has_failed);
  return thrown;
}

/// Executes f(communicator, calls_left) on 3 ranks until none throws. Each rank in turn fails: at its first call of
/// what counts `calls_left` down, its second, and so on; the others get nullptr. Calls check(thrown) with the number of
/// ranks that have thrown. More than `least` calls must have failed.
template <class Function, class Check>
void fail_at_each_call(int least, Function f, Check check)
{
  for (int failing = 0; failing < 3; ++failing)
  {
    int thrown = 3;
    int call = 0;
    for (; thrown > 0; ++call)
    {
      SCOPED_TRACE("rank " + std::to_string(failing) + ", call " + std::to_string(call));
      std::atomic<int> calls_left{call};
      thrown = ranks_that_throw(
        failing, [&](mgpu::thread_communicator& communicator)
        { f(communicator, communicator.rank() == failing ? &calls_left : nullptr); });
      check(thrown);
    }
    EXPECT_GT(call, least);
  }
}

} // namespace test
