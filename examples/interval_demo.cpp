// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Interval operations: many fills or copies of different lengths in one call, and the search that divides their work.
//
// You learn that intervals are given by their offsets, the exclusive scan of their lengths, and that empty ones are not
// special. Load-balancing search finds the interval of each element; expansion writes the interval's value there. A
// move copies each interval from a position in its input to a position in its output; it is also done by a function of
// this program, which for_each_in_segments calls for every element with its interval and its rank in the interval.
//
// These are the demonstrations in S. Baxter: Modern GPU, "IntervalExpand and IntervalMove" (2013).

#include <mgpu_thrust/interval.h>
#include <mgpu_thrust/load_balance.h>

#include "example_support.h"

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

/// Returns the offsets of intervals that follow one another.
thrust::device_vector<int> make_offsets(const thrust::device_vector<int>& lengths)
{
  thrust::device_vector<int> offsets(lengths.size());
  thrust::exclusive_scan(thrust::device, lengths.begin(), lengths.end(), offsets.begin());
  return offsets;
}

/// Moves one element of an interval between its given positions. The input is the numbers 0, 1, 2, ...
struct move_element
{
  const int* gather;
  const int* scatter;
  int* output;

  MGPU_THRUST_HOST_DEVICE void operator()(std::int64_t, std::int64_t interval, std::int64_t rank) const
  {
    output[scatter[interval] + rank] = gather[interval] + static_cast<int>(rank);
  }
};

void demonstrate_expand()
{
  const thrust::device_vector<int> counts(
    std::vector<int>{2, 5, 7, 16, 0, 1, 0, 0, 14, 10, 3, 14, 2, 1, 11, 2, 1, 0, 5, 6});
  const thrust::device_vector<int> values(
    std::vector<int>{1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597, 2584, 4181, 6765});
  const int total = 100;

  const thrust::device_vector<int> offsets = make_offsets(counts);
  thrust::device_vector<int> segments(total);
  mgpu::load_balancing_search(thrust::device, total, offsets.begin(), offsets.end(), segments.begin());
  thrust::device_vector<int> expanded(total);
  mgpu::interval_expand(thrust::device, total, offsets.begin(), offsets.end(), values.begin(), expanded.begin());

  std::printf("INTERVAL-EXPAND DEMONSTRATION:\n\n");
  example::print_rows("Expand counts", thrust::host_vector<int>(counts));
  example::print_rows("Scan of expand counts", thrust::host_vector<int>(offsets));
  example::print_rows("Load-balancing search", thrust::host_vector<int>(segments));
  example::print_rows("Expand values", thrust::host_vector<int>(values));
  example::print_rows("Expanded data", thrust::host_vector<int>(expanded));
}

void demonstrate_move()
{
  const thrust::device_vector<int> counts(
    std::vector<int>{3, 9, 1, 9, 8, 5, 10, 2, 5, 2, 8, 6, 5, 2, 4, 0, 8, 2, 5, 6});
  const thrust::device_vector<int> gather(
    std::vector<int>{75, 86, 17, 2, 67, 24, 37, 11, 95, 35, 52, 18, 47, 0, 13, 75, 78, 60, 62, 29});
  const thrust::device_vector<int> scatter(
    std::vector<int>{10, 80, 99, 27, 41, 71, 15, 0, 36, 13, 89, 49, 66, 97, 76, 76, 2, 25, 61, 55});
  const int total = 100;

  const thrust::device_vector<int> offsets = make_offsets(counts);
  const thrust::counting_iterator<int> numbers(0); // the input to move, which needs no memory
  thrust::device_vector<int> moved(total);
  mgpu::interval_move(
    thrust::device, total, offsets.begin(), offsets.end(), gather.begin(), scatter.begin(), numbers, moved.begin());

  thrust::device_vector<int> also_moved(total);
  const move_element move{
    thrust::raw_pointer_cast(gather.data()), thrust::raw_pointer_cast(scatter.data()),
    thrust::raw_pointer_cast(also_moved.data())};
  mgpu::for_each_in_segments(thrust::device, total, offsets.begin(), offsets.end(), move);
  if (also_moved != moved)
  {
    std::printf("The function moved elements to other places\n");
    std::exit(EXIT_FAILURE);
  }

  std::printf("INTERVAL-MOVE DEMONSTRATION:\n\n");
  example::print_rows("Interval counts", thrust::host_vector<int>(counts));
  example::print_rows("Interval gather", thrust::host_vector<int>(gather));
  example::print_rows("Interval scatter", thrust::host_vector<int>(scatter));
  example::print_rows("Moved data", thrust::host_vector<int>(moved));
}

int main()
{
  example::skip_without_device();
  demonstrate_expand();
  demonstrate_move();
  return 0;
}
