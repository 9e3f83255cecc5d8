// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Set operations on multisets: sorted arrays in which a key may occur several times.
//
// You learn how to call a set operation on device vectors, how large to make its output, and how copies are counted:
// a key with m copies in A and n in B has min(m, n) in the intersection and |m - n| in the symmetric difference. For
// example, 16 occurs four times in A and twice in B, hence twice in both results.
//
// The two arrays are those of the multiset-keys demonstration in S. Baxter: Modern GPU, "Multisets" (2013).

#include <mgpu_thrust/set_operations.h>

#include "example_support.h"

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>

#include <algorithm>
#include <vector>

const std::vector<int> a_numbers{1,  1,  3,  5,  7,  7,  8,  9,  10, 10, 10, 11, 12, 13, 14, 15, 16, 16, 16, 16,
                                 17, 18, 19, 20, 21, 21, 25, 25, 28, 29, 29, 29, 31, 31, 31, 31, 32, 33, 33, 35,
                                 36, 38, 39, 40, 40, 42, 44, 45, 46, 47, 47, 51, 51, 53, 53, 53, 55, 55, 56, 57,
                                 58, 59, 59, 59, 60, 61, 62, 62, 63, 63, 64, 68, 68, 70, 70, 72, 73, 73, 75, 78,
                                 79, 82, 82, 83, 84, 85, 85, 85, 86, 87, 89, 91, 91, 91, 92, 95, 97, 98, 98, 98};

const std::vector<int> b_numbers{1,  2,  2,  3,  5,  6,  6,  9,  9,  10, 10, 10, 11, 12, 12, 12, 13, 13, 15, 16,
                                 16, 17, 17, 18, 21, 21, 22, 24, 25, 25, 29, 29, 31, 32, 32, 32, 33, 35, 35, 37,
                                 39, 39, 40, 41, 41, 42, 42, 44, 45, 46, 46, 47, 48, 49, 50, 50, 51, 52, 52, 53,
                                 54, 54, 54, 55, 56, 57, 59, 60, 65, 65, 66, 66, 66, 67, 68, 68, 70, 72, 74, 74,
                                 74, 74, 74, 75, 76, 76, 80, 82, 89, 89, 90, 92, 92, 93, 93, 95, 95, 96, 97, 98};

int main()
{
  example::skip_without_device();
  const thrust::device_vector<int> a(a_numbers.begin(), a_numbers.end());
  const thrust::device_vector<int> b(b_numbers.begin(), b_numbers.end());

  // The output has room for the largest possible result; the call returns the end of the actual result.
  thrust::device_vector<int> intersection(std::min(a.size(), b.size()));
  const auto intersection_end =
    mgpu::set_intersection(thrust::device, a.begin(), a.end(), b.begin(), b.end(), intersection.begin());
  intersection.erase(intersection_end, intersection.end());

  thrust::device_vector<int> difference(a.size() + b.size());
  const auto difference_end =
    mgpu::set_symmetric_difference(thrust::device, a.begin(), a.end(), b.begin(), b.end(), difference.begin());
  difference.erase(difference_end, difference.end());

  example::print_rows("A", a_numbers);
  example::print_rows("B", b_numbers);
  example::print_rows("Intersection", thrust::host_vector<int>(intersection));
  example::print_rows("Symmetric difference", thrust::host_vector<int>(difference));
  return 0;
}
