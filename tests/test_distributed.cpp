// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Several ranks: exact cuts over a transport that the test provides, and merges and sorts over threads.

#include "support/counting_allocator.h"
#include "support/fuzz.h"
#include "support/orders.h"
#include "support/rank_pieces.h"
#include "support/systems.h"
#include "support/time_limit.h"

#include <mgpu_thrust/distributed.h>

#include <thrust/execution_policy.h>

#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <functional>
#include <future>
#include <iterator>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace
{

using test::ascending_by_rank;
using test::brought_sizes;
using test::concatenation;
using test::cut_into;
using test::device_pieces;
using test::for_each_distribution;
using test::for_each_local_policy;
using test::ids_of;
using test::order_that_throws;
using test::random_pieces;
using test::rank_keys;
using test::ranks_that_throw;
using test::sequence_keys;
using test::to_host_pieces;
using test::to_memory_pieces;
using rank_cuts = mgpu::distributed_cuts<int, std::function<bool(int, int)>>;

mgpu::distributed_piece<int> piece_in(const rank_keys& keys)
{
  return {
    static_cast<std::int64_t>(keys.size()), [&keys](const std::int64_t* positions, std::int64_t count, int* out)
    {
      for (std::int64_t i = 0; i < count; ++i)
      {
        out[i] = keys.at(static_cast<std::size_t>(positions[i]));
      }
    }};
}

/// One round of all ranks in one thread. Returns what each of them throws.
std::vector<std::exception_ptr> exchange_messages(std::vector<rank_cuts>& ranks)
{
  const std::size_t bytes = ranks[0].message_bytes();
  std::vector<unsigned char> messages(ranks.size() * bytes);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
  {
    EXPECT_EQ(ranks[rank].message_bytes(), bytes);
    EXPECT_LE(bytes, ranks[rank].max_message_bytes());
    ranks[rank].write_message(messages.data() + rank * bytes);
  }
  std::vector<std::exception_ptr> errors(ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
  {
    try
    {
      ranks[rank].read_messages(messages.data());
    }
    catch (...)
    {
      errors[rank] = std::current_exception();
    }
  }
  return errors;
}

/// The elements of a sequence in the order (key, rank, index), which index tells.
struct ranked_element
{
  int key;
  int rank;
  int index;

  friend bool operator<(const ranked_element& x, const ranked_element& y)
  {
    return x.key < y.key;
  }
  friend bool operator==(const ranked_element& x, const ranked_element& y)
  {
    return x.key == y.key && x.rank == y.rank && x.index == y.index;
  }
};
using ranked_elements = std::vector<ranked_element>;

ranked_elements elements_in_order(const sequence_keys& keys)
{
  ranked_elements elements;
  for (std::size_t rank = 0; rank < keys.size(); ++rank)
  {
    for (std::size_t i = 0; i < keys[rank].size(); ++i)
    {
      elements.push_back({keys[rank][i], static_cast<int>(rank), static_cast<int>(i)});
    }
  }
  std::stable_sort(elements.begin(), elements.end());
  return elements;
}

/// Where one process that has all elements cuts each sequence.
std::vector<std::vector<std::int64_t>> expected_cuts(
  const std::vector<ranked_elements>& sequences, const std::vector<std::int64_t>& result_sizes, mgpu::cut_path path)
{
  std::vector<std::vector<std::int64_t>> cuts(1, std::vector<std::int64_t>(sequences.size()));
  std::int64_t diagonal = 0;
  for (const std::int64_t size : result_sizes)
  {
    diagonal += size;
    if (path == mgpu::cut_path::balanced)
    {
      const auto point = mgpu::balanced_path(
        sequences[0].data(), static_cast<std::int64_t>(sequences[0].size()), sequences[1].data(),
        static_cast<std::int64_t>(sequences[1].size()), diagonal, std::less<ranked_element>{});
      cuts.push_back({point.a_index, point.b_index});
      continue;
    }
    // The merge takes the first element of the sequence whose next key is least.
    std::vector<std::int64_t> next = cuts.back();
    for (std::int64_t i = 0; i < size; ++i)
    {
      std::size_t least = sequences.size();
      for (std::size_t sequence = 0; sequence < sequences.size(); ++sequence)
      {
        const auto element = [&](std::size_t of) { return sequences[of][static_cast<std::size_t>(next[of])]; };
        if (
          next[sequence] < static_cast<std::int64_t>(sequences[sequence].size())
          && (least == sequences.size() || element(sequence) < element(least)))
        {
          least = sequence;
        }
      }
      ++next[least];
    }
    cuts.push_back(next);
  }
  return cuts;
}

/// Cuts sequences, which ranks have sorted pieces of, and compares the parts with those that one process finds. Returns
/// what each rank receives of each sequence, in order.
std::vector<std::vector<ranked_elements>> expect_exact_cuts(
  const std::vector<sequence_keys>& sequences, const std::vector<std::int64_t>& result_sizes, std::size_t max_bytes,
  mgpu::cut_path path = mgpu::cut_path::merge)
{
  // 1. All elements in order, and which rank gets them.
  const int num_ranks = static_cast<int>(result_sizes.size());
  const int num_sequences = static_cast<int>(sequences.size());
  std::vector<ranked_elements> elements;
  for (const sequence_keys& keys : sequences)
  {
    elements.push_back(elements_in_order(keys));
  }
  const auto cuts = expected_cuts(elements, result_sizes, path);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(num_sequences) * num_ranks * num_ranks);
  const auto count_of = [&](int sequence, int from, int to) -> std::int64_t&
  { return counts[(static_cast<std::size_t>(sequence) * num_ranks + from) * num_ranks + to]; };
  std::vector<std::vector<ranked_elements>> received(num_ranks, std::vector<ranked_elements>(num_sequences));
  for (int to = 0; to < num_ranks; ++to)
  {
    for (int sequence = 0; sequence < num_sequences; ++sequence)
    {
      received[to][sequence].assign(
        elements[sequence].begin() + cuts[to][sequence], elements[sequence].begin() + cuts[to + 1][sequence]);
      for (const ranked_element& element : received[to][sequence])
      {
        ++count_of(sequence, element.rank, to);
      }
    }
  }

  // 2. The rounds.
  std::vector<rank_cuts> ranks;
  for (int rank = 0; rank < num_ranks; ++rank)
  {
    std::vector<mgpu::distributed_piece<int>> pieces;
    for (const sequence_keys& keys : sequences)
    {
      pieces.push_back(piece_in(keys[rank]));
    }
    ranks.emplace_back(
      "cuts", rank, num_ranks, pieces, result_sizes[rank], std::less<int>{}, mgpu::piece_order::sorted, max_bytes, 0,
      path);
  }
  int rounds = 0;
  for (; !ranks[0].is_done(); ++rounds)
  {
    for (const std::exception_ptr& error : exchange_messages(ranks))
    {
      if (error)
      {
        std::rethrow_exception(error);
      }
    }
  }
  const int sample_rounds = ranks[0].num_sample_rounds();
  EXPECT_EQ(rounds, sample_rounds + 2 + (path == mgpu::cut_path::balanced && sample_rounds > 0));

  // 3. Parts.
  const auto expect_parts = [&]
  {
    for (int sequence = 0; sequence < num_sequences; ++sequence)
    {
      std::int64_t part_begin = 0;
      for (int to = 0; to < num_ranks; ++to)
      {
        ASSERT_EQ(ranks[to].part_begin(sequence, to), part_begin) << sequence << ' ' << to;
        for (int from = 0; from < num_ranks; ++from)
        {
          part_begin += count_of(sequence, from, to);
        }
      }
      for (int from = 0; from < num_ranks; ++from)
      {
        std::int64_t begin = 0;
        for (int to = 0; to < num_ranks; ++to)
        {
          const std::int64_t expected = count_of(sequence, from, to);
          ASSERT_EQ(ranks[from].send_begin(sequence, to), begin) << sequence << ' ' << from << ' ' << to;
          ASSERT_EQ(ranks[from].send_count(sequence, to), expected) << sequence << ' ' << from << ' ' << to;
          ASSERT_EQ(ranks[to].receive_count(sequence, from), expected) << sequence << ' ' << from << ' ' << to;
          ASSERT_EQ(ranks[to].receive_begin(sequence, from), begin) << sequence << ' ' << from << ' ' << to;
          begin += expected;
        }
      }
    }
  };
  expect_parts();
  return received;
}

TEST(DistributedCuts, AllPlacementsOfAFewElements)
{
  // Each element has one of 2 keys, and one of 6 pieces: of 2 sequences on 3 ranks.
  constexpr int num_elements = 4;
  constexpr int kinds = 2 * 6;
  for (int code = 0; code < kinds * kinds * kinds * kinds; ++code)
  {
    std::vector<sequence_keys> sequences(2, sequence_keys(3));
    for (int element = 0, rest = code; element < num_elements; ++element, rest /= kinds)
    {
      const int kind = rest % kinds;
      sequences[kind % 2][kind / 2 % 3].push_back(kind / 6);
    }
    for (sequence_keys& keys : sequences)
    {
      for (rank_keys& piece : keys)
      {
        std::sort(piece.begin(), piece.end());
      }
    }
    expect_exact_cuts(sequences, brought_sizes(sequences), rank_cuts::default_max_bytes);
    if (code % 16 == 0)
    {
      for (std::int64_t first = 0; first <= num_elements; ++first)
      {
        for (std::int64_t second = 0; first + second <= num_elements; ++second)
        {
          expect_exact_cuts(sequences, {first, second, num_elements - first - second}, rank_cuts::default_max_bytes);
        }
      }
    }
    ASSERT_FALSE(HasFatalFailure()) << code;
  }
}

/// Calls f with each vector of `size` digits below `base`.
template <class Function>
void for_each_vector(int size, int base, Function f)
{
  std::vector<int> digits(static_cast<std::size_t>(size));
  for (bool has_next = true; has_next;)
  {
    f(digits);
    const auto next = std::find_if(digits.begin(), digits.end(), [&](int digit) { return digit + 1 < base; });
    std::fill(digits.begin(), next, 0);
    has_next = next != digits.end();
    if (has_next)
    {
      ++*next;
    }
  }
}

/// Cuts two sequences with some copies of keys on each rank by all pairs of diagonals, or by all diagonals of two
/// ranks: copies[(sequence num_ranks + rank) num_keys + key].
void expect_balanced_cuts_of_copies(int num_ranks, int num_keys, const std::vector<int>& copies)
{
  std::vector<sequence_keys> sequences(2, sequence_keys(num_ranks));
  auto next = copies.begin();
  for (sequence_keys& keys : sequences)
  {
    for (rank_keys& piece : keys)
    {
      for (int key = 0; key < num_keys; ++key, ++next)
      {
        piece.insert(piece.end(), *next, key);
      }
    }
  }
  const int count = std::accumulate(copies.begin(), copies.end(), 0);
  for (int first = 0; first <= count; ++first)
  {
    for (int second = num_ranks == 2 ? count - first : 0; second <= count - first; ++second)
    {
      std::vector<std::int64_t> sizes{first, second};
      if (num_ranks == 3)
      {
        sizes.push_back(count - first - second);
      }
      (void) expect_exact_cuts(sequences, sizes, rank_cuts::default_max_bytes, mgpu::cut_path::balanced);
    }
  }
}

TEST(DistributedCuts, AllCopiesOnTheBalancedPath)
{
  // Two ranks with up to 2 copies of each of 2 keys, or up to 5 of one; three ranks with up to 2 of one.
  for_each_vector(8, 3, [](const std::vector<int>& copies) { expect_balanced_cuts_of_copies(2, 2, copies); });
  for_each_vector(4, 6, [](const std::vector<int>& copies) { expect_balanced_cuts_of_copies(2, 1, copies); });
  for_each_vector(6, 3, [](const std::vector<int>& copies) { expect_balanced_cuts_of_copies(3, 1, copies); });
}

/// The results of all set operations, of which each element tells where it comes from.
std::array<ranked_elements, 4> set_operations_of(const ranked_elements& a, const ranked_elements& b)
{
  std::array<ranked_elements, 4> results;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(results[0]));
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(results[1]));
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(results[2]));
  std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(results[3]));
  return results;
}

