// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The distributions that every family is tested on: pairs of sorted sequences of ranks, made from a seed.

#include "fuzz.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace test
{

using ranks = std::vector<std::int64_t>;

enum class distribution
{
  uniform,        ///< about one copy of a key in each input
  no_duplicates,  ///< no key twice in an input; about half of the keys in both
  few_keys,       ///< seven distinct keys, so runs of every length
  runs,           ///< runs of about 16 equal keys
  all_equal,      ///< one distinct key
  one_run,        ///< random keys, and one run of equal keys over most of both inputs
  interleaved,    ///< a b a b ...
  disjoint,       ///< all of A before all of B
  disjoint_after, ///< all of B before all of A
  identical,      ///< A is B
  extremes        ///< the smallest and the largest key, as if they were sentinels
};

inline constexpr distribution all_distributions[] = {
  distribution::uniform,        distribution::no_duplicates, distribution::few_keys,    distribution::runs,
  distribution::all_equal,      distribution::one_run,       distribution::interleaved, distribution::disjoint,
  distribution::disjoint_after, distribution::identical,     distribution::extremes};

inline const char* name_of(distribution d)
{
  constexpr const char* names[] = {"uniform",        "no_duplicates", "few_keys",    "runs",
                                   "all_equal",      "one_run",       "interleaved", "disjoint",
                                   "disjoint_after", "identical",     "extremes"};
  return names[static_cast<int>(d)];
}

/// Calls check(distribution, a_size, b_size, seed) for a hundred cases, new ones each time; see for_each_fuzz_case().
template <class Check>
void fuzz_distributions(Check check)
{
  for_each_fuzz_case(
    100,
    [&](std::mt19937_64& random)
    {
      const auto any_size = [&] { return static_cast<std::int64_t>(random() % (std::uint64_t{2} << random() % 17)); };
      const std::int64_t a_size = any_size();
      const std::int64_t b_size = any_size();
      const distribution d = all_distributions[random() % std::size(all_distributions)];
      check(d, a_size, b_size, random());
    });
}

/// A number of keys that has many pieces on every system.
#if defined(__CUDACC__)
inline constexpr std::int64_t many_keys = 1 << 20;
#else
inline constexpr std::int64_t many_keys = 200000;
#endif

/// Two sorted sequences of a_size and b_size ranks between 0 and `largest`, or clamped there.
inline std::pair<ranks, ranks>
make_ranks(distribution d, std::int64_t a_size, std::int64_t b_size, std::int64_t largest, std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  const auto below = [&](std::int64_t n)
  { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n < 1 ? 1 : n)); };
  const std::int64_t most = std::max(a_size, b_size);
  ranks a(a_size);
  ranks b(b_size);
  const auto fill_both = [&](auto a_rank, auto b_rank)
  {
    for (std::int64_t i = 0; i < a_size; ++i)
    {
      a[i] = std::min(a_rank(i), largest);
    }
    for (std::int64_t i = 0; i < b_size; ++i)
    {
      b[i] = std::min(b_rank(i), largest);
    }
  };
  const auto random_below = [&](std::int64_t n)
  {
    const std::int64_t limit = std::min(n, largest + 1);
    fill_both([=](std::int64_t) { return below(limit); }, [=](std::int64_t) { return below(limit); });
  };
  const auto constant = [](std::int64_t rank) { return [rank](std::int64_t) { return rank; }; };
  switch (d)
  {
  case distribution::uniform:
    random_below(most);
    break;
  case distribution::no_duplicates:
    fill_both(
      [&, rank = std::int64_t{-1}](std::int64_t) mutable { return rank += 1 + below(2); },
      [&, rank = std::int64_t{-1}](std::int64_t) mutable { return rank += 1 + below(2); });
    break;
  case distribution::few_keys:
    random_below(7);
    break;
  case distribution::runs:
    random_below(most / 16 + 1);
    break;
  case distribution::all_equal:
    fill_both(constant(3), constant(3));
    break;
  case distribution::one_run:
  {
    const std::int64_t middle = std::min(most, largest) / 2;
    const auto mostly_middle = [&](std::int64_t) { return below(8) < 6 ? middle : below(std::min(most, largest + 1)); };
    fill_both(mostly_middle, mostly_middle);
    break;
  }
  case distribution::interleaved:
    fill_both([](std::int64_t i) { return 2 * i; }, [](std::int64_t i) { return 2 * i + 1; });
    break;
  case distribution::disjoint:
    fill_both([](std::int64_t i) { return i; }, [&](std::int64_t i) { return a_size + i; });
    break;
  case distribution::disjoint_after:
    fill_both([&](std::int64_t i) { return b_size + i; }, [](std::int64_t i) { return i; });
    break;
  case distribution::identical:
    fill_both([](std::int64_t i) { return i / 2; }, [](std::int64_t i) { return i / 2; });
    break;
  case distribution::extremes:
    fill_both(
      [&](std::int64_t) { return below(2) * largest; }, [&](std::int64_t) { return below(3) == 0 ? 0 : largest; });
    break;
  }
  for (ranks* const all : {&a, &b})
  {
    if (!std::is_sorted(all->begin(), all->end())) // most are made in order
    {
      std::sort(all->begin(), all->end());
    }
  }
  return {std::move(a), std::move(b)};
}

} // namespace test
