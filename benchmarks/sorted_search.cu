// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Sorted searches on a GPU: mgpu beside the vectorised searches of Thrust and, from CCCL 3.6 on, CUB's searches for
/// sorted values, with the same allocator.

#include "machine_cuda.h"
#include "sorted_search.h"

#include <cuda/std/functional>
#include <cuda/version>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if CCCL_VERSION >= 3006000
#  include <cub/device/device_find.cuh>
#endif

namespace mgpu_benchmark
{

#if CCCL_VERSION >= 3006000

struct cub_sorted_search
{
  static constexpr const char* name = "cub";
  template <class Problem, class System>
  static constexpr bool is_for =
    std::is_same_v<
      typename Problem::operation,
      sorted_lower_bound> || std::is_same_v<typename Problem::operation, sorted_upper_bound>;

  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, index_form, const Policy& policy, const Arguments& in)
  {
    call_cub(
      policy, "cub::DeviceFind",
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        const auto search = [&](auto find)
        {
          return find(
            storage, bytes, in.a_first, in.a_last - in.a_first, in.b_first, in.b_count(), in.first_indices,
            ::cuda::std::less<>{}, stream);
        };
        if constexpr (std::is_same_v<Operation, sorted_lower_bound>)
        {
          return search([](auto&&... all) { return cub::DeviceFind::LowerBoundSortedValues(all...); });
        }
        else
        {
          return search([](auto&&... all) { return cub::DeviceFind::UpperBoundSortedValues(all...); });
        }
      });
    return in.b_count();
  }
};
using search_libraries = libraries<thrust_sorted_search, cub_sorted_search, mgpu_sorted_search>;

#else

using search_libraries = libraries<thrust_sorted_search, mgpu_sorted_search>;

#endif

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = all_problems();
  defaults.n = {1 << 16, 1 << 20, 1 << 24, 1 << 26};
  defaults.distributions = {"uniform"};
  return run_cuda_program(argc, argv, defaults, search_libraries{}, all_distributions(), search_problems());
}
