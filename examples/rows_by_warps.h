// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Operations on jagged tensors as they are written today: a warp of a GPU takes a row, or a loop of a CPU.

#include "example_support.h"
#include "jagged_tensor.h"

#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <cstdint>

namespace example
{

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
/// Calls f(row, lane, lanes) for each row, on all lanes of a warp.
template <class Function>
__global__ void warp_a_row(std::int64_t num_rows, Function f)
{
  const std::int64_t row = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (row < num_rows)
  {
    f(static_cast<offset>(row), static_cast<int>(threadIdx.x % 32), 32);
  }
}

template <class Function>
void for_each_row(std::int64_t num_rows, Function f)
{
  warp_a_row<<<static_cast<unsigned>((num_rows + 7) / 8), 256>>>(num_rows, f);
  example::check_cuda(cudaGetLastError());
}
#else
template <class Function>
void for_each_row(std::int64_t num_rows, Function f)
{
  thrust::for_each_n(thrust::device, thrust::counting_iterator<offset>(0), num_rows, [=](offset row) { f(row, 0, 1); });
}
#endif

/// Copies a lane's part of a row.
MGPU_THRUST_HOST_DEVICE inline void copy_row(const float* from, offset size, float* to, int lane, int lanes)
{
  for (offset i = lane; i < size; i += lanes)
  {
    to[i] = from[i];
  }
}

struct permute_row
{
  const offset *in_offsets, *order, *out_offsets;
  const float* in;
  float* out;

  MGPU_THRUST_HOST_DEVICE void operator()(offset row, int lane, int lanes) const
  {
    copy_row(in + in_offsets[order[row]], out_offsets[row + 1] - out_offsets[row], out + out_offsets[row], lane, lanes);
  }
};

struct concatenate_row
{
  const offset *a_offsets, *b_offsets;
  const float *a, *b;
  float* out;

  MGPU_THRUST_HOST_DEVICE void operator()(offset row, int lane, int lanes) const
  {
    const offset a_begin = a_offsets[row], a_end = a_offsets[row + 1], b_begin = b_offsets[row];
    copy_row(a + a_begin, a_end - a_begin, out + a_begin + b_begin, lane, lanes);
    copy_row(b + b_begin, b_offsets[row + 1] - b_begin, out + a_end + b_begin, lane, lanes);
  }
};

/// Adds the values of a row.
struct pool_row
{
  const offset* offsets;
  const float* in;
  float* sums;

  MGPU_THRUST_HOST_DEVICE void operator()(offset row, int lane, int lanes) const
  {
    float sum = 0;
    for (offset i = offsets[row] + lane; i < offsets[row + 1]; i += lanes)
    {
      sum += in[i];
    }
#if defined(__CUDA_ARCH__)
    for (int step = 16; step > 0; step /= 2)
    {
      sum += __shfl_down_sync(0xffffffffu, sum, step);
    }
#endif
    if (lane == 0)
    {
      sums[row] = sum;
    }
  }
};

/// Counts the values of a row that are kept, and writes them if there is an output.
template <class Predicate>
struct filter_row
{
  const offset* offsets;
  const float* in;
  offset* counts;
  const offset* out_offsets;
  float* out;
  Predicate pred;

  MGPU_THRUST_HOST_DEVICE void operator()(offset row, int lane, int lanes) const
  {
    offset kept = 0;
    for (offset i = offsets[row]; i < offsets[row + 1]; i += lanes)
    {
      const bool keeps = i + lane < offsets[row + 1] && pred(in[i + lane]);
#if defined(__CUDA_ARCH__)
      const unsigned of_warp = __ballot_sync(0xffffffffu, keeps);
      const int before = __popc(of_warp & ((1u << lane) - 1)), count = __popc(of_warp);
#else
      const int before = 0, count = keeps;
#endif
      if (out != nullptr && keeps)
      {
        out[out_offsets[row] + kept + before] = in[i + lane];
      }
      kept += count;
    }
    if (out == nullptr && lane == 0)
    {
      counts[row] = kept;
    }
  }
};

/// The calls of the example jagged_tensors.
struct rows_by_warps
{
  static void permute(const tensor& in, const offset_vector& order, tensor& out)
  {
    for_each_row(
      in.num_rows(), permute_row{raw(in.offsets), raw(order), raw(out.offsets), raw(in.values), raw(out.values)});
  }
  static void pool(const tensor& in, value_vector& sums)
  {
    for_each_row(in.num_rows(), pool_row{raw(in.offsets), raw(in.values), raw(sums)});
  }
  template <class Predicate>
  static std::int64_t filter(const tensor& in, tensor& out, Predicate pred)
  {
    offset_vector counts(in.num_rows());
    filter_row<Predicate> f{raw(in.offsets), raw(in.values), raw(counts), raw(out.offsets), nullptr, pred};
    for_each_row(in.num_rows(), f);
    scan_lengths(counts.begin(), out.offsets);
    f.out = raw(out.values);
    for_each_row(in.num_rows(), f);
    return out.offsets.back();
  }
  static void concatenate(const tensor& a, const tensor& b, tensor& out)
  {
    for_each_row(
      a.num_rows(), concatenate_row{raw(a.offsets), raw(b.offsets), raw(a.values), raw(b.values), raw(out.values)});
  }
};

} // namespace example
