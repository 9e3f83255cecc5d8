// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#define EXAMPLE_OVER_MPI
#include "quotes_over_ranks.cpp" // the same program, with ranks that are processes: mpirun -n 3 quotes_over_mpi
