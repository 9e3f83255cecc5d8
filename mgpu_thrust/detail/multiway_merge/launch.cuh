// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Merges of any number of runs on a CUDA device: launches the path that choice.h names, and copies by indices
/// afterwards what its kernels do not move.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/runs.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/execute/permute.cuh>
#include <mgpu_thrust/detail/multiway_merge/choice.h>
#include <mgpu_thrust/detail/multiway_merge/job.h>
#include <mgpu_thrust/detail/multiway_merge/run_bounds.cuh>
#include <mgpu_thrust/detail/multiway_merge/runs_launch.cuh>
#include <mgpu_thrust/detail/multiway_merge/serial.h>
#include <mgpu_thrust/detail/sort/geometry/segments.h>
#include <mgpu_thrust/detail/sort/launch.cuh>
#include <mgpu_thrust/detail/tile/load/key_value_range.cuh>
#include <mgpu_thrust/detail/tile/merge/moved_elements.cuh>

#include <cuda/std/iterator>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Writes element order[i] of an input as element i of an output.
template <class Input, class Output>
struct copy_in_order
{
  Input from;
  const std::int64_t* order;
  Output to;

  MGPU_THRUST_DEVICE void operator()(std::int64_t i)
  {
    *(to + i) = detail::element(from, order[i]);
  }
};

/// Writes the run of element order[i], and its position there.
template <class Outputs>
struct locate_in_order
{
  const std::int64_t* bounds;
  std::int64_t num_runs;
  const std::int64_t* order;
  Outputs to;

  MGPU_THRUST_DEVICE void operator()(std::int64_t i)
  {
    const located_element found = detail::locate_in_runs(bounds, num_runs, order[i]);
    *(to.numbers + i) = static_cast<typename Outputs::number>(found.run);
    *(to.positions + i) = static_cast<typename Outputs::position>(found.position);
  }
};

/// Whether both iterators are pointers to the same type. Kernels then copy values as words: see carried_t. Otherwise an
/// assignment of one type to the other may convert.
template <class From, class To>
inline constexpr bool are_copied_as_words = false;
template <class Value>
inline constexpr bool are_copied_as_words<const Value*, Value*> = true;
template <class Value>
inline constexpr bool are_copied_as_words<Value*, Value*> = true;

/// What the kernels of a merge move, to these outputs, and what is copied afterwards in the order that they find. Keys
/// and values are iterators to the sequence of all runs.
template <class Outputs, class Keys, class Values>
struct merged_outputs;

template <class KeysOut, class ValuesOut, class Keys, class Values>
struct merged_outputs<element_outputs<KeysOut, ValuesOut>, Keys, Values>
{
  using outputs = element_outputs<KeysOut, ValuesOut>;
  using key = typename ::cuda::std::iterator_traits<Keys>::value_type;
  static constexpr bool moves_keys = is_sorted_directly<key>;
  static constexpr bool moves_values = !has_values<Values> || is_carried<typename value_or_none<Values>::type>;
  static constexpr bool has_order = !moves_keys || !moves_values;

  static auto in(Keys keys, Values values)
  {
    if constexpr (!has_order && are_copied_as_words<Values, ValuesOut>)
    {
      return key_value_range{detail::as_input(keys), detail::as_input(detail::as_carried(values))};
    }
    else if constexpr (!has_order)
    {
      return key_value_range{detail::as_input(keys), detail::as_input(values)};
    }
    else
    {
      return detail::input_of_indices<std::int64_t>(keys);
    }
  }
  static auto out(const outputs& to, [[maybe_unused]] std::int64_t* order)
  {
    if constexpr (!has_order && are_copied_as_words<Values, ValuesOut>)
    {
      return key_value_range{to.keys, detail::as_carried(to.values)};
    }
    else if constexpr (!has_order)
    {
      return key_value_range{to.keys, to.values};
    }
    else
    {
      return detail::output_with_indices<Keys>(to.keys, order);
    }
  }
  template <class Size>
  static cudaError_t queue_rest(
    const Size& size, Keys keys, [[maybe_unused]] Values values, const std::int64_t* order, const outputs& to,
    const std::int64_t*, std::int64_t, cudaStream_t stream)
  {
    cudaError_t error = cudaSuccess;
    if constexpr (!moves_keys)
    {
      error = detail::queue_for_each<1>(size, copy_in_order<Keys, KeysOut>{keys, order, to.keys}, stream);
    }
    if constexpr (has_order && has_values<Values>)
    {
      const copy_in_order<Values, ValuesOut> copy{values, order, to.values};
      error = error == cudaSuccess ? detail::queue_for_each<1>(size, copy, stream) : error;
    }
    return error;
  }
};

