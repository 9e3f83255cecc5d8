// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Sorts on a CUDA device: a merge sort of elements that its kernels move, with the layout of its temporary storage and
/// its launches; and the jobs, which choose what is sorted that way, and what is moved by indices afterwards.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/launch_kernel.cuh>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/cut/cut_kernel.cuh>
#include <mgpu_thrust/detail/execute/enqueue.cuh>
#include <mgpu_thrust/detail/sort/block_sort_kernel.cuh>
#include <mgpu_thrust/detail/sort/borders_kernels.cuh>
#include <mgpu_thrust/detail/sort/in_place_sort.h>
#include <mgpu_thrust/detail/sort/job.h>
#include <mgpu_thrust/detail/sort/merge_pass_kernels.cuh>
#include <mgpu_thrust/detail/sort/multiway_cut.cuh>
#include <mgpu_thrust/detail/sort/origins_kernels.cuh>
#include <mgpu_thrust/detail/sort/permute.cuh>
#include <mgpu_thrust/detail/sort/plan.h>
#include <mgpu_thrust/detail/sort/segments.h>
#include <mgpu_thrust/detail/sort/tiles.cuh>
#include <mgpu_thrust/detail/sort/tuning.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>

#include <cuda/cmath>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The number of elements from tile to tile. If most segments are longer than the distance by which tiles could be
/// moved to begin with one, tiles are as large as they can be.
template <class Shapes>
int tile_step(const one_segment&, std::int64_t)
{
  return Shapes::tile_items;
}
template <class Shapes, class Offsets>
int tile_step(const offset_segments<Offsets>& segments, std::int64_t count)
{
  constexpr int step = Shapes::segment_step;
  return count / (Shapes::tile_items - step) / 4 > segments.in.num_segments ? Shapes::tile_items : step;
}
template <class Shapes, class Flags>
int tile_step(const flag_segments<Flags>&, std::int64_t)
{
  return Shapes::segment_step;
}

/// The tiles of a sort of all elements, or of a sort of each segment, for which `origins` and `last_passes` are found
/// first.
template <class Shapes>
even_tiles make_tiles(
  const one_segment&, std::int64_t count, const sort_locality* locality, const tile_origin*, const signed char*)
{
  return {count, Shapes::tile_items, locality};
}
template <class Shapes, class Segments>
segment_tiles<Segments> make_tiles(
  const Segments& segments, std::int64_t count, const sort_locality*, const tile_origin* origins,
  const signed char* last_passes)
{
  const int step = detail::tile_step<Shapes>(segments, count);
  return {{count, step, Shapes::tile_items - step, origins, last_passes}, segments};
}

/// A sort of keys that are moved themselves, and values that are moved with them, from `In` to `Out`, two sort_ranges,
/// which may be the same; of all keys, or of each segment. The passes alternate between two buffers of type `buffer`,
/// the first of which is the output, if that is plain memory. Where keys are discarded, as in a sort of indices, the
/// values alone are the output: if there are several passes, the keys of the first buffer are in temporary storage, and
/// the last pass does not write them.
template <class In, class Out, class Compare, class Segments>
class device_sort
{
  using key = typename std::iterator_traits<decltype(In::keys)>::value_type;
  using values = value_or_none<decltype(In::values)>;
  using buffer = sort_range<key*, typename values::pointer>;
  static constexpr bool has_values_too = has_values<decltype(In::values)>;
  static constexpr bool discards_keys =
    std::is_same_v<Out, sort_range<thrust::discard_iterator<>, typename values::pointer>>;
  static constexpr bool is_output_a_buffer = discards_keys || std::is_same_v<Out, buffer>;
  using output = std::conditional_t<is_output_a_buffer, buffer, Out>;
  using shapes = sort_shapes_t<key, values::bytes>;
  using tiles_type = decltype(detail::make_tiles<shapes>(std::declval<Segments>(), 0, nullptr, nullptr, nullptr));
  using passes_tiles = std::conditional_t<tiles_type::is_segmented, tiles_by_origin, even_tiles>;

  /// Whether tiles are sorted to the output if no element seems to be far from its sorted position.
  static constexpr bool finds_locality = is_output_a_buffer && !tiles_type::is_segmented;
  static_assert(2 * border_reach <= shapes::tile_items, "what is merged at two borders must not meet");

