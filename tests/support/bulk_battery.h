// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The battery of bulk removal and insertion: both functions under every policy against plain loops.

#include <mgpu_thrust/bulk.h>

#include "elements.h"
#include "systems.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace test
{

/// Number of the first inserted element.
inline constexpr std::int64_t first_value = 1000003;

/// Elements of 0, 1, ..., size - 1 that must remain after the removal of `indices`.
template <class Element, class Index>
std::vector<Element> expected_removal(std::int64_t size, const std::vector<Index>& indices)
{
  std::vector<Element> kept;
  std::size_t next = 0;
  for (std::int64_t i = 0; i < size; ++i)
  {
    if (next < indices.size() && static_cast<std::int64_t>(indices[next]) == i)
    {
      ++next;
    }
    else
    {
      kept.push_back(make_element<Element>(i));
    }
  }
  return kept;
}

/// Elements 0, 1, ..., size - 1 after the insertion of values first_value, first_value + 1, ... at `positions`.
template <class Element, class Index>
std::vector<Element> expected_insertion(std::int64_t size, const std::vector<Index>& positions)
{
  std::vector<Element> all;
  std::size_t next = 0;
  for (std::int64_t i = 0; i <= size; ++i)
  {
    for (; next < positions.size() && static_cast<std::int64_t>(positions[next]) == i; ++next)
    {
      all.push_back(make_element<Element>(first_value + static_cast<std::int64_t>(next)));
    }
    if (i < size)
    {
      all.push_back(make_element<Element>(i));
    }
  }
  return all;
}

template <class Element, class Policy, class Index>
void check_bulk_remove(const Policy& policy, std::int64_t size, const std::vector<Index>& indices)
{
  const auto input = test::to_memory<Policy>(make_elements<Element>(size, 0));
  const auto removed = test::to_memory<Policy>(indices);
  const auto expected = expected_removal<Element>(size, indices);
  memory<Policy, Element> out(expected.size() + 1, make_element<Element>(-7));
  const auto end = mgpu::bulk_remove(policy, input.begin(), input.end(), removed.begin(), removed.end(), out.begin());
  expect_output(out, expected, end - out.begin());
}

template <class Element, class Policy, class Index>
void check_bulk_insert(const Policy& policy, std::int64_t size, const std::vector<Index>& positions)
{
  const auto input = test::to_memory<Policy>(make_elements<Element>(size, 0));
  const auto values = test::to_memory<Policy>(make_elements<Element>(positions.size(), first_value));
  const auto places = test::to_memory<Policy>(positions);
  const auto expected = expected_insertion<Element>(size, positions);
  memory<Policy, Element> out(expected.size() + 1, make_element<Element>(-7));
  const auto end =
    mgpu::bulk_insert(policy, input.begin(), input.end(), values.begin(), places.begin(), places.end(), out.begin());
  expect_output(out, expected, end - out.begin());
}

/// Checks removal and insertion under every policy. `indices` ascend strictly and are below `size`, so they are valid
/// for both.
template <class Element, class Index>
void check_bulk(std::int64_t size, const std::vector<Index>& indices)
{
  for_each_policy(
    [&](const auto& policy)
    {
      {
        SCOPED_TRACE("bulk_remove");
        check_bulk_remove<Element>(policy, size, indices);
      }
      {
        SCOPED_TRACE("bulk_insert");
        check_bulk_insert<Element>(policy, size, indices);
      }
    });
}

/// A random subset of 0, 1, ..., size - 1, with each index chosen with the given probability.
template <class Index>
std::vector<Index> random_indices(std::int64_t size, double probability, std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  std::bernoulli_distribution chosen(probability);
  std::vector<Index> indices;
  for (std::int64_t i = 0; i < size; ++i)
  {
    if (chosen(random))
    {
      indices.push_back(static_cast<Index>(i));
    }
  }
  return indices;
}

/// Indices begin, begin + step, ... below end.
template <class Index>
std::vector<Index> every_index(std::int64_t begin, std::int64_t end, std::int64_t step)
{
  std::vector<Index> indices;
  for (; begin < end; begin += step)
  {
    indices.push_back(static_cast<Index>(begin));
  }
  return indices;
}

} // namespace test
