// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// As-of joins on a GPU. The peers are Thrust's vectorised search and a transform, a kernel in which a thread bisects
/// for each left row, and our search alone; from CCCL 3.6 on, CUB's search for sorted values and a transform.

#include "asof_join.h"
#include "machine_cuda.h"

#include <thrust/transform.h>

#include <cuda/std/functional>
#include <cuda/version>

#include <cstddef>
#include <cstdint>

#if CCCL_VERSION >= 3006000
#  include <cub/device/device_find.cuh>
#endif

namespace mgpu_benchmark
{

/// Bisects B for an element of A, and returns its row.
template <class Operation, class Key>
struct bisect_for_row
{
  const Key* b;
  std::int64_t b_count;

  __device__ std::int32_t operator()(Key key) const
  {
    std::int64_t begin = 0;
    std::int64_t end = b_count;
    while (begin < end)
    {
      const std::int64_t middle = begin + (end - begin) / 2;
      if (key < b[middle])
      {
        end = middle;
      }
      else
      {
        begin = middle + 1;
      }
    }
    return static_cast<std::int32_t>(Operation::row_of(key, begin, b, b_count));
  }
};

/// The kernel that one writes first: all in one, without temporary results, but each thread is on its own.
struct thread_bisect_asof_join
{
  static constexpr const char* name = "thread_bisect";

  template <class Operation, class Policy, class Key>
  static std::int64_t run(Operation, rows_form, const Policy& policy, const asof_arguments<Key>& in)
  {
    const bisect_for_row<Operation, Key> find{in.b_first, in.b_last - in.b_first};
    return thrust::transform(policy, in.a_first, in.a_last, in.rows_out, find) - in.rows_out;
  }
};

#if CCCL_VERSION >= 3006000

struct cub_asof_join
{
  static constexpr const char* name = "cub";

  template <class Operation, class Policy, class Key>
  static std::int64_t run(Operation, rows_form, const Policy& policy, const asof_arguments<Key>& in)
  {
    call_cub(
      policy, "cub::DeviceFind::UpperBoundSortedValues",
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return cub::DeviceFind::UpperBoundSortedValues(
          storage, bytes, in.b_first, in.b_last - in.b_first, in.a_first, in.a_last - in.a_first, in.rows_out,
          ::cuda::std::less<>{}, stream);
      });
    return transform_bounds<Operation>(policy, in);
  }
};
using asof_libraries =
  libraries<thrust_asof_join, thread_bisect_asof_join, cub_asof_join, mgpu_upper_bound, mgpu_asof_join>;

#else

using asof_libraries = libraries<thrust_asof_join, thread_bisect_asof_join, mgpu_upper_bound, mgpu_asof_join>;

#endif

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = all_problems();
  defaults.n = {1 << 16, 1 << 20, 1 << 24, 1 << 26};
  defaults.distributions = {"uniform"};
  return run_cuda_program(argc, argv, defaults, asof_libraries{}, all_distributions(), asof_problems());
}
