// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Splats in the tiles of an image: which splats touch each tile, the nearest first? Gaussian splats are drawn so: a
// block of threads draws a tile, from its list.
//
// You learn how calls follow a size that only the device knows: the number of entries, of a splat in a tile.
//   order    the splats by depth: mgpu::stable_sort_indices
//   count    the tiles of each splat; a scan gives the offsets of its entries, and the number of all at its end
//   expand   an entry for each tile of each splat: mgpu::transform_in_segments_n, which reads that number on the device
//   sort     the entries: mgpu::sort_n. An entry is a number: its tile, then the place of its splat by depth
//   ranges   where the entries of each tile begin: mgpu::sorted_lower_bound_n
// Today the host waits for the number between the scan and the expansion, and so in each frame. Here nothing waits: on
// a GPU all calls are captured into a CUDA graph, once, which is launched for each frame.
//
// The lists of two frames are compared with those of plain loops.
//
// Usage: splats_in_tiles, or splats_in_tiles --time=2^24, for a table of times.

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/load_balance_n.h>
#include <mgpu_thrust/sort.h>
#include <mgpu_thrust/sort_n.h>
#include <mgpu_thrust/sorted_search_n.h>

#include "example_support.h"
#include "generated_splats.h"
#include "splats_today.h"
#include "whole_jobs.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace splats_in_tiles
{

using example::entry;
using example::num_tiles;
using example::rectangle;
using example::splat;
using example::splat_vector;
using example::tiles_of;

struct depth_of
{
  MGPU_THRUST_HOST_DEVICE float operator()(const splat& s) const
  {
    return s.depth;
  }
};

// ---- Lists of splats, without a wait ----

struct make_entry
{
  MGPU_THRUST_HOST_DEVICE entry
  operator()(std::int64_t /* item */, std::int64_t place, std::int64_t rank, const rectangle& tiles) const
  {
    return tiles.tile(static_cast<int>(rank)) << 32 | static_cast<entry>(place);
  }
};

/// The splats of a frame, their lists, and room for `capacity` entries.
struct frame
{
  splat_vector splats;
  thrust::device_vector<int> order, offsets, begins;
  thrust::device_vector<entry> entries;

  frame(std::size_t num_splats, std::int64_t capacity)
      : splats(num_splats)
      , order(num_splats)
      , offsets(num_splats + 1, 0)
      , begins(num_tiles + 1)
      , entries(capacity)
  {
  }

  template <class Policy>
  void queue(const Policy& exec)
  {
    const auto n = static_cast<std::int64_t>(splats.size());
    // 1. Which splat is at which place by depth?
    const auto depths = thrust::make_transform_iterator(splats.begin(), depth_of{});
    mgpu::stable_sort_indices(exec, depths, depths + n, order.begin());
    const auto by_depth = thrust::make_permutation_iterator(splats.begin(), order.begin());

    // 2. The offsets of the entries of each. The last one is their number, which stays on the device.
    const auto counts = thrust::make_transform_iterator(by_depth, example::number_of_tiles{});
    thrust::inclusive_scan(exec, counts, counts + n, offsets.begin() + 1);
    const mgpu::deferred num_entries{offsets.data() + n, entries.size()};

    // 3. The entries, in order.
    const auto tiles = thrust::make_transform_iterator(by_depth, tiles_of{});
    mgpu::transform_in_segments_n(exec, num_entries, offsets.begin(), n, tiles, entries.begin(), make_entry{});
    mgpu::sort_n(exec, entries.begin(), num_entries);

    // 4. Where each tile begins, and the last one ends.
    const auto firsts = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), example::first_entry{});
    mgpu::sorted_lower_bound_n(exec, entries.begin(), num_entries, firsts, num_tiles + 1, begins.begin());
  }
};

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
/// Calls that are captured into a CUDA graph.
class recorded
{
public:
  /// Calls queue(policy), first to load code, then to capture it.
  template <class Queue>
  explicit recorded(Queue queue)
  {
    example::check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    const auto exec = thrust::cuda::par_nosync.on(stream_);
    example::check_cuda(cudaDeviceSynchronize()); // the stream does not wait for others
    queue(exec);
    example::check_cuda(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    queue(exec);
    cudaGraph_t graph = nullptr;
    example::check_cuda(cudaStreamEndCapture(stream_, &graph));
    example::check_cuda(cudaGraphInstantiate(&executable_, graph, 0));
    example::check_cuda(cudaGraphDestroy(graph));
  }
  recorded(const recorded&) = delete;
  recorded& operator=(const recorded&) = delete;
  ~recorded()
  {
    cudaGraphExecDestroy(executable_);
    cudaStreamDestroy(stream_);
  }
  void run()
  {
    example::check_cuda(cudaGraphLaunch(executable_, stream_));
    example::check_cuda(cudaStreamSynchronize(stream_));
  }

private:
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};
#else
/// Calls that a CPU repeats.
class recorded
{
public:
  template <class Queue>
  explicit recorded(Queue queue)
      : run_([queue] { queue(thrust::device); })
  {
  }
  void run()
  {
    run_();
  }

private:
  std::function<void()> run_;
};
#endif

// ---- Frames, plain loops, and times ----

/// The splats of each tile, one tile after the other, and where each tile begins.
struct lists
{
  std::vector<int> splats, begins;

