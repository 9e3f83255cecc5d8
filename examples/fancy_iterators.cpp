// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Set operations on sequences that are not arrays, and into outputs that are not arrays.
//
// You learn which of Thrust's iterators help: counting, constant and transform iterators as inputs that take no memory;
// a permutation iterator to see unsorted data in sorted order; zip iterators for keys of several columns; and discard,
// transform output and zip iterators as outputs.

#include <mgpu_thrust/set_operations.h>

#include "example_support.h"

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <vector>

/// Multiplies by a number that is known only at run time.
struct multiply
{
  int factor;

  MGPU_THRUST_HOST_DEVICE int operator()(int number) const
  {
    return number * factor;
  }
};

void counting_and_transform_inputs()
{
  // 0, 1, ..., 19 without 0, 3, ..., 18. Neither sequence is in memory.
  const auto numbers = thrust::make_counting_iterator(0);
  const auto multiples_of_3 = thrust::make_transform_iterator(numbers, multiply{3});
  thrust::device_vector<int> result(20);
  const auto end =
    mgpu::set_difference(thrust::device, numbers, numbers + 20, multiples_of_3, multiples_of_3 + 7, result.begin());
  result.erase(end, result.end());
  example::print_line("counting, transform inputs:", thrust::host_vector<int>(result));
}

void constant_input()
{
  // Three copies of 7 remove three of the four copies.
  const thrust::device_vector<int> a = std::vector<int>{5, 7, 7, 7, 7, 9};
  const auto sevens = thrust::make_constant_iterator(7);
  thrust::device_vector<int> result(a.size());
  const auto end = mgpu::set_difference(thrust::device, a.begin(), a.end(), sevens, sevens + 3, result.begin());
  result.erase(end, result.end());
  example::print_line("constant input:", thrust::host_vector<int>(result));
}

void permutation_input_and_discard_output()
{
  // A table that is not sorted by price, and the permutation of its rows that sorts it: rows 1 and 3 cost 10, row 2
  // costs 20, row 0 costs 30. The values of the result are the rows whose price is wanted; their prices are discarded.
  const thrust::device_vector<int> prices = std::vector<int>{30, 10, 20, 10};
  const thrust::device_vector<int> order = std::vector<int>{1, 3, 2, 0};
  const thrust::device_vector<int> wanted = std::vector<int>{10, 10, 30, 40};
  const auto sorted_prices = thrust::make_permutation_iterator(prices.begin(), order.begin());
  thrust::device_vector<int> rows(wanted.size());
  const auto end = mgpu::set_intersection_by_key(
    thrust::device, sorted_prices, sorted_prices + prices.size(), wanted.begin(), wanted.end(), order.begin(),
    thrust::make_discard_iterator(), rows.begin());
  rows.erase(end.second, rows.end());
  example::print_line("permutation input, discard output:", thrust::host_vector<int>(rows));
}

void transform_output()
{
  // The union of two sets, multiplied by 100 as it is written.
  const thrust::device_vector<int> a = std::vector<int>{1, 2, 4};
  const thrust::device_vector<int> b = std::vector<int>{2, 3};
  thrust::device_vector<int> result(a.size() + b.size());
  const auto output = thrust::make_transform_output_iterator(result.begin(), multiply{100});
  const auto end = mgpu::set_union(thrust::device, a.begin(), a.end(), b.begin(), b.end(), output);
  result.resize(end - output);
  example::print_line("transform output:", thrust::host_vector<int>(result));
}

void zip_inputs_and_output()
{
  // Keys of two columns, year and month, in lexicographic order: the default comparator compares tuples that way.
  const thrust::device_vector<int> a_years = std::vector<int>{2021, 2021, 2022, 2023};
  const thrust::device_vector<int> a_months = std::vector<int>{3, 9, 1, 5};
  const thrust::device_vector<int> b_years = std::vector<int>{2021, 2022, 2022, 2023};
  const thrust::device_vector<int> b_months = std::vector<int>{9, 1, 2, 4};
  thrust::device_vector<int> years(8);
  thrust::device_vector<int> months(8);
  const auto a = thrust::make_zip_iterator(a_years.begin(), a_months.begin());
  const auto b = thrust::make_zip_iterator(b_years.begin(), b_months.begin());
  const auto result = thrust::make_zip_iterator(years.begin(), months.begin());
  const auto end = mgpu::set_symmetric_difference(thrust::device, a, a + 4, b, b + 4, result);
  years.resize(end - result);
  months.resize(end - result);
  example::print_line("zip inputs and output, years:", thrust::host_vector<int>(years));
  example::print_line("zip inputs and output, months:", thrust::host_vector<int>(months));
}

int main()
{
  example::skip_without_device();
  counting_and_transform_inputs();
  constant_input();
  permutation_input_and_discard_output();
  transform_output();
  zip_inputs_and_output();
  return 0;
}
