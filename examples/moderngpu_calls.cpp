// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Calls of moderngpu 2.x, which stay as they are when a program moves from there to mgpu_thrust.
//
// You learn how to make a policy of what moderngpu calls a context, an object that owns a stream and hands out memory:
// moderngpu_calls.h has the functions that speech recognition with ragged tensors calls, and each is one call of
// mgpu_thrust under that policy. The context here counts what is allocated.

#include "moderngpu_calls.h"
#include "example_support.h"

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/tuple.h>

#include <cuda/std/functional>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

/// A context with memory in stream order, which counts the allocations, and those that are in use.
class counting_context : public moderngpu_calls::context_t
{
public:
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
  counting_context()
  {
    example::check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  ~counting_context() override
  {
    cudaStreamDestroy(stream_);
  }
  cudaStream_t stream() override
  {
    return stream_;
  }
  void synchronize()
  {
    example::check_cuda(cudaStreamSynchronize(stream_));
  }
#else
  void synchronize()
  {
  }
#endif

  void* alloc(std::size_t bytes) override
  {
    ++allocations_;
    ++in_use_;
    void* memory = nullptr;
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
    if (cudaMallocAsync(&memory, bytes, stream_) != cudaSuccess)
    {
      throw std::bad_alloc();
    }
#else
    memory = ::operator new (bytes, std::align_val_t{256});
#endif
    return memory;
  }
  void free(void* memory) override
  {
    --in_use_;
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
    cudaFreeAsync(memory, stream_);
#else
    ::operator delete (memory, std::align_val_t{256});
#endif
  }

  int allocations() const
  {
    return allocations_;
  }
  int in_use() const
  {
    return in_use_;
  }

private:
  int allocations_ = 0;
  int in_use_ = 0;
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
  cudaStream_t stream_ = nullptr;
#endif
};

template <class T>
T* pointer_to(thrust::device_vector<T>& vector)
{
  return thrust::raw_pointer_cast(vector.data());
}

/// Prints a vector when the work that is queued has written it.
void print(const char* title, counting_context& context, const thrust::device_vector<int>& vector)
{
  context.synchronize();
  example::print_line(title, thrust::host_vector<int>(vector));
}

/// Writes ten times the row, and the rank.
struct write_row_and_rank
{
  int* out;

  MGPU_THRUST_HOST_DEVICE void operator()(int index, int row, int rank) const
  {
    out[index] = 10 * row + rank;
  }
};

/// Writes an arithmetic sequence for each row, whose first number and step the row has.
struct write_sequence
{
  int* out;

  MGPU_THRUST_HOST_DEVICE void operator()(int index, int, int rank, const thrust::tuple<int, int>& of_row) const
  {
    out[index] = thrust::get<0>(of_row) + rank * thrust::get<1>(of_row);
  }
};

int main()
{
  example::skip_without_device();
  counting_context context;

  // A ragged tensor: where the rows of 3, 0, 2 and 1 values start, and, as moderngpu need not know, where the last
  // ends.
  thrust::device_vector<int> row_splits{std::vector<int>{0, 3, 3, 5, 6}};
  thrust::device_vector<int> values{std::vector<int>{7, 3, 5, 9, 1, 4}};
  const int num_rows = static_cast<int>(row_splits.size()) - 1;
  const int count = static_cast<int>(values.size());
  const int* const splits = pointer_to(row_splits);

  thrust::device_vector<int> result(count);
  moderngpu_calls::load_balance_search(count, splits, num_rows, pointer_to(result), context);
  print("row of each value", context, result);
  moderngpu_calls::transform_lbs(write_row_and_rank{pointer_to(result)}, count, splits, num_rows, context);
  print("row and rank", context, result);
  thrust::device_vector<int> firsts{std::vector<int>{100, 0, 200, 300}};
  thrust::device_vector<int> steps{std::vector<int>{1, 0, -5, 2}};
  moderngpu_calls::transform_lbs(
    write_sequence{pointer_to(result)}, count, splits, num_rows,
    thrust::make_tuple(static_cast<const int*>(pointer_to(firsts)), static_cast<const int*>(pointer_to(steps))),
    context);
  print("sequences", context, result);

  // The heads of the sort leave out the first 0, and have the end.
  thrust::device_vector<int> keys = values;
  moderngpu_calls::segmented_sort(pointer_to(keys), count, splits + 1, num_rows, ::cuda::std::less<>{}, context);
  print("rows, sorted", context, keys);
  keys = values;
  moderngpu_calls::segmented_sort_indices(
    pointer_to(keys), pointer_to(result), count, splits, num_rows, ::cuda::std::greater<>{}, context);
  print("rows, the largest first", context, keys);
  print("their indices", context, result);

  keys = values;
  thrust::device_vector<int> letters{std::vector<int>{0, 1, 2, 3, 4, 5}};
  moderngpu_calls::mergesort(pointer_to(keys), pointer_to(letters), count, ::cuda::std::less<>{}, context);
  print("all, sorted", context, keys);
  print("with their values", context, letters);
  moderngpu_calls::mergesort(pointer_to(keys), count, ::cuda::std::greater<>{}, context);
  print("all, the largest first", context, keys);

  thrust::device_vector<int> needles{std::vector<int>{0, 3, 4, 6}};
  thrust::device_vector<int> bounds(needles.size());
  moderngpu_calls::sorted_search<moderngpu_calls::bounds_lower>(
    pointer_to(needles), 4, splits, num_rows + 1, pointer_to(bounds), ::cuda::std::less<>{}, context);
  print("lower bounds of 0, 3, 4 and 6", context, bounds);
  moderngpu_calls::sorted_search<moderngpu_calls::bounds_upper>(
    pointer_to(needles), 4, splits, num_rows + 1, pointer_to(bounds), ::cuda::std::less<>{}, context);
  print("upper bounds", context, bounds);

  // So few numbers are sorted without memory on a CPU; more are not.
  thrust::device_vector<int> many(100000);
  thrust::sequence(many.rbegin(), many.rend());
  moderngpu_calls::mergesort(pointer_to(many), 100000, ::cuda::std::less<>{}, context);
  context.synchronize();
  const bool is_sorted = thrust::is_sorted(many.begin(), many.end());
  const bool is_memory_back = context.allocations() > 0 && context.in_use() == 0;
  std::printf("100000 numbers %s.\n", is_sorted ? "are sorted" : "are NOT SORTED");
  std::printf("The context's memory %s.\n", is_memory_back ? "was used, and is back" : "is NOT BACK");
  return is_sorted && is_memory_back ? EXIT_SUCCESS : EXIT_FAILURE;
}
