// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The segments of the benchmarks: their lengths and offsets.

#include "harness.h"

#include <thrust/binary_search.h>
#include <thrust/scan.h>
#include <thrust/tabulate.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace mgpu_benchmark
{

/// The only form of operations on segments.
struct segments_form
{
  static constexpr const char* name = "segments";
};

/// A named distribution of the lengths of segments.
struct segment_lengths
{
  std::string name;
  std::int64_t mean;      ///< mean of lengths random in [1, 2 * mean - 1], or one of the constants below
  bool are_equal = false; ///< all lengths are the mean

  static constexpr std::int64_t power_law = -1;    ///< more than half of the segments are empty, few are very long
  static constexpr std::int64_t one_segment = -2;  ///< one segment of all items
  static constexpr std::int64_t mostly_empty = -3; ///< 31 of 32 segments are empty, about as many as there are items
};

/// Makes random lengths, mean_N, or equal ones, equal_N, where N is a number as of --n, such as 64 or 2^6.
inline std::optional<segment_lengths> make_input(const segment_lengths&, const std::string& name)
{
  const bool are_equal = name.rfind("equal_", 0) == 0;
  if (are_equal || name.rfind("mean_", 0) == 0)
  {
    try
    {
      const std::int64_t mean = parse_count(name.substr(name.find('_') + 1));
      const bool is_length = mean > 0 && mean <= std::int64_t{1} << 32;
      return is_length ? std::optional(segment_lengths{name, mean, are_equal}) : std::nullopt;
    }
    catch (const std::exception&) // no number: an unknown name like others
    {
    }
  }
  return std::nullopt;
}

/// Returns the length of a segment from its index: the same on every machine.
struct length_of_segment
{
  std::int64_t mean;
  bool are_equal;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t segment) const
  {
    if (are_equal)
    {
      return mean;
    }
    const std::uint64_t bits = random_bits(static_cast<std::uint64_t>(segment)) >> 32;
    if (mean == segment_lengths::power_law)
    {
      return by_power_law(bits);
    }
    if (mean == segment_lengths::mostly_empty)
    {
      return bits % 32 == 0 ? 1 + static_cast<std::int64_t>(bits / 32 % 63) : 0;
    }
    return 1 + static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(2 * mean - 1));
  }

private:
  /// floor(u^(-1 / 1.2)) - 1, at most 2^24, for u uniform in (0, 1).
  MGPU_THRUST_HOST_DEVICE static std::int64_t by_power_law(std::uint64_t bits)
  {
    const double u = (static_cast<double>(bits) + 1) / 4294967297.0;
    // Find the largest k with k^6 u^5 <= 1: not all machines round powers alike, but they do products.
    const auto is_reached = [u](double k) { return (k * k) * (k * k) * (k * k) * (u * u) * (u * u) * u <= 1; };
    double k = std::floor(std::pow(u, -1 / 1.2));
    while (!is_reached(k))
    {
      k -= 1;
    }
    while (is_reached(k + 1))
    {
      k += 1;
    }
    const double most = 16777216;
    return static_cast<std::int64_t>(k - 1 < most ? k - 1 : most);
  }
};

/// Returns the offsets of the segments that start within the n items; the last segment has the remaining items.
template <class Machine>
auto make_offsets(Machine& machine, const segment_lengths& lengths, std::int64_t n) ->
  typename Machine::template vector<std::int32_t>
{
  using indices = typename Machine::template vector<std::int32_t>;
  if (n == 0 || lengths.mean == segment_lengths::one_segment)
  {
    return indices(n == 0 ? 0 : 1);
  }
  const auto policy = machine.policy();
  std::int64_t guess = std::max<std::int64_t>(n / std::max<std::int64_t>(lengths.mean, 1) / 10 * 11, 1000);
  for (;; guess *= 2)
  {
    typename Machine::template vector<std::int64_t> starts(guess);
    const auto first = pointer_to(starts);
    const auto last = first + guess;
    thrust::tabulate(policy, first, last, length_of_segment{lengths.mean, lengths.are_equal});
    thrust::exclusive_scan(policy, first, last, first);
    const std::int64_t segments = thrust::lower_bound(policy, first, last, n) - first;
    if (segments < guess)
    {
      return indices(starts.begin(), starts.begin() + segments);
    }
  }
}

/// One operation on lengths and `n` elements. All operations of a form and a type have the same inputs.
template <class OperationType, class FormType, class Lengths>
struct problem_of_lengths
{
  using operation = OperationType;
  using form = FormType;

  Lengths lengths;
  std::int64_t n;
  std::string type;

  /// Names the inputs.
  std::string input_name() const
  {
    return std::string(form::name) + "/" + type + "/" + lengths.name + "/n:" + std::to_string(n);
  }
  std::string name() const
  {
    return std::string(operation::name) + "/" + input_name();
  }
};

/// One operation on `n` items in segments, with these data.
template <template <class, class> class DataType, class OperationType, class ItemType>
struct segmented_problem : problem_of_lengths<OperationType, segments_form, segment_lengths>
{
  using op = ItemType; ///< the operator, which defines the items, or the items' type
  template <class Machine>
  using data = DataType<Machine, ItemType>;
};

} // namespace mgpu_benchmark
