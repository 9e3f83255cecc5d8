// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Lists of the splats of tiles as they are made today: the host waits for the number of entries. Entries are sorted by
/// tile and depth, with splats as values.

#include "example_support.h"
#include "generated_splats.h"

#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <cuda/std/bit>
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#  include <cub/device/device_radix_sort.cuh>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace example
{

struct expand_splat
{
  const splat* splats;
  const int* ends;
  entry* keys;
  int* values;

  MGPU_THRUST_HOST_DEVICE void operator()(int number) const
  {
    const rectangle tiles = tiles_of{}(splats[number]);
    const entry depth = cuda::std::bit_cast<std::uint32_t>(splats[number].depth);
    for (int rank = 0, at = ends[number] - tiles.size(); rank < tiles.size(); ++rank, ++at)
    {
      keys[at] = tiles.tile(rank) << 32 | depth;
      values[at] = number;
    }
  }
};

struct frame_today
{
  splat_vector splats;
  thrust::device_vector<int> ends, begins, values, sorted_values;
  thrust::device_vector<entry> keys, sorted_keys;
  thrust::device_vector<char> storage;

  frame_today(std::size_t num_splats, std::int64_t capacity)
      : splats(num_splats)
      , ends(num_splats)
      , begins(num_tiles + 1)
      , values(capacity)
      , sorted_values(capacity)
      , keys(capacity)
      , sorted_keys(capacity)
  {
  }

  void run()
  {
    const auto counts = thrust::make_transform_iterator(splats.begin(), number_of_tiles{});
    thrust::inclusive_scan(thrust::device, counts, counts + splats.size(), ends.begin());
    const int num_entries = ends.back(); // the wait
    thrust::for_each_n(
      thrust::device, thrust::counting_iterator<int>(0), splats.size(),
      expand_splat{
        thrust::raw_pointer_cast(splats.data()), thrust::raw_pointer_cast(ends.data()),
        thrust::raw_pointer_cast(keys.data()), thrust::raw_pointer_cast(values.data())});
    sort(num_entries);
    const auto firsts = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), first_entry{});
    thrust::lower_bound(
      thrust::device, sorted_keys.begin(), sorted_keys.begin() + num_entries, firsts, firsts + num_tiles + 1,
      begins.begin());
  }

private:
  void sort(int num_entries)
  {
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
    constexpr int end_bit = 32 + 12; // there are less than 2^12 tiles
    std::size_t bytes = 0;
    for (void* memory = nullptr;; memory = thrust::raw_pointer_cast(storage.data()))
    {
      example::check_cuda(cub::DeviceRadixSort::SortPairs(
        memory, bytes, thrust::raw_pointer_cast(keys.data()), thrust::raw_pointer_cast(sorted_keys.data()),
        thrust::raw_pointer_cast(values.data()), thrust::raw_pointer_cast(sorted_values.data()), num_entries, 0,
        end_bit));
      if (memory != nullptr)
      {
        return;
      }
      storage.resize(std::max(bytes, storage.size()));
    }
#else
    sorted_keys = keys;
    sorted_values = values;
    thrust::stable_sort_by_key(
      thrust::device, sorted_keys.begin(), sorted_keys.begin() + num_entries, sorted_values.begin());
#endif
  }
};

} // namespace example
