// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Sorts a log whose parts lie on several ranks, each with memory of its own: here threads of one process, and in
// sort_over_gpus.cu, which includes this file, GPUs.
//
// You learn how mgpu::over makes a policy of a communicator and a local policy. Every rank makes the same calls with
// its own part, and gets as many elements as it brought: rank 0 the first ones of all, rank 1 the next ones. The parts
// have any sizes, and most keys are equal, which makes no difference: the result is that of std::stable_sort of the
// whole log. mgpu::rebalance then gives each rank the same number of elements.

#include <mgpu_thrust/distributed.h>
#if defined(EXAMPLE_OVER_GPUS)
#  include <mgpu_thrust/distributed/nccl_communicator.cuh>
#endif

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

constexpr int sizes[] = {60000, 0, 30000, 10000}; // of ranks 0 to 3, and again from rank 4 on

#if defined(EXAMPLE_OVER_GPUS)
int number_of_ranks()
{
  int devices = 0;
  example::check_cuda(cudaGetDeviceCount(&devices));
  return devices;
}
/// Calls f(communicator) on all ranks.
template <class Function>
void run_on_ranks(int num_ranks, Function f)
{
  std::vector<int> devices(num_ranks);
  std::iota(devices.begin(), devices.end(), 0);
  mgpu::run_on_gpus(devices, f);
}
#else
int number_of_ranks()
{
  return 4;
}
/// Calls f(communicator) on all ranks.
template <class Function>
void run_on_ranks(int num_ranks, Function f)
{
  mgpu::run_on_threads(num_ranks, f);
}
#endif

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

std::vector<part> make_parts(int num_ranks)
{
  std::vector<part> parts(num_ranks);
  int event = 0;
  for (int rank = 0; rank < num_ranks; ++rank)
  {
    for (int i = 0; i < sizes[rank % 4]; ++i, ++event)
    {
      parts[rank].hours.push_back(hour_of(event));
      parts[rank].events.push_back(event);
    }
  }
  return parts;
}

/// Sorts the events of all ranks by hour, and divides them evenly.
template <class Communicator>
void sort_events(Communicator& comm, part& mine)
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
  const int num_ranks = number_of_ranks();
  std::vector<part> parts = make_parts(num_ranks);

  // What one thread would do.
  std::size_t num_events = 0;
  for (const part& one : parts)
  {
    num_events += one.events.size();
  }
  std::vector<int> events(num_events);
  std::iota(events.begin(), events.end(), 0);
  std::stable_sort(events.begin(), events.end(), [](int x, int y) { return hour_of(x) < hour_of(y); });

  run_on_ranks(num_ranks, [&](auto& comm) { sort_events(comm, parts[comm.rank()]); });

  auto next = events.begin();
  for (int rank = 0; rank < num_ranks; ++rank)
  {
    const part& mine = parts[rank];
    std::printf(
      "rank %d: brought %d events, has %zu now, from hour %d to %d\n", rank, sizes[rank % 4], mine.events.size(),
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
