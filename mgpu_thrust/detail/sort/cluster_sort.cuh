// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The sort of a segment of a few thousand elements by a cluster: each block sorts a tile, and then finds the ranks of its keys
/// in the tiles of the others. So all blocks wait for each other once, where passes would wait twice, and nothing but the
/// result is written.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/sort/doubling_tile_sort.cuh>
#include <mgpu_thrust/detail/sort/ranks_in_runs.cuh>
#include <mgpu_thrust/detail/sort/segments.h>
#include <mgpu_thrust/detail/sort/sort_range.cuh>
#include <mgpu_thrust/detail/sort/sorted_segments.cuh>
#include <mgpu_thrust/detail/sort/thread_sort.cuh>
#include <mgpu_thrust/detail/sort/tile_sort_phases.cuh>
#include <mgpu_thrust/detail/tile/shared_pointers.cuh>
#include <mgpu_thrust/detail/tile/tile_heads.cuh>
#include <mgpu_thrust/detail/tile/tile_loader.cuh>

#include <cuda/cmath>
#include <cuda/ptx>
#include <cuda/std/cstdint>
#include <cuda/std/iterator>

#include <cooperative_groups.h>

#include <cstdint>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A sort of a segment of up to Shapes::most_items elements from `in` to `out`, which may be the same, by a cluster. Its blocks
/// have tiles of equal sizes; block `block` has tile `block`. Shapes is cluster_shapes.
template <class Shapes, class In, class Out, class Compare>
class cluster_sort
{
  using shape = typename Shapes::block_sort;
  using slot = staged_t<typename ::cuda::std::iterator_traits<decltype(In::keys)>::value_type>;
  using value = typename value_or_none<decltype(In::values)>::type;
  static constexpr int threads = shape::threads;
  static constexpr int items = shape::items_per_thread;
  static constexpr int blocks = Shapes::blocks;
  static constexpr bool has_values_too = has_values<decltype(In::values)>;
  using segments_of_tile = sorted_segments<no_tile_heads>;
  using order = compare_staged<Compare>;
  using phases = tile_sort_phases<Shapes, has_values_too, slot, segments_of_tile, order>;

  /// Every 32nd key of the tile is a sample: its ranks are found first. Those of the keys after it are between its own ones
  /// and those of the next sample.
  static constexpr int most_samples = shape::items / 32;
  static constexpr int threads_of_run = threads / (blocks - 1); // that find ranks of samples in a run
  static_assert(most_samples < threads_of_run, "a thread finds the rank of a sample, or of the tile's end");

  /// A run copied from another block, by 16 bytes at a time.
  struct alignas(16) copied_run
  {
    slot keys[shape::items];
  };
  static constexpr int slots_of_word = 16 / sizeof(slot);
  static constexpr int words_of_thread = ::cuda::ceil_div(items, slots_of_word);

public:
  struct TempStorage
  {
    copied_run runs[blocks]; ///< runs[d] is that of the block at distance d; the own one is the first
    /// Where each element of the own run was in the tile.
    ::cuda::std::uint16_t numbers[has_values_too ? shape::items + items : 1];
    /// The ranks of the samples in the run at each distance, and its length after them.
    ::cuda::std::uint16_t ranks[blocks][most_samples + 1];
    int longest; ///< not used: there is one segment
    typename no_tile_heads::storage heads;
  };

  MGPU_THRUST_DEVICE cluster_sort(
    TempStorage& shared, const In& in, const Out& out, const segment_bounds& segment, int block, const Compare& comp)
      : shared_(shared)
      , pointers_(shared.runs[0].keys)
      , in_(in)
      , out_(out)
      , first_(static_cast<int>(segment.begin))
      , all_(static_cast<int>(segment.end - segment.begin))
      , step_(::cuda::ceil_div(all_, blocks))
      , block_(block)
      , count_(count_of_block(block))
      , order_{comp}
  {
  }

