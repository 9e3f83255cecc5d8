// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A predicate of a segmented compaction that changes items.
// first error: mgpu_thrust: the predicate must be callable with an item, as a constant

#include <mgpu_thrust/segmented_compact.h>

#include <vector>

void copy(const std::vector<int>& items, const std::vector<int>& offsets, std::vector<int>& out)
{
#if defined(RIGHT_USE)
  const auto pred = [](const int& x) { return x > 5; };
#else
  const auto pred = [](int& x) { return ++x > 5; };
#endif
  mgpu::segmented_copy_if(
    thrust::host, items.begin(), items.end(), offsets.begin(), offsets.end(), out.begin(), out.begin(), pred);
}
