// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// The communicator over NCCL without a GPU: functions of this file stand in for those of CUDA and NCCL, in memory of
/// the host, so that each of their calls can fail, on each rank. test_nccl.cu tests the same with the real ones.

#include <mgpu_thrust/distributed.h>
#include <mgpu_thrust/distributed/nccl_communicator.cuh>

#include <thrust/system/cpp/execution_policy.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace
{

/// A stream: the number of operations that it waits for, and copies that follow them. Its owner executes these.
struct stand_in_stream
{
  std::atomic<int> pending{0};
  std::vector<std::function<void()>> copies;

  bool is_done()
  {
    if (pending > 0)
    {
      return false;
    }
    for (const std::function<void()>& copy : copies)
    {
      copy();
    }
    copies.clear();
    return true;
  }
};

stand_in_stream& stream_at(cudaStream_t stream)
{
  return *reinterpret_cast<stand_in_stream*>(stream);
}

std::atomic<int> live_objects{0};  ///< streams, events and blocks of memory
std::atomic<int> errors_of_use{0}; ///< calls with an ncclComm_t that is freed
thread_local int current_device = 0;
thread_local int calls_left = -1; ///< calls of this thread that succeed before one fails
thread_local int group_depth = 0;
thread_local bool is_to_be_killed = false; ///< this thread: all calls fail after the first that fails
bool makes_non_blocking = false;
bool tells_of_killed = false; ///< NCCL tells ranks that another is killed
std::atomic<bool> has_killed_rank{false};

bool fails()
{
  if (calls_left == 0 && is_to_be_killed)
  {
    has_killed_rank = true;
    return true;
  }
  return calls_left >= 0 && calls_left-- == 0;
}

} // namespace

// ---- What ranks share in the stand-in ----

struct stand_in_operation
{
  unsigned char* data;
  std::size_t bytes;
  stand_in_stream* stream;
};
struct stand_in_gather
{
  int rank;
  const unsigned char* send;
  unsigned char* receive;
  std::size_t bytes;
  stand_in_stream* stream;
};
struct stand_in_world
{
  int size = 0;
  std::mutex mutex;
  std::map<std::pair<int, int>, std::vector<stand_in_operation>> sends; ///< from a rank to a rank
  std::map<std::pair<int, int>, std::vector<stand_in_operation>> receives;
  std::vector<stand_in_gather> gathers;

  /// Executes what all its ranks have asked for.
  void execute()
  {
    for (auto& [ranks, sent] : sends)
    {
      std::vector<stand_in_operation>& received = receives[ranks];
      while (!sent.empty() && !received.empty())
      {
        std::memcpy(received.front().data, sent.front().data, sent.front().bytes);
        --sent.front().stream->pending;
        --received.front().stream->pending;
        sent.erase(sent.begin());
        received.erase(received.begin());
      }
    }
    if (gathers.size() == static_cast<std::size_t>(size))
    {
      for (const stand_in_gather& from : gathers)
      {
        for (const stand_in_gather& to : gathers)
        {
          std::memcpy(to.receive + static_cast<std::size_t>(from.rank) * from.bytes, from.send, from.bytes);
        }
      }
      for (const stand_in_gather& one : gathers)
      {
        --one.stream->pending;
      }
      gathers.clear();
    }
  }
  /// Drops what a rank has asked for.
  void drop(int rank)
  {
    const auto drop_all = [](std::vector<stand_in_operation>& operations)
    {
      for (const stand_in_operation& one : operations)
      {
        --one.stream->pending;
      }
      operations.clear();
    };
    for (int peer = 0; peer < size; ++peer)
    {
      drop_all(sends[{rank, peer}]);
      drop_all(receives[{peer, rank}]);
    }
    for (auto one = gathers.begin(); one != gathers.end();)
    {
      one->stream->pending -= one->rank == rank;
      one = one->rank == rank ? gathers.erase(one) : one + 1;
    }
  }
};

/// A send or a receive of a rank with a peer.
struct grouped_operation
{
  ncclComm_t comm;
  int peer;
  bool is_send;
  stand_in_operation operation;
};

struct ncclComm
{
  std::shared_ptr<stand_in_world> world;
  int rank;
  bool is_blocking;
  int polls_in_progress;
  std::vector<grouped_operation> accepted; ///< to be launched when no call is in progress any more
  std::atomic<bool> is_live{true};

