// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Set operations by key: each key has a value.
//
// Here the value of a key is its index, 0 to 99 in A and 100 to 199 in B, so the values printed below show where each
// element of a result comes from. You learn that the values may be any iterator, such as a counting iterator, which
// needs no memory; that an intersection has the first copies of A; and that a symmetric difference has the last copies
// of the side that has more.
//
// The two arrays are those of the multiset-pairs demonstration in S. Baxter: Modern GPU, "Multisets" (2013).

#include <mgpu_thrust/set_operations.h>

#include "example_support.h"

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <vector>

const std::vector<int> a_numbers{0,  1,  1,  2,  3,  6,  6,  8,  11, 11, 14, 17, 18, 18, 20, 22, 22, 22, 24, 25,
                                 26, 27, 27, 31, 31, 31, 32, 33, 33, 34, 35, 35, 37, 37, 38, 39, 39, 40, 41, 41,
                                 42, 43, 44, 44, 44, 47, 50, 52, 56, 56, 57, 57, 57, 60, 62, 63, 63, 63, 64, 64,
                                 64, 65, 66, 67, 67, 68, 71, 72, 73, 75, 76, 76, 77, 78, 79, 81, 81, 82, 84, 85,
                                 85, 86, 86, 88, 89, 90, 91, 91, 91, 92, 92, 92, 93, 95, 95, 95, 98, 99, 99, 99};

const std::vector<int> b_numbers{0,  1,  2,  2,  4,  4,  4,  4,  5,  6,  6,  8,  8,  10, 10, 12, 13, 14, 18, 21,
                                 21, 22, 22, 22, 24, 26, 26, 27, 28, 28, 30, 32, 33, 34, 35, 38, 38, 38, 39, 40,
                                 40, 41, 41, 42, 43, 44, 45, 45, 48, 51, 53, 53, 53, 53, 54, 55, 57, 61, 61, 61,
                                 62, 62, 64, 64, 66, 66, 67, 68, 70, 70, 72, 74, 76, 78, 78, 79, 80, 80, 80, 80,
                                 81, 81, 87, 88, 88, 89, 91, 91, 92, 93, 93, 93, 94, 96, 97, 98, 98, 98, 98, 99};

int main()
{
  example::skip_without_device();
  const thrust::device_vector<int> a(a_numbers.begin(), a_numbers.end());
  const thrust::device_vector<int> b(b_numbers.begin(), b_numbers.end());
  const auto a_indices = thrust::make_counting_iterator(0);
  const auto b_indices = thrust::make_counting_iterator(100);

  // All elements of an intersection come from A, so it takes no values of B.
  thrust::device_vector<int> intersection(std::min(a.size(), b.size()));
  thrust::device_vector<int> intersection_indices(intersection.size());
  const auto intersection_end = mgpu::set_intersection_by_key(
    thrust::device, a.begin(), a.end(), b.begin(), b.end(), a_indices, intersection.begin(),
    intersection_indices.begin());
  intersection.erase(intersection_end.first, intersection.end());
  intersection_indices.erase(intersection_end.second, intersection_indices.end());

  thrust::device_vector<int> difference(a.size() + b.size());
  thrust::device_vector<int> difference_indices(difference.size());
  const auto difference_end = mgpu::set_symmetric_difference_by_key(
    thrust::device, a.begin(), a.end(), b.begin(), b.end(), a_indices, b_indices, difference.begin(),
    difference_indices.begin());
  difference.erase(difference_end.first, difference.end());
  difference_indices.erase(difference_end.second, difference_indices.end());

  example::print_rows("A", a_numbers);
  example::print_rows("B", b_numbers);
  example::print_rows("Intersection keys", thrust::host_vector<int>(intersection));
  example::print_rows("Intersection indices", thrust::host_vector<int>(intersection_indices));
  example::print_rows("Symmetric difference keys", thrust::host_vector<int>(difference));
  example::print_rows("Symmetric difference indices", thrust::host_vector<int>(difference_indices));
  return 0;
}
