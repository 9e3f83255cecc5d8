// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The benchmarks of segmented compaction, the same on a CPU and on a GPU: the problems, the libraries, and how a
/// result is checked. A form is the share of items that are kept.

#include "harness.h"
#include "segment_lengths.h"

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/segmented_compact.h>

#include <thrust/copy.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/memory.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/tabulate.h>
#include <thrust/transform_scan.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace mgpu_benchmark
{

inline const std::vector<segment_lengths>& all_compact_lengths()
{
  static const std::vector<segment_lengths> all{
    {"mean_1", 1},
    {"mean_8", 8},
    {"mean_100", 100},
    {"power_law", segment_lengths::power_law},
    {"mostly_empty", segment_lengths::mostly_empty},
    {"one_segment", segment_lengths::one_segment}};
  return all;
}

// The shares that are kept: of numbers of 32 bits, those below a limit.
struct keeps_none
{
  static constexpr const char* name = "none";
  static constexpr std::uint64_t limit = 0;
};
struct keeps_one_in_10
{
  static constexpr const char* name = "one_in_10";
  static constexpr std::uint64_t limit = (std::uint64_t{1} << 32) / 10;
};
struct keeps_half
{
  static constexpr const char* name = "half";
  static constexpr std::uint64_t limit = std::uint64_t{1} << 31;
};
struct keeps_all
{
  static constexpr const char* name = "all";
  static constexpr std::uint64_t limit = std::uint64_t{1} << 32;
};

/// Random items.
struct random_item
{
  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int64_t index) const
  {
    return static_cast<std::int32_t>(random_bits(static_cast<std::uint64_t>(index)) >> 32);
  }
};
/// Whether an item is kept.
struct is_below
{
  std::uint64_t limit;

  MGPU_THRUST_HOST_DEVICE bool operator()(std::int32_t item) const
  {
    return static_cast<std::uint32_t>(item) < limit;
  }
};
/// 1 for a random item that is kept, and otherwise 0.
struct random_flag
{
  is_below keep;

  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int64_t index) const
  {
    return keep(random_item{}(index)) ? 1 : 0;
  }
};

/// The arguments of a call.
struct compact_arguments
{
  std::int64_t num_items;
  std::int64_t num_segments;
  const std::int32_t* offsets; ///< offsets of the segments, and the end of the last segment
  const char* heads;           ///< whether an item is the first of its segment, for peers alone
  const std::int32_t* input;
  std::int32_t* out;
  std::int32_t* offsets_out;
  is_below keep;
};

// The operations: their items, and Thrust's test of an item by its index.
struct segmented_copy_if
{
  static constexpr const char* name = "segmented_copy_if";

  template <class Policy>
  static void make_items(const Policy& policy, is_below, std::int32_t* first, std::int64_t n)
  {
    thrust::tabulate(policy, first, first + n, random_item{});
  }
  struct keeps_index
  {
    compact_arguments in;

    MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int32_t i) const
    {
      return in.keep(in.input[i]) ? 1 : 0;
    }
  };
};
struct segmented_unique_copy
{
  static constexpr const char* name = "segmented_unique_copy";

  /// Items that differ from the one before where a random one is kept.
  template <class Policy>
  static void make_items(const Policy& policy, is_below keep, std::int32_t* first, std::int64_t n)
  {
    thrust::tabulate(policy, first, first + n, random_flag{keep});
    thrust::inclusive_scan(policy, first, first + n, first);
  }
  struct keeps_index
  {
    compact_arguments in;

    MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int32_t i) const
    {
      return in.heads[i] != 0 || in.input[i - 1] != in.input[i] ? 1 : 0;
    }
  };
};

// A library executes an operation, and returns the number of items that it keeps.
struct mgpu_segmented_compact
{
  static constexpr const char* name = "mgpu";

  template <class Policy>
  static std::int64_t run(segmented_copy_if, const Policy& policy, const compact_arguments& in)
  {
    return mgpu::segmented_copy_if(
             policy, in.input, in.input + in.num_items, in.offsets, in.offsets + in.num_segments, in.out,
             in.offsets_out, in.keep)
           - in.out;
  }
  template <class Policy>
  static std::int64_t run(segmented_unique_copy, const Policy& policy, const compact_arguments& in)
  {
    return mgpu::segmented_unique_copy(
             policy, in.input, in.input + in.num_items, in.offsets, in.offsets + in.num_segments, in.out,
             in.offsets_out)
           - in.out;
  }
};

/// The recipe with Thrust: a scan of flags, thrust::copy_if, and a gather of the scan's results at the offsets. Of
/// unique copies the first items of segments are marked before.
struct thrust_segmented_compact
{
  static constexpr const char* name = "thrust";

