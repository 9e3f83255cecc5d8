// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Merge path for up to eight sorted runs: finds where a diagonal cuts each of them, one run a lane.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/sort/plan.h>

#include <cub/util_ptx.cuh>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Finds how many elements of each of most_ways sorted runs are among the first `diagonal` elements of their stable
/// merge, where equal elements of a lower run go first. Each of most_ways neighbouring lanes has one run and its
/// result; all lanes of the warp must call it, each most_ways of them with a diagonal of their own. If the runs are not
/// sorted, the results are unspecified numbers of elements whose sum is the diagonal. Where all elements are in one
/// run, none is read.
///
/// The lanes' cuts always have that sum. As long as the `stride` elements before one lane's cut all belong after the
/// `stride` elements after another lane's cut, these are exchanged: the first lane's cut moves down, the other's up.
/// Then the stride shrinks. Where nothing is exchanged at stride 1, the cuts are the result. The search starts with the
/// cuts of runs of which each goes before the next, or, if these are far off, of runs that all have the same
/// distribution.
template <class Key, class Compare>
class multiway_split
{
  static constexpr unsigned all_lanes = 0xffffffff;
  static constexpr int nobody = 255;
  static constexpr std::int64_t near_stride = 64;
  static constexpr int most_moves = 1 << 14; ///< most exchanges at a stride; no strict weak order needs as many

public:
  /// `any_key`, one of the keys, is compared in place of elements that a run does not have.
  MGPU_THRUST_DEVICE
  multiway_split(const Key* keys, std::int64_t size, std::int64_t diagonal, const Key& any_key, Compare comp)
      : keys_(keys)
      , size_(size)
      , diagonal_(diagonal)
      , comp_(comp)
      , lane_(static_cast<int>(threadIdx.x) % most_ways)
      , low_(any_key)
      , high_(any_key)
  {
  }

  MGPU_THRUST_DEVICE std::int64_t find()
  {
    // 1. Does each run go before the next, or nearly so? (Lanes with a stride of 0 only take part in the warp's
    //    shuffles.)
    const std::int64_t all = sum(size_);
    const std::int64_t largest = largest_size();
    const std::int64_t unit = largest < all;
    fill();
    stride_ = unit;
    look();
    if (__all_sync(all_lanes, find_exchange().low_lane == nobody))
    {
      return split_;
    }
    stride_ = unit * near_stride;
    look();
    const bool is_far = find_exchange().low_lane != nobody;

    // 2. Otherwise start in proportion to the runs' sizes.
    const double part = static_cast<double>(diagonal_) / static_cast<double>(max(all, std::int64_t{1}));
    if (is_far)
    {
      split_ = min(max(static_cast<std::int64_t>(part * static_cast<double>(size_)) - 1, std::int64_t{0}), size_);
    }
    fill();
    stride_ = is_far ? std::int64_t{1} << (63 - __clzll(max(largest / 32, std::int64_t{1}))) : unit * near_stride / 4;

    // 3. Exchange.
    int moves = 0;
    look();
    while (__any_sync(all_lanes, stride_ > 0))
    {
      const exchange found = find_exchange();
      if (found.low_lane != nobody && moves < most_moves)
      {
        move(lane_ == found.low_lane, lane_ == found.high_lane);
        ++moves;
      }
      else
      {
        stride_ >>= moves == 0 && stride_ >= 4 ? 2 : 1;
        moves = 0;
        look();
      }
    }
    return split_;
  }

private:
  /// An exchange of the `stride` elements before low_lane's cut with the `stride` elements after high_lane's cut;
  /// low_lane is `nobody` if there is none.
  struct exchange
  {
    int low_lane;
    int high_lane;
  };

  template <class Value>
  MGPU_THRUST_DEVICE static Value other_lanes(const Value& value, int distance)
  {
    return cub::ShuffleIndex<most_ways>(value, (static_cast<int>(threadIdx.x) % most_ways) ^ distance, all_lanes);
  }
  MGPU_THRUST_DEVICE static std::int64_t sum(std::int64_t value)
  {
    for (int distance = 1; distance < most_ways; distance *= 2)
    {
      value += other_lanes(value, distance);
    }
    return value;
  }
  MGPU_THRUST_DEVICE std::int64_t largest_size() const
  {
    std::int64_t largest = size_;
    for (int distance = 1; distance < most_ways; distance *= 2)
    {
      largest = max(largest, other_lanes(largest, distance));
    }
    return largest;
  }

