// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Common code of the examples: the name of the system, exiting if there is no GPU or a CUDA call fails, and printing
/// numbers in rows.

#include <thrust/execution_policy.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace example
{

/// The exit code of an example that could not run; CTest counts such a test as skipped.
inline constexpr int exit_code_skipped = 77;

/// Exits the program if it was compiled for CUDA and there is no device. Call it first in main.
inline void skip_without_device()
{
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
  int device_count = 0;
  if (cudaGetDeviceCount(&device_count) != cudaSuccess || device_count == 0)
  {
    std::printf("no CUDA device, skipped\n");
    std::exit(exit_code_skipped);
  }
#endif
}

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
/// Exits the program if a CUDA call failed.
inline void check_cuda(cudaError_t error)
{
  if (error != cudaSuccess)
  {
    std::printf("CUDA error: %s\n", cudaGetErrorString(error));
    std::exit(EXIT_FAILURE);
  }
}
#endif

/// Returns the name of the system or device that thrust::device uses in this program.
inline std::string device_system_name()
{
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
  int device = 0;
  cudaDeviceProp properties{};
  if (cudaGetDevice(&device) != cudaSuccess || cudaGetDeviceProperties(&properties, device) != cudaSuccess)
  {
    return "CUDA";
  }
  return std::string("CUDA, ") + properties.name;
#elif THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_OMP
  return "CPU, OpenMP";
#elif THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_TBB
  return "CPU, TBB";
#else
  return "CPU, one thread";
#endif
}

/// Prints a title, then a host array, ten numbers a row. Each row starts with the index of its first number.
template <class Array>
void print_rows(const char* title, const Array& numbers)
{
  constexpr std::size_t row_length = 10;
  std::printf("%s:\n", title);
  for (std::size_t row = 0; row < numbers.size(); row += row_length)
  {
    std::printf("%5zu: ", row);
    for (std::size_t i = row; i < numbers.size() && i < row + row_length; ++i)
    {
      std::printf(" %4d", numbers[i]);
    }
    std::printf("\n");
  }
  std::printf("\n");
}

/// Prints a title and a host array on one line.
template <class Array>
void print_line(const char* title, const Array& numbers)
{
  std::printf("%-34s", title);
  for (const int number : numbers)
  {
    std::printf(" %d", number);
  }
  std::printf("\n");
}

} // namespace example
