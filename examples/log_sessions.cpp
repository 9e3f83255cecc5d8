// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A log's sessions. Which deployment came last before each error of a web service? In which session of a user was the
// error? How many requests failed in the hour before? How many errors came in the hour after each deployment?
//
// You learn joins by order, where no keys are equal:
//   the last deployment   mgpu::asof_join of the times of errors and deployments
//   the session           what a user does without a pause of half an hour. Requests are sorted by numbers that have
//                         the user in front and the time behind; mgpu::asof_join finds the last begin before an error
//   the hour before       mgpu::window_reduce of the requests between two bounds, of which mgpu::sorted_upper_bound
//                         finds the first. The slowest request is no difference of running totals, so no scan finds it
//   the hour after        mgpu::range_count: deployments are intervals, errors are points
//
// The answers are compared with those of plain loops. The log is generated, the same on every machine.
//
// Usage: log_sessions, or log_sessions --time=2^22, for a table of times for so many requests.

#include <mgpu_thrust/asof_join.h>
#include <mgpu_thrust/range_join.h>
#include <mgpu_thrust/sort.h>
#include <mgpu_thrust/sorted_search.h>
#include <mgpu_thrust/window_reduce.h>

#include "example_support.h"
#include "generated_log.h"
#include "log_today.h"
#include "whole_jobs.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>
#include <thrust/zip_function.h>

#include <cuda/std/functional>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

namespace log_sessions
{

using column = thrust::device_vector<int>;
using example::hour;
using example::key;
using example::plus;
using example::request_log;
using example::statistics;
using keys = thrust::device_vector<key>;

constexpr int pause = 1800; // seconds, after which a session has ended

/// Returns whether a session begins with a request: no key is a short time before. The keys of other users are far.
struct is_begin
{
  const key* sorted;

  MGPU_THRUST_HOST_DEVICE bool operator()(std::int64_t i) const
  {
    return i == 0 || sorted[i] - sorted[i - 1] > pause;
  }
};

// ---- The log on a device ----

struct device_log
{
  column times, users, failed, latencies, deployments;
  column errors, error_times; // the requests that failed, and their times
  keys error_keys;            // in order, by user, then time
  column error_numbers;       // of each such key the error
  keys session_begins;        // the key of the first request of each session, in order

  explicit device_log(const request_log& log)
      : times(log.times.begin(), log.times.end())
      , users(log.users.begin(), log.users.end())
      , failed(log.failed.begin(), log.failed.end())
      , latencies(log.latencies.begin(), log.latencies.end())
      , deployments(log.deployments.begin(), log.deployments.end())
      , errors(times.size())
      , session_begins(times.size())
  {
    find_errors();
    find_sessions();
  }

private:
  void find_errors()
  {
    const thrust::counting_iterator<int> numbers(0);
    const auto end = thrust::copy_if(
      thrust::device, numbers, numbers + times.size(), failed.begin(), errors.begin(), cuda::std::identity{});
    errors.erase(end, errors.end());
    const auto error_users = thrust::make_permutation_iterator(users.begin(), errors.begin());
    const auto first_time = thrust::make_permutation_iterator(times.begin(), errors.begin());
    error_times.assign(first_time, first_time + errors.size());
    error_keys.resize(errors.size());
    error_numbers.resize(errors.size());
    thrust::transform(
      thrust::device, error_times.begin(), error_times.end(), error_users, error_keys.begin(), example::make_key{});
    thrust::sequence(thrust::device, error_numbers.begin(), error_numbers.end());
    mgpu::stable_sort_by_key(thrust::device, error_keys.begin(), error_keys.end(), error_numbers.begin());
  }
  void find_sessions()
  {
    keys sorted(times.size());
    thrust::transform(thrust::device, times.begin(), times.end(), users.begin(), sorted.begin(), example::make_key{});
    mgpu::sort(thrust::device, sorted.begin(), sorted.end());
    const auto end = thrust::copy_if(
      thrust::device, sorted.begin(), sorted.end(), thrust::counting_iterator<std::int64_t>(0), session_begins.begin(),
      is_begin{thrust::raw_pointer_cast(sorted.data())});
    session_begins.erase(end, session_begins.end());
  }
};

/// What is asked for each error, and for each deployment.
struct answers
{
  column deployments, sessions; // the last deployment before an error, -1 if there is none
  thrust::device_vector<statistics> hours;
  column errors_after; // a deployment

