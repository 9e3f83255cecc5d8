// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fancy_iterators.cpp" // the same program, compiled for the GPU
