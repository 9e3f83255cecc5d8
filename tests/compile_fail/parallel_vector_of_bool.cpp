// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A parallel policy with outputs whose elements share words: alone, and in iterators that are made of others.
// first error: mgpu_thrust: parallel policies write neighbouring elements at the same time
// errors: 18

#include <mgpu_thrust/mgpu_thrust.h>

#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_input_output_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cstddef>
#include <cstdint>
#include <vector>

// The same iterators of libcu++, from CCCL 3.2 on.
#if CCCL_VERSION >= 3002000
#  include <cuda/iterator>
using cuda::make_permutation_iterator;
using cuda::make_transform_input_output_iterator;
using cuda::make_transform_output_iterator;
using cuda::make_zip_iterator;
#else
using thrust::make_permutation_iterator;
using thrust::make_transform_input_output_iterator;
using thrust::make_transform_output_iterator;
using thrust::make_zip_iterator;
#endif

/// A function of each call, so that each has outputs of its own types, and an error of its own.
template <int Call>
struct is_odd
{
  bool operator()(std::int64_t x) const
  {
    return x % 2 != 0;
  }
};

/// Writes through an iterator, for a tabulate_output_iterator.
template <class Iterator>
struct write_at
{
  Iterator first;

  void operator()(std::ptrdiff_t i, std::int64_t x) const
  {
    first[i] = x % 2 != 0;
  }
};

void call(const std::vector<std::int64_t>& numbers, std::vector<std::int64_t>& written, std::vector<bool>& bits)
{
#if defined(RIGHT_USE)
  const auto& policy = thrust::seq;
#else
  const auto& policy = thrust::omp::par;
#endif
  const auto a = numbers.begin();
  const auto last = numbers.end();
  const auto out = written.begin();
  const auto flags = bits.begin();
  std::int64_t count = 0;

  mgpu::sorted_contains(policy, a, last, a, last, flags);
  mgpu::merge(policy, a, last, a, last, thrust::make_reverse_iterator(flags));
  mgpu::merge(policy, a, last, a, last, thrust::make_permutation_iterator(flags, a));
  mgpu::merge(policy, a, last, a, last, thrust::make_transform_output_iterator(flags, is_odd<0>{}));
  mgpu::merge(policy, a, last, a, last, make_transform_output_iterator(flags, is_odd<1>{}));
  mgpu::merge(policy, a, last, a, last, make_transform_input_output_iterator(flags, is_odd<2>{}, is_odd<2>{}));
  mgpu::merge(policy, a, last, a, last, thrust::make_tabulate_output_iterator(write_at<decltype(flags)>{flags}));

  // Zips, and iterators that are made of several.
  const auto pairs = thrust::make_zip_iterator(a, a);
  const auto odd = make_transform_output_iterator(flags, is_odd<3>{});
  const auto with_flags = thrust::make_zip_iterator(out, flags);
  mgpu::set_union(policy, pairs, pairs + 1, pairs, pairs + 1, with_flags);
  mgpu::set_union(policy, pairs, pairs + 1, pairs, pairs + 1, make_zip_iterator(out, odd));
  const auto permuted = make_permutation_iterator(thrust::make_reverse_iterator(flags), a);
  mgpu::set_union(
    policy, pairs, pairs + 1, pairs, pairs + 1,
    make_zip_iterator(out, make_transform_output_iterator(permuted, is_odd<10>{})));

  // Outputs beside others, ranges that are sorted in place, and a call whose size stays on the device.
  mgpu::sorted_equal_range(policy, a, last, a, last, make_transform_output_iterator(flags, is_odd<4>{}), out);
  mgpu::sorted_equal_range(policy, a, last, a, last, out, make_transform_output_iterator(flags, is_odd<5>{}));
  mgpu::inner_join(policy, a, last, a, last, make_transform_output_iterator(flags, is_odd<6>{}), out);
  mgpu::inner_join(policy, a, last, a, last, out, make_transform_output_iterator(flags, is_odd<7>{}));
  mgpu::stable_sort_indices(policy, a, last, make_transform_output_iterator(flags, is_odd<8>{}));
  mgpu::stable_sort(policy, thrust::make_zip_iterator(flags, out), thrust::make_zip_iterator(flags, out));
  mgpu::stable_sort_by_key(policy, out, out + 1, thrust::make_zip_iterator(flags, flags));
  mgpu::set_union_n(policy, a, 1, a, 1, make_transform_output_iterator(flags, is_odd<9>{}), &count);

#if defined(RIGHT_USE)
  // Inputs of such elements, indices of a permutation among them, and outputs of objects that are such iterators.
  const auto read = thrust::make_zip_iterator(a, bits.cbegin());
  std::vector<char> bytes(bits.size());
  mgpu::merge(thrust::omp::par, bits.cbegin(), bits.cend(), bits.begin(), bits.end(), bytes.begin());
  mgpu::merge_by_key(
    thrust::omp::par, a, last, a, last, read, read, out, thrust::make_zip_iterator(out, bytes.begin()));
  mgpu::merge(thrust::omp::par, a, last, a, last, thrust::make_permutation_iterator(out, flags));
  std::vector<std::vector<bool>::iterator> places(bits.size());
  mgpu::merge(thrust::omp::par, places.begin(), places.end(), places.begin(), places.end(), places.data());
#endif
}
