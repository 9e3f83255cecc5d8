// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sorted_search_demo.cpp" // the same program, compiled for the GPU
