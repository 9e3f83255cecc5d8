// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup deferred Sizes that stay on the device
/// A size that the host does not know yet, in place of an integer: so that one operation can use the size of another's
/// result without a wait of the host in between. Functions whose names end in `_n` take such sizes; each does what the
/// function without `_n` does, in whose header its specification is. The following holds for all of them:
///
/// **Arguments.** Each range is its begin and its size: an integer, or a `deferred`. Where a result has a size of its
/// own, a pointer to an integer of any type follows the outputs, and receives the size; the function returns that
/// pointer, and the largest number it can hold, as a `deferred` for the next call.
///
/// **Policies.** Any Thrust execution policy. On a CPU, and in device code, counts are read at once. Outputs have
/// random access for every policy.
///
/// **Semantics.** Those of the function without `_n`, for the sizes as they are when the work is executed.
///
/// **Iterators.** As for the function without `_n`; counts are read, and the size of a result is stored, where the work
/// is executed: on a GPU in memory that it can reach.
///
/// **Comparators.** As for the function without `_n`.
///
/// **Complexity.** That of the function without `_n`, and on a GPU 0.6 ns for each tile of some thousand elements that
/// the capacities have room for and the sizes do not fill. A sort queues the passes of its capacity: those without work
/// take a launch each.
///
/// **Synchronisation.** Under `thrust::cuda::par_nosync` nothing waits: the inputs, the outputs, the counts and the
/// policy's allocator must live until the stream has completed the work. Under other CUDA policies a function returns
/// when its result is complete, and the count with it. Temporary storage is allocated by the policy's allocator and
/// goes back to it before the work is complete: `cudaFree` of a default one waits, so pass an allocator that keeps
/// memory, or that frees it in the order of the stream, to wait for nothing, or to capture a call into a CUDA graph.
/// The functions of the device layer allocate nothing.
///
/// **Temporary storage.** On a GPU that of the function without `_n` for the capacities, and some hundred bytes; for two
/// ranges also up to 16 bytes for each tile of some thousand elements.
///
/// **Thread safety.** Any number of host threads and streams may call at once.
///
/// **Exceptions.** Those of the function without `_n`, where a capacity stands for the size.
///
/// **Broken preconditions.** As for the function without `_n`. A count outside of [0, capacity] breaks none: it is
/// clamped. The checked mode checks calls all of whose sizes are integers, except, on a GPU, merges and
/// bulk edits.
///
/// **Source.** The host chooses for the capacities, and the blocks that have no work for the sizes leave at once:
/// docs/how-it-works.md. The method is ours.

#include <mgpu_thrust/detail/base/config.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN

/// A size that is read when the work is executed, not when the call is made.
///
/// Functions whose names end in `_n`, and those of the device layer, read `*count` where the work is executed: on a GPU
/// in the order of the stream, again with each replay of a captured graph. So the count may be what an earlier call of
/// the stream stores. It may be where the same call stores its own count, as it is read before that (which takes merges
/// and insertions of few elements a kernel more); but not among the elements that the call writes, nor where a function
/// that it calls for items stores anything.
///
/// `capacity` is a bound that the host knows. Temporary storage and grids are chosen for it: a call takes nearly the
/// time of one with the plain size, and 0.6 ns more for each tile between the size and the capacity. Sorts queue the
/// passes of the capacity, too: those without work take about 3 us each. A count above the capacity is taken as the
/// capacity, and one below 0 as 0. So compare the counts that calls leave with their capacities where results may have
/// been cut off.
///
/// @code{.cpp}
/// int count = 3; // stands for what an earlier call stores
/// const std::vector<int> a{1, 3, 5, 7, 9}, b{3, 4, 5, 6, 7};
/// std::vector<int> out(5);
/// std::int64_t out_count = 0;
/// mgpu::set_intersection_n(thrust::host, a.begin(), mgpu::deferred{&count, 5}, b.begin(), 5, out.begin(), &out_count);
/// assert(out_count == 2 && out[0] == 3 && out[1] == 5);
/// @endcode
template <class CountIterator>
struct deferred
{
  CountIterator count; ///< random-access iterator to an integer of any type, which can be read where the work executes
  std::int64_t capacity; ///< the largest size, 0 or more: ranges that the size belongs to have room for as many

  /// Makes a size of its count and its capacity.
  ///
  /// @param count_of_size    the count
  /// @param capacity_of_size the capacity, an integer of any type
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Capacity>
  MGPU_THRUST_HOST_DEVICE constexpr deferred(CountIterator count_of_size, Capacity capacity_of_size)
      : count(count_of_size)
      , capacity(static_cast<std::int64_t>(capacity_of_size))
  {
  }
};

MGPU_THRUST_NAMESPACE_END
