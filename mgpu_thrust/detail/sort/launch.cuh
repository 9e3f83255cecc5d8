// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Sorts on a CUDA device: launches the path that choice.h names. Jobs decide what its kernels move, and what is
/// permuted by indices afterwards.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/max_tiles.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/size_header.cuh>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/execute/permute.cuh>
#include <mgpu_thrust/detail/sort/choice.h>
#include <mgpu_thrust/detail/sort/geometry/deferred_tiles.cuh>
#include <mgpu_thrust/detail/sort/geometry/segments.h>
#include <mgpu_thrust/detail/sort/job.h>
#include <mgpu_thrust/detail/sort/multiway/multiway_launch.cuh>
#include <mgpu_thrust/detail/sort/pairwise/pairwise_launch.cuh>
#include <mgpu_thrust/detail/sort/segmented/segmented_pairwise_launch.cuh>
#include <mgpu_thrust/detail/sort/tuning.h>
#include <mgpu_thrust/detail/tile/load/key_value_range.cuh>
#include <mgpu_thrust/detail/tile/merge/merge_buffers.cuh>
#include <mgpu_thrust/detail/tile/merge/moved_elements.cuh>

#include <cuda/std/iterator>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A sort from `In` to `Out`, each a key_value_range, which may be the same; of all keys, or of each segment. Its
/// kernels move the keys and values. If sizes are deferred, Given is the type of the segments, and the host chooses for
/// the capacities.
template <class In, class Out, class Compare, class Segments>
class device_sort
{
  using buffers = merge_buffers<In, Out>;
  using key = typename buffers::key;
  static constexpr int value_bytes = buffers::values::bytes;
  using short_shapes = short_segments_shapes_t<key, value_bytes>;
  using pairwise = pairwise_sort<In, Out, Compare>;
  using one_launch = segmented_pairwise_sort<In, Out, Compare>;
  using multiway = multiway_sort<In, Out, Compare, Segments>;
  using multiway_of_short = multiway_sort<In, Out, Compare, Segments, short_shapes>;

  template <class Given>
  static sort_choice choose(std::int64_t count, const Given& segments)
  {
    if constexpr (std::is_same_v<Segments, one_segment>)
    {
      return detail::choose_sort<key, value_bytes>(
        count, is_deferred_v<Given>, {buffers::is_output_a_buffer, buffers::discards_keys},
        detail::current_device_room());
    }
    else if constexpr (have_known_mean<Segments>)
    {
      return detail::choose_segmented_sort<key, value_bytes>(
        count, segments.in.num_segments, is_deferred_v<Given>, buffers::is_output_a_buffer,
        detail::current_device_room());
    }
    else
    {
      return detail::choose_sort_by_flags<key, value_bytes>(count);
    }
  }

  /// Segments by offsets have storage for as many tiles as any number of them may have, so that it is enough for fewer.
  template <class Given>
  static std::size_t storage_bytes(std::int64_t count, const sort_choice& chosen, const Given& segments)
  {
    if constexpr (have_known_mean<Segments>)
    {
      const std::int64_t few = (std::min)(count, max_pairwise<4>);
      return (std::max)(
        multiway::storage_bytes(
          count, detail::in_tiles(sort_path::multiway, count, short_shapes::segment_step), segments),
        one_launch::storage_bytes(few, detail::in_tiles(sort_path::coresident, few, one_launch::min_step)));
    }
    else
    {
      return chosen.path == sort_path::multiway ? multiway::storage_bytes(count, chosen, segments)
                                                : pairwise::storage_bytes(count, chosen);
    }
  }

public:
  struct plan_type : device_plan
  {
    sort_choice chosen;
  };

  template <class Given>
  static plan_type plan(std::int64_t count, const Given& segments)
  {
    const sort_choice chosen = choose(count, segments);
    const bool is_possible = chosen.tiles < max_tiles; // a scan cannot be asked for more
    return {{chosen.tiles, is_possible ? storage_bytes(count, chosen, segments) : 0}, chosen};
  }

  /// Queues the sort of at least one element. `storage` is in use until the stream has passed it.
  template <class Given>
  static cudaError_t launch(
    void* storage, const plan_type& plan, const In& in, const Out& out, std::int64_t count, const Given& segments,
    Compare comp, cudaStream_t stream)
  {
    const sort_choice& chosen = plan.chosen;
    if constexpr (std::is_same_v<Segments, one_segment>)
    {
      if (chosen.path != sort_path::multiway)
      {
        return pairwise::launch(storage, chosen, in, out, count, segments, comp, stream);
      }
    }
    else if constexpr (have_known_mean<Segments>)
    {
      if (chosen.path != sort_path::multiway)
      {
        return one_launch::launch(storage, chosen, in, out, count, segments, comp, stream);
      }
      if constexpr (!std::is_same_v<multiway_of_short, multiway>)
      {
        if (chosen.has_short_shapes)
        {
          return multiway_of_short::launch(storage, chosen, in, out, count, segments, comp, stream);
        }
      }
    }
    return multiway::launch(storage, chosen, in, out, count, segments, comp, stream);
  }
};

