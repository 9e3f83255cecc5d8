// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Which orders have been paid? A search for keys of two columns, in tables that keep each column in an array.
//
// You learn that keys of several columns are zip iterators over the columns, which need not be copied into one array: a
// row is a tuple, and tuples compare column by column. Flags from sorted_contains then select rows with Thrust's
// algorithms.

#include <mgpu_thrust/sorted_search.h>

#include "example_support.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/zip_iterator.h>

#include <cstdio>
#include <vector>

/// A table of two columns, sorted by both: the number of a customer, and the number of one of the customer's orders.
struct order_table
{
  thrust::device_vector<int> customer;
  thrust::device_vector<int> order;

  auto begin() const
  {
    return thrust::make_zip_iterator(customer.begin(), order.begin());
  }
  auto end() const
  {
    return thrust::make_zip_iterator(customer.end(), order.end());
  }
};

int main()
{
  example::skip_without_device();
  const order_table orders{
    std::vector<int>{3, 3, 3, 5, 7, 7, 7, 7, 9, 12, 12}, std::vector<int>{1, 2, 4, 1, 1, 2, 3, 5, 1, 1, 8}};
  const order_table payments{std::vector<int>{3, 3, 5, 7, 7, 12}, std::vector<int>{1, 4, 1, 2, 5, 2}};

  thrust::device_vector<char> is_paid(orders.customer.size());
  mgpu::sorted_contains(
    thrust::device, payments.begin(), payments.end(), orders.begin(), orders.end(), is_paid.begin());

  order_table open_orders{orders.customer, orders.order};
  const auto open_first = thrust::make_zip_iterator(open_orders.customer.begin(), open_orders.order.begin());
  const auto open_last =
    thrust::copy_if(orders.begin(), orders.end(), is_paid.begin(), open_first, thrust::logical_not<char>{});

  std::printf("Open orders (customer, order):");
  const thrust::host_vector<int> customers = open_orders.customer;
  const thrust::host_vector<int> numbers = open_orders.order;
  for (int i = 0; i < open_last - open_first; ++i)
  {
    std::printf(" (%d, %d)", customers[i], numbers[i]);
  }
  std::printf("\n");
  return 0;
}
