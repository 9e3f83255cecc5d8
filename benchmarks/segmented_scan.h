// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The benchmarks of segmented scans, the same on a CPU and on a GPU: the problems, the libraries, and how a result is
/// checked.

#include "harness.h"
#include "segment_lengths.h"
#include "segmented_data.h"

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/segmented_scan.h>

#include <thrust/copy.h>
#include <thrust/scan.h>

#include <cuda/std/functional>

#include <cstdint>
#include <tuple>
#include <vector>

namespace mgpu_benchmark
{

inline const std::vector<segment_lengths>& all_scan_lengths()
{
  static const std::vector<segment_lengths> all{
    {"mean_1", 1},
    {"mean_7", 7},
    {"mean_50", 50},
    {"mean_700", 700},
    {"power_law", segment_lengths::power_law},
    {"mostly_empty", segment_lengths::mostly_empty},
    {"one_segment", segment_lengths::one_segment}};
  return all;
}

/// A 4 x 4 matrix, row by row.
struct matrix4
{
  float entries[16];

  matrix4() = default;
  MGPU_THRUST_HOST_DEVICE matrix4(int diagonal) // NOLINT: as implicit as between numbers
  {
    for (int i = 0; i < 16; ++i)
    {
      entries[i] = static_cast<float>(i % 5 == 0 ? diagonal : 0);
    }
  }
  friend MGPU_THRUST_HOST_DEVICE bool operator==(const matrix4& x, const matrix4& y)
  {
    bool is_equal = true;
    for (int i = 0; i < 16; ++i)
    {
      is_equal = is_equal && x.entries[i] == y.entries[i];
    }
    return is_equal;
  }
};

/// Products of random rigid transforms: quarter turns about an axis, and moves by whole steps. They are exact in any
/// order up to 2^24 items, and do not commute.
struct matrix_product
{
  using value_type = matrix4;
  using function = matrix_product;
  static constexpr bool is_sum = false;

  struct item_of
  {
    MGPU_THRUST_HOST_DEVICE matrix4 operator()(std::int64_t number) const
    {
      const std::uint64_t bits = random_bits(static_cast<std::uint64_t>(number));
      const int axis = static_cast<int>(bits % 3);
      const int turns = static_cast<int>(bits / 4 % 4);
      const int next = (axis + 1) % 3;
      const int last = (axis + 2) % 3;
      const int cosine = turns % 2 == 0 ? 1 - turns : 0;
      const int sine = turns % 2 == 0 ? 0 : 2 - turns;
      matrix4 result(1);
      result.entries[5 * next] = static_cast<float>(cosine);
      result.entries[5 * last] = static_cast<float>(cosine);
      result.entries[4 * next + last] = static_cast<float>(-sine);
      result.entries[4 * last + next] = static_cast<float>(sine);
      for (int i = 0; i < 3; ++i)
      {
        result.entries[4 * i + 3] = static_cast<float>(static_cast<int>((bits >> (8 * i + 8)) % 3) - 1);
      }
      return result;
    }
  };
  MGPU_THRUST_HOST_DEVICE matrix4 operator()(const matrix4& x, const matrix4& y) const
  {
    matrix4 product;
    for (int i = 0; i < 16; ++i)
    {
      const int row = i / 4 * 4;
      const int column = i % 4;
      product.entries[i] = x.entries[row] * y.entries[column] + x.entries[row + 1] * y.entries[column + 4]
                           + x.entries[row + 2] * y.entries[column + 8] + x.entries[row + 3] * y.entries[column + 12];
    }
    return product;
  }
};

struct segmented_inclusive_scan
{
  static constexpr const char* name = "segmented_inclusive_scan";
  static constexpr bool is_inclusive = true;
};
struct segmented_exclusive_scan
{
  static constexpr const char* name = "segmented_exclusive_scan";
  static constexpr bool is_inclusive = false;
};

// A library executes a scan.
struct mgpu_segmented_scan
{
  static constexpr const char* name = "mgpu";

  template <class Operation, class Op, class Policy>
  static void run(Operation, Op, const Policy& policy, const segmented_arguments<Op>& in)
  {
    const typename Op::function function{};
    if constexpr (Operation::is_inclusive)
    {
      mgpu::segmented_inclusive_scan(
        policy, in.input, in.input + in.num_items, in.offsets, in.offsets + in.num_segments, in.out, function);
    }
    else
    {
      mgpu::segmented_exclusive_scan(
        policy, in.input, in.input + in.num_items, in.offsets, in.offsets + in.num_segments, in.out, Op::identity,
        function);
    }
  }
};

/// Thrust's scans by key, whose keys, the segments' indices, are precomputed.
struct thrust_segmented_scan
{
  static constexpr const char* name = "thrust";

  template <class Operation, class Op, class Policy>
  static void run(Operation, Op, const Policy& policy, const segmented_arguments<Op>& in)
  {
    const std::int32_t* const keys = in.segments_of_items;
    const ::cuda::std::equal_to<> is_same{};
    const typename Op::function function{};
    if constexpr (Operation::is_inclusive)
    {
      thrust::inclusive_scan_by_key(policy, keys, keys + in.num_items, in.input, in.out, is_same, function);
    }
    else
    {
      thrust::exclusive_scan_by_key(
        policy, keys, keys + in.num_items, in.input, in.out, Op::identity, is_same, function);
    }
  }
};

/// A copy of the items, for problems that are too small for percent_of_copy to tell.
struct copy_of_items
{
  static constexpr const char* name = "copy";
  static constexpr bool is_yardstick = true;
  template <class Problem, class System>
  static constexpr bool is_for = !Problem::op::is_sum;

  template <class Operation, class Op, class Policy>
  static void run(Operation, Op, const Policy& policy, const segmented_arguments<Op>& in)
  {
    thrust::copy(policy, in.input, in.input + in.num_items, in.out);
  }
};

/// The inputs of a problem and room for its result, in the memory of the machine.
template <class Machine, class Op>
struct scan_data : segmented_data<Machine, Op>
{
  template <class Problem>
  scan_data(Machine& machine, const Problem& problem)
      : segmented_data<Machine, Op>(machine, problem.lengths, problem.n)
  {
    this->out.resize(this->num_items);
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, const Policy& policy)
  {
    library.run(typename Problem::operation{}, Op{}, policy, this->arguments());
    return this->num_items;
  }
};

template <class Operation, class Op>
using scan_problem = segmented_problem<scan_data, Operation, Op>;

inline auto scan_problems()
{
  return std::make_tuple(
    problems_on<scan_problem<segmented_inclusive_scan, sum<std::int32_t>>>{"i32"},
    problems_on<scan_problem<segmented_exclusive_scan, sum<std::int32_t>>>{"i32"},
    problems_on<scan_problem<segmented_inclusive_scan, sum<std::int64_t>>>{"i64"},
    problems_on<scan_problem<segmented_inclusive_scan, sum<double>>>{"f64"},
    problems_on<scan_problem<segmented_inclusive_scan, matrix_product>>{"matrices"});
}

} // namespace mgpu_benchmark
