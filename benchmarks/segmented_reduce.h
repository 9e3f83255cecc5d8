// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The benchmarks of segmented reduction, the same on a CPU and on a GPU: the problems, the libraries, and how a result
/// is checked.

#include "harness.h"
#include "segment_lengths.h"

#include <mgpu_thrust/load_balance.h>
#include <mgpu_thrust/segmented_reduce.h>

#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/memory.h>
#include <thrust/reduce.h>
#include <thrust/scatter.h>
#include <thrust/tabulate.h>

#include <cuda/std/functional>

#include <cstdint>
#include <stdexcept>
#include <string>
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

// An operator defines the function that reduces, and the items, as a function of their index.

/// Sums of random items from -1 to 1, which stay small, so that they are exact in any order.
template <class Number>
struct sum
{
  using value_type = Number;
  using function = ::cuda::std::plus<>;
  static constexpr bool is_sum = true;
  static constexpr Number identity = 0;

  struct item_of
  {
    MGPU_THRUST_HOST_DEVICE Number operator()(std::int64_t number) const
    {
      return static_cast<Number>(static_cast<int>(random_bits(static_cast<std::uint64_t>(number)) % 3) - 1);
    }
  };
};

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

/// The arguments of a reduction.
template <class Op>
struct reduction_arguments
{
  using value_type = typename Op::value_type;

  std::int64_t num_items;
  std::int64_t num_segments;
  const std::int32_t* offsets; ///< offsets of the segments, and the end of the last segment
  const std::int32_t* segments_of_items;
  const value_type* input;
  value_type* out;
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
  static void run(Op, const Policy& policy, const reduction_arguments<Op>& in)
  {
    mgpu::segmented_reduce(
      policy, in.input, in.input + in.num_items, in.offsets, in.offsets + in.num_segments, in.out, Op::identity,
      typename Op::function{});
  }
  template <class Op, class Policy>
  static auto make_plan(const Policy& policy, const reduction_arguments<Op>& in)
  {
    return new mgpu::segmented_reduce_plan(policy, in.num_items, in.offsets, in.offsets + in.num_segments);
  }
  template <class Op, class Plan>
  static void run_plan(Op, const Plan& plan, const reduction_arguments<Op>& in)
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
  static void run(Op, Policy policy, const reduction_arguments<Op>& in)
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

/// The inputs of a problem and room for its result, in the memory of the machine.
template <class Machine, class Op>
struct reduction_data
{
  using vector = typename Machine::template vector<typename Op::value_type>;
  using indices = typename Machine::template vector<std::int32_t>;

  std::int64_t num_items;
  indices offsets, segments_of_items;
  vector input, out;
  kept_object plan;

  template <class Problem>
  reduction_data(Machine& machine, const Problem& problem)
      : num_items(problem.n)
      , offsets(make_offsets(machine, problem.lengths, problem.n))
      , segments_of_items(problem.n)
      , input(problem.n)
      , out(offsets.size())
  {
    const auto policy = machine.policy();
    thrust::tabulate(policy, pointer_to(input), pointer_to(input) + num_items, typename Op::item_of{});
    mgpu::load_balancing_search(
      policy, num_items, pointer_to(offsets), pointer_to(offsets) + offsets.size(), pointer_to(segments_of_items));
    offsets.push_back(static_cast<std::int32_t>(num_items));
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, const Policy& policy)
  {
    if constexpr (Problem::operation::has_plan && std::is_same_v<Library, mgpu_segmented_reduce>)
    {
      library.run_plan(
        Op{}, plan.get(typeid(Policy).name(), [&] { return library.make_plan(policy, arguments()); }), arguments());
    }
    else
    {
      library.run(Op{}, policy, arguments());
    }
    return static_cast<std::int64_t>(out.size());
  }
  void poison(Machine& machine)
  {
    fill_all(machine, out, -77);
  }
  template <class Problem>
  vector* keep_result(const Problem&, std::int64_t)
  {
    return new vector(out);
  }
  template <class Problem>
  void check(Machine& machine, const Problem&, const vector& expected, std::int64_t)
  {
    if (!begins_with(machine, out, expected))
    {
      throw std::runtime_error("wrong result");
    }
  }
  template <class Problem>
  work one_call(const Problem&, const vector&)
  {
    constexpr std::int64_t value_bytes = sizeof(typename Op::value_type);
    const std::int64_t segments = out.size();
    work result{num_items, num_items * value_bytes + segments * (value_bytes + std::int64_t{sizeof(std::int32_t)})};
    result.segments = segments;
    return result;
  }

private:
  reduction_arguments<Op> arguments()
  {
    return {num_items,           static_cast<std::int64_t>(out.size()),
            pointer_to(offsets), pointer_to(segments_of_items),
            pointer_to(input),   pointer_to(out)};
  }
};

/// One reduction of one input.
template <class OperationType, class OpType>
struct reduction_problem
{
  using operation = OperationType;
  using form = segments_form;
  using op = OpType;
  template <class Machine>
  using data = reduction_data<Machine, OpType>;

  segment_lengths lengths;
  std::int64_t n; ///< number of items
  std::string type;

  /// Names the inputs.
  std::string input_name() const
  {
    return std::string(form::name) + "/" + type + "/" + lengths.name + "/n:" + std::to_string(n);
  }
  std::string name() const
  {
    return std::string(operation::name) + "/" + input_name();
  }
};

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
