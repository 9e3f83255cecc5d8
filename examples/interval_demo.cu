// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interval_demo.cpp" // the same program, compiled for the GPU
