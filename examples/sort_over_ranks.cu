// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#include "sort_over_ranks.cpp" // the same program, compiled for a GPU, which all ranks share
