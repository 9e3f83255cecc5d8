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
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/driver/bisection_kernel.cuh>
#include <mgpu_thrust/detail/set_operation/combined_values.h>
#include <mgpu_thrust/detail/set_operation/serial.h>

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

/// The Step (driver/bisection_kernel.cuh) of an intersection or a difference, by a Bisection of both inputs. If Outputs
/// is no_outputs, it counts matches, and `size` computes the count from their number.
template <class Operation, class Bisection, class Outputs, class Size>
struct set_bisection_step
{
  static constexpr bool writes = !std::is_same_v<Outputs, no_outputs>;
  static constexpr bool combines = combines_values<decltype(Outputs::values)>;
  static_assert(!combines || !Operation::keeps_unmatched_a, "only matches are combined");
  /// The index of an element of A; if values are combined, the indices of a match in A and B.
  using index_type = std::conditional_t<combines, set_position, std::int64_t>;
  Outputs outputs;
  Size size;

  template <class Inputs>
  MGPU_THRUST_DEVICE static std::int64_t needles(const Inputs& inputs)
  {
    return detail::needles_of<Bisection>(inputs.a_count, inputs.b_count);
  }
  template <class Inputs, class Compare>
  MGPU_THRUST_DEVICE found_element<index_type> find(const Inputs& inputs, std::int64_t i, Compare& comp) const
  {
    if (Bisection::needles_are_a(inputs.a_count, inputs.b_count))
    {
      const std::int64_t match = detail::match_of(inputs.a, i, inputs.b, inputs.b_count, comp);
      return {(match >= 0) == !Operation::keeps_unmatched_a, index_of(i, match)};
    }
    const std::int64_t match = detail::match_of(inputs.b, i, inputs.a, inputs.a_count, comp);
    return {match >= 0, index_of(match, i)};
  }
  template <class Inputs>
  MGPU_THRUST_DEVICE std::int64_t max_kept(const Inputs& inputs) const
  {
    return detail::max_kept(Operation{}, inputs);
  }
  template <class Inputs>
  MGPU_THRUST_DEVICE void write(const Inputs& inputs, const index_type& i, std::int64_t to) const
  {
    if constexpr (combines)
    {
      *(outputs.keys + to) = detail::element(inputs.a, i.i);
      outputs.values.write(
        outputs.values.values + to, detail::element(inputs.a_values, i.i), detail::element(inputs.b_values, i.j));
    }
    else
    {
      *(outputs.keys + to) = detail::element(inputs.a, i);
    }
    if constexpr (has_values<decltype(Outputs::values)> && !combines)
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

private:
  /// The index of element i of A, which matches element j of B.
  MGPU_THRUST_DEVICE static index_type index_of(std::int64_t i, [[maybe_unused]] std::int64_t j)
  {
    if constexpr (combines)
    {
      return {i, j};
    }
    else
    {
      return i;
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
