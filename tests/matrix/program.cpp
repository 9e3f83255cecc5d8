// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tests that matrix.py compiles with each compiler and each CCCL: the printed results of the articles, and every
// family on every kind of iterator. They are compiled against the versions that are meant, not others that are found
// first.

#include <cuda/version>

#include <cuda_runtime_api.h>

static_assert(CCCL_VERSION == MGPU_THRUST_MATRIX_CCCL, "another CCCL is found than the one that is meant");
static_assert(CUDART_VERSION == MGPU_THRUST_MATRIX_CUDART, "another CUDA Toolkit is found than the one that is meant");

#include "../test_golden.cpp"
#include "../test_iterators.cpp"
