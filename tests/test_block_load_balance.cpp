// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// BlockLoadBalance: each item of a tile once, with its segment and its rank, in every order and for any segments.

#include "support/device_calls.h"
#include "support/segment_battery.h"
#include "support/systems.h"

#include <mgpu_thrust/block/block_load_balance.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace
{

using test::raw;

// The orders in which the segments and ranks of items are requested.
constexpr int orders = 5;
constexpr const char* order_names[orders] = {"warp-striped", "blocked", "rows of 1", "rows of 2", "rows of 4"};

/// Records of each item from first_item on, for each order: its number of occurrences, its segment and its rank.
struct notes
{
  std::int64_t first_item;
  std::int64_t size;
  int* times;
  std::int64_t* segments;
  std::int64_t* ranks;

  __device__ void note(int order, std::int64_t item, std::int64_t segment, std::int64_t rank) const
  {
    const std::int64_t place = order * size + (item - first_item);
    atomicAdd(times + place, 1);
    segments[place] = segment;
    ranks[place] = rank;
  }
};

/// Records the segments and ranks in rows of `Vector` items, if a thread's items are whole vectors.
template <int Threads, int ItemsPerThread, int Vector, class Collective, class Offsets>
__device__ void
note_rows(int order, const Collective& balance, const mgpu::LoadBalanceTile<Offsets>& tile, const notes& out)
{
  if constexpr (ItemsPerThread % Vector == 0)
  {
    typename Collective::template Rows<Vector> rows(balance);
    for (int first = 0; first < ItemsPerThread; first += Vector)
    {
      const int item = rows.Item();
      typename Collective::Place places[Vector];
      rows.Next(places);
      for (int k = 0; k < Vector; ++k)
      {
        if (item + k < tile.num_items)
        {
          out.note(order, tile.first_item + item + k, tile.first_segment + places[k].segment, places[k].rank);
        }
      }
    }
  }
}

/// Records the items from out.first_item on, tile by tile. A block processes several tiles if there are more tiles than
/// blocks. Tiles end with the segment of their last item or, if `ends_behind`, of the item after it.
template <int Threads, int ItemsPerThread, class Offsets>
__global__ void __launch_bounds__(Threads)
  note_places(std::int64_t num_items, Offsets offsets, std::int64_t num_segments, bool ends_behind, notes out)
{
  using collective = mgpu::BlockLoadBalance<Threads, ItemsPerThread, Offsets>;
  constexpr int tile_items = collective::tile_items;
  extern __shared__ __align__(16) unsigned char memory[];
  auto& temp = *reinterpret_cast<typename collective::TempStorage*>(memory);
  for (std::int64_t first = out.first_item + std::int64_t{blockIdx.x} * tile_items; first < num_items;
       first += std::int64_t{gridDim.x} * tile_items)
  {
    auto tile = mgpu::load_balance_tile(num_items, offsets, num_segments, first, tile_items);
    if (ends_behind)
    {
      tile.last_segment = mgpu::segment_of(offsets, num_segments, min(first + tile_items, num_items - 1));
    }
    collective balance(temp);
    balance.Load(tile);

    std::int64_t segments[ItemsPerThread];
    std::int64_t ranks[ItemsPerThread];
    balance.WarpStriped(segments, ranks);
    for (int k = 0; k < ItemsPerThread; ++k)
    {
      if (collective::WarpStripedItem(k) < tile.num_items)
      {
        out.note(0, first + collective::WarpStripedItem(k), segments[k], ranks[k]);
      }
    }
    balance.Blocked(segments, ranks);
    for (int k = 0; k < ItemsPerThread; ++k)
    {
      if (collective::BlockedItem(k) < tile.num_items)
      {
        out.note(1, first + collective::BlockedItem(k), segments[k], ranks[k]);
      }
    }
    note_rows<Threads, ItemsPerThread, 1>(2, balance, tile, out);
    note_rows<Threads, ItemsPerThread, 2>(3, balance, tile, out);
    note_rows<Threads, ItemsPerThread, 4>(4, balance, tile, out);
    __syncthreads(); // before `temp` is loaded again
  }
}

/// Returns whether an order is supported with `items_per_thread` items per thread.
bool has_order(int order, int items_per_thread)
{
  return order <= 2 || items_per_thread % (order == 3 ? 2 : 4) == 0;
}

/// Checks the items from `first_item` on, which starts a tile, against the offsets on the host.
template <int Threads, int ItemsPerThread, class Offsets>
void check_places(
  std::int64_t num_items, const std::vector<std::int64_t>& host_offsets, Offsets offsets, std::int64_t first_item = 0)
{
  using collective = mgpu::BlockLoadBalance<Threads, ItemsPerThread, Offsets>;
  constexpr int tile_items = collective::tile_items;
  const auto kernel = note_places<Threads, ItemsPerThread, Offsets>;
  constexpr int shared_bytes = sizeof(typename collective::TempStorage);
  int most_shared_bytes = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&most_shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), cudaSuccess);
  if (shared_bytes > most_shared_bytes)
  {
    GTEST_SKIP() << "the device has no shared memory for such a tile";
  }
  ASSERT_EQ(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes), cudaSuccess);

  const std::int64_t n = num_items - first_item;
  const auto segment_count = static_cast<std::int64_t>(host_offsets.size());
  const auto tiles = static_cast<unsigned>((n + tile_items - 1) / tile_items);
  for (const bool ends_behind : {false, true})
  {
    thrust::device_vector<int> times(orders * n, 0);
    thrust::device_vector<std::int64_t> segments(orders * n, -7);
    thrust::device_vector<std::int64_t> ranks(orders * n, -7);
    kernel<<<(tiles + 1) / 2, Threads, shared_bytes>>>(
      num_items, offsets, segment_count, ends_behind, notes{first_item, n, raw(times), raw(segments), raw(ranks)});
    ASSERT_EQ(cudaGetLastError(), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const auto got_times = test::to_host(times);
    const auto got_segments = test::to_host(segments);
    const auto got_ranks = test::to_host(ranks);
    std::int64_t segment = 0;
    for (std::int64_t i = 0; i < n; ++i)
    {
      while (segment + 1 < segment_count && host_offsets[segment + 1] <= first_item + i)
      {
        ++segment;
      }
      for (int order = 0; order < orders; ++order)
      {
        const std::int64_t place = order * n + i;
        const bool comes = has_order(order, ItemsPerThread);
        ASSERT_EQ(got_times[place], comes) << order_names[order] << ", item " << i << " of " << n;
        if (comes)
        {
          ASSERT_EQ(got_segments[place], segment) << order_names[order] << ", item " << i << " of " << n;
          ASSERT_EQ(got_ranks[place], first_item + i - host_offsets[segment])
            << order_names[order] << ", item " << i << " of " << n;
        }
      }
    }
  }
}

