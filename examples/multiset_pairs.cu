// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "multiset_pairs.cpp" // the same program, compiled for the GPU
