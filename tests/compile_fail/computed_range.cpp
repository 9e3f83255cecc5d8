// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Sorts of elements of a class that iterators compute.
// first error: mgpu_thrust: a sort writes to the range that it sorts
// errors: 6

#include <mgpu_thrust/segmented_sort.h>
#include <mgpu_thrust/sort.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdint>
#include <utility>
#include <vector>

using key = std::pair<std::uint64_t, float>;

#if defined(RIGHT_USE)
template <int>
key* range()
{
  static std::vector<key> keys(100);
  return keys.data();
}
#else
template <int Call>
struct key_of
{
  key operator()(std::uint64_t i) const
  {
    return {i % 10, 1.0f};
  }
};
template <int Call>
auto range()
{
  return thrust::make_transform_iterator(thrust::counting_iterator<std::uint64_t>(0), key_of<Call>{});
}
#endif

void sort(std::vector<int>& values, const std::vector<int>& offsets)
{
  const auto policy = thrust::host;
  const auto first = offsets.begin();
  const auto last = offsets.end();
  mgpu::sort(policy, range<0>(), range<0>() + 100);
  mgpu::stable_sort_by_key(policy, range<1>(), range<1>() + 100, values.begin());
  mgpu::sort_by_key(policy, values.begin(), values.end(), range<2>());
  mgpu::segmented_sort(policy, range<3>(), range<3>() + 100, first, last);
  mgpu::segmented_sort_by_key(policy, values.begin(), values.end(), range<4>(), first, last);
  mgpu::segmented_sort_by_flags(policy, range<5>(), range<5>() + 100, first);
}
