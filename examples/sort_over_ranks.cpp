// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Sorts a log whose parts lie on several ranks, each with memory of its own: here threads of one process.
//
// You learn how mgpu::over makes a policy of a communicator and a local policy. Every rank makes the same calls with its
// own part, and gets as many elements as it brought: rank 0 the first ones of all, rank 1 the next ones. The parts have
// any sizes, and most keys are equal, which makes no difference: the result is that of std::stable_sort of the whole log.
// mgpu::rebalance then gives each rank the same number of elements.

#include <mgpu_thrust/distributed.h>

#include "example_support.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

constexpr int num_ranks = 4;
constexpr int sizes[num_ranks] = {60000, 0, 30000, 10000};

/// The hour of an event: most are at noon.
int hour_of(int event)
{
  const std::uint32_t random = static_cast<std::uint32_t>(event) * 2654435761u >> 8;
  return random % 4 != 0 ? 12 : static_cast<int>(random % 24);
}

/// What a rank has: the hours of its events, and their numbers.
struct part
{
  std::vector<int> hours;
  std::vector<int> events;
};

std::vector<part> make_parts()
{
  std::vector<part> parts(num_ranks);
  int event = 0;
  for (int rank = 0; rank < num_ranks; ++rank)
  {
    for (int i = 0; i < sizes[rank]; ++i, ++event)
    {
      parts[rank].hours.push_back(hour_of(event));
      parts[rank].events.push_back(event);
    }
  }
  return parts;
}

/// Sorts the events of all ranks by hour, and divides them evenly.
void sort_events(mgpu::thread_communicator& comm, part& mine)
{
  const auto ranks = mgpu::over(comm, thrust::device);
  thrust::device_vector<int> hours(mine.hours.begin(), mine.hours.end());
  thrust::device_vector<int> events(mine.events.begin(), mine.events.end());
  mgpu::stable_sort_by_key(ranks, hours.begin(), hours.end(), events.begin());

  const auto size = static_cast<std::int64_t>(hours.size());
  const std::int64_t even_size = mgpu::rebalanced_size(ranks, size);
  thrust::device_vector<int> even_hours(even_size);
  thrust::device_vector<int> even_events(even_size);
  mgpu::rebalance(ranks, hours.begin(), hours.end(), even_hours.begin(), even_size);
  mgpu::rebalance(ranks, events.begin(), events.end(), even_events.begin(), even_size);

  mine.hours.resize(even_size);
  mine.events.resize(even_size);
  thrust::copy(even_hours.begin(), even_hours.end(), mine.hours.begin());
  thrust::copy(even_events.begin(), even_events.end(), mine.events.begin());
}

int main()
{
  example::skip_without_device();
  std::vector<part> parts = make_parts();

  // What one thread would do.
  std::vector<int> events(100000);
  std::iota(events.begin(), events.end(), 0);
  std::stable_sort(events.begin(), events.end(), [](int x, int y) { return hour_of(x) < hour_of(y); });

  mgpu::run_on_threads(num_ranks, [&](mgpu::thread_communicator& comm) { sort_events(comm, parts[comm.rank()]); });

  auto next = events.begin();
  for (int rank = 0; rank < num_ranks; ++rank)
  {
    const part& mine = parts[rank];
    std::printf(
      "rank %d: brought %d events, has %zu now, from hour %d to %d\n", rank, sizes[rank], mine.events.size(),
      mine.hours.front(), mine.hours.back());
    if (!std::equal(mine.events.begin(), mine.events.end(), next))
    {
      std::printf("these are not in order\n");
      return EXIT_FAILURE;
    }
    next += static_cast<std::ptrdiff_t>(mine.events.size());
  }
  std::printf("all events are where std::stable_sort puts them\n");
  return EXIT_SUCCESS;
}