  explicit answers(const device_log& log)
      : deployments(log.errors.size())
      , sessions(log.errors.size())
      , hours(log.errors.size())
      , errors_after(log.deployments.size())
  {
  }
};

// ---- The calls ----

struct our_calls
{
  static void find_deployments(const device_log& log, answers& out)
  {
    mgpu::asof_join(
      thrust::device, log.error_times.begin(), log.error_times.end(), log.deployments.begin(), log.deployments.end(),
      out.deployments.begin(), mgpu::backward);
  }
  static void find_sessions(const device_log& log, answers& out)
  {
    // The last session that began before an error is of its user, and has not ended, as the error is in one.
    mgpu::asof_join(
      thrust::device, log.error_keys.begin(), log.error_keys.end(), log.session_begins.begin(),
      log.session_begins.end(), thrust::make_permutation_iterator(out.sessions.begin(), log.error_numbers.begin()),
      mgpu::backward);
  }
  static void find_errors_after(const device_log& log, answers& out)
  {
    mgpu::range_count(
      thrust::device, log.error_times.begin(), log.error_times.end(), log.deployments.begin(), log.deployments.end(),
      thrust::make_transform_iterator(log.deployments.begin(), plus{hour}), out.errors_after.begin());
  }
  static void find_hours(const device_log& log, answers& out)
  {
    column begins(log.errors.size()); // of the windows, which end with the error itself
    const auto hours_begin = thrust::make_transform_iterator(log.error_times.begin(), plus{-hour});
    mgpu::sorted_upper_bound(
      thrust::device, log.times.begin(), log.times.end(), hours_begin, hours_begin + begins.size(), begins.begin());
    const auto items = thrust::make_transform_iterator(
      thrust::make_zip_iterator(log.failed.begin(), log.latencies.begin()),
      thrust::make_zip_function(example::statistics_of_request{}));
    mgpu::window_reduce(
      thrust::device, items, items + log.times.size(), begins.begin(), begins.end(),
      thrust::make_transform_iterator(log.errors.begin(), plus{1}), out.hours.begin(), statistics{0, 0, 0},
      example::combine{});
  }
};

// ---- Plain loops, and times ----

struct plain_answers
{
  std::vector<int> deployments, sessions, errors_after;
  std::vector<statistics> hours;

  explicit plain_answers(const request_log& log)
      : errors_after(log.deployments.size())
  {
    std::vector<int> order(log.times.size()), session_of(log.times.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return log.users[a] < log.users[b]; });
    for (std::size_t i = 1; i < order.size(); ++i)
    {
      const int a = order[i - 1], b = order[i];
      const bool is_same = log.users[a] == log.users[b] && log.times[b] - log.times[a] <= pause;
      session_of[b] = session_of[a] + (is_same ? 0 : 1);
    }
    for (std::size_t error = 0; error < log.times.size(); ++error)
    {
      if (log.failed[error] == 0)
      {
        continue;
      }
      const int time = log.times[error];
      int last = -1;
      for (std::size_t i = 0; i < log.deployments.size() && log.deployments[i] <= time; ++i)
      {
        last = static_cast<int>(i);
        errors_after[i] += time < log.deployments[i] + hour ? 1 : 0;
      }
      deployments.push_back(last);
      sessions.push_back(session_of[error]);
      statistics before{0, 0, 0};
      for (std::size_t i = error + 1; i-- > 0 && log.times[i] > time - hour;)
      {
        before = example::combine{}(before, {1, log.failed[i], log.latencies[i]});
      }
      hours.push_back(before);
    }
  }
};

template <class Calls>
answers find(const device_log& log)
{
  answers found(log);
  Calls::find_deployments(log, found);
  Calls::find_sessions(log, found);
  Calls::find_errors_after(log, found);
  Calls::find_hours(log, found);
  return found;
}

bool is_right(const answers& found, const plain_answers& expected)
{
  return example::to_host(found.deployments) == expected.deployments
         && example::to_host(found.sessions) == expected.sessions && example::to_host(found.hours) == expected.hours
         && example::to_host(found.errors_after) == expected.errors_after;
}

bool answer(const std::string& /* argument */)
{
  const request_log log = example::make_log(1 << 16);
  const device_log on_device(log);
  const answers found = find<our_calls>(on_device);
  std::printf(
    "%zu requests in %zu sessions, %zu errors, %zu deployments\n", log.times.size(), on_device.session_begins.size(),
    on_device.errors.size(), log.deployments.size());
  for (std::size_t i = 200; i < on_device.errors.size(); i += 400)
  {
    const int error = on_device.errors[i], deployment = found.deployments[i], session = found.sessions[i];
    const statistics before = found.hours[i];
    std::printf(
      "The error of user %d in second %d: %d s after deployment %d, in session %d.\n", log.users[error],
      log.times[error], log.times[error] - log.deployments[deployment], deployment, session);
    std::printf(
      "  In the hour before %d of %d requests failed, the slowest took %d ms.\n", before.failed, before.requests,
      before.slowest);
  }
  const plain_answers expected(log);
  const auto worst = std::max_element(expected.errors_after.begin(), expected.errors_after.end());
  std::printf(
    "%d errors are in the hour after deployment %d, more than after any other.\n", *worst,
    static_cast<int>(worst - expected.errors_after.begin()));
  const bool is_ours_right = is_right(found, expected);
  const bool is_todays_right = is_right(find<example::todays_log_calls>(on_device), expected);
  std::printf("Plain loops %s.\n", is_ours_right ? "agree" : "DISAGREE");
  std::printf("Thrust's searches and a loop over each hour %s.\n", is_todays_right ? "agree" : "DISAGREE");
  return is_ours_right && is_todays_right;
}

/// Prints times for so many requests.
void print_table(std::int64_t size)
{
  const device_log log(example::make_log(size));
  answers out(log);
  example::print_times_head("Thrust's searches, and a loop over each hour");
  const auto print = [](const char* what, auto call)
  { example::print_times(what, call, our_calls{}, example::todays_log_calls{}); };
  print("last deployment of each error", [&](auto calls) { calls.find_deployments(log, out); });
  print("session of each error", [&](auto calls) { calls.find_sessions(log, out); });
  print("hour before each error", [&](auto calls) { calls.find_hours(log, out); });
  print("errors after each deployment", [&](auto calls) { calls.find_errors_after(log, out); });
  std::printf("%zu errors, in %zu sessions\n", log.errors.size(), log.session_begins.size());
}

} // namespace log_sessions

int main(int argc, char** argv)
{
  return example::run_job(argc, argv, "", log_sessions::answer, log_sessions::print_table);
}
