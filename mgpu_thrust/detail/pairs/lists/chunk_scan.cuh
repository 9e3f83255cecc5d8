// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The chunks before each pair of lists, which a scan adds up, and their storage.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/pairs/lists/chunks.cuh>

#include <cub/device/device_scan.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The chunks before each pair and the number of all, of pairs whose number may be deferred.
template <class Operation>
struct chunk_scan
{
  /// Returns the bytes of the chunks and of the storage of the scan.
  template <class Pairs>
  static std::size_t bytes(const Pairs& pairs, cudaError_t& error)
  {
    std::size_t scan_bytes = 0;
    error = scan(nullptr, scan_bytes, pairs, nullptr, nullptr);
    return chunk_bytes(pairs) + detail::round_up_storage(scan_bytes);
  }
  /// Queues the scan, which stores the chunks at the begin of the storage, of `bytes` bytes.
  template <class Pairs>
  static cudaError_t queue(void* storage, std::size_t bytes, const Pairs& pairs, cudaStream_t stream)
  {
    const std::size_t before = chunk_bytes(pairs);
    std::size_t scan_bytes = bytes - before;
    return scan(
      static_cast<unsigned char*>(storage) + before, scan_bytes, pairs, static_cast<std::int64_t*>(storage), stream);
  }

private:
  template <class Pairs>
  static std::size_t chunk_bytes(const Pairs& pairs)
  {
    return detail::round_up_storage(static_cast<std::size_t>(pairs.num_pairs + 1) * sizeof(std::int64_t));
  }
  template <class Pairs>
  static cudaError_t
  scan(void* storage, std::size_t& bytes, const Pairs& pairs, std::int64_t* before, cudaStream_t stream)
  {
    return cub::DeviceScan::ExclusiveSum(
      storage, bytes,
      thrust::make_transform_iterator(
        thrust::counting_iterator<std::int64_t>(0), chunks_of_pair<Operation, Pairs>{pairs}),
      before, pairs.num_pairs + 1, stream);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
