// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A kernel of your own on mgpu::BlockSetOperation: the triangles of a graph.
//
// An edge is in one triangle for each neighbour that its two ends have in common. So each block of the kernel
// intersects the two sorted lists of neighbours of one edge.
//
// You learn how a block executes a set operation on two ranges of any size, tile by tile; how mgpu::balanced_path cuts
// the tiles; and how the result is stored. Many small set operations fit into one kernel this way, with no launch for
// each.

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/block/block_set_operation.cuh>

#include "example_support.h"

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

using vertex = std::uint32_t;
struct edge
{
  vertex u;
  vertex v;
};

// ---- The kernel ----

/// A graph in device memory. Vertex v has the neighbours [first_neighbour[v], first_neighbour[v + 1]), sorted.
struct device_graph
{
  const int* first_neighbour;
  const vertex* neighbours;
  const edge* edges;
};

constexpr int block_threads = 64;
constexpr int items_per_thread = 3;

/// Block e finds the common neighbours of the two ends of edge e, stores them from corners[first_corner[e]] on, and
/// their number in counts[e].
__global__ void find_triangles(device_graph graph, const int* first_corner, vertex* corners, int* counts)
{
  // With the last argument the result is the keys, not their indices in the tile.
  using collective = mgpu::BlockSetOperation<mgpu::SetIntersection, block_threads, items_per_thread, vertex>;
  __shared__ typename collective::TempStorage temp;

  const edge ends = graph.edges[blockIdx.x];
  const vertex* a = graph.neighbours + graph.first_neighbour[ends.u];
  const vertex* b = graph.neighbours + graph.first_neighbour[ends.v];
  int a_count = graph.first_neighbour[ends.u + 1] - graph.first_neighbour[ends.u];
  int b_count = graph.first_neighbour[ends.v + 1] - graph.first_neighbour[ends.v];
  vertex* const output = corners + first_corner[blockIdx.x];
  int found = 0;

  // Most lists fit into one tile. In longer lists a tile ends where the balanced path crosses the diagonal one tile
  // after its start: there no key is separated from its match. All threads find the same point.
  constexpr int tile_items = block_threads * items_per_thread;
  while (a_count > 0 && b_count > 0)
  {
    const auto end = mgpu::balanced_path(a, a_count, b, b_count, min(tile_items, a_count + b_count));
    const mgpu::SetTile tile{a, end.a_index, b, end.b_index, end.a_index < a_count, end.b_index < b_count};
    typename collective::Items items;
    collective(temp).Run(tile, cuda::std::less<>{}, items);
    items.Store(output + found);
    found += items.total;
    a += end.a_index;
    b += end.b_index;
    a_count -= end.a_index;
    b_count -= end.b_index;
    __syncthreads(); // before `temp` is reused
  }
  if (threadIdx.x == 0)
  {
    counts[blockIdx.x] = found;
  }
}

// ---- Graphs ----

struct graph
{
  std::vector<int> first_neighbour;
  std::vector<vertex> neighbours;
  std::vector<edge> edges; // each edge once, with u < v
};

/// Makes a graph from its edges. Those given twice, in either direction, count once, and loops not at all.
graph make_graph(vertex vertices, const std::vector<edge>& edges)
{
  std::vector<std::vector<vertex>> lists(vertices);
  for (const edge e : edges)
  {
    if (e.u != e.v)
    {
      lists[e.u].push_back(e.v);
      lists[e.v].push_back(e.u);
    }
  }
  graph result;
  result.first_neighbour.push_back(0);
  for (vertex u = 0; u < vertices; ++u)
  {
    std::vector<vertex>& list = lists[u];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    for (const vertex v : list)
    {
      result.neighbours.push_back(v);
      if (u < v)
      {
        result.edges.push_back({u, v});
      }
    }
    result.first_neighbour.push_back(static_cast<int>(result.neighbours.size()));
  }
  return result;
}

/// Makes a wheel: a hub, vertex 0; a rim, vertices 1 to 5; and vertex 6, which one edge connects to the rim.
graph make_wheel()
{
  return make_graph(7, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 1}, {5, 6}});
}