  /// Sorts; called by all threads of the cluster.
  MGPU_THRUST_DEVICE void process()
  {
    // 1. Sort the tile.
    sort_tile();
    load_values();

    // 2. Copy the runs of the other blocks. No two blocks copy the same run at the same time.
    MGPU_THRUST_IF_CLUSTERS((cooperative_groups::this_cluster().sync();))
    copy_other_runs();
    __syncthreads();
    MGPU_THRUST_IF_CLUSTERS((::cuda::ptx::barrier_cluster_arrive(::cuda::ptx::sem_relaxed);))

    // 3. Find the ranks of the samples in these runs.
    rank_sample(1 + static_cast<int>(threadIdx.x) / threads_of_run, static_cast<int>(threadIdx.x) % threads_of_run);
    __syncthreads();

    // 4. Find the rank of each key, and write the element there.
    write_all();

    // 5. No block ends before the others have copied its run.
    MGPU_THRUST_IF_CLUSTERS((::cuda::ptx::barrier_cluster_wait();))
  }

private:
  /// Number of elements of a block's tile.
  MGPU_THRUST_DEVICE int count_of_block(int block) const
  {
    return (min) ((max) (all_ - block * step_, 0), step_);
  }
  /// The block at a distance: those after this one are first, then those before it.
  MGPU_THRUST_DEVICE int other_block(int distance) const
  {
    const int other = block_ + distance;
    return other < blocks ? other : other - blocks;
  }
  /// The index of the first element of the tile.
  MGPU_THRUST_DEVICE int begin() const
  {
    return first_ + block_ * step_;
  }
  /// The k-th element of the sorted tile that the thread writes.
  MGPU_THRUST_DEVICE static int own_item(int k)
  {
    return k * threads + static_cast<int>(threadIdx.x);
  }

  MGPU_THRUST_DEVICE void sort_tile()
  {
    const int first = static_cast<int>(threadIdx.x) * items;
    const thread_range<items> range((min) ((max) (count_ - first, 0), items));
    typename phases::own_items own;
#pragma unroll
    for (int k = 0; k < items; ++k)
    {
      if (k < range.count())
      {
        own.keys[k] = slot{detail::element(in_.keys, begin() + first + k)};
      }
    }
    const segments_of_tile one_segment(no_tile_heads(shared_.heads), false);
    phases tile(shared_.runs[0].keys, shared_.numbers, count_, one_segment, order_);
    detail::doubling_tile_sort(tile, own, range, count_, shared_.longest);
  }

  /// Loads the values before any block writes, as they may be in the memory of the output.
  MGPU_THRUST_DEVICE void load_values()
  {
    if constexpr (has_values_too)
    {
#pragma unroll
      for (int k = 0; k < items; ++k)
      {
        if (own_item(k) < count_)
        {
          values_[k] = detail::value_of(in_, begin() + shared_.numbers[own_item(k)]);
        }
      }
      if (detail::has_indices(in_)) // all have to be valid, even if `comp` is no strict weak order
      {
#pragma unroll
        for (int k = 0; k < items; ++k)
        {
          if (own_item(k) < count_)
          {
            *(out_.values + (begin() + own_item(k))) = values_[k];
          }
        }
      }
    }
  }

  MGPU_THRUST_DEVICE void copy_other_runs()
  {
    int4 copied[blocks][words_of_thread]; // all are loaded before the first is stored
    for_each_word(
      [&](int d, int k)
      {
        MGPU_THRUST_IF_CLUSTERS((const copied_run* const run =
                                   cooperative_groups::this_cluster().map_shared_rank(&shared_.runs[0], other_block(d));
                                 copied[d][k] = reinterpret_cast<const int4*>(run)[own_item(k)];))
      });
    for_each_word([&](int d, int k) { reinterpret_cast<int4*>(&shared_.runs[d])[own_item(k)] = copied[d][k]; });
  }
  /// Calls call(d, k) for the words that the thread copies: the k-th of the run of the block at distance `d`.
  template <class Call>
  MGPU_THRUST_DEVICE void for_each_word(Call call) const
  {
#pragma unroll
    for (int d = 1; d < blocks; ++d)
    {
#pragma unroll
      for (int k = 0; k < words_of_thread; ++k)
      {
        if (own_item(k) * slots_of_word < count_of_block(other_block(d)))
        {
          call(d, k);
        }
      }
    }
  }

