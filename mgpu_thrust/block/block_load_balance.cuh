// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// BlockLoadBalance: the segments of a tile of items, for the threads of a block.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/detail/config.h>

#include <cub/util_type.cuh>

#include <cstdint>
#include <iterator>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN

/// A tile of consecutive items, and the segments that they belong to.
template <class Offsets>
struct LoadBalanceTile
{
  std::int64_t first_item;    ///< number of the first item
  int num_items;              ///< how many there are
  Offsets offsets;            ///< where all segments start
  std::int64_t first_segment; ///< the segment of the first item
  std::int64_t last_segment;  ///< the segment of the last item, or of the item behind it
};

/// The tile of up to `tile_items` items that starts at `first_item`, which must be one of num_items. Finds the segments
/// of its ends by bisection: O(log num_segments) reads. See load_balance for the other parameters.
template <class Offsets>
MGPU_THRUST_HOST_DEVICE LoadBalanceTile<Offsets> load_balance_tile(
  std::int64_t num_items, Offsets offsets, std::int64_t num_segments, std::int64_t first_item, int tile_items)
{
  const std::int64_t items_left = num_items - first_item;
  const int count = items_left < tile_items ? static_cast<int>(items_left) : tile_items;
  return {
    first_item, count, offsets, mgpu::segment_of(offsets, num_segments, first_item),
    mgpu::segment_of(offsets, num_segments, first_item + count - 1)};
}

/// Tells the threads of a one-dimensional block the segments that the items of a tile belong to: load-balancing search
/// for people who write kernels. Segments have any lengths; of those that are empty there may be any number.
///
/// @tparam BlockThreads   threads of the block, a multiple of 32
/// @tparam ItemsPerThread items of a thread; a tile has up to BlockThreads * ItemsPerThread items, 65536 at most
///
/// A kernel calls Load with a tile, then any of the others, as often as it likes. All threads of the block call all of
/// them. Items without a number (of a tile that is not full, or beyond) get unspecified segments.
///
/// Load reads the offset of each segment of the tile once or twice, and marks in shared memory which item each segment
/// starts at, 2 bytes an item. A warp then looks at 32 items at a time: a ballot tells the nearest start before each.
/// If there are more than 2^16 segments, nearly all empty, each item is searched for among the offsets instead.
///
/// @code{.cu}
/// #include <mgpu_thrust/block/block_load_balance.cuh>
///
/// #include <cassert>
///
/// // Writes the segment and the rank of each item, a tile a block.
/// __global__ void name_items(int num_items, const int* offsets, int num_segments, int* segments_out, int* ranks_out)
/// {
///   using collective = mgpu::BlockLoadBalance<64, 4>;
///   __shared__ collective::TempStorage temp;
///   const auto tile = mgpu::load_balance_tile(
///     num_items, offsets, num_segments, blockIdx.x * collective::tile_items, collective::tile_items);
///   collective balance(temp);
///   balance.Load(tile);
///   std::int64_t segments[4], ranks[4];
///   balance.WarpStriped(segments, ranks);
///   for (int k = 0; k < 4; ++k)
///   {
///     const int item = collective::WarpStripedItem(k);
///     if (item < tile.num_items)
///     {
///       segments_out[tile.first_item + item] = segments[k];
///       ranks_out[tile.first_item + item] = ranks[k];
///     }
///   }
/// }
///
/// int main()
/// {
///   const int offsets[] = {0, 3, 3, 4}; // segments of 3, 0, 1 and 2 items
///   int* memory;
///   cudaMalloc(&memory, 16 * sizeof(int));
///   cudaMemcpy(memory, offsets, sizeof(offsets), cudaMemcpyHostToDevice);
///   name_items<<<1, 64>>>(6, memory, 4, memory + 4, memory + 10);
///   int segments[6], ranks[6];
///   cudaMemcpy(segments, memory + 4, sizeof(segments), cudaMemcpyDeviceToHost);
///   cudaMemcpy(ranks, memory + 10, sizeof(ranks), cudaMemcpyDeviceToHost);
///   assert(segments[0] == 0 && segments[2] == 0 && segments[3] == 2 && segments[4] == 3 && segments[5] == 3);
///   assert(ranks[0] == 0 && ranks[2] == 2 && ranks[3] == 0 && ranks[4] == 0 && ranks[5] == 1);
///   return 0;
/// }
/// @endcode
///
/// Source: S. Baxter: Modern GPU, "Load-Balancing Search" (2013), for what is found; how is ours.
template <int BlockThreads, int ItemsPerThread, class Offsets = const int*>
class BlockLoadBalance
{
  static_assert(BlockThreads % 32 == 0, "mgpu_thrust: a block is made of whole warps");
  static_assert(BlockThreads * ItemsPerThread <= 65536, "mgpu_thrust: a tile has at most 65536 items");

  static constexpr int warp_items = 32 * ItemsPerThread;

  // Segments have numbers in the tile: its first one has 0, those that are marked have from 1 to 65535.
  static constexpr std::int64_t most_marked = 65535;
  using mark = unsigned short;

