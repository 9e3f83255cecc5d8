// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Jagged tensors, as recommenders have them: a row for each user, of as many values as this user has.
//
// You learn what one call does with all rows of a batch, however their lengths differ. A jagged tensor is its values,
// row after row, and n + 1 offsets of n rows:
//   permute       rows, as when features are exchanged: mgpu::interval_gather
//   pool          the sum of each row: mgpu::segmented_reduce
//   filter        the values that a predicate keeps, and the offsets of what is left of each row:
//                 mgpu::segmented_copy_if
//   concatenate   the rows of two tensors, row by row: mgpu::interval_scatter, twice
// Today a warp takes a row: then one long row keeps its warp busy when all others are done, and a short one leaves most
// lanes of a warp idle. The calls divide values instead of rows.
//
// A tensor with a power law of lengths is compared with plain loops.
//
// Usage: jagged_tensors, or jagged_tensors --time=2^24, for a table of times beside a warp a row (on a CPU a loop).

#include <mgpu_thrust/interval.h>
#include <mgpu_thrust/segmented_compact.h>
#include <mgpu_thrust/segmented_reduce.h>

#include "example_support.h"
#include "jagged_tensor.h"
#include "rows_by_warps.h"
#include "whole_jobs.h"

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>
#include <thrust/zip_function.h>

#include <cuda/std/functional>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

namespace jagged_tensors
{

using example::offset;
using example::offset_vector;
using example::raw;
using example::tensor;
using example::value_vector;

/// Returns the length of a row.
struct length_of
{
  const offset* offsets;

  MGPU_THRUST_HOST_DEVICE offset operator()(offset row) const
  {
    return offsets[row + 1] - offsets[row];
  }
};

struct is_kept
{
  MGPU_THRUST_HOST_DEVICE bool operator()(float value) const
  {
    return value >= 8;
  }
};

// ---- Offsets of results, which the calls need, and those of today too ----

/// Returns a tensor whose row r will be row order[r] of the input.
tensor make_permuted(const tensor& in, const offset_vector& order)
{
  tensor result{offset_vector(in.offsets.size()), value_vector(in.values.size())};
  example::scan_lengths(thrust::make_transform_iterator(order.begin(), length_of{raw(in.offsets)}), result.offsets);
  return result;
}

/// Returns a tensor whose row r will be row r of A followed by row r of B.
tensor make_concatenated(const tensor& a, const tensor& b)
{
  tensor result{offset_vector(a.offsets.size()), value_vector(a.values.size() + b.values.size())};
  thrust::transform(
    thrust::device, a.offsets.begin(), a.offsets.end(), b.offsets.begin(), result.offsets.begin(),
    cuda::std::plus<offset>{}); // the scan of a sum is the sum of the scans
  return result;
}

// ---- The calls ----

struct our_calls
{
  static void permute(const tensor& in, const offset_vector& order, tensor& out)
  {
    mgpu::interval_gather(
      thrust::device, in.values.size(), out.offsets.begin(), out.offsets.end() - 1,
      thrust::make_permutation_iterator(in.offsets.begin(), order.begin()), in.values.begin(), out.values.begin());
  }
  static void pool(const tensor& in, value_vector& sums)
  {
    mgpu::segmented_reduce(
      thrust::device, in.values.begin(), in.values.end(), in.offsets.begin(), in.offsets.end() - 1, sums.begin());
  }
  /// Returns the number of values in `out`.
  template <class Predicate>
  static std::int64_t filter(const tensor& in, tensor& out, Predicate pred)
  {
    return mgpu::segmented_copy_if(
             thrust::device, in.values.begin(), in.values.end(), in.offsets.begin(), in.offsets.end() - 1,
             out.values.begin(), out.offsets.begin(), pred)
           - out.values.begin();
  }
  static void concatenate(const tensor& a, const tensor& b, tensor& out)
  {
    // A row of B goes after the rows of A up to the same row, and the rows of B before it.
    const auto b_places = thrust::make_transform_iterator(
      thrust::make_zip_iterator(a.offsets.begin() + 1, b.offsets.begin()),
      thrust::make_zip_function(cuda::std::plus<offset>{}));
    mgpu::interval_scatter(
      thrust::device, a.values.size(), a.offsets.begin(), a.offsets.end() - 1, out.offsets.begin(), a.values.begin(),
      out.values.begin());
    mgpu::interval_scatter(
      thrust::device, b.values.size(), b.offsets.begin(), b.offsets.end() - 1, b_places, b.values.begin(),
      out.values.begin());
  }
};

// ---- Tensors, plain loops, and times ----

/// Two tensors, and an order of their rows.
struct batch
{
  tensor a, b;
  offset_vector order;

