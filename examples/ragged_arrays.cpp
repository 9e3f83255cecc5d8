// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Ragged arrays: rows of different lengths, as utterances, sentences or lists of neighbours are.
//
// You learn the operations of toolkits for speech and for sparse data on such arrays, each in one or two calls. A
// ragged array is its elements, row after row, and the offset of each row: its row splits. If a new array has other
// lengths, a scan of these gives the new offsets; then one call moves all elements, however long the rows are.
//
//   number     the row of each element (row ids), its index in that row: load_balancing_search, transform_in_segments
//   amplify    each row by its own factor: transform_in_segments, with a value for each row
//   pad        to a rectangle, as batches are: interval_scatter
//   slice      a range of each row: interval_gather
//   reorder    rows, the longest first, say: interval_gather
//   join       two arrays, row by row: interval_scatter, twice
//   window     a range of each row, padded to a rectangle: interval_move
//
// First come small arrays, printed; then large ones with empty rows and one giant, compared with plain loops.

#include <mgpu_thrust/interval.h>
#include <mgpu_thrust/load_balance.h>

#include "example_support.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <cuda/std/functional>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

using elements = thrust::device_vector<int>;
using indices = thrust::device_vector<std::int64_t>;

// ---- A ragged array ----

struct ragged
{
  indices offsets; // the offset of each row, and the end of the last row
  elements data;

  std::int64_t num_rows() const
  {
    return static_cast<std::int64_t>(offsets.size()) - 1;
  }
  std::int64_t num_elements() const
  {
    return static_cast<std::int64_t>(data.size());
  }
  /// The begin of the offsets as mgpu takes them: one for each row.
  auto offsets_begin() const
  {
    return offsets.begin();
  }
  auto offsets_end() const
  {
    return offsets.begin() + num_rows();
  }
};

/// Returns the length of the part of a row from `begin` to `end`.
struct length_of_row
{
  const std::int64_t* offsets;
  std::int64_t begin;
  std::int64_t end;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t row) const
  {
    const std::int64_t length = offsets[row + 1] - offsets[row];
    const std::int64_t last = length < end ? length : end;
    return begin < last ? last - begin : 0;
  }
};

/// Returns an iterator that computes the lengths of the parts from `begin` to `end` of all rows.
auto lengths_of(const ragged& in, std::int64_t begin = 0, std::int64_t end = std::numeric_limits<std::int64_t>::max())
{
  return thrust::make_transform_iterator(
    thrust::make_counting_iterator(std::int64_t{0}),
    length_of_row{thrust::raw_pointer_cast(in.offsets.data()), begin, end});
}

/// Returns the offsets of rows with these lengths.
template <class Lengths>
indices make_offsets(std::int64_t num_rows, Lengths lengths)
{
  indices result(num_rows + 1, 0);
  thrust::inclusive_scan(thrust::device, lengths, lengths + num_rows, result.begin() + 1);
  return result;
}

/// Returns an array with these offsets, whose elements are not set yet.
ragged make_ragged(const indices& offsets)
{
  return {offsets, elements(offsets.back())};
}

/// Returns the offset of a row of a rectangle.
struct times
{
  std::int64_t width;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t row) const
  {
    return row * width;
  }
};

auto rectangle_offsets(std::int64_t width)
{
  return thrust::make_transform_iterator(thrust::make_counting_iterator(std::int64_t{0}), times{width});
}

// ---- Operations on ragged arrays ----

/// Returns the row of each element.
indices row_ids(const ragged& in)
{
  indices result(in.num_elements());
  mgpu::load_balancing_search(thrust::device, in.num_elements(), in.offsets_begin(), in.offsets_end(), result.begin());
  return result;
}

struct rank_of_item
{
  MGPU_THRUST_HOST_DEVICE std::int64_t
  operator()(std::int64_t /* item */, std::int64_t /* row */, std::int64_t rank) const
  {
    return rank;
  }
};

/// Returns the index of each element in its row.
indices indices_in_rows(const ragged& in)
{
  indices result(in.num_elements());
  mgpu::transform_in_segments(
    thrust::device, in.num_elements(), in.offsets_begin(), in.offsets_end(), result.begin(), rank_of_item{});
  return result;
}

struct multiply
{
  const int* data;

  MGPU_THRUST_HOST_DEVICE int
  operator()(std::int64_t item, std::int64_t /* row */, std::int64_t /* rank */, int factor) const
  {
    return data[item] * factor;
  }
};

/// Returns each row times its factor.
ragged amplify(const ragged& in, const elements& factors)
{
  ragged result{in.offsets, elements(in.num_elements())};
  mgpu::transform_in_segments(
    thrust::device, in.num_elements(), in.offsets_begin(), in.offsets_end(), factors.begin(), result.data.begin(),
    multiply{thrust::raw_pointer_cast(in.data.data())});
  return result;
}

/// Returns a rectangle, row after row, whose rows are padded with `filler`. No row may be longer than `width`.
elements pad(const ragged& in, std::int64_t width, int filler)
{
  elements result(in.num_rows() * width, filler);
  mgpu::interval_scatter(
    thrust::device, in.num_elements(), in.offsets_begin(), in.offsets_end(), rectangle_offsets(width), in.data.begin(),
    result.begin());
  return result;
}

