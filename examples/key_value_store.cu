// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "key_value_store.cpp" // the same program, compiled for the GPU