  /// The keys [begin, end) of the run of the block at distance `d` from `own`, which is the calling one; if there are none,
  /// an empty run after the first key of the tile. The tile must have a key.
  MGPU_THRUST_DEVICE shared_run part_of_run(int own, int d, int begin, int end) const
  {
    const int first = begin < end ? d * shape::items + begin : 1;
    return {pointers_.pointer(first), pointers_.pointer(first + (max) (end - begin, 0)), own + d >= blocks};
  }

  /// Finds the rank of a sample, or of the tile's end, in the run at distance `d`.
  MGPU_THRUST_DEVICE void rank_sample(int d, int sample) const
  {
    const int samples = ::cuda::ceil_div(count_, 32);
    if (d < blocks && sample <= samples)
    {
      int rank = count_of_block(other_block(d));
      if (sample < samples)
      {
        const shared_run whole[1] = {part_of_run(block_, d, 0, rank)};
        const slot& key = shared_.runs[0].keys[sample * 32];
        rank = detail::rank_in_runs(pointers_, whole, first_step(rank), key, order_);
      }
      shared_.ranks[d][sample] = static_cast<::cuda::std::uint16_t>(rank);
    }
  }

  /// Writes all elements of the tile, which is that of block `Block` or of a later one: that it is known in each case which
  /// blocks are before it saves selections.
  template <int Block = 0>
  MGPU_THRUST_DEVICE void write_all() const
  {
    if constexpr (Block + 1 < blocks)
    {
      if (block_ != Block)
      {
        write_all<Block + 1>();
        return;
      }
    }
#pragma unroll
    for (int k = 0; k < items; ++k)
    {
      const int i = own_item(k);
      if (i < count_)
      {
        write(k, i, i + rank_in_others<Block>(i));
      }
    }
  }

  /// Returns how many keys of the other blocks go before key `i` of the sorted tile.
  template <int Block>
  MGPU_THRUST_DEVICE int rank_in_others(int i) const
  {
    shared_run parts[blocks - 1];
    int rank = 0;
    int longest = 0;
#pragma unroll
    for (int d = 1; d < blocks; ++d)
    {
      const int begin = shared_.ranks[d][i / 32];
      const int end = shared_.ranks[d][i / 32 + 1];
      parts[d - 1] = part_of_run(Block, d, begin, end);
      rank += begin;
      longest = (max) (longest, end - begin);
    }
    const slot key = shared_.runs[0].keys[i];
    return rank + detail::rank_in_runs(pointers_, parts, first_step(longest), key, order_);
  }

  /// The first step of a search in a run of that many keys. It is rarely a power of two, so that the samples of a warp, which
  /// probe far from each other, meet few bank conflicts.
  MGPU_THRUST_DEVICE static int first_step(int count)
  {
    return count / 2 + 1;
  }

  /// Writes element `i` of the sorted tile, whose value is the k-th one of the thread.
  MGPU_THRUST_DEVICE void write([[maybe_unused]] int k, int i, int rank) const
  {
    if (detail::takes_keys(out_))
    {
      *(out_.keys + (first_ + rank)) = detail::staged_value(shared_.runs[0].keys[i]);
    }
    if constexpr (has_values_too)
    {
      *(out_.values + (first_ + rank)) = values_[k];
    }
  }

  TempStorage& shared_;
  shared_pointers<slot> pointers_;
  const In& in_;
  const Out& out_;
  int first_;
  int all_;
  int step_;
  int block_;
  int count_;
  order order_;
  value values_[items];
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END
