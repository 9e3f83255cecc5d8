// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The benchmarks of set operations on pairs of lists, the same on a CPU and on a GPU: the problems, our library, a
/// loop that merges a pair, and how a result is checked.

#include "../examples/rmat_graph.h"
#include "harness.h"
#include "segment_lengths.h"

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/segmented_set_operations.h>

#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/tabulate.h>

#include <cuda/atomic>
#include <cuda/std/functional>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace mgpu_benchmark
{

/// The only form of operations on pairs of lists.
struct pairs_form
{
  static constexpr const char* name = "pairs";
};

/// A named distribution of the lengths of both lists of a pair.
struct pair_lengths
{
  enum kinds
  {
    random,            ///< in [1, 2 * mean - 1]
    equal,             ///< all lists of a side have the mean length
    half_empty,        ///< random, but each list is empty with a probability of one half
    power_law_similar, ///< n / 128 pairs; the k-th largest in proportion to k^(-9/8), divided into two lists of equal length
    power_law_independent, ///< as these, but the lists of B are in another random order
    one_pair,
    rmat ///< the neighbours of both ends of each edge of an RMAT graph, for which n edges are drawn, 16 a vertex: far more
         ///< than n elements in all, so it is not listed
  };

  std::string name;
  kinds kind;
  std::int64_t a_mean = 0;
  std::int64_t b_mean = 0;
  bool are_shuffled = false; ///< pairs are in a random order, not in that of their lists
};

/// Makes lengths from their name: random ones, mean_N, equal ones, equal_N and M_against_N, and each named kind; all of
/// them shuffled too, as mean_4_shuffled. M and N are numbers as of --n.
inline std::optional<pair_lengths> make_input(const pair_lengths&, const std::string& name)
{
  const std::string suffix = "_shuffled";
  pair_lengths made{name, pair_lengths::random};
  std::string kind = name;
  if (kind.size() > suffix.size() && kind.compare(kind.size() - suffix.size(), suffix.size(), suffix) == 0)
  {
    made.are_shuffled = true;
    kind.resize(kind.size() - suffix.size());
  }
  const std::pair<const char*, pair_lengths::kinds> kinds[]{
    {"half_empty", pair_lengths::half_empty},
    {"power_law_similar", pair_lengths::power_law_similar},
    {"power_law_independent", pair_lengths::power_law_independent},
    {"one_pair", pair_lengths::one_pair},
    {"rmat", pair_lengths::rmat}};
  for (const auto& [known, value] : kinds)
  {
    if (kind == known)
    {
      made.kind = value;
      made.a_mean = made.b_mean = 8; // of random lengths
      return made;
    }
  }
  try
  {
    const std::string against = "_against_";
    const std::size_t place = kind.find(against);
    if (place != std::string::npos)
    {
      made.kind = pair_lengths::equal;
      made.a_mean = parse_count(kind.substr(0, place));
      made.b_mean = parse_count(kind.substr(place + against.size()));
    }
    else
    {
      const std::size_t number = kind.find('_') + 1;
      const std::string how = kind.substr(0, number);
      made.kind = how == "equal_" ? pair_lengths::equal : pair_lengths::random;
      made.a_mean = made.b_mean = how == "equal_" || how == "mean_" ? parse_count(kind.substr(number)) : 0;
    }
  }
  catch (const std::exception&) // no number: an unknown name like others
  {
    return std::nullopt;
  }
  const bool are_lengths = std::min(made.a_mean, made.b_mean) > 0 && std::max(made.a_mean, made.b_mean) <= 1 << 30;
  return are_lengths ? std::optional(made) : std::nullopt;
}

inline std::vector<pair_lengths> all_pair_lengths()
{
  std::vector<pair_lengths> all;
  for (const char* const name :
       {"mean_4", "mean_4_shuffled", "mean_64", "mean_64_shuffled", "mean_4096", "equal_1", "8_against_8192",
        "half_empty", "power_law_similar", "power_law_independent", "one_pair"})
  {
    all.push_back(*make_input(pair_lengths{}, name));
  }
  return all;
}

/// Returns the numbers below `count` in a random order, the same on every machine.
inline std::vector<std::int32_t> shuffled_numbers(std::int64_t count, std::uint64_t seed)
{
  std::vector<std::int32_t> numbers;
  for (std::int64_t i = 0; i < count; ++i)
  {
    const std::uint64_t draw = random_bits((seed << 40) + static_cast<std::uint64_t>(i));
    const auto place = static_cast<std::size_t>(draw % static_cast<std::uint64_t>(i + 1));
    numbers.push_back(static_cast<std::int32_t>(i));
    std::swap(numbers[place], numbers.back());
  }
  return numbers;
}

/// Returns the lengths of the lists of one side by a power law: n in all, but for roundings.
inline std::vector<std::int64_t> lengths_by_power_law(std::int64_t pairs, std::int64_t n, std::uint64_t seed)
{
  // k^(-9/8) by operations that all machines round alike.
  const auto share = [](std::int64_t rank)
  {
    const auto k = static_cast<double>(rank + 1);
    return 1 / (k * std::sqrt(std::sqrt(std::sqrt(k))));
  };
  double all = 0;
  for (std::int64_t rank = 0; rank < pairs; ++rank)
  {
    all += share(rank);
  }
  std::vector<std::int64_t> lengths;
  for (const std::int32_t rank : shuffled_numbers(pairs, seed))
  {
    lengths.push_back(static_cast<std::int64_t>(share(rank) / all * static_cast<double>(n)));
  }
  return lengths;
}

/// Lists in two arrays, and which of them are pairs.
struct host_pairs
{
  std::vector<std::int32_t> a_offsets{0}; ///< of generated lists, and the end of the last
  std::vector<std::int32_t> b_offsets{0};
  std::vector<std::int32_t> neighbours; ///< of a graph, the elements of both arrays
  std::vector<std::int32_t> a_begins, a_ends, b_begins, b_ends;

  host_pairs(const pair_lengths& chosen, std::int64_t n)
  {
    if (chosen.kind == pair_lengths::rmat)
    {
      pair_neighbours(n);
    }
    else
    {
      pair_generated_lists(chosen, n);
    }
    if (chosen.are_shuffled)
    {
      const std::vector<std::int32_t> order = shuffled_numbers(static_cast<std::int64_t>(a_begins.size()), 3);
      for (auto* const bounds : {&a_begins, &a_ends, &b_begins, &b_ends})
      {
        std::vector<std::int32_t> shuffled;
        for (const std::int32_t pair : order)
        {
          shuffled.push_back((*bounds)[pair]);
        }
        *bounds = std::move(shuffled);
      }
    }
  }

private:
  void add_pair(std::int64_t a_length, std::int64_t b_length)
  {
    a_offsets.push_back(static_cast<std::int32_t>(a_offsets.back() + a_length));
    b_offsets.push_back(static_cast<std::int32_t>(b_offsets.back() + b_length));
  }

  /// Adds pairs until there are n elements, or as many pairs as the kind has.
  void pair_generated_lists(const pair_lengths& chosen, std::int64_t n)
  {
    if (chosen.kind == pair_lengths::one_pair)
    {
      add_pair(n / 2, n - n / 2);
    }
    else if (chosen.kind == pair_lengths::power_law_similar || chosen.kind == pair_lengths::power_law_independent)
    {
      const std::int64_t pairs = std::max<std::int64_t>(n / 128, 1);
      const bool are_similar = chosen.kind == pair_lengths::power_law_similar;
      const std::vector<std::int64_t> a_lengths = lengths_by_power_law(pairs, n / 2, 1);
      const std::vector<std::int64_t> b_lengths = lengths_by_power_law(pairs, n / 2, are_similar ? 1 : 2);
      for (std::int64_t pair = 0; pair < pairs; ++pair)
      {
        add_pair(a_lengths[pair], b_lengths[pair]);
      }
    }
    else
    {
      std::int64_t left = n;
      for (std::int64_t pair = 0; left > 0; ++pair)
      {
        std::int64_t a_length = length(chosen, chosen.a_mean, 2 * pair);
        std::int64_t b_length = length(chosen, chosen.b_mean, 2 * pair + 1);
        if (a_length + b_length > left)
        {
          a_length = left * a_length / (a_length + b_length);
          b_length = left - a_length;
        }
        add_pair(a_length, b_length);
        left -= a_length + b_length;
      }
    }
    a_begins.assign(a_offsets.begin(), a_offsets.end() - 1);
    a_ends.assign(a_offsets.begin() + 1, a_offsets.end());
    b_begins.assign(b_offsets.begin(), b_offsets.end() - 1);
    b_ends.assign(b_offsets.begin() + 1, b_offsets.end());
  }
  static std::int64_t length(const pair_lengths& chosen, std::int64_t mean, std::int64_t list)
  {
    const bool is_empty =
      chosen.kind == pair_lengths::half_empty && random_bits(static_cast<std::uint64_t>(list) + (1ull << 40)) % 2 == 0;
    return is_empty ? 0 : length_of_segment{mean, chosen.kind == pair_lengths::equal}(list);
  }

  void pair_neighbours(std::int64_t n)
  {
    int scale = 0;
    while ((std::int64_t{32} << scale) <= n)
    {
      ++scale;
    }
    const std::size_t num_vertices = std::size_t{1} << scale;
    example::edges all = example::rmat_edges(scale, n);
    example::orient_by_degrees(num_vertices, all);
    const example::graph graph = example::make_graph(num_vertices, all);
    neighbours = graph.neighbours;
    const auto& starts = graph.row_starts;
    for (const auto& [u, v] : all)
    {
      a_begins.push_back(static_cast<std::int32_t>(starts[u]));
      a_ends.push_back(static_cast<std::int32_t>(starts[u + 1]));
      b_begins.push_back(static_cast<std::int32_t>(starts[v]));
      b_ends.push_back(static_cast<std::int32_t>(starts[v + 1]));
    }
  }
};

/// Returns the elements of a side's generated lists, by their indices. A list has an element at a random place of each
/// of equal intervals, so that it ascends. About half of a pair's shorter list is in the longer one.
struct element_of_lists
{
  const std::int32_t* own_offsets;
  const std::int32_t* other_offsets;
  std::int64_t num_pairs;
  bool is_b;

  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int64_t index) const
  {
    const std::int64_t pair =
      thrust::upper_bound(thrust::seq, own_offsets, own_offsets + num_pairs + 1, index) - own_offsets - 1;
    const std::int64_t length = own_offsets[pair + 1] - own_offsets[pair];
    const std::int64_t other = other_offsets[pair + 1] - other_offsets[pair];
    const std::int64_t places = length < other ? other : length;
    const std::int64_t i = index - own_offsets[pair];
    const std::int64_t begin = i * places / length;
    const std::int64_t end = (i + 1) * places / length;
    const std::uint64_t bits = random_bits(2 * static_cast<std::uint64_t>(index) + (is_b ? 1 : 0));
    const auto place = begin + static_cast<std::int64_t>((bits >> 1) % static_cast<std::uint64_t>(end - begin));
    return static_cast<std::int32_t>(2 * place + static_cast<std::int64_t>(bits & 1));
  }
};

