// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#include "jagged_tensors.cpp" // the same program, compiled for the GPU