  friend bool operator==(const lists& a, const lists& b)
  {
    return a.splats == b.splats && a.begins == b.begins;
  }
};

lists make_lists(const std::vector<splat>& splats)
{
  std::vector<int> order(splats.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return splats[x].depth < splats[y].depth; });
  std::vector<std::vector<int>> of_tiles(num_tiles);
  for (const int number : order)
  {
    const rectangle tiles = tiles_of{}(splats[number]);
    for (int rank = 0; rank < tiles.size(); ++rank)
    {
      of_tiles[tiles.tile(rank)].push_back(number);
    }
  }
  lists result;
  for (const auto& of_tile : of_tiles)
  {
    result.begins.push_back(static_cast<int>(result.splats.size()));
    result.splats.insert(result.splats.end(), of_tile.begin(), of_tile.end());
  }
  result.begins.push_back(static_cast<int>(result.splats.size()));
  return result;
}

lists lists_of(const frame& f)
{
  const int num_entries = f.offsets.back();
  if (static_cast<std::size_t>(num_entries) > f.entries.size())
  {
    throw std::length_error("there are more entries than there is room for");
  }
  const auto order = example::to_host(f.order, f.order.size());
  lists result{{}, example::to_host(f.begins, num_tiles + 1)};
  for (const entry e : example::to_host(f.entries, num_entries))
  {
    result.splats.push_back(order[e & 0xffffffffu]);
  }
  return result;
}

bool answer(const std::string& /* argument */)
{
  constexpr std::size_t num_splats = 20000;
  constexpr std::int64_t capacity = 400000;
  frame f(num_splats, capacity);
  example::frame_today today(num_splats, capacity);
  recorded calls([&f](const auto& exec) { f.queue(exec); });
  bool is_right = true;
  for (int number = 0; number < 2; ++number)
  {
    const std::vector<splat> splats = example::make_splats(num_splats, number);
    thrust::copy(splats.begin(), splats.end(), f.splats.begin());
    today.splats = f.splats;
    calls.run();
    today.run();
    const lists found = lists_of(f);
    const lists expected = make_lists(splats);
    const int size = found.begins.back();
    const int middle = num_tiles / 2 + example::tiles_a_row / 2;
    const int begin = found.begins[middle];
    std::printf("Frame %d: %zu splats have %d entries in %d tiles\n", number, num_splats, size, num_tiles);
    std::printf("  the tile in the middle has %d, the nearest is splat", found.begins[middle + 1] - begin);
    std::printf(" %d at a depth of %.0f\n", found.splats[begin], splats[found.splats[begin]].depth);
    const bool is_ours_right = found == expected;
    const bool is_todays_right =
      lists{example::to_host(today.sorted_values, size), example::to_host(today.begins, num_tiles + 1)} == expected;
    std::printf("  plain loops %s\n", is_ours_right ? "agree" : "DISAGREE");
    std::printf("  a host that waits for the number %s\n", is_todays_right ? "agrees" : "DISAGREES");
    is_right = is_right && is_ours_right && is_todays_right;
  }
  return is_right;
}

/// Prints times for about `size` entries.
void print_table(std::int64_t size)
{
  const auto num_splats = static_cast<std::size_t>(size / 4);
  frame f(num_splats, 2 * size);
  example::frame_today today(num_splats, 2 * size);
  f.splats = example::make_splats(num_splats, 0);
  today.splats = f.splats;
  recorded calls([&f](const auto& exec) { f.queue(exec); });
  example::print_times_head("the host waits for the number of entries");
  example::print_times(
    "a frame", [](auto& calls_of_frame) { calls_of_frame.run(); }, calls, today);
  std::printf("%d entries\n", static_cast<int>(f.offsets.back()));
}

} // namespace splats_in_tiles

int main(int argc, char** argv)
{
  return example::run_job(argc, argv, "", splats_in_tiles::answer, splats_in_tiles::print_table);
}
