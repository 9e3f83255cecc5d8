// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Questions about a log as they are answered today: by Thrust's searches, and by a loop over each hour.

#include "generated_log.h"

#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/memory.h>
#include <thrust/transform.h>

namespace example
{

/// The statistics of the hour that ends with an error.
struct loop_over_hour
{
  const int *times, *failed, *latencies;

  MGPU_THRUST_HOST_DEVICE statistics operator()(int error) const
  {
    statistics result{0, 0, 0};
    for (int i = error; i >= 0 && times[i] > times[error] - hour; --i)
    {
      result = combine{}(result, statistics_of_request{}(failed[i], latencies[i]));
    }
    return result;
  }
};

/// The calls of the example log_sessions.
struct todays_log_calls
{
  template <class Log, class Answers>
  static void find_deployments(const Log& log, Answers& out)
  {
    thrust::upper_bound(
      thrust::device, log.deployments.begin(), log.deployments.end(), log.error_times.begin(), log.error_times.end(),
      thrust::make_transform_output_iterator(out.deployments.begin(), plus{-1}));
  }
  template <class Log, class Answers>
  static void find_sessions(const Log& log, Answers& out)
  {
    thrust::upper_bound(
      thrust::device, log.session_begins.begin(), log.session_begins.end(), log.error_keys.begin(),
      log.error_keys.end(),
      thrust::make_transform_output_iterator(
        thrust::make_permutation_iterator(out.sessions.begin(), log.error_numbers.begin()), plus{-1}));
  }
  template <class Log, class Answers>
  static void find_errors_after(const Log& log, Answers& out)
  {
    const auto ends = thrust::make_transform_iterator(log.deployments.begin(), plus{hour});
    thrust::device_vector<int> firsts(log.deployments.size());
    thrust::lower_bound(
      thrust::device, log.error_times.begin(), log.error_times.end(), log.deployments.begin(), log.deployments.end(),
      firsts.begin());
    thrust::lower_bound(
      thrust::device, log.error_times.begin(), log.error_times.end(), ends, ends + firsts.size(),
      out.errors_after.begin());
    thrust::transform(
      thrust::device, out.errors_after.begin(), out.errors_after.end(), firsts.begin(), out.errors_after.begin(),
      thrust::minus<int>{});
  }
  template <class Log, class Answers>
  static void find_hours(const Log& log, Answers& out)
  {
    thrust::transform(
      thrust::device, log.errors.begin(), log.errors.end(), out.hours.begin(),
      loop_over_hour{
        thrust::raw_pointer_cast(log.times.data()), thrust::raw_pointer_cast(log.failed.data()),
        thrust::raw_pointer_cast(log.latencies.data())});
  }
};

} // namespace example
