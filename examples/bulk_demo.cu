// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bulk_demo.cpp" // the same program, compiled for the GPU