/// Adds a number to each offset.
struct plus
{
  std::int64_t x;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t offset) const
  {
    return offset + x;
  }
};

/// Returns those of the elements [begin, end) of each row that exist.
ragged slice(const ragged& in, std::int64_t begin, std::int64_t end)
{
  ragged result = make_ragged(make_offsets(in.num_rows(), lengths_of(in, begin, end)));
  mgpu::interval_gather(
    thrust::device, result.num_elements(), result.offsets_begin(), result.offsets_end(),
    thrust::make_transform_iterator(in.offsets.begin(), plus{begin}), in.data.begin(), result.data.begin());
  return result;
}

/// Returns the rows with the indices `order`, in that order.
ragged reorder(const ragged& in, const indices& order)
{
  const auto lengths = thrust::make_permutation_iterator(lengths_of(in), order.begin());
  ragged result = make_ragged(make_offsets(static_cast<std::int64_t>(order.size()), lengths));
  mgpu::interval_gather(
    thrust::device, result.num_elements(), result.offsets_begin(), result.offsets_end(),
    thrust::make_permutation_iterator(in.offsets.begin(), order.begin()), in.data.begin(), result.data.begin());
  return result;
}

/// Returns the indices of the rows, longest rows first; those of equal length in ascending order.
indices by_length(const ragged& in)
{
  indices order(in.num_rows());
  thrust::sequence(thrust::device, order.begin(), order.end());
  indices lengths(in.num_rows());
  thrust::copy(thrust::device, lengths_of(in), lengths_of(in) + in.num_rows(), lengths.begin());
  thrust::stable_sort_by_key(
    thrust::device, lengths.begin(), lengths.end(), order.begin(), cuda::std::greater<std::int64_t>{});
  return order;
}

/// Returns each row of A followed by the row of B. Both have the same number of rows.
ragged join(const ragged& a, const ragged& b)
{
  // The scan of a sum is the sum of the scans.
  indices offsets(a.offsets.size());
  thrust::transform(
    thrust::device, a.offsets.begin(), a.offsets.end(), b.offsets.begin(), offsets.begin(),
    cuda::std::plus<std::int64_t>{});
  ragged result = make_ragged(offsets);

  // A row of A is copied to the start of the new row; a row of B to the position after the rows of A up to the same
  // row, and the rows of B before it.
  mgpu::interval_scatter(
    thrust::device, a.num_elements(), a.offsets_begin(), a.offsets_end(), offsets.begin(), a.data.begin(),
    result.data.begin());
  indices b_places(b.num_rows());
  thrust::transform(
    thrust::device, b.offsets_begin(), b.offsets_end(), a.offsets.begin() + 1, b_places.begin(),
    cuda::std::plus<std::int64_t>{});
  mgpu::interval_scatter(
    thrust::device, b.num_elements(), b.offsets_begin(), b.offsets_end(), b_places.begin(), b.data.begin(),
    result.data.begin());
  return result;
}

/// Returns a rectangle of the elements [begin, end) of each row, padded: slice() and pad() in one call.
elements window(const ragged& in, std::int64_t begin, std::int64_t end, int filler)
{
  const std::int64_t width = end - begin;
  const indices offsets = make_offsets(in.num_rows(), lengths_of(in, begin, end));
  elements result(in.num_rows() * width, filler);
  mgpu::interval_move(
    thrust::device, std::int64_t{offsets.back()}, offsets.begin(), offsets.begin() + in.num_rows(),
    thrust::make_transform_iterator(in.offsets.begin(), plus{begin}), rectangle_offsets(width), in.data.begin(),
    result.begin());
  return result;
}

// ---- Print, and compare with plain loops ----

using rows = std::vector<std::vector<int>>;

ragged to_ragged(const rows& in)
{
  std::vector<std::int64_t> offsets{0};
  std::vector<int> data;
  for (const auto& row : in)
  {
    data.insert(data.end(), row.begin(), row.end());
    offsets.push_back(static_cast<std::int64_t>(data.size()));
  }
  return {indices(offsets.begin(), offsets.end()), elements(data.begin(), data.end())};
}

template <class Data>
rows rows_of(const indices& device_offsets, const Data& device_data)
{
  const thrust::host_vector<std::int64_t> offsets(device_offsets);
  const thrust::host_vector<typename Data::value_type> data(device_data);
  rows result;
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row)
  {
    result.emplace_back(data.begin() + offsets[row], data.begin() + offsets[row + 1]);
  }
  return result;
}

rows rows_of(const ragged& in)
{
  return rows_of(in.offsets, in.data);
}

rows rows_of_rectangle(const elements& rectangle, std::int64_t width)
{
  indices offsets(rectangle.size() / width + 1);
  thrust::sequence(thrust::device, offsets.begin(), offsets.end(), std::int64_t{0}, width);
  return rows_of(offsets, rectangle);
}

