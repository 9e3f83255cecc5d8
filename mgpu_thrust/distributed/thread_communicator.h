// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A communicator whose ranks are threads of one process.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/copy_memory.h>
#include <mgpu_thrust/detail/execute/rank_threads.h>
#include <mgpu_thrust/distributed/rank_error.h>

#include <thrust/execution_policy.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Memory that a rank sends: offered, then taken by the receiver, which copies it.
struct thread_transfer
{
  const void* data;
  std::size_t bytes;
  bool is_taken = false;
  bool is_done = false;
};

} // namespace detail

class thread_communicator;
class nccl_communicator;

/// @addtogroup distributed
/// @{

/// What the ranks of thread_communicators share. It must outlive them.
/// @since 1.0
class thread_group
{
public:
  /// @param num_ranks number of ranks, at least 1
  explicit thread_group(int num_ranks)
      : num_ranks_(num_ranks)
  {
    if (num_ranks < 1)
    {
      throw std::invalid_argument("mgpu::thread_group: no rank");
    }
    gathered_.resize(static_cast<std::size_t>(num_ranks));
    offers_.resize(gathered_.size() * gathered_.size());
    has_left_.resize(gathered_.size());
  }

  /// Makes all ranks that wait for another, now or later, throw mgpu::rank_error: for a rank that will not come. The
  /// group is of no use then. Complexity: O(1), and wakes the ranks.
  void abort()
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_aborted_ = true;
    changed_.notify_all();
  }
  /// Tells that a rank makes no more calls. If another rank waits for it, now or later, the group is aborted, and all
  /// ranks that wait throw mgpu::rank_error with its number. Complexity: O(1), and wakes the ranks.
  ///
  /// @param rank the rank, whose own calls have ended
  /// @throws std::out_of_range if there is no such rank
  void leave(int rank)
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    has_left_.at(static_cast<std::size_t>(rank)) = true;
    changed_.notify_all();
  }
  /// Returns whether the group is aborted. Complexity: O(1).
  bool is_aborted()
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    return is_aborted_;
  }

private:
  friend thread_communicator;
  friend nccl_communicator;

  struct gathered_memory
  {
    const void* data;
    std::size_t bytes;
  };

  /// Spins for a short time, then waits, until a condition holds. Ranks that share work come at about the same time,
  /// and to wake a thread may take longer than that.
  template <class Condition>
  void spin_then_wait(std::unique_lock<std::mutex>& lock, Condition condition)
  {
    constexpr std::chrono::microseconds spin_time(50);
    const auto begin = std::chrono::steady_clock::now();
    while (!condition() && std::chrono::steady_clock::now() - begin < spin_time)
    {
      lock.unlock();
      std::this_thread::yield();
      lock.lock();
    }
    changed_.wait(lock, condition);
  }
  /// Waits until a condition holds. Throws if it cannot hold, as the group is aborted, or as the condition waits for a
  /// rank that has left: missing_rank(), or no_rank.
  template <class Condition, class MissingRank>
  void wait(std::unique_lock<std::mutex>& lock, Condition condition, MissingRank missing_rank)
  {
    int missing = no_rank;
    spin_then_wait(lock, [&] { return condition() || is_aborted_ || (missing = missing_rank()) != no_rank; });
    if (condition())
    {
      return;
    }
    if (!is_aborted_)
    {
      missing_rank_ = missing;
      is_aborted_ = true;
      changed_.notify_all();
    }
    throw error_of("mgpu::thread_communicator");
  }
  /// Returns what a rank of a communicator throws once the group is aborted. missing_rank_ does not change then.
  rank_error error_of(const char* communicator) const
  {
    const std::string who = missing_rank_ == no_rank
                              ? std::string("another rank has left")
                              : "rank " + std::to_string(missing_rank_) + " has returned where others wait for it";
    return rank_error(std::string(communicator) + ": " + who);
  }
  /// Returns `rank` if it has left.
  int missing_rank(int rank) const
  {
    return has_left_[static_cast<std::size_t>(rank)] ? rank : no_rank;
  }
  /// Returns a rank that has left.
  int missing_rank() const
  {
    const auto left = std::find(has_left_.begin(), has_left_.end(), true);
    return left == has_left_.end() ? no_rank : static_cast<int>(left - has_left_.begin());
  }
  /// Waits until all ranks are here.
  template <class WaitUntil>
  void arrive(WaitUntil wait_until)
  {
    const long generation = generation_;
    if (++num_arrived_ == num_ranks_)
    {
      num_arrived_ = 0;
      ++generation_;
      changed_.notify_all();
    }
    wait_until([&] { return generation_ != generation; });
  }
  std::vector<std::shared_ptr<detail::thread_transfer>>& offers(int from, int to)
  {
    return offers_[static_cast<std::size_t>(from * num_ranks_ + to)];
  }

  // Transfers that nccl_communicators have launched, and whose kernels may still run.
  void begin_transfer()
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++num_transfers_;
  }
  void end_transfer()
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    --num_transfers_;
    changed_.notify_all();
  }
  /// Waits until there are none, or the time is over.
  void wait_for_transfers(std::chrono::milliseconds time)
  {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, time, [&] { return num_transfers_ == 0; });
  }

  static constexpr int no_rank = -1;

  int num_ranks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_aborted_ = false;
  std::vector<bool> has_left_;
  int missing_rank_ = no_rank; ///< the rank that has left, if its absence has aborted the group
  int num_transfers_ = 0;
  int num_arrived_ = 0;
  long generation_ = 0;
  std::vector<gathered_memory> gathered_;
  std::vector<std::vector<std::shared_ptr<detail::thread_transfer>>> offers_; ///< from each rank to each
};

