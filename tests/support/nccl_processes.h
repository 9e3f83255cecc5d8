// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Ranks that are processes with a GPU each, over NCCL: a test starts its own program once for each rank.

#include "time_limit.h"

#include <mgpu_thrust/distributed/nccl_communicator.cuh>

#include <thrust/copy.h>
#include <thrust/device_vector.h>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nccl.h>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace test
{

inline std::vector<int> all_gpus()
{
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess)
  {
    count = 0;
  }
  std::vector<int> devices(static_cast<std::size_t>(count));
  std::iota(devices.begin(), devices.end(), 0);
  return devices;
}

inline std::vector<int> from_gpu(const thrust::device_vector<int>& vector)
{
  std::vector<int> copy(vector.size());
  thrust::copy(vector.begin(), vector.end(), copy.begin());
  return copy;
}

/// An ncclComm_t of the caller.
struct owned_comm
{
  ncclComm_t comm{};

  owned_comm(const ncclUniqueId& id, int rank, int size, bool is_blocking)
  {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = is_blocking ? 1 : 0;
    const ncclResult_t result = ncclCommInitRankConfig(&comm, size, id, rank, &config);
    EXPECT_TRUE(result == ncclSuccess || result == ncclInProgress) << result;
  }
  /// Waits until it is initialised, which takes longer than calls do.
  void wait() const
  {
    ncclResult_t state = ncclInProgress;
    while (state == ncclInProgress)
    {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ncclCommGetAsyncError(comm, &state);
    }
    EXPECT_EQ(state, ncclSuccess);
  }
  /// Ends it as a program would, after nccl_communicator.
  void end(bool is_aborted) const
  {
    if (!is_aborted)
    {
      ncclResult_t state = ncclCommFinalize(comm);
      while (state == ncclInProgress)
      {
        ncclCommGetAsyncError(comm, &state);
      }
      EXPECT_EQ(state, ncclSuccess);
      EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
    }
  }
};

// ---- In a process that run_processes() has started ----

inline int number_in_environment(const char* name)
{
  const char* const text = std::getenv(name);
  return text == nullptr ? 0 : std::atoi(text);
}

/// Calls f(communicator).
template <class Function>
void call_in_process(std::chrono::milliseconds timeout, Function f)
{
  const char* const hex = std::getenv("MGPU_THRUST_TEST_NCCL_ID");
  if (hex == nullptr)
  {
    GTEST_SKIP() << "not started as a rank, or no CUDA device";
  }
  const time_limit limit;
  ncclUniqueId id;
  for (std::size_t i = 0; i < sizeof(id); ++i)
  {
    id.internal[i] = static_cast<char>(std::stoi(std::string(hex + 2 * i, 2), nullptr, 16));
  }
  const int rank = test::number_in_environment("MGPU_THRUST_TEST_RANK");
  const int size = test::number_in_environment("MGPU_THRUST_TEST_RANKS");
  ASSERT_EQ(cudaSetDevice(rank), cudaSuccess);
  const owned_comm owned(id, rank, size, test::number_in_environment("MGPU_THRUST_TEST_BLOCKING") == 1);
  owned.wait();
  bool is_aborted = false;
  {
    mgpu::nccl_communicator communicator(owned.comm, timeout);
    f(communicator);
    is_aborted = communicator.is_aborted();
  }
  owned.end(is_aborted);
}

// ---- In the process that starts others ----

/// What NCCL uses between processes of a host: what it finds best, or sockets, as between hosts.
enum class nccl_links
{
  best,
  sockets
};

struct ended_process
{
  int status;
  std::string output;
  std::chrono::steady_clock::time_point end;
  std::set<std::string> links; ///< that NCCL has connected
};

inline std::string hex_of(const ncclUniqueId& id)
{
  std::string hex;
  for (const char byte : id.internal)
  {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned char>(byte));
    hex += digits.data();
  }
  return hex;
}

inline ended_process wait_for(std::FILE* process)
{
  ended_process ended{};
  std::array<char, 4096> line{};
  while (std::fgets(line.data(), static_cast<int>(line.size()), process) != nullptr)
  {
    ended.output += line.data();
  }
  ended.status = pclose(process);
  ended.end = std::chrono::steady_clock::now();
  return ended;
}

/// Returns the links that a log of NCCL names, and removes it.
inline std::set<std::string> links_of(const std::string& log_file)
{
  std::ostringstream log;
  log << std::ifstream(log_file).rdbuf();
  std::filesystem::remove(log_file);
  const std::string text = log.str();
  const std::string before = "] via ";
  std::set<std::string> links;
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1))
  {
    const std::size_t begin = at + before.size();
    links.insert(text.substr(begin, text.find_first_of(" \n", begin) - begin));
  }
  return links;
}

/// Executes the test NcclProcess.`name` in a process for each rank, and returns these in the order of `ranks`, in which
/// their ends are waited for. Expects that NCCL's logs name links of the kind asked for, and none of the other kind.
inline std::vector<ended_process> run_processes(
  const std::string& name, const std::vector<int>& ranks, bool is_blocking, nccl_links links,
  const std::string& environment = {})
{
  static std::atomic<int> num_runs{0};
  ncclUniqueId id;
  EXPECT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  std::string shared = "MGPU_THRUST_TEST_NCCL_ID=" + test::hex_of(id)
                       + " MGPU_THRUST_TEST_RANKS=" + std::to_string(ranks.size())
                       + " MGPU_THRUST_TEST_BLOCKING=" + (is_blocking ? "1 " : "0 ") + environment + " NCCL_DEBUG=INFO";
  if (links == nccl_links::sockets)
  {
    shared += " NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1 NCCL_NET=Socket NCCL_SOCKET_IFNAME=lo NCCL_NVLS_ENABLE=0";
  }
  const std::string log = std::filesystem::temp_directory_path() / "mgpu_thrust_nccl_";
  const std::string run = std::to_string(getpid()) + "_" + std::to_string(++num_runs) + "_";
  std::vector<std::FILE*> processes;
  for (const int rank : ranks)
  {
    const std::string number = std::to_string(rank);
    const std::string command = shared + " NCCL_DEBUG_FILE=" + log + run + number + " MGPU_THRUST_TEST_RANK=" + number
                                + " " + std::filesystem::read_symlink("/proc/self/exe").string()
                                + " --gtest_filter=NcclProcess." + name + " 2>&1";
    processes.push_back(popen(command.c_str(), "r"));
  }
  std::vector<ended_process> ended;
  for (std::FILE* const process : processes)
  {
    ended.push_back(test::wait_for(process));
  }
  for (std::size_t i = 0; i < ended.size(); ++i)
  {
    ended[i].links = test::links_of(log + run + std::to_string(ranks[i]));
    for (const std::string& link : ended[i].links)
    {
      EXPECT_EQ(link.rfind("NET/", 0) == 0, links == nccl_links::sockets) << link;
      EXPECT_EQ(link.rfind("NET/Socket", 0) == 0, links == nccl_links::sockets) << link;
    }
  }
  return ended;
}

} // namespace test
