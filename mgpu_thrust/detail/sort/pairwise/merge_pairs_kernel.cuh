// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The kernel of a pass that merges pairs of neighbouring sorted runs. Each block finds its own cuts, so a pass is one
/// launch.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/cut/warp_search.cuh>
#include <mgpu_thrust/detail/tile/load/key_value_range.cuh>
#include <mgpu_thrust/detail/tile/load/shared_pointers.cuh>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>
#include <mgpu_thrust/detail/tile/merge/thread_merge.cuh>

#include <cuda/std/cstdint>
#include <cuda/std/iterator>

#include <cuda_runtime_api.h>

#include <nv/target>

MGPU_THRUST_IGNORE_BEGIN(1407)

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A pass over `count` elements that merges pairs of runs of `run` elements; in pass 0 a run is a tile. If pass 0 finds
/// all keys less than half a tile from their sorted positions, pass 1 completes the sort at the borders of the runs,
/// pass 2 copies the result to the output if needed, and later passes have no work.
struct pair_pass
{
  int count;
  int run;
  int number;
  int passes;
  bool may_end_early; ///< if there are more than two passes, each of which can write to the output

  /// Whether the result is in the output before this pass, if keys are near.
  MGPU_THRUST_HOST_DEVICE bool is_after_end() const
  {
    return number > 1 + passes % 2;
  }

  /// Returns the runs of a tile of `items` elements from `begin` on.
  MGPU_THRUST_HOST_DEVICE run_pair pair_of(int begin) const
  {
    const int a = begin / (2 * run) * (2 * run);
    return {a, up_to_count(a + run), up_to_count(a + 2 * run)};
  }
  /// Returns the runs of a tile if keys are near. Pass 1, whose runs are two tiles, merges it with half a tile across
  /// the nearest border of runs; pass 2 copies it.
  MGPU_THRUST_HOST_DEVICE run_pair near_pair_of(int begin, int items) const
  {
    const int end = up_to_count(begin + items);
    if (number > 1)
    {
      return {begin, end, end};
    }
    return begin / items % 2 == 0 ? run_pair{begin > 0 ? begin - items / 2 : 0, begin, end}
                                  : run_pair{begin, end, up_to_count(end + items / 2)};
  }

private:
  MGPU_THRUST_HOST_DEVICE int up_to_count(int item) const
  {
    return item < count ? item : count;
  }
};

/// Whether keys are near at the border before the sorted tile that begins with key `begin`: its first key is not less
/// than the middle key of the tile before, nor its middle key less than the last one. If all borders are near, merging
/// half a tile on each side of each border suffices.
template <class Keys, class Compare>
MGPU_THRUST_DEVICE bool are_near_at(Keys keys, int begin, int items, int count, Compare comp)
{
  const int middle = begin + items / 2;
  return !comp(keys[begin], keys[middle - items]) && (middle >= count || !comp(keys[middle], keys[begin - 1]));
}

/// The shared memory of merge_from_pair.
template <class Shape, class Key, bool HasValues>
struct pair_storage
{
  static constexpr int room = Shape::items + Shape::items_per_thread; ///< some past the end are read, and not used
  alignas(16) unsigned char keys[room * sizeof(staged_t<Key>)];
  ::cuda::std::uint16_t numbers[HasValues ? Shape::items : 1]; ///< of the keys in the loaded tile
  tile_range a;
};
template <class Shape, class In>
using pair_storage_of = pair_storage<
  Shape, typename ::cuda::std::iterator_traits<decltype(In::keys)>::value_type, has_values<decltype(In::values)>>;

/// Loads item i of a tile, which is element source(i), to shared memory, by all threads of a block.
template <class Shape, class Keys, class Source, class Slot>
MGPU_THRUST_DEVICE void load_from_pair(Keys from, const Source& source, int count, Slot* keys)
{
  const int thread = static_cast<int>(threadIdx.x);
  typename ::cuda::std::iterator_traits<Keys>::value_type loaded[Shape::items_per_thread];
#pragma unroll
  for (int k = 0; k < Shape::items_per_thread; ++k)
  {
    const int i = thread + k * Shape::threads;
    if (i < count)
    {
      loaded[k] = from[source(i)];
    }
  }
#pragma unroll
  for (int k = 0; k < Shape::items_per_thread; ++k)
  {
    const int i = thread + k * Shape::threads;
    if (i < count)
    {
      keys[i] = Slot{loaded[k]};
    }
  }
  __syncthreads();
}

/// Writes the merged keys to `out` from element `begin` on, and the values, whose numbers say which items they are of.
template <class Shape, class In, class Out, class Source, class Slot>
MGPU_THRUST_DEVICE void write_merged_pair(
  const In& in, const Out& out, const Source& source, int begin, int count, const Slot* keys,
  const ::cuda::std::uint16_t* numbers)
{
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int k = 0; k < Shape::items_per_thread; ++k)
  {
    const int i = thread + k * Shape::threads;
    if (i < count)
    {
      if (detail::takes_keys(out))
      {
        *(out.keys + (begin + i)) = detail::staged_value(keys[i]);
      }
      if constexpr (has_values<decltype(In::values)>)
      {
        *(out.values + (begin + i)) = in.values[source(numbers[i])];
      }
    }
  }
}

