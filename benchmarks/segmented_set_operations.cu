// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Set operations on pairs of lists on a GPU: mgpu beside kernels that give each pair to a thread, which merges or
/// bisects, or to a warp, which bisects; and sums of sparse matrices beside cuSPARSE, if CMake finds it.

#include "machine_cuda.h"
#include "segmented_set_operations.h"

#include <thrust/memory.h>
#include <thrust/scan.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <cuda_runtime.h>

#if defined(MGPU_BENCHMARK_CUSPARSE)
#  include <cusparse.h>
#endif

namespace mgpu_benchmark
{

inline constexpr int peer_threads = 256; ///< of a block

/// Throws if one thread or warp would take about a second: a step waits for memory, 50 to 110 ns (H100).
inline void check_peer_steps(std::int64_t steps)
{
  if (steps > std::int64_t{1} << 23)
  {
    throw not_measured("a pair takes too long");
  }
}

/// Merges a pair in a thread. For lists as results it is launched twice: it counts, and writes at the offsets.
template <bool WritesLists, class Operation>
__global__ void merge_by_thread_kernel(pair_arguments in)
{
  const std::int64_t pair = std::int64_t{blockIdx.x} * peer_threads + threadIdx.x;
  if (pair < in.num_pairs)
  {
    if constexpr (WritesLists)
    {
      mgpu_benchmark::merge_lists<true>(Operation{}, in, pair);
    }
    else if constexpr (Operation::writes_lists)
    {
      in.offsets_out[pair] = mgpu_benchmark::merge_lists<false>(Operation{}, in, pair);
    }
    else
    {
      mgpu_benchmark::merge_pair(Operation{}, in, pair);
    }
  }
}

template <bool WritesLists, class Operation, class Policy>
void launch_merge_by_thread(Operation, Policy policy, const pair_arguments& in)
{
  const std::int64_t blocks = (in.num_pairs + peer_threads - 1) / peer_threads;
  if (blocks > 0)
  {
    merge_by_thread_kernel<WritesLists, Operation>
      <<<static_cast<unsigned>(blocks), peer_threads, 0, thrust::cuda_cub::stream(policy)>>>(in);
  }
  check_cuda(cudaGetLastError(), "merge_by_thread_kernel");
}

/// Merges each pair in a thread, in two passes if lists are the result.
template <class Operation, class Policy>
void merge_by_thread(Operation operation, Policy policy, const pair_arguments& in)
{
  mgpu_benchmark::launch_merge_by_thread<false>(operation, policy, in);
  if constexpr (Operation::writes_lists)
  {
    thrust::exclusive_scan(
      policy, in.offsets_out, in.offsets_out + in.num_pairs + 1, in.offsets_out); // the last one counts for nothing
    mgpu_benchmark::launch_merge_by_thread<true>(operation, policy, in);
  }
}

/// Searches in the longer list of a pair for each element of the shorter one. `Group` neighbouring threads have a pair:
/// one, a warp, or several blocks, which add their counts to zeros.
template <int Group, class Operation>
__global__ void bisect_kernel(pair_arguments in)
{
  const std::int64_t thread = std::int64_t{blockIdx.x} * peer_threads + threadIdx.x;
  const std::int64_t pair = thread / Group;
  if (pair >= in.num_pairs)
  {
    return;
  }
  const std::int32_t a_begin = in.a_begins[pair];
  const std::int32_t b_begin = in.b_begins[pair];
  const std::int32_t a_length = in.a_ends[pair] - a_begin;
  const std::int32_t b_length = in.b_ends[pair] - b_begin;
  const bool is_a_short = a_length <= b_length;
  const std::int32_t* const needles = is_a_short ? in.a + a_begin : in.b + b_begin;
  const std::int32_t* const haystack = is_a_short ? in.b + b_begin : in.a + a_begin;
  const std::int32_t num_needles = is_a_short ? a_length : b_length;
  const std::int32_t size = is_a_short ? b_length : a_length;
  const auto lane = static_cast<std::int32_t>(thread % Group);
  std::int32_t count = 0;
  for (std::int32_t first = 0; first < num_needles; first += Group)
  {
    const std::int32_t needle = first + lane;
    if (needle < num_needles)
    {
      const std::int32_t wanted = needles[needle];
      std::int32_t place = 0;
      for (std::int32_t left = size; left > 0;)
      {
        const std::int32_t half = left / 2;
        const bool is_before = haystack[place + half] < wanted;
        place += is_before ? half + 1 : 0;
        left = is_before ? left - half - 1 : half;
      }
      if (place < size && haystack[place] == wanted)
      {
        ++count;
        if constexpr (Operation::visits)
        {
          mark_in_a{in.out}(pair, a_begin + (is_a_short ? needle : place), b_begin + (is_a_short ? place : needle));
        }
      }
    }
    if constexpr (Operation::stops_early && Group == 1)
    {
      if (count > 0)
      {
        break;
      }
    }
    if constexpr (Operation::stops_early && Group == 32)
    {
      if (__any_sync(0xffffffffu, count > 0))
      {
        break;
      }
    }
  }
  if constexpr (Group == 32 && !Operation::visits)
  {
    for (int distance = 16; distance > 0; distance /= 2)
    {
      count += __shfl_xor_sync(0xffffffffu, count, distance);
    }
  }
  if constexpr (!Operation::visits)
  {
    const std::int32_t result = Operation::stops_early && count > 0 ? 1 : count;
    if constexpr (Group > 32)
    {
      if (count > 0)
      {
        Operation::stops_early ? atomicOr(in.out + pair, result) : atomicAdd(in.out + pair, result);
      }
    }
    else if (lane == 0)
    {
      in.out[pair] = result;
    }
  }
}

template <int Group, class Operation, class Policy>
void launch_bisect_kernel(Operation, Policy policy, const pair_arguments& in)
{
  const std::int64_t blocks = (in.num_pairs * Group + peer_threads - 1) / peer_threads;
  if (blocks > 0)
  {
    bisect_kernel<Group, Operation>
      <<<static_cast<unsigned>(blocks), peer_threads, 0, thrust::cuda_cub::stream(policy)>>>(in);
  }
  check_cuda(cudaGetLastError(), "bisect_kernel");
}

/// The reference, for lists of any lengths. It is no peer, as it has two blocks for each pair, however short. Lists as
/// results are a thread's, however long.
struct blocks_bisect
{
  static constexpr const char* name = "blocks_bisect";
  template <class Problem, class System>
  static constexpr bool is_for = false;

