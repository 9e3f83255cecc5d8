// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The chunks of pairs of lists, which a co-resident grid adds up, and the search for the pair of a chunk.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/pairs/lists/chunks.cuh>
#include <mgpu_thrust/detail/pairs/lists/serial.h>
#include <mgpu_thrust/detail/pairs/lists/tuning.h>
#include <mgpu_thrust/detail/pairs/pairs.h>
#include <mgpu_thrust/detail/tile/load/prefetch_element.cuh>

#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include <cuda/cmath>

#include <cooperative_groups.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The chunks of some pairs, and the maximum number of elements that they have in the result if lists are sorted.
struct pair_totals
{
  std::int64_t chunks;
  std::int64_t room;
};

struct add_totals
{
  MGPU_THRUST_HOST_DEVICE pair_totals operator()(const pair_totals& x, const pair_totals& y) const
  {
    return {x.chunks + y.chunks, x.room + y.room};
  }
};

/// A position in the chunks of a group of pairs.
struct group_position
{
  std::int64_t group;
  std::int64_t chunk; ///< counted from the first one of the group
  bool is_plain;      ///< whether each pair of the group has one chunk
};

/// The storage of chunk_sums.
class chunk_storage
{
public:
  /// The pairs of a group, of which there is one sum: four for each lane of a warp.
  static constexpr int pairs_of_lane = 4;
  static constexpr int group = 32 * pairs_of_lane;

  MGPU_THRUST_HOST_DEVICE static std::int64_t groups_of(std::int64_t num_pairs)
  {
    return ::cuda::ceil_div(num_pairs, std::int64_t{group});
  }
  static std::size_t bytes(std::int64_t num_pairs)
  {
    return totals_bytes
           + detail::round_up_storage(static_cast<std::size_t>(groups_of(num_pairs)) * sizeof(std::int64_t));
  }
  explicit chunk_storage(void* storage)
      : totals_(static_cast<pair_totals*>(storage))
      , groups_(reinterpret_cast<std::int64_t*>(static_cast<unsigned char*>(storage) + totals_bytes))
  {
  }

  /// The totals of a block's share of the groups.
  MGPU_THRUST_DEVICE pair_totals& totals(int block) const
  {
    return totals_[block];
  }
  /// The chunks before a group in its share.
  MGPU_THRUST_DEVICE std::int64_t& group_begin(std::int64_t number) const
  {
    return groups_[number];
  }

private:
  static constexpr std::size_t totals_bytes = max_lists_blocks * sizeof(pair_totals);
  static_assert(totals_bytes % storage_alignment == 0);

  pair_totals* totals_;
  std::int64_t* groups_;
};

/// The sums of the chunks of all pairs. The blocks of a co-resident grid add up a share of the groups each.
template <class Operation, class Pairs>
class chunk_sums
{
  static constexpr int threads = segmented_lists_shape::threads;
  static constexpr int group = chunk_storage::group;
  static constexpr int pairs_of_lane = chunk_storage::pairs_of_lane;
  static constexpr int shares_of_thread = max_lists_blocks / threads;
  static_assert(max_lists_blocks % threads == 0);
  using totals_scan = cub::BlockScan<pair_totals, threads, cub::BLOCK_SCAN_WARP_SCANS>;

public:
  struct TempStorage
  {
    std::int64_t share_begins[max_lists_blocks]; ///< the chunks before each share
    std::int64_t groups_of_share;
    typename totals_scan::TempStorage scan;
  };

  /// Adds up the chunks, and waits for all blocks: then what these have written before can be read.
  MGPU_THRUST_DEVICE chunk_sums(TempStorage& shared, const Pairs& pairs, const chunk_storage& storage)
      : shared_(shared)
      , pairs_(pairs)
      , storage_(storage)
  {
    const int thread = static_cast<int>(threadIdx.x);
    const int block = detail::spread_number();
    if (thread == 0)
    {
      shared_.groups_of_share = ::cuda::ceil_div(chunk_storage::groups_of(pairs_.num_pairs), std::int64_t{gridDim.x});
    }
    __syncthreads();
    const std::int64_t begin = begin_of_share(block);
    const std::int64_t end = begin_of_share(block + 1);
    const std::int64_t room = add_up_groups(begin, end);
    add_up_share(block, begin, end, room);
    cooperative_groups::this_grid().sync();
    add_up_shares();
  }

  /// The totals of all pairs.
  MGPU_THRUST_DEVICE const pair_totals& all() const
  {
    return all_;
  }

