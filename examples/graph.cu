// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The articles that eight shops all have in stock, the parcels that they are sent in, and what these weigh, as a CUDA
// graph: captured once, launched for lists of other sizes each time.
//
// You learn how to call the functions of the device layer, which allocate nothing and never synchronize; how to capture
// them into a graph; and how to chain operations when the host does not know the sizes of their inputs.
//
// A graph keeps the arguments of its calls. So the size of a list is no argument here: it is a mgpu::deferred, which
// says where in the memory of the device the size will be, and what it will be at most. One operation stores the size
// of its result where the next one reads that of its input. So seven intersections, a join and a sum follow one another
// without the host.

#include <mgpu_thrust/device/device_join.cuh>
#include <mgpu_thrust/device/device_segmented_reduce.cuh>
#include <mgpu_thrust/device/device_set_operations.cuh>

#include "example_support.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>

#include <cuda/std/functional>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <vector>

constexpr int shops = 8;
constexpr int list_capacity = 14;  // the largest size of a shop's list, which has an article once for each piece
constexpr int table_capacity = 10; // the largest size of the table of parcels
constexpr int rows_capacity = 20;  // the largest number of rows of the join that is expected; there could be 14 * 10

/// The parcels that articles are sent in, sorted by article. An article may have several, and then has several rows.
struct parcel_table
{
  std::vector<int> articles;
  std::vector<int> grams;
};

/// What the graph finds.
struct delivery
{
  thrust::host_vector<int> articles; // that all shops have, as many pieces of each as the shop with the fewest
  thrust::host_vector<int> parcels;  // of these articles: rows of the table
  std::int64_t grams;                // of these parcels
};

template <class T>
T* raw(thrust::device_vector<T>& vector)
{
  return thrust::raw_pointer_cast(vector.data());
}

