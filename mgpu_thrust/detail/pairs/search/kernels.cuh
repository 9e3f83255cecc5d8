// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel that searches for the needles of pairs of lists.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/cut/short_side.h>
#include <mgpu_thrust/detail/pairs/lists/chunks.cuh>
#include <mgpu_thrust/detail/pairs/lists/tuning.h>
#include <mgpu_thrust/detail/pairs/search/serial.h>

#include <cuda_runtime_api.h>

#include <cstdint>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A needle is at its position in one list, and at its bound in the other.
template <search_bound Bound>
struct needle_chunk<list_search<Bound>>
{
  using search = list_search<Bound>;

  template <class Inputs, class Compare>
  MGPU_THRUST_DEVICE static set_position
  decide(const Inputs& inputs, short_side, std::int64_t needle, Compare& comp, chunk_decisions& decisions)
  {
    decisions.set_needle(search{}, search::needles_are_a, !search::needles_are_a);
    if constexpr (search::needles_are_a)
    {
      auto&& key = detail::element(inputs.a, needle);
      return {needle, detail::lower_bound(inputs.b, std::int64_t{0}, inputs.b_count, key, comp)};
    }
    else
    {
      auto&& key = detail::element(inputs.b, needle);
      return {detail::upper_bound(inputs.a, std::int64_t{0}, inputs.a_count, key, comp), needle};
    }
  }
};

/// Stores the bound of each needle in the list that it is searched for in. `before` has the chunks before each pair.
template <class Search, class Pairs, class Result, class Offsets, class Index, class Compare>
MGPU_THRUST_KERNEL void
__launch_bounds__(segmented_lists_shape::threads, segmented_lists_shape::blocks_per_multiprocessor)
  search_lists_kernel(Pairs given, Result result, Offsets offsets, Compare comp, const std::int64_t* before)
{
  using chunks = block_chunks<Search, sized_t<Pairs>, Compare>;
  __shared__ typename chunks::TempStorage shared;
  static_assert(sizeof(shared) + max_shared_bytes_of_function <= max_static_shared_bytes);

  const sized_t<Pairs> pairs = detail::sized(given);
  chunks(shared, pairs, before, comp)
    .for_each_tile(
      [&](const typename chunks::chunk& own)
      {
        if (own.decisions.kept() == 0)
        {
          return;
        }
        const auto own_result = result + static_cast<std::int64_t>(detail::element(offsets, own.pair));
        const std::int64_t a_begin = shared.a_begins[threadIdx.x] - own.lists.a_begin;
        const std::int64_t b_begin = shared.b_begins[threadIdx.x] - own.lists.b_begin;
        own.decisions.for_each_kept(
          Search{},
          [&](list_step, int i, int j)
          {
            const std::int64_t of_a = a_begin + i;
            const std::int64_t of_b = b_begin + j;
            *(own_result + (Search::needles_are_a ? of_a : of_b)) =
              static_cast<Index>(Search::needles_are_a ? of_b : of_a);
          });
      });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END