  void launch()
  {
    const std::lock_guard<std::mutex> lock(world->mutex);
    for (const grouped_operation& one : accepted)
    {
      ++one.operation.stream->pending;
      if (one.is_send)
      {
        world->sends[{rank, one.peer}].push_back(one.operation);
      }
      else
      {
        world->receives[{one.peer, rank}].push_back(one.operation);
      }
    }
    accepted.clear();
    world->execute();
  }

  /// What a call that was accepted returns.
  ncclResult_t started()
  {
    polls_in_progress = is_blocking ? 0 : 3;
    return is_blocking ? ncclSuccess : ncclInProgress;
  }
};

namespace
{

thread_local std::vector<grouped_operation> grouped;
std::vector<std::unique_ptr<ncclComm>> all_comms; ///< kept when they are freed, to notice later calls

ncclResult_t add_to_group(grouped_operation one)
{
  if (fails())
  {
    return ncclSystemError;
  }
  EXPECT_GT(group_depth, 0);
  grouped.push_back(one);
  return ncclSuccess;
}

ncclResult_t free_comm(ncclComm_t comm)
{
  if (!comm->is_live.exchange(false))
  {
    ++errors_of_use;
    return ncclInvalidArgument;
  }
  const std::lock_guard<std::mutex> lock(comm->world->mutex);
  comm->world->drop(comm->rank);
  return ncclSuccess;
}

} // namespace

// ---- CUDA ----

