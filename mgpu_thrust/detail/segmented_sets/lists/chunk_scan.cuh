// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The chunks before each pair of lists, which a scan adds up, and their storage.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/segmented_sets/lists/chunks.cuh>
#include <mgpu_thrust/detail/segmented_sets/lists/tuning.h>

#include <cub/device/device_scan.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The chunks before each pair and the number of all, of pairs whose number may be deferred.
template <class Operation>
struct chunk_scan
{
  /// The number of blocks that take chunks; more if there are so many pairs, 2^58, that bytes of storage may overflow.
  template <class Pairs>
  static std::int64_t tiles(const Pairs& pairs)
  {
    return (std::max)(std::int64_t{segmented_lists_blocks}, pairs.num_pairs >> 27);
  }
  /// Sets `bytes` to those of the chunks and of the storage of the scan.
  template <class Pairs>
  static cudaError_t storage_bytes(const Pairs& pairs, std::size_t& bytes)
  {
    std::size_t scan_bytes = 0;
    const cudaError_t error = scan(nullptr, scan_bytes, pairs, nullptr, nullptr);
    bytes = chunk_bytes(pairs) + detail::round_up_storage(scan_bytes);
    return error;
  }
  /// Queues the scan, which stores the chunks at the begin of the storage.
  template <class Pairs>
  static cudaError_t queue(void* storage, const Pairs& pairs, cudaStream_t stream)
  {
    std::size_t scan_bytes = 0;
    const cudaError_t error = scan(nullptr, scan_bytes, pairs, nullptr, stream);
    return error != cudaSuccess ? error
                                : scan(
                                  static_cast<unsigned char*>(storage) + chunk_bytes(pairs), scan_bytes, pairs,
                                  static_cast<std::int64_t*>(storage), stream);
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
