// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Elements without an order, and no comparator.
// first error: mgpu_thrust: the comparator, operator< if there is none, must be callable with two elements of an input

#include <mgpu_thrust/sort.h>

#include <vector>

struct number
{
  int value;
#if defined(RIGHT_USE)
  friend bool operator<(number x, number y)
  {
    return x.value < y.value;
  }
#endif
};

void sort(std::vector<number>& numbers)
{
  mgpu::sort(thrust::host, numbers.begin(), numbers.end());
}
