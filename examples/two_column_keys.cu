// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "two_column_keys.cpp" // the same program, compiled for the GPU
