// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Permutes elements on a device by indices, through temporary storage: each element is copied there once and back
/// once.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <cub/device/device_for.cuh>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <iterator>
#include <new>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Constructs element `order[i]` of `from` at `to + i`.
template <class Input, class Element>
struct fetch_element
{
  Input from;
  const std::int64_t* order;
  Element* to;

  MGPU_THRUST_DEVICE void operator()(std::int64_t i)
  {
    ::new (static_cast<void*>(to + i)) Element(detail::element(from, order[i]));
  }
};

/// Writes element i of `from` to `to + i`.
template <class Element, class Output>
struct put_element_back
{
  const Element* from;
  Output to;

  MGPU_THRUST_DEVICE void operator()(std::int64_t i)
  {
    *(to + i) = from[i];
  }
};

/// Queues a permutation: element i of `elements` receives the value that element order[i] had. `storage` has room for
/// `count` elements.
template <class Elements>
cudaError_t
queue_permutation(Elements elements, const std::int64_t* order, void* storage, std::int64_t count, cudaStream_t stream)
{
  using element = typename std::iterator_traits<Elements>::value_type;
  static_assert(
    std::is_trivially_destructible_v<element>, "mgpu_thrust: elements on a device must be trivially destructible");
  auto* const fetched = static_cast<element*>(storage);
  const cudaError_t error =
    cub::DeviceFor::Bulk(count, fetch_element<Elements, element>{elements, order, fetched}, stream);
  if (error != cudaSuccess)
  {
    return error;
  }
  return cub::DeviceFor::Bulk(count, put_element_back<element, Elements>{fetched, elements}, stream);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
