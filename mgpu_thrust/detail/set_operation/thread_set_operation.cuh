// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The loops that execute a set operation over the few elements of a GPU thread. A step moves along the balanced path
/// by one element: of B if that is smaller, or if it matches the element of A that was consumed just before; else of A.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <cuda/std/cstdint>

#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A thread's part of a tile, between two points of the balanced path: A[a, a_end) and B[b, b_end).
struct thread_part
{
  int a;
  int b;
  int a_end;
  int b_end;
};

/// Whether an operation keeps the element that a step consumes, which is of A or of B, matched or not.
template <class Operation>
MGPU_THRUST_DEVICE bool keeps_step(Operation, bool takes_b, bool a_matched, bool b_matched)
{
  const bool keeps_a = a_matched ? Operation::keeps_matched : Operation::keeps_unmatched_a;
  return takes_b ? Operation::keeps_unmatched_b && !b_matched : keeps_a;
}

// The item of an element that a step consumes is its key, or its number in the tile, i for A[i] and a_count + j for
// B[j], or both its number and that of its match. A step that consumes A[i] tells whether it matches the next element
// of B, and the number of that.

struct items_are_keys
{
  template <class Key>
  MGPU_THRUST_DEVICE static const Key& item_of_a(const Key& key, int, bool, int)
  {
    return key;
  }
  template <class Key>
  MGPU_THRUST_DEVICE static const Key& item_of_b(const Key& key, int)
  {
    return key;
  }
};

struct items_are_numbers
{
  template <class Key>
  MGPU_THRUST_DEVICE static int item_of_a(const Key&, int number, bool, int)
  {
    return number;
  }
  template <class Key>
  MGPU_THRUST_DEVICE static int item_of_b(const Key&, int number)
  {
    return number;
  }
};

/// The number of an element in a tile, and that of the element of B that it matches, or 0: an element of B with a match
/// comes after one of A, so its number is larger.
struct matched_number
{
  ::cuda::std::uint32_t bits;

  MGPU_THRUST_DEVICE int number() const
  {
    return static_cast<int>(bits & 0xffff);
  }
  MGPU_THRUST_DEVICE int match() const
  {
    return static_cast<int>(bits >> 16);
  }
};

struct items_are_matched_numbers
{
  template <class Key>
  MGPU_THRUST_DEVICE static matched_number item_of_a(const Key&, int number, bool is_match, int match)
  {
    const auto bits = static_cast<::cuda::std::uint32_t>(number);
    return {is_match ? static_cast<::cuda::std::uint32_t>(match) << 16 | bits : bits};
  }
  template <class Key>
  MGPU_THRUST_DEVICE static matched_number item_of_b(const Key&, int number)
  {
    return {static_cast<::cuda::std::uint32_t>(number)};
  }
};

/// The next key at an address, held in a register if it is small and can be assigned.
template <class Key, bool InRegister = is_small_v<Key>&& std::is_copy_assignable_v<Key>>
class next_key
{
public:
  MGPU_THRUST_DEVICE explicit next_key(const Key* at)
      : key_(*at)
  {
  }
  MGPU_THRUST_DEVICE void move_to(const Key* at)
  {
    key_ = *at;
  }
  MGPU_THRUST_DEVICE const Key& get() const
  {
    return key_;
  }

private:
  Key key_;
};
template <class Key>
class next_key<Key, false>
{
public:
  MGPU_THRUST_DEVICE explicit next_key(const Key* at)
      : at_(at)
  {
  }
  MGPU_THRUST_DEVICE void move_to(const Key* at)
  {
    at_ = at;
  }
  MGPU_THRUST_DEVICE const Key& get() const
  {
    return *at_;
  }

private:
  const Key* at_;
};