  /// Moves cuts up until their sum is the diagonal, those of the first lanes as far as possible.
  MGPU_THRUST_DEVICE void fill()
  {
    const std::int64_t room = size_ - split_;
    std::int64_t room_up_to = room;
    for (int distance = 1; distance < most_ways; distance *= 2)
    {
      const std::int64_t below = __shfl_up_sync(all_lanes, room_up_to, distance, most_ways);
      room_up_to += lane_ >= distance ? below : 0;
    }
    const std::int64_t missing = diagonal_ - sum(split_) - (room_up_to - room);
    split_ += max(min(missing, room), std::int64_t{0});
  }

  /// Reads the elements that decide which lanes exchange.
  MGPU_THRUST_DEVICE void look()
  {
    look_down();
    look_up();
  }
  MGPU_THRUST_DEVICE void look_down()
  {
    has_low_ = stride_ > 0 && split_ >= stride_;
    if (has_low_)
    {
      low_ = keys_[split_ - stride_];
    }
  }
  MGPU_THRUST_DEVICE void look_up()
  {
    has_high_ = stride_ > 0 && size_ - split_ >= stride_;
    if (has_high_)
    {
      high_ = keys_[split_ + stride_ - 1];
    }
  }

  /// Moves the cut. The elements that it moves past are not compared again before the stride shrinks, except at stride
  /// 1, where the element is known.
  MGPU_THRUST_DEVICE void move(bool down, bool up)
  {
    if (down)
    {
      split_ -= stride_;
      high_ = low_;
      has_high_ = stride_ == 1;
      look_down();
    }
    if (up)
    {
      split_ += stride_;
      low_ = high_;
      has_low_ = stride_ == 1;
      look_up();
    }
  }

  /// Whether element x of one lane's run goes before element y of another's.
  MGPU_THRUST_DEVICE bool goes_before(const Key& x, int x_lane, const Key& y, int y_lane)
  {
    const bool is_lower = x_lane < y_lane;
    return static_cast<bool>(comp_(is_lower ? y : x, is_lower ? x : y)) != is_lower;
  }

  /// Returns the lane whose low_ is last in the order and the lane whose high_ is first, if these should exchange.
  MGPU_THRUST_DEVICE exchange find_exchange()
  {
    Key low = low_;
    Key high = high_;
    int low_lane = has_low_ ? lane_ : nobody;
    int high_lane = has_high_ ? lane_ : nobody;
#pragma unroll
    for (int distance = 1; distance < most_ways; distance *= 2)
    {
      const Key other_low = other_lanes(low, distance);
      const Key other_high = other_lanes(high, distance);
      const int other = other_lanes(low_lane | high_lane << 8, distance);
      const int other_low_lane = other & 255;
      const int other_high_lane = other >> 8;
      const bool is_lower = goes_before(low, low_lane, other_low, other_low_lane);
      const bool takes_low = other_low_lane != nobody && (low_lane == nobody || is_lower);
      low = takes_low ? other_low : low;
      low_lane = takes_low ? other_low_lane : low_lane;
      const bool is_higher = goes_before(other_high, other_high_lane, high, high_lane);
      const bool takes_high = other_high_lane != nobody && (high_lane == nobody || is_higher);
      high = takes_high ? other_high : high;
      high_lane = takes_high ? other_high_lane : high_lane;
    }
    const bool is_exchanged = goes_before(high, high_lane, low, low_lane);
    const bool changes = low_lane != nobody && high_lane != nobody && low_lane != high_lane && is_exchanged;
    // One lane decides for all, in case `comp` is not a strict weak order.
    const int decision = __shfl_sync(all_lanes, changes ? low_lane | high_lane << 8 : nobody, 0, most_ways);
    return {decision & 255, decision >> 8};
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
  std::int64_t split_ = 0;
  std::int64_t stride_ = 0;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