/// Returns the value of an element of a side's matrix: a small number, so that sums are exact in all libraries.
struct value_of_element
{
  bool is_b;

  MGPU_THRUST_HOST_DEVICE float operator()(std::int64_t index) const
  {
    return static_cast<float>(1 + random_bits(2 * static_cast<std::uint64_t>(index) + (is_b ? 1 : 0)) % 8);
  }
};

/// The arguments of a call. Rows of matrices in CSR are pairs, too: then `a_begins` are the offsets of A's rows and the
/// end of the last one, and elements are columns.
struct pair_arguments
{
  std::int64_t num_pairs;
  const std::int32_t* a;
  const std::int32_t* a_begins;
  const std::int32_t* a_ends;
  const std::int32_t* b;
  const std::int32_t* b_begins;
  const std::int32_t* b_ends;
  std::int32_t* out;
  std::int32_t* second_out; ///< positions in B
  std::int32_t* offsets_out;
  const float* a_values;
  const float* b_values;
  float* values_out;
  std::int64_t a_count; ///< of all lists of A
  std::int64_t b_count;
  std::int64_t num_columns;     ///< above all elements
  std::int64_t max_merge_steps; ///< the most elements of a pair
  std::int64_t
    max_search_steps; ///< the most probes of a pair, if each element of the shorter list bisects the longer one
};