  struct storage_layout
  {
    storage_layout(std::int64_t count, const Segments& segments)
    {
      const auto size = static_cast<std::size_t>(count);
      const auto tiles = static_cast<std::size_t>(device_sort::tiles(count, segments));
      const std::size_t key_bytes = detail::round_up_storage(size * sizeof(key));
      const std::size_t buffer_bytes = key_bytes + detail::round_up_storage(size * values::bytes);
      const std::size_t first_bytes = !is_output_a_buffer ? buffer_bytes : discards_keys ? key_bytes : 0;
      const int passes = merge_plan{device_sort::tiles(count, segments)}.passes();
      first_at = passes > 0 ? buffer_bytes : 0;
      splits_at = first_at + (passes > 1 ? first_bytes : 0);
      is_same_at = splits_at + detail::round_up_storage(tiles * most_ways * sizeof(std::int64_t));
      locality_at = is_same_at + detail::round_up_storage(tiles);
      looks_for_locality = finds_locality && passes > (discards_keys ? 1 : 0);
      bytes = locality_at + (looks_for_locality ? detail::round_up_storage(sizeof(sort_locality)) : 0);
      if constexpr (tiles_type::is_segmented)
      {
        // The kernels that find the origins are done before the others start, and use the same storage.
        const auto* const kind = static_cast<const Segments*>(nullptr);
        bytes = std::max(bytes, detail::origins_storage_bytes(kind, device_sort::tiles(count, segments)));
        last_passes_at = detail::round_up_storage(bytes);
        origins_at = last_passes_at + detail::round_up_storage(tiles);
        bytes = origins_at + detail::round_up_storage((tiles + 1) * sizeof(tile_origin));
      }
    }

    std::size_t first_at; ///< after the second buffer: the part of the first one that is not the output
    std::size_t splits_at;
    std::size_t is_same_at;
    std::size_t locality_at;
    bool looks_for_locality; ///< if there are passes, and keys in the first buffer
    std::size_t last_passes_at = 0;
    std::size_t origins_at = 0;
    std::size_t bytes;
  };

public:
  /// The number of tiles, which must be less than most_tiles.
  static std::int64_t tiles(std::int64_t count, const Segments& segments)
  {
    return ::cuda::ceil_div(count, detail::tile_step<shapes>(segments, count));
  }
  static std::size_t storage_bytes(std::int64_t count, const Segments& segments)
  {
    return storage_layout(count, segments).bytes;
  }

  /// Queues the sort. There must be at least one element; `storage` is in use until the stream has passed it.
  static cudaError_t launch(
    void* storage, const In& in, const Out& out, std::int64_t count, const Segments& segments, Compare comp,
    cudaStream_t stream)
  {
    const storage_layout layout(count, segments);
    auto* const bytes = static_cast<unsigned char*>(storage);
    auto* const splits = reinterpret_cast<std::int64_t*>(bytes + layout.splits_at);
    auto* const is_same = bytes + layout.is_same_at;
    auto* const last_passes = reinterpret_cast<signed char*>(bytes + layout.last_passes_at);
    auto* const origins = reinterpret_cast<tile_origin*>(bytes + layout.origins_at);
    const buffer second = buffer_at(bytes, count);
    const merge_plan plan{tiles(count, segments)};
    const int pass_count = plan.passes();
    buffer first = buffer_at(bytes + layout.first_at, count);
    if constexpr (discards_keys)
    {
      first = {pass_count > 1 ? first.keys : nullptr, out.values};
    }
    else if constexpr (is_output_a_buffer)
    {
      first = out;
    }
    const output result = result_at(first, out);
    output last_result = result;
    if constexpr (discards_keys)
    {
      last_result.keys = nullptr;
    }
    auto* const locality =
      layout.looks_for_locality ? reinterpret_cast<sort_locality*>(bytes + layout.locality_at) : nullptr;
    const tiles_type all_tiles = detail::make_tiles<shapes>(segments, count, locality, origins, last_passes);
    const passes_tiles& tiles_of_passes = all_tiles;

    // 1. Sort tiles.
    cudaError_t error = cudaSuccess;
    if constexpr (tiles_type::is_segmented)
    {
      error = detail::queue_segment_tiles(all_tiles, plan, is_output_a_buffer, origins, last_passes, storage, stream);
    }
    if constexpr (finds_locality)
    {
      if (locality != nullptr)
      {
        error = detail::launch_kernel(
          detail::look_for_locality_kernel<decltype(In::keys), Compare>, 1, locality_threads, false, stream, in.keys,
          count, comp, locality);
      }
    }
    if (error == cudaSuccess)
    {
      error = detail::launch_kernel(
        detail::block_sort_kernel<shapes, In, buffer, output, tiles_type, Compare>, static_cast<int>(plan.tiles),
        shapes::block_sort::threads, false, stream, in, pass_count % 2 == 0 ? first : second, result, all_tiles, comp,
        is_same);
    }
    if constexpr (finds_locality)
    {
      if (locality != nullptr && error == cudaSuccess)
      {
        error = merge_borders(first, second, all_tiles, plan, comp, locality, stream);
      }
    }

    // 2. Merge runs.
    for (int number = 0; number < pass_count && error == cudaSuccess; ++number)
    {
      const merge_pass pass = plan.pass(number);
      const bool is_from_second = (pass_count - number) % 2 == 1;
      const buffer& from = is_from_second ? second : first;
      error = detail::queue_cut(
        multiway_cut<key, passes_tiles, Compare>{from.keys, tiles_of_passes, pass, number, comp, splits}, stream);
      const auto merge_tiles = [&](const auto& to, bool skips)
      {
        using to_type = std::decay_t<decltype(to)>;
        return detail::launch_kernel(
          detail::merge_pass_kernel<shapes, buffer, to_type, passes_tiles, Compare>, static_cast<int>(plan.tiles),
          shapes::merge::threads, kernels_can_overlap, stream, from, to, tiles_of_passes, pass, number, comp,
          static_cast<const std::int64_t*>(splits), is_same, skips);
      };
      if (error == cudaSuccess)
      {
        const bool is_last = number == pass_count - 1;
        error =
          is_last ? merge_tiles(last_result, is_output_a_buffer) : merge_tiles(is_from_second ? first : second, true);
      }
    }
    return error;
  }

private:
  /// Returns where the sort's result is stored: the first buffer, if that is the output, else `out`.
  static output result_at([[maybe_unused]] const buffer& first, [[maybe_unused]] const Out& out)
  {
    if constexpr (is_output_a_buffer)
    {
      return first;
    }
    else
    {
      return out;
    }
  }

