// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "page_rank.cpp" // the same program, compiled for the GPU