/// A sort with deferred sizes is that of the capacities.
template <class In, class Out, class Compare, class Segments, class First, class Second>
class device_sort<In, Out, Compare, deferred_inputs<Segments, First, Second>>
    : public device_sort<In, Out, Compare, Segments>
{
};
template <class In, class Out, class Compare, class Size>
class device_sort<In, Out, Compare, deferred_segment<Size>> : public device_sort<In, Out, Compare, one_segment>
{
public:
  /// Queues the kernel that reads the size, unless the others can read it themselves, and the sort.
  template <class Plan>
  static cudaError_t launch(
    void* storage, const Plan& plan, const In& in, const Out& out, std::int64_t capacity,
    const deferred_segment<Size>& segment, Compare comp, cudaStream_t stream)
  {
    const cudaError_t error = detail::queue_size(segment, stream);
    const stored_segment stored(segment, detail::queued_size(capacity, segment), 0, segment.header);
    return error != cudaSuccess ? error
                                : device_sort<In, Out, Compare, one_segment>::launch(
                                  storage, plan, in, out, capacity, stored, comp, stream);
  }
};

/// An in-place sort of keys, and values or no_values; of all of them, or of each segment. Keys and values that
/// device_sort does not move are sorted by their indices, then moved once.
template <class Keys, class Values, class Segments, class Compare>
struct device_work<sort_job<Keys, Values, Segments, Compare>>
{
private:
  using job_type = sort_job<Keys, Values, Segments, Compare>;
  using key = typename ::cuda::std::iterator_traits<Keys>::value_type;
  using value = typename value_or_none<Values>::type;

  static constexpr bool sorts_keys = is_sorted_directly<key>;
  static constexpr bool carries_values = !has_values<Values> || is_carried<value>;
  static constexpr bool has_order = !sorts_keys || !carries_values;

  static auto in(Keys keys, Values values)
  {
    if constexpr (!has_order)
    {
      return key_value_range{detail::as_input(keys), detail::as_input(detail::as_carried(values))};
    }
    else
    {
      return detail::input_of_indices<std::int64_t>(keys);
    }
  }
  static auto out(Keys keys, Values values, [[maybe_unused]] std::int64_t* order)
  {
    if constexpr (!has_order)
    {
      return key_value_range{keys, detail::as_carried(values)};
    }
    else
    {
      return detail::output_with_indices<Keys>(keys, order);
    }
  }
  using sort = device_sort<
    decltype(in(std::declval<Keys>(), std::declval<Values>())),
    decltype(out(std::declval<Keys>(), std::declval<Values>(), nullptr)),
    decltype(detail::order_of(std::declval<Keys>(), std::declval<typename job_type::order_type>())), Segments>;

  /// The bytes of the indices. The storage after them is used by the sort, then by the permutation.
  static std::size_t order_bytes(std::int64_t count)
  {
    return has_order ? detail::round_up_storage(static_cast<std::size_t>(count) * sizeof(std::int64_t)) : 0;
  }

public:
  using plan_type = typename sort::plan_type;

  template <class Count>
  static plan_type plan(const job_type& job, const Count*)
  {
    plan_type plan = sort::plan(job.count, job.segments);
    const std::size_t moved_bytes =
      static_cast<std::size_t>(job.count)
      * (std::max)(sorts_keys ? 0 : sizeof(key), has_order ? value_or_none<Values>::bytes : std::size_t{0});
    plan.bytes = detail::header_bytes<Segments>() + order_bytes(job.count)
                 + (std::max)(plan.bytes, detail::round_up_storage(moved_bytes));
    return plan;
  }
  static cudaError_t
  launch(void* storage, const job_type& job, const plan_type& plan, std::int64_t*, cudaStream_t stream)
  {
    const auto& segments = detail::with_header(job.segments, storage);
    auto* const order = static_cast<std::int64_t*>(storage);
    void* const rest = static_cast<unsigned char*>(storage) + order_bytes(job.count);
    cudaError_t error = sort::launch(
      rest, plan, in(job.keys, job.values), out(job.keys, job.values, order), job.count, segments,
      detail::order_of(job.keys, job.order()), stream);
    [[maybe_unused]] const auto size = detail::queued_size(job.count, segments);
    if constexpr (has_order)
    {
      error = error == cudaSuccess ? detail::queue_count_in_segments(segments, stream) : error;
    }
    if constexpr (!sorts_keys)
    {
      error = error == cudaSuccess ? detail::queue_permutation(job.keys, order, rest, size, stream) : error;
    }
    if constexpr (has_order && has_values<Values>)
    {
      error = error == cudaSuccess ? detail::queue_permutation(job.values, order, rest, size, stream) : error;
    }
    return error;
  }
};

/// A sort that writes the indices of the keys in sorted order, of all of them or of each segment. Keys are not moved.
template <class Keys, class Segments, class Output, class Compare>
struct device_work<sort_indices_job<Keys, Segments, Output, Compare>>
{
private:
  using job_type = sort_indices_job<Keys, Segments, Output, Compare>;
  using output_type = typename job_type::output_type;
  using index = typename job_type::index;
  using sort = device_sort<
    decltype(detail::input_of_indices<index>(std::declval<Keys>())),
    decltype(detail::output_of_indices<Keys>(std::declval<output_type>())),
    decltype(detail::order_of(std::declval<Keys>(), std::declval<typename job_type::order_type>())), Segments>;

public:
  using plan_type = typename sort::plan_type;

  template <class Count>
  static plan_type plan(const job_type& job, const Count*)
  {
    plan_type plan = sort::plan(job.count, job.segments);
    plan.bytes += detail::header_bytes<Segments>();
    return plan;
  }
  static cudaError_t
  launch(void* storage, const job_type& job, const plan_type& plan, std::int64_t*, cudaStream_t stream)
  {
    const auto& segments = detail::with_header(job.segments, storage);
    return sort::launch(
      storage, plan, detail::input_of_indices<index>(job.keys),
      detail::output_of_indices<Keys>(detail::unwrap(job.output)), job.count, segments,
      detail::order_of(job.keys, job.order()), stream);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