void print(const char* title, const rows& in)
{
  std::printf("%s:\n", title);
  for (const auto& row : in)
  {
    std::printf("  [");
    for (std::size_t i = 0; i < row.size(); ++i)
    {
      std::printf(i == 0 ? "%d" : " %d", row[i]);
    }
    std::printf("]\n");
  }
}

void show()
{
  const ragged a = to_ragged({{11, 12, 13}, {}, {31}, {41, 42, 43, 44, 45}, {51, 52}});
  const ragged b = to_ragged({{-1}, {-2, -2}, {}, {-4}, {-5, -5, -5}});
  const std::vector<int> factors{1, 10, 100, 2, -1};
  print("A", rows_of(a));
  print("B", rows_of(b));
  print("The row of each element of A", rows_of(a.offsets, row_ids(a)));
  print("Its index in that row", rows_of(a.offsets, indices_in_rows(a)));
  print("A amplified by 1 10 100 2 -1", rows_of(amplify(a, elements(factors.begin(), factors.end()))));
  print("A padded to 5", rows_of_rectangle(pad(a, 5, 0), 5));
  print("A from 1 up to 3", rows_of(slice(a, 1, 3)));
  print("A, the longest first", rows_of(reorder(a, by_length(a))));
  print("A and B joined", rows_of(join(a, b)));
  print("A from 1 up to 4, padded", rows_of_rectangle(window(a, 1, 4, 0), 3));
}

/// Returns those of the elements [begin, end) of a row that exist; then `filler` up to `width` elements.
std::vector<int>
range_of(const std::vector<int>& row, std::int64_t begin, std::int64_t end, std::int64_t width = 0, int filler = 0)
{
  const auto size = static_cast<std::int64_t>(row.size());
  std::vector<int> result(row.begin() + std::min(begin, size), row.begin() + std::min(end, size));
  if (static_cast<std::int64_t>(result.size()) < width)
  {
    result.resize(width, filler);
  }
  return result;
}

/// Makes rows that are mostly short; a quarter of them are empty, in long stretches, and one is giant.
rows random_rows(std::size_t num_rows, std::uint64_t seed)
{
  std::uint64_t state = seed;
  const auto below = [&](std::uint64_t limit)
  {
    state = state * 6364136223846793005u + 1442695040888963407u; // D. E. Knuth's MMIX generator
    return (state >> 33) % limit;
  };
  rows result(num_rows);
  for (std::size_t row = 0; row < num_rows; ++row)
  {
    const bool is_empty = row / 1000 % 4 == 3;
    result[row].resize(row == num_rows / 2 ? 100000 : is_empty ? 0 : below(below(16) == 0 ? 200 : 10));
    std::generate(result[row].begin(), result[row].end(), [&] { return static_cast<int>(below(1000)); });
  }
  return result;
}

bool check()
{
  constexpr std::size_t num_rows = 20000;
  const rows a = random_rows(num_rows, 1);
  const rows b = random_rows(num_rows, 2);
  rows ids(num_rows), ranks(num_rows), amplified(num_rows), sliced(num_rows), joined(num_rows), windows(num_rows);
  std::vector<int> factors(num_rows);
  for (std::size_t row = 0; row < num_rows; ++row)
  {
    factors[row] = static_cast<int>(row % 7) - 3;
    for (std::size_t i = 0; i < a[row].size(); ++i)
    {
      ids[row].push_back(static_cast<int>(row));
      ranks[row].push_back(static_cast<int>(i));
      amplified[row].push_back(a[row][i] * factors[row]);
    }
    sliced[row] = range_of(a[row], 3, 40);
    windows[row] = range_of(a[row], 3, 40, 37, -1);
    joined[row] = a[row];
    joined[row].insert(joined[row].end(), b[row].begin(), b[row].end());
  }
  rows ordered = a;
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& x, const auto& y) { return x.size() > y.size(); });

  const ragged x = to_ragged(a);
  const ragged y = to_ragged(b);
  const ragged x_sliced = slice(x, 3, 40);
  int num_wrong = 0;
  const auto expect = [&](const char* what, const rows& found, const rows& wanted)
  {
    if (found != wanted)
    {
      std::printf("WRONG: %s\n", what);
      ++num_wrong;
    }
  };
  expect("the row of each element", rows_of(x.offsets, row_ids(x)), ids);
  expect("its index in that row", rows_of(x.offsets, indices_in_rows(x)), ranks);
  expect("amplify", rows_of(amplify(x, elements(factors.begin(), factors.end()))), amplified);
  expect("slice", rows_of(x_sliced), sliced);
  expect("pad", rows_of_rectangle(pad(x_sliced, 37, -1), 37), windows);
  expect("reorder", rows_of(reorder(x, by_length(x))), ordered);
  expect("join", rows_of(join(x, y)), joined);
  expect("window", rows_of_rectangle(window(x, 3, 40, -1), 37), windows);
  std::printf("%zu rows of %zu elements: ", num_rows, x.data.size());
  std::printf(num_wrong == 0 ? "all of this is what plain loops find.\n" : "WRONG.\n");
  return num_wrong == 0;
}

int main()
{
  example::skip_without_device();
  show();
  return check() ? 0 : 1;
}
