// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#define EXAMPLE_OVER_GPUS
#include "sort_over_ranks.cpp" // the same program, with a rank on each GPU, over NCCL