// The operations. Lists have no duplicates, so that an element has one match at most.
struct operation_on_pairs
{
  static constexpr bool visits = false;
  static constexpr bool stops_early = false;
  static constexpr bool writes_lists = false; ///< results of all pairs, one after the other, and their offsets
  static constexpr bool writes_positions = false;
  static constexpr bool writes_values = false; ///< pairs are the rows of matrices, which are added
  static constexpr bool keeps_all = false;     ///< elements of A and of B
};
struct segmented_set_intersection_size : operation_on_pairs
{
  static constexpr const char* name = "segmented_set_intersection_size";
};
struct segmented_have_overlap : operation_on_pairs
{
  static constexpr const char* name = "segmented_have_overlap";
  static constexpr bool stops_early = true;
};
struct for_each_in_intersections : operation_on_pairs
{
  static constexpr const char* name = "for_each_in_intersections";
  static constexpr bool visits = true;
};
struct segmented_set_intersection : operation_on_pairs
{
  static constexpr const char* name = "segmented_set_intersection";
  static constexpr bool writes_lists = true;
};
struct segmented_set_intersection_indices : operation_on_pairs
{
  static constexpr const char* name = "segmented_set_intersection_indices";
  static constexpr bool writes_lists = true;
  static constexpr bool writes_positions = true;
};
struct segmented_set_union : operation_on_pairs
{
  static constexpr const char* name = "segmented_set_union";
  static constexpr bool writes_lists = true;
  static constexpr bool keeps_all = true;
};
struct segmented_set_union_by_key : segmented_set_union
{
  static constexpr const char* name = "segmented_set_union_by_key";
  static constexpr bool writes_values = true;
};

