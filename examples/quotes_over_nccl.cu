// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#define EXAMPLE_OVER_NCCL        // with EXAMPLE_OVER_MPI, too, mpirun starts the processes
#include "quotes_over_ranks.cpp" // the same program, with ranks that are processes with a GPU each
