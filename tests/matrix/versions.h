// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Asserts that a test is compiled against the versions that matrix.py means, not others that are found first.

#include <cuda/version>

#include <cuda_runtime_api.h>

static_assert(CCCL_VERSION == MGPU_THRUST_MATRIX_CCCL, "another CCCL is found than the one that is meant");
static_assert(CUDART_VERSION == MGPU_THRUST_MATRIX_CUDART, "another CUDA Toolkit is found than the one that is meant");
