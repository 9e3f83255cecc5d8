// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Set operations on the CPU: mgpu on each of Thrust's CPU systems, beside the standard library's, serial and parallel,
/// and Thrust's.

#include "set_operations.h"
#include "machine_cpu.h"

#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#if MGPU_THRUST_HAS_TBB
#  include <execution>
#endif

namespace mgpu_benchmark
{

/// The serial algorithms of the standard library; they have no policy.
struct std_set_operations
{
  static constexpr const char* name = "std";

  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, keys_form, const Policy&, const Arguments& in)
  {
    return Operation::std_keys(in.a_first, in.a_last, in.b_first, in.b_last, in.keys_out) - in.keys_out;
  }
  /// The standard library has no values: keys and values are zipped. Values of B are not read where Thrust takes none.
  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, by_key_form, const Policy&, const Arguments& in)
  {
    const auto a = thrust::make_zip_iterator(in.a_first, in.a_values);
    const auto b = thrust::make_zip_iterator(in.b_first, in.b_values);
    const auto out = thrust::make_zip_iterator(in.keys_out, in.values_out);
    const auto less = [](const auto& x, const auto& y) { return thrust::get<0>(x) < thrust::get<0>(y); };
    return Operation::std_keys(a, a + (in.a_last - in.a_first), b, b + (in.b_last - in.b_first), out, less) - out;
  }
  /// The textbook loop, as the standard library combines no values.
  template <class Operation, class Policy, class Key, class Value>
  static std::int64_t run(Operation, combined_form, const Policy&, const set_arguments<Key, Value>& in)
  {
    constexpr bool keeps_all = std::is_same_v<Operation, set_union>;
    const Key* a = in.a_first;
    const Key* b = in.b_first;
    Key* key_out = in.keys_out;
    Value* value_out = in.values_out;
    while (a != in.a_last || b != in.b_last)
    {
      const bool takes_a = a != in.a_last && (b == in.b_last || !(*b < *a));
      const bool takes_b = b != in.b_last && (a == in.a_last || !(*a < *b));
      if (keeps_all || (takes_a && takes_b))
      {
        *key_out++ = takes_a ? *a : *b;
        *value_out++ =
          (takes_a ? in.a_values[a - in.a_first] : Value{0}) + (takes_b ? in.b_values[b - in.b_first] : Value{0});
      }
      a += takes_a;
      b += takes_b;
    }
    return key_out - in.keys_out;
  }
  /// The standard library has no function that only counts: the result is written to a discard iterator.
  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, size_form, const Policy&, const Arguments& in)
  {
    const auto nowhere = thrust::make_discard_iterator();
    return Operation::std_keys(in.a_first, in.a_last, in.b_first, in.b_last, nowhere) - nowhere;
  }
};

/// The parallel algorithms of the standard library, which execute in the current TBB arena. Keys only: with zipped
/// iterators they are serial.
struct pstl_set_operations
{
  static constexpr const char* name = "pstl";
#if MGPU_THRUST_HAS_TBB
  template <class Problem, class System>
  static constexpr bool is_for =
    std::conjunction_v<std::is_same<System, tbb_system>, std::is_same<typename Problem::form, keys_form>>;

  template <class Operation, class Policy, class Arguments>
  static std::int64_t run(Operation, keys_form, const Policy&, const Arguments& in)
  {
    return Operation::std_keys(std::execution::par, in.a_first, in.a_last, in.b_first, in.b_last, in.keys_out)
           - in.keys_out;
  }
#else
  template <class Problem, class System>
  static constexpr bool is_for = false;
#endif
};

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = cpu_defaults();
  defaults.distributions = {"uniform"};
  defaults.types = {"i32"};
  return run_cpu_program(
    argc, argv, defaults, libraries<std_set_operations>{}, libraries<pstl_set_operations, mgpu_set_operations>{},
    libraries<thrust_set_operations>{}, all_distributions(), set_problems());
}