  template <class Operation, class Policy>
  static void run(Operation operation, Policy policy, const pair_arguments& in)
  {
    if constexpr (Operation::writes_lists)
    {
      mgpu_benchmark::merge_by_thread(operation, policy, in);
      return;
    }
    if (!Operation::visits)
    {
      check_cuda(
        cudaMemsetAsync(in.out, 0, sizeof(*in.out) * in.num_pairs, thrust::cuda_cub::stream(policy)),
        "cudaMemsetAsync");
    }
    mgpu_benchmark::launch_bisect_kernel<2 * peer_threads>(operation, policy, in);
  }
};

struct thread_merge
{
  static constexpr const char* name = "thread_merge";

  template <class Operation, class Policy>
  static void run(Operation operation, Policy policy, const pair_arguments& in)
  {
    check_peer_steps(in.max_merge_steps);
    mgpu_benchmark::merge_by_thread(operation, policy, in);
  }
};

struct thread_bisect
{
  static constexpr const char* name = "thread_bisect";
  template <class Problem, class System>
  static constexpr bool is_for = !Problem::operation::writes_lists;

  template <class Operation, class Policy>
  static void run(Operation operation, Policy policy, const pair_arguments& in)
  {
    check_peer_steps(in.max_search_steps);
    mgpu_benchmark::launch_bisect_kernel<1>(operation, policy, in);
  }
};

struct warp_bisect
{
  static constexpr const char* name = "warp_bisect";
  template <class Problem, class System>
  static constexpr bool is_for = !Problem::operation::writes_lists;

