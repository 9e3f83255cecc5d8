// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How the ranks of a communicator find the lower bounds, or the upper bounds, of needles in a haystack; or the rows of
/// an as-of join.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/distributed/distributed_policy.h>
#include <mgpu_thrust/detail/distributed/exchanged_inputs.h>
#include <mgpu_thrust/detail/distributed/total_size.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/reserved_job.h>
#include <mgpu_thrust/detail/execute/temporary_storage.h>
#include <mgpu_thrust/detail/sorted_search/asof_rows.h>
#include <mgpu_thrust/detail/sorted_search/cpu.h>
#include <mgpu_thrust/detail/sorted_search/job.h>
#include <mgpu_thrust/detail/sorted_search/serial.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/sorted_search/launch.cuh>
#endif

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether results are bounds.
template <class Conversion>
inline constexpr bool are_bounds_v = false;
template <class Index>
inline constexpr bool are_bounds_v<to_index<Index>> = true;

/// Returns a conversion of results to bounds, or rows, of 64 bits.
template <class Index>
to_index<std::int64_t> as_64_bits(const to_index<Index>&)
{
  return {};
}
template <class Index, class Direction, class Accept>
to_row<std::int64_t, Direction, Accept> as_64_bits(const to_row<Index, Direction, Accept>& conversion)
{
  return {conversion.direction, conversion.accept};
}

/// The output of the search in a rank's part of the haystack. It writes bounds, or rows, in the whole haystack. Those
/// of needles of this rank's piece go to its result, the others to memory from which they return, one after the other.
template <class Index, class Conversion>
struct returned_results
{
  static constexpr bool is_wanted = true;
  static constexpr bool needs_match = false;
  static constexpr bool needs_equal_end = Conversion::needs_equal_end;
  static constexpr std::int64_t largest = Conversion::largest;
  Index* own;
  Index* others;
  std::int64_t own_begin; ///< number of the first needle of this rank's piece, among the needles that it has
  std::int64_t own_end;
  std::int64_t haystack_begin; ///< where this rank's part begins in the haystack
  std::int64_t copy;           ///< index in the part of an element that is elsewhere in the haystack, or -1
  std::int64_t copy_position;  ///< where that is
  Conversion conversion;       ///< to 64 bits
  std::int64_t first;          ///< number of the needle whose result comes next

