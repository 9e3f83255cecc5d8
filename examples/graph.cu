// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What several lists have in common, without what another one has, as a CUDA graph: captured once, launched for lists of
// other sizes each time.
//
// You learn how to call mgpu::DeviceSetOperations, which allocates nothing and never synchronizes; how to capture it
// into a graph; and how to chain operations when the host does not know the sizes of their inputs.
//
// A graph keeps the arguments of its calls. So the size of a list is no argument here: it is a mgpu::deferred, which says
// where in the memory of the device the size will be, and what it will be at most. One operation stores the size of its
// result where the next one reads that of its input, and the host has no part in it.

#include <mgpu_thrust/device/device_set_operations.cuh>

#include "example_support.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

template <class T>
T* raw(thrust::device_vector<T>& vector)
{
  return thrust::raw_pointer_cast(vector.data());
}

/// The graph, and the memory that it reads and writes. A graph holds pointers, so this cannot be copied or moved.
class common_without
{
public:
  /// For so many lists, the last of which is to be left out, of `capacity` keys each at most.
  common_without(int lists, int capacity)
      : capacity_(capacity)
      , keys_(lists, thrust::device_vector<int>(capacity))
      , common_(2, thrust::device_vector<int>(capacity))
      , result_(capacity)
      , counts_(lists + 1)
  {
    example::check_cuda(cudaStreamCreate(&stream_));

    // 1. All calls execute one after the other, so they can share their temporary storage: as much as any needs.
    std::size_t most_bytes = 0;
    for_each_call(
      [&](auto call)
      {
        std::size_t bytes = 0;
        call(nullptr, bytes);
        most_bytes = std::max(most_bytes, bytes);
      });
    storage_.resize(most_bytes);

    // 2. Capture: work that is queued until the end of the capture becomes part of the graph, and is not executed.
    cudaGraph_t graph = nullptr;
    example::check_cuda(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    for_each_call([&](auto call) { call(raw(storage_), most_bytes); });
    example::check_cuda(cudaStreamEndCapture(stream_, &graph));
    example::check_cuda(cudaGraphInstantiate(&executable_, graph, 0));
    example::check_cuda(cudaGraphDestroy(graph));
  }
  common_without(const common_without&) = delete;
  common_without& operator=(const common_without&) = delete;
  ~common_without()
  {
    cudaGraphExecDestroy(executable_);
    cudaStreamDestroy(stream_);
  }

  /// Launches the graph on new lists, of any sizes up to the capacity, and returns the result.
  thrust::host_vector<int> run(const std::vector<std::vector<int>>& lists)
  {
    thrust::host_vector<std::int64_t> counts;
    for (std::size_t i = 0; i < lists.size(); ++i)
    {
      thrust::copy(lists[i].begin(), lists[i].end(), keys_[i].begin());
      counts.push_back(static_cast<std::int64_t>(lists[i].size()));
    }
    thrust::copy(counts.begin(), counts.end(), counts_.begin());
    example::check_cuda(cudaGraphLaunch(executable_, stream_));
    example::check_cuda(cudaStreamSynchronize(stream_));
    return {result_.begin(), result_.begin() + counts_.back()};
  }

private:
  /// The size of list i; after the lists, that of what they have in common so far, and at last of the result.
  auto size(std::size_t i)
  {
    return mgpu::deferred{raw(counts_) + i, capacity_};
  }

  /// Calls f(call) for each operation in turn; call(storage, bytes) queues it, or, without storage, returns its size.
  template <class Function>
  void for_each_call(Function f)
  {
    const std::size_t without = keys_.size() - 1;
    const std::size_t common = keys_.size();
    int* so_far = raw(keys_[0]);
    std::size_t so_far_size = 0;
    for (std::size_t i = 1; i < without; ++i)
    {
      // A call may store its count where it reads one: it reads before.
      int* const out = raw(common_[i % 2]);
      f(
        [&](void* storage, std::size_t& bytes)
        {
          example::check_cuda(mgpu::DeviceSetOperations::IntersectionKeys(
            storage, bytes, so_far, size(so_far_size), raw(keys_[i]), size(i), out, raw(counts_) + common,
            cuda::std::less<>{}, stream_));
        });
      so_far = out;
      so_far_size = common;
    }
    f(
      [&](void* storage, std::size_t& bytes)
      {
        example::check_cuda(mgpu::DeviceSetOperations::DifferenceKeys(
          storage, bytes, so_far, size(so_far_size), raw(keys_[without]), size(without), raw(result_),
          raw(counts_) + common, cuda::std::less<>{}, stream_));
      });
  }

  int capacity_;
  std::vector<thrust::device_vector<int>> keys_;
  std::vector<thrust::device_vector<int>> common_; // in one or the other
  thrust::device_vector<int> result_;
  thrust::device_vector<std::int64_t> counts_; // the sizes of the lists, and of what they have in common
  thrust::device_vector<char> storage_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

int main()
{
  example::skip_without_device();
  common_without graph(5, 14);

  const auto show = [&](const std::vector<std::vector<int>>& lists)
  {
    for (const auto& list : lists)
    {
      example::print_line(&list == &lists.back() ? "without:" : "list:", list);
    }
    example::print_line("in all, and not in the last:", graph.run(lists));
  };
  show(
    {{1, 2, 2, 3, 5, 5, 5, 8, 9, 10, 12, 15},
     {2, 2, 4, 5, 5, 8, 9, 11, 12, 15},
     {0, 1, 2, 2, 2, 3, 5, 5, 5, 7, 8, 9, 12, 15},
     {2, 2, 5, 5, 9, 15},
     {2, 6, 9, 13}});
  show({{1, 4, 4, 7, 21}, {1, 1, 2, 3, 4, 4, 4, 7, 21, 30, 31}, {1, 4, 4, 4, 7, 7}, {1, 4, 4, 7}, {4}});
  show({{1, 2, 3}, {}, {1, 2, 3}, {1, 2, 3}, {2}});
  return 0;
}
