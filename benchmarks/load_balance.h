// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The benchmarks of load-balancing search and the interval operations, the same on a CPU and on a GPU: the problems,
/// the libraries, and how a result is checked.

#include "harness.h"
#include "segment_lengths.h"

#include <mgpu_thrust/interval.h>
#include <mgpu_thrust/load_balance.h>

#include <thrust/binary_search.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/memory.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>
#include <thrust/transform_reduce.h>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace mgpu_benchmark
{

inline const std::vector<segment_lengths>& all_segment_lengths()
{
  static const std::vector<segment_lengths> all{
    {"mean_1", 1},
    {"mean_4", 4},
    {"mean_64", 64},
    {"mean_4096", 4096},
    {"equal_64", 64, true},
    {"power_law", segment_lengths::power_law},
    {"one_segment", segment_lengths::one_segment}};
  return all;
}

/// The arguments of an operation. Places are the positions of intervals in the input that they are copied from, or in
/// the output that they are copied to.
template <class Element>
struct segment_arguments
{
  std::int64_t num_items;
  const std::int32_t* offsets_first;
  const std::int32_t* offsets_last;
  const Element* values;
  const std::int32_t* ascending_places;
  const std::int32_t* shuffled_places;
  const Element* input;
  Element* out;

  std::int64_t segments() const
  {
    return offsets_last - offsets_first;
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t length(std::int64_t segment) const
  {
    const std::int64_t end = offsets_first + segment + 1 == offsets_last ? num_items : offsets_first[segment + 1];
    return end - offsets_first[segment];
  }
};

/// An operation on segments: the numbers of its arrays other than the offsets. Any implementation must read or write
/// each of their entries once.
template <int Values, int AscendingPlaces, int ShuffledPlaces, int Elements>
struct segment_operation
{
  static constexpr int values = Values;
  static constexpr int ascending_places = AscendingPlaces;
  static constexpr int shuffled_places = ShuffledPlaces;
  static constexpr int elements = Elements; ///< inputs and outputs; each kind of places is for one of them
};

struct load_balancing_search : segment_operation<0, 0, 0, 1>
{
  static constexpr const char* name = "load_balancing_search";
};
struct interval_expand : segment_operation<1, 0, 0, 1>
{
  static constexpr const char* name = "interval_expand";
};
/// Gathers from sources that follow one another, or that are in a random order.
template <bool Shuffled>
struct gather_from : segment_operation<0, Shuffled ? 0 : 1, Shuffled ? 1 : 0, 2>
{
  static constexpr const char* name = Shuffled ? "interval_gather_shuffled" : "interval_gather";

  template <class Arguments>
  static const std::int32_t* places(const Arguments& in)
  {
    return Shuffled ? in.shuffled_places : in.ascending_places;
  }
};
using interval_gather = gather_from<false>;
using interval_gather_shuffled = gather_from<true>;
/// Scatters to destinations in a random order.
struct interval_scatter : segment_operation<0, 0, 1, 2>
{
  static constexpr const char* name = "interval_scatter";
};
/// Moves from sources that follow one another to destinations in a random order.
struct interval_move : segment_operation<0, 1, 1, 2>
{
  static constexpr const char* name = "interval_move";
};

// A library executes an operation.
struct mgpu_load_balance
{
  static constexpr const char* name = "mgpu";

  template <class Policy, class Arguments>
  static void run(load_balancing_search, const Policy& policy, const Arguments& in)
  {
    mgpu::load_balancing_search(policy, in.num_items, in.offsets_first, in.offsets_last, in.out);
  }
  template <class Policy, class Arguments>
  static void run(interval_expand, const Policy& policy, const Arguments& in)
  {
    mgpu::interval_expand(policy, in.num_items, in.offsets_first, in.offsets_last, in.values, in.out);
  }
  template <bool Shuffled, class Policy, class Arguments>
  static void run(gather_from<Shuffled> gather, const Policy& policy, const Arguments& in)
  {
    mgpu::interval_gather(policy, in.num_items, in.offsets_first, in.offsets_last, gather.places(in), in.input, in.out);
  }
  template <class Policy, class Arguments>
  static void run(interval_scatter, const Policy& policy, const Arguments& in)
  {
    mgpu::interval_scatter(
      policy, in.num_items, in.offsets_first, in.offsets_last, in.shuffled_places, in.input, in.out);
  }
  template <class Policy, class Arguments>
  static void run(interval_move, const Policy& policy, const Arguments& in)
  {
    mgpu::interval_move(
      policy, in.num_items, in.offsets_first, in.offsets_last, in.ascending_places, in.shuffled_places, in.input,
      in.out);
  }
};

template <class Arguments>
struct has_items
{
  Arguments in;

  MGPU_THRUST_HOST_DEVICE bool operator()(std::int32_t segment) const
  {
    return in.length(segment) > 0;
  }
};

/// Returns the position of an item, from the positions of the segments.
struct place_of_item
{
  const std::int32_t* segments; ///< the segment of each item
  const std::int32_t* offsets;
  const std::int32_t* places;

  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int32_t item) const
  {
    const std::int32_t segment = segments[item];
    return places[segment] + (item - offsets[segment]);
  }
};

template <class Segment>
struct segment_before
{
  template <class Bound>
  MGPU_THRUST_HOST_DEVICE Segment operator()(Bound bound) const
  {
    return static_cast<Segment>(bound - 1);
  }
};

/// An implementation with Thrust's algorithms, as Thrust has none of the operations.
struct thrust_load_balance
{
  static constexpr const char* name = "thrust";

  /// Searches the offsets for each item's index.
  template <class Policy, class Arguments>
  static void run(load_balancing_search, const Policy& policy, const Arguments& in)
  {
    using segment = std::decay_t<decltype(*in.out)>;
    const thrust::counting_iterator<std::int32_t> items(0);
    thrust::upper_bound(
      policy, in.offsets_first, in.offsets_last, items, items + in.num_items,
      thrust::make_transform_output_iterator(in.out, segment_before<segment>{}));
  }
  /// As in Thrust's example expand.cu: a scatter of the segments' indices to their first items, their running maximum,
  /// and a gather.
  template <class Policy, class Arguments>
  static void run(interval_expand, const Policy& policy, const Arguments& in)
  {
    with_segments(
      policy, in,
      [&](const std::int32_t* segments)
      { thrust::gather(policy, segments, segments + in.num_items, in.values, in.out); });
  }
  /// As interval_expand, but gathers from the positions of the items.
  template <bool Shuffled, class Policy, class Arguments>
  static void run(gather_from<Shuffled> gather, const Policy& policy, const Arguments& in)
  {
    with_segments(
      policy, in,
      [&](const std::int32_t* segments)
      {
        const auto places = places_of_items(in, segments, gather.places(in));
        thrust::gather(policy, places, places + in.num_items, in.input, in.out);
      });
  }
  template <class Policy, class Arguments>
  static void run(interval_scatter, const Policy& policy, const Arguments& in)
  {
    with_segments(
      policy, in,
      [&](const std::int32_t* segments)
      {
        const auto places = places_of_items(in, segments, in.shuffled_places);
        thrust::scatter(policy, in.input, in.input + in.num_items, places, in.out);
      });
  }
  template <class Policy, class Arguments>
  static void run(interval_move, const Policy& policy, const Arguments& in)
  {
    with_segments(
      policy, in,
      [&](const std::int32_t* segments)
      {
        const auto from =
          thrust::make_permutation_iterator(in.input, places_of_items(in, segments, in.ascending_places));
        thrust::scatter(policy, from, from + in.num_items, places_of_items(in, segments, in.shuffled_places), in.out);
      });
  }

private:
  /// Calls f with the segment of each item, in temporary storage.
  template <class Policy, class Arguments, class Function>
  static void with_segments(Policy policy, const Arguments& in, Function f)
  {
    const auto buffer = thrust::get_temporary_buffer<std::int32_t>(policy, in.num_items);
    std::int32_t* const segments = thrust::raw_pointer_cast(buffer.first);
    std::int32_t* const end = segments + in.num_items;
    const thrust::counting_iterator<std::int32_t> numbers(0);
    thrust::fill(policy, segments, end, 0);
    thrust::scatter_if(
      policy, numbers, numbers + in.segments(), in.offsets_first, numbers, segments, has_items<Arguments>{in});
    thrust::inclusive_scan(policy, segments, end, segments, thrust::maximum<std::int32_t>{});
    f(segments);
    thrust::return_temporary_buffer(policy, buffer.first, buffer.second);
  }
  template <class Arguments>
  static auto places_of_items(const Arguments& in, const std::int32_t* segments, const std::int32_t* places)
  {
    return thrust::make_transform_iterator(
      thrust::counting_iterator<std::int32_t>(0), place_of_item{segments, in.offsets_first, places});
  }
};

/// The key by which segments are sorted, to shuffle them.
struct random_key
{
  MGPU_THRUST_HOST_DEVICE std::uint64_t operator()(std::int64_t segment) const
  {
    return random_bits(static_cast<std::uint64_t>(segment) + (std::uint64_t{1} << 40)); // not the bits of its length
  }
};

/// Returns the length of a segment, from its index.
template <class Arguments>
struct length_of_numbered
{
  Arguments in;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int32_t segment) const
  {
    return in.length(segment);
  }
};

