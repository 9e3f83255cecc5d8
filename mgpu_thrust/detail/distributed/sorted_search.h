// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How the ranks of a communicator find the lower bounds, or the upper bounds, of needles in a haystack.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/distributed/distributed_policy.h>
#include <mgpu_thrust/detail/distributed/exchanged_inputs.h>
#include <mgpu_thrust/detail/distributed/total_size.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/execute/reserved_job.h>
#include <mgpu_thrust/detail/execute/temporary_storage.h>
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

/// The output of the search in a rank's part of the haystack. It writes bounds in the whole haystack. Those of needles
/// of this rank's piece go to its result, the others to memory from which they return, one after the other.
template <class Index>
struct returned_bounds
{
  static constexpr bool is_wanted = true;
  static constexpr bool needs_match = false;
  static constexpr bool needs_equal_end = false;
  static constexpr std::int64_t largest = largest_index<Index>;
  Index* own;
  Index* others;
  std::int64_t own_begin; ///< number of the first needle of this rank's piece, among the needles that it has
  std::int64_t own_end;
  std::int64_t haystack_begin; ///< number of the haystack's elements that lower ranks have
  std::int64_t first;          ///< number of the needle whose bound comes next

  MGPU_THRUST_HOST_DEVICE returned_bounds operator+(std::int64_t n) const
  {
    return {own, others, own_begin, own_end, haystack_begin, first + n};
  }
  MGPU_THRUST_HOST_DEVICE void append(const search_result& found)
  {
    write(0, found);
    ++first;
  }
  MGPU_THRUST_HOST_DEVICE void write(std::int64_t i, const search_result& found) const
  {
    const std::int64_t needle = first + i;
    Index& result = needle < own_begin ? others[needle]
                    : needle < own_end ? own[needle - own_begin]
                                       : others[needle - (own_end - own_begin)];
    result = static_cast<Index>(haystack_begin + found.bound);
  }
};

/// Cuts are on the merge path of A and B, where an element of A comes before its equals in B. So all elements of B on
/// lower ranks go before those of A on this one, and none on higher ranks does. A lower bound of A in B is their
/// number and the bound on this rank. All elements of A on lower ranks go before those of B here, or equal them, and
/// none on higher ranks does: the same holds of an upper bound of B in A. `Needles` is the sequence of the needles: 0
/// of A, 1 of B. Bounds return to the ranks that brought these.
template <int Needles, class Job, class Result, class Index>
struct distributed_bounds
{
  static_assert(
    std::is_same_v<Result, Index*>,
    "mgpu_thrust: a search over ranks writes its results to contiguous memory of integers, where they are received");

  template <class Communicator, class Policy>
  static typename Job::result_type
  run(distributed_policy<Communicator, Policy>& policy, const char* algorithm, const Job& job, Index* result)
  {
    Communicator& communicator = policy.communicator();
    Policy& local = policy.local();
    if (communicator.size() == 1)
    {
      return detail::execute(local, algorithm, job);
    }

    // 1. Find the cuts.
    exchanged_inputs<Communicator, Policy, decltype(job.inputs), decltype(job.comp)> inputs(
      policy, algorithm, job, cut_path::merge, detail::value_signature<Index*>());
    std::optional<temporary_storage> storage;
    const auto others = [&] { return static_cast<Index*>(storage->data()); };
    const auto job_of_parts = [&]
    {
      const std::int64_t own_begin = inputs.own_begin(Needles);
      const returned_bounds<Index> bounds{
        result + inputs.own_position(Needles), others(), own_begin, own_begin + inputs.own_size(Needles),
        inputs.part_position(1 - Needles),     0};
      return distributed_bounds::local_job(job, inputs.parts(), bounds);
    };
    std::optional<reserved_job<Policy, decltype(job_of_parts())>> local_job;
    inputs.find_cuts(
      [&]
      {
        size_checks(algorithm).index_range(inputs.whole_size(1 - Needles), largest_index<Index>);
        const std::int64_t returned = inputs.part_size(Needles) - inputs.own_size(Needles);
        storage.emplace(local, algorithm, static_cast<std::size_t>(returned) * sizeof(Index));
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
    inputs.return_results(Needles, others(), result);
    return job.result();
  }

private:
  template <class Inputs>
  static auto local_job(const Job& job, const Inputs& parts, const returned_bounds<Index>& bounds)
  {
    if constexpr (Needles == 0)
    {
      return sorted_search_job(job.names, parts, bounds, no_search_output{}, job.comp, nullptr);
    }
    else
    {
      return sorted_search_job(job.names, parts, no_search_output{}, bounds, job.comp, nullptr);
    }
  }
};

template <class KeysA, class KeysB, class Result, class Index, class Compare>
struct distributed_work<sorted_search_job<
  set_inputs<KeysA, no_values, KeysB, no_values>, search_output<Result, to_index<Index>>, no_search_output, Compare,
  std::nullptr_t>>
{
  template <class Policy, class Job>
  static typename Job::result_type run(Policy& policy, const char* algorithm, const Job& job)
  {
    return distributed_bounds<0, Job, Result, Index>::run(policy, algorithm, job, job.a_output.result);
  }
};
template <class KeysA, class KeysB, class Result, class Index, class Compare>
struct distributed_work<sorted_search_job<
  set_inputs<KeysA, no_values, KeysB, no_values>, no_search_output, search_output<Result, to_index<Index>>, Compare,
  std::nullptr_t>>
{
  template <class Policy, class Job>
  static typename Job::result_type run(Policy& policy, const char* algorithm, const Job& job)
  {
    return distributed_bounds<1, Job, Result, Index>::run(policy, algorithm, job, job.b_output.result);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
