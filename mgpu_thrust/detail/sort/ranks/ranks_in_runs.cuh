// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The rank of a key in several sorted runs in shared memory, by independent searches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/tile/load/shared_pointers.cuh>

#include <cuda/cmath>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A sorted run in shared memory, as pointers.
struct shared_run
{
  unsigned begin;
  unsigned end;
  bool is_earlier; ///< whether its keys go before an equal key
};

/// Returns the number of keys in all runs that go before `key`. The searches probe together; their first step is
/// `first_step` keys, more than half of any run. The key before the end of an empty run must exist.
template <int Runs, class Slot, class Compare>
MGPU_THRUST_DEVICE int rank_in_runs(
  const shared_pointers<Slot>& pointers, const shared_run (&runs)[Runs], int first_step, const Slot& key, Compare comp)
{
  unsigned found[Runs]; // the keys of the run before this pointer go before `key`
#pragma unroll
  for (int r = 0; r < Runs; ++r)
  {
    found[r] = runs[r].begin;
  }
#pragma unroll 1
  for (int step = first_step; step > 0; step = step > 1 ? ::cuda::ceil_div(step, 2) : 0)
  {
    unsigned next[Runs];
    Slot probed[Runs];
#pragma unroll
    for (int r = 0; r < Runs; ++r)
    {
      next[r] = (min) (found[r] + pointers.distance(step), runs[r].end);
      probed[r] = pointers.element(next[r], -1);
    }
#pragma unroll
    for (int r = 0; r < Runs; ++r)
    {
      const bool is_earlier = runs[r].is_earlier;
      const bool goes_before = comp(is_earlier ? key : probed[r], is_earlier ? probed[r] : key) != is_earlier;
      found[r] = goes_before ? next[r] : found[r];
    }
  }
  int rank = 0;
#pragma unroll
  for (int r = 0; r < Runs; ++r)
  {
    rank += pointers.index(found[r]) - pointers.index(runs[r].begin);
  }
  return rank;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
