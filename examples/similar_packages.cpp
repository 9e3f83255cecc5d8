// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Similar vertices of a real graph: which packages of Debian depend on nearly the same packages?
//
// You learn how to intersect the lists of any pairs of vertices, straight from the graph's rows. The similarity of two
// packages is that of Jaccard: of the packages that one of them depends on, the part that both depend on. Not all two
// billion pairs are compared: candidates are packages with a common dependency that few others have. Each candidate is
// a pair of numbers; permutation iterators find the bounds of both lists, and one call counts what all pairs have in
// common, lists of one package and of three hundred alike. The size of the union follows from it.
//
// The counts are compared with those of std::set_intersection, one pair after another.
//
// Usage: similar_packages FILE, where FILE is data/debian_dependencies.txt.

#include <mgpu_thrust/segmented_set_operations.h>

#include "dependency_graph.h"
#include "example_support.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/permutation_iterator.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using example::edges;
using example::graph;
using example::vertex;

/// Makes the graph with a sorted list for each package: the packages that it depends on.
graph make_dependencies(const example::packages& all)
{
  edges sorted = all.dependencies;
  std::sort(sorted.begin(), sorted.end());
  return example::make_graph(all.names.size(), sorted);
}

/// Returns the pairs of packages that have a common dependency on which at most `max_dependents` depend.
edges find_candidates(const example::packages& all, std::int64_t max_dependents)
{
  edges turned = all.dependencies;
  for (auto& [from, to] : turned)
  {
    std::swap(from, to);
  }
  std::sort(turned.begin(), turned.end());
  const graph dependents = example::make_graph(all.names.size(), turned);
  edges candidates;
  for (std::size_t v = 0; v < all.names.size(); ++v)
  {
    const std::int64_t end = dependents.row_starts[v + 1];
    if (end - dependents.row_starts[v] <= max_dependents)
    {
      for (std::int64_t i = dependents.row_starts[v]; i < end; ++i)
      {
        for (std::int64_t j = i + 1; j < end; ++j)
        {
          candidates.emplace_back(dependents.neighbours[i], dependents.neighbours[j]);
        }
      }
    }
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return candidates;
}

/// Counts the common dependencies of each candidate.
std::vector<int> count_common(const graph& dependencies, const edges& candidates)
{
  std::vector<vertex> host_first;
  std::vector<vertex> host_second;
  for (const auto& [u, v] : candidates)
  {
    host_first.push_back(u);
    host_second.push_back(v);
  }
  const thrust::device_vector<std::int64_t> row_starts(dependencies.row_starts.begin(), dependencies.row_starts.end());
  const thrust::device_vector<vertex> neighbours(dependencies.neighbours.begin(), dependencies.neighbours.end());
  const thrust::device_vector<vertex> first(host_first.begin(), host_first.end());
  const thrust::device_vector<vertex> second(host_second.begin(), host_second.end());
  thrust::device_vector<int> common(candidates.size());

  mgpu::segmented_set_intersection_size(
    thrust::device, neighbours.begin(), thrust::make_permutation_iterator(row_starts.begin(), first.begin()),
    thrust::make_permutation_iterator(row_starts.begin() + 1, first.begin()), neighbours.begin(),
    thrust::make_permutation_iterator(row_starts.begin(), second.begin()),
    thrust::make_permutation_iterator(row_starts.begin() + 1, second.begin()),
    static_cast<std::int64_t>(candidates.size()), common.begin());

  std::vector<int> result(candidates.size());
  thrust::copy(common.begin(), common.end(), result.begin());
  return result;
}

std::vector<int> count_common_serially(const graph& dependencies, const edges& candidates)
{
  const auto begin = [&](vertex v) { return dependencies.neighbours.begin() + dependencies.row_starts[v]; };
  std::vector<int> result;
  std::vector<vertex> both;
  for (const auto& [u, v] : candidates)
  {
    both.clear();
    std::set_intersection(begin(u), begin(u + 1), begin(v), begin(v + 1), std::back_inserter(both));
    result.push_back(static_cast<int>(both.size()));
  }
  return result;
}

/// A pair of packages, and the numbers of those that both, and that one or both, depend on.
struct similar_pair
{
  vertex first;
  vertex second;
  std::int64_t common;
  std::int64_t together;

  /// Puts what is more similar first, of the same similarity what has more in common.
  bool operator<(const similar_pair& other) const
  {
    const std::int64_t own = common * other.together;
    const std::int64_t others = other.common * together;
    if (own != others)
    {
      return own > others;
    }
    return common != other.common ? common > other.common
                                  : std::pair(first, second) < std::pair(other.first, other.second);
  }
};

/// Returns the similarities of the candidates, the most similar ones first.
std::vector<similar_pair>
sort_by_similarity(const graph& dependencies, const edges& candidates, const std::vector<int>& common)
{
  const auto& starts = dependencies.row_starts;
  std::vector<similar_pair> all;
  for (std::size_t i = 0; i < candidates.size(); ++i)
  {
    const auto [u, v] = candidates[i];
    const std::int64_t sum = starts[u + 1] - starts[u] + starts[v + 1] - starts[v];
    all.push_back({u, v, common[i], sum - common[i]});
  }
  std::sort(all.begin(), all.end());
  return all;
}

int main(int argc, char** argv)
{
  example::skip_without_device();
  try
  {
    if (argc != 2)
    {
      throw std::runtime_error("usage: similar_packages FILE");
    }
    const example::packages all = example::read_packages(argv[1]);
    const graph dependencies = make_dependencies(all);
    constexpr std::int64_t max_dependents = 100;
    const edges candidates = find_candidates(all, max_dependents);
    const std::vector<int> common = count_common(dependencies, candidates);
    const std::vector<similar_pair> similar = sort_by_similarity(dependencies, candidates, common);

    const auto is_same = [](const similar_pair& pair) { return pair.common == pair.together; };
    std::printf("%s\n%zu packages, %zu dependencies\n", all.source.c_str(), all.names.size(), all.dependencies.size());
    std::printf(
      "%zu pairs have a dependency that at most %d packages have; %d have all in common\n\n", candidates.size(),
      static_cast<int>(max_dependents), static_cast<int>(std::count_if(similar.begin(), similar.end(), is_same)));
    std::printf("The most similar of the others, with 20 common dependencies or more:\n");
    int printed = 0;
    for (const similar_pair& pair : similar)
    {
      if (!is_same(pair) && pair.common >= 20 && printed < 10)
      {
        std::printf(
          "%3d of %3d  %s, %s\n", static_cast<int>(pair.common), static_cast<int>(pair.together),
          all.names[pair.first].c_str(), all.names[pair.second].c_str());
        ++printed;
      }
    }
    std::printf("\nThe package that is most similar to\n");
    for (const char* const name : {"gdb", "gimp", "libreoffice-writer", "postgresql-15"})
    {
      const vertex wanted = all.find(name);
      const auto found = std::find_if(
        similar.begin(), similar.end(),
        [&](const similar_pair& pair) { return pair.first == wanted || pair.second == wanted; });
      if (found != similar.end())
      {
        const vertex other = found->first == wanted ? found->second : found->first;
        std::printf(
          "%-20s %s, %d of %d\n", name, all.names[other].c_str(), static_cast<int>(found->common),
          static_cast<int>(found->together));
      }
    }
    const bool is_right = common == count_common_serially(dependencies, candidates);
    std::printf("\nstd::set_intersection of each pair %s.\n", is_right ? "agrees" : "DISAGREES");
    return is_right ? 0 : 1;
  }
  catch (const std::exception& error)
  {
    std::printf("%s\n", error.what());
    return 1;
  }
}