  template <class Operation, class Policy>
  static void run(Operation operation, Policy policy, const pair_arguments& in)
  {
    check_peer_steps(in.max_search_steps / 32);
    mgpu_benchmark::launch_bisect_kernel<32>(operation, policy, in);
  }
};

#if defined(MGPU_BENCHMARK_CUSPARSE)

inline void check_cusparse(cusparseStatus_t status, const char* what)
{
  if (status != CUSPARSE_STATUS_SUCCESS)
  {
    throw std::runtime_error(std::string(what) + ": " + cusparseGetErrorString(status));
  }
}

/// What all calls of cuSPARSE share. The program ends without destroying it.
struct cusparse_context
{
  cusparseHandle_t handle{};
  cusparseMatDescr_t description{};

  cusparse_context()
  {
    check_cusparse(cusparseCreate(&handle), "cusparseCreate");
    check_cusparse(cusparseCreateMatDescr(&description), "cusparseCreateMatDescr");
  }
};

/// cuSPARSE's sum of matrices in CSR: it is asked for the size of its storage, then for the offsets and the number of
/// elements of the sum, for which it waits, and then for the elements.
struct cusparse_sum
{
  static constexpr const char* name = "cusparse";
  template <class Problem, class System>
  static constexpr bool is_for = Problem::operation::writes_values;

  template <class Policy>
  static void run(segmented_set_union_by_key, Policy policy, const pair_arguments& in)
  {
    static const cusparse_context context;
    const cusparseHandle_t handle = context.handle;
    const cusparseMatDescr_t matrix = context.description;
    const int rows = static_cast<int>(in.num_pairs);
    const int columns = static_cast<int>(in.num_columns);
    const int a_count = static_cast<int>(in.a_count);
    const int b_count = static_cast<int>(in.b_count);
    check_cusparse(cusparseSetStream(handle, thrust::cuda_cub::stream(policy)), "cusparseSetStream");
    std::size_t bytes = 0;
    check_cusparse(
      cusparseScsrgeam2_bufferSizeExt(
        handle, rows, columns, &factor_of_a, matrix, a_count, in.a_values, in.a_begins, in.a, &factor_of_b, matrix,
        b_count, in.b_values, in.b_begins, in.b, matrix, in.values_out, in.offsets_out, in.out, &bytes),
      "cusparseScsrgeam2_bufferSizeExt");
    const auto storage = thrust::get_temporary_buffer<char>(policy, static_cast<std::ptrdiff_t>(bytes));
    char* const buffer = thrust::raw_pointer_cast(storage.first);
    int count = 0;
    check_cusparse(
      cusparseXcsrgeam2Nnz(
        handle, rows, columns, matrix, a_count, in.a_begins, in.a, matrix, b_count, in.b_begins, in.b, matrix,
        in.offsets_out, &count, buffer),
      "cusparseXcsrgeam2Nnz");
    check_cusparse(
      cusparseScsrgeam2(
        handle, rows, columns, &factor_of_a, matrix, a_count, in.a_values, in.a_begins, in.a, &factor_of_b, matrix,
        b_count, in.b_values, in.b_begins, in.b, matrix, in.values_out, in.offsets_out, in.out, buffer),
      "cusparseScsrgeam2");
    thrust::return_temporary_buffer(policy, storage.first, storage.second);
  }
};
using pairs_libraries =
  libraries<blocks_bisect, thread_merge, thread_bisect, warp_bisect, cusparse_sum, mgpu_segmented_set_operations>;

#else

using pairs_libraries =
  libraries<blocks_bisect, thread_merge, thread_bisect, warp_bisect, mgpu_segmented_set_operations>;

#endif

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = all_problems();
  defaults.n = {1 << 16, 1 << 20, 1 << 24};
  return run_cuda_program(argc, argv, defaults, pairs_libraries{}, all_pair_lengths(), pairs_problems());
}
