// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Ranks that are processes, of which one is killed at a step of a call: the other throws in time, its inputs are
/// unchanged, nothing is written beside its output, and it ends as usual.

#include "support/nccl_processes.h"

#include <mgpu_thrust/distributed.h>
#include <mgpu_thrust/distributed/nccl_communicator.cuh>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/sequence.h>
#include <thrust/system/cuda/execution_policy.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace
{

constexpr std::chrono::milliseconds fault_timeout(2000);

using nanoseconds = std::chrono::nanoseconds;

/// The time since a moment that is the same for all processes.
nanoseconds time_now()
{
  return std::chrono::duration_cast<nanoseconds>(std::chrono::steady_clock::now().time_since_epoch());
}

void print_time(const char* what)
{
  std::printf("%s %lld\n", what, static_cast<long long>(time_now().count()));
  std::fflush(stdout);
}

void kill_this_process()
{
  print_time("killed");
  kill(getpid(), SIGKILL);
}

/// A communicator whose rank is killed at a step of its calls. The steps are: before a gather, within it, before the
/// first send of a group, before its end, within that.
class killed_communicator
{
public:
  killed_communicator(mgpu::nccl_communicator& communicator, int step)
      : communicator_(communicator)
      , steps_left_(step)
  {
  }

  int rank() const
  {
    return communicator_.rank();
  }
  int size() const
  {
    return communicator_.size();
  }
  void abort()
  {
    communicator_.abort();
  }
  void reserve(std::size_t bytes)
  {
    communicator_.reserve(bytes);
  }
  void all_gather(const void* send, void* receive, std::size_t bytes)
  {
    come_to_step();
    come_to_step_within();
    communicator_.all_gather(send, receive, bytes);
  }
  void group_start()
  {
    come_to_step();
    communicator_.group_start();
  }
  template <class Policy>
  void send(const Policy& exec, const void* data, std::size_t bytes, int peer)
  {
    communicator_.send(exec, data, bytes, peer);
  }
  template <class Policy>
  void recv(const Policy& exec, void* data, std::size_t bytes, int peer)
  {
    communicator_.recv(exec, data, bytes, peer);
  }
  template <class Policy>
  void group_end(const Policy& exec)
  {
    come_to_step();
    come_to_step_within();
    communicator_.group_end(exec);
  }

private:
  void come_to_step()
  {
    if (steps_left_-- == 0)
    {
      kill_this_process();
    }
  }
  /// Another thread kills the process while this one is in the call.
  void come_to_step_within()
  {
    if (steps_left_-- == 0)
    {
      std::thread(
        []
        {
          std::this_thread::sleep_for(std::chrono::microseconds(100));
          kill_this_process();
        })
        .detach();
    }
  }

  mgpu::nccl_communicator& communicator_;
  int steps_left_;
};

constexpr int merge_steps = 4 * 2 + 3; // gathers, and a group
constexpr int union_steps = 5 * 2 + 3;

constexpr int piece_size = 1 << 22;
constexpr std::ptrdiff_t guard_size = 64;

std::vector<int> piece_from(int first)
{
  std::vector<int> piece(piece_size);
  std::iota(piece.begin(), piece.end(), first);
  return piece;
}

/// Merges and unites pieces, of which rank 0 gets all of `b`, until a call throws.
void call_until_killed(mgpu::nccl_communicator& communicator, int step)
{
  killed_communicator killed(communicator, step);
  const auto exec = mgpu::over(killed, thrust::cuda::par.on(cudaStreamPerThread));
  const std::vector<int> a_brought = piece_from(piece_size * (communicator.size() + communicator.rank()));
  const std::vector<int> b_brought = piece_from(piece_size * communicator.rank());
  const thrust::device_vector<int> a(a_brought.begin(), a_brought.end());
  const thrust::device_vector<int> b(b_brought.begin(), b_brought.end());
  thrust::device_vector<int> out(2 * piece_size + 1 + 2 * guard_size, -7);
  try
  {
    for (;;)
    {
      mgpu::merge(exec, a.begin(), a.end(), b.begin(), b.end(), out.begin() + guard_size);
      mgpu::set_union(exec, a.begin(), a.end(), b.begin(), b.end(), out.begin() + guard_size);
    }
  }
  catch (const std::exception& error)
  {
    print_time("threw");
    std::printf("what: %s\n", error.what());
  }
  EXPECT_TRUE(communicator.is_aborted());
  EXPECT_THROW((void) mgpu::rebalanced_size(exec, 1), mgpu::rank_error);
  EXPECT_TRUE(test::from_gpu(a) == a_brought);
  EXPECT_TRUE(test::from_gpu(b) == b_brought);
  const std::vector<int> written = test::from_gpu(out);
  EXPECT_EQ(std::count(written.begin(), written.begin() + guard_size, -7), guard_size);
  EXPECT_EQ(std::count(written.end() - guard_size, written.end(), -7), guard_size);
}

TEST(NcclProcess, ARankIsKilled)
{
  test::call_in_process(
    fault_timeout,
    [](mgpu::nccl_communicator& communicator)
    {
      if (test::number_in_environment("MGPU_THRUST_TEST_CONNECTS") == 1)
      {
        communicator.connect();
      }
      const bool is_killed = communicator.rank() == test::number_in_environment("MGPU_THRUST_TEST_KILLED_RANK");
      call_until_killed(communicator, is_killed ? test::number_in_environment("MGPU_THRUST_TEST_STEP") : -1);
    });
}

/// Returns the time that a process has printed after a word.
nanoseconds time_after(const std::string& word, const test::ended_process& process)
{
  const std::size_t at = process.output.find("\n" + word + " ");
  EXPECT_NE(at, std::string::npos) << "not " << word << '\n' << process.output;
  return nanoseconds(at == std::string::npos ? 0 : std::atoll(process.output.c_str() + at + word.size() + 2));
}

void kill_a_rank(int step, test::nccl_links links)
{
  const int mode = (step + (links == test::nccl_links::sockets ? 1 : 0)) % 3;
  const bool is_blocking = mode == 0; // connects, as a blocking ncclComm_t may hang otherwise
  const bool connects = mode < 2;
  const int killed_rank = step % 2;
  const std::string what = "step " + std::to_string(step) + ", rank " + std::to_string(killed_rank) + " killed, "
                           + (is_blocking ? "blocking" : "non-blocking") + (connects ? ", connected" : "");
  SCOPED_TRACE(what);
  const std::vector<test::ended_process> ended = test::run_processes(
    "ARankIsKilled", {killed_rank, 1 - killed_rank}, is_blocking, links,
    "MGPU_THRUST_TIME_LIMIT=40 MGPU_THRUST_TEST_CONNECTS=" + std::to_string(connects) + " MGPU_THRUST_TEST_STEP="
      + std::to_string(step) + " MGPU_THRUST_TEST_KILLED_RANK=" + std::to_string(killed_rank));
  const test::ended_process& survivor = ended[1];
  EXPECT_NE(ended[0].status, 0) << ended[0].output;
  EXPECT_EQ(survivor.status, 0) << survivor.output;
  EXPECT_TRUE(!connects || !survivor.links.empty());

  const nanoseconds killed = time_after("killed", ended[0]);
  const nanoseconds threw = time_after("threw", survivor);
  EXPECT_GT(threw.count(), killed.count());
  EXPECT_LT((threw - killed).count(), nanoseconds(fault_timeout + std::chrono::seconds(2)).count());
  const auto seconds = [](nanoseconds time) { return 1e-9 * static_cast<double>(time.count()); };
  const nanoseconds ended_at = survivor.end.time_since_epoch();
  const std::size_t text = survivor.output.find("what: ");
  std::printf(
    "%s: threw after %.2f s, ended %.2f s later; %s; %s\n", what.c_str(), seconds(threw - killed),
    seconds(ended_at - threw), survivor.links.empty() ? "no link" : survivor.links.begin()->c_str(),
    text == std::string::npos ? "" : survivor.output.substr(text, survivor.output.find('\n', text) - text).c_str());
}

/// Kills a rank at each step of a merge and of a set operation; several pairs of processes run at a time.
void kill_ranks(test::nccl_links links)
{
  if (test::all_gpus().size() < 2)
  {
    GTEST_SKIP() << "no CUDA device, or one";
  }
  constexpr int at_a_time = 4;
  std::atomic<int> next_step{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < at_a_time; ++i)
  {
    threads.emplace_back(
      [&]
      {
        for (int step = next_step++; step < merge_steps + union_steps; step = next_step++)
        {
          kill_a_rank(step, links);
        }
      });
  }
  for (std::thread& thread : threads)
  {
    thread.join();
  }
}

TEST(NcclFaults, ARankIsKilled)
{
  kill_ranks(test::nccl_links::best);
}
TEST(NcclFaults, ARankIsKilledOverSockets)
{
  kill_ranks(test::nccl_links::sockets);
}

} // namespace
