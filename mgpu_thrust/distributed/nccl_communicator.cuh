// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A communicator over NCCL. It needs nccl.h, and a program that links NCCL's library; mgpu_thrust/distributed.h does not
/// include it.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/cuda_policy.cuh>
#include <mgpu_thrust/detail/execute/rank_threads.h>
#include <mgpu_thrust/distributed/rank_error.h>

#include <thrust/execution_policy.h>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
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

/// Throws std::runtime_error if a call of NCCL failed.
inline void throw_on_nccl_error(ncclResult_t result, const char* call)
{
  if (result != ncclSuccess && result != ncclInProgress)
  {
    throw std::runtime_error(std::string("mgpu::nccl_communicator: ") + call + ": " + ncclGetErrorString(result));
  }
}

/// A stream and device memory, of the device that is current when it is made.
class nccl_staging
{
public:
  nccl_staging()
  {
    detail::throw_on_error(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "nccl_communicator");
  }
  nccl_staging(const nccl_staging&) = delete;
  nccl_staging& operator=(const nccl_staging&) = delete;
  ~nccl_staging()
  {
    cudaFree(memory_);
    cudaStreamDestroy(stream_);
  }

  cudaStream_t stream() const
  {
    return stream_;
  }
  unsigned char* memory(std::size_t bytes)
  {
    if (bytes_ < bytes)
    {
      cudaFree(memory_);
      memory_ = nullptr;
      bytes_ = 0;
      detail::throw_on_error(cudaMalloc(&memory_, bytes), "nccl_communicator");
      bytes_ = bytes;
    }
    return static_cast<unsigned char*>(memory_);
  }

private:
  cudaStream_t stream_ = nullptr;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

} // namespace detail

/// @addtogroup distributed
/// @{

/// A communicator over an ncclComm_t, for CUDA policies. It does not own the ncclComm_t, which must outlive it. A thread
/// makes it, and uses it, while the device of the ncclComm_t is current.
class nccl_communicator
{
public:
  /// @param comm     NCCL's communicator
  /// @param has_left set by another thread when a rank will not come: where this one waits it then aborts `comm`, as it
  ///                 also does after an error of NCCL, and throws; nullptr if `comm` is not to be aborted
  explicit nccl_communicator(ncclComm_t comm, const std::atomic<bool>* has_left = nullptr)
      : comm_(comm)
      , has_left_(has_left)
  {
    detail::throw_on_nccl_error(ncclCommUserRank(comm, &rank_), "ncclCommUserRank");
    detail::throw_on_nccl_error(ncclCommCount(comm, &size_), "ncclCommCount");
    // Messages of the usual size then allocate nothing: a rank that has no memory for one could not tell the others.
    (void) staging_.memory(static_cast<std::size_t>(size_ + 1) * usual_message_bytes);
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
  /// Returns NCCL's communicator. Complexity: O(1).
  ncclComm_t native_handle() const
  {
    return comm_;
  }
  /// Returns whether this object has aborted NCCL's communicator, which then must not be destroyed. Complexity: O(1).
  bool is_aborted() const
  {
    return is_aborted_;
  }

  /// Gathers `bytes` bytes of every rank by way of the devices, and waits for them. Complexity: O(bytes size()).
  ///
  /// @param send    this rank's bytes, in memory of the host
  /// @param receive room for those of all ranks, in the order of the ranks, in memory of the host
  /// @param bytes   number of bytes of a rank, the same on all
  void all_gather(const void* send, void* receive, std::size_t bytes)
  {
    if (bytes == 0)
    {
      return;
    }
    const auto ranks = static_cast<std::size_t>(size_);
    unsigned char* const d_send = staging_.memory((ranks + 1) * bytes);
    unsigned char* const d_receive = d_send + bytes;
    const cudaStream_t stream = staging_.stream();
    detail::throw_on_error(cudaMemcpyAsync(d_send, send, bytes, cudaMemcpyHostToDevice, stream), "all_gather");
    detail::throw_on_nccl_error(ncclAllGather(d_send, d_receive, bytes, ncclInt8, comm_, stream), "ncclAllGather");
    wait();
    detail::throw_on_error(
      cudaMemcpyAsync(receive, d_receive, ranks * bytes, cudaMemcpyDeviceToHost, stream), "all_gather");
    detail::throw_on_error(cudaStreamSynchronize(stream), "all_gather");
  }
  /// Begins a group of sends and receives. Complexity: O(1).
  void group_start()
  {
    detail::throw_on_nccl_error(ncclGroupStart(), "ncclGroupStart");
  }
  /// Adds a send to the group. Complexity: O(1).
  ///
  /// @param exec  CUDA policy
  /// @param data  begin of what is sent, in memory of the device
  /// @param bytes number of bytes
  /// @param peer  the rank that receives it
  template <class Policy>
  void send(const thrust::execution_policy<Policy>& exec, const void* data, std::size_t bytes, int peer)
  {
    const cudaStream_t stream = detail::stream_of(detail::derived(exec));
    detail::throw_on_nccl_error(ncclSend(data, bytes, ncclInt8, peer, comm_, stream), "ncclSend");
  }
  /// Adds a receive to the group. Complexity: O(1).
  ///
  /// @param exec  CUDA policy
  /// @param data  room for what is received, in memory of the device
  /// @param bytes number of bytes
  /// @param peer  the rank that sends it
  template <class Policy>
  void recv(const thrust::execution_policy<Policy>& exec, void* data, std::size_t bytes, int peer)
  {
    const cudaStream_t stream = detail::stream_of(detail::derived(exec));
    detail::throw_on_nccl_error(ncclRecv(data, bytes, ncclInt8, peer, comm_, stream), "ncclRecv");
  }
  /// Ends a group: queues its sends and receives on the policy's stream. Complexity: O(bytes).
  ///
  /// @param exec CUDA policy, the same as in the calls of the group
  template <class Policy>
  void group_end([[maybe_unused]] const thrust::execution_policy<Policy>& exec)
  {
    detail::throw_on_nccl_error(ncclGroupEnd(), "ncclGroupEnd");
  }

private:
  static constexpr std::size_t usual_message_bytes = std::size_t{5} << 16;

  /// Waits for the stream of messages, as long as no rank has left and NCCL has no error.
  void wait()
  {
    for (cudaError_t state = cudaErrorNotReady; state == cudaErrorNotReady;)
    {
      state = cudaStreamQuery(staging_.stream());
      if (state != cudaErrorNotReady)
      {
        detail::throw_on_error(state, "all_gather");
      }
      else if (has_left_ != nullptr && *has_left_)
      {
        abort();
        throw rank_error("mgpu::nccl_communicator: another rank has left");
      }
      else
      {
        ncclResult_t result = ncclSuccess;
        detail::throw_on_nccl_error(ncclCommGetAsyncError(comm_, &result), "ncclCommGetAsyncError");
        if (result != ncclSuccess && result != ncclInProgress)
        {
          abort();
          detail::throw_on_nccl_error(result, "another rank, or a link");
        }
        std::this_thread::yield();
      }
    }
  }

  /// Ends kernels that wait for other ranks, if the thread that made this object has said that it may.
  void abort()
  {
    if (has_left_ != nullptr)
    {
      is_aborted_ = true;
      ncclCommAbort(comm_);
    }
  }

  ncclComm_t comm_;
  const std::atomic<bool>* has_left_;
  int rank_ = 0;
  int size_ = 0;
  bool is_aborted_ = false;
  detail::nccl_staging staging_;
};

namespace detail
{

/// The communicators of run_on_gpus. A thread that is done with its own sets it to nullptr.
struct gpu_ranks
{
  std::vector<int> devices;
  std::vector<ncclComm_t> comms;
  std::atomic<bool> has_left{false};

