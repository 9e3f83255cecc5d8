// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Bulk removal and insertion: many elements taken out of an array, or put in, in one pass.
//
// You learn that indices, positions and values need no memory: here all of them are computed by iterators as they are
// read. Removal takes strictly ascending indices; insertion takes positions in the input array, and inserts each value
// before the element there. The sizes of both results are known beforehand.
//
// These are the demonstrations in S. Baxter: Modern GPU, "Bulk Remove and Bulk Insert" (2013).

#include <mgpu_thrust/bulk.h>

#include "example_support.h"

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/sequence.h>

/// first, first + step, first + 2 * step, ...
struct progression
{
  int first;
  int step;

  MGPU_THRUST_HOST_DEVICE int operator()(int i) const
  {
    return first + i * step;
  }
};

auto make_progression(int first, int step)
{
  return thrust::make_transform_iterator(thrust::make_counting_iterator(0), progression{first, step});
}

int main()
{
  example::skip_without_device();
  thrust::device_vector<int> numbers(100);
  thrust::sequence(numbers.begin(), numbers.end());

  // Remove every third number: 0, 3, ..., 99.
  const int removals = 34;
  const auto indices = make_progression(0, 3);
  thrust::device_vector<int> kept(numbers.size() - removals);
  mgpu::bulk_remove(thrust::device, numbers.begin(), numbers.end(), indices, indices + removals, kept.begin());

  // Insert 1000, 1010, ... before the elements at positions 2, 7, ..., 97.
  const int insertions = 20;
  const auto values = make_progression(1000, 10);
  const auto positions = make_progression(2, 5);
  thrust::device_vector<int> all(numbers.size() + insertions);
  mgpu::bulk_insert(
    thrust::device, numbers.begin(), numbers.end(), values, positions, positions + insertions, all.begin());

  example::print_rows("Numbers", thrust::host_vector<int>(numbers));
  example::print_rows("Every third removed", thrust::host_vector<int>(kept));
  example::print_rows("A new one before every fifth, from the third on", thrust::host_vector<int>(all));
  return 0;
}