extern "C"
{
  cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned)
  {
    if (fails())
    {
      return cudaErrorMemoryAllocation;
    }
    *stream = reinterpret_cast<cudaStream_t>(new stand_in_stream);
    ++live_objects;
    return cudaSuccess;
  }
  cudaError_t cudaStreamDestroy(cudaStream_t stream)
  {
    delete reinterpret_cast<stand_in_stream*>(stream);
    --live_objects;
    return cudaSuccess;
  }
  cudaError_t cudaStreamQuery(cudaStream_t stream)
  {
    return fails() ? cudaErrorLaunchFailure : stream_at(stream).is_done() ? cudaSuccess : cudaErrorNotReady;
  }
  cudaError_t cudaStreamSynchronize(cudaStream_t stream)
  {
    while (!stream_at(stream).is_done())
    {
      std::this_thread::yield();
    }
    return fails() ? cudaErrorLaunchFailure : cudaSuccess;
  }
  cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned)
  {
    return fails() ? cudaErrorLaunchFailure : cudaSuccess;
  }
  cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned)
  {
    if (fails())
    {
      return cudaErrorMemoryAllocation;
    }
    *event = reinterpret_cast<cudaEvent_t>(&live_objects);
    ++live_objects;
    return cudaSuccess;
  }
  cudaError_t cudaEventDestroy(cudaEvent_t)
  {
    --live_objects;
    return cudaSuccess;
  }
  cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t)
  {
    return fails() ? cudaErrorLaunchFailure : cudaSuccess;
  }
  cudaError_t cudaMalloc(void** memory, std::size_t bytes)
  {
    if (fails())
    {
      return cudaErrorMemoryAllocation;
    }
    *memory = std::malloc(bytes);
    ++live_objects;
    return cudaSuccess;
  }
  cudaError_t cudaMallocHost(void** memory, std::size_t bytes)
  {
    return cudaMalloc(memory, bytes);
  }
  cudaError_t cudaFree(void* memory)
  {
    live_objects -= memory != nullptr;
    std::free(memory);
    return cudaSuccess;
  }
  cudaError_t cudaFreeHost(void* memory)
  {
    return cudaFree(memory);
  }
  cudaError_t cudaMemcpyAsync(void* target, const void* source, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream)
  {
    if (fails())
    {
      return cudaErrorLaunchFailure;
    }
    const auto copy = [=] { std::memcpy(target, source, bytes); };
    if (stream_at(stream).pending > 0)
    {
      stream_at(stream).copies.push_back(copy);
    }
    else
    {
      copy();
    }
    return cudaSuccess;
  }
  cudaError_t cudaGetDevice(int* device)
  {
    *device = current_device;
    return fails() ? cudaErrorInvalidDevice : cudaSuccess;
  }
  cudaError_t cudaSetDevice(int device)
  {
    if (fails())
    {
      return cudaErrorInvalidDevice;
    }
    current_device = device;
    return cudaSuccess;
  }
  cudaError_t cudaGetLastError()
  {
    return cudaSuccess;
  }
  const char* cudaGetErrorString(cudaError_t)
  {
    return "an error of CUDA";
  }
  const char* cudaGetErrorName(cudaError_t)
  {
    return "an error of CUDA";
  }

  // ---- NCCL ----

  ncclResult_t ncclCommInitAll(ncclComm_t* comms, int size, const int*)
  {
    if (fails())
    {
      return ncclSystemError;
    }
    const auto world = std::make_shared<stand_in_world>();
    world->size = size;
    for (int rank = 0; rank < size; ++rank)
    {
      auto comm = std::make_unique<ncclComm>();
      comm->world = world;
      comm->rank = rank;
      comm->is_blocking = !makes_non_blocking;
      comm->started();
      comms[rank] = comm.get();
      all_comms.push_back(std::move(comm));
    }
    return ncclSuccess;
  }
  ncclResult_t ncclCommDestroy(ncclComm_t comm)
  {
    return free_comm(comm);
  }
  ncclResult_t ncclCommAbort(ncclComm_t comm)
  {
    return free_comm(comm);
  }
  ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state)
  {
    errors_of_use += !comm->is_live;
    comm->polls_in_progress = std::max(0, comm->polls_in_progress - 1);
    if (comm->polls_in_progress == 0)
    {
      comm->launch();
    }
    *state = fails()                              ? ncclSystemError
             : tells_of_killed && has_killed_rank ? ncclRemoteError
             : comm->polls_in_progress > 0        ? ncclInProgress
                                                  : ncclSuccess;
    return ncclSuccess;
  }
  ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* rank)
  {
    *rank = comm->rank;
    return fails() ? ncclInternalError : ncclSuccess;
  }
  ncclResult_t ncclCommCount(const ncclComm_t comm, int* size)
  {
    *size = comm->world->size;
    return fails() ? ncclInternalError : ncclSuccess;
  }
  ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int* device)
  {
    *device = comm->rank;
    return fails() ? ncclInternalError : ncclSuccess;
  }
  ncclResult_t ncclGroupStart()
  {
    if (fails())
    {
      return ncclInternalError;
    }
    ++group_depth;
    return ncclSuccess;
  }
  ncclResult_t ncclGroupEnd()
  {
    const std::vector<grouped_operation> ended = std::move(grouped);
    grouped.clear();
    --group_depth;
    if (fails())
    {
      return ncclSystemError;
    }
    ncclResult_t result = ncclSuccess;
    for (const grouped_operation& one : ended)
    {
      one.comm->accepted.push_back(one);
      result = one.comm->started();
    }
    for (const grouped_operation& one : ended)
    {
      if (one.comm->is_blocking)
      {
        one.comm->launch();
      }
    }
    return result;
  }
  ncclResult_t
  ncclSend(const void* data, std::size_t bytes, ncclDataType_t, int peer, ncclComm_t comm, cudaStream_t stream)
  {
    auto* const sent = static_cast<unsigned char*>(const_cast<void*>(data));
    return add_to_group({comm, peer, true, {sent, bytes, &stream_at(stream)}});
  }
  ncclResult_t ncclRecv(void* data, std::size_t bytes, ncclDataType_t, int peer, ncclComm_t comm, cudaStream_t stream)
  {
    return add_to_group({comm, peer, false, {static_cast<unsigned char*>(data), bytes, &stream_at(stream)}});
  }
  ncclResult_t ncclAllGather(
    const void* send, void* receive, std::size_t bytes, ncclDataType_t, ncclComm_t comm, cudaStream_t stream)
  {
    if (fails())
    {
      return ncclSystemError;
    }
    EXPECT_EQ(group_depth, 0);
    const std::lock_guard<std::mutex> lock(comm->world->mutex);
    ++stream_at(stream).pending;
    comm->world->gathers.push_back(
      {comm->rank, static_cast<const unsigned char*>(send), static_cast<unsigned char*>(receive), bytes,
       &stream_at(stream)});
    comm->world->execute();
    return comm->started();
  }
  const char* ncclGetErrorString(ncclResult_t)
  {
    return "an error of NCCL";
  }

} // extern "C"