TEST(DistributedCuts, SetOperationsOfParts)
{
  // Each rank executes them on what it gets: together, the results are those of the whole.
  std::mt19937 random(7);
  const auto up_to = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
  for (const int num_ranks : {1, 2, 3, 5, 8, 16})
  {
    for (const int num_keys : {1, 2, 20, 1000, 1 << 20})
    {
      for (const bool ascends : {true, false})
      {
        std::vector<sequence_keys> sequences(2, sequence_keys(num_ranks));
        for (sequence_keys& keys : sequences)
        {
          for (rank_keys& piece : keys)
          {
            piece.resize(up_to(3) == 0 ? 0 : up_to(700));
          }
          rank_keys all(concatenation(keys));
          std::generate(all.begin(), all.end(), [&] { return up_to(num_keys - 1); });
          if (ascends)
          {
            std::sort(all.begin(), all.end());
          }
          auto next = all.begin();
          for (rank_keys& piece : keys)
          {
            std::copy_n(next, piece.size(), piece.begin());
            next += static_cast<std::ptrdiff_t>(piece.size());
            std::sort(piece.begin(), piece.end());
          }
        }
        const std::size_t max_bytes = up_to(1) == 0 ? 1 : rank_cuts::default_max_bytes;
        const auto received =
          expect_exact_cuts(sequences, brought_sizes(sequences), max_bytes, mgpu::cut_path::balanced);
        std::array<ranked_elements, 4> joined;
        for (const std::vector<ranked_elements>& parts : received)
        {
          const auto of_rank = set_operations_of(parts[0], parts[1]);
          for (std::size_t i = 0; i < joined.size(); ++i)
          {
            joined[i].insert(joined[i].end(), of_rank[i].begin(), of_rank[i].end());
          }
        }
        const auto expected = set_operations_of(elements_in_order(sequences[0]), elements_in_order(sequences[1]));
        for (std::size_t i = 0; i < joined.size(); ++i)
        {
          EXPECT_TRUE(joined[i] == expected[i]) << i << ' ' << num_ranks << ' ' << num_keys << ' ' << ascends;
        }
      }
    }
  }
}

TEST(DistributedCuts, Fuzz)
{
  test::for_each_fuzz_case(
    150,
    [](std::mt19937_64& random)
    {
      const auto up_to = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
      const int num_ranks = 1 + up_to(up_to(1) == 0 ? 4 : 16);
      const int num_sequences = 1 + up_to(2);
      const int num_keys = std::array<int, 4>{0, 3, 50, 1 << 20}[up_to(3)];
      std::vector<sequence_keys> sequences(num_sequences, sequence_keys(num_ranks));
      for (sequence_keys& keys : sequences)
      {
        for (int rank = 0; rank < num_ranks; ++rank)
        {
          const int size = std::array<int, 4>{0, 5, 300, 3000}[up_to(3)];
          const int first = up_to(1) * num_keys * rank;
          keys[rank].resize(up_to(size));
          std::generate(keys[rank].begin(), keys[rank].end(), [&] { return first + up_to(num_keys); });
          std::sort(keys[rank].begin(), keys[rank].end());
        }
      }
      // Few samples a round, so that many rounds are needed; any sizes of results.
      std::vector<std::int64_t> sizes = brought_sizes(sequences);
      for (std::size_t rank = 1; rank < sizes.size(); ++rank)
      {
        const std::int64_t moved = up_to(1) * (sizes[rank] / 2);
        sizes[rank] -= moved;
        sizes[rank - 1] += moved;
      }
      const std::size_t max_bytes = std::array<std::size_t, 3>{1, 1000, 1 << 18}[up_to(2)];
      expect_exact_cuts(sequences, sizes, max_bytes);
      if (num_sequences == 2)
      {
        expect_exact_cuts(sequences, sizes, max_bytes, mgpu::cut_path::balanced);
      }
    });
}

TEST(DistributedCuts, RoundsInTheWorstCase)
{
  struct sixteen_bytes
  {
    std::int64_t words[2];
  };
  using cuts = mgpu::distributed_cuts<sixteen_bytes, bool (*)(const sixteen_bytes&, const sixteen_bytes&)>;
  constexpr std::int64_t samples = cuts::default_max_bytes / sizeof(sixteen_bytes);
  constexpr std::int64_t size = std::int64_t{1} << 30;
  EXPECT_EQ(cuts::max_sample_rounds(size, 1, 1, samples), 0);
  EXPECT_EQ(cuts::max_sample_rounds(0, 16, 1, samples), 0);
  EXPECT_EQ(cuts::max_sample_rounds(samples, 2, 1, samples), 1);
  for (int num_ranks = 2; num_ranks <= 16; ++num_ranks)
  {
    EXPECT_LE(cuts::max_sample_rounds(size * num_ranks, num_ranks, 1, samples), 4) << num_ranks;
    EXPECT_LE(cuts::max_sample_rounds(size * num_ranks, num_ranks, 2, samples), 4) << num_ranks;
  }
  EXPECT_EQ(cuts::max_sample_rounds(2 * size, 2, 1, 4 * samples), 2);
}

