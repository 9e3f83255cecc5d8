// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Samples of trivially copyable elements in the memory of a device, for the host.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/word_of_size.h>
#include <mgpu_thrust/detail/execute/cuda_policy.cuh>
#include <mgpu_thrust/detail/execute/page_locked_pool.cuh>

#include <cuda/cmath>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <cuda_runtime_api.h>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Room for positions and elements.
template <std::size_t Bytes>
struct sample_buffer
{
  std::int64_t words[Bytes / sizeof(std::int64_t)];
};

/// Copies the words of elements at some positions, `count` words in all.
template <class Word>
MGPU_THRUST_KERNEL void
read_words_kernel(const Word* elements, int words_of_element, const std::int64_t* positions, Word* copies, int count)
{
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count)
  {
    copies[i] = elements[positions[i / words_of_element] * words_of_element + i % words_of_element];
  }
}

/// Copies the elements at `count` positions, which are in host memory, to uninitialised host memory, and waits for
/// them. A kernel reads the positions in page-locked memory, and writes the elements there: one launch, and no copy by
/// the runtime, for up to 128 KiB of both. 2^11 elements take 19 us (H200).
template <class Policy, class T>
void read_elements_of_device(
  Policy& policy, const char* algorithm, const T* first, const std::int64_t* positions, std::int64_t count, T* elements)
{
  using word = aligned_word_t<T>;
  constexpr int threads = 256;
  constexpr int words_of_element = static_cast<int>(sizeof(T) / sizeof(word));
  constexpr std::size_t usual_bytes = std::size_t{1} << 17;
  constexpr std::size_t bytes_of_element = sizeof(std::int64_t) + sizeof(T);
  constexpr std::size_t bytes_of_one = ::cuda::round_up(bytes_of_element, sizeof(std::int64_t));
  using buffer = sample_buffer<(usual_bytes > bytes_of_one ? usual_bytes : bytes_of_one)>;
  constexpr auto max_count = static_cast<std::int64_t>(sizeof(buffer) / bytes_of_element);
  const page_locked<buffer, 1> shared(algorithm);
  auto* const shared_positions = shared.address()->words;
  for (std::int64_t begin = 0; begin < count; begin += max_count)
  {
    const std::int64_t size = (std::min)(max_count, count - begin);
    auto* const copies = reinterpret_cast<word*>(shared_positions + size);
    std::memcpy(shared_positions, positions + begin, static_cast<std::size_t>(size) * sizeof(std::int64_t));
    const int words = static_cast<int>(size) * words_of_element;
    detail::throw_on_error(
      detail::launch_kernel(
        detail::read_words_kernel<word>, ::cuda::ceil_div(words, threads), threads, false, detail::stream_of(policy),
        reinterpret_cast<const word*>(first), words_of_element, static_cast<const std::int64_t*>(shared_positions),
        copies, words),
      algorithm);
    detail::wait_for_stream(policy, algorithm);
    std::memcpy(static_cast<void*>(elements + begin), copies, static_cast<std::size_t>(size) * sizeof(T));
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