  /// Finds the group of a chunk, which is less than all().chunks, and prefetches the bounds of its pairs; called by a
  /// full warp.
  MGPU_THRUST_DEVICE group_position find_group(std::int64_t chunk) const
  {
    const int blocks = static_cast<int>(gridDim.x);
    const auto* const share_begins = shared_.share_begins;
    const found_sum share = find_last(
      0, blocks, all_.chunks, chunk, static_cast<float>(chunk) / static_cast<float>(all_.chunks),
      [&](std::int64_t block) { return share_begins[block]; });
    const std::int64_t in_share = chunk - share.value;
    const std::int64_t of_share = share.next - share.value;
    const found_sum found = find_last(
      begin_of_share(static_cast<int>(share.index)), begin_of_share(static_cast<int>(share.index) + 1), of_share,
      in_share, static_cast<float>(in_share) / static_cast<float>(of_share),
      [&](std::int64_t other) { return storage_.group_begin(other); });
    const std::int64_t first = found.index * group;
    const std::int64_t pairs = (min) (std::int64_t{group}, pairs_.num_pairs - first);
    const bool is_plain = found.next - found.value == pairs;
    if (!is_plain)
    {
      prefetch_bounds(first, pairs);
    }
    return {found.index, in_share - found.value, is_plain};
  }
  /// Finds the pair of a chunk in a group, the last one that does not begin after the chunk; called by a full warp.
  MGPU_THRUST_DEVICE chunk_position find_pair(const group_position& position) const
  {
    if (position.is_plain)
    {
      return {position.group * group + position.chunk, 0};
    }

    // 1. Each lane has neighbouring pairs.
    const int lane = static_cast<int>(threadIdx.x % 32);
    const std::int64_t first = position.group * group + lane * pairs_of_lane;
    std::int64_t chunks[pairs_of_lane];
#pragma unroll
    for (int k = 0; k < pairs_of_lane; ++k)
    {
      chunks[k] = chunks_of(first + k, read_pair(first + k));
    }
    std::int64_t sum = 0;
#pragma unroll
    for (int k = 0; k < pairs_of_lane; ++k)
    {
      sum += chunks[k];
    }
    std::int64_t end;
    typename cub::WarpScan<std::int64_t>::TempStorage nothing_shared;
    cub::WarpScan<std::int64_t>(nothing_shared).InclusiveSum(sum, end);

    // 2. Find the lane, and its pair.
    std::int64_t begin = end - sum - position.chunk;
    const int found = __popc(__ballot_sync(~0u, begin <= 0)) - 1;
    std::int64_t next = begin;
    int rank = 0;
#pragma unroll
    for (int k = 1; k < pairs_of_lane; ++k)
    {
      next += chunks[k - 1];
      begin = next <= 0 ? next : begin;
      rank = next <= 0 ? k : rank;
    }
    return {__shfl_sync(~0u, first + rank, found), __shfl_sync(~0u, begin, found)};
  }

private:
  /// Each warp adds up the chunks of groups. Returns the room of the thread's pairs. It ends with a barrier.
  MGPU_THRUST_DEVICE std::int64_t add_up_groups(std::int64_t begin, std::int64_t end) const
  {
    const int thread = static_cast<int>(threadIdx.x);
    std::int64_t room = 0;
    for (std::int64_t number = begin + thread / 32; number < end; number += threads / 32)
    {
      const std::int64_t first = number * group + thread % 32;
      list_pair lists[pairs_of_lane];
#pragma unroll
      for (int k = 0; k < pairs_of_lane; ++k)
      {
        lists[k] = read_pair(first + 32 * k);
      }
      std::int64_t chunks = 0;
#pragma unroll
      for (int k = 0; k < pairs_of_lane; ++k)
      {
        chunks += chunks_of(first + 32 * k, lists[k]);
        room += first + 32 * k < pairs_.num_pairs ? detail::max_kept(Operation{}, lists[k]) : 0;
      }
      typename cub::WarpReduce<std::int64_t>::TempStorage nothing_shared;
      chunks = cub::WarpReduce<std::int64_t>(nothing_shared).Sum(chunks);
      if (thread % 32 == 0)
      {
        storage_.group_begin(number) = chunks;
      }
    }
    __syncthreads();
    return room;
  }
  /// Turns these sums into the chunks before each group, and adds up the share of a block.
  MGPU_THRUST_DEVICE void add_up_share(int block, std::int64_t begin, std::int64_t end, std::int64_t room) const
  {
    const int thread = static_cast<int>(threadIdx.x);
    pair_totals share{0, 0};
    std::int64_t first_group = begin;
    do
    {
      const bool has_group = first_group + thread < end;
      const pair_totals own{has_group ? storage_.group_begin(first_group + thread) : 0, room};
      pair_totals before;
      pair_totals sum;
      totals_scan(shared_.scan).ExclusiveScan(own, before, pair_totals{0, 0}, add_totals{}, sum);
      if (has_group)
      {
        storage_.group_begin(first_group + thread) = share.chunks + before.chunks;
      }
      share = add_totals{}(share, sum);
      room = 0;
      first_group += threads;
      __syncthreads();
    } while (first_group < end);
    if (thread == 0)
    {
      storage_.totals(block) = share;
    }
  }
  /// Adds up the shares of all blocks. It ends with a barrier.
  MGPU_THRUST_DEVICE void add_up_shares()
  {
    const int thread = static_cast<int>(threadIdx.x);
    pair_totals shares[shares_of_thread];
    pair_totals before[shares_of_thread];
#pragma unroll
    for (int k = 0; k < shares_of_thread; ++k)
    {
      const int other = thread * shares_of_thread + k;
      shares[k] = other < static_cast<int>(gridDim.x) ? storage_.totals(other) : pair_totals{0, 0};
    }
    totals_scan(shared_.scan).ExclusiveScan(shares, before, pair_totals{0, 0}, add_totals{}, all_);
#pragma unroll
    for (int k = 0; k < shares_of_thread; ++k)
    {
      shared_.share_begins[thread * shares_of_thread + k] = before[k].chunks;
    }
    __syncthreads();
  }