  // Numbers of items as wide as the offsets. Those before the tile's first one wrap around, so that the distance of two
  // is right in any case.
  using offset = typename std::iterator_traits<Offsets>::value_type;
  using item_number = std::conditional_t<sizeof(offset) <= 4, std::uint32_t, std::uint64_t>;

  /// A segment, and the item it starts at, both counted from the tile's first.
  struct head
  {
    item_number item;
    int segment;
  };
  /// The segment that a warp's first item belongs to, unless it starts there.
  struct warp_head
  {
    head first;
    bool has_all; ///< all the warp's items belong to it
  };
  struct storage
  {
    uint4 marks[BlockThreads * ItemsPerThread / 8]; ///< eight each
    warp_head warp_heads[BlockThreads / 32];
  };

public:
  /// Items of a full tile.
  static constexpr int tile_items = BlockThreads * ItemsPerThread;

  /// Shared memory of a block.
  using TempStorage = cub::Uninitialized<storage>;

  /// The segment of an item, counted from the tile's first, and how many items of that segment are before it.
  struct Place
  {
    std::int64_t segment;
    std::int64_t rank;
  };

  MGPU_THRUST_DEVICE explicit BlockLoadBalance(TempStorage& temp)
      : shared_(temp.Alias())
  {
  }

  /// Takes a tile. It has two barriers; a Load that follows needs one more, by the caller, before it.
  MGPU_THRUST_DEVICE void Load(const LoadBalanceTile<Offsets>& tile)
  {
    tile_ = tile;
    last_ = tile.last_segment - tile.first_segment;
    if (is_marked())
    {
#pragma unroll
      for (int i = 0; i < tile_items / 8; i += BlockThreads)
      {
        if (i + static_cast<int>(threadIdx.x) < tile_items / 8)
        {
          shared_.marks[i + static_cast<int>(threadIdx.x)] = uint4{};
        }
      }
      __syncthreads();
      mark_heads();
    }
    __syncthreads();
  }

  /// Which item of the tile a thread's item k is in the order of WarpStriped and of Rows: neighbouring lanes have
  /// neighbouring items, and a warp has 32 * ItemsPerThread items in a row.
  MGPU_THRUST_DEVICE static int WarpStripedItem(int k)
  {
    return static_cast<int>(threadIdx.x) / 32 * warp_items + 32 * k + static_cast<int>(threadIdx.x) % 32;
  }
  /// Which it is in the order of Blocked: a thread has ItemsPerThread items in a row.
  MGPU_THRUST_DEVICE static int BlockedItem(int k)
  {
    return static_cast<int>(threadIdx.x) * ItemsPerThread + k;
  }

  /// Walks over the calling warp's items, 32 at a time, so that a thread holds no more places than it wants to.
  class Rows
  {
  public:
    MGPU_THRUST_DEVICE explicit Rows(const BlockLoadBalance& balance)
        : balance_(balance)
        , before_(balance.shared_.warp_heads[threadIdx.x / 32].first)
        , item_(WarpStripedItem(0))
        , lanes_to_here_(~0u >> (31 - threadIdx.x % 32))
    {
    }
    /// Whether all these items belong to one segment, the same for all lanes. Then Here can stand for Next.
    MGPU_THRUST_DEVICE bool HasOneSegment() const
    {
      return balance_.is_marked() && balance_.shared_.warp_heads[threadIdx.x / 32].has_all;
    }
    MGPU_THRUST_DEVICE int Segment() const
    {
      return before_.segment;
    }
    MGPU_THRUST_DEVICE Place Here()
    {
      const int item = item_;
      item_ += 32;
      return place(item, before_);
    }
    /// The place of the thread's next item: of WarpStripedItem(k) at the k-th call.
    MGPU_THRUST_DEVICE Place Next()
    {
      const int item = item_;
      item_ += 32;
      if (!balance_.is_marked())
      {
        return balance_.search(item);
      }
      const int row = item - static_cast<int>(threadIdx.x) % 32;
      const int marked = balance_.marks()[item];
      const unsigned starts = __ballot_sync(~0u, marked != 0);
      const unsigned starts_before = starts & lanes_to_here_;
      const int start = 31 - __clz(static_cast<int>(starts_before));
      const int marked_before = __shfl_sync(~0u, marked, start);
      const head here = starts_before == 0 ? before_ : head{static_cast<item_number>(row + start), marked_before};

      // What goes on at the next row. Numbers ascend; and if nothing starts here, no lane has a mark.
      const int last_start = 31 - __clz(static_cast<int>(starts));
      before_.segment = max(before_.segment, __shfl_sync(~0u, marked, last_start));
      before_.item = starts == 0 ? before_.item : static_cast<item_number>(row + last_start);
      return place(item, here);
    }

  private:
    const BlockLoadBalance& balance_;
    head before_; ///< the segment that goes on at the next row
    int item_;
    unsigned lanes_to_here_;
  };

