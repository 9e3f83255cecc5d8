// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How the ranks of a communicator sort, or merge runs of which each has some.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/distributed/distributed_policy.h>
#include <mgpu_thrust/detail/distributed/sorted_pieces.h>
#include <mgpu_thrust/detail/execute/execute.h>
#include <mgpu_thrust/detail/multiway_merge/job.h>
#include <mgpu_thrust/detail/sort/cpu/cpu.h>
#include <mgpu_thrust/detail/sort/job.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/sort/launch.cuh>
#endif

#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <class Keys, class Values, class Compare>
struct distributed_work<sort_job<Keys, Values, one_segment, Compare>>
{
  using job_type = sort_job<Keys, Values, one_segment, Compare>;

  template <class Communicator, class Policy>
  static nothing run(distributed_policy<Communicator, Policy>& policy, const char* algorithm, const job_type& job)
  {
    if (policy.communicator().size() == 1)
    {
      return detail::execute(policy.local(), algorithm, job);
    }
    detail::merge_sorted_pieces(
      policy, algorithm, job.name, job.keys, job.values, job.count, job.comp,
      [&] { detail::execute(policy.local(), algorithm, job); });
    return {};
  }
};

/// Each rank merges its runs to the output, which is then its piece.
template <class Runs, class Keys, class Values, class Compare>
struct distributed_work<multiway_merge_job<Runs, merged_elements<Keys, Values>, Compare>>
{
  using job_type = multiway_merge_job<Runs, merged_elements<Keys, Values>, Compare>;

  template <class Communicator, class Policy>
  static merged_elements<Keys, Values>
  run(distributed_policy<Communicator, Policy>& policy, const char* algorithm, const job_type& job)
  {
    static_assert(!is_deferred_v<Runs>, "mgpu_thrust: a merge of runs over ranks needs sizes that the host knows");
    static_assert(
      std::is_same_v<std::decay_t<element_t<typename Runs::run_keys>>, typename sent_item<unwrapped_t<Keys>>::type>,
      "mgpu_thrust: a merge of runs over ranks needs an output of the type of the keys");
    if (policy.communicator().size() == 1)
    {
      return detail::execute(policy.local(), algorithm, job);
    }
    const auto piece = job.output.outputs();
    detail::merge_sorted_pieces(
      policy, algorithm, job.name, piece.keys, piece.values, job.runs.num_items, job.comp,
      [&] { (void) detail::execute(policy.local(), algorithm, job); });
    return job.result();
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