/// Three ranks that have keys, on the balanced path twice the same, and may make wrong calls.
std::vector<rank_cuts> three_ranks(
  const sequence_keys& keys, std::vector<std::string> names = {"call", "call", "call"},
  mgpu::piece_order order = mgpu::piece_order::sorted, mgpu::cut_path path = mgpu::cut_path::merge)
{
  std::vector<rank_cuts> ranks;
  for (int rank = 0; rank < 3; ++rank)
  {
    const std::vector<mgpu::distributed_piece<int>> pieces(
      path == mgpu::cut_path::balanced ? 2 : 1, piece_in(keys[rank]));
    ranks.emplace_back(
      names[rank], rank, 3, pieces, static_cast<std::int64_t>(pieces.size() * keys[rank].size()), std::less<int>{},
      order, 1, 0, path);
  }
  return ranks;
}

/// Executes rounds until a rank throws; then all do. Returns the messages.
std::vector<std::string> expect_all_to_throw(std::vector<rank_cuts>& ranks)
{
  while (!ranks[0].is_done())
  {
    const std::vector<std::exception_ptr> errors = exchange_messages(ranks);
    if (std::any_of(errors.begin(), errors.end(), [](const std::exception_ptr& error) { return error != nullptr; }))
    {
      std::vector<std::string> texts;
      for (const std::exception_ptr& error : errors)
      {
        EXPECT_TRUE(error);
        try
        {
          std::rethrow_exception(error);
        }
        catch (const std::exception& caught)
        {
          texts.emplace_back(caught.what());
        }
      }
      return texts;
    }
  }
  return {};
}

TEST(DistributedCuts, ErrorsReachAllRanks)
{
  sequence_keys keys(3, rank_keys(5000));
  for (rank_keys& piece : keys)
  {
    std::iota(piece.begin(), piece.end(), 0);
  }

  for (const mgpu::cut_path path : {mgpu::cut_path::merge, mgpu::cut_path::balanced})
  {
    const auto ranks_of_path = [&] {
      return three_ranks(keys, {"call", "call", "call"}, mgpu::piece_order::sorted, path);
    };
    // By fail(), before each round.
    std::vector<rank_cuts> sound = ranks_of_path();
    int rounds = 0;
    for (; !sound[0].is_done(); ++rounds)
    {
      exchange_messages(sound);
    }
    ASSERT_GE(rounds, 5);
    for (int round = 0; round < rounds; ++round)
    {
      for (int failing = 0; failing < 3; ++failing)
      {
        std::vector<rank_cuts> ranks = ranks_of_path();
        for (int earlier = 0; earlier < round; ++earlier)
        {
          exchange_messages(ranks);
        }
        ranks[failing].fail(std::make_exception_ptr(std::runtime_error("no paper")));
        const std::vector<std::string> texts = expect_all_to_throw(ranks);
        ASSERT_EQ(texts.size(), 3u);
        for (int rank = 0; rank < 3; ++rank)
        {
          EXPECT_EQ(
            texts[rank],
            rank == failing ? "no paper" : "mgpu::call: rank " + std::to_string(failing) + " has failed: no paper");
        }
      }
    }

    // By each read of a piece.
    int reads = -1;
    for (int failing_read = 0; failing_read <= reads || reads < 0; ++failing_read)
    {
      int left = failing_read;
      std::vector<rank_cuts> ranks;
      for (int rank = 0; rank < 3; ++rank)
      {
        mgpu::distributed_piece<int> piece = piece_in(keys[rank]);
        piece.read = [&, rank, read = piece.read](const std::int64_t* positions, std::int64_t count, int* out)
        {
          if (rank == 1 && left-- == 0)
          {
            throw std::runtime_error("cannot read");
          }
          read(positions, count, out);
        };
        const std::vector<mgpu::distributed_piece<int>> pieces(2, piece);
        ranks.emplace_back("call", rank, 3, pieces, 10000, std::less<int>{}, mgpu::piece_order::sorted, 1, 0, path);
      }
      const std::vector<std::string> texts = expect_all_to_throw(ranks);
      if (texts.empty())
      {
        reads = failing_read;
        break;
      }
      EXPECT_EQ(texts[1], "cannot read");
      EXPECT_EQ(texts[0], "mgpu::call: rank 1 has failed: cannot read");
    }
    EXPECT_GT(reads, path == mgpu::cut_path::merge ? 6 : 8);
  }
  EXPECT_THROW(
    rank_cuts(
      "call", 0, 3, {piece_in(keys[0])}, 1, std::less<int>{}, mgpu::piece_order::sorted, 1, 0,
      mgpu::cut_path::balanced),
    std::invalid_argument);

  // Different calls, names and sizes of results.
  std::vector<rank_cuts> different = three_ranks(keys, {"call", "call", "another"});
  EXPECT_EQ(
    expect_all_to_throw(different),
    (std::vector<std::string>{
      "mgpu::call: rank 2 makes another call than rank 0", "mgpu::call: rank 2 makes another call than rank 0",
      "mgpu::another: rank 2 makes another call than rank 0"}));

  // Pieces that do not ascend, and such as are not sorted.
  std::vector<rank_cuts> overlapping =
    three_ranks(keys, {"call", "call", "call"}, mgpu::piece_order::ascending_by_rank);
  for (const std::string& text : expect_all_to_throw(overlapping))
  {
    EXPECT_NE(text.find("do not ascend by rank: the first element of rank 1"), std::string::npos) << text;
  }
  for (rank_keys& piece : keys)
  {
    std::mt19937 random;
    std::shuffle(piece.begin(), piece.end(), random);
  }
  std::vector<rank_cuts> unsorted = three_ranks(keys);
  for (const std::string& text : expect_all_to_throw(unsorted))
  {
    EXPECT_NE(text.find("not sorted"), std::string::npos) << text;
  }
}

TEST(DistributedCuts, BrokenPreconditionsOnTheBalancedPath)
{
  // All ranks throw, or all have the same cuts, which ascend.
  const test::time_limit limit;
  std::mt19937 random(5);
  int num_thrown = 0;
  int num_done = 0;
  for (int repetition = 0; repetition < 400; ++repetition)
  {
    const int num_keys = repetition % 2 == 0 ? 4 : 40;
    const test::some_order order{
      repetition % 3 == 0 ? static_cast<test::order_kind>(random() % test::num_order_kinds) : test::order_kind::less};
    std::vector<sequence_keys> sequences(2, sequence_keys(3));
    std::vector<rank_cuts> ranks;
    for (int rank = 0; rank < 3; ++rank)
    {
      std::vector<mgpu::distributed_piece<int>> pieces;
      for (sequence_keys& keys : sequences)
      {
        keys[rank].resize(random() % 40);
        std::generate(keys[rank].begin(), keys[rank].end(), [&] { return static_cast<int>(random() % num_keys); });
        std::sort(keys[rank].begin(), keys[rank].end());
        if (!keys[rank].empty() && repetition % 4 < 2)
        {
          keys[rank][random() % keys[rank].size()] = static_cast<int>(random() % num_keys);
        }
        pieces.push_back(piece_in(keys[rank]));
      }
      const bool is_coarse = rank == 2 && repetition % 4 >= 2;
      ranks.emplace_back(
        "call", rank, 3, pieces, static_cast<std::int64_t>(sequences[0][rank].size() + sequences[1][rank].size()),
        [=](int x, int y) { return is_coarse ? order(x / 2, y / 2) : order(x, y); }, mgpu::piece_order::sorted,
        repetition % 8 < 4 ? 1 : 1000, 0, mgpu::cut_path::balanced);
    }
    const std::vector<std::string> texts = expect_all_to_throw(ranks);
    num_thrown += texts.empty() ? 0 : 1;
    num_done += texts.empty() ? 1 : 0;
    for (int sequence = 0; texts.empty() && sequence < 2; ++sequence)
    {
      for (int from = 0; from < 3; ++from)
      {
        std::int64_t end = 0;
        for (int to = 0; to < 3; ++to)
        {
          ASSERT_EQ(ranks[from].send_begin(sequence, to), end);
          ASSERT_GE(ranks[from].send_count(sequence, to), 0);
          ASSERT_EQ(ranks[from].send_count(sequence, to), ranks[to].receive_count(sequence, from));
          end += ranks[from].send_count(sequence, to);
        }
        ASSERT_EQ(end, ranks[from].piece_size(sequence, from));
      }
    }
    // A result has room for an element more than a rank brings.
    for (int to = 0; texts.empty() && to < 3; ++to)
    {
      std::int64_t more = 0;
      for (int sequence = 0; sequence < 2; ++sequence)
      {
        more -= ranks[to].piece_size(sequence, to);
        for (int from = 0; from < 3; ++from)
        {
          more += ranks[to].receive_count(sequence, from);
        }
      }
      ASSERT_TRUE(more >= -1 && more <= 1) << more;
    }
  }
  EXPECT_GT(num_thrown, 10);
  EXPECT_GT(num_done, 10);
}

