// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Elements on a GPU that have a destructor, and values to reduce or scan whose bytes are not known to be enough.
// first error: mgpu_thrust: a GPU takes
// errors: 10

#include <mgpu_thrust/mgpu_thrust.h>

#include <thrust/execution_policy.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/type_traits/is_trivially_relocatable.h>

#include <cuda/std/functional>
#include <cuda/std/tuple>

template <int Call>
struct element
{
  int key;

  explicit element(int k)
      : key(k)
  {
  }
  __host__ __device__ element(const element& other)
      : key(other.key)
  {
  }
  __host__ __device__ element& operator=(const element& other)
  {
    key = other.key;
    return *this;
  }
#if !defined(RIGHT_USE)
  __host__ __device__ ~element()
  {
  }
#endif
  friend __host__ __device__ bool operator<(const element& x, const element& y)
  {
    return x.key < y.key;
  }
};

/// A value with a copy constructor.
template <int Call>
struct value
{
  int number;

  __host__ __device__ explicit value(int n)
      : number(n)
  {
  }
  __host__ __device__ value(const value& other)
      : number(other.number)
  {
  }
  value& operator=(const value&) = default;
  friend __host__ __device__ value operator+(const value& x, const value& y)
  {
    return value(x.number + y.number);
  }
};
#if defined(RIGHT_USE)
THRUST_PROCLAIM_TRIVIALLY_RELOCATABLE(value<0>)
THRUST_PROCLAIM_TRIVIALLY_RELOCATABLE(value<1>)
#endif

void call(int n, int* keys, int* offsets, int* out)
{
  const auto p = thrust::device;
  int* const last = keys + n;
  int* const offsets_last = offsets + n;
  const auto elements = [](auto call) { return static_cast<element<decltype(call)::value>*>(nullptr); };
  const auto values = [](auto call) { return static_cast<value<decltype(call)::value>*>(nullptr); };

  const auto a = elements(std::integral_constant<int, 0>{});
  mgpu::set_union_size(p, a, a + n, a, a + n);
  const auto b = elements(std::integral_constant<int, 1>{});
  mgpu::merge_by_key(p, keys, last, keys, last, b, b, out, b);
  const auto c = elements(std::integral_constant<int, 2>{});
  mgpu::sort_by_key(p, keys, last, c);
  const auto d = elements(std::integral_constant<int, 3>{});
  mgpu::merge_runs(p, d, d + n, offsets, offsets_last, d + n);
  const auto e = elements(std::integral_constant<int, 4>{});
  mgpu::segmented_set_intersection_size(p, e, offsets, offsets, e, offsets, offsets, n, out);
  const auto f = elements(std::integral_constant<int, 5>{});
  mgpu::bulk_remove(p, f, f + n, offsets, offsets_last, f);
  const auto g = elements(std::integral_constant<int, 6>{});
  mgpu::interval_expand(p, n, offsets, offsets_last, g, g);
  const auto h = elements(std::integral_constant<int, 7>{});
  const auto zipped = thrust::make_zip_iterator(keys, h);
  mgpu::stable_sort(p, zipped, zipped + n, cuda::std::less<>{});

  const auto v = values(std::integral_constant<int, 0>{});
  mgpu::segmented_reduce(p, v, v + n, offsets, offsets_last, v, value<0>(0));
  const auto w = values(std::integral_constant<int, 1>{});
  mgpu::segmented_inclusive_scan(p, w, w + n, offsets, offsets_last, w);

  // Tuples and pairs of such elements are elements too.
  const auto tuples = static_cast<cuda::std::tuple<int, double>*>(nullptr);
  mgpu::merge(p, tuples, tuples + n, tuples, tuples + n, tuples);
  mgpu::segmented_exclusive_scan(
    p, tuples, tuples + n, offsets, offsets_last, tuples, cuda::std::tuple<int, double>(0, 0.0),
    [] __host__ __device__(const cuda::std::tuple<int, double>&, const cuda::std::tuple<int, double>& y) { return y; });
}
