// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Which kernels operations on pairs of lists run on a GPU. The comments of the paths are the table "What runs when" of
/// docs/how-it-works.md.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/segmented_sets/tuning.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Operations on pairs of lists. The elements of the shorter list of a pair are its needles, the longer one is the haystack.
enum class segmented_sets_path
{
  short_lists,
  long_lists
};

/// The work of a pair in units, each of which a thread takes: chunks of a merge, or needles.
struct pair_units
{
  bool is_merged;
  std::int64_t units;
};

/// Returns the work of a pair.
MGPU_THRUST_HOST_DEVICE constexpr pair_units choose_pair_units(std::int64_t needles, std::int64_t haystack)
{
  constexpr int chunk = segmented_sets_shape::chunk;
  const std::int64_t steps = needles + haystack;
  const bool is_merged = steps <= chunk || haystack / max_merged_ratio < needles;
  // A division of 32 bits where it is enough is a fraction of the instructions.
  const std::int64_t rounded = steps + chunk - 1;
  const std::int64_t chunks = (rounded >> 32) == 0 ? static_cast<std::uint32_t>(rounded) / std::uint32_t{chunk} : rounded / chunk;
  return {is_merged, needles == 0 ? 0 : is_merged ? chunks : needles};
}

/// Returns the path of a pair.
MGPU_THRUST_HOST_DEVICE constexpr segmented_sets_path choose_segmented_sets_path(std::int64_t units)
{
  return units <= max_short_units ? segmented_sets_path::short_lists : segmented_sets_path::long_lists;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
