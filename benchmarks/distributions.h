// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The inputs of the benchmarks: two ranges of keys, A and B, by the name of their distribution. A key is a function of
/// its index alone, so any number of threads, on the host or on a device, make the same keys, which are then sorted.
/// No key is negative: Thrust's sort on the host puts negative keys last in CCCL 3.0 (NVIDIA/cccl issue 4919).

#include "key128.h"

#include <mgpu_thrust/detail/base/config.h>

#include <thrust/sort.h>
#include <thrust/tabulate.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mgpu_benchmark
{

enum class key_pattern
{
  uniform,     ///< random in [0, n)
  distinct,    ///< no key twice in a range, every second key in both ranges
  all_equal,   ///< one key
  one_run,     ///< random in [0, n), but a quarter of A and an eighth of B are the key n / 2
  runs_16,     ///< random in [0, n / 16)
  interleaved, ///< A even, B odd
  disjoint,    ///< all of A before all of B
  identical,   ///< A as B, random in [0, n)
  all_bits,    ///< all bits but the sign random: 1.000 bits of entropy a bit
  few_bits     ///< the bits of five such keys ANDed: 0.201 bits of entropy a bit
};

/// A named distribution for n elements a side.
struct distribution
{
  const char* name;
  key_pattern pattern;
  int a_thousandths; ///< elements of A, in thousandths of n
  int b_thousandths;
};

inline constexpr int one_element = -1; ///< one element, instead of thousandths of n

inline const std::vector<distribution>& all_distributions()
{
  static const std::vector<distribution> all{
    {"uniform", key_pattern::uniform, 1000, 1000},
    {"no_duplicates", key_pattern::distinct, 1000, 1000},
    {"all_equal", key_pattern::all_equal, 1000, 1000},
    {"one_run", key_pattern::one_run, 1000, 1000},
    {"runs_16", key_pattern::runs_16, 1000, 1000},
    {"a_empty", key_pattern::uniform, 0, 1000},
    {"b_empty", key_pattern::uniform, 1000, 0},
    {"one_element", key_pattern::uniform, one_element, 1000},
    {"interleaved", key_pattern::interleaved, 1000, 1000},
    {"disjoint", key_pattern::disjoint, 1000, 1000},
    {"identical", key_pattern::identical, 1000, 1000},
    {"ratio_1000", key_pattern::uniform, 1, 1000},
    {"entropy_1.000", key_pattern::all_bits, 1000, 1000},
    {"entropy_0.201", key_pattern::few_bits, 1000, 1000},
    // percent_X: 2 n elements, X percent of which are in A.
    {"percent_1", key_pattern::uniform, 20, 1980},
    {"percent_25", key_pattern::uniform, 500, 1500},
    {"percent_50", key_pattern::uniform, 1000, 1000},
    {"percent_75", key_pattern::uniform, 1500, 500},
    {"percent_99", key_pattern::uniform, 1980, 20}};
  return all;
}

inline std::int64_t element_count(int thousandths, std::int64_t n)
{
  return thousandths == one_element ? 1 : n / 1000 * thousandths + n % 1000 * thousandths / 1000;
}

/// Returns 64 random bits for a number: the finalizer of SplitMix64.
MGPU_THRUST_HOST_DEVICE inline std::uint64_t random_bits(std::uint64_t number)
{
  std::uint64_t bits = (number + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

enum class side
{
  a,
  b
};

/// Returns a key of one side, before sorting, from its index.
template <class Key>
struct key_of_index
{
  key_pattern pattern;
  side range;
  std::int64_t count; ///< number of elements of this side
  std::int64_t n;
  std::uint64_t seed;

  MGPU_THRUST_HOST_DEVICE Key operator()(std::int64_t i) const
  {
    const bool is_b = range == side::b;
    switch (pattern)
    {
    case key_pattern::uniform:
      return static_cast<Key>(below(n, is_b, i));
    case key_pattern::distinct:
      return static_cast<Key>(2 * i + below(2, is_b, i));
    case key_pattern::all_equal:
      return Key{7};
    case key_pattern::one_run:
      return static_cast<Key>(i < count / (is_b ? 8 : 4) ? n / 2 : below(n, is_b, i));
    case key_pattern::runs_16:
      return static_cast<Key>(below(n / 16 + 1, is_b, i));
    case key_pattern::interleaved:
      return static_cast<Key>(2 * i + (is_b ? 1 : 0));
    case key_pattern::disjoint:
      return static_cast<Key>(i + (is_b ? n : 0));
    case key_pattern::identical:
      return static_cast<Key>(below(n, false, i));
    case key_pattern::all_bits:
      return bits_of_key(bits(is_b, i));
    case key_pattern::few_bits:
      break;
    }
    std::uint64_t common = bits(is_b, 5 * i);
    for (int word = 1; word < 5; ++word)
    {
      common &= bits(is_b, 5 * i + word);
    }
    return bits_of_key(common);
  }

private:
  MGPU_THRUST_HOST_DEVICE std::uint64_t bits(bool is_b, std::int64_t i) const
  {
    return random_bits(random_bits(2 * seed + (is_b ? 1 : 0)) + static_cast<std::uint64_t>(i));
  }
  /// Returns a random number in [0, bound), for a bound of at most 2^32.
  MGPU_THRUST_HOST_DEVICE std::int64_t below(std::int64_t bound, bool is_b, std::int64_t i) const
  {
    return static_cast<std::int64_t>(((bits(is_b, i) >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
  }
  MGPU_THRUST_HOST_DEVICE static Key bits_of_key(std::uint64_t word)
  {
    constexpr int key_bits = sizeof(Key) < sizeof(word) ? 8 * sizeof(Key) : 64;
    return static_cast<Key>(static_cast<std::int64_t>(word >> (65 - key_bits)));
  }
};

/// Fills [keys, keys + count) with one side of a distribution, sorted, on the system of the policy.
template <class Policy, class Key>
void fill_with_sorted_keys(
  const Policy& policy, const distribution& chosen, side range, std::int64_t n, Key* keys, std::int64_t count,
  std::uint64_t seed = 1)
{
  thrust::tabulate(policy, keys, keys + count, key_of_index<Key>{chosen.pattern, range, count, n, seed});
  thrust::sort(policy, keys, keys + count);
}

} // namespace mgpu_benchmark
