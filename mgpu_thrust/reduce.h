// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup reduce Thrust's reductions
/// Thrust's reductions under this library's name. They are Thrust's own functions, brought here by using-declarations:
/// Thrust and CUB already reduce at the speed of memory, so there is no need for others. Thrust's documentation
/// specifies what they compute, accept, throw and wait for, and their overloads, with a policy and without.
///
/// - `reduce`: the sum, or another associative operation's result, of a range
/// - `reduce_by_key`: the same for each run of equal keys
/// - `transform_reduce`: the same for the results of a function of the elements
///
/// @code{.cpp}
/// const std::vector<int> numbers{3, 1, 4, 1, 5};
/// assert(mgpu::reduce(thrust::host, numbers.begin(), numbers.end()) == 14);
/// assert(mgpu::reduce(thrust::host, numbers.begin(), numbers.end(), 0, thrust::maximum<int>{}) == 5);
/// @endcode
///
/// @since 1.0

#include <mgpu_thrust/detail/base/config.h>

#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>

MGPU_THRUST_NAMESPACE_BEGIN

using thrust::reduce;
using thrust::reduce_by_key;
using thrust::transform_reduce;

MGPU_THRUST_NAMESPACE_END
