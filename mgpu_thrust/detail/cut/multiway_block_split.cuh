// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Merge path for several sorted runs by a block, one run a warp, with few dependent accesses to memory.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/multiway_split.cuh>

#include <cub/warp/warp_reduce.cuh>

#include <cuda/functional>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Maximum number of tiles that are cut by a block each, about the co-resident blocks of an H200. A block waits for
/// memory fewer times than the lanes of a multiway_split, but does more work.
inline constexpr std::int64_t max_tiles_cut_by_a_block = 1024;

/// multiway_split for a block. Each warp has one of Ways runs. All threads of the block call it with the same diagonal.
///
/// The cut of each run lies in an interval. The warp's lanes read elements of it, at equal distances. Some of these, at
/// different places in different runs, are *pivots*. Each warp ranks all pivots among the elements that it has read.
/// That bounds the number of elements of its run that go before a pivot:
///
///                       pivot
///     another run   [o . . . o | . . . o . . . o]   from 1 to 4 elements of the interval
///
/// A pivot is before the cuts if fewer than `diagonal` elements go before it in the merge. If the upper bounds of all
/// runs add up to fewer, all cuts are after the pivot. If the lower bounds add up to `diagonal` or more, all cuts are
/// at it or before it. The next intervals lie between two such pivots. A pivot outside the interval of another run
/// counts as if it were at the interval's end, which changes no decision, as that run's cut is inside.
///
/// Termination: the longest interval, of length w, has pivots at distances of w / 4. The two bounds of a pivot differ
/// by less than 7 * (w / 32 + 1), and each pivot has more elements before it than the previous one by the elements
/// between them. So while w is large, at most one pivot of that run is undecided, and the next interval has at most
/// half the length; an eighth if all runs are alike. In intervals of up to four elements all are pivots.
template <int Ways, class Key, class Compare>
class multiway_block_split
{
  static constexpr int log_lanes = 5;
  static constexpr int lanes = 1 << log_lanes;
  static constexpr unsigned all_lanes = 0xffffffff;
  /// Limit of rounds, far above what a strict weak order needs.
  static constexpr int max_rounds = 1 << 10;

  using warp_reduce = cub::WarpReduce<int>;

  /// An interval, and the elements that were read there.
  struct interval
  {
    std::int64_t begin;
    std::int64_t size;
    Key elements[lanes];

    /// Returns the position of the element that a lane has read.
    MGPU_THRUST_DEVICE std::int64_t position(int lane) const
    {
      return begin + (size * lane >> log_lanes);
    }
    /// Returns bounds of the elements of the run that go before a pivot, if the first `count` elements that were read
    /// do.
    MGPU_THRUST_DEVICE std::int64_t min_before(int count) const
    {
      return count == 0 ? begin : position(count - 1) + 1;
    }
    MGPU_THRUST_DEVICE std::int64_t max_before(int count) const
    {
      return count == lanes ? begin + size : position(count);
    }
  };

public:
  static constexpr int threads = Ways * lanes;

  struct TempStorage
  {
    interval intervals[Ways];
    std::int64_t min_before[Ways][lanes]; ///< of each run and pivot
    std::int64_t max_before[Ways][lanes];
    std::int64_t sizes[Ways];
  };

  /// The warp's run is keys[0, size).
  MGPU_THRUST_DEVICE
  multiway_block_split(TempStorage& shared, const Key* keys, std::int64_t size, std::int64_t diagonal, Compare comp)
      : shared_(shared)
      , keys_(keys)
      , size_(size)
      , diagonal_(diagonal)
      , comp_(comp)
      , run_(static_cast<int>(threadIdx.x) / lanes)
      , lane_(static_cast<int>(threadIdx.x) % lanes)
      , own_(shared.intervals[run_])
  {
  }

