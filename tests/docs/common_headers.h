// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// What a piece of code in the documentation may use without saying so.

#if MGPU_THRUST_HAS_TBB
#  include <thrust/system/tbb/execution_policy.h>
#endif

#include <mgpu_thrust/distributed.h>
#include <mgpu_thrust/mgpu_thrust.h>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/system/omp/execution_policy.h>
#include <thrust/transform.h>
#include <thrust/unique.h>
#if defined(__CUDACC__)
#  include <thrust/system/cuda/execution_policy.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <complex>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