  MGPU_THRUST_HOST_DEVICE returned_results operator+(std::int64_t n) const
  {
    returned_results later(*this);
    later.first += n;
    return later;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Result>
  MGPU_THRUST_HOST_DEVICE void append(const Result& found)
  {
    write(0, found);
    ++first;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Result>
  MGPU_THRUST_HOST_DEVICE void write(std::int64_t i, const Result& found)
  {
    const std::int64_t needle = first + i;
    Index& result = needle < own_begin ? others[needle]
                    : needle < own_end ? own[needle - own_begin]
                                       : others[needle - (own_end - own_begin)];
    result = static_cast<Index>(in_haystack(conversion(found)));
  }

private:
  MGPU_THRUST_HOST_DEVICE std::int64_t in_haystack(std::int64_t in_part) const
  {
    return in_part == no_match ? no_match : in_part == copy ? copy_position : haystack_begin + in_part;
  }
};
template <class Index, class Row, class Direction, class Accept>
inline constexpr bool is_row_output_v<returned_results<Index, to_row<Row, Direction, Accept>>> = true;

/// Cuts are on the merge path of A and B, where an element of A comes before its equals in B. So all elements of B on
/// lower ranks go before those of A on this one, and none on higher ranks does. A lower bound of A in B is their
/// number and the bound on this rank. All elements of A on lower ranks go before those of B here, or equal them, and
/// none on higher ranks does: the same holds of an upper bound of B in A. `Needles` is the sequence of the needles: 0
/// of A, 1 of B. Results return to the ranks that brought these.
template <int Needles, class Job, class Result, class Conversion>
struct distributed_search
{
  static_assert(
    std::is_pointer_v<Result>,
    "mgpu_thrust: a search over ranks writes its results to contiguous memory of integers, where they are received");
  using index = std::remove_pointer_t<Result>;
  static constexpr bool finds_rows = is_row_output_v<search_output<Result, Conversion>>;
  static_assert(
    finds_rows || are_bounds_v<Conversion>, "mgpu_thrust: this search has no form for the ranks of a communicator; "
                                            "mgpu_thrust/distributed.h lists those that have one");
  /// The row before a bound, or at it, may be a neighbour of the part. The nearest row may be the last of equal ones.
  static constexpr cut_path path = Conversion::needs_equal_end ? cut_path::merge_and_copies : cut_path::merge;

  template <class Communicator, class Policy>
  static typename Job::result_type run(
    distributed_policy<Communicator, Policy>& policy, const char* algorithm, const Job& job,
    const search_output<index*, Conversion>& output)
  {
    Communicator& communicator = policy.communicator();
    Policy& local = policy.local();
    // 1. Find the cuts.
    exchanged_inputs<Communicator, Policy, decltype(job.inputs), decltype(job.comp)> inputs(
      policy, algorithm, job, path, detail::value_signature<index*>() + Needles);
    if (finds_rows)
    {
      inputs.add_neighbours(1 - Needles);
    }
    std::optional<temporary_storage> storage;
    const auto others = [&] { return static_cast<index*>(storage->data()); };
    const auto job_of_parts = [&]
    { return distributed_search::local_job(job, inputs.parts(), results_of_part(inputs, output, others())); };
    std::optional<reserved_job<Policy, decltype(job_of_parts())>> local_job;
    inputs.find_cuts(
      [&]
      {
        size_checks check(algorithm);
        Job::template check_indices<search_output<index*, Conversion>>(check, inputs.whole_size(1 - Needles));
        const std::int64_t returned = inputs.part_size(Needles) - inputs.own_size(Needles);
        storage.emplace(local, algorithm, static_cast<std::size_t>(returned) * sizeof(index));
        local_job.emplace(local, algorithm, job_of_parts());
      });

    // 2. Move elements.
    inputs.exchange();

    // 3. Search. A rank that fails tells the others, which would wait for its results.
    (void) detail::total_size(
      communicator, algorithm,
      [&]
      {
        local_job->execute();
        return std::int64_t{0};
      });

    // 4. Return the results.
    inputs.return_results(Needles, others(), output.result);
    return job.result();
  }

private:
  template <class Inputs>
  static auto results_of_part(const Inputs& inputs, const search_output<index*, Conversion>& output, index* others)
  {
    const auto conversion = detail::as_64_bits(output.conversion);
    const std::int64_t own_begin = inputs.own_begin(Needles);
    const std::int64_t copy_position = inputs.neighbours(1 - Needles).last_copy;
    const std::int64_t copy = copy_position < 0 ? -1 : inputs.part_size(1 - Needles) - 1;
    return returned_results<index, std::decay_t<decltype(conversion)>>{
      output.result + inputs.own_position(Needles),
      others,
      own_begin,
      own_begin + inputs.own_size(Needles),
      inputs.part_position(1 - Needles),
      copy,
      copy_position,
      conversion,
      0};
  }
  template <class Inputs, class Results>
  static auto local_job(const Job& job, const Inputs& parts, const Results& results)
  {
    if constexpr (Needles == 0)
    {
      return sorted_search_job(job.names, parts, results, no_search_output{}, job.comp, nullptr);
    }
    else
    {
      return sorted_search_job(job.names, parts, no_search_output{}, results, job.comp, nullptr);
    }
  }
};

template <class KeysA, class KeysB, class Result, class Conversion, class Compare>
struct distributed_work<sorted_search_job<
  set_inputs<KeysA, no_values, KeysB, no_values>, search_output<Result, Conversion>, no_search_output, Compare,
  std::nullptr_t>>
{
  template <class Policy, class Job>
  static typename Job::result_type run(Policy& policy, const char* algorithm, const Job& job)
  {
    return distributed_search<0, Job, Result, Conversion>::run(policy, algorithm, job, job.a_output);
  }
};
template <class KeysA, class KeysB, class Result, class Conversion, class Compare>
struct distributed_work<sorted_search_job<
  set_inputs<KeysA, no_values, KeysB, no_values>, no_search_output, search_output<Result, Conversion>, Compare,
  std::nullptr_t>>
{
  template <class Policy, class Job>
  static typename Job::result_type run(Policy& policy, const char* algorithm, const Job& job)
  {
    return distributed_search<1, Job, Result, Conversion>::run(policy, algorithm, job, job.b_output);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
