// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Where runs begin in the sequence of all of them, one after the other, and iterators to that sequence.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/merge_plan.h>
#include <mgpu_thrust/detail/cut/runs.h>
#include <mgpu_thrust/detail/tile/load/run_elements.cuh>

#include <cub/device/device_scan.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <cuda/std/iterator>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

// The bounds of k runs are k + 1 numbers that do not descend, from 0 to the number of all elements, whatever the
// offsets or sizes are: of runs in one range the maximum of the offsets so far, of others the sum of the sizes so far.
// If the number of runs is deferred, k is its capacity, and the rest of the bounds is the number of elements.

/// What a scan combines to bound i.
template <class Runs>
struct run_bound
{
  Runs given;

  MGPU_THRUST_DEVICE std::int64_t operator()(std::int64_t i) const
  {
    const auto& runs = detail::sized_runs(given);
    if constexpr (are_contiguous<Runs>)
    {
      return i < runs.num_runs ? (i == 0 ? 0 : runs.range(i).begin) : runs.num_items;
    }
    else
    {
      return 0 < i && i <= runs.num_runs ? runs.size(i - 1) : 0;
    }
  }
};

template <bool AreContiguous>
struct combine_run_bounds
{
  std::int64_t most; ///< no bound is larger

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t a, std::int64_t b) const
  {
    if constexpr (AreContiguous)
    {
      return a < b ? b : a;
    }
    else
    {
      return detail::items_with_run(a, b, most);
    }
  }
};

/// Clamps a bound to the number of elements.
template <class Runs>
struct clamp_run_bound
{
  Runs given;

  MGPU_THRUST_DEVICE std::int64_t operator()(std::int64_t bound) const
  {
    const std::int64_t count = detail::sized_runs(given).num_items;
    return bound < count ? bound : count;
  }
};

/// Queues the scan that stores the bounds. Without storage it sets `bytes` to what the scan needs.
template <class Runs>
cudaError_t
queue_run_bounds(void* storage, std::size_t& bytes, const Runs& runs, std::int64_t* bounds, cudaStream_t stream)
{
  return cub::DeviceScan::InclusiveScan(
    storage, bytes, thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), run_bound<Runs>{runs}),
    thrust::make_transform_output_iterator(bounds, clamp_run_bound<Runs>{runs}),
    combine_run_bounds<are_contiguous<Runs>>{runs.num_items}, runs.num_runs + 1, stream);
}

/// An element of runs in buffers of their own.
struct located_element
{
  std::int64_t run;
  std::int64_t position;
};

/// Finds an element of the sequence of all runs.
MGPU_THRUST_DEVICE located_element
locate_in_runs(const std::int64_t* bounds, std::int64_t num_runs, std::int64_t element)
{
  const std::int64_t run = mgpu::segment_of(bounds, num_runs, element);
  return {run, element - bounds[run]};
}

/// The keys, or the values, of the sequence of all runs in buffers of their own. If the sizes of the runs are too small
/// for the number of elements, which breaks a precondition, an element that no run has is the last one, or of trivial
/// elements zeros if there is none: nothing outside of the runs is read.
template <class Runs, bool AreValues>
struct element_of_runs
{
  using iterator = std::conditional_t<AreValues, typename Runs::run_values, typename Runs::run_keys>;
  using element = typename ::cuda::std::iterator_traits<iterator>::value_type;

  Runs runs;
  const std::int64_t* bounds;

  MGPU_THRUST_DEVICE element operator()(std::int64_t i) const
  {
    const std::int64_t count = bounds[runs.num_runs];
    if constexpr (std::is_trivially_copyable_v<element>)
    {
      if (count == 0)
      {
        alignas(element) const unsigned char zeros[sizeof(element)] = {};
        return *reinterpret_cast<const element*>(zeros);
      }
    }
    const located_element found = detail::locate_in_runs(bounds, runs.num_runs, detail::clamp_index(i, 0, count - 1));
    return detail::element(first_of(found.run), found.position);
  }
  /// Returns the first element of a run.
  MGPU_THRUST_DEVICE iterator first_of(std::int64_t run) const
  {
    if constexpr (AreValues)
    {
      return runs.values_of(run);
    }
    else
    {
      return runs.keys_of(run);
    }
  }
};

