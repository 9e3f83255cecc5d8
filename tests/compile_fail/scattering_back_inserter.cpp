// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A scatter to an output that can only be written in order.
// first error: mgpu_thrust: this algorithm writes its output out of order, with random access

#include <mgpu_thrust/interval.h>

#include <iterator>
#include <vector>

void scatter(
  const std::vector<int>& offsets, const std::vector<int>& places, const std::vector<int>& input,
  std::vector<int>& result)
{
#if defined(RIGHT_USE)
  const auto output = result.begin();
#else
  const auto output = std::back_inserter(result);
#endif
  mgpu::interval_scatter(
    thrust::seq, input.size(), offsets.begin(), offsets.end(), places.begin(), input.begin(), output);
}
