// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// BlockLoadBalance: the segments of a tile of items, for the threads of a block.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <cub/util_type.cuh>

#include <cuda/std/iterator>
#include <cuda/std/optional>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN

/// A tile of consecutive items, and the segments that they belong to.
/// @since 1.0
template <class Offsets>
struct LoadBalanceTile
{
  std::int64_t first_item;    ///< number of the first item
  int num_items;              ///< number of items
  Offsets offsets;            ///< starts of all segments
  std::int64_t first_segment; ///< the segment of the first item
  std::int64_t last_segment;  ///< the segment of the last item, or of the item after it
};

/// @addtogroup block_load_balance Load balancing of a tile
/// @{

/// Returns the tile of up to `tile_items` items that starts at `first_item`. BlockLoadBalance has an example.
///
/// @param num_items    number of all items
/// @param offsets      random-access iterator to integers in ascending order, from 0 to num_items, the first one 0
/// @param num_segments number of segments, at least 1: n if there are n + 1 offsets, as in CSR
/// @param first_item   the tile's first item, less than num_items
/// @param tile_items   items of a tile; the last one may have fewer
/// @since 1.0
///
/// Complexity: O(log num_segments) reads of offsets, by a bisection for each end.
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

/// @}

/// Finds the segments that the items of a tile belong to, for the threads of a one-dimensional block: load-balancing
/// search for users who write kernels. Segments may have any length, and any number of them may be empty.
///
/// @tparam BlockThreads   threads of the block, a multiple of 32
/// @tparam ItemsPerThread items of a thread; a tile has up to BlockThreads * ItemsPerThread items, 65536 at most
/// @tparam Offsets        iterator over the segments' offsets, as in the tile
///
/// @param temp           shared memory of the block
/// @param tile           of load_balance_tile, the same in all threads
/// @param k              a thread's item, 0 to ItemsPerThread - 1
/// @param segments,ranks receive, for each of a thread's items, its segment and its rank, the number of items before it
///                       in that segment
/// @since 1.0
///
/// A kernel calls Load with a tile, then any of the other functions, any number of times. All threads of the block must
/// call each of them. Items past the end of the tile get unspecified segments.
///
/// Load reads the offset of each segment of the tile once or twice, and marks in shared memory the items at which
/// segments start, 2 bytes an item. A warp then processes 32 items at a time: a ballot gives the nearest start before
/// each. If there are more than 2^16 segments, nearly all empty, each item is searched for among the offsets instead.
/// Work: O(s / BlockThreads + ItemsPerThread) a thread, where s segments are in the tile.
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
/// Source: S. Baxter: Modern GPU, "Load-Balancing Search" (2013), for the problem; the method is ours.
template <int BlockThreads, int ItemsPerThread, class Offsets = const int*>
class BlockLoadBalance
{
  static_assert(
    std::is_integral_v<typename ::cuda::std::iterator_traits<Offsets>::value_type>,
    "mgpu_thrust: offsets are integers");
  static_assert(BlockThreads % 32 == 0, "mgpu_thrust: a block is made of whole warps");
  static_assert(BlockThreads * ItemsPerThread <= 65536, "mgpu_thrust: a tile has at most 65536 items");

  static constexpr int warps = BlockThreads / 32;
  static constexpr int warp_items = 32 * ItemsPerThread;

  // Numbers of items as wide as the offsets, counted from the tile's first: right for the starts of all segments but
  // the tile's first one, which may have started long before.
  using offset = typename ::cuda::std::iterator_traits<Offsets>::value_type;
  using item_number = std::conditional_t<sizeof(offset) <= 4, std::uint32_t, std::uint64_t>;

  // Segments and items are counted from the tile's first ones. A start is both in one word, of which the later start is
  // the larger: the segment in the upper half, the item it starts at in the lower. Segment 0 starts before the tile or
  // with it, so that its word is any number below 2^16.
  using start = std::uint32_t;
  static constexpr std::int64_t max_marked = 65535;

