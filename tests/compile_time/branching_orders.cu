// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Sorts by comparisons that have control flow, which CMakeLists.txt compiles within a limit of time.

#include "../support/branching_keys.h"

#include <mgpu_thrust/segmented_sort.h>
#include <mgpu_thrust/segmented_sort_n.h>
#include <mgpu_thrust/set_operations.h>
#include <mgpu_thrust/sort.h>
#include <mgpu_thrust/sort_n.h>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>

#include <cuda/std/array>
#include <cuda/std/functional>

#include <array>
#include <cstdint>

template <class Key, class Compare = ::cuda::std::less<>>
void sort_keys(Compare comp = Compare{})
{
  thrust::device_vector<Key> keys(10);
  mgpu::sort(thrust::device, keys.begin(), keys.end(), comp);
}

template <class Key, class Compare = ::cuda::std::less<>>
void sort_deferred_segments(Compare comp = Compare{})
{
  thrust::device_vector<Key> keys(10);
  thrust::device_vector<std::int32_t> offsets(1);
  const mgpu::deferred count{thrust::raw_pointer_cast(offsets.data()), std::int64_t{10}};
  mgpu::segmented_sort_n(thrust::device, keys.begin(), count, offsets.begin(), 1, comp);
}

template <class Key, class Compare = ::cuda::std::less<>>
void sort_in_all_ways(Compare comp = Compare{})
{
  sort_keys<Key>(comp);
  sort_deferred_segments<Key>(comp);
  thrust::device_vector<Key> keys(10);
  thrust::device_vector<std::int32_t> values(10), offsets(1);
  const mgpu::deferred count{thrust::raw_pointer_cast(offsets.data()), std::int64_t{10}};
  mgpu::sort_by_key(thrust::device, keys.begin(), keys.end(), values.begin(), comp);
  mgpu::segmented_sort(thrust::device, keys.begin(), keys.end(), offsets.begin(), offsets.end(), comp);
  mgpu::sort_n(thrust::device, keys.begin(), count, comp);
}

int main()
{
#if defined(MGPU_THRUST_TEST_FEW)
  sort_deferred_segments<::cuda::std::array<std::int32_t, 2>>();
  sort_keys<test::columns_key>();
  thrust::device_vector<std::int32_t> keys(10), both(10);
  mgpu::set_intersection(thrust::device, keys.begin(), keys.end(), keys.begin(), keys.end(), both.begin());
#elif defined(MGPU_THRUST_TEST_ARRAYS)
  sort_in_all_ways<::cuda::std::array<std::int32_t, 2>>();
  sort_keys<::cuda::std::array<std::int32_t, 3>>();
  sort_keys<std::array<std::int32_t, 2>>(test::by_words{});
  sort_keys<test::pointers_key>();
#elif defined(MGPU_THRUST_TEST_COLUMNS_AND_STRINGS)
  sort_keys<test::columns_key>();
  sort_keys<test::text_key>();
  sort_keys<test::tuple_key>();
  sort_deferred_segments<test::columns_key>();
  sort_keys<std::int32_t>(test::by_text{});
  sort_deferred_segments<std::int32_t>(test::by_text{});
#endif
}
