// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Sizes that stay on the device, on a GPU: calls with deferred sizes beside calls with integers, and a chain of eight
/// beside one in which the host reads each size.

#include "deferred.h"

#include <tuple>

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = all_problems();
  defaults.n = {1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 26};
  return run_cuda_program(
    argc, argv, defaults, libraries<plain_sizes, host_between, deferred_sizes>{}, all_fullnesses(),
    std::make_tuple(
      problems_on<deferred_problem<intersection>>{"i32"}, problems_on<deferred_problem<union_of>>{"i32"},
      problems_on<deferred_problem<merge_of>>{"i32"}, problems_on<deferred_problem<lower_bounds>>{"i32"},
      problems_on<deferred_problem<semi_join_of>>{"i32"}, problems_on<deferred_problem<inner_join_of>>{"i32"},
      problems_on<deferred_problem<sort_of>>{"i32"}, problems_on<deferred_problem<sort_of_keys>>{"i32"},
      problems_on<deferred_problem<insertion>>{"i32"}, problems_on<deferred_problem<load_balance_of>>{"i32"},
      problems_on<deferred_problem<expansion>>{"i32"}, problems_on<deferred_problem<segmented_reduction>>{"i32"},
      problems_on<deferred_problem<sort_in_segments>>{"i32"},
      problems_on<deferred_problem<eight_intersections>>{"i32"}));
}
