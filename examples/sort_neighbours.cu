// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sort_neighbours.cpp" // the same program, compiled for the GPU