struct third_of
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t x) const
  {
    return x / 3;
  }
};

/// Offset type that stands for offsets computed by an iterator.
struct computing
{
};

/// Offsets of a type in device memory, and an iterator to them.
template <class Offset>
struct device_offsets
{
  thrust::device_vector<Offset> memory;

  explicit device_offsets(const std::vector<std::int64_t>& offsets)
      : memory(std::vector<Offset>(offsets.begin(), offsets.end()))
  {
  }
  const Offset* begin() const
  {
    return raw(memory);
  }
};
template <>
struct device_offsets<computing>
{
  thrust::device_vector<std::int64_t> memory;

  explicit device_offsets(std::vector<std::int64_t> offsets)
  {
    for (std::int64_t& offset : offsets)
    {
      offset = 3 * offset + 1;
    }
    memory = offsets;
  }
  auto begin() const
  {
    return thrust::make_transform_iterator(raw(memory), third_of{});
  }
};

/// A shape of a tile, and the offsets that it is tested with.
template <int Threads, int ItemsPerThread, class Offset>
struct shape
{
  static constexpr int tile = Threads * ItemsPerThread;
  static constexpr int warp = 32 * ItemsPerThread;
  using offset = Offset;

  static void check(const test::segmentation& in)
  {
    const device_offsets<Offset> offsets(in.offsets);
    check_places<Threads, ItemsPerThread>(in.num_items, in.offsets, offsets.begin());
  }
  /// Checks the items from `first_item` on, which starts a tile.
  static void check_from(std::int64_t first_item, const test::segmentation& in)
  {
    const device_offsets<Offset> offsets(in.offsets);
    check_places<Threads, ItemsPerThread>(in.num_items, in.offsets, offsets.begin(), first_item);
  }
};