  struct storage
  {
    uint4 marks[BlockThreads * ItemsPerThread / 8]; ///< 16 bits an item: the segment that starts there, or 0
    start warp_starts[warps];                       ///< the last start before each warp's first item
    bool warp_has_one[warps];                       ///< whether all the warp's items belong to that segment
    std::int64_t first_start;                       ///< the item at which segment 0 starts
  };

public:
  /// Items of a full tile.
  static constexpr int tile_items = BlockThreads * ItemsPerThread;

  /// Shared memory of a block.
  using TempStorage = cub::Uninitialized<storage>;

  /// The segment of an item, counted from the tile's first, and the rank of the item: the number of items before it in
  /// that segment.
  struct Place
  {
    std::int64_t segment;
    std::int64_t rank;
  };

  MGPU_THRUST_DEVICE explicit BlockLoadBalance(TempStorage& temp)
      : shared_(temp.Alias())
  {
  }

  /// Loads a tile. Before another Load on the same TempStorage the caller needs a barrier.
  MGPU_THRUST_DEVICE void Load(const LoadBalanceTile<Offsets>& tile)
  {
    tile_.emplace(tile);
    last_ = tile.last_segment - tile.first_segment;
    if (last_ == 0)
    {
      return; // one segment has all items
    }
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
      if (threadIdx.x < warps) // only wrong offsets would leave a warp's values unset
      {
        shared_.warp_starts[threadIdx.x] = 0;
        shared_.warp_has_one[threadIdx.x] = false;
      }
      __syncthreads();
      mark_starts();
      __syncthreads();
    }
  }

  /// Number in the tile of a thread's item k in the order of WarpStriped: neighbouring lanes have neighbouring items,
  /// and a warp has 32 * ItemsPerThread items in a row.
  MGPU_THRUST_DEVICE static int WarpStripedItem(int k)
  {
    return static_cast<int>(threadIdx.x) / 32 * warp_items + 32 * k + static_cast<int>(threadIdx.x) % 32;
  }
  /// Number in the tile of a thread's item k in the order of Blocked: a thread has ItemsPerThread items in a row.
  MGPU_THRUST_DEVICE static int BlockedItem(int k)
  {
    return static_cast<int>(threadIdx.x) * ItemsPerThread + k;
  }

  /// Finds the segments and ranks of the calling thread's items in the order of WarpStripedItem.
  MGPU_THRUST_DEVICE void
  WarpStriped(std::int64_t (&segments)[ItemsPerThread], std::int64_t (&ranks)[ItemsPerThread]) const
  {
    find_all<1>(segments, ranks);
  }
  /// Finds the segments and ranks of the calling thread's items in the order of BlockedItem.
  MGPU_THRUST_DEVICE void Blocked(std::int64_t (&segments)[ItemsPerThread], std::int64_t (&ranks)[ItemsPerThread]) const
  {
    find_all<ItemsPerThread>(segments, ranks);
  }

  /// Iterates over the calling warp's items, 32 * Vector at a time, of which a lane has `Vector` in a row, so that a
  /// thread need not hold the positions of all its items.
  ///
  /// @param balance   where the tile was loaded
  /// @param positions receives the segments and ranks of the thread's next items
  template <int Vector = 1>
  class Rows
  {
    static_assert(ItemsPerThread % Vector == 0, "mgpu_thrust: a thread has whole vectors of items");

  public:
    using Place = BlockLoadBalance::Place;

    MGPU_THRUST_DEVICE explicit Rows(const BlockLoadBalance& balance)
        : balance_(balance)
        , first_start_(balance.last_ == 0 ? balance.offset_of(0) : balance.shared_.first_start)
        , before_(balance.last_ == 0 ? 0 : balance.shared_.warp_starts[threadIdx.x / 32])
        , lanes_before_((1u << (threadIdx.x % 32)) - 1)
        , item_(static_cast<int>(threadIdx.x) / 32 * warp_items + static_cast<int>(threadIdx.x) % 32 * Vector)
    {
    }

    /// Number in the tile of the first of the thread's next items, whose positions Next returns.
    MGPU_THRUST_DEVICE int Item() const
    {
      return item_;
    }
    /// Finds the segments and ranks of the thread's next items.
    MGPU_THRUST_DEVICE void Next(Place (&positions)[Vector])
    {
      if (HasOne())
      {
        NextOfOne(positions);
      }
      else if (HasMarks())
      {
        NextMarked(positions);
      }
      else
      {
#pragma unroll 1
        for (int k = 0; k < Vector; ++k)
        {
          positions[k] = balance_.search(item_ + k);
        }
        item_ += 32 * Vector;
      }
    }

    // A fast kernel tests once which of the three cases applies, and calls the form of Next for that case. The results
    // of the tests are the same for all lanes of a warp.

    /// Whether all items of the warp belong to one segment.
    MGPU_THRUST_DEVICE bool HasOne() const
    {
      return balance_.last_ == 0 || (balance_.is_marked() && balance_.shared_.warp_has_one[threadIdx.x / 32]);
    }
    /// The segment of all items of the warp if HasOne(), counted from the tile's first.
    MGPU_THRUST_DEVICE int Segment() const
    {
      return static_cast<int>(before_ >> 16);
    }
    /// Next for warps for which HasOne() is true.
    MGPU_THRUST_DEVICE void NextOfOne(Place (&positions)[Vector])
    {
#pragma unroll
      for (int k = 0; k < Vector; ++k)
      {
        const std::int64_t started = before_ >> 16 == 0 ? first_start_ : static_cast<std::int64_t>(before_ & 0xffff);
        positions[k] = {before_ >> 16, item_ + k - started};
      }
      item_ += 32 * Vector;
    }

    /// Whether starts are marked and ranks fit the numbers of items, as nearly always.
    MGPU_THRUST_DEVICE bool HasMarks() const
    {
      constexpr std::int64_t farthest = (std::int64_t{1} << 32) - tile_items;
      return balance_.is_marked() && (sizeof(item_number) == 8 || first_start_ > -farthest);
    }
    /// Next for warps for which HasMarks() is true.
    MGPU_THRUST_DEVICE void NextMarked(Place (&positions)[Vector])
    {
      // 1. The thread's own starts. Where no segment starts, the word is one of segment 0, which changes nothing.
      struct alignas(vector_alignment) marks
      {
        std::uint16_t of[Vector];
      };
      const marks marked =
        *reinterpret_cast<const marks*>(reinterpret_cast<const std::uint16_t*>(balance_.shared_.marks) + item_);
      start starts[Vector];
#pragma unroll
      for (int k = 0; k < Vector; ++k)
      {
        starts[k] = static_cast<start>(marked.of[k]) << 16 | static_cast<start>(item_ + k);
        starts[k] = k > 0 ? (max) (starts[k], starts[k - 1]) : starts[k];
      }

      // 2. The last start in the lanes before.
      const start last = starts[Vector - 1];
      const unsigned lanes_before = __ballot_sync(~0u, last >> 16 != 0) & lanes_before_;
      const start in_lanes = __shfl_sync(~0u, last, 31 - __clz(static_cast<int>(lanes_before)));
      const start before = lanes_before == 0 ? before_ : in_lanes;
      before_ = __shfl_sync(~0u, (max) (before, last), 31);

      // 3. Combine both.
#pragma unroll
      for (int k = 0; k < Vector; ++k)
      {
        const start of = (max) (before, starts[k]);
        const auto started = static_cast<item_number>(of >> 16 == 0 ? first_start_ : of & 0xffff);
        positions[k] = {of >> 16, static_cast<std::int64_t>(static_cast<item_number>(item_ + k) - started)};
      }
      item_ += 32 * Vector;
    }

  private:
    /// Largest alignment of a vector's marks, in bytes.
    static constexpr int vector_alignment = Vector % 8 == 0 ? 16 : Vector % 4 == 0 ? 8 : Vector % 2 == 0 ? 4 : 2;

    const BlockLoadBalance& balance_;
    std::int64_t first_start_;
    start before_; ///< the last start before the next row
    unsigned lanes_before_;
    int item_;
  };