// The factors of A and of B in a sum of matrices.
inline constexpr float factor_of_a = 0.5f;
inline constexpr float factor_of_b = -2.0f;

/// Returns a value times a factor.
struct scaled_by
{
  float factor;

  MGPU_THRUST_HOST_DEVICE float operator()(float value) const
  {
    return factor * value;
  }
};

/// Marks an element of A that has a match. Several pairs may have its list, so the store is atomic, which costs
/// nothing.
struct mark_in_a
{
  std::int32_t* marks;

  MGPU_THRUST_HOST_DEVICE void operator()(std::int64_t, std::int64_t i, std::int64_t) const
  {
    ::cuda::atomic_ref<std::int32_t, ::cuda::thread_scope_device>(marks[i]).store(1, ::cuda::memory_order_relaxed);
  }
};

// A library executes an operation.
struct mgpu_segmented_set_operations
{
  static constexpr const char* name = "mgpu";

  template <class Policy>
  static void run(segmented_set_intersection_size, const Policy& policy, const pair_arguments& in)
  {
    mgpu::segmented_set_intersection_size(
      policy, in.a, in.a_begins, in.a_ends, in.b, in.b_begins, in.b_ends, in.num_pairs, in.out);
  }
  template <class Policy>
  static void run(segmented_have_overlap, const Policy& policy, const pair_arguments& in)
  {
    mgpu::segmented_have_overlap(
      policy, in.a, in.a_begins, in.a_ends, in.b, in.b_begins, in.b_ends, in.num_pairs, in.out);
  }
  template <class Policy>
  static void run(for_each_in_intersections, const Policy& policy, const pair_arguments& in)
  {
    mgpu::for_each_in_intersections(
      policy, in.a, in.a_begins, in.a_ends, in.b, in.b_begins, in.b_ends, in.num_pairs, mark_in_a{in.out});
  }
  template <class Policy>
  static void run(segmented_set_intersection, const Policy& policy, const pair_arguments& in)
  {
    mgpu::segmented_set_intersection(
      policy, in.a, in.a_begins, in.a_ends, in.b, in.b_begins, in.b_ends, in.num_pairs, in.out, in.offsets_out);
  }
  template <class Policy>
  static void run(segmented_set_intersection_indices, const Policy& policy, const pair_arguments& in)
  {
    mgpu::segmented_set_intersection_indices(
      policy, in.a, in.a_begins, in.a_ends, in.b, in.b_begins, in.b_ends, in.num_pairs, in.out, in.second_out,
      in.offsets_out);
  }
  template <class Policy>
  static void run(segmented_set_union, const Policy& policy, const pair_arguments& in)
  {
    mgpu::segmented_set_union(
      policy, in.a, in.a_begins, in.a_ends, in.b, in.b_begins, in.b_ends, in.num_pairs, in.out, in.offsets_out);
  }
  template <class Policy>
  static void run(segmented_set_union_by_key, const Policy& policy, const pair_arguments& in)
  {
    mgpu::segmented_set_union_by_key(
      policy, in.a, in.a_begins, in.a_ends, in.b, in.b_begins, in.b_ends, in.num_pairs,
      thrust::make_transform_iterator(in.a_values, scaled_by{factor_of_a}),
      thrust::make_transform_iterator(in.b_values, scaled_by{factor_of_b}), in.out, in.values_out, in.offsets_out,
      ::cuda::std::less<>{}, ::cuda::std::plus<>{});
  }
};

