// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A communicator over NCCL. It needs nccl.h, and a program that links NCCL's library; mgpu_thrust/distributed.h does
/// not include it.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/copy_memory.h>
#include <mgpu_thrust/detail/execute/cuda_policy.cuh>
#include <mgpu_thrust/detail/execute/rank_threads.h>
#include <mgpu_thrust/distributed/cuts.h>
#include <mgpu_thrust/distributed/rank_error.h>
#include <mgpu_thrust/distributed/thread_communicator.h>

#include <thrust/execution_policy.h>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <nccl.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Throws if a call of NCCL failed. A call of a non-blocking communicator may be in progress.
inline void throw_on_nccl_error(ncclResult_t result, const char* call)
{
  if (result != ncclSuccess && result != ncclInProgress)
  {
    const std::string message = std::string("mgpu::nccl_communicator: ") + call + ": " + ncclGetErrorString(result);
    if (result == ncclRemoteError)
    {
      throw rank_error(message);
    }
    throw std::runtime_error(message);
  }
}

/// Polls a condition, and returns whether it holds before the time since `begin` is over.
template <class Condition>
bool poll_until(
  std::chrono::milliseconds time, Condition holds,
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now())
{
  constexpr std::chrono::milliseconds busy(20);
  while (!holds())
  {
    const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    if (waited > time)
    {
      return false;
    }
    if (waited < busy)
    {
      std::this_thread::yield();
    }
    else
    {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  return true;
}

/// A stream, an event, and memory of the device and of the host for messages, of the device that is current when it is
/// made.
class nccl_staging
{
public:
  nccl_staging()
  {
    detail::throw_on_error(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "nccl_communicator");
    try
    {
      detail::throw_on_error(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "nccl_communicator");
    }
    catch (...)
    {
      cudaStreamDestroy(stream_);
      throw;
    }
  }
  nccl_staging(const nccl_staging&) = delete;
  nccl_staging& operator=(const nccl_staging&) = delete;
  ~nccl_staging()
  {
    free_memory();
    cudaEventDestroy(event_);
    cudaStreamDestroy(stream_);
  }

  cudaStream_t stream() const
  {
    return stream_;
  }
  cudaEvent_t event() const
  {
    return event_;
  }
  /// Memory of the device, once reserve() has allocated it.
  unsigned char* device() const
  {
    return static_cast<unsigned char*>(device_);
  }
  /// Page-locked memory of the host.
  unsigned char* host() const
  {
    return static_cast<unsigned char*>(host_);
  }
  /// Allocates memory, which replaces what there is unless that fails.
  void reserve(std::size_t bytes)
  {
    if (bytes_ < bytes)
    {
      void* device = nullptr;
      void* host = nullptr;
      detail::throw_on_error(cudaMalloc(&device, bytes), "nccl_communicator");
      const cudaError_t error = cudaMallocHost(&host, bytes);
      if (error != cudaSuccess)
      {
        cudaFree(device);
        detail::throw_on_error(error, "nccl_communicator");
      }
      free_memory();
      device_ = device;
      host_ = host;
      bytes_ = bytes;
    }
  }

private:
  void free_memory()
  {
    cudaFree(device_);
    cudaFreeHost(host_);
  }

  cudaStream_t stream_ = nullptr;
  cudaEvent_t event_ = nullptr;
  void* device_ = nullptr;
  void* host_ = nullptr;
  std::size_t bytes_ = 0;
};

} // namespace detail

/// @addtogroup distributed
/// @{

/// A communicator over an ncclComm_t, for CUDA policies. The ncclComm_t must outlive it, and remains the caller's,
/// unless abort() frees it. One thread makes it and uses it, while the device of the ncclComm_t is current, and not
/// within a group of NCCL that the caller has begun. It needs NCCL 2.14 or later.
///
/// **Waiting.** NCCL's work is on a stream of its own, after what the policy's stream has. connect(), all_gather() and
/// group_end() wait for it on the host, where they see errors of NCCL and, after a timeout, that other ranks do not
/// come. They throw then, after abort(). So no kernel of NCCL is left in flight, and memory can be freed. Messages
/// between ranks of a thread_group have no timeout.
///
/// **Non-blocking ncclComm_t.** Each call is waited for, within the same time. If a peer is lost, a call of a blocking
/// one may hang as NCCL connects to it for the first time; that of a non-blocking one does not. Call connect() first:
/// then NCCL is connected, and later calls of a blocking one end in time, too.
///
/// @since 1.0
class nccl_communicator
{
public:
  /// How long to wait for other ranks, if the caller says nothing else.
  static constexpr std::chrono::milliseconds default_timeout = std::chrono::minutes(10);

  /// For ranks that are processes: NCCL carries messages, too. If it throws, `comm` is not freed.
  ///
  /// @param comm    NCCL's communicator; a non-blocking one may still be initialising
  /// @param timeout how long a call waits for other ranks, such as one that sorts more elements, and this constructor
  ///   for the initialisation, which may take seconds
  /// @throws std::invalid_argument if the current device is not that of `comm`
  /// @throws mgpu::rank_error if `comm` is not initialised in time
  explicit nccl_communicator(ncclComm_t comm, std::chrono::milliseconds timeout = default_timeout)
      : nccl_communicator(comm, nullptr, timeout)
  {
  }
  /// For ranks that are threads of one process: messages go by way of the host's memory, which is faster, and a rank
  /// that leaves makes the others throw at once. Also, no kernel of NCCL then waits for another rank whose thread
  /// allocates or frees memory, which may wait for kernels of other devices. If it throws, `comm` is not freed.
  ///
  /// @param comm    NCCL's communicator; a non-blocking one may still be initialising
  /// @param group   what the ranks share, of as many ranks as `comm` has; it must outlive this object
  /// @param timeout how long to wait for sends and receives
  /// @throws std::invalid_argument if the current device is not that of `comm`, or the group has another number of
  ///   ranks
  nccl_communicator(ncclComm_t comm, thread_group& group, std::chrono::milliseconds timeout = default_timeout)
      : nccl_communicator(comm, &group, timeout)
  {
  }

  /// Returns this rank. Complexity: O(1).
  int rank() const
  {
    return rank_;
  }
  /// Returns the number of ranks. Complexity: O(1).
  int size() const
  {
    return size_;
  }
  /// Returns NCCL's communicator, or nullptr after abort(). Complexity: O(1).
  ncclComm_t native_handle() const
  {
    return comm_;
  }
  /// Returns whether abort() was called, by the caller or after an error: NCCL's communicator then must not be
  /// destroyed. Complexity: O(1).
  bool is_aborted() const
  {
    return comm_ == nullptr;
  }

  /// Aborts NCCL's communicator, which ends kernels that wait for other ranks, and frees it: do not destroy it. Ranks
  /// that are threads of one group throw where they wait for this one; others when NCCL tells them, or after their
  /// timeout. Complexity: that of ncclCommAbort.
  void abort()
  {
    if (group_ != nullptr)
    {
      group_->abort();
    }
    if (comm_ != nullptr)
    {
      (void) ncclCommAbort(std::exchange(comm_, nullptr));
      wait_for_ended_kernels();
    }
  }

  /// Connects all ranks, which all call it, before other calls: each sends a byte to each, and gathers messages of all.
  /// Otherwise NCCL connects two ranks in the first call that needs it. run_on_gpus() has connected its ranks.
  /// Complexity: O(size()) sends, and NCCL's set-up, which takes a good part of a second.
  ///
  /// @throws mgpu::rank_error if another rank has left, or does not come in time; a blocking ncclComm_t may then hang
  void connect()
  {
    abort_if_it_throws(
      [&]
      {
        const auto ranks = static_cast<std::size_t>(size_);
        staging_.reserve(2 * ranks);
        group_start();
        for (int peer = 0; peer < size_; ++peer)
        {
          sends_.push_back({staging_.device(), 1, peer});
          receives_.push_back({staging_.device() + ranks + static_cast<std::size_t>(peer), 1, peer});
        }
        launch_group();
        wait_for_group();
      });
    // NCCL may send small and large messages in different ways, which it connects each for itself.
    for (const std::size_t bytes : {std::size_t{1}, detail::usual_message_bytes})
    {
      const std::vector<unsigned char> own(bytes);
      std::vector<unsigned char> all(bytes * static_cast<std::size_t>(size_));
      all_gather(own.data(), all.data(), bytes);
    }
  }
  /// Allocates what all_gather() needs. Calls over ranks call it where all ranks can learn that it has failed.
  /// Complexity: O(1).
  ///
  /// @param bytes number of bytes of a rank, at most
  void reserve(std::size_t bytes)
  {
    if (group_ == nullptr)
    {
      staging_.reserve((static_cast<std::size_t>(size_) + 1) * bytes);
    }
  }
  /// Gathers `bytes` bytes of every rank, and waits for them. Complexity: O(bytes size()).
  ///
  /// @param send    this rank's bytes, in memory of the host
  /// @param receive room for those of all ranks, in the order of the ranks, in memory of the host
  /// @param bytes   number of bytes of a rank, the same on all, not 0
  /// @throws mgpu::rank_error if another rank has left, or, unless ranks are threads of a group, does not come in time
  void all_gather(const void* send, void* receive, std::size_t bytes)
  {
    abort_if_it_throws(
      [&]
      {
        if (threads_)
        {
          threads_->all_gather(send, receive, bytes);
        }
        else if (bytes > 0)
        {
          gather_by_nccl(send, receive, bytes);
        }
      });
  }
  /// Begins a group of sends and receives. Complexity: O(1).
  void group_start()
  {
    sends_.clear();
    receives_.clear();
  }
  /// Adds a send to the group. Complexity: O(1).
  ///
  /// @param exec  CUDA policy, whose stream has written the data
  /// @param data  begin of what is sent, in memory of the device, unchanged until the group ends
  /// @param bytes number of bytes
  /// @param peer  the rank that receives it
  /// @throws std::invalid_argument if there is no such rank
  template <class Policy>
  void send(const thrust::execution_policy<Policy>& exec, const void* data, std::size_t bytes, int peer)
  {
    check_peer(peer);
    follow(exec);
    sends_.push_back({data, bytes, peer});
  }
  /// Adds a receive to the group. Complexity: O(1).
  ///
  /// @param exec  CUDA policy, whose stream may have used the memory
  /// @param data  room for what is received, in memory of the device
  /// @param bytes number of bytes
  /// @param peer  the rank that sends it
  /// @throws std::invalid_argument if there is no such rank
  template <class Policy>
  void recv(const thrust::execution_policy<Policy>& exec, void* data, std::size_t bytes, int peer)
  {
    check_peer(peer);
    follow(exec);
    receives_.push_back({data, bytes, peer});
  }
  /// Ends a group: executes its sends and receives after what the policy's stream had at the first of them, and waits
  /// for those between ranks; what this rank sends to itself is copied meanwhile, on the policy's stream. All ranks of
  /// a thread_group call it, with an empty group, too. Complexity: O(bytes).
  ///
  /// @param exec CUDA policy, the same as in the calls of the group
  /// @throws mgpu::rank_error if another rank has left, or does not come in time
  /// @throws std::invalid_argument if what this rank sends to itself and what it receives differ in size
  template <class Policy>
  void group_end(const thrust::execution_policy<Policy>& exec)
  {
    abort_if_it_throws(
      [&]
      {
        launch_group();
        copy_own(detail::derived(exec)); // after NCCL's kernel, which finds multiprocessors free
        wait_for_group();
      });
  }

private:
  nccl_communicator(ncclComm_t comm, thread_group* group, std::chrono::milliseconds timeout)
      : comm_(comm)
      , group_(group)
      , timeout_(timeout)
  {
    wait_for_call();
    int device = 0;
    int current_device = 0;
    detail::throw_on_nccl_error(ncclCommUserRank(comm, &rank_), "ncclCommUserRank");
    detail::throw_on_nccl_error(ncclCommCount(comm, &size_), "ncclCommCount");
    detail::throw_on_nccl_error(ncclCommCuDevice(comm, &device), "ncclCommCuDevice");
    detail::throw_on_error(cudaGetDevice(&current_device), "nccl_communicator");
    if (device != current_device)
    {
      throw std::invalid_argument("mgpu::nccl_communicator: the current device is not that of the ncclComm_t");
    }
    if (group == nullptr)
    {
      reserve(detail::unreserved_message_bytes);
    }
    else if (group->num_ranks_ != size_)
    {
      throw std::invalid_argument("mgpu::nccl_communicator: the group has another number of ranks");
    }
    else
    {
      threads_.emplace(*group, rank_);
    }
  }

  struct sent
  {
    const void* data;
    std::size_t bytes;
    int peer;
  };
  struct received
  {
    void* data;
    std::size_t bytes;
    int peer;
  };

  template <class Function>
  void abort_if_it_throws(Function f)
  {
    try
    {
      require_comm();
      wait_begin_ = std::chrono::steady_clock::now();
      f();
    }
    catch (...)
    {
      abort();
      throw;
    }
  }
  void require_comm() const
  {
    if (comm_ == nullptr)
    {
      throw rank_error("mgpu::nccl_communicator: it is aborted, as a rank has failed");
    }
  }
  void check_peer(int peer) const
  {
    if (peer < 0 || peer >= size_)
    {
      throw std::invalid_argument("mgpu::nccl_communicator: there is no rank " + std::to_string(peer));
    }
  }
  /// Before a group's first send or receive: NCCL's stream continues after what the policy's stream has.
  template <class Policy>
  void follow(const thrust::execution_policy<Policy>& exec)
  {
    if (sends_.empty() && receives_.empty())
    {
      detail::throw_on_error(
        cudaEventRecord(staging_.event(), detail::stream_of(detail::derived(exec))), "nccl_communicator");
      detail::throw_on_error(cudaStreamWaitEvent(staging_.stream(), staging_.event(), 0), "nccl_communicator");
    }
  }
  void gather_by_nccl(const void* send, void* receive, std::size_t bytes)
  {
    const std::size_t all_bytes = static_cast<std::size_t>(size_) * bytes;
    reserve(bytes);
    unsigned char* const d_receive = staging_.device() + bytes;
    const cudaStream_t stream = staging_.stream();
    std::memcpy(staging_.host(), send, bytes);
    detail::throw_on_error(
      cudaMemcpyAsync(staging_.device(), staging_.host(), bytes, cudaMemcpyHostToDevice, stream), "all_gather");
    detail::throw_on_nccl_error(
      ncclAllGather(staging_.device(), d_receive, bytes, ncclInt8, comm_, stream), "ncclAllGather");
    wait_for_call();
    detail::throw_on_error(
      cudaMemcpyAsync(staging_.host() + bytes, d_receive, all_bytes, cudaMemcpyDeviceToHost, stream), "all_gather");
    wait_for_stream();
    std::memcpy(receive, staging_.host() + bytes, all_bytes);
  }
  /// A group of NCCL is ended whatever happens, as the thread's later calls would be part of it.
  void launch_group()
  {
    const auto is_between_ranks = [&](const auto& one) { return one.peer != rank_; };
    if (
      std::none_of(sends_.begin(), sends_.end(), is_between_ranks)
      && std::none_of(receives_.begin(), receives_.end(), is_between_ranks))
    {
      return;
    }
    if (group_ != nullptr)
    {
      group_->begin_transfer();
      is_in_transfer_ = true;
    }
    detail::throw_on_nccl_error(ncclGroupStart(), "ncclGroupStart");
    ncclResult_t result = ncclSuccess;
    const auto is_next = [&](const auto& one)
    { return is_between_ranks(one) && (result == ncclSuccess || result == ncclInProgress); };
    for (const sent& one : sends_)
    {
      result = is_next(one) ? ncclSend(one.data, one.bytes, ncclInt8, one.peer, comm_, staging_.stream()) : result;
    }
    for (const received& one : receives_)
    {
      result = is_next(one) ? ncclRecv(one.data, one.bytes, ncclInt8, one.peer, comm_, staging_.stream()) : result;
    }
    const ncclResult_t end = ncclGroupEnd();
    detail::throw_on_nccl_error(result, "ncclSend or ncclRecv");
    detail::throw_on_nccl_error(end, "ncclGroupEnd");
    wait_for_call();
  }

  void wait_for_group()
  {
    if (threads_)
    {
      threads_->all_gather(nullptr, nullptr, 0); // all have launched: now memory may be freed
    }
    wait_for_stream();
    end_transfer();
  }
  void end_transfer()
  {
    if (is_in_transfer_)
    {
      is_in_transfer_ = false;
      group_->end_transfer();
    }
  }
  /// After ncclCommAbort, which in one process returns before kernels have ended. Ranks of a group first wait for each
  /// other, without a call of CUDA: to free memory can wait for the kernel of a rank that has not aborted yet.
  void wait_for_ended_kernels()
  {
    constexpr std::chrono::seconds limit(10);
    end_transfer();
    if (group_ != nullptr)
    {
      group_->wait_for_transfers(limit);
    }
    (void) detail::poll_until(limit, [&] { return cudaStreamQuery(staging_.stream()) != cudaErrorNotReady; });
    (void) cudaGetLastError();
  }

  /// Copies what this rank sends to itself.
  template <class Policy>
  void copy_own(Policy& policy)
  {
    auto source = sends_.begin();
    const auto next_source = [&]
    { source = std::find_if(source, sends_.end(), [&](const sent& one) { return one.peer == rank_; }); };
    next_source();
    for (const received& target : receives_)
    {
      if (target.peer == rank_)
      {
        if (source == sends_.end() || source->bytes != target.bytes)
        {
          throw std::invalid_argument("mgpu::nccl_communicator: a rank sends other sizes to itself than it receives");
        }
        detail::copy_bytes(policy, source->data, target.data, target.bytes);
        ++source;
        next_source();
      }
    }
    if (source != sends_.end())
    {
      throw std::invalid_argument("mgpu::nccl_communicator: a rank sends more to itself than it receives");
    }
  }

  /// NCCL's state: an error is thrown.
  ncclResult_t state() const
  {
    ncclResult_t state = ncclSuccess;
    detail::throw_on_nccl_error(ncclCommGetAsyncError(comm_, &state), "ncclCommGetAsyncError");
    detail::throw_on_nccl_error(state, "an earlier call, another rank, or a link");
    return state;
  }
  /// Waits until a non-blocking communicator has launched what it was asked for.
  void wait_for_call()
  {
    wait_until([&] { return state() == ncclSuccess; });
  }
  void wait_for_stream()
  {
    wait_until(
      [&]
      {
        const cudaError_t error = cudaStreamQuery(staging_.stream());
        if (error != cudaErrorNotReady)
        {
          detail::throw_on_error(error, "nccl_communicator");
          return true;
        }
        (void) state();
        return false;
      });
  }
  /// Polls a condition until it holds, another rank leaves, or the time is over.
  template <class Condition>
  void wait_until(Condition holds) const
  {
    const auto holds_or_throws = [&]
    {
      // First, as another rank's abort() waits for this one's.
      if (group_ != nullptr && group_->is_aborted())
      {
        throw group_->error_of("mgpu::nccl_communicator");
      }
      return holds();
    };
    if (!detail::poll_until(timeout_, holds_or_throws, wait_begin_))
    {
      throw rank_error(
        "mgpu::nccl_communicator: other ranks have not come within " + std::to_string(timeout_.count()) + " ms");
    }
  }

  ncclComm_t comm_;
  thread_group* group_;
  std::chrono::milliseconds timeout_;
  std::chrono::steady_clock::time_point wait_begin_ = std::chrono::steady_clock::now(); ///< of the call that waits
  std::optional<thread_communicator> threads_; ///< carries messages within a process
  int rank_ = 0;
  int size_ = 0;
  detail::nccl_staging staging_;
  std::vector<sent> sends_;
  std::vector<received> receives_;
  bool is_in_transfer_ = false; ///< of the group
};

namespace detail
{

/// The ncclComm_t of some devices of this process.
class nccl_comms
{
public:
  explicit nccl_comms(const std::vector<int>& devices)
      : comms_(devices.size())
  {
    detail::throw_on_nccl_error(
      ncclCommInitAll(comms_.data(), static_cast<int>(devices.size()), devices.data()), "ncclCommInitAll");
  }
  nccl_comms(const nccl_comms&) = delete;
  nccl_comms& operator=(const nccl_comms&) = delete;
  ~nccl_comms()
  {
    for (const ncclComm_t comm : comms_)
    {
      if (comm != nullptr)
      {
        (void) ncclCommDestroy(comm);
      }
    }
  }

  ncclComm_t operator[](std::size_t rank) const
  {
    return comms_[rank];
  }
  /// One is aborted, and freed by that.
  void forget(std::size_t rank)
  {
    comms_[rank] = nullptr;
  }
  /// Ends what ranks have begun, before its memory is freed.
  void abort_all()
  {
    for (ncclComm_t& comm : comms_)
    {
      if (comm != nullptr)
      {
        (void) ncclCommAbort(std::exchange(comm, nullptr));
      }
    }
  }

private:
  std::vector<ncclComm_t> comms_;
};

/// The ranks of run_on_gpus. One thread makes and destroys them all, so that it alone fails if that fails.
class gpu_ranks
{
public:
  explicit gpu_ranks(const std::vector<int>& devices)
      : current_device_(current_device())
      , devices_(devices)
      , group_(static_cast<int>(devices.size()))
      , comms_(devices)
  {
    try
    {
      for (std::size_t rank = 0; rank < devices_.size(); ++rank)
      {
        detail::throw_on_error(cudaSetDevice(devices_[rank]), "run_on_gpus");
        communicators_.push_back(std::make_unique<nccl_communicator>(comms_[rank], group_));
      }
      connect();
    }
    catch (...)
    {
      comms_.abort_all();
      cudaSetDevice(current_device_);
      throw;
    }
    cudaSetDevice(current_device_);
  }
  gpu_ranks(const gpu_ranks&) = delete;
  gpu_ranks& operator=(const gpu_ranks&) = delete;
  ~gpu_ranks()
  {
    for (std::size_t rank = 0; rank < communicators_.size(); ++rank)
    {
      if (communicators_[rank]->is_aborted())
      {
        comms_.forget(rank);
      }
    }
    if (group_.is_aborted())
    {
      comms_.abort_all();
    }
  }

  /// Calls f with the communicator of a rank, on its device.
  template <class Function>
  void run(int rank, Function& f)
  {
    const auto index = static_cast<std::size_t>(rank);
    detail::throw_on_error(cudaSetDevice(devices_[index]), "run_on_gpus");
    f(*communicators_[index]);
    group_.leave(rank);
  }
  void leave()
  {
    group_.abort();
  }

private:
  static int current_device()
  {
    int device = 0;
    detail::throw_on_error(cudaGetDevice(&device), "run_on_gpus");
    return device;
  }
  /// Sends a byte between any two ranks. NCCL connects them then, which later would make one rank wait for another.
  void connect()
  {
    std::vector<std::unique_ptr<nccl_staging>> bytes;
    for (const int device : devices_)
    {
      detail::throw_on_error(cudaSetDevice(device), "run_on_gpus");
      bytes.push_back(std::make_unique<nccl_staging>());
      bytes.back()->reserve(2 * devices_.size());
    }
    try
    {
      exchange_bytes(bytes);
    }
    catch (...)
    {
      comms_.abort_all();
      throw;
    }
  }
  void exchange_bytes(const std::vector<std::unique_ptr<nccl_staging>>& bytes)
  {
    const std::size_t size = devices_.size();
    detail::throw_on_nccl_error(ncclGroupStart(), "ncclGroupStart");
    ncclResult_t result = ncclSuccess;
    const auto is_sound = [&] { return result == ncclSuccess || result == ncclInProgress; };
    for (std::size_t rank = 0; rank < size; ++rank)
    {
      for (std::size_t peer = 0; peer < size && is_sound(); ++peer)
      {
        unsigned char* const byte = bytes[rank]->device() + 2 * peer;
        const int peer_rank = static_cast<int>(peer);
        result = ncclSend(byte, 1, ncclInt8, peer_rank, comms_[rank], bytes[rank]->stream());
        if (is_sound())
        {
          result = ncclRecv(byte + 1, 1, ncclInt8, peer_rank, comms_[rank], bytes[rank]->stream());
        }
      }
    }
    const ncclResult_t end = ncclGroupEnd();
    detail::throw_on_nccl_error(result, "ncclSend or ncclRecv");
    detail::throw_on_nccl_error(end, "ncclGroupEnd");
    const auto are_launched = [&]
    {
      ncclResult_t state = ncclSuccess;
      for (std::size_t rank = 0; rank < size && state == ncclSuccess; ++rank)
      {
        detail::throw_on_nccl_error(ncclCommGetAsyncError(comms_[rank], &state), "ncclCommGetAsyncError");
        detail::throw_on_nccl_error(state, "run_on_gpus");
      }
      return state == ncclSuccess;
    };
    const auto are_executed = [&]
    {
      cudaError_t error = cudaSuccess;
      for (std::size_t rank = 0; rank < size && error == cudaSuccess; ++rank)
      {
        error = cudaStreamQuery(bytes[rank]->stream());
      }
      if (error != cudaErrorNotReady)
      {
        detail::throw_on_error(error, "run_on_gpus");
      }
      return error == cudaSuccess;
    };
    if (
      !detail::poll_until(nccl_communicator::default_timeout, are_launched)
      || !detail::poll_until(nccl_communicator::default_timeout, are_executed))
    {
      throw std::runtime_error("mgpu::run_on_gpus: NCCL does not connect the devices");
    }
  }

  int current_device_; ///< of the caller
  std::vector<int> devices_;
  thread_group group_;
  nccl_comms comms_;
  std::vector<std::unique_ptr<nccl_communicator>> communicators_;
};

} // namespace detail

/// Calls `f(communicator)` with an mgpu::nccl_communicator on a thread of its own for each of some devices of this
/// machine, and returns when all have returned; rank i has device i of the list, which is current there. NCCL is set up
/// before, and torn down after. If `f` throws on a rank, or returns there without a call that others make, ranks that
/// wait for this rank throw mgpu::rank_error. The first exception in the order of ranks is rethrown; an
/// mgpu::rank_error only if no rank has thrown another exception.
///
/// @param devices numbers of the devices, each once
/// @param f       function object; all threads call it at the same time
/// @throws std::invalid_argument if there is no device, or a device is repeated
/// @since 1.0
///
/// Complexity: O(devices.size()) threads, and NCCL's initialisation, which takes a good part of a second. There is an
/// example in docs/several-ranks.md.
template <class Function>
void run_on_gpus(const std::vector<int>& devices, Function f)
{
  std::vector<int> sorted = devices;
  std::sort(sorted.begin(), sorted.end());
  if (devices.empty() || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
  {
    throw std::invalid_argument("mgpu::run_on_gpus: no device, or a device is repeated, and NCCL has a rank a device");
  }
  detail::gpu_ranks ranks(devices);
  detail::run_threads(
    static_cast<int>(devices.size()), [&](int rank) { ranks.run(rank, f); }, [&] { ranks.leave(); });
}

/// @}
MGPU_THRUST_NAMESPACE_END
