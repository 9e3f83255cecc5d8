// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ragged_arrays.cpp" // the same program, compiled for the GPU
