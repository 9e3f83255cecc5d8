// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "moderngpu_calls.cpp" // the same program, compiled for the GPU
