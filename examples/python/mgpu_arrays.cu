// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#include "mgpu_arrays.cpp" // the same module, compiled for arrays on the GPU too
