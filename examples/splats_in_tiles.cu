// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#include "splats_in_tiles.cpp" // the same program, compiled for the GPU
