// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The benchmarks of sizes that stay on the device: calls with a mgpu::deferred beside calls with the number, and a
/// chain of calls, captured into a graph, beside one in which the host reads each size.

#include "harness.h"
#include "machine_cuda.h"

#include <mgpu_thrust/device/device_bulk.cuh>
#include <mgpu_thrust/device/device_interval.cuh>
#include <mgpu_thrust/device/device_join.cuh>
#include <mgpu_thrust/device/device_load_balance.cuh>
#include <mgpu_thrust/device/device_merge.cuh>
#include <mgpu_thrust/device/device_segmented_reduce.cuh>
#include <mgpu_thrust/device/device_segmented_sort.cuh>
#include <mgpu_thrust/device/device_semi_join.cuh>
#include <mgpu_thrust/device/device_set_operations.cuh>
#include <mgpu_thrust/device/device_sort.cuh>
#include <mgpu_thrust/device/device_sorted_search.cuh>

#include <thrust/copy.h>
#include <thrust/tabulate.h>

#include <cuda/std/functional>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda_runtime.h>

namespace mgpu_benchmark
{

/// How full the capacities are: one of `share`.
struct fullness
{
  const char* name;
  int share;
};
inline const std::vector<fullness>& all_fullnesses()
{
  static const std::vector<fullness> all{{"full", 1}, {"sixteenth", 16}};
  return all;
}

/// Number i of a list: numbers in order, of which some are left out.
struct number_of_list
{
  int list;

  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int64_t i) const
  {
    return static_cast<std::int32_t>(i + i / (12 + list));
  }
};

/// Number i of a list: any number.
struct scattered_number
{
  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int64_t i) const
  {
    return static_cast<std::int32_t>(static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u >> 33);
  }
};

/// Number i of a list: any number, or in the second list where segment i begins: of every 16 one has elements.
struct number_or_offset
{
  int list;

  MGPU_THRUST_HOST_DEVICE std::int32_t operator()(std::int64_t i) const
  {
    return list == 0 ? scattered_number{}(i) : static_cast<std::int32_t>(i / 16 * 16);
  }
};

// The operations. queue() calls one of the device layer on the lists, whose sizes may be of any type. If its result is
// as long as the first list, it stores no count. One that works in place gets the first list in `out` before each call.
struct two_lists
{
  static constexpr int lists = 2;
  static constexpr bool is_in_place = false;

  static number_of_list numbers(int list)
  {
    return {list};
  }
};
#define MGPU_BENCHMARK_DEFERRED(type, base, name_of_operation, call)                                                   \
  struct type : base                                                                                                   \
  {                                                                                                                    \
    static constexpr const char* name = name_of_operation;                                                             \
                                                                                                                       \
    template <class Size1, class Size2>                                                                                \
    static cudaError_t queue(                                                                                          \
      void* storage, std::size_t& bytes, [[maybe_unused]] const std::int32_t* a, Size1 a_size,                         \
      [[maybe_unused]] const std::int32_t* b, [[maybe_unused]] Size2 b_size, std::int32_t* out,                        \
      [[maybe_unused]] std::int64_t room, [[maybe_unused]] std::int64_t* count, cudaStream_t stream)                   \
    {                                                                                                                  \
      [[maybe_unused]] const cuda::std::less<> less;                                                                   \
      return mgpu::call;                                                                                               \
    }                                                                                                                  \
  }
MGPU_BENCHMARK_DEFERRED(
  intersection, two_lists, "set_intersection",
  DeviceSetOperations::IntersectionKeys(storage, bytes, a, a_size, b, b_size, out, count, less, stream));
MGPU_BENCHMARK_DEFERRED(
  union_of, two_lists, "set_union",
  DeviceSetOperations::UnionKeys(storage, bytes, a, a_size, b, b_size, out, count, less, stream));
MGPU_BENCHMARK_DEFERRED(
  merge_of, two_lists, "merge", DeviceMerge::MergeKeys(storage, bytes, a, a_size, b, b_size, out, count, less, stream));
MGPU_BENCHMARK_DEFERRED(
  lower_bounds, two_lists, "sorted_lower_bound",
  DeviceSortedSearch::LowerBound(storage, bytes, b, b_size, a, a_size, out, less, stream));
MGPU_BENCHMARK_DEFERRED(
  semi_join_of, two_lists, "semi_join",
  DeviceSemiJoin::Semi(storage, bytes, a, a_size, b, b_size, out, count, less, stream));
MGPU_BENCHMARK_DEFERRED(
  inner_join_of, two_lists, "inner_join",
  DeviceJoin::Inner(storage, bytes, a, a_size, b, b_size, out, out + room, room, count, less, stream));
struct scattered_lists : two_lists
{
  static scattered_number numbers(int)
  {
    return {};
  }
};
MGPU_BENCHMARK_DEFERRED(
  sort_of, scattered_lists, "stable_sort_indices",
  DeviceSort::StableSortIndices(storage, bytes, a, a_size, out, less, stream));