/// Makes a random graph, in which some vertices have many neighbours and most have few, as in social networks. It is
/// the same on every machine.
graph make_random_graph()
{
  std::uint64_t state = 1;
  const auto below = [&](std::uint64_t limit) // splitmix64, of S. Vigna
  {
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % limit;
  };
  constexpr vertex vertices = 2000;
  std::vector<edge> edges;
  for (int i = 0; i < 40000; ++i)
  {
    const std::uint64_t u = below(1 + below(1 + below(vertices))); // small numbers are more likely
    const std::uint64_t v = below(vertices);
    edges.push_back({static_cast<vertex>(u), static_cast<vertex>(v)});
  }
  return make_graph(vertices, edges);
}

// ---- Triangles ----

/// Returns, for each edge, the third corners of its triangles.
using triangles = std::vector<std::vector<vertex>>;

triangles on_the_device(const graph& g)
{
  // Allocate the largest possible number of corners of each edge.
  std::vector<int> first_corner{0};
  for (const edge e : g.edges)
  {
    const auto degree = [&](vertex v) { return g.first_neighbour[v + 1] - g.first_neighbour[v]; };
    first_corner.push_back(first_corner.back() + std::min(degree(e.u), degree(e.v)));
  }

  const thrust::device_vector<int> d_first_neighbour(g.first_neighbour);
  const thrust::device_vector<vertex> d_neighbours(g.neighbours);
  const thrust::device_vector<edge> d_edges(g.edges);
  const thrust::device_vector<int> d_first_corner(first_corner);
  thrust::device_vector<vertex> d_corners(first_corner.back());
  thrust::device_vector<int> d_counts(g.edges.size());
  const auto raw = [](auto& vector) { return thrust::raw_pointer_cast(vector.data()); };
  find_triangles<<<static_cast<unsigned>(g.edges.size()), block_threads>>>(
    device_graph{raw(d_first_neighbour), raw(d_neighbours), raw(d_edges)}, raw(d_first_corner), raw(d_corners),
    raw(d_counts));
  example::check_cuda(cudaGetLastError());
  example::check_cuda(cudaDeviceSynchronize());

  const thrust::host_vector<vertex> corners(d_corners);
  const thrust::host_vector<int> counts(d_counts);
  triangles result;
  for (std::size_t e = 0; e < g.edges.size(); ++e)
  {
    const auto first = corners.begin() + first_corner[e];
    result.emplace_back(first, first + counts[e]);
  }
  return result;
}

/// Returns, for each edge, the third corners of its triangles, by a plain loop over a matrix.
triangles by_a_plain_loop(const graph& g)
{
  const vertex vertices = static_cast<vertex>(g.first_neighbour.size() - 1);
  std::vector<std::vector<bool>> are_neighbours(vertices, std::vector<bool>(vertices));
  for (const edge e : g.edges)
  {
    are_neighbours[e.u][e.v] = are_neighbours[e.v][e.u] = true;
  }
  triangles result;
  for (const edge e : g.edges)
  {
    result.emplace_back();
    for (vertex w = 0; w < vertices; ++w)
    {
      if (are_neighbours[e.u][w] && are_neighbours[e.v][w])
      {
        result.back().push_back(w);
      }
    }
  }
  return result;
}

/// Returns the number of triangles, each of which was found at three edges.
std::size_t count(const triangles& found)
{
  std::size_t on_edges = 0;
  for (const auto& corners : found)
  {
    on_edges += corners.size();
  }
  return on_edges / 3;
}

int main()
{
  example::skip_without_device();

  const graph wheel = make_wheel();
  const triangles of_wheel = on_the_device(wheel);
  std::printf("A wheel of %zu edges and %zu triangles\n", wheel.edges.size(), count(of_wheel));
  for (std::size_t e = 0; e < wheel.edges.size(); ++e)
  {
    std::printf("  edge %u-%u: %zu", wheel.edges[e].u, wheel.edges[e].v, of_wheel[e].size());
    for (const vertex corner : of_wheel[e])
    {
      std::printf("%s %u", corner == of_wheel[e].front() ? ", with" : " and", corner);
    }
    std::printf("\n");
  }

  const graph random = make_random_graph();
  const triangles of_random = on_the_device(random);
  std::printf("A random graph of %zu edges and %zu triangles\n", random.edges.size(), count(of_random));

  if (of_wheel != by_a_plain_loop(wheel) || of_random != by_a_plain_loop(random))
  {
    std::printf("WRONG: a plain loop says otherwise\n");
    return 1;
  }
  return 0;
}