inline constexpr std::int64_t sector_size = 32; ///< size of a sector of memory, in bytes

/// Returns the number of sectors of memory that an interval at its position touches, without the sector in which the
/// previous interval ends if this one directly follows it.
template <class Arguments>
struct sectors_of_segment
{
  Arguments in;
  const std::int32_t* places;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t segment) const
  {
    constexpr auto elements = static_cast<std::int64_t>(sector_size / sizeof(*in.input));
    const std::int64_t length = in.length(segment);
    const std::int64_t first = places[segment];
    const bool continues = segment > 0 && places[segment - 1] + in.length(segment - 1) == first;
    const std::int64_t begin = (continues ? first + elements - 1 : first) / elements;
    const std::int64_t end = (first + length + elements - 1) / elements;
    return length == 0 ? 0 : end - begin;
  }
};

/// The inputs of a problem and room for its result, in the memory of the machine.
template <class Machine, class Element>
struct segment_data : whole_output<Machine, Element>
{
  using typename whole_output<Machine, Element>::vector;
  using indices = typename Machine::template vector<std::int32_t>;

  std::int64_t num_items;
  indices offsets, ascending_places, shuffled_places;
  vector values, input;
  std::int64_t ascending_sectors, shuffled_sectors; ///< numbers of sectors that the items at those places touch

