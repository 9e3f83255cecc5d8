// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The ranks of an example: four threads of a process; with EXAMPLE_OVER_MPI processes that mpirun starts; with
/// EXAMPLE_OVER_NCCL two processes with a GPU each, which the program starts by itself. With both mpirun starts a
/// process for each GPU, and MPI carries no more than NCCL's identifier.

#include <mgpu_thrust/distributed.h>

#include "example_support.h"

#if defined(EXAMPLE_OVER_MPI)
#  include <mpi.h>
#endif
#if defined(EXAMPLE_OVER_NCCL)
#  include <mgpu_thrust/distributed/nccl_communicator.cuh>

#  include <nccl.h>
#  include <sys/wait.h>
#  include <unistd.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace example
{

#if defined(EXAMPLE_OVER_NCCL)

/// Calls f(communicator) with this process's rank, and returns the exit code of the process. An exception ends it.
template <class Function>
int call_over_nccl(int rank, int size, const ncclUniqueId& id, Function f)
{
  int devices = 0;
  example::check_cuda(cudaGetDeviceCount(&devices));
  example::check_cuda(cudaSetDevice(rank % devices)); // if each host has as many ranks as devices
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0; // no call hangs if another process has died
  ncclComm_t nccl_comm = nullptr;
  (void) ncclCommInitRankConfig(&nccl_comm, size, id, rank, &config); // if it fails, mgpu::nccl_communicator throws
  bool is_right = false;
  {
    mgpu::nccl_communicator comm(nccl_comm, std::chrono::seconds(30)); // how long a call waits for other ranks
    is_right = f(comm);
  }
  (void) ncclCommDestroy(nccl_comm);
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
#if defined(EXAMPLE_OVER_MPI)

inline int number_of(int (*get)(MPI_Comm, int*))
{
  int number = 0;
  get(MPI_COMM_WORLD, &number);
  return number;
}

/// A communicator over MPI, for memory of the host and up to 2^31 - 1 bytes. MPI ends all processes if a call fails.
class mpi_communicator
{
public:
  int rank() const
  {
    return example::number_of(MPI_Comm_rank);
  }
  int size() const
  {
    return example::number_of(MPI_Comm_size);
  }
  void all_gather(const void* send, void* receive, std::size_t bytes)
  {
    const int count = static_cast<int>(bytes);
    MPI_Allgather(send, count, MPI_BYTE, receive, count, MPI_BYTE, MPI_COMM_WORLD);
  }
  void group_start()
  {
    requests_.clear();
  }
  template <class Policy>
  void send(const Policy&, const void* data, std::size_t bytes, int peer)
  {
    MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests_.emplace_back());
  }
  template <class Policy>
  void recv(const Policy&, void* data, std::size_t bytes, int peer)
  {
    MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests_.emplace_back());
  }
  template <class Policy>
  void group_end(const Policy&)
  {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

private:
  std::vector<MPI_Request> requests_;
};

/// Calls f(communicator) in all processes, and returns their exit code.
template <class Function>
int run_on_ranks(Function f)
{
  example::skip_without_device();
  MPI_Init(nullptr, nullptr);
#  if defined(EXAMPLE_OVER_NCCL)
  ncclUniqueId id{};
  if (example::number_of(MPI_Comm_rank) == 0)
  {
    ncclGetUniqueId(&id);
  }
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  const int code = example::call_over_nccl(example::number_of(MPI_Comm_rank), example::number_of(MPI_Comm_size), id, f);
#  else
  mpi_communicator comm;
  const int code = f(comm) ? EXIT_SUCCESS : EXIT_FAILURE;
#  endif
  MPI_Finalize();
  return code;
}

#elif defined(EXAMPLE_OVER_NCCL)

/// Calls f(communicator) in two processes, and returns their exit code. They get NCCL's identifier through a pipe. This
/// process does not use CUDA, so that it can fork.
template <class Function>
int run_on_ranks(Function f)
{
  constexpr int size = 2; // ranks
  int ends[2];
  int code = pipe(ends);
  for (int rank = 0; rank < size; ++rank)
  {
    if (fork() == 0)
    {
      int devices = 0;
      ncclUniqueId id{};
      if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < size)
      {
        std::printf("no CUDA device, or one, skipped\n");
        std::exit(exit_code_skipped);
      }
      const bool has_id = rank == 0
                            ? ncclGetUniqueId(&id) == ncclSuccess && write(ends[1], &id, sizeof(id)) == sizeof(id)
                            : close(ends[1]) == 0 && read(ends[0], &id, sizeof(id)) == sizeof(id);
      std::exit(has_id ? example::call_over_nccl(rank, size, id, f) : EXIT_FAILURE);
    }
  }
  close(ends[1]); // so that a process whose peer has ended does not wait for it
  int status = 0;
  while (wait(&status) > 0)
  {
    code = std::max(code, WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
  }
  return code;
}

#else

/// Calls f(communicator) on four threads, and returns the exit code of the process.
template <class Function>
int run_on_ranks(Function f)
{
  example::skip_without_device();
  std::atomic<int> code{EXIT_SUCCESS};
  mgpu::run_on_threads(
    4,
    [&](auto& comm)
    {
      if (!f(comm))
      {
        code = EXIT_FAILURE;
      }
    });
  return code;
}

#endif

} // namespace example