  /// Returns the cut of the warp's run.
  MGPU_THRUST_DEVICE std::int64_t find()
  {
    // 1. A cut leaves no more elements before it than the diagonal, and no more after it than the merge has there.
    shared_.sizes[run_] = size_;
    __syncthreads();
    std::int64_t begin = (max) (diagonal_ - (size_before(Ways) - size_), std::int64_t{0});
    std::int64_t end = (min) (size_, diagonal_);

    // 2. Narrow the intervals, until each is empty.
    for (int round = 0; round < max_rounds; ++round)
    {
      read(begin, end);
      if (!__syncthreads_or(begin < end))
      {
        break;
      }
      narrow(begin, end);
    }

    // 3. If `comp` is no strict weak order, the cuts may not add up to the diagonal. Then it returns other cuts that
    //    do.
    std::int64_t sum = 0;
#pragma unroll
    for (int run = 0; run < Ways; ++run)
    {
      sum += shared_.intervals[run].begin;
    }
    return sum == diagonal_ ? own_.begin : (min) ((max) (diagonal_ - size_before(run_), std::int64_t{0}), size_);
  }

private:
  /// Returns the size of all runs before one.
  MGPU_THRUST_DEVICE std::int64_t size_before(int end) const
  {
    std::int64_t sum = 0;
#pragma unroll
    for (int run = 0; run < Ways; ++run)
    {
      sum += run < end ? shared_.sizes[run] : 0;
    }
    return sum;
  }
  /// Reads elements of the run's interval, for all warps after a barrier.
  MGPU_THRUST_DEVICE void read(std::int64_t begin, std::int64_t end)
  {
    own_.begin = begin;
    own_.size = end - begin;
    if (begin < end)
    {
      own_.elements[lane_] = keys_[own_.position(lane_)];
    }
  }
  /// Narrows the run's interval. Each lane has a pivot, of run lane % Ways.
  MGPU_THRUST_DEVICE void narrow(std::int64_t& begin, std::int64_t& end)
  {
    // 1. Count the elements before the pivot. For the pivot's own run the number is exact.
    const int pivot_run = lane_ % Ways;
    const interval& of_pivot = shared_.intervals[pivot_run];
    const bool is_own = pivot_run == run_;
    int count = is_own ? lane_ : 0;
    if (!is_own && own_.size > 0 && of_pivot.size > 0)
    {
      count = elements_before(of_pivot.elements[lane_], pivot_run);
    }
    shared_.min_before[run_][lane_] = is_own ? own_.position(lane_) : own_.min_before(count);
    shared_.max_before[run_][lane_] = is_own ? own_.position(lane_) : own_.max_before(count);
    __syncthreads();
    std::int64_t min_before = 0;
    std::int64_t max_before = 0;
#pragma unroll
    for (int run = 0; run < Ways; ++run)
    {
      min_before += shared_.min_before[run][lane_];
      max_before += shared_.max_before[run][lane_];
    }

    // 2. The next interval is between the last pivot that is before the cuts, and the first that is not.
    const bool is_before = of_pivot.size > 0 && max_before < diagonal_;
    const bool is_after = of_pivot.size > 0 && min_before >= diagonal_;
    const int counts_before = max_of_all_lanes(is_before ? count + is_own : 0);
    const int counts_after = lanes - max_of_all_lanes(is_after ? lanes - count : 0);
    begin = own_.min_before(counts_before);
    end = (max) (own_.max_before(counts_after), begin);
    __syncthreads(); // before the elements of the next interval are read
  }
  /// Returns how many of the elements that were read in the run go before a pivot of another.
  MGPU_THRUST_DEVICE int elements_before(const Key& pivot, int pivot_run)
  {
    const auto goes_before = [&](int i)
    { return detail::goes_before_in_merge(own_.elements[i], run_, pivot, pivot_run, comp_); };
    int count = 0;
#pragma unroll
    for (int step = lanes / 2; step > 0; step /= 2)
    {
      count += goes_before(count + step - 1) ? step : 0;
    }
    return count + goes_before(count);
  }
  MGPU_THRUST_DEVICE static int max_of_all_lanes(int value)
  {
    typename warp_reduce::TempStorage nothing_shared;
    return __shfl_sync(all_lanes, warp_reduce(nothing_shared).Reduce(value, ::cuda::maximum<>{}), 0);
  }

  TempStorage& shared_;
  const Key* keys_;
  std::int64_t size_;
  std::int64_t diagonal_;
  Compare comp_;
  int run_;
  int lane_;
  interval& own_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
