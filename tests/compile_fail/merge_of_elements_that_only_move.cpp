// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A merge copies its elements, also from move iterators.
// first error: mgpu_thrust: elements are copied, not moved, to the output

#include <mgpu_thrust/merge.h>

#include <iterator>
#include <memory>
#include <vector>

#if defined(RIGHT_USE)
using element = std::shared_ptr<int>;
#else
using element = std::unique_ptr<int>;
#endif

void merge(std::vector<element>& a, std::vector<element>& b, std::vector<element>& result)
{
  mgpu::merge(
    thrust::host, std::make_move_iterator(a.begin()), std::make_move_iterator(a.end()), b.begin(), b.end(),
    result.begin());
}
