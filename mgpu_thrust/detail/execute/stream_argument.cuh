// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A stream as callers of the device layer pass it.

#include <mgpu_thrust/detail/base/config.h>

#include <cuda/stream_ref>

#include <cuda_runtime_api.h>

#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A cudaStream_t, or a cuda::stream_ref, or what converts to one of them.
class stream_argument
{
public:
  stream_argument(cudaStream_t stream)
      : stream_(stream)
  {
  }
  template <
    class Stream,
    std::enable_if_t<
      std::is_convertible_v<const Stream&, cudaStream_t> || std::is_convertible_v<const Stream&, ::cuda::stream_ref>,
      int> = 0>
  stream_argument(const Stream& stream)
      : stream_(handle(stream))
  {
  }

  operator cudaStream_t() const
  {
    return stream_;
  }

private:
  template <class Stream>
  static cudaStream_t handle(const Stream& stream)
  {
    if constexpr (std::is_convertible_v<const Stream&, cudaStream_t>)
    {
      return stream;
    }
    else
    {
      return static_cast<::cuda::stream_ref>(stream).get();
    }
  }

  cudaStream_t stream_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
