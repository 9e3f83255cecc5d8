// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Linked to a program, ends it where there is no device, before its main() starts.

#include <cstdio>
#include <cstdlib>

static const bool has_device = []
{
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
  {
    std::puts("no CUDA device");
    std::exit(EXIT_SUCCESS);
  }
  return true;
}();