  /// The places of the calling thread's items in that order.
  MGPU_THRUST_DEVICE void
  WarpStriped(std::int64_t (&segments)[ItemsPerThread], std::int64_t (&ranks)[ItemsPerThread]) const
  {
    Rows rows(*this);
#pragma unroll
    for (int k = 0; k < ItemsPerThread; ++k)
    {
      const Place place = rows.Next();
      segments[k] = tile_.first_segment + place.segment;
      ranks[k] = place.rank;
    }
  }

  /// The places of ItemsPerThread consecutive items.
  MGPU_THRUST_DEVICE void Blocked(std::int64_t (&segments)[ItemsPerThread], std::int64_t (&ranks)[ItemsPerThread]) const
  {
    const int first = BlockedItem(0);
    if (!is_marked())
    {
      for (int k = 0; k < ItemsPerThread; ++k)
      {
        const Place place = search(first + k);
        segments[k] = tile_.first_segment + place.segment;
        ranks[k] = place.rank;
      }
      return;
    }

    // 1. The last start among a thread's items, with its segment in front, so that of two the later one is the larger;
    //    then the last one before the thread's items.
    unsigned last_start = 0;
#pragma unroll
    for (int k = 0; k < ItemsPerThread; ++k)
    {
      const unsigned marked = marks()[first + k];
      last_start = marked != 0 ? marked << 16 | (first + k) : last_start;
    }
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2)
    {
      const unsigned other = __shfl_up_sync(~0u, last_start, distance);
      last_start = lane >= distance ? max(last_start, other) : last_start;
    }
    const unsigned start_before = __shfl_up_sync(~0u, last_start, 1);

    // 2. From there the thread goes on by itself.
    head here = shared_.warp_heads[threadIdx.x / 32].first;
    if (lane > 0 && start_before != 0)
    {
      here = {start_before & 0xffff, static_cast<int>(start_before >> 16)};
    }
#pragma unroll
    for (int k = 0; k < ItemsPerThread; ++k)
    {
      const int marked = marks()[first + k];
      if (marked != 0)
      {
        here = {static_cast<item_number>(first + k), marked};
      }
      const Place it = place(first + k, here);
      segments[k] = tile_.first_segment + it.segment;
      ranks[k] = it.rank;
    }
  }

private:
  MGPU_THRUST_DEVICE bool is_marked() const
  {
    return last_ <= most_marked;
  }
  MGPU_THRUST_DEVICE const mark* marks() const
  {
    return reinterpret_cast<const mark*>(shared_.marks);
  }
  MGPU_THRUST_DEVICE static Place place(int item, const head& of)
  {
    return {of.segment, static_cast<std::int64_t>(static_cast<item_number>(item) - of.item)};
  }

  /// Where a segment starts, counted from the tile's first item.
  MGPU_THRUST_DEVICE item_number start_of(std::int64_t segment) const
  {
    return static_cast<item_number>(detail::element(tile_.offsets + tile_.first_segment, segment))
           - static_cast<item_number>(tile_.first_item);
  }

  /// Marks each item that a segment starts at, but for the first segment, and tells the warps which segment goes on at
  /// their first item. Segments are loaded some at a time.
  MGPU_THRUST_DEVICE void mark_heads()
  {
    constexpr int batch = 4;
    const int last = static_cast<int>(last_);
    for (int first = static_cast<int>(threadIdx.x); first <= last; first += batch * BlockThreads)
    {
      item_number starts[batch];
      item_number ends[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k)
      {
        const int i = first + k * BlockThreads;
        starts[k] = i <= last ? start_of(i) : 0;
        ends[k] = i < last ? start_of(i + 1) : i == last ? tile_items : 0;
      }
#pragma unroll
      for (int k = 0; k < batch; ++k)
      {
        const int i = first + k * BlockThreads;
        const bool is_first = k == 0 && i == 0;
        if (starts[k] == ends[k] || (!is_first && starts[k] >= tile_items))
        {
          continue; // empty, or behind the tile
        }
        const int start = is_first ? 0 : static_cast<int>(starts[k]);
        const int end = ends[k] < tile_items ? static_cast<int>(ends[k]) : tile_items;
        if (!is_first)
        {
          reinterpret_cast<mark*>(shared_.marks)[start] = static_cast<mark>(i);
        }
        if (is_first || start / warp_items != end / warp_items)
        {
          for (int warp = is_first ? 0 : start / warp_items + 1; warp * warp_items < end; ++warp)
          {
            shared_.warp_heads[warp] = {{starts[k], i}, (warp + 1) * warp_items <= end};
          }
        }
      }
    }
  }

  /// The place of an item, found among the offsets.
  MGPU_THRUST_DEVICE Place search(int item) const
  {
    const std::int64_t segment =
      mgpu::segment_of(tile_.offsets + tile_.first_segment, last_ + 1, tile_.first_item + item);
    return {segment, static_cast<std::int64_t>(static_cast<item_number>(item) - start_of(segment))};
  }

  storage& shared_;
  LoadBalanceTile<Offsets> tile_;
  std::int64_t last_; ///< the number in the tile of its last segment
};

MGPU_THRUST_NAMESPACE_END