/// Merges the lists of a pair, for an operation without lists as results: the textbook loop with two positions.
template <class Operation>
MGPU_THRUST_HOST_DEVICE void merge_pair(Operation, const pair_arguments& in, std::int64_t pair)
{
  std::int32_t i = in.a_begins[pair];
  std::int32_t j = in.b_begins[pair];
  const std::int32_t a_end = in.a_ends[pair];
  const std::int32_t b_end = in.b_ends[pair];
  std::int32_t count = 0;
  while (i < a_end && j < b_end && !(Operation::stops_early && count > 0))
  {
    const std::int32_t x = in.a[i];
    const std::int32_t y = in.b[j];
    if constexpr (Operation::visits)
    {
      if (x == y)
      {
        mark_in_a{in.out}(pair, i, j);
      }
    }
    count += x == y ? 1 : 0;
    i += x <= y ? 1 : 0;
    j += y <= x ? 1 : 0;
  }
  if constexpr (!Operation::visits)
  {
    in.out[pair] = count;
  }
}

/// The same loop for an operation with lists as results. Writes the result of a pair from its offset on, or only counts
/// its elements; returns their number.
template <bool Writes, class Operation>
MGPU_THRUST_HOST_DEVICE std::int32_t merge_lists(Operation, const pair_arguments& in, std::int64_t pair)
{
  std::int32_t i = in.a_begins[pair];
  std::int32_t j = in.b_begins[pair];
  const std::int32_t a_end = in.a_ends[pair];
  const std::int32_t b_end = in.b_ends[pair];
  std::int32_t count = 0;
  while (Operation::keeps_all ? i < a_end || j < b_end : i < a_end && j < b_end)
  {
    const bool takes_a = j == b_end || (i < a_end && in.a[i] <= in.b[j]);
    const bool takes_b = i == a_end || (j < b_end && in.b[j] <= in.a[i]);
    if (Operation::keeps_all || (takes_a && takes_b))
    {
      if constexpr (Writes)
      {
        const std::int32_t place = in.offsets_out[pair] + count;
        in.out[place] = Operation::writes_positions ? i : takes_a ? in.a[i] : in.b[j];
        if constexpr (Operation::writes_positions)
        {
          in.second_out[place] = j;
        }
        if constexpr (Operation::writes_values)
        {
          in.values_out[place] =
            (takes_a ? factor_of_a * in.a_values[i] : 0.0f) + (takes_b ? factor_of_b * in.b_values[j] : 0.0f);
        }
      }
      ++count;
    }
    i += takes_a ? 1 : 0;
    j += takes_b ? 1 : 0;
  }
  return count;
}

