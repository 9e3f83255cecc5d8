// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Inputs that a __device__ lambda computes. The host takes its result for int, so that kernels would be named after
// other types on the host than on the device.
// first error: mgpu_thrust: an input's elements are the results of a __device__ lambda

#include <mgpu_thrust/merge.h>
#include <mgpu_thrust/segmented_reduce.h>

#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cuda/functional>

void call(int n, const double* p, const int* offsets, double* out, int* numbers)
{
  const thrust::counting_iterator<int> c(0);
  const auto number = thrust::make_transform_iterator(c, [=] __device__(int i) { return offsets[i] + 1; });
  mgpu::merge(thrust::device, number, number + n, offsets, offsets + n, numbers);
  mgpu::segmented_reduce(thrust::device, p, p + n, number, number + n, out);
  const auto both = [=] __host__ __device__(int i) { return 2.0 * i; };
  const auto of_both = thrust::make_transform_iterator(c, both);
  mgpu::merge(thrust::device, of_both, of_both + n, p, p + n, out);
  auto lambda = [=] __device__(int i) { return p[i]; };
  const thrust::transform_iterator<decltype(lambda), thrust::counting_iterator<int>, double> of_known_type(c, lambda);
  mgpu::segmented_reduce(thrust::device, of_known_type, of_known_type + n, offsets, offsets + n, out);
#if defined(RIGHT_USE)
  const auto computed = thrust::make_transform_iterator(c, cuda::proclaim_return_type<double>(lambda));
#else
  const auto computed = thrust::make_transform_iterator(c, lambda);
#endif
  const auto zipped = thrust::make_zip_iterator(c, computed);
  mgpu::merge(thrust::device, zipped, zipped + n, zipped, zipped + n, thrust::make_zip_iterator(numbers, out));
}