// ---- Calls over threads ----

/// The order of pairs of a key and an id by their keys alone.
std::vector<int> sorted_ids(const rank_keys& keys)
{
  std::vector<int> ids(keys.size());
  std::iota(ids.begin(), ids.end(), 0);
  std::stable_sort(ids.begin(), ids.end(), [&](int x, int y) { return keys[x] < keys[y]; });
  return ids;
}
rank_keys gathered_keys(const rank_keys& keys, const std::vector<int>& ids)
{
  rank_keys gathered;
  for (const int id : ids)
  {
    gathered.push_back(keys[id]);
  }
  return gathered;
}

template <class Policy>
void expect_sorts_over_ranks(Policy policy, const sequence_keys& pieces)
{
  const int num_ranks = static_cast<int>(pieces.size());
  auto keys = to_memory_pieces<Policy>(pieces);
  auto keys_only = keys;
  auto ids = to_memory_pieces<Policy>(ids_of(pieces, 0));
  mgpu::run_on_threads(
    num_ranks,
    [&](mgpu::thread_communicator& communicator)
    {
      auto& mine = keys[communicator.rank()];
      auto& only = keys_only[communicator.rank()];
      mgpu::stable_sort_by_key(
        mgpu::over(communicator, policy), mine.begin(), mine.end(), ids[communicator.rank()].begin());
      mgpu::sort(mgpu::over(communicator, policy), only.begin(), only.end());
    });
  const rank_keys all = concatenation(pieces);
  const std::vector<int> order = sorted_ids(all);
  const auto sizes = brought_sizes({pieces});
  ASSERT_EQ(to_host_pieces<Policy>(keys), cut_into(gathered_keys(all, order), sizes));
  ASSERT_EQ(to_host_pieces<Policy>(keys_only), cut_into(gathered_keys(all, order), sizes));
  ASSERT_EQ(to_host_pieces<Policy>(ids), cut_into(order, sizes));
}

/// Merges runs over ranks, of which each has some: its piece, which is divided at random.
void expect_merges_of_runs_over_ranks(std::mt19937& random, sequence_keys pieces)
{
  using policy = std::decay_t<decltype(thrust::device)>;
  sequence_keys offsets;
  for (rank_keys& keys : pieces)
  {
    rank_keys& begins = offsets.emplace_back(1, 0);
    for (int more = static_cast<int>(random() % 6); more > 0; --more)
    {
      begins.push_back(static_cast<int>(random() % (keys.size() + 1)));
    }
    std::sort(begins.begin(), begins.end());
    for (std::size_t run = 0; run < begins.size(); ++run)
    {
      std::sort(keys.begin() + begins[run], run + 1 < begins.size() ? keys.begin() + begins[run + 1] : keys.end());
    }
  }
  const auto keys = to_memory_pieces<policy>(pieces);
  const auto ids = to_memory_pieces<policy>(ids_of(pieces, 0));
  const auto run_offsets = to_memory_pieces<policy>(offsets);
  auto keys_out = keys;
  auto only_out = keys;
  auto ids_out = ids;
  mgpu::run_on_threads(
    static_cast<int>(pieces.size()),
    [&](mgpu::thread_communicator& communicator)
    {
      const int rank = communicator.rank();
      const auto exec = mgpu::over(communicator, thrust::device);
      const auto& begins = run_offsets[rank];
      const auto ends = mgpu::merge_runs_by_key(
        exec, keys[rank].begin(), keys[rank].end(), ids[rank].begin(), begins.begin(), begins.end(),
        keys_out[rank].begin(), ids_out[rank].begin());
      EXPECT_TRUE(ends.first == keys_out[rank].end() && ends.second == ids_out[rank].end());
      EXPECT_TRUE(
        mgpu::merge_runs(
          exec, keys[rank].begin(), keys[rank].end(), begins.begin(), begins.end(), only_out[rank].begin())
        == only_out[rank].end());
    });
  const rank_keys all = concatenation(pieces);
  const std::vector<int> order = sorted_ids(all);
  const auto sizes = brought_sizes({pieces});
  ASSERT_EQ(to_host_pieces<policy>(keys_out), cut_into(gathered_keys(all, order), sizes));
  ASSERT_EQ(to_host_pieces<policy>(only_out), cut_into(gathered_keys(all, order), sizes));
  ASSERT_EQ(to_host_pieces<policy>(ids_out), cut_into(order, sizes));
}

template <class Policy>
void expect_merges_over_ranks(Policy policy, const sequence_keys& a, const sequence_keys& b)
{
  const int num_ranks = static_cast<int>(a.size());
  const sequence_keys a_pieces = ascending_by_rank(a);
  const sequence_keys b_pieces = ascending_by_rank(b);
  const auto a_keys = to_memory_pieces<Policy>(a_pieces);
  const auto b_keys = to_memory_pieces<Policy>(b_pieces);
  const auto a_ids = to_memory_pieces<Policy>(ids_of(a_pieces, 0));
  const auto b_ids = to_memory_pieces<Policy>(ids_of(b_pieces, static_cast<int>(concatenation(a).size())));
  device_pieces<Policy, int> keys_out;
  device_pieces<Policy, int> only_out;
  device_pieces<Policy, int> ids_out;
  const auto sizes = brought_sizes({a, b});
  for (const std::int64_t size : sizes)
  {
    keys_out.emplace_back(size);
    only_out.emplace_back(size);
    ids_out.emplace_back(size);
  }
  mgpu::run_on_threads(
    num_ranks,
    [&](mgpu::thread_communicator& communicator)
    {
      const int rank = communicator.rank();
      const auto exec = mgpu::over(communicator, policy);
      const auto ends = mgpu::merge_by_key(
        exec, a_keys[rank].begin(), a_keys[rank].end(), b_keys[rank].begin(), b_keys[rank].end(), a_ids[rank].begin(),
        b_ids[rank].begin(), keys_out[rank].begin(), ids_out[rank].begin());
      EXPECT_TRUE(ends.first == keys_out[rank].end() && ends.second == ids_out[rank].end());
      const auto end = mgpu::merge(
        exec, a_keys[rank].begin(), a_keys[rank].end(), b_keys[rank].begin(), b_keys[rank].end(),
        only_out[rank].begin());
      EXPECT_TRUE(end == only_out[rank].end());
    });
  rank_keys all = concatenation(a_pieces);
  const rank_keys all_b = concatenation(b_pieces);
  all.insert(all.end(), all_b.begin(), all_b.end());
  const std::vector<int> order = sorted_ids(all);
  ASSERT_EQ(to_host_pieces<Policy>(keys_out), cut_into(gathered_keys(all, order), sizes));
  ASSERT_EQ(to_host_pieces<Policy>(only_out), cut_into(gathered_keys(all, order), sizes));
  ASSERT_EQ(to_host_pieces<Policy>(ids_out), cut_into(order, sizes));
}

/// Cuts on the balanced path of pieces in memory of a policy, over threads.
template <class Policy>
void expect_balanced_cuts_over_ranks(Policy policy, const sequence_keys& a_keys, const sequence_keys& b_keys)
{
  const sequence_keys a = ascending_by_rank(a_keys);
  const sequence_keys b = ascending_by_rank(b_keys);
  const auto sizes = brought_sizes({a, b});
  const std::vector<ranked_elements> elements{elements_in_order(a), elements_in_order(b)};
  const auto expected = expected_cuts(elements, sizes, mgpu::cut_path::balanced);
  const std::vector<device_pieces<Policy, int>> pieces{to_memory_pieces<Policy>(a), to_memory_pieces<Policy>(b)};
  mgpu::run_on_threads(
    static_cast<int>(sizes.size()),
    [&](mgpu::thread_communicator& communicator)
    {
      const auto rank = static_cast<std::size_t>(communicator.rank());
      Policy local = policy;
      std::vector<mgpu::distributed_piece<int>> own_pieces;
      for (const device_pieces<Policy, int>& piece : pieces)
      {
        own_pieces.push_back(mgpu::detail::make_piece(
          local, "cuts", thrust::raw_pointer_cast(piece[rank].data()), static_cast<std::int64_t>(piece[rank].size())));
      }
      mgpu::distributed_cuts<int, std::less<int>> cuts(
        "cuts", communicator.rank(), communicator.size(), own_pieces, sizes[rank], {},
        mgpu::piece_order::ascending_by_rank, 1 << 12, 0, mgpu::cut_path::balanced);
      mgpu::detail::find_cuts(communicator, cuts, [] {});
      for (std::size_t sequence = 0; sequence < 2; ++sequence)
      {
        for (int from = 0; from < communicator.size(); ++from)
        {
          const std::int64_t count = std::count_if(
            elements[sequence].begin() + expected[rank][sequence],
            elements[sequence].begin() + expected[rank + 1][sequence],
            [&](const ranked_element& element) { return element.rank == from; });
          EXPECT_EQ(cuts.receive_count(static_cast<int>(sequence), from), count);
        }
      }
    });
}

