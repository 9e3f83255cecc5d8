// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// What the benchmarks of segmented reductions and scans share: sums, the arguments of a call, and its inputs and
/// results.

#include "harness.h"
#include "segment_lengths.h"

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/load_balance.h>

#include <thrust/tabulate.h>

#include <cuda/std/functional>

#include <cstdint>

namespace mgpu_benchmark
{

// An operator defines the function that combines items, and the items, as a function of their index.

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

/// The arguments of a call.
template <class Op>
struct segmented_arguments
{
  using value_type = typename Op::value_type;

  std::int64_t num_items;
  std::int64_t num_segments;
  const std::int32_t* offsets; ///< offsets of the segments, and the end of the last segment
  const std::int32_t* segments_of_items;
  const value_type* input;
  value_type* out;
};

/// The inputs of a problem and room for its result, in the memory of the machine.
template <class Machine, class Op>
struct segmented_data : whole_output<Machine, typename Op::value_type>
{
  using typename whole_output<Machine, typename Op::value_type>::vector;
  using indices = typename Machine::template vector<std::int32_t>;

  std::int64_t num_items;
  std::int64_t num_segments;
  indices offsets, segments_of_items;
  vector input;

  /// Makes the inputs. The output is empty.
  segmented_data(Machine& machine, const segment_lengths& lengths, std::int64_t n)
      : num_items(n)
      , offsets(make_offsets(machine, lengths, n))
      , segments_of_items(n)
      , input(n)
  {
    const auto policy = machine.policy();
    num_segments = static_cast<std::int64_t>(offsets.size());
    thrust::tabulate(policy, pointer_to(input), pointer_to(input) + num_items, typename Op::item_of{});
    mgpu::load_balancing_search(
      policy, num_items, pointer_to(offsets), pointer_to(offsets) + num_segments, pointer_to(segments_of_items));
    offsets.push_back(static_cast<std::int32_t>(num_items));
  }

  /// The work of a call: each item, offset and result is read or written once.
  template <class Problem>
  work one_call(const Problem&, const vector&)
  {
    constexpr std::int64_t value_bytes = sizeof(typename Op::value_type);
    const std::int64_t results = this->out.size();
    work result{num_items, (num_items + results) * value_bytes + num_segments * std::int64_t{sizeof(std::int32_t)}};
    result.segments = num_segments;
    return result;
  }

protected:
  segmented_arguments<Op> arguments()
  {
    return {num_items,         num_segments,         pointer_to(offsets), pointer_to(segments_of_items),
            pointer_to(input), pointer_to(this->out)};
  }
};

} // namespace mgpu_benchmark
