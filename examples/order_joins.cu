// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order_joins.cpp" // the same program, compiled for the GPU