namespace
{

/// A policy of a CPU that has a stream.
struct stand_in_policy : thrust::system::cpp::execution_policy<stand_in_policy>
{
};
cudaStream_t get_stream(const stand_in_policy&)
{
  return nullptr;
}

constexpr int num_stand_ins = 3;
const std::vector<int> stand_in_devices{0, 1, 2};

/// Sorts 100 elements a rank, and divides those of rank 0 among all.
void call_over_stand_ins(mgpu::nccl_communicator& communicator)
{
  const auto exec = mgpu::over(communicator, stand_in_policy{});
  const int rank = communicator.rank();
  std::vector<int> keys(100);
  for (int i = 0; i < 100; ++i)
  {
    keys[static_cast<std::size_t>(i)] = (100 * rank + i) * 37 % 300;
  }
  mgpu::sort(exec, keys.begin(), keys.end());
  std::vector<int> expected(100);
  std::iota(expected.begin(), expected.end(), 100 * rank);
  EXPECT_EQ(keys, expected);
  std::vector<int> part(30);
  mgpu::rebalance(exec, keys.begin(), keys.begin() + (rank == 0 ? 90 : 0), part.begin(), 30);
  EXPECT_EQ(part.back(), 30 * rank + 29);
}

/// Nothing is left of any call.
void expect_all_ended()
{
  EXPECT_EQ(live_objects, 0);
  EXPECT_EQ(errors_of_use, 0);
  EXPECT_EQ(group_depth, 0);
  for (const auto& comm : all_comms)
  {
    EXPECT_FALSE(comm->is_live);
  }
  all_comms.clear();
}

/// Calls f() for ncclComm_t that block, and for those that do not.
template <class Function>
void for_each_kind_of_comm(Function f)
{
  for (const bool is_non_blocking : {false, true})
  {
    SCOPED_TRACE(is_non_blocking ? "non-blocking" : "blocking");
    makes_non_blocking = is_non_blocking;
    f();
    expect_all_ended();
  }
}

TEST(NcclStandIn, EachCallOfEachRankMayFail)
{
  for_each_kind_of_comm(
    []
    {
      for (int failing = -1; failing < num_stand_ins; ++failing) // -1 is the thread of the caller
      {
        bool has_failed = true; // a call, whose error may be ignored
        int step = 0;
        for (; has_failed && step < 150; ++step)
        {
          std::atomic<bool> has_failed_on_rank{false};
          calls_left = failing < 0 ? step : -1;
          try
          {
            mgpu::run_on_gpus(
              stand_in_devices,
              [&](mgpu::nccl_communicator& communicator)
              {
                calls_left = communicator.rank() == failing ? step : -1;
                try
                {
                  call_over_stand_ins(communicator);
                }
                catch (...)
                {
                  EXPECT_EQ(group_depth, 0);
                  has_failed_on_rank = true;
                  throw;
                }
                has_failed_on_rank = has_failed_on_rank || (communicator.rank() == failing && calls_left < 0);
                calls_left = -1; // polls are as many as time has
              });
          }
          catch (const mgpu::rank_error& error)
          {
            ADD_FAILURE() << error.what();
          }
          catch (const std::exception&) // of the rank that failed
          {
          }
          has_failed = has_failed_on_rank || (failing < 0 && calls_left < 0);
          calls_left = -1;
        }
        EXPECT_GT(step, 5);
      }
    });
}

TEST(NcclStandIn, ErrorsWhereNcclCarriesMessages)
{
  // The others learn of a rank that fails by its messages, or after their timeout, so some steps must do.
  for_each_kind_of_comm(
    []
    {
      for (int step = 0; step < 150; step += 29) // of which the last ones are polls, as many as time has
      {
        std::vector<ncclComm_t> comms(num_stand_ins);
        ASSERT_EQ(ncclCommInitAll(comms.data(), num_stand_ins, nullptr), ncclSuccess);
        std::vector<int> is_aborted(num_stand_ins);
        const auto run = [&](int rank)
        {
          current_device = rank;
          mgpu::nccl_communicator communicator(comms[rank], std::chrono::milliseconds(600));
          calls_left = rank == step % num_stand_ins ? step : -1;
          try
          {
            call_over_stand_ins(communicator);
          }
          catch (...)
          {
            is_aborted[static_cast<std::size_t>(rank)] = communicator.is_aborted();
            throw;
          }
          calls_left = -1;
        };
        try
        {
          mgpu::detail::run_threads(num_stand_ins, run, [] {});
        }
        catch (const mgpu::rank_error& error)
        {
          ADD_FAILURE() << error.what();
        }
        catch (const std::exception&) // of the rank that failed
        {
        }
        for (int rank = 0; rank < num_stand_ins; ++rank)
        {
          if (is_aborted[static_cast<std::size_t>(rank)] == 0)
          {
            EXPECT_EQ(ncclCommDestroy(comms[static_cast<std::size_t>(rank)]), ncclSuccess);
          }
        }
      }
    });
}

/// Connects, and merges pieces that all move, of which one rank is killed at a call. The others throw within a time.
void kill_a_stand_in(int killed, int step, std::chrono::milliseconds timeout)
{
  constexpr std::chrono::seconds margin(2);
  constexpr int size = 50;
  std::vector<ncclComm_t> comms(num_stand_ins);
  ASSERT_EQ(ncclCommInitAll(comms.data(), num_stand_ins, nullptr), ncclSuccess);
  std::deque<mgpu::nccl_communicator> communicators;
  has_killed_rank = false;
  for (int rank = 0; rank < num_stand_ins; ++rank)
  {
    current_device = rank;
    communicators.emplace_back(comms[rank], timeout);
  }
  std::atomic<int> thrown{0};
  const auto run = [&](int rank)
  {
    current_device = rank;
    mgpu::nccl_communicator& communicator = communicators[static_cast<std::size_t>(rank)];
    std::vector<int> a(size);
    std::iota(a.begin(), a.end(), size * (num_stand_ins + rank));
    std::vector<int> b(size);
    std::iota(b.begin(), b.end(), size * rank);
    const std::vector<int> a_brought = a;
    const std::vector<int> b_brought = b;
    std::vector<int> out(2 * size + 2, -7); // with an element before, and one after
    is_to_be_killed = rank == killed;
    calls_left = rank == killed ? step : -1;
    auto begin = std::chrono::steady_clock::now();
    try
    {
      for (communicator.connect();;)
      {
        begin = std::chrono::steady_clock::now();
        const auto exec = mgpu::over(communicator, stand_in_policy{});
        mgpu::merge(exec, a.begin(), a.end(), b.begin(), b.end(), out.begin() + 1);
      }
    }
    catch (const mgpu::rank_error&)
    {
      thrown += rank != killed;
    }
    catch (const std::exception&)
    {
      EXPECT_EQ(rank, killed);
    }
    is_to_be_killed = false;
    calls_left = -1;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, timeout + margin);
    EXPECT_TRUE(communicator.is_aborted());
    EXPECT_THROW(communicator.connect(), mgpu::rank_error);
    EXPECT_EQ(a, a_brought);
    EXPECT_EQ(b, b_brought);
    EXPECT_EQ(out.front(), -7);
    EXPECT_EQ(out.back(), -7);
  };
  mgpu::detail::run_threads(num_stand_ins, run, [] {});
  EXPECT_EQ(thrown, num_stand_ins - 1);
}