/// The result of a problem.
template <class Machine>
struct pairs_result
{
  typename Machine::template vector<std::int32_t> numbers;
  typename Machine::template vector<float> values;
};

/// The inputs of a problem and room for its result, in the memory of the machine. Lists as results have room for all
/// elements, which positions in A and in B divide into halves; then follow their offsets.
template <class Machine>
struct pairs_data
{
  using result = pairs_result<Machine>;
  using vector = typename Machine::template vector<std::int32_t>;
  using values_vector = typename Machine::template vector<float>;

  std::int64_t pairs;
  vector a, b, a_begins, a_ends, b_begins, b_ends; ///< of matrices, begins are all offsets, and there are no ends
  values_vector a_values, b_values;                ///< of matrices
  result output;
  std::int64_t elements = 0; ///< of the lists of all pairs
  std::int64_t max_length = 0;
  std::int64_t max_merge_steps = 0;
  std::int64_t max_search_steps = 0;

  template <class Problem>
  pairs_data(Machine& machine, const Problem& problem)
      : pairs_data(machine, host_pairs(problem.lengths, problem.n), Problem::operation::writes_values)
  {
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, const Policy& policy)
  {
    std::int32_t* const out = pointer_to(output.numbers);
    library.run(
      typename Problem::operation{}, policy,
      pair_arguments{
        pairs, pointer_to(a), pointer_to(a_begins), a_ends.empty() ? pointer_to(a_begins) + 1 : pointer_to(a_ends),
        pointer_to(b.empty() ? a : b), pointer_to(b_begins),
        b_ends.empty() ? pointer_to(b_begins) + 1 : pointer_to(b_ends), out, out + elements / 2, out + elements,
        pointer_to(a_values), pointer_to(b_values), pointer_to(output.values), static_cast<std::int64_t>(a.size()),
        static_cast<std::int64_t>(b.size()),
        std::max(pairs, 2 * max_length), // square matrices, if that is enough for element_of_lists
        max_merge_steps, max_search_steps});
    return pairs;
  }
  void poison(Machine& machine)
  {
    fill_all(machine, output.numbers, -77);
    fill_all(machine, output.values, -77);
  }
  template <class Problem>
  result* keep_result(const Problem&, std::int64_t)
  {
    return new result(output);
  }
  template <class Problem>
  void check(Machine& machine, const Problem&, const result& expected, std::int64_t)
  {
    if (!begins_with(machine, output.numbers, expected.numbers))
    {
      throw std::runtime_error("wrong result");
    }
    if (!begins_with(machine, output.values, expected.values))
    {
      throw std::runtime_error("wrong result: the values");
    }
  }
  /// The work of a call: each element of each pair is read once, and the bounds of its lists, and each element of a
  /// resulting list is written. A number a pair, as a result, is not counted.
  template <class Problem>
  work one_call(const Problem&, const result& expected)
  {
    using operation = typename Problem::operation;
    const std::int64_t written = operation::writes_lists ? std::int64_t{expected.numbers.back()} : 0;
    const std::int64_t bounds = (operation::writes_values ? 2 : 4) * pairs;
    const std::int64_t numbers = operation::writes_values      ? 2 * (elements + written)
                                 : operation::writes_positions ? elements + 2 * written
                                                               : elements + written;
    work one{elements, (numbers + bounds) * std::int64_t{sizeof(std::int32_t)}};
    one.segments = pairs;
    return one;
  }

private:
  pairs_data(Machine& machine, const host_pairs& host, bool are_matrices)
      : pairs(static_cast<std::int64_t>(host.a_begins.size()))
  {
    for (std::int64_t pair = 0; pair < pairs; ++pair)
    {
      const std::int64_t a_length = host.a_ends[pair] - host.a_begins[pair];
      const std::int64_t b_length = host.b_ends[pair] - host.b_begins[pair];
      elements += a_length + b_length;
      max_length = std::max(max_length, std::max(a_length, b_length));
      max_merge_steps = std::max(max_merge_steps, a_length + b_length);
      std::int64_t probes = std::min(a_length, b_length);
      for (std::int64_t left = std::max(a_length, b_length); left > 1; left /= 2)
      {
        probes += std::min(a_length, b_length);
      }
      max_search_steps = std::max(max_search_steps, probes);
    }
    output.numbers.resize(std::max<std::size_t>(host.neighbours.size(), pairs)); // for marks in A too
    if (!host.neighbours.empty())
    {
      a = vector(host.neighbours.begin(), host.neighbours.end());
    }
    else
    {
      output.numbers.resize(elements + pairs + 1);
      const vector a_offsets(host.a_offsets.begin(), host.a_offsets.end());
      const vector b_offsets(host.b_offsets.begin(), host.b_offsets.end());
      make_elements(machine, a, a_offsets, b_offsets, false);
      make_elements(machine, b, b_offsets, a_offsets, true);
      if (are_matrices)
      {
        a_begins = a_offsets;
        b_begins = b_offsets;
        make_values(machine, a_values, a.size(), false);
        make_values(machine, b_values, b.size(), true);
        output.values.resize(elements);
        return;
      }
    }
    a_begins = vector(host.a_begins.begin(), host.a_begins.end());
    a_ends = vector(host.a_ends.begin(), host.a_ends.end());
    b_begins = vector(host.b_begins.begin(), host.b_begins.end());
    b_ends = vector(host.b_ends.begin(), host.b_ends.end());
  }

