// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernels that permute elements by indices, through temporary storage: each element is copied there once and back
/// once.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <iterator>
#include <new>
#include <type_traits>

#pragma nv_diagnostic push
#pragma nv_diag_suppress 1407

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

inline constexpr int permute_threads = 256;
inline constexpr int permute_items = 4; ///< per thread

/// Calls f(i) for each index i of the block that is below `count`.
template <class Function>
MGPU_THRUST_DEVICE void for_each_of_block(std::int64_t count, Function f)
{
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * (permute_threads * permute_items) + threadIdx.x;
#pragma unroll
  for (int k = 0; k < permute_items; ++k)
  {
    const std::int64_t i = first + k * permute_threads;
    if (i < count)
    {
      f(i);
    }
  }
}

/// Constructs element `order[i]` of `from` at `to + i`.
template <class Input, class Element>
MGPU_THRUST_KERNEL void __launch_bounds__(permute_threads)
  fetch_kernel(Input from, const std::int64_t* order, Element* to, std::int64_t count)
{
  detail::for_each_of_block(
    count, [&](std::int64_t i) { ::new (static_cast<void*>(to + i)) Element(detail::element(from, order[i])); });
}

/// Writes element i of `from` to `to + i`.
template <class Element, class Output>
MGPU_THRUST_KERNEL void __launch_bounds__(permute_threads)
  put_back_kernel(const Element* from, Output to, std::int64_t count)
{
  detail::for_each_of_block(count, [&](std::int64_t i) { *(to + i) = from[i]; });
}

/// Queues both kernels: element i of `elements` receives the value that element order[i] had. `storage` has room for
/// `count` elements.
template <class Elements>
cudaError_t
queue_permutation(Elements elements, const std::int64_t* order, void* storage, std::int64_t count, cudaStream_t stream)
{
  using element = typename std::iterator_traits<Elements>::value_type;
  static_assert(
    std::is_trivially_destructible_v<element>, "mgpu_thrust: elements on a device must be trivially destructible");
  const int blocks = static_cast<int>(::cuda::ceil_div(count, permute_threads * permute_items));
  auto* const fetched = static_cast<element*>(storage);
  const cudaError_t error = detail::launch_kernel(
    detail::fetch_kernel<Elements, element>, blocks, permute_threads, false, stream, elements, order, fetched, count);
  if (error != cudaSuccess)
  {
    return error;
  }
  return detail::launch_kernel(
    detail::put_back_kernel<element, Elements>, blocks, permute_threads, false, stream,
    static_cast<const element*>(fetched), elements, count);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

#pragma nv_diagnostic pop
