// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The benchmarks of segmented reduction, the same on a CPU and on a GPU: the problems, the libraries, and how a result
/// is checked.

#include "harness.h"
#include "segment_lengths.h"
#include "segmented_data.h"

#include <mgpu_thrust/segmented_reduce.h>

#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/memory.h>
#include <thrust/reduce.h>
#include <thrust/scatter.h>

#include <cstdint>
#include <type_traits>
#include <typeinfo>
#include <vector>

namespace mgpu_benchmark
{

inline const std::vector<segment_lengths>& all_reduction_lengths()
{
  static const std::vector<segment_lengths> all{
    {"mean_1", 1},
    {"mean_4", 4},
    {"mean_30", 30},
    {"mean_100", 100},
    {"mean_300", 300},
    {"mean_3000", 3000},
    {"power_law", segment_lengths::power_law},
    {"one_segment", segment_lengths::one_segment}};
  return all;
}

/// Composition of maps x -> factor * x + term of numbers modulo 2^16, with the factor in the upper half and the term in
/// the lower half. It is not commutative.
struct composed_maps
{
  using value_type = std::uint32_t;
  using function = composed_maps;
  static constexpr bool is_sum = false;
  static constexpr std::uint32_t identity = std::uint32_t{1} << 16;

  struct item_of
  {
    MGPU_THRUST_HOST_DEVICE std::uint32_t operator()(std::int64_t number) const
    {
      return static_cast<std::uint32_t>(random_bits(static_cast<std::uint64_t>(number))) | identity;
    }
  };
  MGPU_THRUST_HOST_DEVICE std::uint32_t operator()(std::uint32_t x, std::uint32_t y) const
  {
    const std::uint32_t factor = y >> 16;
    return ((x >> 16) * (factor << 16)) | ((x * factor + y) & 0xffff);
  }
};

struct reduce_once
{
  static constexpr const char* name = "segmented_reduce";
  static constexpr bool has_plan = false;
};
/// A reduction with a plan that was made before.
struct reduce_with_plan
{
  static constexpr const char* name = "segmented_reduce_plan";
  static constexpr bool has_plan = true;
};

// A library executes a reduction.
struct mgpu_segmented_reduce
{
  static constexpr const char* name = "mgpu";

  template <class Op, class Policy>
  static void run(Op, const Policy& policy, const segmented_arguments<Op>& in)
  {
    mgpu::segmented_reduce(
      policy, in.input, in.input + in.num_items, in.offsets, in.offsets + in.num_segments, in.out, Op::identity,
      typename Op::function{});
  }
  template <class Op, class Policy>
  static auto make_plan(const Policy& policy, const segmented_arguments<Op>& in)
  {
    return new mgpu::segmented_reduce_plan(policy, in.num_items, in.offsets, in.offsets + in.num_segments);
  }
  template <class Op, class Plan>
  static void run_plan(Op, const Plan& plan, const segmented_arguments<Op>& in)
  {
    plan.reduce(in.input, in.out, Op::identity, typename Op::function{});
  }
};

/// reduce_by_key, whose keys, the segments' indices, are precomputed. Its results are scattered to the segments that
/// have items.
struct thrust_segmented_reduce
{
  static constexpr const char* name = "thrust";

  template <class Op, class Policy>
  static void run(Op, Policy policy, const segmented_arguments<Op>& in)
  {
    using value = typename Op::value_type;
    const auto numbers = thrust::get_temporary_buffer<std::int32_t>(policy, in.num_segments);
    const auto values = thrust::get_temporary_buffer<value>(policy, in.num_segments);
    std::int32_t* const found = thrust::raw_pointer_cast(numbers.first);
    value* const results = thrust::raw_pointer_cast(values.first);
    const auto ends = thrust::reduce_by_key(
      policy, in.segments_of_items, in.segments_of_items + in.num_items, in.input, found, results,
      thrust::equal_to<std::int32_t>{}, typename Op::function{});
    thrust::fill(policy, in.out, in.out + in.num_segments, Op::identity);
    thrust::scatter(policy, results, ends.second, found, in.out);
    thrust::return_temporary_buffer(policy, values.first, values.second);
    thrust::return_temporary_buffer(policy, numbers.first, numbers.second);
  }
};

/// The inputs of a problem, a plan, and room for its result, in the memory of the machine.
template <class Machine, class Op>
struct reduction_data : segmented_data<Machine, Op>
{
  kept_object plan;

  template <class Problem>
  reduction_data(Machine& machine, const Problem& problem)
      : segmented_data<Machine, Op>(machine, problem.lengths, problem.n)
  {
    this->out.resize(this->num_segments);
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, const Policy& policy)
  {
    if constexpr (Problem::operation::has_plan && std::is_same_v<Library, mgpu_segmented_reduce>)
    {
      library.run_plan(
        Op{}, plan.get(typeid(Policy).name(), [&] { return library.make_plan(policy, this->arguments()); }),
        this->arguments());
    }
    else
    {
      library.run(Op{}, policy, this->arguments());
    }
    return this->num_segments;
  }
};

template <class Operation, class Op>
using reduction_problem = segmented_problem<reduction_data, Operation, Op>;

/// Thrust has no plan.
struct thrust_peer : thrust_segmented_reduce
{
  template <class Problem, class System>
  static constexpr bool is_for = !Problem::operation::has_plan;
};

template <class Op>
auto reduction_problems_on(const char* type)
{
  return std::make_tuple(
    problems_on<reduction_problem<reduce_once, Op>>{type}, problems_on<reduction_problem<reduce_with_plan, Op>>{type});
}
inline auto reduction_problems()
{
  return std::tuple_cat(
    mgpu_benchmark::reduction_problems_on<sum<std::int32_t>>("i32"),
    mgpu_benchmark::reduction_problems_on<sum<float>>("f32"), mgpu_benchmark::reduction_problems_on<sum<double>>("f64"),
    mgpu_benchmark::reduction_problems_on<composed_maps>("maps"));
}

} // namespace mgpu_benchmark