TEST(NcclStandIn, ARankIsKilledAtEachCall)
{
  for_each_kind_of_comm(
    []
    {
      tells_of_killed = true;
      for (int step = 0; step < 100; ++step)
      {
        kill_a_stand_in(step % num_stand_ins, step, std::chrono::minutes(10));
      }
      tells_of_killed = false;
      for (int step = 1; step < 100; step += 5)
      {
        kill_a_stand_in(step % num_stand_ins, step, std::chrono::milliseconds(30));
      }
    });
}

TEST(NcclStandIn, RanksThatReturnEarly)
{
  for_each_kind_of_comm(
    []
    {
      for (int early = 0; early < num_stand_ins; ++early)
      {
        for (const bool calls_before : {false, true})
        {
          std::atomic<int> thrown{0};
          std::future<void> call = std::async(
            std::launch::async,
            [&]
            {
              mgpu::run_on_gpus(
                stand_in_devices,
                [&](mgpu::nccl_communicator& communicator)
                {
                  try
                  {
                    if (calls_before)
                    {
                      call_over_stand_ins(communicator);
                    }
                    if (communicator.rank() != early)
                    {
                      call_over_stand_ins(communicator);
                    }
                  }
                  catch (const mgpu::rank_error&) // in the first call, if the last one aborts meanwhile
                  {
                    thrown += communicator.is_aborted();
                    throw;
                  }
                });
            });
          if (call.wait_for(std::chrono::minutes(1)) != std::future_status::ready)
          {
            std::fputs("ranks wait for ever\n", stderr);
            std::abort();
          }
          try
          {
            call.get();
            ADD_FAILURE();
          }
          catch (const mgpu::rank_error& error)
          {
            const std::string text = "rank " + std::to_string(early) + " has returned where others wait for it";
            EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
          }
          EXPECT_EQ(thrown, num_stand_ins - 1);
        }
      }
    });
}

