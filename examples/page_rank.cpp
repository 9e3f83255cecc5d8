// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// PageRank of a real graph, by a sparse matrix times a vector: which packages of Debian matter most, if a package
// matters as much as those that depend on it?
//
// You learn how to reduce rows of any lengths repeatedly. The matrix is in the CSR format, with a row for each package
// and an entry for each of those that depend on it: 21,808 for libc6, none for half of the packages. The product of a
// row is the sum of its entries, each times an element of the vector. To mgpu::segmented_reduce_plan rows are segments
// and entries are items; it partitions its work once, as the matrix stays the same. An iterator computes the products
// as they are read, and the amount that every package gets is `init`, also for rows without entries.
//
// The same plan then reduces something else: it finds the most important dependent of each package.
//
// The ranks are compared with those of plain loops.
//
// Usage: page_rank FILE, where FILE is data/debian_dependencies.txt.

#include <mgpu_thrust/segmented_reduce.h>

#include "dependency_graph.h"
#include "example_support.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/tuple.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using example::graph;
using example::vertex;
constexpr vertex no_vertex = -1;

constexpr double damping = 0.85; // share of its rank that a package passes on, to those that it depends on
constexpr int num_steps = 60;

// ---- The matrix ----

/// A matrix with a row for each package. Its entries are in the columns of the packages that depend on it; their
/// weights are the shares of rank that these pass on.
struct matrix
{
  graph rows; // the neighbours of a vertex are the columns of its row's entries
  std::vector<double> weights;
  std::vector<vertex> without_dependencies; // these pass on equal shares to all packages
};

matrix make_matrix(const example::packages& all)
{
  const std::size_t size = all.names.size();
  example::edges dependents = all.dependencies;
  for (auto& [from, to] : dependents)
  {
    std::swap(from, to);
  }
  std::vector<int> num_dependencies(size);
  for (const auto& [from, to] : all.dependencies)
  {
    ++num_dependencies[from];
  }
  matrix result{example::make_graph(size, dependents), {}, {}};
  for (const vertex dependent : result.rows.neighbours)
  {
    result.weights.push_back(damping / num_dependencies[dependent]);
  }
  for (std::size_t v = 0; v < size; ++v)
  {
    if (num_dependencies[v] == 0)
    {
      result.without_dependencies.push_back(static_cast<vertex>(v));
    }
  }
  return result;
}

// ---- The ranks, in parallel ----

struct product
{
  MGPU_THRUST_HOST_DEVICE double operator()(const thrust::tuple<double, double>& factors) const
  {
    return thrust::get<0>(factors) * thrust::get<1>(factors);
  }
};

/// A package and its rank.
struct ranked
{
  double rank;
  vertex package;
};

struct with_rank
{
  const double* ranks;

  MGPU_THRUST_HOST_DEVICE ranked operator()(vertex v) const
  {
    return {ranks[v], v};
  }
};

/// Returns the package of higher rank, or the first if the ranks are equal.
struct higher
{
  MGPU_THRUST_HOST_DEVICE ranked operator()(const ranked& x, const ranked& y) const
  {
    return x.rank < y.rank ? y : x;
  }
};

struct get_package
{
  MGPU_THRUST_HOST_DEVICE vertex operator()(const ranked& x) const
  {
    return x.package;
  }
};

struct rank_result
{
  std::vector<double> ranks;
  std::vector<vertex> first_dependents; // for each package the dependent of highest rank, or no_vertex
};