/// An iterator to the sequence of all runs in buffers of their own.
template <class Runs, bool AreValues>
using sequence_of_runs =
  thrust::transform_iterator<element_of_runs<Runs, AreValues>, thrust::counting_iterator<std::int64_t>>;

/// The keys, or the values, of runs in buffers of their own, for a pass whose runs are the given ones.
template <class Runs, bool AreValues>
struct run_elements<sequence_of_runs<Runs, AreValues>>
{
  using iterator = typename element_of_runs<Runs, AreValues>::iterator;
  using element = typename element_of_runs<Runs, AreValues>::element;

  sequence_of_runs<Runs, AreValues> all;
  std::int64_t count;

  static constexpr bool are_in_memory = std::is_pointer_v<iterator>;

  template <class Pieces>
  MGPU_THRUST_DEVICE const element* at(const Pieces& pieces, std::int64_t tile, int run, std::int64_t index) const
  {
    const memory_of_run memory = find(pieces, tile, run);
    return memory.first == nullptr ? nullptr : memory.first + (index - memory.begin);
  }
  template <class Pieces>
  MGPU_THRUST_DEVICE const element* first(const Pieces& pieces, std::int64_t tile, int run) const
  {
    return find(pieces, tile, run).first;
  }
  template <class Pieces>
  MGPU_THRUST_DEVICE const element* last(const Pieces& pieces, std::int64_t tile, int run) const
  {
    const memory_of_run memory = find(pieces, tile, run);
    return memory.first == nullptr ? nullptr : memory.first + (memory.end - memory.begin);
  }
  template <class Pieces>
  MGPU_THRUST_DEVICE bool has_all(const Pieces& pieces, std::int64_t tile, int run, std::int64_t index) const
  {
    return index <= find(pieces, tile, run).end;
  }
  MGPU_THRUST_DEVICE static constexpr bool are_aligned()
  {
    return alignof(element) == sizeof(element);
  }

private:
  /// Elements [begin, end) of the sequence. The memory of an empty run is not known, as there may be no such run.
  struct memory_of_run
  {
    const element* first;
    std::int64_t begin;
    std::int64_t end;
  };

  template <class Pieces>
  MGPU_THRUST_DEVICE memory_of_run find(const Pieces& pieces, std::int64_t tile, int run) const
  {
    const element_of_runs<Runs, AreValues> elements = all.functor();
    const tile_run given = pieces.given_runs(tile, run);
    const std::int64_t begin = elements.bounds[given.begin];
    const std::int64_t end = elements.bounds[given.end];
    return {begin < end ? elements.first_of(given.begin) : nullptr, begin, end};
  }
};

/// Returns an iterator to the keys of the sequence of all runs.
template <class Keys, class Values, class Offsets>
Keys keys_of_runs(const contiguous_runs<Keys, Values, Offsets>& runs, const std::int64_t*)
{
  return runs.keys;
}
template <class Runs, class ValueRuns, class Sizes>
auto keys_of_runs(const separate_runs<Runs, ValueRuns, Sizes>& runs, const std::int64_t* bounds)
{
  using elements = element_of_runs<separate_runs<Runs, ValueRuns, Sizes>, false>;
  return sequence_of_runs<separate_runs<Runs, ValueRuns, Sizes>, false>(
    thrust::counting_iterator<std::int64_t>(0), elements{runs, bounds});
}

/// Returns an iterator to their values, or no_values.
template <class Keys, class Values, class Offsets>
Values values_of_runs(const contiguous_runs<Keys, Values, Offsets>& runs, const std::int64_t*)
{
  return runs.values;
}
template <class Runs, class ValueRuns, class Sizes>
auto values_of_runs(const separate_runs<Runs, ValueRuns, Sizes>& runs, const std::int64_t* bounds)
{
  if constexpr (has_values<ValueRuns>)
  {
    using elements = element_of_runs<separate_runs<Runs, ValueRuns, Sizes>, true>;
    return sequence_of_runs<separate_runs<Runs, ValueRuns, Sizes>, true>(
      thrust::counting_iterator<std::int64_t>(0), elements{runs, bounds});
  }
  else
  {
    return no_values{};
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
