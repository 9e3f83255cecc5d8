// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The neighbour lists of a real graph, all sorted by one call: for each package of Debian the packages that depend on
// it, in descending order of the number of packages that depend on them.
//
// You learn how to sort segments of any lengths. The lists are stored one after another, as the rows of a sparse matrix
// are: 21,808 packages depend on libc6, on half of the packages none. mgpu::segmented_sort takes the offsets of the
// lists, empty ones too; no list is a launch, a thread or a piece of work of its own, so it does not matter how
// different they are in length. The elements sorted are indices of packages; the comparator looks up the number of
// packages that depend on each, and if these are equal, which name comes first. The names themselves are not moved;
// they are sorted through their indices, once.
//
// The lists are compared with those that std::sort makes, one after another.
//
// Usage: sort_neighbours FILE, where FILE is data/debian_dependencies.txt.

#include <mgpu_thrust/segmented_sort.h>
#include <mgpu_thrust/sort.h>

#include "dependency_graph.h"
#include "example_support.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using example::graph;
using example::vertex;

/// Makes the graph with a list for each package: the packages that depend on it.
graph make_dependents(const example::packages& all)
{
  example::edges dependents = all.dependencies;
  for (auto& [from, to] : dependents)
  {
    std::swap(from, to);
  }
  return example::make_graph(all.names.size(), dependents);
}

/// Returns the rank of each package in the order of all names.
std::vector<int> find_places(const std::vector<std::string>& names)
{
  std::vector<int> order(names.size());
  mgpu::stable_sort_indices(thrust::host, names.begin(), names.end(), order.begin());
  std::vector<int> places(names.size());
  for (std::size_t i = 0; i < order.size(); ++i)
  {
    places[order[i]] = static_cast<int>(i);
  }
  return places;
}

/// Orders packages by the number of packages that depend on them, descending, then by name.
struct by_dependents_and_name
{
  const std::int64_t* row_starts;
  const int* places;

  MGPU_THRUST_HOST_DEVICE bool operator()(vertex x, vertex y) const
  {
    const std::int64_t of_x = row_starts[x + 1] - row_starts[x];
    const std::int64_t of_y = row_starts[y + 1] - row_starts[y];
    return of_x != of_y ? of_x > of_y : places[x] < places[y];
  }
};

/// Sorts all lists.
void sort_lists(graph& dependents, const std::vector<int>& host_places)
{
  const thrust::device_vector<std::int64_t> row_starts(dependents.row_starts.begin(), dependents.row_starts.end());
  const thrust::device_vector<int> places(host_places.begin(), host_places.end());
  thrust::device_vector<vertex> neighbours(dependents.neighbours.begin(), dependents.neighbours.end());
  const by_dependents_and_name order{
    thrust::raw_pointer_cast(row_starts.data()), thrust::raw_pointer_cast(places.data())};

  mgpu::segmented_sort(
    thrust::device, neighbours.begin(), neighbours.end(), row_starts.begin(), row_starts.end() - 1, order);

  thrust::copy(neighbours.begin(), neighbours.end(), dependents.neighbours.begin());
}

/// Sorts all lists, one after another.
void sort_lists_serially(graph& dependents, const std::vector<int>& places)
{
  for (std::size_t v = 0; v + 1 < dependents.row_starts.size(); ++v)
  {
    std::sort(
      dependents.neighbours.begin() + dependents.row_starts[v],
      dependents.neighbours.begin() + dependents.row_starts[v + 1],
      by_dependents_and_name{dependents.row_starts.data(), places.data()});
  }
}

/// Prints the length of a package's list, and its first elements.
void print_list(const example::packages& all, const graph& dependents, const char* name)
{
  const vertex v = all.find(name);
  const std::int64_t begin = dependents.row_starts[v];
  const std::int64_t end = dependents.row_starts[v + 1];
  std::printf("%-16s %5lld ", name, static_cast<long long>(end - begin));
  for (std::int64_t i = begin; i < std::min(begin + 4, end); ++i)
  {
    const vertex neighbour = dependents.neighbours[i];
    std::printf(
      " %s (%lld)", all.names[neighbour].c_str(),
      static_cast<long long>(dependents.row_starts[neighbour + 1] - dependents.row_starts[neighbour]));
  }
  std::printf("\n");
}

int main(int argc, char** argv)
{
  example::skip_without_device();
  try
  {
    if (argc != 2)
    {
      throw std::runtime_error("usage: sort_neighbours FILE");
    }
    const example::packages all = example::read_packages(argv[1]);
    const std::vector<int> places = find_places(all.names);
    graph dependents = make_dependents(all);
    graph expected = dependents;
    sort_lists(dependents, places);

    std::printf(
      "%s\n%zu packages, %zu dependencies\n\npackage    dependents  the first of them, and how many depend on those\n",
      all.source.c_str(), all.names.size(), all.dependencies.size());
    for (const char* const name : {"libc6", "python3", "zlib1g", "gcc-12-base", "git", "gdb", "cmake", "postgresql"})
    {
      print_list(all, dependents, name);
    }
    sort_lists_serially(expected, places);
    const bool is_right = dependents.neighbours == expected.neighbours;
    std::printf("\nstd::sort of each list %s.\n", is_right ? "agrees" : "DISAGREES");
    return is_right ? 0 : 1;
  }
  catch (const std::exception& error)
  {
    std::printf("%s\n", error.what());
    return 1;
  }
}