  struct found_sum
  {
    std::int64_t index;
    std::int64_t value;
    std::int64_t next; ///< the value of the next index, or the end
  };
  /// Finds the last index in [first, last) whose value is not more than `sum`, as that of `first` is not: most likely
  /// near the fraction `share` of the range, where the lanes look first. Called by a full warp.
  template <class Value>
  MGPU_THRUST_DEVICE static found_sum
  find_last(std::int64_t first, std::int64_t last, std::int64_t end, std::int64_t sum, float share, Value value)
  {
    std::int64_t low = first - 16 + static_cast<std::int64_t>(static_cast<float>(last - first) * share);
    low = low < first ? first : low;
    const std::int64_t own = low + static_cast<int>(threadIdx.x % 32);
    const std::int64_t found = own < last ? value(own) : end;
    const int count = __popc(__ballot_sync(~0u, own < last && found <= sum));
    if (count > 0 && count < 32)
    {
      return {low + count - 1, __shfl_sync(~0u, found, count - 1), __shfl_sync(~0u, found, count)};
    }
    const std::int64_t index =
      detail::warp_partition_point(first + 1, last, [&](std::int64_t other) { return value(other) <= sum; }) - 1;
    return {index, value(index), index + 1 < last ? value(index + 1) : end};
  }
  /// Returns the first group of a block's share.
  MGPU_THRUST_DEVICE std::int64_t begin_of_share(int block) const
  {
    return (min) (shared_.groups_of_share * block, chunk_storage::groups_of(pairs_.num_pairs));
  }
  /// Prefetches the bounds of pairs, up to a group: a lane each line of 128 bytes, if these are of 64-bit integers.
  MGPU_THRUST_DEVICE void prefetch_bounds(std::int64_t first, std::int64_t count) const
  {
    constexpr int lanes_of_array = 8;
    const int lane = static_cast<int>(threadIdx.x % 32);
    const int array = lane / lanes_of_array;
    const std::int64_t rank = lane % lanes_of_array * (group / lanes_of_array);
    if (rank < count)
    {
      array == 0   ? detail::prefetch_element(pairs_.a.begins, first + rank)
      : array == 1 ? detail::prefetch_element(pairs_.a.ends, first + rank)
      : array == 2 ? detail::prefetch_element(pairs_.b.begins, first + rank)
                   : detail::prefetch_element(pairs_.b.ends, first + rank);
    }
  }
  /// Reads a pair, or the last one if there are fewer.
  MGPU_THRUST_DEVICE list_pair read_pair(std::int64_t number) const
  {
    return pairs_.pair((min) (number, pairs_.num_pairs - 1));
  }
  /// Returns the chunks of a pair that read_pair() has returned.
  MGPU_THRUST_DEVICE std::int64_t chunks_of(std::int64_t number, const list_pair& lists) const
  {
    return number < pairs_.num_pairs ? detail::count_chunks<Operation>(lists) : 0;
  }

  TempStorage& shared_;
  const Pairs& pairs_;
  chunk_storage storage_;
  pair_totals all_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