struct scattered_in_place : scattered_lists
{
  static constexpr bool is_in_place = true;
};
MGPU_BENCHMARK_DEFERRED(
  sort_of_keys, scattered_in_place, "stable_sort_keys",
  DeviceSort::StableSortKeys(storage, bytes, out, a_size, less, stream));
struct elements_in_segments : two_lists
{
  static number_or_offset numbers(int list)
  {
    return {list};
  }
};
MGPU_BENCHMARK_DEFERRED(
  insertion, elements_in_segments, "insert",
  DeviceBulk::Insert(storage, bytes, a, a_size, a, b, b_size, out, count, stream));
MGPU_BENCHMARK_DEFERRED(
  load_balance_of, elements_in_segments, "load_balance_search",
  DeviceLoadBalance::Search(storage, bytes, a_size, b, b_size, out, stream));
MGPU_BENCHMARK_DEFERRED(
  expansion, elements_in_segments, "interval_expand",
  DeviceInterval::Expand(storage, bytes, a_size, b, b_size, a, out, stream));
MGPU_BENCHMARK_DEFERRED(
  segmented_reduction, elements_in_segments, "segmented_reduce",
  DeviceSegmentedReduce::Reduce(
    storage, bytes, a, a_size, b, b_size, out, std::int32_t{0}, cuda::std::plus<>{}, stream));
struct segments_in_place : elements_in_segments
{
  static constexpr bool is_in_place = true;
};
MGPU_BENCHMARK_DEFERRED(
  sort_in_segments, segments_in_place, "segmented_sort",
  DeviceSegmentedSort::StableSortKeys(storage, bytes, out, a_size, b, b_size, less, stream));
#undef MGPU_BENCHMARK_DEFERRED
/// Eight intersections, each of the result of the one before and of a list.
struct eight_intersections : intersection
{
  static constexpr const char* name = "eight_intersections";
  static constexpr int lists = 9;
};

/// The lists, and what the calls on them need.
class deferred_lists
{
public:
  struct result
  {
    thrust::device_vector<std::int32_t> keys;
  };

  template <class Problem>
  deferred_lists(cuda_machine& machine, const Problem& problem)
      : capacity_(problem.n)
      , size_(problem.n / problem.input.share)
      , is_in_place_(Problem::operation::is_in_place)
      , lists_(Problem::operation::lists, thrust::device_vector<std::int32_t>(problem.n))
      , counts_(2 * Problem::operation::lists)
  {
    for (std::size_t i = 0; i < lists_.size(); ++i)
    {
      thrust::tabulate(
        machine.policy(), lists_[i].begin(), lists_[i].end(), Problem::operation::numbers(static_cast<int>(i)));
      counts_[i] = size_;
    }
    counts_.back() = size_; // unless the operation stores a count
    for (auto& out : outs_)
    {
      out.resize(lists_.size() == 2 ? 2 * problem.n : problem.n);
    }
    using operation = typename Problem::operation;
    std::size_t bytes = 0;
    check_cuda(queue<operation>(nullptr, bytes, 1, capacity_, capacity_, nullptr), "a query of storage");
    std::size_t bytes_deferred = 0;
    check_cuda(queue<operation>(nullptr, bytes_deferred, 1, deferred_size(0), deferred_size(1), nullptr), "a query");
    storage_.resize(bytes > bytes_deferred ? bytes : bytes_deferred);
  }

  template <class Problem, class Library, class Policy>
  std::int64_t run(const Problem&, const Library& library, Policy policy)
  {
    stream_ = thrust::cuda_cub::stream(policy);
    library.template run<typename Problem::operation>(*this);
    return 0; // the size of the result is in the memory of the device
  }
  template <class Policy>
  void prepare(const Policy& policy)
  {
    if (is_in_place_)
    {
      thrust::copy_n(policy, lists_[0].begin(), size_, out().begin());
    }
  }
  void poison(cuda_machine& machine)
  {
    for (auto& out : outs_)
    {
      fill_all(machine, out, -77);
    }
  }
  template <class Problem>
  result* keep_result(const Problem&, std::int64_t)
  {
    return new result{{out().begin(), out().begin() + result_size()}};
  }
  template <class Problem>
  void check(cuda_machine& machine, const Problem&, const result& expected, std::int64_t)
  {
    const auto size = static_cast<std::size_t>(result_size());
    if (size != expected.keys.size() || !begins_with(machine, out(), expected.keys))
    {
      throw std::runtime_error("wrong result");
    }
  }
  template <class Problem>
  work one_call(const Problem&, const result& expected)
  {
    const std::int64_t items = size_ * static_cast<std::int64_t>(lists_.size());
    return {
      items,
      static_cast<std::int64_t>(sizeof(std::int32_t)) * (items + static_cast<std::int64_t>(expected.keys.size()))};
  }

