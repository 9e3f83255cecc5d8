// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Cases specific to the TBB policies: comparators that use TBB themselves, and calls in a cancelled group.

#if MGPU_THRUST_HAS_TBB

#  include "support/systems.h"

#  include <mgpu_thrust/semi_join.h>
#  include <mgpu_thrust/set_operations.h>

#  include <gtest/gtest.h>

#  include <tbb/global_control.h>
#  include <tbb/parallel_for.h>
#  include <tbb/task_arena.h>
#  include <tbb/task_group.h>

#  include <algorithm>
#  include <atomic>
#  include <chrono>
#  include <cstdint>
#  include <cstdlib>
#  include <future>
#  include <iostream>
#  include <iterator>
#  include <thread>
#  include <vector>

namespace
{

/// Comparator that uses other threads in one of 512 calls.
struct parallel_order
{
  std::atomic<std::int64_t>* calls;

  bool operator()(int x, int y) const
  {
    if (calls->fetch_add(1, std::memory_order_relaxed) % 512 != 0)
    {
      return x < y;
    }
    std::atomic<int> less{0};
    tbb::parallel_for(
      0, 64,
      [&](int)
      {
        std::this_thread::yield();
        less += x < y;
      },
      tbb::simple_partitioner{});
    return less == 64;
  }
};

/// Ends the program if f() takes a minute, because a call that hangs cannot be interrupted.
template <class Function>
void run_in_time(Function f)
{
  std::promise<void> done;
  std::thread watch(
    [ended = done.get_future()]
    {
      if (ended.wait_for(std::chrono::minutes(1)) == std::future_status::timeout)
      {
        std::cerr << "the call hangs" << std::endl;
        std::_Exit(EXIT_FAILURE);
      }
    });
  f();
  done.set_value();
  watch.join();
}

std::vector<int> multiples_of(int factor, int count)
{
  std::vector<int> numbers(count);
  for (int i = 0; i < count; ++i)
  {
    numbers[i] = factor * i;
  }
  return numbers;
}

// A worker whose comparator waits must not start another worker's part meanwhile, because that part would wait for it.
TEST(Tbb, ComparatorsThatUseIt)
{
  const auto a = multiples_of(2, 100000);
  const auto b = multiples_of(3, 100000);
  std::vector<int> expected;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 8);
  for (int turn = 0; turn < 2; ++turn)
  {
    tbb::task_arena arena(8);
    arena.execute(
      [&]
      {
        std::atomic<std::int64_t> calls{0};
        const parallel_order order{&calls};
        run_in_time(
          [&]
          {
            std::vector<int> all(a.size() + b.size());
            const auto end =
              mgpu::set_union(thrust::tbb::par, a.begin(), a.end(), b.begin(), b.end(), all.begin(), order);
            all.erase(end, all.end());
            EXPECT_EQ(all, expected);
            const auto both = mgpu::semi_join_size(thrust::tbb::par, a.begin(), a.end(), b.begin(), b.end(), order);
            EXPECT_EQ(both, static_cast<std::int64_t>(a.size() + b.size() - expected.size()));
          });
      });
  }
}

// A call does all of its work or throws, even in a cancelled group.
TEST(Tbb, CalledInACancelledGroup)
{
  const auto a = multiples_of(2, 400000);
  const auto b = multiples_of(3, 400000);
  std::vector<int> both(a.size());
  std::int64_t found = 0;
  tbb::task_group group;
  group.run_and_wait(
    [&]
    {
      group.cancel();
      const auto end = mgpu::set_intersection(thrust::tbb::par, a.begin(), a.end(), b.begin(), b.end(), both.begin());
      found = end - both.begin();
    });
  EXPECT_EQ(found, 133334);
}

} // namespace

#endif