  template <class Operation, class Policy>
  static std::int64_t run(Operation, Policy policy, const compact_arguments& in)
  {
    const typename Operation::keeps_index keeps{in};
    const thrust::counting_iterator<std::int32_t> indices(0);
    const auto buffer = thrust::get_temporary_buffer<std::int32_t>(policy, in.num_items);
    std::int32_t* const ranks = thrust::raw_pointer_cast(buffer.first);
    thrust::transform_exclusive_scan(
      policy, indices, indices + in.num_items, ranks, keeps, std::int32_t{0}, thrust::plus<std::int32_t>{});
    const std::int64_t size =
      thrust::copy_if(policy, in.input, in.input + in.num_items, indices, in.out, keeps) - in.out;
    thrust::gather(policy, in.offsets, in.offsets + in.num_segments, ranks, in.offsets_out);
    thrust::fill(
      policy, in.offsets_out + in.num_segments, in.offsets_out + in.num_segments + 1, static_cast<std::int32_t>(size));
    thrust::return_temporary_buffer(policy, buffer.first, buffer.second);
    return size;
  }
};

/// The result of a call.
template <class Vector>
struct compact_result
{
  std::int64_t size;
  Vector items;
  Vector offsets;
};

/// The inputs of a problem and room for its result, in the memory of the machine.
template <class Machine>
struct compact_data
{
  using indices = typename Machine::template vector<std::int32_t>;
  using result = compact_result<indices>;

  std::int64_t num_items;
  std::int64_t num_segments;
  indices offsets;
  typename Machine::template vector<char> heads;
  indices input;
  indices out;
  indices offsets_out;
  is_below keep; ///< not a constant, which a compiler would insert into a loop

  template <class Problem>
  compact_data(Machine& machine, const Problem& problem)
      : num_items(problem.n)
      , offsets(make_offsets(machine, problem.lengths, problem.n))
      , heads(problem.n, 0)
      , input(problem.n)
      , out(problem.n)
      , keep{Problem::form::limit}
  {
    const auto policy = machine.policy();
    num_segments = static_cast<std::int64_t>(offsets.size());
    Problem::operation::make_items(policy, keep, pointer_to(input), num_items);
    const thrust::constant_iterator<char> marks(1);
    thrust::scatter(policy, marks, marks + num_segments, pointer_to(offsets), pointer_to(heads));
    offsets.push_back(static_cast<std::int32_t>(num_items));
    offsets_out.resize(offsets.size());
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, const Policy& policy)
  {
    return library.run(
      typename Problem::operation{}, policy,
      compact_arguments{
        num_items, num_segments, pointer_to(offsets), pointer_to(heads), pointer_to(input), pointer_to(out),
        pointer_to(offsets_out), keep});
  }
  void poison(Machine& machine)
  {
    fill_all(machine, out, -77);
    fill_all(machine, offsets_out, -77);
  }
  template <class Problem>
  result* keep_result(const Problem&, std::int64_t size)
  {
    return new result{size, {out.begin(), out.begin() + size}, offsets_out};
  }
  template <class Problem>
  void check(Machine& machine, const Problem&, const result& expected, std::int64_t size)
  {
    if (size != expected.size)
    {
      throw std::runtime_error(
        "wrong result: " + std::to_string(size) + " items instead of " + std::to_string(expected.size));
    }
    if (!begins_with(machine, out, expected.items) || !begins_with(machine, offsets_out, expected.offsets))
    {
      throw std::runtime_error("wrong result: the items, or the offsets");
    }
  }
  /// The work of a call: each item and offset is read once, and each item and offset of the result written once.
  template <class Problem>
  work one_call(const Problem&, const result& expected)
  {
    const std::int64_t numbers = num_items + expected.size + num_segments + num_segments + 1;
    work all{num_items, numbers * std::int64_t{sizeof(std::int32_t)}};
    all.segments = num_segments;
    return all;
  }
};

template <class OperationType, class FormType>
struct compact_problem : problem_of_lengths<OperationType, FormType, segment_lengths>
{
  template <class Machine>
  using data = compact_data<Machine>;
};

template <class Operation>
auto compact_problems_of()
{
  return std::make_tuple(
    problems_on<compact_problem<Operation, keeps_none>>{"i32"},
    problems_on<compact_problem<Operation, keeps_one_in_10>>{"i32"},
    problems_on<compact_problem<Operation, keeps_half>>{"i32"},
    problems_on<compact_problem<Operation, keeps_all>>{"i32"});
}
inline auto compact_problems()
{
  return std::tuple_cat(
    mgpu_benchmark::compact_problems_of<segmented_copy_if>(),
    mgpu_benchmark::compact_problems_of<segmented_unique_copy>());
}

} // namespace mgpu_benchmark