  /// Queues the merge of tile borders, which completes the sort if no element is far from its sorted position; and, for
  /// an odd number of passes, the kernel that else copies the tiles to where the first pass reads them, if needed.
  static cudaError_t merge_borders(
    const buffer& first, const buffer& second, const tiles_type& all_tiles, const merge_plan& plan, Compare comp,
    sort_locality* locality, cudaStream_t stream)
  {
    const int blocks = static_cast<int>(std::min(plan.tiles, std::int64_t{border_blocks}));
    const cudaError_t error = detail::launch_kernel(
      detail::merge_borders_kernel<buffer, Compare>, blocks, border_threads, false, stream, first, all_tiles,
      plan.tiles, comp, locality);
    return error != cudaSuccess || plan.passes() % 2 == 0
             ? error
             : detail::launch_kernel(
               detail::copy_tiles_kernel<buffer>, blocks, border_threads, false, stream, first, second, all_tiles,
               plan.tiles, static_cast<const sort_locality*>(locality));
  }

  static buffer buffer_at(unsigned char* storage, [[maybe_unused]] std::int64_t count)
  {
    auto* const keys = reinterpret_cast<key*>(storage);
    if constexpr (has_values_too)
    {
      const std::size_t values_at = detail::round_up_storage(static_cast<std::size_t>(count) * sizeof(key));
      return {keys, reinterpret_cast<typename values::pointer>(storage + values_at)};
    }
    else
    {
      return {keys, {}};
    }
  }
};

/// The iterator that kernels read through: a pointer as a pointer to const, so that const and other inputs have the
/// same kernel; any other iterator unchanged.
template <class Iterator>
Iterator as_input(Iterator in)
{
  return in;
}
template <class Value>
const Value* as_input(Value* in)
{
  return in;
}

/// The iterator to values that kernels use: a pointer as one to carried_t, any other iterator unchanged.
template <class Values>
Values as_carried(Values values)
{
  return values;
}
template <class Value>
carried_t<Value>* as_carried(Value* values)
{
  return reinterpret_cast<carried_t<Value>*>(values);
}

/// The null pointer that stands for the elements' indices as values of a sort: see can_be_indices.
template <class Index>
inline constexpr const carried_t<Index>* own_indices = nullptr;

/// The order that a sort compares by: that of the keys, or, if their indices are sorted, that of the keys at these
/// indices.
template <class Keys, class Compare>
auto order_of(Keys keys, Compare comp)
{
  if constexpr (is_sorted_directly<typename std::iterator_traits<Keys>::value_type>)
  {
    return comp;
  }
  else
  {
    return indirect_order<Keys, Compare>{keys, comp};
  }
}

/// An in-place sort of any keys, and values or no_values; of all of them, or of each segment. Keys and values that
/// device_sort does not move itself are sorted by their indices, then moved once.
template <class Keys, class Values, class Segments, class Compare>
struct device_work<sort_job<Keys, Values, Segments, Compare>>
{
private:
  using job_type = sort_job<Keys, Values, Segments, Compare>;
  using key = typename std::iterator_traits<Keys>::value_type;
  using value = typename value_or_none<Values>::type;
  using indices = thrust::counting_iterator<std::int64_t>; // used as keys, with an indirect_order

  static constexpr bool sorts_keys = is_sorted_directly<key>;
  static constexpr bool carries_values = !has_values<Values> || is_carried<value>;
  static constexpr bool has_order = !sorts_keys || !carries_values;