template <class Indices, class Keys, class Values>
struct merged_outputs<index_outputs<Indices>, Keys, Values>
{
  using outputs = index_outputs<Indices>;
  static constexpr bool has_order = false;

  static auto in(Keys keys, Values)
  {
    return detail::input_of_indices<typename outputs::index>(keys);
  }
  static auto out(const outputs& to, std::int64_t*)
  {
    return detail::output_of_indices<Keys>(to.indices);
  }
  template <class Size>
  static cudaError_t queue_rest(
    const Size&, Keys, Values, const std::int64_t*, const outputs&, const std::int64_t*, std::int64_t, cudaStream_t)
  {
    return cudaSuccess;
  }
};

template <class Numbers, class Positions, class Keys, class Values>
struct merged_outputs<run_position_outputs<Numbers, Positions>, Keys, Values>
{
  using outputs = run_position_outputs<Numbers, Positions>;
  static constexpr bool has_order = true;

  static auto in(Keys keys, Values)
  {
    return detail::input_of_indices<std::int64_t>(keys);
  }
  static auto out(const outputs&, std::int64_t* order)
  {
    return detail::output_of_indices<Keys>(order);
  }
  template <class Size>
  static cudaError_t queue_rest(
    const Size& size, Keys, Values, const std::int64_t* order, const outputs& to, const std::int64_t* bounds,
    std::int64_t num_runs, cudaStream_t stream)
  {
    return detail::queue_for_each<1>(size, locate_in_order<outputs>{bounds, num_runs, order, to}, stream);
  }
};

template <class Runs, class Result, class Compare>
struct device_work<multiway_merge_job<Runs, Result, Compare>>
{
private:
  using job_type = multiway_merge_job<Runs, Result, Compare>;
  using runs_type = sized_t<Runs>; // the sizes of these are capacities here
  using outputs_type = typename Result::outputs_type;
  using keys_type = decltype(detail::keys_of_runs(std::declval<const runs_type&>(), nullptr));
  using values_type = decltype(detail::values_of_runs(std::declval<const runs_type&>(), nullptr));
  using merged = merged_outputs<outputs_type, keys_type, values_type>;
  using in_type = decltype(merged::in(std::declval<keys_type>(), std::declval<values_type>()));
  using out_type = decltype(merged::out(std::declval<const outputs_type&>(), nullptr));
  using key = typename ::cuda::std::iterator_traits<decltype(in_type::keys)>::value_type;
  static constexpr int value_bytes = value_or_none<decltype(in_type::values)>::bytes;
  using segment = std::conditional_t<is_deferred_v<Runs>, stored_segment, one_segment>;
  // The order has no name here: nvcc 13.0 would declare it by that name in its code for the host, where it then
  // conflicts with the declaration for kernels of others.
  using merge = merge_of_runs<
    in_type, out_type,
    decltype(detail::order_of(std::declval<keys_type>(), std::declval<typename job_type::order_type>()))>;
  using sort = device_sort<
    in_type, out_type,
    decltype(detail::order_of(std::declval<keys_type>(), std::declval<typename job_type::order_type>())), segment>;