  explicit gpu_ranks(const std::vector<int>& some_devices)
      : devices(some_devices)
      , comms(some_devices.size())
  {
    detail::throw_on_nccl_error(
      ncclCommInitAll(comms.data(), static_cast<int>(devices.size()), devices.data()), "ncclCommInitAll");
  }
  gpu_ranks(const gpu_ranks&) = delete;
  gpu_ranks& operator=(const gpu_ranks&) = delete;
  ~gpu_ranks()
  {
    for (const ncclComm_t comm : comms)
    {
      if (comm != nullptr)
      {
        ncclCommAbort(comm);
      }
    }
  }

  /// Calls f with the communicator of a rank, on its device.
  template <class Function>
  void run(std::size_t rank, Function& f)
  {
    detail::throw_on_error(cudaSetDevice(devices[rank]), "run_on_gpus");
    const ncclComm_t comm = std::exchange(comms[rank], nullptr);
    std::optional<nccl_communicator> communicator;
    try
    {
      communicator.emplace(comm, &has_left);
      f(*communicator);
    }
    catch (...)
    {
      has_left = true;
      if (!communicator || !communicator->is_aborted())
      {
        ncclCommAbort(comm);
      }
      throw; // after kernels have ended, as memory that is freed waits for them
    }
    communicator.reset();
    detail::throw_on_nccl_error(ncclCommDestroy(comm), "ncclCommDestroy");
  }
};

} // namespace detail

/// Calls `f(communicator)` with an mgpu::nccl_communicator on a thread of its own for each of some devices of this machine,
/// and returns when all have returned; rank i has device i of the list, which is current there. NCCL is set up before, and
/// torn down after. If f throws on a rank, ranks that wait for its next call throw too, and the first exception in the order
/// of ranks that is no mgpu::rank_error, if there is one, is rethrown. A rank that leaves while elements move to it may leave
/// others waiting.
///
/// @param devices numbers of the devices, each once
/// @param f       function object; all threads call it at the same time
/// @throws std::invalid_argument if there is no device, or a device is repeated
///
/// Complexity: O(devices.size()) threads. There is an example in docs/several-ranks.md.
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
    static_cast<int>(devices.size()), [&](int rank) { ranks.run(static_cast<std::size_t>(rank), f); },
    [&] { ranks.has_left = true; });
}

/// @}
MGPU_THRUST_NAMESPACE_END
