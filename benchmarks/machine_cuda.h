// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A CUDA device as a machine to measure: its clock, and the speed of its copy.

#include "caching_allocator.h"
#include "harness.h"

#include <cub/device/device_reduce.cuh>

#include <thrust/device_vector.h>
#include <thrust/memory.h>
#include <thrust/system/cuda/execution_policy.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace mgpu_benchmark
{

inline bool has_cuda_device()
{
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

/// A CUDA graph of what a function queues on a stream.
class captured_graph
{
public:
  /// Throws if the function does what no graph can have, such as waiting for the stream.
  template <class Function>
  captured_graph(cudaStream_t stream, Function f)
  {
    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    std::string why;
    try
    {
      f();
    }
    catch (const std::exception& error)
    {
      why = error.what();
    }
    cudaGraph_t graph{};
    const cudaError_t error = cudaStreamEndCapture(stream, &graph);
    if (error != cudaSuccess || !why.empty())
    {
      cudaGetLastError(); // is not that of the next call
      throw std::runtime_error("no graph can have the call: " + (why.empty() ? cudaGetErrorString(error) : why));
    }
    check_cuda(cudaGraphInstantiate(&executable_, graph, 0), "cudaGraphInstantiate");
    cudaGraphDestroy(graph);
  }
  captured_graph(const captured_graph&) = delete;
  captured_graph& operator=(const captured_graph&) = delete;
  ~captured_graph()
  {
    cudaGraphExecDestroy(executable_);
  }

  void launch(cudaStream_t stream)
  {
    check_cuda(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch");
  }

private:
  cudaGraphExec_t executable_{};
};

/// Calls `queue(storage, bytes, stream)`, which calls a function of CUB's device layer, with temporary storage and the
/// stream of a policy.
template <class Policy, class Queue>
void call_cub(Policy policy, const char* what, Queue queue)
{
  const cudaStream_t stream = thrust::cuda_cub::stream(policy);
  std::size_t bytes = 0;
  check_cuda(queue(nullptr, bytes, stream), what);
  const auto storage = thrust::get_temporary_buffer<char>(policy, static_cast<std::ptrdiff_t>(bytes));
  check_cuda(queue(static_cast<void*>(thrust::raw_pointer_cast(storage.first)), bytes, stream), what);
  thrust::return_temporary_buffer(policy, storage.first, storage.second);
}

/// The current device. All work is on one stream: the default stream, unless graphs are captured, which needs another.
class cuda_machine
{
public:
  template <class T>
  using vector = thrust::device_vector<T>;

  explicit cuda_machine(const options& chosen)
      : copy_bytes_(chosen.copy > 0 ? static_cast<std::size_t>(chosen.copy) : std::size_t{1} << 30)
  {
    int device = 0;
    int cache_bytes = 0;
    check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    check_cuda(cudaDeviceGetAttribute(&cache_bytes, cudaDevAttrL2CacheSize, device), "cudaDeviceGetAttribute");
    check_cuda(cudaEventCreate(&start_), "cudaEventCreate");
    check_cuda(cudaEventCreate(&stop_), "cudaEventCreate");
    if (chosen.pairs == "graph")
    {
      check_cuda(cudaStreamCreate(&stream_), "cudaStreamCreate");
    }
    cache_filler_.resize(static_cast<std::size_t>(cache_bytes) / 2); // twice the cache
    check_cuda(fill_cache(), "cub::DeviceReduce::Sum");              // queries the size of its temporary storage
    filler_storage_.resize(filler_storage_bytes_);
  }
  cuda_machine(const cuda_machine&) = delete;
  cuda_machine& operator=(const cuda_machine&) = delete;
  ~cuda_machine()
  {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
    if (stream_ != nullptr)
    {
      cudaStreamDestroy(stream_);
    }
  }

  std::string name() const
  {
    return "gpu";
  }
  int workers() const
  {
    return 1;
  }
  /// A policy that does not synchronize where the host needs no result: the time of the device is measured.
  auto policy()
  {
    return thrust::cuda::par_nosync(allocator_).on(stream_);
  }

  /// Bytes read and written per second by a copy from device to device; the median of 21 copies.
  double copy_bandwidth(int)
  {
    if (copy_bandwidth_ == 0)
    {
      const std::size_t bytes = copy_bytes_;
      const thrust::device_vector<char> from(bytes, 1);
      thrust::device_vector<char> to(bytes, 2);
      std::vector<double> seconds(21);
      for (double& one : seconds)
      {
        one = time_once(
          [&]
          {
            check_cuda(
              cudaMemcpyAsync(
                thrust::raw_pointer_cast(to.data()), thrust::raw_pointer_cast(from.data()), bytes,
                cudaMemcpyDeviceToDevice),
              "cudaMemcpyAsync");
          });
      }
      copy_bandwidth_ = 2.0 * static_cast<double>(bytes) / median(seconds);
    }
    return copy_bandwidth_;
  }

  /// Times f() as many times as Google Benchmark requests, by CUDA events; prepare() before each call is not timed.
  /// Returns the total in seconds.
  template <class Prepare, class Function>
  double time(benchmark::State& state, Prepare prepare, Function f)
  {
    double seconds = 0;
    for (auto _ : state)
    {
      prepare();
      const double once = time_once(f);
      state.SetIterationTime(once);
      seconds += once;
    }
    return seconds;
  }

  /// Returns what is called for --pairs=CLOCK: the function, or the launch of a graph of what it queues ("graph").
  /// Throws a not_measured if there is no such graph.
  template <class Function>
  std::function<void()> call_of(const std::string& clock, Function f)
  {
    if (clock != "graph")
    {
      return f;
    }
    try
    {
      const auto graph = std::make_shared<captured_graph>(stream_, f);
      return [this, graph] { graph->launch(stream_); };
    }
    catch (const std::exception& error)
    {
      throw not_measured(error.what());
    }
  }

  /// Times one call on a device that has nothing else to do: by the clock of a caller who then waits for the result
  /// ("wait", "graph"), or by events around the call ("device").
  template <class Function>
  double time_call(const std::string& clock, Function f)
  {
    check_cuda(cudaDeviceSynchronize(), "what precedes the timed call");
    if (clock == "device")
    {
      return time_by_events(f);
    }
    const auto start = std::chrono::steady_clock::now();
    f();
    check_cuda(cudaDeviceSynchronize(), "the timed call");
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

private:
  template <class Function>
  double time_once(Function f)
  {
    // Fill the cache first, as small inputs would be in it from the last call, and the speed be that of the cache. Fill
    // it by reading, as written lines would be written back to memory during f(). Do not synchronize, so that the
    // device need not wait for the host to queue the first work of f().
    check_cuda(fill_cache(), "cub::DeviceReduce::Sum");
    return time_by_events(f);
  }

  template <class Function>
  double time_by_events(Function f)
  {
    check_cuda(cudaEventRecord(start_), "cudaEventRecord");
    f();
    check_cuda(cudaEventRecord(stop_), "cudaEventRecord");
    check_cuda(cudaEventSynchronize(stop_), "cudaEventSynchronize");
    check_cuda(cudaGetLastError(), "the timed call");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

  cudaError_t fill_cache()
  {
    void* const storage = filler_storage_.empty() ? nullptr : thrust::raw_pointer_cast(filler_storage_.data());
    return cub::DeviceReduce::Sum(
      storage, filler_storage_bytes_, thrust::raw_pointer_cast(cache_filler_.data()),
      thrust::raw_pointer_cast(filler_sum_.data()), static_cast<std::int64_t>(cache_filler_.size()));
  }

  caching_allocator allocator_;
  thrust::device_vector<int> cache_filler_;
  thrust::device_vector<int> filler_sum_ = thrust::device_vector<int>(1);
  thrust::device_vector<char> filler_storage_;
  std::size_t filler_storage_bytes_ = 0;
  cudaEvent_t start_{};
  cudaEvent_t stop_{};
  cudaStream_t stream_ = nullptr;
  std::size_t copy_bytes_;
  double copy_bandwidth_ = 0;
};

/// The CUDA system of the current device.
struct cuda_system
{
  cuda_machine* machine;

  std::string name() const
  {
    return "cuda";
  }
  int workers() const
  {
    return 1;
  }
  auto policy() const
  {
    return machine->policy();
  }
  template <class Function>
  void run(Function f) const
  {
    f();
  }
};

/// The main function of a program for a CUDA device, with the problems of a family as visit_problems() takes them. The
/// first library is the reference.
template <class Reference, class... Library, class Inputs, class Types>
int run_cuda_program(
  int argc, char** argv, const options& defaults, libraries<Reference, Library...> measured, const Inputs& inputs,
  const Types& types)
{
  if (!has_cuda_device())
  {
    std::printf("Skipped: there is no CUDA device.\n"); // CTest counts the test as skipped
    return 0;
  }
  return run_program(
    argc, argv, defaults,
    [&](const options& chosen)
    {
      cuda_machine machine(chosen);
      const cuda_system system{&machine};
      report_copy_bandwidth(machine, 1);
      registry benchmarks(chosen);
      family_benchmarks<cuda_machine, Reference, cuda_system> all(benchmarks, system, machine);
      visit_problems(
        chosen, inputs, types, [&](const auto& problem) { add_libraries(all, problem, system, measured); });
      return benchmarks.run();
    });
}

} // namespace mgpu_benchmark