  static std::size_t order_bytes(const job_type& job)
  {
    const auto count = static_cast<std::size_t>(job.runs.num_items);
    return merged::has_order ? detail::round_up_storage(count * sizeof(std::int64_t)) : 0;
  }
  /// All elements for a sort. A deferred number is the last of the bounds.
  static segment make_segment(const job_type& job, [[maybe_unused]] const std::int64_t* bounds, size_header* header)
  {
    if constexpr (is_deferred_v<Runs>)
    {
      return {one_segment{}, sort_size{bounds + job.runs.num_runs, job.runs.num_items}, 0, header};
    }
    else
    {
      return {job.runs.num_items};
    }
  }

public:
  /// The plan of the sort, on the path sorted.
  struct plan_type : sort::plan_type
  {
    multiway_merge_choice merged;
    std::size_t bounds_bytes; ///< 0 if no scan finds the bounds
    std::size_t scan_bytes;
  };

  /// The storage has a header, for sorts; the bounds; the order; and what the scan needs, and after it the path, at the
  /// same place.
  template <class Count>
  static plan_type plan(const job_type& job, const Count*)
  {
    const std::int64_t count = job.runs.num_items;
    plan_type plan{{}, detail::choose_multiway_merge<key, value_bytes>(count, job.runs.num_runs), 0, 0};
    const bool is_merged = plan.merged.path == multiway_merge_path::merged;
    if (is_merged)
    {
      plan.tiles = plan.merged.tiles;
      plan.bytes = merge::storage_bytes(count, plan.merged);
    }
    else
    {
      static_cast<typename sort::plan_type&>(plan) = sort::plan(count, make_segment(job, nullptr, nullptr));
    }
    if (!has_bounds<Runs> && (is_merged || is_deferred_v<Runs> || !are_contiguous<Runs>) )
    {
      plan.bounds_bytes =
        detail::round_up_storage((static_cast<std::size_t>(job.runs.num_runs) + 1) * sizeof(std::int64_t));
      plan.error = detail::queue_run_bounds(nullptr, plan.scan_bytes, job.runs, nullptr, nullptr);
    }
    plan.bytes =
      detail::header_bytes<segment>() + plan.bounds_bytes + order_bytes(job) + (std::max)(plan.bytes, plan.scan_bytes);
    return plan;
  }
  static cudaError_t
  launch(void* storage, const job_type& job, const plan_type& plan, std::int64_t*, cudaStream_t stream)
  {
    auto* const header = static_cast<size_header*>(storage);
    auto* const bounds_at = static_cast<unsigned char*>(storage) + detail::header_bytes<segment>();
    auto* const found_bounds = reinterpret_cast<std::int64_t*>(bounds_at);
    auto* const order = reinterpret_cast<std::int64_t*>(bounds_at + plan.bounds_bytes);
    void* const rest = bounds_at + plan.bounds_bytes + order_bytes(job);

    // 1. Find where runs begin.
    if (plan.bounds_bytes > 0)
    {
      std::size_t scan_bytes = plan.scan_bytes;
      const cudaError_t error = detail::queue_run_bounds(rest, scan_bytes, job.runs, found_bounds, stream);
      if (error != cudaSuccess)
      {
        return error;
      }
    }
    const std::int64_t* bounds = found_bounds;
    if constexpr (has_bounds<Runs>)
    {
      bounds = job.runs.bounds;
    }

    // 2. Merge or sort.
    const runs_type& runs = job.runs;
    const auto all = make_segment(job, bounds, header);
    const auto size = detail::queued_size(runs.num_items, all);
    const auto keys = detail::keys_of_runs(runs, bounds);
    const auto values = detail::values_of_runs(runs, bounds);
    const auto in = merged::in(keys, values);
    const auto outputs = job.output.outputs();
    const auto out = merged::out(outputs, order);
    const auto comp = detail::order_of(keys, job.order());
    const cudaError_t error = plan.merged.path == multiway_merge_path::merged
                                ? merge::launch(rest, plan.merged, in, out, size, runs.num_runs, bounds, comp, stream)
                                : sort::launch(rest, plan, in, out, runs.num_items, all, comp, stream);

    // 3. Copy the rest.
    return error != cudaSuccess ? error
                                : merged::queue_rest(size, keys, values, order, outputs, bounds, runs.num_runs, stream);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
