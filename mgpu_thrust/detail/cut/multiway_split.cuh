// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Merge path for up to eight sorted runs: finds where a diagonal cuts each of them, one run a lane.

#include <mgpu_thrust/detail/base/config.h>

#include <cub/util_ptx.cuh>
#include <cub/warp/warp_scan.cuh>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether element x of one run goes before element y of another in the stable merge.
template <class Key, class Compare>
MGPU_THRUST_DEVICE bool goes_before_in_merge(const Key& x, int x_run, const Key& y, int y_run, Compare& comp)
{
  const bool is_lower = x_run < y_run;
  return static_cast<bool>(comp(is_lower ? y : x, is_lower ? x : y)) != is_lower;
}

/// Finds how many elements of each of Ways sorted runs are among the first `diagonal` elements of their stable
/// merge, where equal elements of a lower run go first. Each of Ways neighbouring lanes has one run and its
/// result; all lanes of the warp must call it, each Ways of them with a diagonal of their own. If the runs are not
/// sorted, the results are unspecified numbers of elements whose sum is the diagonal. Where all elements are in one
/// run, none is read.
///
/// Each lane has a cut, the number of its run's elements that are before it. The lane's *low* is the first of the
/// `stride` elements before the cut, its *high* the last of the `stride` elements after it:
///
///                            cut
///     run   o  o  o [low o  o | o  o high] o  o        stride 3
///
/// Invariant: the sum of the cuts is the diagonal. If the first of all highs goes before the last of all lows, then all
/// `stride` elements after one lane's cut go before all `stride` elements before another's. They are exchanged: the
/// first lane's cut moves up by the stride, the other's down. When nothing is left to exchange, the stride shrinks.
/// When nothing is left at stride 1, all elements before the cuts go before all elements after them: this is the
/// result.
///
/// Termination: at one stride, each exchange makes the last low an earlier element of the merge, and the first high a
/// later one. So a cut that has moved down does not move up again before the stride shrinks, and at a half of the
/// stride before there are at most 7 exchanges, at a quarter at most 24. docs/how-it-works/multiway_split.md has a
/// figure and the proofs.
template <int Ways, class Key, class Compare>
class multiway_split
{
  static constexpr unsigned all_lanes = 0xffffffff;
  static constexpr int no_lane = 255;

  /// The first cuts are near the result if nothing is to be exchanged at this stride.
  static constexpr std::int64_t near_stride = 64;
  /// Exchanges from near cuts begin at near_stride / near_ratio.
  static constexpr std::int64_t near_ratio = 4;
  /// Exchanges from other cuts begin at the longest run's size / far_ratio, rounded down to a power of two. Random data
  /// need few there. Runs that do not overlap could need hundreds: after many_exchanges the stride becomes at least a
  /// quarter of that size, at which no cut moves more than three times.
  static constexpr std::int64_t far_ratio = 32;
  static constexpr int many_exchanges = 16;
  /// Limit of exchanges at a stride; a strict weak order needs at most 24.
  static constexpr int max_exchanges = 1 << 14;

public:
  /// `any_key`, one of the keys, is compared in place of elements that a run does not have.
  MGPU_THRUST_DEVICE
  multiway_split(const Key* keys, std::int64_t size, std::int64_t diagonal, const Key& any_key, Compare comp)
      : keys_(keys)
      , size_(size)
      , diagonal_(diagonal)
      , comp_(comp)
      , lane_(static_cast<int>(threadIdx.x) % Ways)
      , low_(any_key)
      , high_(any_key)
  {
  }

  MGPU_THRUST_DEVICE std::int64_t find()
  {
    // 1. Cut as if each run went before the next. Are these cuts the result, or near it? (Where all elements are in one
    //    run, `unit` is 0: lanes with a stride of 0 only take part in the warp's shuffles.)
    const std::int64_t all = sum(size_);
    const std::int64_t longest = longest_size();
    const std::int64_t unit = longest < all;
    fill();
    set_stride(unit);
    if (__all_sync(all_lanes, find_exchange().is_none()))
    {
      return cut_;
    }
    set_stride(unit * near_stride);
    const bool is_far = !find_exchange().is_none();

    // 2. If not, cut each run in proportion to its size.
    const double part = static_cast<double>(diagonal_) / static_cast<double>((max) (all, std::int64_t{1}));
    if (is_far)
    {
      // One element less, so that rounding does not make the sum larger than the diagonal.
      cut_ = (min) ((max) (static_cast<std::int64_t>(part * static_cast<double>(size_)) - 1, std::int64_t{0}), size_);
    }
    fill();

    // 3. Exchange elements, at smaller and smaller strides.
    exchange_from(
      is_far ? std::int64_t{1} << (63 - __clzll((max) (longest / far_ratio, std::int64_t{1})))
             : unit * near_stride / near_ratio,
      is_far ? many_exchanges : max_exchanges);
    return cut_;
  }

private:
  /// An exchange of the elements before low_lane's cut with the elements after high_lane's cut. Lanes pass it to each
  /// other packed in a word.
  struct exchange
  {
    int low_lane;
    int high_lane;

    static constexpr int packed_none = no_lane;

    MGPU_THRUST_DEVICE static exchange unpack(int word)
    {
      return {word & 255, word >> 8};
    }
    MGPU_THRUST_DEVICE int packed() const
    {
      return low_lane | high_lane << 8;
    }
    MGPU_THRUST_DEVICE bool is_none() const
    {
      return low_lane == no_lane;
    }
  };

  // What the lanes of a group know together.