/// Executes a thread's steps in a tile that is followed by one more key of each range. No step has to check whether an
/// input is exhausted: if the thread's part of A is, the rest of its part of B is before the next key of A on the path,
/// hence smaller, and vice versa. The part has Steps - 3 to Steps elements, and Steps in a merge. Returns a bit mask of
/// the items that are kept.
template <int Steps, class Operation, class Items, class KeyA, class KeyB, class Compare, class Item>
MGPU_THRUST_DEVICE ::cuda::std::uint32_t run_inner_steps(
  Operation operation, Items, const KeyA* a, int a_count, const KeyB* b, const thread_part& part, Compare& comp,
  Item (&items)[Steps])
{
  const int count = Operation::matches ? (min) ((max) (part.a_end + part.b_end - part.a - part.b, 0), Steps) : Steps;
  a += part.a;
  b += part.b;
  next_key<KeyA> next_a(a);
  next_key<KeyB> next_b(b);
  int a_number = part.a;
  const int numbers = a_count + part.a + part.b; // a_number + b_number at step 0
  bool b_matched = false;
  ::cuda::std::uint32_t kept = 0;
#pragma unroll
  for (int step = 0; step < Steps; ++step)
  {
    const bool takes_b = b_matched | static_cast<bool>(comp(next_b.get(), next_a.get()));
    const bool a_matched = Operation::matches && !takes_b & !static_cast<bool>(comp(next_a.get(), next_b.get()));
    items[step] = Items::item_of_a(next_a.get(), a_number, a_matched, numbers + step - a_number);
    if constexpr (Operation::keeps_unmatched_b)
    {
      items[step] = takes_b ? Items::item_of_b(next_b.get(), numbers + step - a_number) : items[step];
    }
    kept |= ::cuda::std::uint32_t{detail::keeps_step(operation, takes_b, a_matched, b_matched)} << step;
    if (step < Steps - 4 || step + 1 < count) // the key after a tile can be read, but none after that
    {
      // One load for both inputs, as this loop is bound by its loads.
      const void* const next = takes_b ? static_cast<const void*>(++b) : static_cast<const void*>(++a);
      a_number += !takes_b;
      if (takes_b)
      {
        next_b.move_to(static_cast<const KeyB*>(next));
      }
      else
      {
        next_a.move_to(static_cast<const KeyA*>(next));
      }
    }
    b_matched = a_matched;
  }
  return kept & static_cast<::cuda::std::uint32_t>((1ull << count) - 1);
}

/// Executes a thread's steps anywhere, over any iterators. The part has at most Steps elements, and nothing past its
/// end is read.
template <int Steps, class Operation, class Items, class IteratorA, class IteratorB, class Compare, class Item>
MGPU_THRUST_DEVICE ::cuda::std::uint32_t run_last_steps(
  Operation operation, Items, IteratorA a, int a_count, IteratorB b, thread_part part, Compare& comp,
  Item (&items)[Steps])
{
  bool b_matched = false;
  ::cuda::std::uint32_t kept = 0;
#pragma unroll
  for (int step = 0; step < Steps; ++step)
  {
    const bool a_left = part.a < part.a_end;
    const bool b_left = part.b < part.b_end;
    if (a_left || b_left)
    {
      bool takes_b = !a_left;
      bool a_matched = false;
      if (a_left && b_left)
      {
        auto&& next_a = detail::element(a, part.a);
        auto&& next_b = detail::element(b, part.b);
        takes_b = b_matched || comp(next_b, next_a);
        a_matched = Operation::matches && !takes_b && !comp(next_a, next_b);
      }
      if (detail::keeps_step(operation, takes_b, a_matched, b_matched))
      {
        kept |= ::cuda::std::uint32_t{1} << step;
        if (!takes_b)
        {
          items[step] = Items::item_of_a(detail::element(a, part.a), part.a, a_matched, a_count + part.b);
        }
        else if constexpr (Operation::keeps_unmatched_b)
        {
          items[step] = Items::item_of_b(detail::element(b, part.b), a_count + part.b);
        }
      }
      part.a += !takes_b;
      part.b += takes_b;
      b_matched = a_matched;
    }
  }
  return kept;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
