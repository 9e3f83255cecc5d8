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

/// The next key of a part of a range, held in a register if it is small. The range is not empty. A key in a register is
/// always one of the range, the last where there is no next: comparing it does no harm, and costs no branch.
template <class Iterator>
class key_cursor
{
  using value = typename std::iterator_traits<Iterator>::value_type;

public:
  static constexpr bool in_register = is_small_v<value> && std::is_trivially_default_constructible_v<value>;

  MGPU_THRUST_DEVICE key_cursor(Iterator first, int begin, int end, int count)
      : first_(first)
      , next_(begin)
      , end_(end)
      , last_(count - 1)
  {
    load();
  }
  MGPU_THRUST_DEVICE bool valid() const
  {
    return next_ < end_;
  }
  MGPU_THRUST_DEVICE decltype(auto) key() const
  {
    if constexpr (in_register)
    {
      return static_cast<const value&>(key_);
    }
    else
    {
      return detail::element(first_, next_);
    }
  }
  MGPU_THRUST_DEVICE void advance_if(bool advance)
  {
    next_ += advance;
    if (advance)
    {
      load();
    }
  }

private:
  struct nothing
  {
  };

  MGPU_THRUST_DEVICE void load()
  {
    if constexpr (in_register)
    {
      key_ = detail::element(first_, min(next_, last_));
    }
  }

  Iterator first_;
  int next_;
  int end_;
  int last_;
  std::conditional_t<in_register, value, nothing> key_;
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

/// Runs up to `Steps` steps over A[a_begin, a_end) and B[b_begin, b_end), parts of ranges of a_count and b_count
/// elements, which lie between two points of the balanced path no more than `Steps` items apart (a star at the end adds
/// an item, but no step). Elements that are left when the other part is used up have no match.
template <int Steps, class IteratorA, class IteratorB, class Compare>
MGPU_THRUST_DEVICE thread_steps run_thread_steps(
  IteratorA a, int a_begin, int a_end, int a_count, IteratorB b, int b_begin, int b_end, int b_count, Compare& comp)
{
  static_assert(Steps <= 32, "a step is a bit of a 32-bit word");
  const auto low_bits = [](int n) { return static_cast<::cuda::std::uint32_t>((1ull << n) - 1); };
  if (a_count == 0 || b_count == 0)
  {
    return {low_bits(a_end - a_begin), low_bits(b_end - b_begin)};
  }
  using a_cursor = key_cursor<IteratorA>;
  using b_cursor = key_cursor<IteratorB>;
  a_cursor next_a(a, a_begin, a_end, a_count);
  b_cursor next_b(b, b_begin, b_end, b_count);
  thread_steps steps;
#pragma unroll
  for (int step = 0; step < Steps; ++step)
  {
    const bool a_valid = next_a.valid();
    const bool b_valid = next_b.valid();
    bool a_less = a_valid;
    bool b_less = b_valid;
    if ((a_cursor::in_register && b_cursor::in_register) || (a_valid && b_valid))
    {
      a_less = (comp(next_a.key(), next_b.key()) || !b_valid) && a_valid;
      b_less = (comp(next_b.key(), next_a.key()) || !a_valid) && b_valid;
    }
    const bool take_a = a_valid && !b_less;
    const bool take_b = b_valid && !a_less;
    steps.took_a |= take_a ? ::cuda::std::uint32_t{1} << step : 0;
    steps.took_b |= take_b ? ::cuda::std::uint32_t{1} << step : 0;
    next_a.advance_if(take_a);
    next_b.advance_if(take_b);
  }
  return steps;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