/// A communicator whose ranks are threads of one process: for CPUs, for tests, and for several ranks on one GPU. A
/// thread that waits for another sleeps after 50 us; no kernel waits.
/// @since 1.0
class thread_communicator
{
public:
  /// @param group what the ranks share
  /// @param rank  this rank, from 0 on: each belongs to one thread
  thread_communicator(thread_group& group, int rank)
      : group_(group)
      , rank_(rank)
  {
    if (rank < 0 || rank >= group.num_ranks_)
    {
      throw std::invalid_argument("mgpu::thread_communicator: no such rank");
    }
  }

  /// Returns this rank. Complexity: O(1).
  int rank() const
  {
    return rank_;
  }
  /// Returns the number of ranks. Complexity: O(1).
  int size() const
  {
    return group_.num_ranks_;
  }

  /// Makes all ranks that wait for another, now or later, throw mgpu::rank_error. Calls over ranks call it when one
  /// fails where the others cannot know. The communicators are of no use then. Complexity: O(1), and wakes the ranks.
  void abort()
  {
    group_.abort();
  }

  /// Gathers `bytes` bytes of every rank, which all ranks call it with. Complexity: O(bytes size()) copies.
  ///
  /// @param send    this rank's bytes, in memory of the host
  /// @param receive room for those of all ranks, in the order of the ranks, in memory of the host
  /// @param bytes   number of bytes of a rank, the same on all
  /// @throws mgpu::rank_error if another rank has left
  /// @throws std::invalid_argument on all ranks, if numbers of bytes differ
  void all_gather(const void* send, void* receive, std::size_t bytes)
  {
    const auto any_missing = [&] { return group_.missing_rank(); };
    std::unique_lock<std::mutex> lock(group_.mutex_);
    group_.wait(
      lock, [&] { return !group_.is_aborted_; }, any_missing);
    group_.gathered_[static_cast<std::size_t>(rank_)] = {send, bytes};
    group_.arrive([&](auto condition) { group_.wait(lock, condition, any_missing); });
    lock.unlock();
    bool is_same = true;
    for (std::size_t rank = 0; rank < group_.gathered_.size(); ++rank)
    {
      const thread_group::gathered_memory& from = group_.gathered_[rank];
      is_same = is_same && from.bytes == bytes;
      if (is_same && bytes > 0)
      {
        std::memcpy(static_cast<unsigned char*>(receive) + rank * bytes, from.data, bytes);
      }
    }
    // All that are here have come for certain, so this wait ends whether the group is aborted or not.
    lock.lock();
    group_.arrive([&](auto condition) { group_.spin_then_wait(lock, condition); });
    if (!is_same)
    {
      throw std::invalid_argument("mgpu::thread_communicator: ranks gather different numbers of bytes");
    }
  }