private:
  MGPU_THRUST_DEVICE bool is_marked() const
  {
    return last_ <= max_marked;
  }

  template <int Vector>
  MGPU_THRUST_DEVICE void
  find_all(std::int64_t (&segments)[ItemsPerThread], std::int64_t (&ranks)[ItemsPerThread]) const
  {
    Rows<Vector> rows(*this);
#pragma unroll
    for (int first = 0; first < ItemsPerThread; first += Vector)
    {
      Place positions[Vector];
      rows.Next(positions);
#pragma unroll
      for (int k = 0; k < Vector; ++k)
      {
        segments[first + k] = tile_->first_segment + positions[k].segment;
        ranks[first + k] = positions[k].rank;
      }
    }
  }

  /// Item at which a segment starts, counted from the tile's first.
  MGPU_THRUST_DEVICE std::int64_t offset_of(std::int64_t segment) const
  {
    return static_cast<std::int64_t>(detail::element(tile_->offsets + tile_->first_segment, segment))
           - tile_->first_item;
  }
  MGPU_THRUST_DEVICE item_number start_of(int segment) const
  {
    return static_cast<item_number>(detail::element(tile_->offsets + tile_->first_segment, segment))
           - static_cast<item_number>(tile_->first_item);
  }

  /// Marks each item at which a segment starts, and stores for each warp the last start before its first item.
  MGPU_THRUST_DEVICE void mark_starts()
  {
    const int last = static_cast<int>((max) (last_, std::int64_t{0})); // less only if the offsets are wrong
    if (threadIdx.x == 0)
    {
      shared_.first_start = offset_of(0);
      tell_warps(0, 0, last > 0 ? start_of(1) : tile_items, 0);
    }
    // Each thread loads the starts of `batch` segments before it marks the first; whether there are that many segments
    // is tested once for all.
    constexpr int batch = 4;
    for (int first = 1; first <= last; first += batch * BlockThreads)
    {
      if (first + batch * BlockThreads <= last)
      {
        mark_batch<batch, true>(first, last);
      }
      else
      {
        mark_batch<batch, false>(first, last);
      }
    }
  }
  /// Marks the starts of up to Batch * BlockThreads segments from `first` on; if IsFull, these segments and one more
  /// exist.
  template <int Batch, bool IsFull>
  MGPU_THRUST_DEVICE void mark_batch(int first, int last)
  {
    const int first_of_thread = first + static_cast<int>(threadIdx.x);
    item_number starts[Batch];
    item_number ends[Batch];
#pragma unroll
    for (int k = 0; k < Batch; ++k)
    {
      const int i = first_of_thread + k * BlockThreads;
      starts[k] = IsFull || i <= last ? start_of(i) : tile_items;
      ends[k] = IsFull || i < last ? start_of(i + 1) : tile_items;
    }
#pragma unroll
    for (int k = 0; k < Batch; ++k)
    {
      const int i = first_of_thread + k * BlockThreads;
      const item_number end = (min) (ends[k], static_cast<item_number>(tile_items));
      if (starts[k] < end) // neither empty nor after the tile
      {
        const auto item = static_cast<unsigned>(starts[k]);
        reinterpret_cast<std::uint16_t*>(shared_.marks)[item] = static_cast<std::uint16_t>(i);
        if (item / warp_items != static_cast<unsigned>(end) / warp_items)
        {
          tell_warps(i, item, end, item / warp_items + 1);
        }
      }
    }
  }
  /// Stores a segment's start for the warps from `warp` on whose first items belong to the segment, or come right after
  /// it.
  MGPU_THRUST_DEVICE void tell_warps(int segment, int item, item_number end, int warp)
  {
#pragma unroll 1
    for (; warp < warps && warp * warp_items <= end; ++warp)
    {
      shared_.warp_starts[warp] = static_cast<start>(segment) << 16 | static_cast<start>(item);
      shared_.warp_has_one[warp] = (warp + 1) * warp_items <= end;
    }
  }

  /// Returns the place of an item by a search among the offsets.
  MGPU_THRUST_DEVICE Place search(int item) const
  {
    const std::int64_t segment =
      mgpu::segment_of(tile_->offsets + tile_->first_segment, last_ + 1, tile_->first_item + item);
    return {segment, item - offset_of(segment)};
  }

  storage& shared_;
  ::cuda::std::optional<LoadBalanceTile<Offsets>> tile_; ///< as offsets need be neither constructed nor assigned
  std::int64_t last_;                                    ///< the number in the tile of its last segment
};

MGPU_THRUST_NAMESPACE_END
