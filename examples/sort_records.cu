// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sort_records.cpp" // the same program, compiled for the GPU