/// Merges `count` elements, at most a tile, from position `begin` of the result of a pair of runs, from `in` to `out`,
/// by all threads of a block. If `comp` is not a strict weak order, the elements may be any of the pair's.
template <class Shape, class In, class Out, class Compare>
MGPU_THRUST_DEVICE void merge_from_pair(
  pair_storage_of<Shape, In>& shared, const In& in, const Out& out, const run_pair& pair, int begin, int count,
  compare_staged<Compare> order)
{
  using slot = staged_t<typename ::cuda::std::iterator_traits<decltype(In::keys)>::value_type>;
  constexpr int items = Shape::items_per_thread;
  constexpr bool has_values_too = has_values<decltype(In::values)>;
  auto* const keys = reinterpret_cast<slot*>(shared.keys);
  const int thread = static_cast<int>(threadIdx.x);

  // 1. Two warps find where the elements begin and end in run A. If `comp` is not a strict weak order, these may be
  //    anywhere; if they are impossible, the elements stay as they are.
  const tile_range a = detail::find_tile_range(
    shared.a,
    [&](bool is_first)
    {
      return detail::warp_merge_path(
        in.keys + pair.a, pair.b - pair.a, in.keys + pair.b, pair.end - pair.b, begin - pair.a + (is_first ? 0 : count),
        order);
    });
  int a_begin = pair.a + static_cast<int>(a.first);
  int a_count = static_cast<int>(a.last - a.first);
  if (a_count < 0 || a_count > count)
  {
    a_begin = begin;
    a_count = count;
  }
  // The parts of both runs are loaded one after the other. Returns the source of item i.
  const int b_shift = pair.b + (begin - a_begin) - a_count;
  const auto source = [&](int i) { return i + (i < a_count ? a_begin : b_shift); };

  // 2. Load the keys.
  detail::load_from_pair<Shape>(in.keys, source, count, keys);

  // 3. Merge them.
  const int first = (min) (thread * items, count);
  const int taken_count = (min) (count - first, items);
  const shared_pointers<slot> pointers(keys);
  const tile_merge whole{0, a_count, a_count, count, 0, count};
  slot taken[items];
  int numbers[items];
  detail::take_merged<false>(pointers, detail::merge_from<false>(pointers, whole, first, order), order, taken, numbers);
  __syncthreads(); // all threads have read
  if constexpr (has_values_too)
  {
    detail::put_merged(taken, numbers, taken_count, keys + first, shared.numbers + first);
  }
  else
  {
    detail::put_merged(taken, numbers, taken_count, keys + first, no_values{});
  }
  __syncthreads();

  // 4. Write them, and the values in their order.
  detail::write_merged_pair<Shape>(in, out, source, begin, count, keys, shared.numbers);
}

/// Whether keys are near, by *is_far of pass 0.
MGPU_THRUST_DEVICE bool are_near(const pair_pass& pass, const unsigned char* is_far)
{
  return pass.may_end_early && pass.number > 0 && !*is_far;
}

/// Merges the tile of a block, which begins with key `begin`, from `in` to `out`. If the sort may end early, pass 0
/// sets *is_far, initially false, if keys are not near.
template <class Shape, class In, class Out, class Compare>
MGPU_THRUST_DEVICE void merge_pair(
  pair_storage_of<Shape, In>& shared, const In& in, const Out& out, const pair_pass& pass, int begin,
  compare_staged<Compare> order, unsigned char* is_far)
{
  static_assert(Shape::items % 2 == 0, "a tile has two halves");

  // 1. See whether keys are near.
  if (
    pass.may_end_early && pass.number == 0 && begin > 0 && static_cast<int>(threadIdx.x) == Shape::threads - 1
    && !are_near_at(in.keys, begin, Shape::items, pass.count, order))
  {
    *is_far = true;
  }
  const bool is_near = detail::are_near(pass, is_far);
  if (is_near && pass.is_after_end())
  {
    return;
  }

  // 2. Merge.
  const run_pair pair = is_near ? pass.near_pair_of(begin, Shape::items) : pass.pair_of(begin);
  detail::merge_from_pair<Shape>(shared, in, out, pair, begin, (min) (pass.count - begin, Shape::items), order);
}

/// A pass that merges pairs of runs.
template <class Shape, class In, class Out, class Compare>
MGPU_THRUST_KERNEL void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
  merge_pairs_kernel(In in, Out out, pair_pass pass, Compare comp, unsigned char* is_far)
{
  __shared__ pair_storage_of<Shape, In> shared;
  static_assert(sizeof(shared) <= max_static_shared_bytes, "mgpu_thrust: a kernel has no more static shared memory");
  const int begin = static_cast<int>(blockIdx.x) * Shape::items;
  compare_staged<Compare> order{comp};

  // The next pass may start now, and wait as this one does: for the end of the one before.
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaTriggerProgrammaticLaunchCompletion(); cudaGridDependencySynchronize();))
  detail::merge_pair<Shape>(shared, in, out, pass, begin, order, is_far);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END

MGPU_THRUST_IGNORE_END
