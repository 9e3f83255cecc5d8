// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Pairs of sorted lists, of every kind that operations on them are tested with.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace test
{

using ints = std::vector<std::int32_t>;
using pair_offsets = std::vector<std::int64_t>;

/// Pairs of lists. The lists of one side are in one array, in which nothing else is equal to their neighbours: between
/// any two of them, and around, there is an element that no comparator may be called with.
inline constexpr std::int32_t between_lists = -1000000;

struct paired_lists
{
  ints a{between_lists};
  ints b{between_lists};
  pair_offsets a_begins, a_ends, b_begins, b_ends;

  std::int64_t num_pairs() const
  {
    return static_cast<std::int64_t>(a_begins.size());
  }
  /// Adds a pair of new lists.
  void add(const ints& of_a, const ints& of_b)
  {
    append(a, of_a, a_begins, a_ends);
    append(b, of_b, b_begins, b_ends);
  }
  /// Adds a pair with the list of A of one pair and that of B of another.
  void add_again(std::int64_t a_of, std::int64_t b_of)
  {
    a_begins.push_back(a_begins[a_of]);
    a_ends.push_back(a_ends[a_of]);
    b_begins.push_back(b_begins[b_of]);
    b_ends.push_back(b_ends[b_of]);
  }

private:
  static void append(ints& all, const ints& elements, pair_offsets& begins, pair_offsets& ends)
  {
    begins.push_back(static_cast<std::int64_t>(all.size()));
    all.insert(all.end(), elements.begin(), elements.end());
    ends.push_back(static_cast<std::int64_t>(all.size()));
    all.push_back(between_lists);
  }
};

/// A sorted list of random elements below a limit.
inline ints random_list(std::int64_t size, std::int64_t limit, std::mt19937_64& random)
{
  ints list(size);
  for (std::int32_t& x : list)
  {
    x = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(limit));
  }
  std::sort(list.begin(), list.end());
  return list;
}

/// Adds a pair of lists of these sizes. The larger `copies`, the more elements are equal.
inline void
add_random(paired_lists& pairs, std::int64_t a_size, std::int64_t b_size, std::int64_t copies, std::mt19937_64& random)
{
  const std::int64_t limit = std::max<std::int64_t>(1, std::max(a_size, b_size) / copies);
  pairs.add(random_list(a_size, limit, random), random_list(b_size, limit, random));
}

/// All multisets of up to `longest` elements of `kinds` kinds, sorted.
inline std::vector<ints> all_lists(std::size_t longest, std::int32_t kinds)
{
  std::vector<ints> lists{{}};
  for (std::size_t k = 0; k < lists.size(); ++k)
  {
    const ints list = lists[k];
    for (std::int32_t x = list.empty() ? 0 : list.back(); x < kinds && list.size() < longest; ++x)
    {
      lists.push_back(list);
      lists.back().push_back(x);
    }
  }
  return lists;
}

/// Lists of some copies of a few elements, of which some of B have fewer; of copies of one; and the lists of others
/// again.
inline paired_lists pairs_of_copies(std::int64_t copies, std::mt19937_64& random)
{
  paired_lists pairs;
  ints a, b;
  for (std::int32_t x = 0; x < 7; ++x)
  {
    a.insert(a.end(), copies + random() % 100, x);
    b.insert(b.end(), (x % 3 == 0 ? copies / 5 : copies) + random() % 100, x);
  }
  pairs.add(a, b);
  pairs.add(ints(copies, 5), b);
  pairs.add(a, ints(100, 3));
  pairs.add_again(0, 1);
  return pairs;
}

/// Lengths of a power law, of which the longest is `largest`, some in front of long rows of empty lists.
inline paired_lists power_law_pairs(std::int64_t num_pairs, double largest, bool are_similar, std::mt19937_64& random)
{
  paired_lists pairs;
  const auto size = [&] { return static_cast<std::int64_t>(largest / static_cast<double>(1 + random() % num_pairs)); };
  for (std::int64_t p = 0; p < num_pairs; ++p)
  {
    const std::int64_t a_size = size();
    const std::int64_t b_size = are_similar ? a_size + static_cast<std::int64_t>(random() % 5) : size();
    add_random(pairs, a_size, b_size, 1 + static_cast<std::int64_t>(random() % 3), random);
    if (random() % 50 == 0)
    {
      for (std::uint64_t k = random() % 2000; k > 0; --k)
      {
        pairs.add(ints(random() % 2, 1), {});
      }
    }
  }
  return pairs;
}

/// What calls of a deferred battery have in common whose first range has the numbers of pairs. There is room for as
/// many results as there may be pairs.
struct call_on_numbered_pairs
{
  static constexpr bool writes = true;

  static ints input(int, std::int64_t size)
  {
    ints numbers(size);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }
  static std::int64_t most(std::int64_t capacity, std::int64_t)
  {
    return capacity;
  }
};

} // namespace test