  /// Rows have this length, or lengths by a power law if it is 0.
  batch(std::int64_t num_rows, offset length)
      : a(example::make_tensor(num_rows, length, 1))
      , b(example::make_tensor(num_rows, length, 2))
  {
    std::vector<offset> rows(num_rows);
    for (std::int64_t row = 0; row < num_rows; ++row)
    {
      rows[row] = static_cast<offset>(row * 2654435761 % num_rows); // the factor is a prime: each row once
    }
    order = offset_vector(rows.begin(), rows.end());
  }
};

using rows = std::vector<std::vector<float>>;

rows rows_of(const tensor& in)
{
  const std::vector<offset> offsets = example::to_host(in.offsets);
  const std::vector<float> values = example::to_host(in.values);
  rows result;
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row)
  {
    result.emplace_back(values.begin() + offsets[row], values.begin() + offsets[row + 1]);
  }
  return result;
}

/// Compares the results of calls with those of plain loops.
template <class Calls>
bool check(const char* name, const batch& in)
{
  const rows a = rows_of(in.a), b = rows_of(in.b);
  const std::vector<offset> order = example::to_host(in.order);
  rows permuted_rows, kept_rows, concatenated_rows;
  std::vector<float> row_sums;
  for (std::size_t row = 0; row < a.size(); ++row)
  {
    permuted_rows.push_back(a[order[row]]);
    row_sums.push_back(std::accumulate(a[row].begin(), a[row].end(), 0.0f));
    kept_rows.emplace_back();
    std::copy_if(a[row].begin(), a[row].end(), std::back_inserter(kept_rows.back()), is_kept{});
    concatenated_rows.push_back(a[row]);
    concatenated_rows.back().insert(concatenated_rows.back().end(), b[row].begin(), b[row].end());
  }

  tensor permuted = make_permuted(in.a, in.order), concatenated = make_concatenated(in.a, in.b), kept = in.a;
  value_vector sums(in.a.num_rows());
  Calls::permute(in.a, in.order, permuted);
  Calls::pool(in.a, sums);
  kept.values.resize(Calls::filter(in.a, kept, is_kept{}));
  Calls::concatenate(in.a, in.b, concatenated);
  const auto report = [name](const char* what, std::size_t size, bool is_right)
  {
    std::printf("  %-16s %-12s %7zu values, %s\n", name, what, size, is_right ? "as plain loops" : "WRONG");
    return is_right;
  };
  bool is_right = report("permuted", permuted.values.size(), rows_of(permuted) == permuted_rows);
  is_right &= report("pooled", sums.size(), example::to_host(sums) == row_sums);
  is_right &= report("filtered", kept.values.size(), rows_of(kept) == kept_rows);
  is_right &= report("concatenated", concatenated.values.size(), rows_of(concatenated) == concatenated_rows);
  return is_right;
}

bool answer(const std::string& /* argument */)
{
  const batch in(20000, 0);
  std::printf("%lld rows of %zu values\n", static_cast<long long>(in.a.num_rows()), in.a.values.size());
  const bool is_right = check<our_calls>("all at once", in);
  return check<example::rows_by_warps>("row by row", in) && is_right;
}

/// Prints times for about `size` values.
void print_table(std::int64_t size)
{
  example::print_times_head("a warp a row, or a loop of a CPU");
  for (const offset length : {0, 64})
  {
    const batch in(size / (length > 0 ? length : 12), length);
    const std::string of = length > 0 ? ", rows of 64" : ", a power law";
    tensor permuted = make_permuted(in.a, in.order), concatenated = make_concatenated(in.a, in.b), kept = in.a;
    value_vector sums(in.a.num_rows());
    const auto print = [&of](const char* what, auto call)
    { example::print_times((what + of).c_str(), call, our_calls{}, example::rows_by_warps{}); };
    print("permute", [&](auto calls) { calls.permute(in.a, in.order, permuted); });
    print("pool", [&](auto calls) { calls.pool(in.a, sums); });
    print("filter", [&](auto calls) { calls.filter(in.a, kept, is_kept{}); });
    print("concatenate", [&](auto calls) { calls.concatenate(in.a, in.b, concatenated); });
  }
}

} // namespace jagged_tensors

int main(int argc, char** argv)
{
  return example::run_job(argc, argv, "", jagged_tensors::answer, jagged_tensors::print_table);
}
