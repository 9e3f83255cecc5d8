// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The graph that the examples on graphs share: the packages of Debian and their dependencies.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace example
{

using vertex = int;

/// The neighbours of v are neighbours[row_starts[v]] up to, not including, neighbours[row_starts[v + 1]].
struct graph
{
  std::vector<std::int64_t> row_starts; // one more than the number of vertices
  std::vector<vertex> neighbours;
};

using edges = std::vector<std::pair<vertex, vertex>>;

inline graph make_graph(std::size_t num_vertices, const edges& all)
{
  graph result{std::vector<std::int64_t>(num_vertices + 1), std::vector<vertex>(all.size())};
  for (const auto& [from, to] : all)
  {
    ++result.row_starts[from + 1];
  }
  for (std::size_t v = 0; v < num_vertices; ++v)
  {
    result.row_starts[v + 1] += result.row_starts[v];
  }
  std::vector<std::int64_t> ends = result.row_starts;
  for (const auto& [from, to] : all)
  {
    result.neighbours[ends[from]++] = to;
  }
  return result;
}

struct packages
{
  std::string source; // from the file's first line
  std::vector<std::string> names;
  edges dependencies;

  vertex find(const std::string& name) const
  {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
    {
      throw std::runtime_error("there is no package " + name);
    }
    return static_cast<vertex>(found - names.begin());
  }
};

inline packages read_packages(const std::string& path)
{
  std::ifstream file(path);
  packages result;
  if (!file || !std::getline(file, result.source) || result.source.substr(0, 2) != "# ")
  {
    throw std::runtime_error(path + ": cannot be read");
  }
  result.source.erase(0, 2);
  std::string line;
  while (std::getline(file, line))
  {
    if (line[0] != '#')
    {
      std::istringstream words(line);
      std::string name;
      words >> name;
      for (vertex dependency = 0; words >> dependency;)
      {
        result.dependencies.emplace_back(static_cast<vertex>(result.names.size()), dependency);
      }
      result.names.push_back(name);
    }
  }
  for (const auto& [from, to] : result.dependencies)
  {
    if (to < 0 || static_cast<std::size_t>(to) >= result.names.size())
    {
      throw std::runtime_error(path + ": there is no package of the number " + std::to_string(to));
    }
  }
  return result;
}

} // namespace example
