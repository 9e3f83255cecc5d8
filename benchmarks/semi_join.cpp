// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Semi and anti joins on the CPU: mgpu on each of Thrust's CPU systems, beside a plain loop along both inputs, and
/// Thrust's vectorised search and copy_if.

#include "semi_join.h"
#include "machine_cpu.h"

#include <cstdint>

namespace mgpu_benchmark
{

/// A loop like those of the standard library's set operations, but an element of B may match many elements of A.
struct std_semi_join
{
  static constexpr const char* name = "std";

  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, rows_form, const Policy&, const Arguments& in)
  {
    auto out = in.rows_out;
    for_each_kept<Operation>(in, [&out](std::int64_t row) { *out++ = static_cast<std::int32_t>(row); });
    return out - in.rows_out;
  }
  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, size_form, const Policy&, const Arguments& in)
  {
    std::int64_t size = 0;
    for_each_kept<Operation>(in, [&size](std::int64_t) { ++size; });
    return size;
  }

private:
  template <class Operation, class Arguments, class Function>
  static void for_each_kept(const Arguments& in, Function f)
  {
    auto b = in.b_first;
    for (auto a = in.a_first; a != in.a_last; ++a)
    {
      while (b != in.b_last && *b < *a)
      {
        ++b;
      }
      const bool has_equal = b != in.b_last && !(*a < *b);
      if (has_equal == Operation::keeps)
      {
        f(a - in.a_first);
      }
    }
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
    argc, argv, defaults, libraries<std_semi_join>{}, libraries<mgpu_semi_join>{}, libraries<thrust_semi_join>{},
    all_distributions(), semi_join_problems());
}
