// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Breadth-first search of a real graph: which packages of Debian depend on another one, and through how many others?
//
// You learn how load balancing makes an irregular loop easy. A level of the search visits all neighbours of all
// vertices of the frontier; one vertex may have 21,808 of them, most others have one or none. To
// mgpu::for_each_in_segments the vertices of the frontier are segments and their neighbours are items: it calls a
// function with each item, and distributes the items equally, however long the segments are. This program schedules
// nothing itself. The vertices that the function claimed are the next frontier, once Thrust has compacted them.
//
// The distances are compared with those of a serial search.
//
// Usage: breadth_first_search FILE, where FILE is data/debian_dependencies.txt.

#include <mgpu_thrust/load_balance.h>

#include "dependency_graph.h"
#include "example_support.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/remove.h>
#include <thrust/transform_scan.h>

#include <cuda/atomic>
#include <cuda/std/functional>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using example::edges;
using example::graph;
using example::vertex;
using distance = int;
constexpr vertex no_vertex = -1;
constexpr distance unreached = -1;

// ---- The search, in parallel ----

/// Returns the number of neighbours of a vertex.
struct degree_of
{
  const std::int64_t* row_starts;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(vertex v) const
  {
    return row_starts[v + 1] - row_starts[v];
  }
};

/// Visits one neighbour of the frontier. Many threads may find the same vertex in the same level; the thread that
/// changes its distance, from `unreached`, has claimed it.
struct visit
{
  const vertex* neighbours;
  distance* distances;
  distance level;
  vertex* claimed; // by item

  MGPU_THRUST_HOST_DEVICE void
  operator()(std::int64_t item, std::int64_t /* segment */, std::int64_t rank, std::int64_t row_start) const
  {
    const vertex found = neighbours[row_start + rank];
    const cuda::atomic_ref<distance, cuda::thread_scope_device> its_distance(distances[found]);
    distance before = unreached;
    const bool is_new = its_distance.load(cuda::memory_order_relaxed) == unreached
                        && its_distance.compare_exchange_strong(before, level, cuda::memory_order_relaxed);
    claimed[item] = is_new ? found : no_vertex;
  }
};

struct search_result
{
  std::vector<distance> distances;
  std::vector<std::size_t> frontier_sizes; // by level
  std::int64_t num_visits = 0;             // edges looked at
};

search_result breadth_first_search(const graph& host_graph, vertex source)
{
  const thrust::device_vector<std::int64_t> row_starts(host_graph.row_starts.begin(), host_graph.row_starts.end());
  const thrust::device_vector<vertex> neighbours(host_graph.neighbours.begin(), host_graph.neighbours.end());
  thrust::device_vector<distance> distances(row_starts.size() - 1, unreached);
  distances[source] = 0;
  thrust::device_vector<vertex> frontier(1, source);

  search_result result;
  for (distance level = 1; !frontier.empty(); ++level)
  {
    result.frontier_sizes.push_back(frontier.size());

    // 1. The offset of the neighbours of each vertex of the frontier: the exclusive scan of their numbers.
    thrust::device_vector<std::int64_t> offsets(frontier.size() + 1, 0);
    thrust::transform_inclusive_scan(
      thrust::device, frontier.begin(), frontier.end(), offsets.begin() + 1,
      degree_of{thrust::raw_pointer_cast(row_starts.data())}, cuda::std::plus<std::int64_t>{});
    const std::int64_t num_items = offsets.back();

    // 2. Visit them. The value of a segment, the row_start of its vertex, is read once for many of its items.
    thrust::device_vector<vertex> claimed(num_items);
    mgpu::for_each_in_segments(
      thrust::device, num_items, offsets.begin(), offsets.begin() + frontier.size(),
      thrust::make_permutation_iterator(row_starts.begin(), frontier.begin()),
      visit{
        thrust::raw_pointer_cast(neighbours.data()), thrust::raw_pointer_cast(distances.data()), level,
        thrust::raw_pointer_cast(claimed.data())});
    result.num_visits += num_items;

    // 3. The claimed vertices are the next frontier.
    claimed.erase(thrust::remove(thrust::device, claimed.begin(), claimed.end(), no_vertex), claimed.end());
    frontier.swap(claimed);
  }
  result.distances.resize(distances.size());
  thrust::copy(distances.begin(), distances.end(), result.distances.begin());
  return result;
}

// ---- The search, serially ----

std::vector<distance> serial_breadth_first_search(const graph& g, vertex source)
{
  std::vector<distance> distances(g.row_starts.size() - 1, unreached);
  distances[source] = 0;
  std::queue<vertex> waiting;
  waiting.push(source);
  while (!waiting.empty())
  {
    const vertex v = waiting.front();
    waiting.pop();
    for (std::int64_t i = g.row_starts[v]; i < g.row_starts[v + 1]; ++i)
    {
      const vertex w = g.neighbours[i];
      if (distances[w] == unreached)
      {
        distances[w] = distances[v] + 1;
        waiting.push(w);
      }
    }
  }
  return distances;
}

// ---- Questions ----

/// Prints what a search finds. Returns whether the serial search finds the same.
bool ask(const std::string& question, const graph& g, vertex source)
{
  const search_result found = breadth_first_search(g, source);
  std::size_t num_found = 0;
  std::printf("\n%s\n", question.c_str());
  for (std::size_t level = 0; level < found.frontier_sizes.size(); ++level)
  {
    std::printf("  level %2zu: %6zu\n", level, found.frontier_sizes[level]);
    num_found += found.frontier_sizes[level];
  }
  std::printf(
    "  %zu packages on %zu levels, by %lld dependencies\n", num_found, found.frontier_sizes.size(),
    static_cast<long long>(found.num_visits));
  const bool is_right = found.distances == serial_breadth_first_search(g, source);
  std::printf("  The serial search %s.\n", is_right ? "agrees" : "DISAGREES");
  return is_right;
}

int main(int argc, char** argv)
{
  example::skip_without_device();
  try
  {
    if (argc != 2)
    {
      throw std::runtime_error("usage: breadth_first_search FILE");
    }
    const example::packages all = example::read_packages(argv[1]);
    edges dependents = all.dependencies;
    for (auto& [from, to] : dependents)
    {
      std::swap(from, to);
    }
    const graph needs = example::make_graph(all.names.size(), all.dependencies);
    const graph is_needed_by = example::make_graph(all.names.size(), dependents);
    std::printf("%s\n%zu packages, %zu dependencies\n", all.source.c_str(), all.names.size(), all.dependencies.size());

    bool is_right = ask("What depends on libc6, by how many steps?", is_needed_by, all.find("libc6"));
    is_right = ask("What depends on perl?", is_needed_by, all.find("perl")) && is_right;
    is_right = ask("What does gnome depend on?", needs, all.find("gnome")) && is_right;
    return is_right ? 0 : 1;
  }
  catch (const std::exception& error)
  {
    std::printf("%s\n", error.what());
    return 1;
  }
}