template <class Policy>
void expect_rebalanced(Policy policy, const sequence_keys& pieces)
{
  const int num_ranks = static_cast<int>(pieces.size());
  const auto keys = to_memory_pieces<Policy>(pieces);
  device_pieces<Policy, int> out(pieces.size());
  mgpu::run_on_threads(
    num_ranks,
    [&](mgpu::thread_communicator& communicator)
    {
      const auto exec = mgpu::over(communicator, policy);
      const auto& mine = keys[communicator.rank()];
      auto& result = out[communicator.rank()];
      result.resize(mgpu::rebalanced_size(exec, static_cast<std::int64_t>(mine.size())));
      const auto end =
        mgpu::rebalance(exec, mine.begin(), mine.end(), result.begin(), static_cast<std::int64_t>(result.size()));
      EXPECT_TRUE(end == result.end());
    });
  const rank_keys all = concatenation(pieces);
  std::vector<std::int64_t> sizes;
  for (int rank = 0; rank < num_ranks; ++rank)
  {
    const auto total = static_cast<std::int64_t>(all.size());
    sizes.push_back(total / num_ranks + (rank < total % num_ranks));
  }
  ASSERT_EQ(to_host_pieces<Policy>(out), cut_into(all, sizes));
}

TEST(Distributed, Sorts)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for_each_local_policy(
    [](auto policy) {
      for_each_distribution([&](const sequence_keys& a, const sequence_keys&) { expect_sorts_over_ranks(policy, a); });
    });
}

TEST(Distributed, MergesOfRuns)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937 random(11);
  test::for_each_distribution(
    [&](const sequence_keys& a, const sequence_keys& b)
    {
      expect_merges_of_runs_over_ranks(random, a);
      expect_merges_of_runs_over_ranks(random, b);
    });
}

TEST(Distributed, Merges)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for_each_local_policy(
    [](auto policy)
    {
      for_each_distribution([&](const sequence_keys& a, const sequence_keys& b)
                            { expect_merges_over_ranks(policy, a, b); });
    });
}

TEST(Distributed, BalancedCuts)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for_each_local_policy(
    [](auto policy)
    {
      for_each_distribution([&](const sequence_keys& a, const sequence_keys& b)
                            { expect_balanced_cuts_over_ranks(policy, a, b); });
      std::mt19937 random(11);
      for (const int num_keys : {1, 2, 100, 1 << 30})
      {
        const sequence_keys a = random_pieces(random, {60000, 0, 20000}, num_keys);
        expect_balanced_cuts_over_ranks(policy, a, random_pieces(random, {5000, 50000, 30001}, num_keys));
      }
    });
}

/// An element of `Words` words whose first one is the key.
template <class Word, int Words, int Alignment = alignof(Word)>
struct alignas(Alignment) sent_element
{
  Word words[Words];

  MGPU_THRUST_HOST_DEVICE friend bool operator<(const sent_element& x, const sent_element& y)
  {
    return x.words[0] < y.words[0];
  }
  friend bool operator==(const sent_element& x, const sent_element& y)
  {
    return std::equal(x.words, x.words + Words, y.words);
  }
};

/// Merges by key sequences of which most of rank 0's last elements go to rank 1, and of rank 1's first ones to rank 0.
/// Values are of another size than keys.
template <class T>
void expect_merge_of_elements(int size)
{
  using policy = std::decay_t<decltype(thrust::device)>;
  const auto make = [&](int first, int count, int step)
  {
    std::vector<T> elements(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
    {
      elements[static_cast<std::size_t>(i)] = T{};
      elements[static_cast<std::size_t>(i)].words[0] =
        static_cast<std::decay_t<decltype(elements[0].words[0])>>((first + i) / step);
    }
    return elements;
  };
  // A: rank 0 has more than it gets; B: fewer. Equal keys of A and B alternate in runs.
  const int step = sizeof(T{}.words[0]) == 1 ? size / 50 : 3;
  const int more = size + size / 3 + 1;
  const int fewer = 2 * size - more;
  const std::vector<std::vector<T>> a{make(0, more, step), make(more, fewer, step)};
  const std::vector<std::vector<T>> b{make(0, fewer, step), make(fewer, more, step)};
  std::vector<std::vector<T>> keys(2);
  std::vector<std::vector<std::int16_t>> values(2);
  mgpu::run_on_threads(
    2,
    [&](mgpu::thread_communicator& communicator)
    {
      const auto rank = static_cast<std::size_t>(communicator.rank());
      const auto a_keys = test::to_memory<policy>(a[rank]);
      const auto b_keys = test::to_memory<policy>(b[rank]);
      const auto numbers = [&](std::size_t count, std::size_t first)
      {
        std::vector<std::int16_t> all(count);
        std::iota(all.begin(), all.end(), static_cast<std::int16_t>(first));
        return test::to_memory<policy>(all);
      };
      const auto a_values = numbers(a_keys.size(), rank * a[0].size());
      const auto b_values = numbers(b_keys.size(), rank * b[0].size() + 5);
      auto keys_out = test::to_memory<policy>(std::vector<T>(a_keys.size() + b_keys.size()));
      auto values_out = test::to_memory<policy>(std::vector<std::int16_t>(keys_out.size()));
      mgpu::merge_by_key(
        mgpu::over(communicator, thrust::device), a_keys.begin(), a_keys.end(), b_keys.begin(), b_keys.end(),
        a_values.begin(), b_values.begin(), keys_out.begin(), values_out.begin());
      keys[rank] = test::to_host(keys_out);
      values[rank] = test::to_host(values_out);
    });
  struct numbered
  {
    T key;
    std::int16_t value;
  };
  std::vector<numbered> all;
  for (const auto& [pieces, first] : {std::make_pair(&a, 0), std::make_pair(&b, 5)})
  {
    int number = first;
    for (const std::vector<T>& piece : *pieces)
    {
      for (const T& key : piece)
      {
        all.push_back({key, static_cast<std::int16_t>(number++)});
      }
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const numbered& x, const numbered& y) { return x.key < y.key; });
  auto next = all.begin();
  for (std::size_t rank = 0; rank < 2; ++rank)
  {
    for (std::size_t i = 0; i < keys[rank].size(); ++i, ++next)
    {
      ASSERT_TRUE(keys[rank][i] == next->key && values[rank][i] == next->value) << rank << ' ' << i;
    }
  }
}

TEST(Distributed, MergesOfOtherElements)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  // Parts of several tiles, and of more bytes than are sent undivided.
  expect_merge_of_elements<sent_element<std::uint8_t, 1>>(500000);
  expect_merge_of_elements<sent_element<int, 3>>(30001);
  expect_merge_of_elements<sent_element<std::int64_t, 4, 32>>(10001);
#if defined(__CUDACC__) // tiles of other sizes, which a CPU does not have
  expect_merge_of_elements<sent_element<std::int64_t, 2>>(30001);
  expect_merge_of_elements<sent_element<int, 40>>(3001);
#endif
}

TEST(Distributed, BytesThatAreSent)
{
  // A run is sent from and up to multiples of 16 bytes of the piece, or up to its end.
  for (const std::size_t item : {1, 2, 3, 12, 16, 40})
  {
    constexpr std::int64_t size = 50;
    for (std::int64_t first = 0; first <= size; ++first)
    {
      for (std::int64_t count = 0; first + count <= size; ++count)
      {
        const mgpu::detail::sent_run sent(first, count, size, item);
        if (count == 0)
        {
          EXPECT_EQ(sent.bytes, 0u);
          continue;
        }
        const std::size_t end = sent.begin + sent.bytes;
        EXPECT_EQ(sent.begin % 16, 0u);
        EXPECT_EQ(sent.begin + sent.run_begin, static_cast<std::size_t>(first) * item);
        EXPECT_LT(sent.run_begin, 16u);
        EXPECT_TRUE(end % 16 == 0 || end == size * item);
        EXPECT_TRUE(static_cast<std::size_t>(first + count) * item <= end && end <= size * item);
      }
    }
  }
}

