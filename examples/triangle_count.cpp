// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Counting the triangles of a graph: how many pairs of neighbours of a vertex are neighbours of each other?
//
// You learn how set operations on very many pairs of lists need no loop over the pairs. Each edge is a pair: of the
// neighbours of its one end and those of its other, which permutation iterators choose from the graph's rows. What both
// lists have is the third corner of a triangle. The graph is generated with a power law of degrees, so the lists of
// some edges are hundreds of times as long as those of others; the library divides the work into equal parts
// nonetheless.
//
// Each edge points from the vertex of fewer neighbours to that of more, so that each triangle is found once.
//
// What is found is compared with a serial loop.
//
// Usage: triangle_count [SCALE | FILE], for a graph of 2^SCALE vertices, or FILE, which is
// data/debian_dependencies.txt.

#include <mgpu_thrust/segmented_set_operations.h>

#include "dependency_graph.h"
#include "example_support.h"
#include "rmat_graph.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/permutation_iterator.h>

#include <cuda/atomic>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using example::edges;
using example::graph;
using example::vertex;

// ---- The graph ----

/// The dependencies of a file's packages, as edges without a direction.
edges edges_of(const example::packages& all)
{
  edges result;
  for (const auto& [from, to] : all.dependencies)
  {
    if (from != to)
    {
      result.emplace_back(std::min(from, to), std::max(from, to));
    }
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

// ---- The triangles ----

/// Adds a triangle to each of its corners: the ends of an edge, and a neighbour of both.
struct add_to_corners
{
  const vertex* from;
  const vertex* neighbours;
  std::int64_t* triangles;

  MGPU_THRUST_HOST_DEVICE void operator()(std::int64_t edge_number, std::int64_t i, std::int64_t /* j */) const
  {
    for (const vertex corner : {from[edge_number], neighbours[edge_number], neighbours[i]})
    {
      cuda::atomic_ref<std::int64_t, cuda::thread_scope_device>(triangles[corner])
        .fetch_add(1, cuda::memory_order_relaxed);
    }
  }
};

struct triangle_counts
{
  std::vector<std::int64_t> of_edges;
  std::vector<std::int64_t> of_vertices;
};

triangle_counts count_triangles(const graph& host_graph, const std::vector<vertex>& host_from)
{
  const thrust::device_vector<std::int64_t> row_starts(host_graph.row_starts.begin(), host_graph.row_starts.end());
  const thrust::device_vector<vertex> neighbours(host_graph.neighbours.begin(), host_graph.neighbours.end());
  const thrust::device_vector<vertex> from(host_from.begin(), host_from.end());
  const auto num_edges = static_cast<std::int64_t>(neighbours.size());

  // 1. Edge e is the pair of the rows of from[e] and of neighbours[e].
  const auto u_begins = thrust::make_permutation_iterator(row_starts.begin(), from.begin());
  const auto u_ends = thrust::make_permutation_iterator(row_starts.begin() + 1, from.begin());
  const auto v_begins = thrust::make_permutation_iterator(row_starts.begin(), neighbours.begin());
  const auto v_ends = thrust::make_permutation_iterator(row_starts.begin() + 1, neighbours.begin());

  // 2. How many triangles have edge e as their first?
  thrust::device_vector<std::int64_t> of_edges(num_edges);
  mgpu::segmented_set_intersection_size(
    thrust::device, neighbours.begin(), u_begins, u_ends, neighbours.begin(), v_begins, v_ends, num_edges,
    of_edges.begin());

  // 3. How many have vertex v as a corner?
  thrust::device_vector<std::int64_t> of_vertices(row_starts.size() - 1);
  mgpu::for_each_in_intersections(
    thrust::device, neighbours.begin(), u_begins, u_ends, neighbours.begin(), v_begins, v_ends, num_edges,
    add_to_corners{
      thrust::raw_pointer_cast(from.data()), thrust::raw_pointer_cast(neighbours.data()),
      thrust::raw_pointer_cast(of_vertices.data())});

  triangle_counts counts;
  counts.of_edges.resize(of_edges.size());
  counts.of_vertices.resize(of_vertices.size());
  thrust::copy(of_edges.begin(), of_edges.end(), counts.of_edges.begin());
  thrust::copy(of_vertices.begin(), of_vertices.end(), counts.of_vertices.begin());
  return counts;
}

triangle_counts count_triangles_serially(const graph& g)
{
  triangle_counts counts{
    std::vector<std::int64_t>(g.neighbours.size()), std::vector<std::int64_t>(g.row_starts.size() - 1)};
  for (std::size_t u = 0; u + 1 < g.row_starts.size(); ++u)
  {
    for (std::int64_t e = g.row_starts[u]; e < g.row_starts[u + 1]; ++e)
    {
      const vertex v = g.neighbours[e];
      const auto row = g.neighbours.begin() + g.row_starts[v];
      const auto row_end = g.neighbours.begin() + g.row_starts[v + 1];
      for (std::int64_t i = g.row_starts[u]; i < g.row_starts[u + 1]; ++i)
      {
        const vertex w = g.neighbours[i];
        if (std::binary_search(row, row_end, w))
        {
          ++counts.of_edges[e];
          ++counts.of_vertices[u];
          ++counts.of_vertices[v];
          ++counts.of_vertices[w];
        }
      }
    }
  }
  return counts;
}

/// Counts, prints and compares.
bool count_and_compare(std::size_t num_vertices, edges all)
{
  example::orient_by_degrees(num_vertices, all);
  const graph g = example::make_graph(num_vertices, all);
  std::vector<vertex> from;
  for (const auto& edge : all)
  {
    from.push_back(edge.first);
  }
  std::printf("A graph of %zu vertices and %zu edges\n", num_vertices, all.size());

  const triangle_counts counts = count_triangles(g, from);
  std::int64_t triangles = 0;
  std::size_t edges_with_triangles = 0;
  for (const std::int64_t count : counts.of_edges)
  {
    triangles += count;
    edges_with_triangles += count > 0 ? 1 : 0;
  }
  const auto largest = std::max_element(counts.of_vertices.begin(), counts.of_vertices.end());
  std::printf("%lld triangles, found at %zu edges\n", static_cast<long long>(triangles), edges_with_triangles);
  std::printf(
    "Vertex %lld is a corner of %lld of them\n", static_cast<long long>(largest - counts.of_vertices.begin()),
    static_cast<long long>(*largest));

  const triangle_counts expected = count_triangles_serially(g);
  const bool is_right = counts.of_edges == expected.of_edges && counts.of_vertices == expected.of_vertices;
  std::printf("A serial loop %s\n", is_right ? "agrees" : "DISAGREES");
  return is_right;
}

int main(int argc, char** argv)
{
  example::skip_without_device();
  try
  {
    const std::string argument = argc > 1 ? argv[1] : "14";
    char* end = nullptr;
    const long scale = std::strtol(argument.c_str(), &end, 10);
    if (*end != '\0')
    {
      const example::packages all = example::read_packages(argument);
      return count_and_compare(all.names.size(), edges_of(all)) ? 0 : 1;
    }
    if (scale < 1 || scale > 26)
    {
      throw std::runtime_error("usage: triangle_count [SCALE | FILE], with a SCALE from 1 to 26");
    }
    const edges all = example::rmat_edges(static_cast<int>(scale), std::int64_t{16} << scale);
    return count_and_compare(std::size_t{1} << scale, all) ? 0 : 1;
  }
  catch (const std::exception& error)
  {
    std::printf("%s\n", error.what());
    return 1;
  }
}
