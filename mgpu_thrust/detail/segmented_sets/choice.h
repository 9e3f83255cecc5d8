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

/// Operations on pairs of lists. Each pair takes its path by its sizes, which the device alone knows. Needles are the elements
/// of the shorter list, each of which is searched for in the longer one, the haystack.
enum class segmented_sets_path
{
  merged,
  searched,
  long_merged,
  long_searched
};

/// Returns the path of a pair that has as many needles, and elements in its haystack.
MGPU_THRUST_HOST_DEVICE constexpr segmented_sets_path
choose_segmented_sets_path(std::int64_t needles, std::int64_t haystack)
{
  constexpr int chunk = segmented_sets_shape::items_per_thread;
  const std::int64_t steps = needles + haystack;
  if (steps <= chunk || haystack / max_merged_ratio < needles)
  {
    return steps <= max_short_needles * chunk ? segmented_sets_path::merged : segmented_sets_path::long_merged;
  }
  return needles <= max_short_needles ? segmented_sets_path::searched : segmented_sets_path::long_searched;
}

/// Whether the first kernel queues pairs of a path for the second one.
MGPU_THRUST_HOST_DEVICE constexpr bool is_queued(segmented_sets_path path)
{
  return path == segmented_sets_path::long_merged || path == segmented_sets_path::long_searched;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