  template <class Value>
  MGPU_THRUST_DEVICE static Value other_lanes(const Value& value, int distance)
  {
    return cub::ShuffleIndex<Ways>(value, (static_cast<int>(threadIdx.x) % Ways) ^ distance, all_lanes);
  }
  MGPU_THRUST_DEVICE static std::int64_t sum(std::int64_t value)
  {
    for (int distance = 1; distance < Ways; distance *= 2)
    {
      value += other_lanes(value, distance);
    }
    return value;
  }
  MGPU_THRUST_DEVICE std::int64_t longest_size() const
  {
    std::int64_t longest = size_;
    for (int distance = 1; distance < Ways; distance *= 2)
    {
      longest = (max) (longest, other_lanes(longest, distance));
    }
    return longest;
  }

  /// Moves cuts up until their sum is the diagonal: the first lanes' cuts first, as far as possible.
  MGPU_THRUST_DEVICE void fill()
  {
    const std::int64_t room = size_ - cut_;
    std::int64_t room_before = 0;
    typename cub::WarpScan<std::int64_t, Ways>::TempStorage nothing_shared;
    cub::WarpScan<std::int64_t, Ways>(nothing_shared).ExclusiveSum(room, room_before);
    const std::int64_t missing = diagonal_ - sum(cut_) - room_before;
    cut_ += (max) ((min) (missing, room), std::int64_t{0});
  }

  // The elements at a stride from the cut.

  MGPU_THRUST_DEVICE void set_stride(std::int64_t stride)
  {
    stride_ = stride;
    read_low();
    read_high();
  }
  MGPU_THRUST_DEVICE void read_low()
  {
    has_low_ = stride_ > 0 && cut_ >= stride_;
    if (has_low_)
    {
      low_ = keys_[cut_ - stride_];
    }
  }
  MGPU_THRUST_DEVICE void read_high()
  {
    has_high_ = stride_ > 0 && size_ - cut_ >= stride_;
    if (has_high_)
    {
      high_ = keys_[cut_ + stride_ - 1];
    }
  }

  /// Moves the cut down or up by the stride. A cut moves in one direction only at a stride, so the element of the other
  /// direction is not read: the lane has none, except at stride 1, where it is known.
  MGPU_THRUST_DEVICE void move(bool down, bool up)
  {
    if (down)
    {
      cut_ -= stride_;
      high_ = low_;
      has_high_ = stride_ == 1;
      read_low();
    }
    if (up)
    {
      cut_ += stride_;
      low_ = high_;
      has_low_ = stride_ == 1;
      read_high();
    }
  }

  // Exchanges.

  /// Exchanges elements at a stride and at smaller ones, down to 1. If `limit` exchanges at the first stride are too
  /// few, a larger stride follows. All lanes of the warp stay until the last of them is done.
  MGPU_THRUST_DEVICE void exchange_from(std::int64_t first_stride, int limit)
  {
    int exchanges = 0;
    set_stride(first_stride);
    while (__any_sync(all_lanes, stride_ > 0))
    {
      const exchange found = find_exchange();
      if (!found.is_none() && exchanges < limit)
      {
        move(lane_ == found.low_lane, lane_ == found.high_lane);
        ++exchanges;
      }
      else
      {
        const bool begins_again = limit == many_exchanges && !found.is_none();
        set_stride(begins_again ? stride_ * (far_ratio / 2) : stride_ >> (exchanges == 0 && stride_ >= 4 ? 2 : 1));
        exchanges = 0;
        limit = max_exchanges;
      }
    }
  }

  /// Returns the lane whose low is last in the merge and the lane whose high is first, if these should exchange.
  MGPU_THRUST_DEVICE exchange find_exchange()
  {
    Key low = low_;
    Key high = high_;
    int low_lane = has_low_ ? lane_ : no_lane;
    int high_lane = has_high_ ? lane_ : no_lane;
#pragma unroll
    for (int distance = 1; distance < Ways; distance *= 2)
    {
      const Key other_low = other_lanes(low, distance);
      const Key other_high = other_lanes(high, distance);
      const exchange other = exchange::unpack(other_lanes(exchange{low_lane, high_lane}.packed(), distance));
      const bool is_low_before = detail::goes_before_in_merge(low, low_lane, other_low, other.low_lane, comp_);
      const bool takes_low = other.low_lane != no_lane && (low_lane == no_lane || is_low_before);
      low = takes_low ? other_low : low;
      low_lane = takes_low ? other.low_lane : low_lane;
      const bool is_high_after = detail::goes_before_in_merge(other_high, other.high_lane, high, high_lane, comp_);
      const bool takes_high = other.high_lane != no_lane && (high_lane == no_lane || is_high_after);
      high = takes_high ? other_high : high;
      high_lane = takes_high ? other.high_lane : high_lane;
    }
    const bool is_exchanged = detail::goes_before_in_merge(high, high_lane, low, low_lane, comp_);
    const bool exists = low_lane != no_lane && high_lane != no_lane && low_lane != high_lane && is_exchanged;
    const int found = exchange{low_lane, high_lane}.packed();
    // One lane decides for all, in case `comp` is not a strict weak order.
    return exchange::unpack(__shfl_sync(all_lanes, exists ? found : exchange::packed_none, 0, Ways));
  }

  const Key* keys_;
  std::int64_t size_;
  std::int64_t diagonal_;
  Compare comp_;
  int lane_;
  Key low_; ///< any key if there is none, so that all lanes compare alike
  Key high_;
  bool has_low_ = false;
  bool has_high_ = false;
  std::int64_t cut_ = 0;
  std::int64_t stride_ = 0;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
