// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Another library in namespace mgpu, as moderngpu is: it has names of ours, one of them with our parameters, and
// another meaning.

#include "intersections.h"

#include <cuda/std/functional>

#include <type_traits>

namespace mgpu
{

struct context_t
{
  int answer = 42;
};

template <
  class IteratorA, class CountA, class IteratorB, class CountB, class Diagonal, class Compare = ::cuda::std::less<>>
std::common_type_t<CountA, CountB, Diagonal>
merge_path(IteratorA, CountA, IteratorB, CountB, Diagonal, Compare = Compare{})
{
  return context_t{}.answer;
}

} // namespace mgpu

int merge_path_of_another_library(const int* a, int a_count, const int* b, int b_count, int diagonal)
{
  return mgpu::merge_path(a, a_count, b, b_count, diagonal);
}
