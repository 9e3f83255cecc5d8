// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The step of intersections and differences that bisect B for each element of A.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/set_operation/serial.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether element `i` of A has a match in B: the k-th copy of a key matches the k-th copy in B.
template <class Inputs, class Compare>
MGPU_THRUST_DEVICE bool has_match(const Inputs& inputs, std::int64_t i, Compare& comp)
{
  auto&& key = detail::element(inputs.a, i);
  const bool is_first = i == 0 || comp(detail::element(inputs.a, i - 1), key);
  const std::int64_t copy = is_first ? 0 : i - detail::lower_bound(inputs.a, std::int64_t{0}, i, key, comp);
  const std::int64_t match = detail::lower_bound(inputs.b, std::int64_t{0}, inputs.b_count, key, comp) + copy;
  return match < inputs.b_count && !comp(key, detail::element(inputs.b, match));
}

/// The Step (tile/bisection_kernel.cuh) of an intersection or a difference. If Outputs is no_outputs, it counts
/// matches, and `size` computes the count from their number.
template <class Operation, class Outputs, class Size>
struct set_bisection_step
{
  static constexpr bool writes = !std::is_same_v<Outputs, no_outputs>;
  Outputs outputs;
  Size size;

  template <class Inputs, class Compare>
  MGPU_THRUST_DEVICE bool is_kept(const Inputs& inputs, std::int64_t i, Compare& comp) const
  {
    return detail::has_match(inputs, i, comp) == !Operation::keeps_unmatched_a;
  }
  template <class Inputs>
  MGPU_THRUST_DEVICE std::int64_t max_kept(const Inputs& inputs) const
  {
    return detail::max_kept(Operation{}, inputs);
  }
  template <class Inputs>
  MGPU_THRUST_DEVICE void write(const Inputs& inputs, std::int64_t i, std::int64_t to) const
  {
    *(outputs.keys + to) = detail::element(inputs.a, i);
    if constexpr (has_values<decltype(Outputs::values)>)
    {
      *(outputs.values + to) = detail::element(inputs.a_values, i);
    }
  }
  template <class Inputs>
  MGPU_THRUST_DEVICE std::int64_t count(const Inputs& inputs, std::int64_t kept) const
  {
    const size_by_matches size_now = size.of(inputs);
    return writes ? kept : size_now.base + size_now.per_match * kept;
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
