// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#include "quotes_over_ranks.cpp" // the same program, with ranks that are threads of one GPU
