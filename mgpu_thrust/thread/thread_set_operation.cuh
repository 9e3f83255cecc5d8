// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The loop that runs a set operation over the few items of a GPU thread, unrolled and without divergence.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/detail/config.h>

#include <cuda/std/cstdint>

#include <iterator>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The next key of a range, held in registers if it is small.
template <class Iterator>
class key_cursor
{
  using value = typename std::iterator_traits<Iterator>::value_type;

  static constexpr bool in_registers = is_small_v<value> && std::is_trivially_default_constructible_v<value>;

public:
  MGPU_THRUST_DEVICE key_cursor(Iterator first, int index, int end)
      : first_(first)
      , index_(index)
      , end_(end)
  {
    load();
  }
  MGPU_THRUST_DEVICE bool valid() const
  {
    return index_ < end_;
  }
  MGPU_THRUST_DEVICE decltype(auto) key() const
  {
    if constexpr (in_registers)
    {
      return static_cast<const value&>(key_);
    }
    else
    {
      return detail::element(first_, index_);
    }
  }
  MGPU_THRUST_DEVICE void advance()
  {
    ++index_;
    load();
  }

private:
  struct nothing
  {
  };

  MGPU_THRUST_DEVICE void load()
  {
    if constexpr (in_registers)
    {
      if (index_ < end_)
      {
        key_ = detail::element(first_, index_);
      }
    }
  }

  Iterator first_;
  int index_;
  int end_;
  std::conditional_t<in_registers, value, nothing> key_;
};

/// What the steps of a thread took, a bit for each step: an element of A, of B, or, where they match, of both.
struct thread_steps
{
  ::cuda::std::uint32_t took_a = 0;
  ::cuda::std::uint32_t took_b = 0;

  /// The steps whose element an operation keeps.
  template <class Operation>
  MGPU_THRUST_DEVICE ::cuda::std::uint32_t kept(Operation) const
  {
    return (Operation::keeps_unmatched_a ? took_a & ~took_b : 0) | (Operation::keeps_unmatched_b ? took_b & ~took_a : 0)
           | (Operation::keeps_matched ? took_a & took_b : 0);
  }
};

/// Runs up to `Steps` steps over A[a_begin, a_end) and B[b_begin, b_end), which lie between two points of the balanced
/// path no more than `Steps` items apart (a star at the end adds an item, but no step). Elements that are left when the
/// other range is used up have no match.
template <int Steps, class IteratorA, class IteratorB, class Compare>
MGPU_THRUST_DEVICE thread_steps
run_thread_steps(IteratorA a, int a_begin, int a_end, IteratorB b, int b_begin, int b_end, Compare& comp)
{
  static_assert(Steps <= 32, "a step is a bit of a 32-bit word");
  key_cursor<IteratorA> next_a(a, a_begin, a_end);
  key_cursor<IteratorB> next_b(b, b_begin, b_end);
  thread_steps steps;
#pragma unroll
  for (int step = 0; step < Steps; ++step)
  {
    const bool both = next_a.valid() && next_b.valid();
    const bool take_a = both ? !comp(next_b.key(), next_a.key()) : next_a.valid();
    const bool take_b = both ? !comp(next_a.key(), next_b.key()) : next_b.valid();
    if (take_a)
    {
      steps.took_a |= ::cuda::std::uint32_t{1} << step;
      next_a.advance();
    }
    if (take_b)
    {
      steps.took_b |= ::cuda::std::uint32_t{1} << step;
      next_b.advance();
    }
  }
  return steps;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