TEST(Distributed, SortsOfBytes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  // Runs begin at any byte. Values are of another size.
  using policy = std::decay_t<decltype(thrust::device)>;
  std::mt19937 random(3);
  for (const int size : {5, 1001, 30011})
  {
    std::vector<std::vector<unsigned char>> keys(3);
    std::vector<std::vector<std::int16_t>> values(3);
    std::vector<std::pair<unsigned char, std::int16_t>> all;
    for (std::size_t rank = 0; rank < keys.size(); ++rank)
    {
      for (int i = 0; i < size + static_cast<int>(rank); ++i)
      {
        keys[rank].push_back(static_cast<unsigned char>(random() % 200));
        values[rank].push_back(static_cast<std::int16_t>(random()));
        all.emplace_back(keys[rank].back(), values[rank].back());
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    mgpu::run_on_threads(
      3,
      [&](mgpu::thread_communicator& communicator)
      {
        const auto rank = static_cast<std::size_t>(communicator.rank());
        auto own_keys = test::to_memory<policy>(keys[rank]);
        auto own_values = test::to_memory<policy>(values[rank]);
        mgpu::stable_sort_by_key(
          mgpu::over(communicator, thrust::device), own_keys.begin(), own_keys.end(), own_values.begin());
        keys[rank] = test::to_host(own_keys);
        values[rank] = test::to_host(own_values);
      });
    auto next = all.begin();
    for (std::size_t rank = 0; rank < keys.size(); ++rank)
    {
      for (std::size_t i = 0; i < keys[rank].size(); ++i, ++next)
      {
        ASSERT_TRUE(keys[rank][i] == next->first && values[rank][i] == next->second) << rank << ' ' << i;
      }
    }
  }
}

#if defined(__CUDACC__)

TEST(Distributed, SortsByDigits)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  // Zeros of both signs are equal.
  constexpr int count = (1 << 22) + 3;
  std::mt19937 random(12);
  std::vector<std::vector<float>> keys(2, std::vector<float>(count));
  std::vector<std::pair<float, int>> all;
  for (std::vector<float>& piece : keys)
  {
    for (float& key : piece)
    {
      const auto word = static_cast<int>(random() % 1000) - 500;
      key = word < 10 && word > 0 ? -0.0F : static_cast<float>(word / 10);
      all.emplace_back(key, static_cast<int>(all.size()));
    }
  }
  sequence_keys ids = ids_of({rank_keys(count), rank_keys(count)}, 0);
  std::stable_sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
  mgpu::run_on_threads(
    2,
    [&](mgpu::thread_communicator& communicator)
    {
      const auto rank = static_cast<std::size_t>(communicator.rank());
      const auto policy = thrust::cuda::par.on(cudaStreamPerThread);
      auto own_keys = test::to_memory<std::decay_t<decltype(policy)>>(keys[rank]);
      auto own_ids = test::to_memory<std::decay_t<decltype(policy)>>(ids[rank]);
      mgpu::stable_sort_by_key(
        mgpu::over(communicator, policy), own_keys.begin(), own_keys.end(), own_ids.begin(), ::cuda::std::greater<>{});
      keys[rank] = test::to_host(own_keys);
      ids[rank] = test::to_host(own_ids);
    });
  for (std::size_t i = 0; i < all.size(); ++i)
  {
    const std::size_t rank = i / count;
    ASSERT_EQ(keys[rank][i % count], all[i].first) << i;
    ASSERT_EQ(ids[rank][i % count], all[i].second) << i;
  }
}

#endif

TEST(Distributed, ElementsOfThreeParts)
{
  // Parts of all small sizes, some of them empty.
  std::vector<int> memory(30);
  std::iota(memory.begin(), memory.end(), 0);
  for (int lower = 0; lower < 4; ++lower)
  {
    for (int middle = 0; middle < 4; ++middle)
    {
      const mgpu::detail::three_parts<int> parts{
        memory.data(), memory.data() + 10, memory.data() + 20, lower, lower + middle};
      const mgpu::detail::three_parts_iterator<int> first(thrust::counting_iterator<std::int64_t>(0), parts);
      for (int begin = 0; begin < 9; ++begin)
      {
        const auto value_at = [&](int i) {
          return i < lower ? i : i < lower + middle ? 10 + i - lower : 20 + i - lower - middle;
        };
        EXPECT_EQ(first[begin], value_at(begin));
        for (int count = 0; begin + count <= 9; ++count)
        {
          bool is_contiguous = true;
          for (int i = 1; i < count; ++i)
          {
            is_contiguous = is_contiguous && value_at(begin + i) == value_at(begin) + i;
          }
          const int* const found = mgpu::detail::contiguous_elements(first + begin, count);
          EXPECT_EQ(found, is_contiguous ? memory.data() + value_at(begin) : nullptr);
        }
      }
    }
  }
}

TEST(Distributed, Rebalance)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for_each_local_policy(
    [](auto policy)
    { for_each_distribution([&](const sequence_keys& a, const sequence_keys&) { expect_rebalanced(policy, a); }); });
}

TEST(Distributed, PiecesLargerThanAMessage)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937 random(7);
  for_each_local_policy(
    [&](auto policy)
    {
      for (const int num_keys : {1, 16, 1 << 30})
      {
        const sequence_keys a = random_pieces(random, {100000, 0, 200000, 30}, num_keys);
        expect_sorts_over_ranks(policy, a);
        expect_merges_over_ranks(policy, a, random_pieces(random, {30000, 40000, 10000, 150000}, num_keys));
      }
    });
}

#if !defined(__CUDACC__) // a kernel cannot throw

/// The functions whose comparator throws.
enum class throwing_call
{
  merge,
  sort,
  stable_sort,
  sort_by_key
};

/// Returns the pairs of keys and values, in ascending order.
std::vector<std::pair<int, int>> ordered_pairs(const rank_keys& keys, const rank_keys& values)
{
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t i = 0; i < keys.size(); ++i)
  {
    pairs.emplace_back(keys[i], values[i]);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// Checks that each element is one of `brought`.
void expect_all_from(const rank_keys& elements, rank_keys brought)
{
  std::sort(brought.begin(), brought.end());
  for (const int element : elements)
  {
    EXPECT_TRUE(std::binary_search(brought.begin(), brought.end(), element)) << element;
  }
}

TEST(Distributed, ErrorsOfComparatorsReachAllRanks)
{
  std::mt19937 random(8);
  const sequence_keys pieces = random_pieces(random, {17, 4, 6}, 40); // more than 16 elements are not sorted in place
  const sequence_keys ids = ids_of(pieces, 0);
  const sequence_keys ascending = ascending_by_rank(pieces);
  for (const auto tested :
       {throwing_call::merge, throwing_call::sort, throwing_call::stable_sort, throwing_call::sort_by_key})
  {
    for (int failing = 0; failing < 3; ++failing)
    {
      int call = 0;
      int after_move = 0;
      for (bool throws = true; throws; ++call)
      {
        SCOPED_TRACE("rank " + std::to_string(failing) + ", call " + std::to_string(call));
        std::atomic<int> calls_left{call};
        sequence_keys keys = pieces;
        sequence_keys values = ids;
        const int thrown = ranks_that_throw(
          failing,
          [&](mgpu::thread_communicator& communicator)
          {
            const order_that_throws order{communicator.rank() == failing ? &calls_left : nullptr};
            const auto exec = mgpu::over(communicator, thrust::seq);
            rank_keys& mine = keys[communicator.rank()];
            switch (tested)
            {
            case throwing_call::merge:
            {
              const rank_keys& input = ascending[communicator.rank()];
              rank_keys out(2 * input.size());
              mgpu::merge(exec, input.begin(), input.end(), input.begin(), input.end(), out.begin(), order);
              break;
            }
            case throwing_call::sort:
              mgpu::sort(exec, mine.begin(), mine.end(), order);
              break;
            case throwing_call::stable_sort:
              mgpu::stable_sort(exec, mine.begin(), mine.end(), order);
              break;
            default:
              mgpu::sort_by_key(exec, mine.begin(), mine.end(), values[communicator.rank()].begin(), order);
            }
          });
        throws = thrown > 0;
        // Once elements have moved, the last merge of a rank is its own.
        after_move += thrown == 1;
        EXPECT_TRUE(thrown == 0 || thrown == 3 || thrown == 1) << thrown;
        EXPECT_TRUE(after_move == 0 || thrown <= 1);
        for (int rank = 0; rank < 3; ++rank)
        {
          if (thrown == 3 && rank == failing) // elements may be there twice, or be missing
          {
            expect_all_from(keys[rank], pieces[rank]);
            expect_all_from(values[rank], ids[rank]);
          }
          else if (thrown == 3)
          {
            const rank_keys none(pieces[rank].size());
            const bool has_values = tested == throwing_call::sort_by_key;
            EXPECT_EQ(
              ordered_pairs(keys[rank], has_values ? values[rank] : none),
              ordered_pairs(pieces[rank], has_values ? ids[rank] : none));
          }
          else if (tested != throwing_call::merge && !(thrown == 1 && rank == failing))
          {
            EXPECT_EQ(keys[rank], ascending[rank]);
          }
        }
      }
      EXPECT_GT(call, after_move);
      EXPECT_GT(after_move, 0);
    }
  }
}

#endif

TEST(Distributed, ErrorsOfAllocatorsReachAllRanks)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937 random(9);
  const sequence_keys pieces = random_pieces(random, {400, 300, 500}, 200);
  for (int failing = 0; failing < 3; ++failing)
  {
    int thrown = 3;
    std::int64_t fail_at = 1;
    for (; thrown > 0; ++fail_at)
    {
      std::array<test::allocation_log, 3> logs;
      logs[failing].fail_at = fail_at;
      auto keys = to_memory_pieces<std::decay_t<decltype(thrust::device)>>(pieces);
      thrown = ranks_that_throw(
        failing,
        [&](mgpu::thread_communicator& communicator)
        {
          test::counting_allocator allocator{&logs[communicator.rank()]};
          auto& mine = keys[communicator.rank()];
          mgpu::sort(mgpu::over(communicator, thrust::device(allocator)), mine.begin(), mine.end());
        });
#if defined(__CUDACC__)
      EXPECT_TRUE(thrown == 0 || thrown == 3) << thrown;
#else
      // On a CPU the last merge allocates buffers after elements have moved.
      EXPECT_TRUE(thrown == 0 || thrown == 1 || thrown == 3) << thrown;
#endif
      for (const test::allocation_log& log : logs)
      {
        EXPECT_EQ(log.live, 0);
      }
    }
    EXPECT_GT(fail_at, 2);
  }
}

