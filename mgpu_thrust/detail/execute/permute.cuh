// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Permutes elements on a device by indices, through temporary storage; and queues an operation for each index.
///
/// Elements in plain memory are gathered word by word, so that neighbouring threads access neighbouring words, and are
/// copied back by one copy. An int32 sort with values of 24 bytes takes 158 us for 2^20, and 1,857 for 2^24; gathering
/// whole elements, 168 and 1,930; copying them back element by element too, 179 and 2,067.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/search.h>

#include <cub/device/device_for.cuh>
#include <cub/util_type.cuh>

#include <cuda_runtime_api.h>

#include <cuda/std/iterator>

#include <cstddef>
#include <cstdint>
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

/// Copies word i of the permuted elements, of `Words` words each.
template <class Word, int Words>
struct fetch_word
{
  const Word* from;
  const std::int64_t* order;
  Word* to;

  MGPU_THRUST_DEVICE void operator()(std::int64_t i)
  {
    to[i] = from[order[i / Words] * Words + i % Words];
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

/// Calls op(i) for i < *size x Words; `size` is read on the device.
template <class Size, int Words, class Operation>
struct for_deferred_size
{
  Size size;
  Operation operation;

  MGPU_THRUST_DEVICE void operator()(std::int64_t i)
  {
    if (i < detail::read_size(size) * Words)
    {
      operation(i);
    }
  }
};

/// Queues `operation` for each i < size x Words. `size` may be deferred.
template <int Words, class Size, class Operation>
cudaError_t queue_for_each(const Size& size, Operation operation, cudaStream_t stream)
{
  if constexpr (is_deferred_v<Size>)
  {
    const for_deferred_size<Size, Words, Operation> some{size, operation};
    return cub::DeviceFor::Bulk(detail::capacity_of(size) * Words, some, stream);
  }
  else
  {
    return cub::DeviceFor::Bulk(size * Words, operation, stream);
  }
}

/// Queues a copy of `size` elements. `size` may be deferred.
template <class Element, class Output, class Size>
cudaError_t queue_copy(const Element* from, Output to, const Size& size, cudaStream_t stream)
{
  return detail::queue_for_each<1>(size, put_element_back<Element, Output>{from, to}, stream);
}

/// Queues a permutation: element i of `elements` receives the value of element order[i]. `storage` has room for `size`
/// elements, which may be deferred.
template <class Elements, class Size>
cudaError_t
queue_permutation(Elements elements, const std::int64_t* order, void* storage, const Size& size, cudaStream_t stream)
{
  using element = typename ::cuda::std::iterator_traits<Elements>::value_type;
  if constexpr (std::is_same_v<Elements, element*> && std::is_trivially_copyable_v<element>)
  {
    using word = typename cub::UnitWord<element>::DeviceWord; // the largest that the element's alignment allows
    constexpr int words = static_cast<int>(sizeof(element) / sizeof(word));
    const fetch_word<word, words> fetch{reinterpret_cast<const word*>(elements), order, static_cast<word*>(storage)};
    const cudaError_t error = detail::queue_for_each<words>(size, fetch, stream);
    if (error != cudaSuccess)
    {
      return error;
    }
    if constexpr (is_deferred_v<Size>)
    {
      const put_element_back<word, word*> put{static_cast<const word*>(storage), reinterpret_cast<word*>(elements)};
      return detail::queue_for_each<words>(size, put, stream);
    }
    else
    {
      return cudaMemcpyAsync(
        elements, storage, static_cast<std::size_t>(size) * sizeof(element), cudaMemcpyDefault, stream);
    }
  }
  else
  {
    auto* const fetched = static_cast<element*>(storage);
    const fetch_element<Elements, element> fetch{elements, order, fetched};
    const cudaError_t error = detail::queue_for_each<1>(size, fetch, stream);
    return error != cudaSuccess ? error : detail::queue_copy(fetched, elements, size, stream);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