/// The graph, and the memory that it reads and writes. A graph holds pointers, so this cannot be copied or moved.
class delivery_graph
{
public:
  delivery_graph()
  {
    example::check_cuda(cudaStreamCreate(&stream_));

    // 1. Without storage the calls only say how much of it they need.
    std::size_t bytes = 0;
    queue(nullptr, bytes);
    storage_.resize(bytes);

    // 2. Capture: work that is queued until the end of the capture becomes part of the graph, and is not executed.
    cudaGraph_t graph = nullptr;
    example::check_cuda(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    queue(raw(storage_), bytes);
    example::check_cuda(cudaStreamEndCapture(stream_, &graph));
    example::check_cuda(cudaGraphInstantiate(&executable_, graph, 0));
    example::check_cuda(cudaGraphDestroy(graph));
  }
  delivery_graph(const delivery_graph&) = delete;
  delivery_graph& operator=(const delivery_graph&) = delete;
  ~delivery_graph()
  {
    cudaGraphExecDestroy(executable_);
    cudaStreamDestroy(stream_);
  }

  /// Launches the graph on new lists and a new table, of any sizes up to the capacities, and returns the result.
  delivery run(const std::vector<std::vector<int>>& lists, const parcel_table& table)
  {
    thrust::host_vector<std::int64_t> counts(num_counts);
    for (int i = 0; i < shops; ++i)
    {
      thrust::copy(lists[i].begin(), lists[i].end(), lists_[i].begin());
      counts[i] = static_cast<std::int64_t>(lists[i].size());
    }
    thrust::copy(table.articles.begin(), table.articles.end(), table_articles_.begin());
    thrust::copy(table.grams.begin(), table.grams.end(), table_grams_.begin());
    counts[in_table] = static_cast<std::int64_t>(table.articles.size());
    counts_ = counts;
    example::check_cuda(cudaGraphLaunch(executable_, stream_));
    example::check_cuda(cudaStreamSynchronize(stream_));

    counts = counts_;
    if (counts[in_rows] > rows_capacity) // rows for which there is no room are counted, but not written
    {
      throw std::length_error("the join has more rows than there is room for");
    }
    const auto& common = common_[(shops - 1) % 2]; // where the last intersection is
    return {
      {common.begin(), common.begin() + counts[in_common]},
      {rows_.begin(), rows_.begin() + counts[in_rows]},
      grams_[0]};
  }

private:
  // Where the sizes are: first those of the lists, then of the table, of what lists have in common, and of the join.
  enum : int
  {
    in_table = shops,
    in_common,
    in_rows,
    num_counts
  };

  std::int64_t* count(int i)
  {
    return raw(counts_) + i;
  }

  /// Queues all operations; or, without storage, sets `bytes` to what the one that needs most of it needs: they execute
  /// one after the other, so they can share it.
  void queue(void* storage, std::size_t& bytes)
  {
    std::size_t most_bytes = 0;
    const auto check = [&](cudaError_t error)
    {
      example::check_cuda(error);
      most_bytes = std::max(most_bytes, bytes);
    };

    // 1. The articles that all lists have: those of the first list, intersected with each further one. A call may store
    // its count where it reads one.
    int* common = raw(lists_[0]);
    mgpu::deferred num_common{count(0), list_capacity};
    for (int i = 1; i < shops; ++i)
    {
      int* const out = raw(common_[i % 2]);
      check(mgpu::DeviceSetOperations::IntersectionKeys(
        storage, bytes, common, num_common, raw(lists_[i]), mgpu::deferred{count(i), list_capacity}, out,
        count(in_common), cuda::std::less<>{}, stream_));
      common = out;
      num_common.count = count(in_common);
    }

    // 2. Their parcels. A join finds pairs of an article and a row of the table, of which only the rows are needed.
    check(mgpu::DeviceJoin::Inner(
      storage, bytes, common, num_common, raw(table_articles_), mgpu::deferred{count(in_table), table_capacity},
      thrust::make_discard_iterator(), raw(rows_), rows_capacity, count(in_rows), cuda::std::less<>{}, stream_));

    // 3. The sum of the weights in these rows: a reduction of a single segment, which starts at 0.
    check(mgpu::DeviceSegmentedReduce::Reduce(
      storage, bytes, thrust::make_permutation_iterator(raw(table_grams_), raw(rows_)),
      mgpu::deferred{count(in_rows), rows_capacity}, thrust::make_constant_iterator(0), 1, raw(grams_), std::int64_t{0},
      cuda::std::plus<>{}, stream_));
    bytes = most_bytes;
  }

  using column = thrust::device_vector<int>;

  std::vector<column> lists_ = std::vector<column>(shops, column(list_capacity));
  std::vector<column> common_ = std::vector<column>(2, column(list_capacity)); // in one or the other
  column table_articles_ = column(table_capacity);
  column table_grams_ = column(table_capacity);
  column rows_ = column(rows_capacity);
  thrust::device_vector<std::int64_t> grams_ = thrust::device_vector<std::int64_t>(1);
  thrust::device_vector<std::int64_t> counts_ = thrust::device_vector<std::int64_t>(num_counts);
  thrust::device_vector<char> storage_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

int main()
{
  example::skip_without_device();
  delivery_graph graph;

  const auto show = [&](const std::vector<std::vector<int>>& lists, const parcel_table& table)
  {
    for (const auto& list : lists)
    {
      example::print_line("articles of a shop:", list);
    }
    example::print_line("table of parcels, articles:", table.articles);
    example::print_line("table of parcels, grams:", table.grams);
    const delivery found = graph.run(lists, table);
    example::print_line("articles that all shops have:", found.articles);
    example::print_line("their parcels, rows of the table:", found.parcels);
    std::printf("%-34s %lld\n", "grams in all:", static_cast<long long>(found.grams));
  };
  show(
    {{1, 2, 2, 3, 5, 5, 5, 8, 9, 10, 12, 15},
     {2, 2, 4, 5, 5, 8, 9, 11, 12, 15},
     {0, 1, 2, 2, 2, 3, 5, 5, 5, 7, 8, 9, 12, 15},
     {2, 2, 5, 5, 9, 12, 15},
     {2, 2, 2, 3, 5, 5, 6, 9, 13, 15},
     {1, 2, 2, 5, 5, 5, 9, 12, 15},
     {2, 2, 4, 5, 5, 9, 14, 15},
     {0, 2, 2, 2, 5, 5, 9, 10, 15, 16}},
    {{2, 5, 5, 7, 8, 9, 12}, {300, 1000, 250, 80, 40, 500, 90}});
  show(
    {{1, 4, 4, 7, 21},
     {1, 1, 2, 3, 4, 4, 4, 7, 21, 30, 31},
     {4, 4, 4, 7, 7},
     {1, 4, 4, 7},
     {0, 4, 4, 7, 9, 9},
     {4, 4, 7, 21},
     {4, 4, 4, 4, 5, 6, 7, 8},
     {1, 4, 4, 7, 10}},
    {{1, 4, 7, 21}, {60, 120, 900, 30}});
  show({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, {{1, 2, 3}, {10, 20, 30}});
  return 0;
}
