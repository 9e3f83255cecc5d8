// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The sort of as many elements in segments as a block has threads: each thread counts the keys of its segment
/// that go before its own. A caller waits for little but the launch and a read of memory, so what counts is that no read
/// waits for another one, and that there are few instructions.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/sort/ranked_tile_sort.cuh>
#include <mgpu_thrust/detail/sort/segments.h>
#include <mgpu_thrust/detail/sort/sort_range.cuh>
#include <mgpu_thrust/detail/sort/tuning.h>
#include <mgpu_thrust/detail/tile/tile_heads.cuh>
#include <mgpu_thrust/detail/tile/tile_loader.cuh>

#include <cuda/std/cstdint>
#include <cuda/std/iterator>

#include <cstdint>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The sort of up to `Threads` elements in segments by one block.
template <int Threads, class In>
class rank_in_segments
{
  using key = typename ::cuda::std::iterator_traits<decltype(In::keys)>::value_type;
  using slot = staged_t<key>;
  using value = typename value_or_none<decltype(In::values)>::type;
  using heads_type = tile_heads<Threads, Threads>;

public:
  struct TempStorage
  {
    typename heads_type::storage heads;
    alignas(16) unsigned char keys[Threads * sizeof(slot)];
    value values[Threads];
    ::cuda::std::uint16_t numbers[Threads];
  };

  /// Whether that many elements are for it, by the mean length of segments.
  MGPU_THRUST_HOST_DEVICE static bool takes(std::int64_t count, std::int64_t num_segments)
  {
    return count <= Threads && count <= most_mean_to_rank<key> * num_segments;
  }

  /// Sorts each segment from `in` to `out`, which may be the same; called by all threads of the block.
  template <class Out, class Offsets, class Compare>
  MGPU_THRUST_DEVICE static void
  sort(TempStorage& shared, const In& in, const Out& out, const segments<Offsets>& all, Compare comp)
  {
    auto* const keys = reinterpret_cast<slot*>(shared.keys);
    const int count = static_cast<int>(all.num_items);
    const int thread = static_cast<int>(threadIdx.x);

    // 1. Load each thread's element, and mark the heads of segments.
    if (thread < count)
    {
      keys[thread] = slot{detail::element(in.keys, thread)};
      // Which it remains if `comp` is no strict weak order.
      shared.numbers[thread] = static_cast<::cuda::std::uint16_t>(thread);
      if constexpr (has_values<decltype(In::values)>)
      {
        shared.values[thread] = detail::value_of(in, thread);
      }
    }
    const heads_type heads(shared.heads);
    heads.clear();
    for (std::int64_t segment = 1 + thread; segment < all.num_segments; segment += Threads)
    {
      const std::int64_t head = all.offset(segment);
      if (0 < head && head < count)
      {
        heads.mark(static_cast<int>(head));
      }
    }
    heads.mark_ends(count);

    // 2. Count the keys before each one. They are in its segment, from `begin` on.
    if (thread < count)
    {
      const int begin = heads.walk_to_begin(thread);
      const int end = heads.walk_to_end(thread);
      const int before = detail::count_before(keys, begin, end, 1, thread, compare_staged<Compare>{comp});
      shared.numbers[(min) (begin + before, end - 1)] = static_cast<::cuda::std::uint16_t>(thread);
    }
    __syncthreads();

    // 3. Write the elements in their order.
    if (thread < count)
    {
      const int from = shared.numbers[thread];
      if (detail::takes_keys(out))
      {
        *(out.keys + thread) = detail::staged_value(keys[from]);
      }
      if constexpr (has_values<decltype(In::values)>)
      {
        *(out.values + thread) = shared.values[from];
      }
    }
  }
};

/// Sorts each segment of up to `Threads` elements from `in` to `out`, which may be the same, by one block.
template <int Threads, class In, class Out, class Segments, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Threads) rank_in_segments_kernel(In in, Out out, Segments given, Compare comp)
{
  using ranks = rank_in_segments<Threads, In>;
  __shared__ typename ranks::TempStorage shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes);
  const sized_t<Segments>& now = detail::segments_now(given);
  ranks::sort(shared, in, out, now.in, comp);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END
