// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Merges of any number of runs on a GPU: mgpu beside sorts of all elements, by comparison and by digits, and beside a
/// tree of CUB's merges of two, with the same allocator.

#include "machine_cuda.h"
#include "multiway_merge.h"

#include <cub/device/device_merge.cuh>

#include <thrust/memory.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mgpu_benchmark
{

/// Levels of merges of two neighbouring runs, of keys. The host knows the lengths.
struct cub_merge_tree
{
  static constexpr const char* name = "cub_tree";
  static constexpr std::size_t max_runs = 1024; ///< each merge is a call
  template <class Problem, class System>
  static constexpr bool is_for = !Problem::form::has_values;

  template <class Operation, class Policy, class Arguments>
  static void run(Operation, const Policy& policy, const Arguments& in)
  {
    using key = typename Arguments::key;
    std::vector<std::int32_t> offsets = *in.host_offsets;
    if (offsets.size() > max_runs + 1)
    {
      throw not_measured("a tree of so many merges");
    }
    auto caller = policy; // which allocates
    const auto storage = thrust::get_temporary_buffer<key>(caller, static_cast<std::ptrdiff_t>(in.size));
    int levels = 0;
    while (std::size_t{1} << levels < offsets.size() - 1)
    {
      ++levels;
    }
    const key* from = in.input;
    for (; levels > 0; --levels) // the last one ends in the output
    {
      key* const to = levels % 2 == 1 ? in.first : thrust::raw_pointer_cast(storage.first);
      std::vector<std::int32_t> merged;
      for (std::size_t run = 0; run + 1 < offsets.size(); run += 2)
      {
        merge_two(policy, from, offsets[run], offsets[run + 1], offsets[std::min(run + 2, offsets.size() - 1)], to);
        merged.push_back(offsets[run]);
      }
      merged.push_back(offsets.back());
      offsets = std::move(merged);
      from = to;
    }
    thrust::return_temporary_buffer(caller, storage.first, storage.second);
  }

private:
  template <class Policy, class Key>
  static void
  merge_two(const Policy& policy, const Key* from, std::int64_t a, std::int64_t b, std::int64_t end, Key* to)
  {
    call_cub(
      policy, "cub::DeviceMerge",
      [=](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return cub::DeviceMerge::MergeKeys(
          storage, bytes, from + a, b - a, from + b, end - b, to + a, some_order{}, stream);
      });
  }
};

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = all_problems();
  defaults.n = {1 << 16, 1 << 20, 1 << 24, 1 << 27};
  return run_cuda_program(
    argc, argv, defaults,
    libraries<
      then_reduced<thrust_sort>, then_reduced<thrust_sort_by_digits>, cub_merge_tree, then_reduced<mgpu_sort_of_runs>,
      then_reduced<mgpu_merge_first>, copy_of_runs, mgpu_multiway_merge>{},
    all_run_lengths(), multiway_merge_problems());
}
