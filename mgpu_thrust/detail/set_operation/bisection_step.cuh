// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The step of intersections and differences that bisect one range for each element of the other.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/bisection.h>
#include <mgpu_thrust/detail/cut/guided_search.h>
#include <mgpu_thrust/detail/set_operation/serial.h>
#include <mgpu_thrust/detail/tile/bisection_kernel.cuh>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The position in a haystack of the match that needle `i` has there, if it has one: the k-th copy of a key matches the
/// k-th copy in the haystack. Otherwise -1.
template <class Needles, class Haystack, class Compare>
MGPU_THRUST_DEVICE std::int64_t
match_of(const Needles& needles, std::int64_t i, const Haystack& haystack, std::int64_t haystack_count, Compare& comp)
{
  auto&& key = detail::element(needles, i);
  const bool is_first = i == 0 || comp(detail::element(needles, i - 1), key);
  const std::int64_t copy = is_first ? 0 : i - detail::lower_bound(needles, std::int64_t{0}, i, key, comp);
  const std::int64_t match = detail::lower_bound_in_haystack(haystack, haystack_count, key, comp) + copy;
  return match < haystack_count && !comp(key, detail::element(haystack, match)) ? match : -1;
}

/// The Step (tile/bisection_kernel.cuh) of an intersection or a difference, by a Bisection of both inputs. If Outputs is
/// no_outputs, it counts matches, and `size` computes the count from their number.
template <class Operation, class Bisection, class Outputs, class Size>
struct set_bisection_step
{
  static constexpr bool writes = !std::is_same_v<Outputs, no_outputs>;
  Outputs outputs;
  Size size;

  template <class Inputs>
  MGPU_THRUST_DEVICE static std::int64_t needles(const Inputs& inputs)
  {
    return detail::needles_of<Bisection>(inputs.a_count, inputs.b_count);
  }
  template <class Inputs, class Compare>
  MGPU_THRUST_DEVICE found_element find(const Inputs& inputs, std::int64_t i, Compare& comp) const
  {
    if (Bisection::needles_are_a(inputs.a_count, inputs.b_count))
    {
      const bool has_match = detail::match_of(inputs.a, i, inputs.b, inputs.b_count, comp) >= 0;
      return {has_match == !Operation::keeps_unmatched_a, i};
    }
    const std::int64_t match = detail::match_of(inputs.b, i, inputs.a, inputs.a_count, comp);
    return {match >= 0, match};
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