  /// Begins a group of sends and receives. Complexity: O(1).
  void group_start()
  {
    sends_.clear();
    receives_.clear();
  }
  /// Adds a send to the group. Complexity: O(1).
  ///
  /// @param exec  execution policy, which has access to the memory
  /// @param data  begin of what is sent, unchanged until the group ends
  /// @param bytes number of bytes, not 0, the same as that of the peer's receive
  /// @param peer  the rank that receives it
  /// @throws std::invalid_argument if there is no such rank
  template <class Policy>
  void
  send([[maybe_unused]] const thrust::execution_policy<Policy>& exec, const void* data, std::size_t bytes, int peer)
  {
    check_peer(peer);
    sends_.push_back({peer, std::make_shared<detail::thread_transfer>(detail::thread_transfer{data, bytes})});
  }
  /// Adds a receive to the group. Complexity: O(1).
  ///
  /// @param exec  execution policy, which has access to the memory
  /// @param data  room for what is received
  /// @param bytes number of bytes, not 0
  /// @param peer  the rank that sends it
  /// @throws std::invalid_argument if there is no such rank
  template <class Policy>
  void recv([[maybe_unused]] const thrust::execution_policy<Policy>& exec, void* data, std::size_t bytes, int peer)
  {
    check_peer(peer);
    receives_.push_back({peer, data, bytes});
  }
  /// Ends a group: executes its sends and receives, between two ranks in their order, and returns when they are
  /// complete. Complexity: O(bytes) copies.
  ///
  /// @param exec execution policy, on whose stream data are copied
  /// @throws mgpu::rank_error if another rank has left
  /// @throws std::invalid_argument if a send and its receive differ in size; the ranks that wait then throw, too
  template <class Policy>
  void group_end(const thrust::execution_policy<Policy>& exec)
  {
    Policy& policy = detail::derived(exec);
    std::vector<std::shared_ptr<detail::thread_transfer>> taken;
    try
    {
      detail::wait_for_policy(policy); // what is sent may be enqueued
      taken.reserve(receives_.size()); // so that what is taken is also noted
      offer_sends();
      for (const received& wanted : receives_)
      {
        taken.push_back(take(wanted));
        detail::copy_bytes(policy, taken.back()->data, wanted.data, wanted.bytes);
      }
      detail::wait_for_policy(policy);
    }
    catch (...)
    {
      group_.abort();
      wait_for_copies(policy);
      finish(taken);
      withdraw_sends();
      throw;
    }
    finish(taken);
    wait_for_sends();
  }

private:
  struct sent
  {
    int peer;
    std::shared_ptr<detail::thread_transfer> transfer;
  };
  struct received
  {
    int peer;
    void* data;
    std::size_t bytes;
  };

