// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The sum of two sparse matrices in CSR: C = alpha A + beta B.
//
// You learn how one call adds all rows. Row i of A and row i of B are a pair of sorted lists of columns, and row i of C
// is their union: where both have a column, the values are added, else the one value is kept. The offsets of the result
// are the row starts of C, so the call makes a finished CSR matrix. Transform iterators multiply by alpha and beta as
// values are read. The lengths of rows may differ as they like: here most have ten to a hundred elements, and one is
// full.
//
// The element-wise product is the intersection of the rows. Both results are compared with those of dense matrices.

#include <mgpu_thrust/segmented_set_operations.h>

#include "example_support.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/transform_iterator.h>

#include <cuda/std/functional>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <random>
#include <vector>

constexpr int matrix_rows = 2000;
constexpr int matrix_columns = 500;

/// A sparse matrix: row i has the columns and values from row_starts[i] to row_starts[i + 1].
struct csr_matrix
{
  thrust::device_vector<int> row_starts;
  thrust::device_vector<int> columns;
  thrust::device_vector<double> values;
};

/// Returns x times a number.
struct scaled_by
{
  double factor;

  MGPU_THRUST_HOST_DEVICE double operator()(double x) const
  {
    return factor * x;
  }
};

/// Makes a matrix of small integers. Row `full_row` has all columns, others have some, few of them many.
csr_matrix make_csr_matrix(unsigned seed, int full_row)
{
  std::mt19937 random(seed);
  std::vector<int> row_starts{0};
  std::vector<int> columns;
  std::vector<double> values;
  for (int i = 0; i < matrix_rows; ++i)
  {
    const unsigned kept = i == full_row ? 1u : 4u + random() % 96u; // a column in so many
    for (int j = 0; j < matrix_columns; ++j)
    {
      if (random() % kept == 0)
      {
        columns.push_back(j);
        values.push_back(1.0 + random() % 9u);
      }
    }
    row_starts.push_back(static_cast<int>(columns.size()));
  }
  return {
    thrust::device_vector<int>(row_starts.begin(), row_starts.end()),
    thrust::device_vector<int>(columns.begin(), columns.end()),
    thrust::device_vector<double>(values.begin(), values.end())};
}

/// Returns alpha a + beta b.
csr_matrix add_matrices(double alpha, const csr_matrix& a, double beta, const csr_matrix& b)
{
  const std::size_t room = a.columns.size() + b.columns.size();
  csr_matrix c{
    thrust::device_vector<int>(matrix_rows + 1), thrust::device_vector<int>(room), thrust::device_vector<double>(room)};
  const auto end = mgpu::segmented_set_union_by_key(
    thrust::device, a.columns.begin(), a.row_starts.begin(), a.row_starts.begin() + 1, b.columns.begin(),
    b.row_starts.begin(), b.row_starts.begin() + 1, matrix_rows,
    thrust::make_transform_iterator(a.values.begin(), scaled_by{alpha}),
    thrust::make_transform_iterator(b.values.begin(), scaled_by{beta}), c.columns.begin(), c.values.begin(),
    c.row_starts.begin(), cuda::std::less<>{}, cuda::std::plus<>{});
  c.columns.erase(end.first, c.columns.end());
  c.values.erase(end.second, c.values.end());
  return c;
}

/// Returns the product of each element of a with that of b.
csr_matrix multiply_elements(const csr_matrix& a, const csr_matrix& b)
{
  const std::size_t room = std::min(a.columns.size(), b.columns.size());
  csr_matrix c{
    thrust::device_vector<int>(matrix_rows + 1), thrust::device_vector<int>(room), thrust::device_vector<double>(room)};
  const auto end = mgpu::segmented_set_intersection_by_key(
    thrust::device, a.columns.begin(), a.row_starts.begin(), a.row_starts.begin() + 1, b.columns.begin(),
    b.row_starts.begin(), b.row_starts.begin() + 1, matrix_rows, a.values.begin(), b.values.begin(), c.columns.begin(),
    c.values.begin(), c.row_starts.begin(), cuda::std::less<>{}, cuda::std::multiplies<>{});
  c.columns.erase(end.first, c.columns.end());
  c.values.erase(end.second, c.values.end());
  return c;
}

/// Returns the elements of a matrix, row by row, with zeros where it has none.
std::vector<double> make_dense(const csr_matrix& m)
{
  std::vector<int> row_starts(m.row_starts.size());
  std::vector<int> columns(m.columns.size());
  std::vector<double> values(m.values.size());
  thrust::copy(m.row_starts.begin(), m.row_starts.end(), row_starts.begin());
  thrust::copy(m.columns.begin(), m.columns.end(), columns.begin());
  thrust::copy(m.values.begin(), m.values.end(), values.begin());
  std::vector<double> all(static_cast<std::size_t>(matrix_rows) * matrix_columns);
  for (int i = 0; i < matrix_rows; ++i)
  {
    for (int k = row_starts[i]; k < row_starts[i + 1]; ++k)
    {
      all[static_cast<std::size_t>(i) * matrix_columns + columns[k]] = values[k];
    }
  }
  return all;
}

int main()
{
  example::skip_without_device();
  const double alpha = 0.5; // results are exact, on every system
  const double beta = -2.0;
  const csr_matrix a = make_csr_matrix(1, 700);
  const csr_matrix b = make_csr_matrix(2, 1900);
  const csr_matrix sum = add_matrices(alpha, a, beta, b);
  const csr_matrix product = multiply_elements(a, b);

  std::printf("%d x %d elements, of which are stored\n", matrix_rows, matrix_columns);
  const auto print = [](const char* name, const csr_matrix& m)
  {
    const int stored = m.row_starts.back();
    const int in_full_row = m.row_starts[701] - m.row_starts[700];
    std::printf("%-16s %6d, of them in row 700 %4d\n", name, stored, in_full_row);
  };
  print("A", a);
  print("B", b);
  print("A / 2 - 2 B", sum);
  print("A * B", product);

  const std::vector<double> of_a = make_dense(a);
  const std::vector<double> of_b = make_dense(b);
  const std::vector<double> of_sum = make_dense(sum);
  const std::vector<double> of_product = make_dense(product);
  int wrong = 0;
  for (std::size_t i = 0; i < of_a.size(); ++i)
  {
    wrong += of_sum[i] != alpha * of_a[i] + beta * of_b[i] ? 1 : 0;
    wrong += of_product[i] != of_a[i] * of_b[i] ? 1 : 0;
  }
  std::printf("Dense matrices %s\n", wrong == 0 ? "agree" : "DISAGREE");
  return wrong == 0 ? 0 : 1;
}