  static auto in(Keys keys, Values values)
  {
    if constexpr (!has_order)
    {
      return sort_range{detail::as_input(keys), detail::as_input(detail::as_carried(values))};
    }
    else if constexpr (sorts_keys)
    {
      return sort_range{detail::as_input(keys), own_indices<std::int64_t>};
    }
    else
    {
      return sort_range{indices(0), no_values{}};
    }
  }
  static auto out(Keys keys, Values values, [[maybe_unused]] std::int64_t* order)
  {
    if constexpr (!has_order)
    {
      return sort_range{keys, detail::as_carried(values)};
    }
    else if constexpr (sorts_keys)
    {
      return sort_range{keys, detail::as_carried(order)};
    }
    else
    {
      return sort_range{order, no_values{}};
    }
  }
  using sort = device_sort<
    decltype(in(std::declval<Keys>(), std::declval<Values>())),
    decltype(out(std::declval<Keys>(), std::declval<Values>(), nullptr)),
    decltype(detail::order_of(std::declval<Keys>(), std::declval<typename job_type::order_type>())), Segments>;

  /// The bytes of the indices. The storage after them is used by the sort, and, when that is done, for the elements
  /// that are moved.
  static std::size_t order_bytes(std::int64_t count)
  {
    return has_order ? detail::round_up_storage(static_cast<std::size_t>(count) * sizeof(std::int64_t)) : 0;
  }

public:
  static std::int64_t tiles(const job_type& job)
  {
    return sort::tiles(job.count, job.segments);
  }
  static cudaError_t storage_bytes(const job_type& job, std::size_t& bytes)
  {
    const std::size_t sort_bytes = sort::storage_bytes(job.count, job.segments);
    const std::size_t moved_bytes =
      static_cast<std::size_t>(job.count)
      * std::max(sorts_keys ? 0 : sizeof(key), has_order ? value_or_none<Values>::bytes : std::size_t{0});
    bytes = order_bytes(job.count) + std::max(sort_bytes, detail::round_up_storage(moved_bytes));
    return cudaSuccess;
  }
  static cudaError_t launch(void* storage, const job_type& job, std::int64_t*, cudaStream_t stream)
  {
    auto* const order = static_cast<std::int64_t*>(storage);
    void* const rest = static_cast<unsigned char*>(storage) + order_bytes(job.count);
    cudaError_t error = sort::launch(
      rest, in(job.keys, job.values), out(job.keys, job.values, order), job.count, job.segments,
      detail::order_of(job.keys, job.order()), stream);
    if constexpr (!sorts_keys)
    {
      error = error == cudaSuccess ? detail::queue_permutation(job.keys, order, rest, job.count, stream) : error;
    }
    if constexpr (has_order && has_values<Values>)
    {
      error = error == cudaSuccess ? detail::queue_permutation(job.values, order, rest, job.count, stream) : error;
    }
    return error;
  }
};

/// A sort that writes the indices of the keys in their order; the keys are not moved.
template <class Keys, class Output, class Compare>
struct device_work<sort_indices_job<Keys, Output, Compare>>
{
private:
  using job_type = sort_indices_job<Keys, Output, Compare>;
  using output_type = typename job_type::output_type;
  using key = typename std::iterator_traits<Keys>::value_type;
  using index = typename std::iterator_traits<output_type>::value_type;
  using indices = thrust::counting_iterator<index>;

  static auto in(Keys keys)
  {
    if constexpr (is_sorted_directly<key>)
    {
      return sort_range{detail::as_input(keys), own_indices<index>};
    }
    else
    {
      return sort_range{indices(0), no_values{}};
    }
  }
  static auto out(output_type output)
  {
    if constexpr (is_sorted_directly<key>)
    {
      return sort_range{thrust::make_discard_iterator(), detail::as_carried(output)};
    }
    else
    {
      return sort_range{output, no_values{}};
    }
  }
  using sort = device_sort<
    decltype(in(std::declval<Keys>())), decltype(out(std::declval<output_type>())),
    decltype(detail::order_of(std::declval<Keys>(), std::declval<typename job_type::order_type>())), one_segment>;

public:
  static std::int64_t tiles(const job_type& job)
  {
    return sort::tiles(job.count, one_segment{job.count});
  }
  static cudaError_t storage_bytes(const job_type& job, std::size_t& bytes)
  {
    bytes = sort::storage_bytes(job.count, one_segment{job.count});
    return cudaSuccess;
  }
  static cudaError_t launch(void* storage, const job_type& job, std::int64_t*, cudaStream_t stream)
  {
    return sort::launch(
      storage, in(job.keys), out(detail::unwrap(job.output)), job.count, one_segment{job.count},
      detail::order_of(job.keys, job.order()), stream);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