  void check_peer(int peer) const
  {
    if (peer < 0 || peer >= size())
    {
      throw std::invalid_argument("mgpu::thread_communicator: there is no rank " + std::to_string(peer));
    }
  }
  void offer_sends()
  {
    const std::lock_guard<std::mutex> lock(group_.mutex_);
    for (const sent& one : sends_)
    {
      group_.offers(rank_, one.peer).push_back(one.transfer);
    }
    group_.changed_.notify_all();
  }
  /// Waits for the next offer of a peer, and takes it.
  std::shared_ptr<detail::thread_transfer> take(const received& wanted)
  {
    std::unique_lock<std::mutex> lock(group_.mutex_);
    auto& offers = group_.offers(wanted.peer, rank_);
    group_.wait(
      lock, [&] { return !offers.empty(); }, [&] { return group_.missing_rank(wanted.peer); });
    const std::shared_ptr<detail::thread_transfer> offer = offers.front();
    if (offer->bytes != wanted.bytes)
    {
      throw std::invalid_argument(
        "mgpu::thread_communicator: rank " + std::to_string(wanted.peer) + " sends " + std::to_string(offer->bytes)
        + " bytes to rank " + std::to_string(rank_) + ", which expects " + std::to_string(wanted.bytes));
    }
    offers.erase(offers.begin());
    offer->is_taken = true;
    return offer;
  }
  /// Waits for copies that are enqueued, after an error that is worth more than another one.
  template <class Policy>
  static void wait_for_copies(Policy& policy) noexcept
  {
    try
    {
      detail::wait_for_policy(policy);
    }
    catch (...)
    {
    }
  }
  void finish(const std::vector<std::shared_ptr<detail::thread_transfer>>& taken)
  {
    const std::lock_guard<std::mutex> lock(group_.mutex_);
    for (const auto& transfer : taken)
    {
      transfer->is_done = true;
    }
    group_.changed_.notify_all();
  }
  void wait_for_sends()
  {
    try
    {
      std::unique_lock<std::mutex> lock(group_.mutex_);
      group_.wait(
        lock, [&] { return are_done(); }, [&] { return missing_receiver(); });
    }
    catch (...)
    {
      withdraw_sends();
      throw;
    }
  }
  /// Returns a rank that has left without what is sent to it.
  int missing_receiver() const
  {
    for (const sent& one : sends_)
    {
      if (!one.transfer->is_taken && group_.missing_rank(one.peer) != thread_group::no_rank)
      {
        return one.peer;
      }
    }
    return thread_group::no_rank;
  }
  bool are_done() const
  {
    for (const sent& one : sends_)
    {
      if (!one.transfer->is_done)
      {
        return false;
      }
    }
    return true;
  }
  /// Takes back what nobody has taken, and waits for what is being copied.
  void withdraw_sends()
  {
    std::unique_lock<std::mutex> lock(group_.mutex_);
    for (const sent& one : sends_)
    {
      if (!one.transfer->is_taken)
      {
        auto& offers = group_.offers(rank_, one.peer);
        offers.erase(std::remove(offers.begin(), offers.end(), one.transfer), offers.end());
      }
      else
      {
        group_.spin_then_wait(lock, [&] { return one.transfer->is_done; });
      }
    }
  }

  thread_group& group_;
  int rank_;
  std::vector<sent> sends_;
  std::vector<received> receives_;
};

/// Calls `f(communicator)` with the thread_communicator of each rank, each on a thread of its own, and returns when all
/// have returned. If `f` throws on a rank, or returns there without a call that others make, ranks that wait for this
/// rank throw mgpu::rank_error. The first exception in the order of ranks is rethrown; an mgpu::rank_error only if no
/// rank has thrown another exception.
///
/// @param num_ranks number of ranks, at least 1
/// @param f         function object; all threads call it at the same time
/// @since 1.0
///
/// Complexity: O(num_ranks) threads.
///
/// @code{.cpp}
/// std::atomic<int> sum{0};
/// mgpu::run_on_threads(3, [&](mgpu::thread_communicator& comm) { sum += comm.rank(); });
/// assert(sum == 3);
/// @endcode
template <class Function>
void run_on_threads(int num_ranks, Function f)
{
  thread_group group(num_ranks);
  const auto run = [&](int rank)
  {
    thread_communicator communicator(group, rank);
    f(communicator);
    group.leave(rank);
  };
  detail::run_threads(num_ranks, run, [&] { group.abort(); });
}

/// @}
MGPU_THRUST_NAMESPACE_END
