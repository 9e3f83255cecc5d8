// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Macros that headers of others define, those of Windows among them, after the headers of others that the library
// includes. Here each use of one expands to an error.

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>

#include <cuda/std/bit>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#if __has_include(<omp.h>)
#  include <thrust/system/omp/execution_policy.h>
#endif
#if MGPU_THRUST_HAS_TBB
#  include <tbb/parallel_for.h>
#  include <tbb/task_arena.h>
#  include <tbb/task_group.h>

#  include <thrust/system/tbb/execution_policy.h>
#endif
#if defined(__CUDACC__)
#  include <cub/cub.cuh>
#endif

#define near ]
#define far ]
#define min(a, b) ]
#define max(a, b) ]
