// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "breadth_first_search.cpp" // the same program, compiled for the GPU
