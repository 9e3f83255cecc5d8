// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The tests that matrix.py compiles with each compiler and each CCCL: the printed results of the articles, and every
// family on every kind of iterator that the CCCL or the standard has.

#include "versions.h"

#include "../test_cuda_iterators.cpp"
#include "../test_golden.cpp"
#include "../test_iterators.cpp"