  // The ways of a library. Where there are two lists, they are the same call with sizes of other types.
  template <class Operation>
  void with_deferred_sizes()
  {
    if (lists_.size() == 2)
    {
      call<Operation>(1, deferred_size(0), deferred_size(1), stream_);
    }
    else
    {
      launch(
        with_deferred_,
        [&](cudaStream_t stream)
        {
          for (std::size_t i = 1; i < lists_.size(); ++i)
          {
            call<Operation>(
              i, i == 1 ? deferred_size(0) : deferred_size(lists_.size() + i - 1), deferred_size(i), stream);
          }
        });
    }
  }
  template <class Operation>
  void with_plain_sizes()
  {
    if (lists_.size() == 2)
    {
      call<Operation>(1, size_, size_, stream_);
    }
    else
    {
      if (sizes_.empty())
      {
        sizes_ = with_the_host<Operation>();
      }
      launch(
        with_plain_,
        [&](cudaStream_t stream)
        {
          for (std::size_t i = 1; i < lists_.size(); ++i)
          {
            call<Operation>(i, sizes_[i - 1], size_, stream);
          }
        });
    }
  }
  /// The host reads each size; returns them.
  template <class Operation>
  std::vector<std::int64_t> with_the_host()
  {
    std::vector<std::int64_t> sizes{size_};
    for (std::size_t i = 1; i < lists_.size(); ++i)
    {
      call<Operation>(i, sizes.back(), size_, stream_);
      std::int64_t size = 0;
      check_cuda(cudaMemcpy(&size, count_of(i), sizeof(size), cudaMemcpyDeviceToHost), "cudaMemcpy");
      sizes.push_back(size);
    }
    return sizes;
  }

private:
  /// Where the size of the result of call i, from 1, is.
  std::int64_t* count_of(std::size_t i)
  {
    return pointer_to(counts_) + lists_.size() + i;
  }
  mgpu::deferred<std::int64_t*> deferred_size(std::size_t i)
  {
    return mgpu::deferred{pointer_to(counts_) + i, capacity_};
  }
  thrust::device_vector<std::int32_t>& out()
  {
    return outs_[lists_.size() % 2];
  }
  std::int64_t result_size()
  {
    return counts_[2 * lists_.size() - 1];
  }
  /// Queues the call of list i and of the result of the call before it, or of the first list.
  template <class Operation, class Size1, class Size2>
  cudaError_t queue(void* storage, std::size_t& bytes, std::size_t i, Size1 size1, Size2 size2, cudaStream_t stream)
  {
    const auto& before = i == 1 ? lists_[0] : outs_[i % 2];
    return Operation::queue(
      storage, bytes, pointer_to(before), size1, pointer_to(lists_[i]), size2, pointer_to(outs_[(i + 1) % 2]),
      capacity_, count_of(i), stream);
  }
  template <class Operation, class Size1, class Size2>
  void call(std::size_t i, Size1 size1, Size2 size2, cudaStream_t stream)
  {
    std::size_t bytes = storage_.size();
    check_cuda(queue<Operation>(pointer_to(storage_), bytes, i, size1, size2, stream), "a call");
  }
  /// Launches a graph, which is captured first if it does not exist.
  template <class Calls>
  void launch(std::unique_ptr<captured_graph>& graph, Calls calls)
  {
    if (graph == nullptr)
    {
      cudaStream_t stream{};
      check_cuda(cudaStreamCreate(&stream), "cudaStreamCreate");
      graph = std::make_unique<captured_graph>(stream, [&] { calls(stream); });
      cudaStreamDestroy(stream);
    }
    graph->launch(stream_);
  }

  std::int64_t capacity_;
  std::int64_t size_;
  bool is_in_place_;
  std::vector<thrust::device_vector<std::int32_t>> lists_;
  thrust::device_vector<std::int32_t> outs_[2];
  thrust::device_vector<std::int64_t> counts_; // of the lists, and of the results
  thrust::device_vector<char> storage_;
  std::vector<std::int64_t> sizes_; // of the first list, and of the result of each call
  cudaStream_t stream_ = nullptr;
  std::unique_ptr<captured_graph> with_deferred_;
  std::unique_ptr<captured_graph> with_plain_;
};

// The libraries, all of them mgpu.
struct deferred_sizes
{
  static constexpr const char* name = "mgpu";

  template <class Operation>
  static void run(deferred_lists& lists)
  {
    lists.with_deferred_sizes<Operation>();
  }
};
struct plain_sizes
{
  static constexpr const char* name = "plain_sizes";

  template <class Operation>
  static void run(deferred_lists& lists)
  {
    lists.with_plain_sizes<Operation>();
  }
};
struct host_between
{
  static constexpr const char* name = "host_between";

  template <class Problem, class System>
  static constexpr bool is_for = (Problem::operation::lists > 2);

  template <class Operation>
  static void run(deferred_lists& lists)
  {
    lists.with_the_host<Operation>();
  }
};

struct only_form
{
  static constexpr const char* name = "keys";
};

template <class OperationType>
struct deferred_problem
{
  using operation = OperationType;
  using form = only_form;
  template <class Machine>
  using data = deferred_lists;

  fullness input;
  std::int64_t n; ///< the capacity of each list
  std::string types;

  std::string input_name() const
  {
    return name();
  }
  std::string name() const
  {
    return std::string(operation::name) + "/" + form::name + "/" + types + "/" + input.name + "/n:" + std::to_string(n)
           + "+" + std::to_string(n);
  }
};

} // namespace mgpu_benchmark