TEST(Distributed, MemoryAtThePeak)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
#if defined(__CUDACC__) // the buffers of a CPU's workers have no such bound
  // With pieces and results, a rank needs at most three times what it brings, and a few percent.
  constexpr int size = 1 << 20;
  constexpr std::int64_t piece_bytes = size * static_cast<std::int64_t>(sizeof(int));
  std::mt19937 random(10);
  for (const int num_keys : {1, 16, 1 << 30})
  {
    for (const int size_of_rank_1 : {0, size})
    {
      const sequence_keys pieces = random_pieces(random, {size, size_of_rank_1}, num_keys);
      auto keys = to_memory_pieces<std::decay_t<decltype(thrust::device)>>(pieces);
      // Inputs of a merge in which all moves: rank 1 has all of A, rank 0 all of B, which follows.
      const auto lower = test::to_memory<std::decay_t<decltype(thrust::device)>>(rank_keys(size, 1));
      const auto upper = test::to_memory<std::decay_t<decltype(thrust::device)>>(rank_keys(size, 2));
      mgpu::run_on_threads(
        2,
        [&](mgpu::thread_communicator& communicator)
        {
          test::allocation_log log_of_sort;
          test::counting_allocator sort_allocator{&log_of_sort};
          auto& mine = keys[communicator.rank()];
          mgpu::sort(mgpu::over(communicator, thrust::device(sort_allocator)), mine.begin(), mine.end());
          EXPECT_LE(log_of_sort.peak, 2 * piece_bytes + piece_bytes / 20) << num_keys << ' ' << size_of_rank_1;

          test::allocation_log log_of_merge;
          test::counting_allocator merge_allocator{&log_of_merge};
          const bool has_a = communicator.rank() == 1;
          auto out = test::to_memory<std::decay_t<decltype(thrust::device)>>(rank_keys(size));
          mgpu::merge(
            mgpu::over(communicator, thrust::device(merge_allocator)), lower.begin(), lower.begin() + size * has_a,
            upper.begin(), upper.begin() + size * !has_a, out.begin());
          EXPECT_LE(log_of_merge.peak, piece_bytes + piece_bytes / 20);
          EXPECT_EQ(test::to_host(out), rank_keys(size, 2 - !has_a));
        });
    }
  }
#endif
}

