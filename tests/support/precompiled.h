// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The headers of Thrust, GoogleTest and the standard library that most tests include. With
/// MGPU_THRUST_PRECOMPILE_HEADERS they are precompiled once and included before each test. Headers of this library are
/// not here, because tests define different macros before them.

#if MGPU_THRUST_HAS_TBB
#  include <tbb/global_control.h>
#  include <tbb/parallel_for.h>
#  include <tbb/task_arena.h>

#  include <thrust/system/tbb/execution_policy.h>
#endif

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/system/omp/execution_policy.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>
