// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A generated graph with a power law of degrees, the same on every machine.

#include "dependency_graph.h"
#include "hash_of_number.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace example
{

/// Returns an edge of an RMAT graph of 2^scale vertices. Each bit of its ends is drawn on its own: of 100 draws, 57 are
/// both 0, 19 each 1 for one of them, and 5 both 1. A draw is a hash of its number, so edges can be drawn in any order.
inline std::pair<vertex, vertex> rmat_edge(int scale, std::int64_t number)
{
  std::pair<vertex, vertex> e{0, 0};
  for (int bit = 0; bit < scale; ++bit)
  {
    const std::uint64_t percent = hash_of_number(static_cast<std::uint64_t>(64 * number + bit)) % 100;
    e.first = 2 * e.first + (percent >= 76 ? 1 : 0);
    e.second = 2 * e.second + ((percent >= 57 && percent < 76) || percent >= 95 ? 1 : 0);
  }
  return e;
}

/// Draws `count` edges of an RMAT graph, and returns them sorted and without repetitions and loops, each from its
/// smaller end to its larger one.
inline edges rmat_edges(int scale, std::int64_t count)
{
  edges all;
  for (std::int64_t number = 0; number < count; ++number)
  {
    const auto [u, v] = example::rmat_edge(scale, number);
    if (u != v)
    {
      all.emplace_back(std::min(u, v), std::max(u, v));
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Turns each edge from its end with fewer neighbours to the one with more, and sorts them: each triangle then has one
/// edge whose ends have its third corner as a common neighbour.
inline void orient_by_degrees(std::size_t num_vertices, edges& all)
{
  std::vector<std::int64_t> degrees(num_vertices);
  for (const auto& [u, v] : all)
  {
    ++degrees[u];
    ++degrees[v];
  }
  for (auto& [u, v] : all)
  {
    if (std::pair(degrees[v], v) < std::pair(degrees[u], u))
    {
      std::swap(u, v);
    }
  }
  std::sort(all.begin(), all.end());
}

} // namespace example