TEST(Distributed, WrongCalls)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto policy = thrust::seq;
  rank_keys keys{1, 2, 3};
  const auto expect_message = [](auto f, const std::string& part)
  {
    try
    {
      mgpu::run_on_threads(2, f);
      FAIL() << part;
    }
    catch (const std::invalid_argument& error)
    {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  const auto merge_pieces = [&](mgpu::thread_communicator& communicator)
  {
    rank_keys out(3);
    mgpu::merge(mgpu::over(communicator, policy), keys.begin(), keys.end(), keys.begin(), keys.begin(), out.begin());
  };
  expect_message(merge_pieces, "mgpu::merge: the pieces of sequence 0 do not ascend by rank");
  expect_message(
    [&](mgpu::thread_communicator& communicator)
    {
      rank_keys mine = keys;
      mgpu::sort(
        mgpu::over(communicator, policy), communicator.rank() == 1 ? mine.end() : mine.begin(),
        communicator.rank() == 1 ? mine.begin() : mine.end());
    },
    "mgpu::sort: the last of the input is before its first (-3 elements)");
  expect_message(
    [&](mgpu::thread_communicator& communicator)
    {
      rank_keys out(3);
      mgpu::rebalance(mgpu::over(communicator, policy), keys.begin(), keys.end(), out.begin(), communicator.rank());
    },
    "mgpu::rebalance: the ranks have 6 elements, and want 1");
  expect_message(
    [&](mgpu::thread_communicator& communicator)
    {
      rank_keys mine = keys;
      if (communicator.rank() == 0)
      {
        mgpu::sort(mgpu::over(communicator, policy), mine.begin(), mine.end());
      }
      else
      {
        mgpu::stable_sort(mgpu::over(communicator, policy), mine.begin(), mine.end());
      }
    },
    "rank 1 makes another call than rank 0");
}

/// Calls f(communicator) on two ranks, which throw std::invalid_argument both, with a text that has `part`.
template <class Function>
void expect_invalid_on_both(Function f, const std::string& part)
{
  std::atomic<int> thrown{0};
  mgpu::run_on_threads(
    2,
    [&](mgpu::thread_communicator& communicator)
    {
      try
      {
        f(communicator);
      }
      catch (const std::invalid_argument& error)
      {
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        ++thrown;
      }
    });
  EXPECT_EQ(thrown, 2) << part;
}

template <class T>
std::uint64_t hash_of_type()
{
  mgpu::detail::byte_hash hash;
  hash.add_type<T>();
  return hash.value();
}

TEST(Distributed, TypesThatDiffer)
{
#if !defined(__CUDACC__) // kernels for the sake of a call that is wrong
  const auto merge_as = [](mgpu::thread_communicator& communicator, auto key, auto value)
  {
    const std::vector<decltype(key)> keys(2, key);
    const std::vector<decltype(value)> values(2, value);
    std::vector<decltype(key)> keys_out(4, decltype(key)(7));
    std::vector<decltype(value)> values_out(4, decltype(value)(7));
    const auto check = [&] { EXPECT_TRUE(keys_out[0] == 7 && values_out[0] == 7); };
    try
    {
      mgpu::merge_by_key(
        mgpu::over(communicator, thrust::seq), keys.begin(), keys.end(), keys.begin(), keys.end(), values.begin(),
        values.begin(), keys_out.begin(), values_out.begin());
    }
    catch (...)
    {
      check();
      throw;
    }
  };
  const auto expect_difference = [&](auto key, auto value)
  {
    expect_invalid_on_both(
      [&](mgpu::thread_communicator& communicator)
      {
        if (communicator.rank() == 0)
        {
          merge_as(communicator, 1, 1);
        }
        else
        {
          merge_as(communicator, key, value);
        }
      },
      "mgpu::merge_by_key: rank 1 makes another call than rank 0");
  };
  expect_difference(1, 1u);
  expect_difference(1.0f, 1);

  // What ranks compare of other types.
  const std::vector<std::uint64_t> of_values{
    mgpu::detail::value_signature<mgpu::detail::no_values>(),
    mgpu::detail::value_signature<int*>(),
    mgpu::detail::value_signature<unsigned*>(),
    mgpu::detail::value_signature<float*>(),
    mgpu::detail::value_signature<double*>(),
    mgpu::detail::value_signature<std::int64_t*>()};
  const std::vector<std::uint64_t> of_keys{
    hash_of_type<int>(), hash_of_type<unsigned>(), hash_of_type<float>(), hash_of_type<double>(),
    hash_of_type<std::int64_t>()};
  for (const auto& all : {of_values, of_keys})
  {
    EXPECT_EQ(std::set<std::uint64_t>(all.begin(), all.end()).size(), all.size());
  }
#endif
}

TEST(Distributed, SizesOfEvenDivisions)
{
  const auto sized = [](mgpu::thread_communicator& communicator, std::int64_t size)
  { return mgpu::rebalanced_size(mgpu::over(communicator, thrust::seq), size); };
  EXPECT_EQ(
    ranks_that_throw(
      1, [&](mgpu::thread_communicator& communicator) { sized(communicator, communicator.rank() == 1 ? -4 : 4); }),
    3);
  expect_invalid_on_both(
    [&](mgpu::thread_communicator& communicator)
    {
      std::vector<int> none;
      if (communicator.rank() == 0)
      {
        sized(communicator, 0);
      }
      else
      {
        mgpu::rebalance(mgpu::over(communicator, thrust::seq), none.begin(), none.end(), none.begin(), 0);
      }
    },
    "rank 1 makes another call than rank 0");
}

/// A communicator that throws at one of the calls of a group.
struct communicator_that_fails : mgpu::thread_communicator
{
  int calls_left;

  communicator_that_fails(const mgpu::thread_communicator& sound, int call)
      : mgpu::thread_communicator(sound)
      , calls_left(call)
  {
  }
  template <class Policy>
  void send(const thrust::execution_policy<Policy>& exec, const void* data, std::size_t bytes, int peer)
  {
    count_call();
    mgpu::thread_communicator::send(exec, data, bytes, peer);
  }
  template <class Policy>
  void recv(const thrust::execution_policy<Policy>& exec, void* data, std::size_t bytes, int peer)
  {
    count_call();
    mgpu::thread_communicator::recv(exec, data, bytes, peer);
  }
  void count_call()
  {
    if (calls_left-- == 0)
    {
      throw std::runtime_error("no link");
    }
  }
};

TEST(Distributed, ErrorsInGroupsReachAllRanks)
{
#if !defined(__CUDACC__)
  for (int family = 0; family < 3; ++family)
  {
    for (int failing = 0; failing < 3; ++failing)
    {
      const int thrown = ranks_that_throw(
        failing,
        [&](mgpu::thread_communicator& sound)
        {
          const int rank = sound.rank();
          communicator_that_fails communicator(sound, rank != failing ? -1 : family == 0 ? 1 : 0);
          const auto exec = mgpu::over(communicator, thrust::seq);
          rank_keys mine{3 - rank, 6 - rank, 9 - rank};
          rank_keys out(6);
          switch (family)
          {
          case 0:
            mgpu::sort(exec, mine.begin(), mine.end());
            break;
          case 1:
          {
            const rank_keys a = std::array<rank_keys, 3>{rank_keys{1, 2}, {3, 4}, {5, 6}}[rank];
            const rank_keys b = std::array<rank_keys, 3>{rank_keys{1, 6}, {6, 6}, {6, 7}}[rank];
            mgpu::merge(exec, a.begin(), a.end(), b.begin(), b.end(), out.begin());
            break;
          }
          default:
            mgpu::rebalance(exec, mine.begin(), mine.end(), out.begin(), 2 + rank);
          }
        });
      // A rank that does without the failing one may be done.
      EXPECT_GE(thrown, 2) << family << ' ' << failing;
    }
  }
#endif
}

TEST(Distributed, ThereIsNoSuchRank)
{
  EXPECT_THROW(
    mgpu::run_on_threads(
      2,
      [](mgpu::thread_communicator& communicator)
      {
        int mine = 0;
        communicator.group_start();
        EXPECT_THROW(communicator.send(thrust::seq, &mine, sizeof(mine), 2), std::invalid_argument);
        EXPECT_THROW(communicator.recv(thrust::seq, &mine, sizeof(mine), -1), std::invalid_argument);
        communicator.group_end(thrust::seq);
        throw std::logic_error("done");
      }),
    std::logic_error);
  EXPECT_THROW(rank_cuts("cuts", 0, 2, {}, 0, std::less<int>{}), std::invalid_argument);
}

TEST(Distributed, RanksThatLeave)
{
  // Others wait for a rank's bytes, to send, or to receive.
  for (int waiting = 0; waiting < 3; ++waiting)
  {
    EXPECT_THROW(
      mgpu::run_on_threads(
        3,
        [&](mgpu::thread_communicator& communicator)
        {
          if (communicator.rank() == 1)
          {
            throw std::logic_error("the rank that leaves");
          }
          int mine = 0;
          std::array<int, 3> all{};
          if (waiting == 0)
          {
            communicator.all_gather(&mine, all.data(), sizeof(mine));
          }
          communicator.group_start();
          if (waiting == 1)
          {
            communicator.send(thrust::seq, &mine, sizeof(mine), 1);
          }
          else
          {
            communicator.recv(thrust::seq, &mine, sizeof(mine), 1);
          }
          communicator.group_end(thrust::seq);
        }),
      std::logic_error);
  }
}

/// Calls f(), which must end.
template <class Function>
void expect_end(Function f)
{
  std::future<void> call = std::async(std::launch::async, f);
  if (call.wait_for(std::chrono::minutes(1)) != std::future_status::ready)
  {
    std::fputs("ranks wait for ever\n", stderr);
    std::abort();
  }
  call.get();
}

/// Makes a call in which all ranks take part, or, of a group, in which others wait for rank `peer`.
void wait_for_rank(mgpu::thread_communicator& communicator, int call, int peer)
{
  int mine = 0;
  std::array<int, 3> all{};
  communicator.group_start();
  switch (call)
  {
  case 0:
    communicator.all_gather(&mine, all.data(), sizeof(mine));
    return;
  case 1:
    mgpu::sort(mgpu::over(communicator, thrust::seq), all.begin(), all.end());
    return;
  case 2:
    communicator.send(thrust::seq, &mine, sizeof(mine), peer);
    break;
  default:
    communicator.recv(thrust::seq, &mine, sizeof(mine), peer);
  }
  communicator.group_end(thrust::seq);
}

// A rank whose function returns makes those throw that wait for it.
TEST(Distributed, RanksThatReturnEarly)
{
  for (int call = 0; call < 4; ++call)
  {
    for (int early = 0; early < 3; ++early)
    {
      for (const int calls_before : {0, 2})
      {
        SCOPED_TRACE("call " + std::to_string(call) + ", rank " + std::to_string(early));
        std::atomic<int> thrown{0};
        expect_end(
          [&]
          {
            try
            {
              mgpu::run_on_threads(
                3,
                [&](mgpu::thread_communicator& communicator)
                {
                  try
                  {
                    for (int i = 0; i < calls_before; ++i)
                    {
                      wait_for_rank(communicator, i, 0);
                    }
                    if (communicator.rank() != early)
                    {
                      wait_for_rank(communicator, call, early);
                    }
                  }
                  catch (const mgpu::rank_error&)
                  {
                    ++thrown;
                    throw;
                  }
                });
              ADD_FAILURE();
            }
            catch (const mgpu::rank_error& error)
            {
              const std::string text = "rank " + std::to_string(early) + " has returned where others wait for it";
              EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
            }
          });
        EXPECT_EQ(thrown, 2);
      }
    }
  }

  // Others go on if they do not wait for it.
  expect_end(
    []
    {
      mgpu::run_on_threads(
        3,
        [](mgpu::thread_communicator& communicator)
        {
          for (int i = 0; i < 1000 && communicator.rank() != 1; ++i)
          {
            const int peer = 2 - communicator.rank();
            int received = -1;
            communicator.group_start();
            communicator.send(thrust::seq, &i, sizeof(i), peer);
            communicator.recv(thrust::seq, &received, sizeof(received), peer);
            communicator.group_end(thrust::seq);
            EXPECT_EQ(received, i);
          }
        });
    });
  mgpu::thread_group group(2);
  EXPECT_THROW(group.leave(2), std::out_of_range);
}

TEST(Distributed, RanksThatWaitUseNoCore)
{
  constexpr std::chrono::milliseconds time(300);
  const std::clock_t begin = std::clock(); // of all threads
  mgpu::run_on_threads(
    8,
    [&](mgpu::thread_communicator& communicator)
    {
      if (communicator.rank() == 3)
      {
        std::this_thread::sleep_for(time);
      }
      int mine = 0;
      std::array<int, 8> all{};
      communicator.all_gather(&mine, all.data(), sizeof(mine));
    });
  const double core_seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_LT(core_seconds, std::chrono::duration<double>(time).count()); // of one of the seven
}

TEST(Distributed, OwnErrorsComeFirst)
{
  // A rank has failed before it learns that another one has left.
  std::atomic<int> calls_left{0};
  bool is_own = false;
  mgpu::run_on_threads(
    2,
    [&](mgpu::thread_communicator& communicator)
    {
      if (communicator.rank() == 1)
      {
        communicator.abort();
        return;
      }
      std::vector<int> keys{3, 2, 1};
      try
      {
        mgpu::sort(mgpu::over(communicator, thrust::seq), keys.begin(), keys.end(), order_that_throws{&calls_left});
      }
      catch (const std::exception& error)
      {
        is_own = std::string(error.what()) == "the call that was to fail";
      }
    });
  EXPECT_TRUE(is_own);
}

} // namespace