rank_result rank_packages(const matrix& host)
{
  const thrust::device_vector<std::int64_t> row_starts(host.rows.row_starts.begin(), host.rows.row_starts.end());
  const thrust::device_vector<vertex> columns(host.rows.neighbours.begin(), host.rows.neighbours.end());
  const thrust::device_vector<double> weights(host.weights.begin(), host.weights.end());
  const thrust::device_vector<vertex> without_dependencies(
    host.without_dependencies.begin(), host.without_dependencies.end());
  const std::size_t size = row_starts.size() - 1;
  thrust::device_vector<double> ranks(size, 1.0 / static_cast<double>(size));
  thrust::device_vector<double> next(size);

  const mgpu::segmented_reduce_plan plan(
    thrust::device, static_cast<std::int64_t>(columns.size()), row_starts.begin(), row_starts.end() - 1);
  for (int step = 0; step < num_steps; ++step)
  {
    // 1. The amount that every package gets: the rank that is not passed on along dependencies.
    const auto dangling = thrust::make_permutation_iterator(ranks.begin(), without_dependencies.begin());
    const double sum = thrust::reduce(thrust::device, dangling, dangling + without_dependencies.size());
    const double for_all = (1 - damping + damping * sum) / static_cast<double>(size);

    // 2. The sum of this amount and the product of each row.
    const auto products = thrust::make_transform_iterator(
      thrust::make_zip_iterator(weights.begin(), thrust::make_permutation_iterator(ranks.begin(), columns.begin())),
      product{});
    plan.reduce(products, next.begin(), for_all);
    ranks.swap(next);
  }

  // 3. Other items in the same segments: the dependents with their ranks. Only the package of each result is written.
  const auto dependents =
    thrust::make_transform_iterator(columns.begin(), with_rank{thrust::raw_pointer_cast(ranks.data())});
  thrust::device_vector<vertex> first_dependents(size);
  plan.reduce(
    dependents, thrust::make_transform_output_iterator(first_dependents.begin(), get_package{}), ranked{0.0, no_vertex},
    higher{});

  rank_result result{std::vector<double>(size), std::vector<vertex>(size)};
  thrust::copy(ranks.begin(), ranks.end(), result.ranks.begin());
  thrust::copy(first_dependents.begin(), first_dependents.end(), result.first_dependents.begin());
  return result;
}

// ---- The ranks, serially ----

std::vector<double> serial_ranks(const matrix& m)
{
  const std::size_t size = m.rows.row_starts.size() - 1;
  std::vector<double> ranks(size, 1.0 / static_cast<double>(size));
  std::vector<double> next(size);
  for (int step = 0; step < num_steps; ++step)
  {
    double sum = 0;
    for (const vertex v : m.without_dependencies)
    {
      sum += ranks[v];
    }
    for (std::size_t v = 0; v < size; ++v)
    {
      next[v] = (1 - damping + damping * sum) / static_cast<double>(size);
      for (std::int64_t i = m.rows.row_starts[v]; i < m.rows.row_starts[v + 1]; ++i)
      {
        next[v] += m.weights[i] * ranks[m.rows.neighbours[i]];
      }
    }
    ranks.swap(next);
  }
  return ranks;
}

/// Returns whether ranks differ by no more than sums in different orders do.
bool agree(const std::vector<double>& x, const std::vector<double>& y)
{
  return std::equal(
    x.begin(), x.end(), y.begin(), y.end(), [](double a, double b) { return std::abs(a - b) <= 1e-9 * b; });
}

int main(int argc, char** argv)
{
  example::skip_without_device();
  try
  {
    if (argc != 2)
    {
      throw std::runtime_error("usage: page_rank FILE");
    }
    const example::packages all = example::read_packages(argv[1]);
    const matrix m = make_matrix(all);
    std::printf(
      "%s\n%zu packages, %zu dependencies\n\n", all.source.c_str(), all.names.size(), all.dependencies.size());
    const rank_result found = rank_packages(m);

    std::vector<vertex> order(all.names.size());
    std::iota(order.begin(), order.end(), 0);
    constexpr int shown = 20;
    std::partial_sort(
      order.begin(), order.begin() + shown, order.end(),
      [&](vertex x, vertex y) { return found.ranks[x] > found.ranks[y]; });
    std::printf("      rank in %%  dependents  package                first among its dependents\n");
    for (int place = 0; place < shown; ++place)
    {
      const vertex v = order[place];
      const vertex dependent = found.first_dependents[v];
      std::printf(
        "%4d  %9.4f  %10lld  %-21s  %s\n", place + 1, 100 * found.ranks[v],
        static_cast<long long>(m.rows.row_starts[v + 1] - m.rows.row_starts[v]), all.names[v].c_str(),
        dependent == no_vertex ? "-" : all.names[dependent].c_str());
    }
    const bool is_right = agree(found.ranks, serial_ranks(m));
    std::printf("\nPlain loops %s.\n", is_right ? "agree" : "DISAGREE");
    return is_right ? 0 : 1;
  }
  catch (const std::exception& error)
  {
    std::printf("%s\n", error.what());
    return 1;
  }
}
