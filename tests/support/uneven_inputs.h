// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Inputs of which one is much shorter than the other, for the batteries of the families that search for its elements
/// there, and a comparator that shows that they do.

#include <mgpu_thrust/detail/cut/bisection.h>
#include <mgpu_thrust/detail/cut/short_side.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace test
{

/// A few sorted keys and many.
struct uneven_keys
{
  std::string name;
  std::vector<std::int32_t> few;
  std::vector<std::int32_t> many;
};

/// Returns keys of each kind. `few` has at most `copies` copies of a key of which `many` has more than all of `few`.
inline std::vector<uneven_keys> make_uneven_keys(std::int64_t num_few, std::int64_t num_many, std::int64_t copies)
{
  std::mt19937_64 random(static_cast<std::uint64_t>(num_few));
  const auto make = [](std::int64_t size, auto key)
  {
    std::vector<std::int32_t> keys;
    for (std::int64_t i = 0; i < size; ++i)
    {
      keys.push_back(static_cast<std::int32_t>(key(i)));
    }
    if (!std::is_sorted(keys.begin(), keys.end())) // most are made in order
    {
      std::sort(keys.begin(), keys.end());
    }
    return keys;
  };
  const auto any_key = [&](std::int64_t)
  { return static_cast<std::int64_t>(random() % (2 * static_cast<std::uint64_t>(num_many))); };
  const auto even = [](std::int64_t i) { return 2 * i; };
  const auto run = [&](std::int64_t length)
  { return [&, length](std::int64_t i) { return i < length ? num_many : any_key(i); }; };
  const std::int64_t ratio = num_many / std::max<std::int64_t>(num_few, 1);
  const auto all_even = make(num_many, even);
  std::vector<uneven_keys> kinds{
    {"random", make(num_few, any_key), make(num_many, any_key)},
    {"contained", make(num_few, [&](std::int64_t i) { return even(i * ratio); }), all_even},
    {"between", make(num_few, [&](std::int64_t i) { return even(i * ratio) + 1; }), all_even},
    {"a part", make(num_few, [&](std::int64_t i) { return num_many + i; }), all_even},
    {"below", make(num_few, [&](std::int64_t i) { return i - num_few; }), all_even},
    {"above", make(num_few, [&](std::int64_t i) { return even(num_many) + i; }), all_even},
    {"around", make(num_few, [&](std::int64_t i) { return i % 2 == 0 ? -1 - i : even(num_many) + i; }), all_even},
    {"runs", make(num_few, [&](std::int64_t i) { return i / 16 * 32; }),
     make(num_many, [](std::int64_t i) { return i / 9 * 2; })},
    {"one run", make(num_few, run(std::min(copies, num_few / 2 + 1))), make(num_many, run(2 * num_few + 1))}};
  if (copies >= num_few)
  {
    kinds.push_back(
      {"all equal", make(num_few, [](std::int64_t) { return 5; }), make(num_many, [](std::int64_t) { return 5; })});
  }
  return kinds;
}

/// Calls f(left, right) for uneven inputs with each side short, on both sides of the ratio from which on the short one
/// is searched for; on a GPU with too many elements for the paths of few. `copies` is that of make_uneven_keys.
template <class Function>
void for_each_uneven_pair(std::int64_t copies, Function f)
{
#if defined(__CUDACC__)
  constexpr std::int64_t ratio = mgpu::detail::sparse_needles_ratio;
#else
  constexpr std::int64_t ratio = mgpu::detail::cpu_short_side_ratio;
#endif
  constexpr std::int64_t few = 3000; // pieces of several workers; more than 2^17 elements with the others of a GPU
  const std::pair<std::int64_t, std::int64_t> sizes[] = {
    {few, few * ratio},
    {few, few * ratio - 1},
#if defined(__CUDACC__)
    {few / 2, few * 50},
#endif
    {1, few * ratio},
    {0, few * ratio}
  };
  for (const auto& size : sizes)
  {
    for (const uneven_keys& keys : make_uneven_keys(size.first, size.second, copies))
    {
      SCOPED_TRACE(keys.name + ", " + std::to_string(size.first) + " and " + std::to_string(size.second));
      f(keys.few, keys.many);
      f(keys.many, keys.few);
      if (testing::Test::HasFatalFailure())
      {
        return;
      }
    }
  }
}

/// An order that counts its calls.
struct counted_less
{
  std::int64_t* calls;

  bool operator()(std::int32_t x, std::int32_t y) const
  {
    ++*calls;
    return x < y;
  }
};

inline constexpr std::int64_t bisected_keys = 100;
inline constexpr std::int64_t bisection_steps = 21;

/// Few keys and many, made once for all functions that are tested with them.
inline const std::vector<uneven_keys>& keys_of_bisections()
{
  static const auto all = make_uneven_keys(bisected_keys, std::int64_t{1} << (bisection_steps - 1), bisected_keys);
  return all;
}

/// Expects that f(few_first, few_last, many_first, many_last, comp), on one thread, calls an order at most about twice
/// for each step of a bisection for each of few keys in many.
template <class Function>
void expect_bisections(const char* name, Function f)
{
  for (const uneven_keys& keys : keys_of_bisections())
  {
    std::int64_t calls = 0;
    f(keys.few.begin(), keys.few.end(), keys.many.begin(), keys.many.end(), counted_less{&calls});
    EXPECT_LE(calls, bisected_keys * (2 * bisection_steps + 6)) << name << ", " << keys.name;
  }
}

} // namespace test
