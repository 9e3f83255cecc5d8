// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Which cluster sorts which of few segments: multiprocessors that execute several clusters' blocks get some of a long segment
/// and some of a short one, so that none works much longer than the others.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/sort/few_segments.cuh>
#include <mgpu_thrust/detail/sort/segments.h>

#include <cub/warp/warp_scan.cuh>

#include <cuda/cmath>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The segments of a sort by clusters. The first threads of a block look at one each.
class segments_by_length
{
  static constexpr int warps = 4;
  static constexpr int buckets = 32;

public:
  static constexpr int most = 32 * warps; ///< number of segments

  struct TempStorage
  {
    alignas(16) int counts[buckets][warps]; ///< of segments in a bucket that threads of a warp look at
    segment_bounds found;
  };

  /// Finds the segment of a cluster, where that many clusters share no multiprocessor. Returns whether each cluster is to sort
  /// one: the longest segment has more than `least_items` elements, but at most MostItems. If offsets are not in order, it
  /// returns false. Called by all threads of a block.
  template <int MostItems, class Offsets>
  MGPU_THRUST_DEVICE static bool find(
    TempStorage& shared, const segments<Offsets>& in, int cluster, int clusters_apart, int least_items,
    segment_bounds& found)
  {
    // 1. Look at all segments. The sum of all lengths is the number of elements, so not all are short if one is negative.
    const int segment = static_cast<int>(threadIdx.x);
    const int num_segments = static_cast<int>(in.num_segments);
    const segment_bounds own = detail::bounds_of_segment(in, segment);
    found = detail::bounds_of_segment(in, cluster);
    if (segment < buckets)
    {
      *reinterpret_cast<int4*>(shared.counts[segment]) = {0, 0, 0, 0};
    }
    const std::uint64_t length = static_cast<std::uint64_t>(own.end) - static_cast<std::uint64_t>(own.begin);
    const bool is_short = length <= static_cast<unsigned>(MostItems);
    if (!__syncthreads_or(length > static_cast<unsigned>(least_items)))
    {
      return false;
    }
    if (num_segments <= clusters_apart) // each cluster is alone
    {
      return __syncthreads_and(is_short);
    }

    // 2. Put them in buckets by their lengths, the longest first.
    constexpr int bucket_items = ::cuda::ceil_div(MostItems + 1, buckets);
    const int bucket = is_short ? buckets - 1 - static_cast<int>(length) / bucket_items : 0;
    const int lane = segment % 32;
    const int warp = segment / 32;
    int before = 0;
    if (segment < most)
    {
      const unsigned same = lanes_of_bucket(bucket) & __ballot_sync(~0u, segment < num_segments);
      before = __popc(same & ((1u << lane) - 1));
      if (segment < num_segments && before == 0)
      {
        shared.counts[bucket][warp] = __popc(same);
      }
    }
    if (!__syncthreads_and(is_short))
    {
      return false;
    }

    // 3. Find the places of the segments in all buckets.
    if (segment < most)
    {
      const int4 counts = *reinterpret_cast<const int4*>(shared.counts[lane]);
      const int4 own_counts = *reinterpret_cast<const int4*>(shared.counts[bucket]);
      const int count = counts.x + counts.y + counts.z + counts.w;
      int up_to_bucket = 0;
      typename cub::WarpScan<int>::TempStorage nothing_shared;
      cub::WarpScan<int>(nothing_shared).InclusiveSum(count, up_to_bucket);
      before += __shfl_sync(~0u, up_to_bucket - count, bucket);
      before += (warp > 0 ? own_counts.x : 0) + (warp > 1 ? own_counts.y : 0) + (warp > 2 ? own_counts.z : 0);
      if (segment < num_segments && before == place_of_cluster(cluster, clusters_apart, num_segments))
      {
        shared.found = own;
      }
    }
    __syncthreads();
    found = cluster < num_segments ? shared.found : found;
    return true;
  }

private:
  /// The lanes of a warp whose segments are in the same bucket as that of the calling lane.
  MGPU_THRUST_DEVICE static unsigned lanes_of_bucket(int bucket)
  {
    unsigned same = ~0u;
#pragma unroll
    for (int bit = 1; bit < buckets; bit *= 2)
    {
      const unsigned set = __ballot_sync(~0u, (bucket & bit) != 0);
      same &= (bucket & bit) != 0 ? set : ~set;
    }
    return same;
  }

  /// Clusters take segments of falling lengths until each multiprocessor has blocks; the next ones begin with the shortest of
  /// as many, for those that have the longest already.
  MGPU_THRUST_DEVICE static int place_of_cluster(int cluster, int clusters_apart, int num_segments)
  {
    int first = 0; // of as many as do not share
    bool is_reversed = false;
    while (first + clusters_apart <= cluster)
    {
      first += clusters_apart;
      is_reversed = !is_reversed;
    }
    return is_reversed && first + clusters_apart <= num_segments ? 2 * first + clusters_apart - 1 - cluster : cluster;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