  template <class Problem>
  segment_data(Machine& machine, const Problem& problem)
      : num_items(problem.n)
      , offsets(make_offsets(machine, problem.lengths, problem.n))
      , ascending_places(offsets)
      , shuffled_places(offsets.size())
      , values(offsets.size())
      , input(problem.n)
  {
    this->out.resize(problem.n);
    const auto policy = machine.policy();
    // All elements are different, and so are all values, so that the result shows where each came from.
    thrust::sequence(policy, pointer_to(input), pointer_to(input) + input.size(), Element{0});
    thrust::sequence(policy, pointer_to(values), pointer_to(values) + values.size(), Element{1000});
    shuffle_places(machine);
    ascending_sectors = count_sectors(machine, pointer_to(ascending_places));
    shuffled_sectors = count_sectors(machine, pointer_to(shuffled_places));
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, const Policy& policy)
  {
    library.run(typename Problem::operation{}, policy, arguments());
    return num_items;
  }
  template <class Problem>
  work one_call(const Problem&, const vector&)
  {
    using operation = typename Problem::operation;
    constexpr std::int64_t index_bytes = sizeof(std::int32_t);
    constexpr std::int64_t element_bytes = sizeof(Element);
    constexpr int places = operation::ascending_places + operation::shuffled_places;
    const std::int64_t segments = offsets.size();
    const std::int64_t segment_bytes = segments * ((1 + places) * index_bytes + operation::values * element_bytes);
    const std::int64_t sectors =
      operation::ascending_places * ascending_sectors + operation::shuffled_places * shuffled_sectors;
    work result{num_items, segment_bytes + num_items * operation::elements * element_bytes};
    result.segments = segments;
    if (places > 0)
    {
      result.sector_bytes =
        segment_bytes + num_items * (operation::elements - places) * element_bytes + sectors * sector_size;
    }
    return result;
  }

private:
  segment_arguments<Element> arguments()
  {
    return {num_items,          pointer_to(offsets),          pointer_to(offsets) + offsets.size(),
            pointer_to(values), pointer_to(ascending_places), pointer_to(shuffled_places),
            pointer_to(input),  pointer_to(this->out)};
  }

  /// Sets the shuffled places: the segments in a random order, without gaps.
  void shuffle_places(Machine& machine)
  {
    const auto policy = machine.policy();
    const std::int64_t segments = offsets.size();
    indices order(segments);
    indices places(segments);
    const auto first = pointer_to(order);
    const auto last = first + segments;
    thrust::sequence(policy, first, last);
    {
      typename Machine::template vector<std::uint64_t> keys(segments);
      thrust::tabulate(policy, pointer_to(keys), pointer_to(keys) + segments, random_key{});
      thrust::sort_by_key(policy, pointer_to(keys), pointer_to(keys) + segments, first);
    }
    const auto lengths =
      thrust::make_transform_iterator(first, length_of_numbered<segment_arguments<Element>>{arguments()});
    thrust::exclusive_scan(policy, lengths, lengths + segments, pointer_to(places), std::int32_t{0});
    thrust::scatter(policy, pointer_to(places), pointer_to(places) + segments, first, pointer_to(shuffled_places));
  }
  std::int64_t count_sectors(Machine& machine, const std::int32_t* places)
  {
    const thrust::counting_iterator<std::int64_t> numbers(0);
    return thrust::transform_reduce(
      machine.policy(), numbers, numbers + offsets.size(),
      sectors_of_segment<segment_arguments<Element>>{arguments(), places}, std::int64_t{0},
      thrust::plus<std::int64_t>{});
  }
};

template <class Operation, class Element>
using segment_problem = segmented_problem<segment_data, Operation, Element>;

template <class Element>
auto segment_problems_on(const char* type)
{
  return std::make_tuple(
    problems_on<segment_problem<load_balancing_search, Element>>{type},
    problems_on<segment_problem<interval_expand, Element>>{type},
    problems_on<segment_problem<interval_gather, Element>>{type},
    problems_on<segment_problem<interval_gather_shuffled, Element>>{type},
    problems_on<segment_problem<interval_scatter, Element>>{type},
    problems_on<segment_problem<interval_move, Element>>{type});
}
inline auto segment_problems()
{
  return std::tuple_cat(
    mgpu_benchmark::segment_problems_on<std::int32_t>("i32"), mgpu_benchmark::segment_problems_on<std::int64_t>("i64"));
}

} // namespace mgpu_benchmark
