// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// (A intersected with B) without C, as a CUDA graph: captured once, launched for one input after another.
//
// You learn how to call mgpu::DeviceSetOperations, which allocates nothing and never synchronizes; how to capture it
// into a graph; and how to chain operations when the host does not know the size of the result of the first one.
//
// The sizes of an operation's inputs are host variables, and a graph keeps their values at the time of capture. So the
// second operation here is given the largest possible size of the intersection, and the elements after the intersection
// are padding: the largest key, which no input has. In sorted order padding comes last. It has no match in C, so it
// comes last in the difference too, with as many copies as in the input, and is easy to remove there. (If the second
// operation intersected with C instead, it would remove the padding itself.)

#include <mgpu_thrust/device/device_set_operations.cuh>

#include "example_support.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

using key = std::uint32_t; // all keys but 0xffffffff, the padding: four bytes of 0xff
constexpr int padding_byte = 0xff;

template <class T>
T* raw(thrust::device_vector<T>& vector)
{
  return thrust::raw_pointer_cast(vector.data());
}

/// The graph, and the memory that it reads and writes. A graph holds pointers, so this cannot be copied or moved.
class intersection_without
{
public:
  intersection_without(std::size_t a_size, std::size_t b_size, std::size_t c_size)
      : a_(a_size)
      , b_(b_size)
      , c_(c_size)
      , both_(std::min(a_size, b_size))
      , result_(both_.size())
      , sizes_(2)
  {
    example::check_cuda(cudaStreamCreate(&stream_));

    // 1. The operations execute one after the other, so they can share their temporary storage.
    std::size_t intersection_bytes = 0;
    std::size_t difference_bytes = 0;
    queue_intersection(nullptr, intersection_bytes);
    queue_difference(nullptr, difference_bytes);
    std::size_t bytes = std::max(intersection_bytes, difference_bytes);
    storage_.resize(bytes);

    // 2. Capture: work that is queued until the end of the capture becomes part of the graph, and is not executed.
    cudaGraph_t graph = nullptr;
    example::check_cuda(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    example::check_cuda(cudaMemsetAsync(raw(both_), padding_byte, both_.size() * sizeof(key), stream_));
    queue_intersection(raw(storage_), bytes);
    queue_difference(raw(storage_), bytes);
    example::check_cuda(cudaStreamEndCapture(stream_, &graph));
    example::check_cuda(cudaGraphInstantiate(&executable_, graph, 0));
    example::check_cuda(cudaGraphDestroy(graph));
  }
  intersection_without(const intersection_without&) = delete;
  intersection_without& operator=(const intersection_without&) = delete;
  ~intersection_without()
  {
    cudaGraphExecDestroy(executable_);
    cudaStreamDestroy(stream_);
  }

  /// Launches the graph on new inputs of the same sizes, and returns the result.
  thrust::host_vector<key> run(const std::vector<key>& a, const std::vector<key>& b, const std::vector<key>& c)
  {
    thrust::copy(a.begin(), a.end(), a_.begin());
    thrust::copy(b.begin(), b.end(), b_.begin());
    thrust::copy(c.begin(), c.end(), c_.begin());
    example::check_cuda(cudaGraphLaunch(executable_, stream_));
    example::check_cuda(cudaStreamSynchronize(stream_));

    // Only now the host knows the sizes. The padding after the intersection is at the end of the result.
    const thrust::host_vector<std::int64_t> sizes(sizes_);
    const std::int64_t padding = static_cast<std::int64_t>(both_.size()) - sizes[0];
    const std::int64_t size = sizes[1] - padding;
    const auto number = [](std::int64_t n) { return static_cast<int>(n); };
    std::printf(
      "%d in both + %d of padding = %d; %d without C - %d of padding = %d\n", number(sizes[0]), number(padding),
      number(both_.size()), number(sizes[1]), number(padding), number(size));
    return {result_.begin(), result_.begin() + size};
  }

private:
  // With a null pointer for the storage, these return its size.
  void queue_intersection(void* storage, std::size_t& bytes)
  {
    example::check_cuda(mgpu::DeviceSetOperations::IntersectionKeys(
      storage, bytes, raw(a_), a_.size(), raw(b_), b_.size(), raw(both_), raw(sizes_), cuda::std::less<>{}, stream_));
  }
  void queue_difference(void* storage, std::size_t& bytes)
  {
    example::check_cuda(mgpu::DeviceSetOperations::DifferenceKeys(
      storage, bytes, raw(both_), both_.size(), raw(c_), c_.size(), raw(result_), raw(sizes_) + 1, cuda::std::less<>{},
      stream_));
  }

  thrust::device_vector<key> a_;
  thrust::device_vector<key> b_;
  thrust::device_vector<key> c_;
  thrust::device_vector<key> both_;
  thrust::device_vector<key> result_;
  thrust::device_vector<std::int64_t> sizes_; // sizes of the intersection, and of the result with its padding
  thrust::device_vector<char> storage_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

int main()
{
  example::skip_without_device();
  intersection_without graph(12, 10, 4);

  std::vector<key> a{1, 2, 2, 3, 5, 5, 5, 8, 9, 10, 12, 15};
  std::vector<key> b{2, 2, 4, 5, 5, 8, 9, 11, 12, 15};
  std::vector<key> c{2, 6, 9, 13};
  example::print_line("A:", a);
  example::print_line("B:", b);
  example::print_line("C:", c);
  example::print_line("(A and B) without C:", graph.run(a, b, c));

  // The second intersection is smaller, so the padding must be written again: that is part of the graph.
  a = {1, 1, 1, 4, 4, 7, 20, 21, 22, 23, 24, 25};
  b = {1, 1, 2, 3, 4, 4, 4, 21, 30, 31};
  c = {1, 4, 4, 30};
  example::print_line("A:", a);
  example::print_line("B:", b);
  example::print_line("C:", c);
  example::print_line("(A and B) without C:", graph.run(a, b, c));
  return 0;
}