  static void make_elements(Machine& machine, vector& elements, const vector& own, const vector& other, bool is_b)
  {
    const std::int64_t pairs = own.size() - 1;
    elements.resize(own.back());
    thrust::tabulate(
      machine.policy(), pointer_to(elements), pointer_to(elements) + elements.size(),
      element_of_lists{pointer_to(own), pointer_to(other), pairs, is_b});
  }
  static void make_values(Machine& machine, values_vector& values, std::size_t count, bool is_b)
  {
    values.resize(count);
    thrust::tabulate(machine.policy(), pointer_to(values), pointer_to(values) + values.size(), value_of_element{is_b});
  }
};

template <class Operation>
struct pairs_problem : problem_of_lengths<Operation, pairs_form, pair_lengths>
{
  template <class Machine>
  using data = pairs_data<Machine>;

  /// Lists are not the results of a graph's pairs, for which there may be no room, and of one pair, which takes the
  /// reference, a thread a pair, too long. Rows of matrices are in their order.
  static bool takes(const pair_lengths& lengths)
  {
    return !Operation::writes_lists
           || (lengths.kind != pair_lengths::rmat && lengths.kind != pair_lengths::one_pair
               && !(Operation::writes_values && lengths.are_shuffled));
  }
};

inline auto pairs_problems()
{
  return std::make_tuple(
    problems_on<pairs_problem<segmented_set_intersection_size>>{"i32"},
    problems_on<pairs_problem<segmented_have_overlap>>{"i32"},
    problems_on<pairs_problem<for_each_in_intersections>>{"i32"},
    problems_on<pairs_problem<segmented_set_intersection>>{"i32"},
    problems_on<pairs_problem<segmented_set_intersection_indices>>{"i32"},
    problems_on<pairs_problem<segmented_set_union>>{"i32"},
    problems_on<pairs_problem<segmented_set_union_by_key>>{"i32+f32"});
}

} // namespace mgpu_benchmark
