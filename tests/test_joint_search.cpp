// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The joint search of two ranges: every combination of outputs, on all pairs of small inputs, and on large ones.

#include "support/distributions.h"
#include "support/systems.h"

#include <mgpu_thrust/sorted_search.h>

#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace
{

using keys = std::vector<std::int32_t>;

/// The results of std:: for all elements of `needles`.
struct side
{
  std::vector<std::int32_t> bounds;
  std::vector<bool> matches;

  side(const keys& needles, const keys& haystack, bool upper)
  {
    for (const std::int32_t needle : needles)
    {
      const auto range = std::equal_range(haystack.begin(), haystack.end(), needle);
      bounds.push_back(static_cast<std::int32_t>((upper ? range.second : range.first) - haystack.begin()));
      matches.push_back(range.first != range.second);
    }
  }
};

/// The outputs that a side can have, each with its check.
template <class Policy>
struct index_form
{
  test::memory<Policy, std::int32_t> bounds;
  explicit index_form(std::size_t size)
      : bounds(size, -1)
  {
  }
  auto output()
  {
    return bounds.begin();
  }
  void check(const side& expected) const
  {
    ASSERT_EQ(test::to_host(bounds), expected.bounds);
  }
};
template <class Policy>
struct match_form
{
  test::flags<Policy> matches;
  explicit match_form(std::size_t size)
      : matches(size)
  {
  }
  auto output()
  {
    return matches.data();
  }
  void check(const side& expected) const
  {
    ASSERT_EQ(matches.to_host(), expected.matches);
  }
};
template <class Policy>
struct both_form
{
  index_form<Policy> index;
  match_form<Policy> match;
  explicit both_form(std::size_t size)
      : index(size)
      , match(size)
  {
  }
  auto output()
  {
    return thrust::make_zip_iterator(index.output(), match.output());
  }
  void check(const side& expected) const
  {
    index.check(expected);
    match.check(expected);
  }
};
template <class Policy>
struct no_form
{
  explicit no_form(std::size_t)
  {
  }
  auto output()
  {
    return thrust::make_discard_iterator();
  }
  void check(const side&) const
  {
  }
};

template <class FormA, class FormB, class Policy, class A, class B, class... MatchCounts>
void check_forms(
  const Policy& policy, const A& a, const B& b, const side& a_side, const side& b_side, MatchCounts... match_counts)
{
  FormA a_form(a.size());
  FormB b_form(b.size());
  auto a_out = a_form.output();
  auto b_out = b_form.output();
  const auto ends = mgpu::sorted_search(policy, a.begin(), a.end(), b.begin(), b.end(), a_out, b_out, match_counts...);
  ASSERT_EQ(ends.first - a_out, static_cast<std::ptrdiff_t>(a.size()));
  ASSERT_EQ(ends.second - b_out, static_cast<std::ptrdiff_t>(b.size()));
  a_form.check(a_side);
  b_form.check(b_side);
}

/// Checks one form of A with all forms of B, and the counts of matches with one of them.
template <class FormA, class FormBWithCounts, class Policy, class A, class B>
void check_with_all_forms(const Policy& policy, const A& a, const B& b, const side& a_side, const side& b_side)
{
  check_forms<FormA, index_form<Policy>>(policy, a, b, a_side, b_side);
  check_forms<FormA, match_form<Policy>>(policy, a, b, a_side, b_side);
  check_forms<FormA, both_form<Policy>>(policy, a, b, a_side, b_side);
  check_forms<FormA, no_form<Policy>>(policy, a, b, a_side, b_side);
  std::int64_t counts[2] = {-1, -1};
  check_forms<FormA, FormBWithCounts>(policy, a, b, a_side, b_side, &counts);
  ASSERT_EQ(counts[0], std::count(a_side.matches.begin(), a_side.matches.end(), true));
  ASSERT_EQ(counts[1], std::count(b_side.matches.begin(), b_side.matches.end(), true));
}

void check_all_forms(const keys& host_a, const keys& host_b)
{
  const side a_side(host_a, host_b, false);
  const side b_side(host_b, host_a, true);
  test::for_each_policy(
    [&](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto a = test::to_memory<policy_t>(host_a);
      const auto b = test::to_memory<policy_t>(host_b);
      using index = index_form<policy_t>;
      using match = match_form<policy_t>;
      using both = both_form<policy_t>;
      using none = no_form<policy_t>;
      check_with_all_forms<index, match>(policy, a, b, a_side, b_side);
      check_with_all_forms<match, both>(policy, a, b, a_side, b_side);
      check_with_all_forms<both, none>(policy, a, b, a_side, b_side);
      check_with_all_forms<none, index>(policy, a, b, a_side, b_side);
      check_with_all_forms<none, none>(policy, a, b, a_side, b_side); // counts only
    });
}

/// All sorted sequences of up to `most` keys from 0, 1 and 2.
std::vector<keys> small_inputs(int most)
{
  std::vector<keys> all;
  for (int zeros = 0; zeros <= most; ++zeros)
  {
    for (int ones = 0; zeros + ones <= most; ++ones)
    {
      for (int twos = 0; zeros + ones + twos <= most; ++twos)
      {
        keys input(zeros, 0);
        input.insert(input.end(), ones, 1);
        input.insert(input.end(), twos, 2);
        all.push_back(input);
      }
    }
  }
  return all;
}

TEST(JointSearch, EveryCombinationOfOutputsOnSmallInputs)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto inputs = small_inputs(3);
  for (const keys& a : inputs)
  {
    for (const keys& b : inputs)
    {
      check_all_forms(a, b);
      if (HasFatalFailure())
      {
        return;
      }
    }
  }
}

TEST(JointSearch, EveryCombinationOfOutputsOnLargeInputs)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  std::mt19937_64 random(17);
  for (const test::distribution d : test::all_distributions)
  {
    std::vector<std::int64_t> sizes{20011, 50021};
#if defined(__CUDACC__)
    sizes.push_back(1200007); // more tiles than blocks cut themselves
#endif
    for (const std::int64_t size : sizes)
    {
      const std::uint64_t seed = random();
      SCOPED_TRACE(std::string(test::name_of(d)) + " " + std::to_string(size) + " seed " + std::to_string(seed));
      const auto ranks = test::make_ranks(d, size, size / 2 + 7, (std::int64_t{1} << 31) - 1, seed);
      check_all_forms(keys(ranks.first.begin(), ranks.first.end()), keys(ranks.second.begin(), ranks.second.end()));
      if (HasFatalFailure())
      {
        return;
      }
    }
  }
}

} // namespace
