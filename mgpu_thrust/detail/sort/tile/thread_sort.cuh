// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Sorts the keys of a thread in registers, by exchanges of neighbours.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/tile/tile_shape.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The number of keys of a thread, and a word whose bit k tells whether keys k and k + 1 are in one segment, and may be
/// exchanged. Only the last threads of a tile have fewer than `Items` keys.
template <int Items>
class thread_range
{
  static_assert(1 < Items && Items <= 33, "a word has a bit for each two neighbours");
  static constexpr std::uint32_t all = static_cast<std::uint32_t>((std::uint64_t{1} << (Items - 1)) - 1);

public:
  /// The range of a thread that has `count` keys of one segment.
  MGPU_THRUST_DEVICE explicit thread_range(int count)
      : count_(count)
      , joined_(count == Items ? all : (1u << (max) (count - 1, 0)) - 1)
  {
  }

  /// Splits the range into segments. Bit k of `heads` tells whether key k + 1 is the first of its segment.
  MGPU_THRUST_DEVICE void split(std::uint32_t heads)
  {
    joined_ &= ~heads;
  }

  MGPU_THRUST_DEVICE int count() const
  {
    return count_;
  }
  /// Whether keys k and k + 1 are in one segment.
  MGPU_THRUST_DEVICE bool are_joined(int k) const
  {
    std::uint32_t bit; // nvcc 13.0 compiles this to one instruction, a test of a shifted word to three
    asm("and.b32 %0, %1, %2;" : "=r"(bit) : "r"(joined_), "r"(1u << k));
    return bit != 0;
  }
  /// A rotation by zero that the compiler cannot see through: it stops hoisting of are_joined(k) out of a loop over
  /// rounds, which would spill registers.
  MGPU_THRUST_DEVICE void depend_on(int round)
  {
    joined_ = __funnelshift_l(joined_, joined_, static_cast<unsigned>(round) / 64);
  }
  /// Whether the thread has `Items` keys of one segment.
  MGPU_THRUST_DEVICE bool is_whole() const
  {
    return joined_ == all;
  }
  /// Returns the length of the longest segment within the thread.
  MGPU_THRUST_DEVICE int longest() const
  {
    int longest = 1;
#pragma unroll 1
    for (std::uint32_t rest = joined_; rest != 0; rest &= rest << 1) // shortens each sequence of set bits by one
    {
      ++longest;
    }
    return longest;
  }
  /// Whether each key is a segment.
  MGPU_THRUST_DEVICE bool is_apart() const
  {
    return joined_ == 0;
  }

private:
  int count_;
  std::uint32_t joined_;
};

/// The keys of a thread in registers; with HasNumbers, also their positions in the tile before the sort. (It has arrays
/// alone: so the compiler keeps other members in registers before it unrolls loops.)
template <class Key, int Items, bool HasNumbers>
struct thread_keys
{
  Key keys[Items];
  int numbers[Items];

  /// Numbers the keys from `first` on.
  MGPU_THRUST_DEVICE void number_from(int first)
  {
#pragma unroll
    for (int k = 0; k < Items; ++k)
    {
      numbers[k] = first + k;
    }
  }

  /// Exchanges keys k and k + 1, with their numbers.
  MGPU_THRUST_DEVICE void exchange(int k)
  {
    const Key key = keys[k];
    keys[k] = keys[k + 1];
    keys[k + 1] = key;
    if constexpr (HasNumbers)
    {
      const int number = numbers[k];
      numbers[k] = numbers[k + 1];
      numbers[k + 1] = number;
    }
  }
};

/// Two rounds of an odd-even transposition sort: exchanges keys k and k + 1 that are out of order, if is_pair(k), for
/// even k, then for odd k. A sort of n keys takes n rounds. Loops over rounds are not unrolled, so that they fit the
/// instruction cache: unrolling costs 10 to 30 us of 1 ms.
template <class Key, int Items, bool HasNumbers, class IsPair, class Compare>
MGPU_THRUST_DEVICE void exchange_twice(thread_keys<Key, Items, HasNumbers>& own, IsPair is_pair, Compare& comp)
{
  const auto put_in_order = [&](int k)
  {
    if (is_pair(k) && comp(own.keys[k + 1], own.keys[k]))
    {
      own.exchange(k);
    }
  };
#pragma unroll
  for (int k = 0; k + 1 < Items; k += 2)
  {
    put_in_order(k);
  }
#pragma unroll
  for (int k = 1; k + 1 < Items; k += 2)
  {
    put_in_order(k);
  }
}

/// Sorts all keys of a thread.
template <class Key, int Items, bool HasNumbers, class Compare>
MGPU_THRUST_DEVICE void sort_all(thread_keys<Key, Items, HasNumbers>& own, Compare comp)
{
#pragma unroll 1
  for (int round = 0; round < Items; round += 2)
  {
    detail::exchange_twice(
      own, [](int) { return true; }, comp);
  }
}

/// Sorts the keys of each segment in a thread. The number of rounds is the length of the longest segment.
template <class Key, int Items, bool HasNumbers, class Compare>
MGPU_THRUST_DEVICE void sort_joined(thread_keys<Key, Items, HasNumbers>& own, thread_range<Items> range, Compare comp)
{
  const int rounds = range.longest();
#pragma unroll 1
  for (int round = 0; round < rounds; round += 2)
  {
    range.depend_on(round);
    detail::exchange_twice(
      own, [&](int k) { return range.are_joined(k); }, comp);
  }
}

/// Sorts both halves of a thread's keys; called by all lanes of a warp. Ends after Rounds rounds if all halves are
/// sorted, as they are if keys are near their sorted positions.
template <int Rounds, class Key, int Items, bool HasNumbers, class Compare>
MGPU_THRUST_DEVICE void sort_halves(thread_keys<Key, Items, HasNumbers>& own, Compare comp)
{
  constexpr int half = first_half<Items>;
  static_assert(Rounds % 2 == 0, "two rounds at a time");
#pragma unroll 1
  for (int round = 0; round < half; round += 2)
  {
    if (round == Rounds)
    {
      bool is_sorted = true;
#pragma unroll
      for (int k = 0; k + 1 < Items; ++k)
      {
        is_sorted &= k + 1 == half || !comp(own.keys[k + 1], own.keys[k]);
      }
      if (__all_sync(0xffffffff, is_sorted))
      {
        return;
      }
    }
    detail::exchange_twice(
      own, [](int k) { return k + 1 != half; }, comp);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
