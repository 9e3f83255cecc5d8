// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Jagged tensors: rows of different lengths; and generated ones, the same on every machine.

#include "hash_of_number.h"

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/scan.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace example
{

using offset = std::int32_t;
using offset_vector = thrust::device_vector<offset>;
using value_vector = thrust::device_vector<float>;

/// A tensor of n rows, one after the other.
struct tensor
{
  offset_vector offsets; // n + 1
  value_vector values;

  std::int64_t num_rows() const
  {
    return static_cast<std::int64_t>(offsets.size()) - 1;
  }
};

/// Returns a pointer to the elements of a vector.
template <class Vector>
auto raw(Vector& vector)
{
  return thrust::raw_pointer_cast(vector.data());
}

/// Writes the offsets of rows with these lengths.
template <class Lengths>
void scan_lengths(Lengths lengths, offset_vector& offsets)
{
  offsets[0] = 0;
  thrust::inclusive_scan(thrust::device, lengths, lengths + (offsets.size() - 1), offsets.begin() + 1);
}

/// Returns a length by a power law: half of all rows are empty, and of `level` 1, 2, 3, ... each has half as many rows,
/// of twice as many values.
inline offset power_law_length(std::uint64_t random)
{
  int level = 0;
  for (; level < 16 && (random >> level) % 2 == 0; ++level)
  {
  }
  return (1 << level) - 1 + static_cast<offset>((random >> 32) % (std::uint64_t{1} << level));
}

/// Returns a tensor whose rows have this length, or lengths by a power law if it is 0.
inline tensor make_tensor(std::int64_t num_rows, offset length, std::uint64_t seed)
{
  std::vector<offset> offsets{0};
  for (std::int64_t row = 0; row < num_rows; ++row)
  {
    offsets.push_back(
      offsets.back() + (length > 0 ? length : power_law_length(example::hash_of_number(seed * num_rows + row))));
  }
  std::vector<float> values(offsets.back());
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    values[i] = static_cast<float>(example::hash_of_number(seed + i) % 16); // so that sums are exact in any order
  }
  return {offset_vector(offsets.begin(), offsets.end()), value_vector(values.begin(), values.end())};
}

} // namespace example