/// Segments that start at the given items, one per element of `starts`; the first segment starts at 0.
template <class Starts>
test::segmentation from_starts(std::int64_t num_items, const Starts& starts)
{
  test::segmentation in;
  in.offsets.push_back(0);
  for (const std::int64_t start : starts)
  {
    if (start >= 0 && start <= num_items)
    {
      in.offsets.push_back(start);
    }
  }
  in.num_items = num_items;
  return in;
}

/// Segments of which only one has items; `before` and `after` are the numbers of empty segments around it.
test::segmentation all_empty_but_one(std::int64_t before, std::int64_t size, std::int64_t after)
{
  std::vector<std::int64_t> sizes(before + 1 + after, 0);
  sizes[before] = size;
  return test::from_sizes(sizes);
}

template <class Shape>
class BlockLoadBalance : public testing::Test
{
};
using shapes = testing::Types<
  shape<32, 1, int>, shape<32, 1, std::int64_t>, shape<64, 4, int>, shape<64, 4, unsigned>, shape<64, 4, std::int64_t>,
  shape<64, 4, computing>, shape<128, 7, unsigned>, shape<128, 7, computing>, shape<256, 16, int>,
  shape<256, 16, std::int64_t>, shape<128, 15, unsigned>, shape<128, 15, std::int64_t>>;
TYPED_TEST_SUITE(BlockLoadBalance, shapes);

TYPED_TEST(BlockLoadBalance, SegmentsOfAllLengths)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t tile = TypeParam::tile;
  for (const test::lengths kind : test::all_lengths)
  {
    for (const std::int64_t size : {std::int64_t{1}, tile - 1, tile, tile + 1, 3 * tile - TypeParam::warp / 2})
    {
      SCOPED_TRACE(std::string(test::name_of(kind)) + ", " + std::to_string(size) + " items");
      TypeParam::check(test::make_segmentation(kind, size, 1));
      ASSERT_FALSE(this->HasFatalFailure());
    }
  }
}

TYPED_TEST(BlockLoadBalance, AllEmptyButOne)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t size : {1, TypeParam::tile, 2 * TypeParam::tile + 3})
  {
    for (const auto& [before, after] : {std::pair<int, int>{0, 500}, {250, 250}, {500, 0}})
    {
      SCOPED_TRACE(std::to_string(size) + " items, empty before and after: " + std::to_string(before));
      TypeParam::check(all_empty_but_one(before, size, after));
      ASSERT_FALSE(this->HasFatalFailure());
    }
  }
}

// Segments that start at the first item of a warp or a tile, or one item before or after it, with and without empty
// segments.
TYPED_TEST(BlockLoadBalance, StartsAtBoundaries)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t n = 3 * TypeParam::tile + TypeParam::warp + 1;
  for (const int piece : {TypeParam::warp, TypeParam::tile})
  {
    for (int choice = 1; choice < 16; ++choice) // of the starts before, at and after, once or three times
    {
      for (const int stride : {1, 2})
      {
        SCOPED_TRACE("every " + std::to_string(stride * piece) + " items, choice of starts " + std::to_string(choice));
        std::vector<std::int64_t> starts;
        for (std::int64_t boundary = 0; boundary <= n + 1; boundary += stride * piece)
        {
          for (int shift = -1; shift <= 1; ++shift)
          {
            const int times = (choice >> (shift + 1)) % 2 * (choice >= 8 ? 3 : 1);
            starts.insert(starts.end(), times, boundary + shift);
          }
        }
        std::sort(starts.begin(), starts.end()); // needed if a piece has one item
        TypeParam::check(from_starts(n, starts));
        ASSERT_FALSE(this->HasFatalFailure());
      }
    }
  }
}

