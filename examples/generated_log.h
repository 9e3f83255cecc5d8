// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A log of requests: what is asked about them; and a generated log, the same on every machine.

#include "hash_of_number.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace example
{

/// Requests in the order of time: a column each for the second, the user, whether it failed, and its milliseconds.
struct request_log
{
  std::vector<int> times, users, failed, latencies;
  std::vector<int> deployments; // times, in order
};

constexpr int hour = 3600; // in seconds

/// The requests of some time: how many there are, how many of them failed, and the milliseconds of the slowest.
struct statistics
{
  int requests, failed, slowest;

  friend bool operator==(const statistics& a, const statistics& b)
  {
    return a.requests == b.requests && a.failed == b.failed && a.slowest == b.slowest;
  }
};

struct statistics_of_request
{
  MGPU_THRUST_HOST_DEVICE statistics operator()(int failed, int latency) const
  {
    return {1, failed, latency};
  }
};

struct combine
{
  MGPU_THRUST_HOST_DEVICE statistics operator()(const statistics& a, const statistics& b) const
  {
    return {a.requests + b.requests, a.failed + b.failed, a.slowest < b.slowest ? b.slowest : a.slowest};
  }
};

/// A user in front, a time behind.
using key = std::uint64_t;

struct make_key
{
  MGPU_THRUST_HOST_DEVICE key operator()(int time, int user) const
  {
    return static_cast<key>(user) << 32 | static_cast<key>(time);
  }
};

struct plus
{
  int amount;

  MGPU_THRUST_HOST_DEVICE int operator()(int number) const
  {
    return number + amount;
  }
};

/// Makes requests of two weeks. A user comes about once a day. After one in six deployments a third of all requests
/// fails, for twenty minutes; otherwise one in a hundred does.
inline request_log make_log(std::int64_t num_requests)
{
  constexpr std::int64_t seconds = 14 * 86400;
  constexpr int between_deployments = 2 * 3600;
  request_log log;
  for (int i = 0; i < seconds / between_deployments; ++i)
  {
    log.deployments.push_back(i * between_deployments + static_cast<int>(hash_of_number(i) % 3600));
  }
  const std::int64_t users_at_a_time = std::max<std::int64_t>(num_requests / 4096, 1);
  int next = 0; // deployment
  for (std::int64_t i = 0; i < num_requests; ++i)
  {
    const auto time = static_cast<int>(i * seconds / num_requests);
    const std::uint64_t random = hash_of_number(static_cast<std::uint64_t>(num_requests + i));
    for (; next < static_cast<int>(log.deployments.size()) && log.deployments[next] <= time; ++next)
    {
    }
    const bool is_bad = next > 0 && time - log.deployments[next - 1] < 1200 && hash_of_number(next) % 6 == 0;
    const bool has_failed = random % 100 < (is_bad ? 33 : 1);
    const std::int64_t first_user = time / 600 * users_at_a_time / 2; // every ten minutes half of them go
    log.times.push_back(time);
    log.users.push_back(static_cast<int>((first_user + (random >> 8) % users_at_a_time) % (72 * users_at_a_time)));
    log.failed.push_back(has_failed);
    log.latencies.push_back(
      static_cast<int>(20 + (random >> 40) % 100 + (has_failed ? 400 + (random >> 48) % 400 : 0)));
  }
  return log;
}

} // namespace example