TEST(NcclStandIn, RoomForMessages)
{
  for_each_kind_of_comm(
    []
    {
      // Where one rank has no room for the messages of a call all learn it, and go on.
      std::vector<ncclComm_t> comms(num_stand_ins);
      ASSERT_EQ(ncclCommInitAll(comms.data(), num_stand_ins, nullptr), ncclSuccess);
      std::atomic<int> of_others{0};
      mgpu::detail::run_threads(
        num_stand_ins,
        [&](int rank)
        {
          current_device = rank;
          mgpu::nccl_communicator communicator(comms[rank]);
          for (const int step : {0, 1})
          {
            calls_left = rank == 1 ? step : -1;
            std::vector<int> keys(100, rank);
            try
            {
              mgpu::sort(mgpu::over(communicator, stand_in_policy{}), keys.begin(), keys.end());
              ADD_FAILURE();
            }
            catch (const mgpu::rank_error&)
            {
              ++of_others;
            }
            catch (const std::exception&)
            {
              EXPECT_EQ(rank, 1);
            }
          }
          call_over_stand_ins(communicator);
        },
        [] {});
      EXPECT_EQ(of_others, 2 * (num_stand_ins - 1));
      for (const ncclComm_t comm : comms)
      {
        EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
      }
    });
}

TEST(NcclStandIn, AbortsAndTimeouts)
{
  for_each_kind_of_comm(
    []
    {
      // Ranks of a group: what waits for a rank that aborts throws.
      std::atomic<int> thrown{0};
      mgpu::run_on_gpus(
        stand_in_devices,
        [&](mgpu::nccl_communicator& communicator)
        {
          communicator.connect();
          call_over_stand_ins(communicator);
          int sent = 0;
          std::array<int, num_stand_ins> received{};
          communicator.all_gather(&sent, received.data(), sizeof(sent)); // no rank is in the call any more
          if (communicator.rank() == 1)
          {
            communicator.abort();
            communicator.abort();
          }
          EXPECT_THROW(call_over_stand_ins(communicator), mgpu::rank_error);
          thrown += communicator.is_aborted() && communicator.native_handle() == nullptr;
        });
      EXPECT_EQ(thrown, num_stand_ins);

      // Ranks that share nothing.
      std::vector<ncclComm_t> comms(2);
      ASSERT_EQ(ncclCommInitAll(comms.data(), 2, nullptr), ncclSuccess);
      current_device = 0;
      EXPECT_THROW(mgpu::nccl_communicator{comms[1]}, std::invalid_argument);
      mgpu::nccl_communicator(comms[0], (std::chrono::milliseconds::max)()); // for ever
      {
        mgpu::nccl_communicator communicator(comms[0], std::chrono::milliseconds(20));
        EXPECT_THROW(communicator.send(stand_in_policy{}, nullptr, 1, 2), std::invalid_argument);
        EXPECT_THROW(communicator.recv(stand_in_policy{}, nullptr, 1, -1), std::invalid_argument);
        EXPECT_THROW((void) mgpu::rebalanced_size(mgpu::over(communicator, stand_in_policy{}), 1), mgpu::rank_error);
        EXPECT_TRUE(communicator.is_aborted());
      }
      mgpu::thread_group of_three(3);
      current_device = 1;
      EXPECT_THROW((mgpu::nccl_communicator{comms[1], of_three}), std::invalid_argument);
      EXPECT_EQ(ncclCommDestroy(comms[1]), ncclSuccess);
    });
}

} // namespace