// More empty segments in one tile than it can number: before its first item, between two items, and after its last
// item.
TYPED_TEST(BlockLoadBalance, ManyEmptySegmentsInATile)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t tile = TypeParam::tile;
  constexpr std::int64_t n = 3 * tile - 5;
  for (const std::int64_t place :
       {std::int64_t{0}, std::int64_t{1}, tile - 1, tile, tile + 1, tile + tile / 2, 2 * tile - 1, 2 * tile, n - 1, n})
  {
    SCOPED_TRACE("before item " + std::to_string(place));
    std::vector<std::int64_t> starts(100000, place);
    TypeParam::check(from_starts(n, starts));
    ASSERT_FALSE(this->HasFatalFailure());
    // Add segments with items around the empty ones.
    for (std::int64_t start = 3; start < n; start += 7)
    {
      starts.push_back(start);
    }
    std::sort(starts.begin(), starts.end());
    TypeParam::check(from_starts(n, starts));
    ASSERT_FALSE(this->HasFatalFailure());
  }
}

// Numbers of segments around 65536, the most that a tile can number.
TYPED_TEST(BlockLoadBalance, AsManySegmentsAsATileCanNumber)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t n = TypeParam::tile;
  for (const std::int64_t count : {65534, 65535, 65536, 65537})
  {
    SCOPED_TRACE(std::to_string(count) + " segments");
    std::vector<std::int64_t> starts(count - 2, n / 2);
    TypeParam::check(from_starts(n, starts));
    ASSERT_FALSE(this->HasFatalFailure());
    starts.push_back(n - 1);
    TypeParam::check(from_starts(n, starts));
    ASSERT_FALSE(this->HasFatalFailure());
  }
}

// A segment that began long before the tile. The ranks of its items may need more bits than the offsets have.
TYPED_TEST(BlockLoadBalance, SegmentsThatBeganLongBefore)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t tile = TypeParam::tile;
  for (const int bits : {30, 31, 32, 33, 40})
  {
    const std::int64_t first_item = (std::int64_t{1} << bits) / tile * tile;
    constexpr bool is_narrow = sizeof(typename TypeParam::offset) == 4;
    constexpr int offset_bits = is_narrow ? std::is_signed_v<typename TypeParam::offset> ? 31 : 32 : 63;
    SCOPED_TRACE("2^" + std::to_string(bits) + " items before");
    TypeParam::check_from(first_item, from_starts(first_item + 2 * tile + 3, std::vector<std::int64_t>{}));
    ASSERT_FALSE(this->HasFatalFailure());
    if (bits < offset_bits)
    {
      const std::vector<std::int64_t> starts{
        first_item + 5, first_item + 5, first_item + TypeParam::warp, first_item + tile + 3};
      TypeParam::check_from(first_item, from_starts(first_item + 3 * tile + 1, starts));
      ASSERT_FALSE(this->HasFatalFailure());
    }
    else if (bits == offset_bits) // the largest offset, and a tile after it
    {
      const std::int64_t last_offset = (std::int64_t{1} << bits) - 1;
      const std::vector<std::int64_t> starts{last_offset - tile, last_offset};
      const std::int64_t first_of_all = first_item - 2 * tile;
      TypeParam::check_from(first_of_all, from_starts(first_item + 3 * tile + 1, starts));
      ASSERT_FALSE(this->HasFatalFailure());
    }
  }
}

// The largest tile: the numbers of items and segments use all 16 bits.
TEST(BlockLoadBalanceOfLargestTile, ItemsAndSegments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using largest = shape<1024, 64, int>;
  constexpr int tile = largest::tile;
  static_assert(tile == 65536);
  largest::check(test::make_segmentation(test::lengths::all_ones, 2 * tile - 5, 1));
  largest::check(test::make_segmentation(test::lengths::mean_4, 2 * tile - 5, 1));
  largest::check(all_empty_but_one(0, tile, 65535));
  largest::check(all_empty_but_one(65535, tile, 0));
  largest::check(from_starts(tile, std::vector<std::int64_t>(65535, tile - 1)));
  largest::check(from_starts(tile, std::vector<std::int64_t>(65536, tile - 1)));
  largest::check(from_starts(tile + 1, std::vector<std::int64_t>{largest::warp - 1, largest::warp, tile - 1}));
  largest::check(from_starts(tile + 1, std::vector<std::int64_t>{largest::warp + 1, tile}));
}

} // namespace
