// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "multiset_keys.cpp" // the same program, compiled for the GPU
