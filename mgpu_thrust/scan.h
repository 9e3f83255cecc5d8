// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup scan Thrust's scans
/// Thrust's scans, or prefix sums, under this library's name. They are Thrust's own functions, brought here by
/// using-declarations: Thrust and CUB already scan at the speed of memory, so there is no need for others. Thrust's
/// documentation specifies what they compute, accept, throw and wait for, and their overloads, with a policy and
/// without.
///
/// - `exclusive_scan`, `inclusive_scan`: the sums of all elements before each, or up to it
/// - `exclusive_scan_by_key`, `inclusive_scan_by_key`: the same within each run of equal keys
/// - `transform_exclusive_scan`, `transform_inclusive_scan`: the same for the results of a function of the elements
///
/// The offsets of segments, which other headers here require, are the exclusive scan of the segments' sizes:
///
/// @code{.cpp}
/// const std::vector<int> sizes{3, 0, 2};
/// std::vector<int> offsets(3);
/// mgpu::exclusive_scan(thrust::host, sizes.begin(), sizes.end(), offsets.begin());
/// assert((offsets == std::vector<int>{0, 3, 3}));
/// @endcode
///
/// @since 1.0

#include <mgpu_thrust/detail/base/config.h>

#include <thrust/scan.h>
#include <thrust/transform_scan.h>

MGPU_THRUST_NAMESPACE_BEGIN

using thrust::exclusive_scan;
using thrust::exclusive_scan_by_key;
using thrust::inclusive_scan;
using thrust::inclusive_scan_by_key;
using thrust::transform_exclusive_scan;
using thrust::transform_inclusive_scan;

MGPU_THRUST_NAMESPACE_END
