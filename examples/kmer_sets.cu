// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kmer_sets.cpp" // the same program, compiled for the GPU
