// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The short form of a call of the device layer: an environment has the stream, and the memory of temporary storage.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/no_values.h>

#include <cuda/stream_ref>
#include <cuda/version>

// From CCCL 3.5 on a stream and a memory resource have public queries.
#if CCCL_VERSION >= 3005000 && __has_include(<cuda/memory_resource>)
#  define MGPU_THRUST_HAS_CCCL_ENVIRONMENTS 1
#  include <cuda/memory_resource>
#else
#  define MGPU_THRUST_HAS_CCCL_ENVIRONMENTS 0
#endif

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether a type is CCCL's collection of any properties: perhaps neither a stream nor a memory resource is in it.
template <class Env>
inline constexpr bool is_cccl_environment_v = false;

#if MGPU_THRUST_HAS_CCCL_ENVIRONMENTS
using stream_query = ::cuda::get_stream_t;
using resource_query = ::cuda::mr::get_memory_resource_t;

template <class... Parts>
inline constexpr bool is_cccl_environment_v<::cuda::std::execution::env<Parts...>> = true;
#else
/// Returns a stream, or what converts to one.
struct stream_query
{
  ::cuda::stream_ref operator()(cudaStream_t stream) const
  {
    return stream;
  }
  template <class Env, std::enable_if_t<std::is_convertible_v<const Env&, ::cuda::stream_ref>, int> = 0>
  ::cuda::stream_ref operator()(const Env& env) const
  {
    return env;
  }
};

/// No environment has a memory resource.
struct resource_query
{
};
#endif

template <class Env>
inline constexpr bool has_stream_v = std::is_invocable_v<stream_query, const Env&>;
template <class Env>
inline constexpr bool has_resource_v = std::is_invocable_v<resource_query, const Env&>;

/// Whether an argument is a stream, a memory resource, or an object that CUB takes as an environment.
template <class Env>
inline constexpr bool is_environment_v = has_stream_v<Env> || has_resource_v<Env> || is_cccl_environment_v<Env>;

/// Whether an argument can be the temporary storage of a two-phase call only.
template <class T>
inline constexpr bool
  is_storage_v = std::is_null_pointer_v<T> || (std::is_pointer_v<T> && std::is_void_v<std::remove_pointer_t<T>>);

/// Removes the short form of a function from two-phase calls. Their arguments seem to be two places later: the type
/// `First` is that of temporary storage, `Env` of no environment, or some of `Sizes` are those of iterators.
template <class First, class Env, class... Sizes>
using short_call = std::enable_if_t<!is_storage_v<First> && is_environment_v<Env> && (... && is_size_v<Sizes>)>;

/// Removes the short form likewise if a parameter that is no size has the type of one.
template <class T>
using if_no_size = std::enable_if_t<!is_size_v<T>>;

/// A copy of the environment's memory resource, or `nothing`, which stands for the pool of the stream's device.
template <class Env>
auto resource_of_environment(const Env& env)
{
  if constexpr (has_resource_v<Env>)
  {
    return resource_query{}(env);
  }
  else
  {
    return nothing{};
  }
}

template <class Resource>
cudaError_t allocate_in_order(Resource& resource, void** storage, std::size_t bytes, cudaStream_t stream)
{
  try
  {
    *storage = resource.allocate(::cuda::stream_ref{stream}, bytes, alignof(std::max_align_t));
    return cudaSuccess;
  }
  catch (...)
  {
    return cudaErrorMemoryAllocation;
  }
}
inline cudaError_t allocate_in_order(nothing&, void** storage, std::size_t bytes, cudaStream_t stream)
{
  return cudaMallocAsync(storage, bytes, stream);
}

template <class Resource>
cudaError_t free_in_order(Resource& resource, void* storage, std::size_t bytes, cudaStream_t stream)
{
  resource.deallocate(::cuda::stream_ref{stream}, storage, bytes, alignof(std::max_align_t));
  return cudaSuccess;
}
inline cudaError_t free_in_order(nothing&, void* storage, std::size_t, cudaStream_t stream)
{
  return cudaFreeAsync(storage, stream);
}

/// Calls call(storage, bytes, stream) twice, as users do: for the bytes, and with as many of the environment's memory,
/// which is freed in the stream's order. Returns the first error.
template <class Env, class Call>
cudaError_t with_storage(const Env& env, const Call& call)
{
  cudaStream_t stream = nullptr;
  if constexpr (has_stream_v<Env>)
  {
    stream = stream_query{}(env).get();
  }
  auto resource = detail::resource_of_environment(env);
  void* storage = nullptr;
  std::size_t bytes = 0;
  cudaError_t error = call(storage, bytes, stream);
  if (error == cudaSuccess)
  {
    error = detail::allocate_in_order(resource, &storage, bytes, stream);
  }
  if (error != cudaSuccess)
  {
    return error;
  }
  error = call(storage, bytes, stream);
  const cudaError_t error_of_free = detail::free_in_order(resource, storage, bytes, stream);
  return error == cudaSuccess ? error_of_free : error;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
