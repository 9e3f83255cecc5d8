// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// As-of joins on the CPU: mgpu on each of Thrust's CPU systems, beside a loop of searches, each from the bound before
/// on, and Thrust's vectorised search and a transform.

#include "asof_join.h"
#include "machine_cpu.h"

#include <algorithm>
#include <cstdint>

namespace mgpu_benchmark
{

/// A loop over A: the strides from the last bound double until an element of B is after the left row; std::upper_bound
/// searches in the last stride.
struct std_asof_join
{
  static constexpr const char* name = "std";

  template <class Operation, class Policy, class Key>
  static std::int64_t run(Operation, rows_form, const Policy&, const asof_arguments<Key>& in)
  {
    const std::int64_t b_count = in.b_last - in.b_first;
    std::int32_t* out = in.rows_out;
    const Key* bound = in.b_first;
    for (const Key* a = in.a_first; a != in.a_last; ++a)
    {
      std::int64_t stride = 1;
      while (stride <= in.b_last - bound && !(*a < bound[stride - 1]))
      {
        bound += stride;
        stride *= 2;
      }
      bound = std::upper_bound(bound, bound + std::min<std::int64_t>(stride - 1, in.b_last - bound), *a);
      *out++ = static_cast<std::int32_t>(Operation::row_of(*a, bound - in.b_first, in.b_first, b_count));
    }
    return out - in.rows_out;
  }
};

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = cpu_defaults();
  defaults.distributions = {"uniform"};
  defaults.types = {"i32"};
  return run_cpu_program(
    argc, argv, defaults, libraries<std_asof_join>{}, libraries<mgpu_asof_join>{}, libraries<thrust_asof_join>{},
    all_distributions(), asof_problems());
}
