// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Queues a sort on a stream: no allocation, no synchronisation.

#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/device/block_sort_kernel.cuh>
#include <mgpu_thrust/device/launch_kernel.cuh>
#include <mgpu_thrust/device/merge_pass_kernels.cuh>
#include <mgpu_thrust/device/partition_kernel.cuh>
#include <mgpu_thrust/device/permute_kernels.cuh>
#include <mgpu_thrust/device/sort_tuning.cuh>
#include <mgpu_thrust/thread/in_place_sort.h>
#include <mgpu_thrust/thread/set_operation.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

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

/// The value type of an iterator, or no_values.
template <class Iterator, bool Exists = has_values<Iterator>>
struct value_or_none
{
  using type = typename std::iterator_traits<Iterator>::value_type;
  using pointer = type*;
  static constexpr std::size_t bytes = sizeof(type);
};
template <class Iterator>
struct value_or_none<Iterator, false>
{
  using type = no_values;
  using pointer = no_values;
  static constexpr std::size_t bytes = 0;
};

/// A sort of keys that are moved themselves, and values that go along, from `In` to `Out`, two sort_ranges, which may
/// be the same. The results of passes go to and fro between two places, the first of which is the output, if that is
/// plain memory.
template <class In, class Out, class Compare>
class device_sort
{
  using key = typename std::iterator_traits<decltype(In::keys)>::value_type;
  using values = value_or_none<decltype(In::values)>;
  using place = sort_range<key*, typename values::pointer>;
  static constexpr bool has_values_too = has_values<decltype(In::values)>;
  static constexpr bool is_output_a_place = std::is_same_v<Out, place>;
  using shapes = sort_shapes_t<key, has_values_too>;
  using shape = typename shapes::merge;

  struct storage_layout
  {
    explicit storage_layout(std::int64_t count)
    {
      const auto size = static_cast<std::size_t>(count);
      const auto tiles = static_cast<std::size_t>(device_sort::tiles(count));
      const std::size_t place_bytes =
        detail::round_up_storage(size * sizeof(key)) + detail::round_up_storage(size * values::bytes);
      const int passes = device_sort::passes(count);
      first_at = passes > 0 ? place_bytes : 0;
      splits_at = first_at + (passes > 1 && !is_output_a_place ? place_bytes : 0);
      is_same_at = splits_at + detail::round_up_storage(tiles * sizeof(std::int64_t));
      bytes = is_same_at + detail::round_up_storage(tiles);
    }

    std::size_t first_at; ///< behind the second place, unless the output is the first
    std::size_t splits_at;
    std::size_t is_same_at;
    std::size_t bytes;
  };

public:
  /// The number of tiles, which must be less than most_tiles.
  static std::int64_t tiles(std::int64_t count)
  {
    return detail::tiles_of(count, shape::items);
  }
  static std::size_t storage_bytes(std::int64_t count)
  {
    return storage_layout(count).bytes;
  }

  /// Queues it. There must be at least one element; `storage` is in use until the stream has passed it.
  static cudaError_t
  launch(void* storage, const In& in, const Out& out, std::int64_t count, Compare comp, cudaStream_t stream)
  {
    const storage_layout layout(count);
    auto* const bytes = static_cast<unsigned char*>(storage);
    auto* const splits = reinterpret_cast<std::int64_t*>(bytes + layout.splits_at);
    auto* const is_same = bytes + layout.is_same_at;
    const place second = place_at(bytes, count);
    const place first = [&]
    {
      if constexpr (is_output_a_place)
      {
        return out;
      }
      else
      {
        return place_at(bytes + layout.first_at, count);
      }
    }();

    // 1. Sort tiles.
    const int pass_count = passes(count);
    const auto sort_tiles = [&](const auto& to)
    {
      using to_type = std::decay_t<decltype(to)>;
      using block_sort = typename shapes::block_sort;
      return detail::launch_kernel(
        detail::block_sort_kernel<shapes, In, to_type, Compare>,
        static_cast<int>(detail::tiles_of(count, block_sort::items)), block_sort::threads, false, stream, in, to, count,
        comp, is_same);
    };
    if (pass_count == 0)
    {
      return sort_tiles(out);
    }
    cudaError_t error = sort_tiles(pass_count % 2 == 0 ? first : second);

    // 2. Merge runs, which double in size.
    const int tile_count = static_cast<int>(tiles(count));
    std::int64_t run = shapes::block_sort::items;
    for (int pass = 0; pass < pass_count && error == cudaSuccess; ++pass, run *= 2)
    {
      const bool is_from_second = (pass_count - pass) % 2 == 1;
      const place& from = is_from_second ? second : first;
      error = detail::launch_kernel(
        detail::pass_partition_kernel<shape::items, key, Compare>, (tile_count - 1) / pass_partition_threads + 1,
        pass_partition_threads, false, stream, static_cast<const key*>(from.keys), count, run, comp, tile_count,
        splits);
      if (error == cudaSuccess)
      {
        const bool is_last = pass == pass_count - 1;
        error = is_last
                  ? merge_tiles(from, out, count, run, comp, splits, is_same, is_output_a_place, stream)
                  : merge_tiles(from, is_from_second ? first : second, count, run, comp, splits, is_same, true, stream);
      }
    }
    return error;
  }

private:
  static int passes(std::int64_t count)
  {
    const std::int64_t runs = detail::tiles_of(count, shapes::block_sort::items);
    int passes = 0;
    while ((runs - 1) >> passes > 0)
    {
      ++passes;
    }
    return passes;
  }
  static place place_at(unsigned char* storage, [[maybe_unused]] std::int64_t count)
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
  template <class To>
  static cudaError_t merge_tiles(
    const place& from, const To& to, std::int64_t count, std::int64_t run, Compare comp, const std::int64_t* splits,
    unsigned char* is_same, bool skips, cudaStream_t stream)
  {
    return detail::launch_kernel(
      detail::merge_pass_kernel<shape, place, To, Compare>, static_cast<int>(tiles(count)), shape::threads,
      kernels_can_overlap, stream, from, to, count, run, comp, splits, is_same, skips);
  }
};

/// A key and the number of its segment.
template <class Key>
struct segment_key
{
  std::int64_t segment;
  Key key;
};

/// Element i of what is sorted, with its segment.
template <class Keys>
struct with_segment
{
  Keys keys;
  const std::int64_t* segments;

  MGPU_THRUST_DEVICE segment_key<typename std::iterator_traits<Keys>::value_type> operator()(std::int64_t i) const
  {
    return {segments[i], detail::element(keys, i)};
  }
};
struct without_segment
{
  template <class Key>
  MGPU_THRUST_DEVICE Key operator()(const segment_key<Key>& key) const
  {
    return key.key;
  }
};

/// The order by segments first.
template <class Compare>
struct segment_order
{
  Compare comp;

  template <class Key>
  MGPU_THRUST_DEVICE bool operator()(const segment_key<Key>& x, const segment_key<Key>& y)
  {
    return x.segment != y.segment ? x.segment < y.segment : static_cast<bool>(comp(x.key, y.key));
  }
};

/// A sort of any keys, and values or no_values, where they are; if IsSegmented, by their segments first. What a sort
/// does not move itself is sorted by its indices, then moved once.
template <class Keys, class Values, class Compare, bool IsSegmented = false>
class device_sort_in_place
{
  using key = typename std::iterator_traits<Keys>::value_type;
  using value = typename value_or_none<Values>::type;
  using indices = thrust::counting_iterator<std::int64_t>;

  static constexpr bool sorts_keys = is_sorted_directly<std::conditional_t<IsSegmented, segment_key<key>, key>>;
  static constexpr bool carries_values = !has_values<Values> || is_carried<value>;
  static constexpr bool has_order = !sorts_keys || !carries_values;

  static auto in(Keys keys, Values values)
  {
    if constexpr (!has_order)
    {
      return sort_range{keys, values};
    }
    else if constexpr (sorts_keys)
    {
      return sort_range{keys, indices(0)};
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
      return sort_range{keys, values};
    }
    else if constexpr (sorts_keys)
    {
      return sort_range{keys, order};
    }
    else
    {
      return sort_range{order, no_values{}};
    }
  }
  static auto order_of(Keys keys, Compare comp)
  {
    if constexpr (sorts_keys)
    {
      return comp;
    }
    else
    {
      return indirect_order<Keys, Compare>{keys, comp};
    }
  }
  template <class Range>
  static auto by_segment_in(Range range, [[maybe_unused]] const std::int64_t* segments)
  {
    if constexpr (IsSegmented)
    {
      const with_segment<decltype(range.keys)> load{range.keys, segments};
      return sort_range{
        thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), load), range.values};
    }
    else
    {
      return range;
    }
  }
  template <class Range>
  static auto by_segment_out(Range range)
  {
    if constexpr (IsSegmented)
    {
      return sort_range{thrust::make_transform_output_iterator(range.keys, without_segment{}), range.values};
    }
    else
    {
      return range;
    }
  }
  template <class Order>
  static auto by_segment_order(Order order)
  {
    if constexpr (IsSegmented)
    {
      return segment_order<Order>{order};
    }
    else
    {
      return order;
    }
  }
  using sort = device_sort<
    decltype(by_segment_in(in(std::declval<Keys>(), std::declval<Values>()), nullptr)),
    decltype(by_segment_out(out(std::declval<Keys>(), std::declval<Values>(), nullptr))),
    decltype(by_segment_order(order_of(std::declval<Keys>(), std::declval<Compare>())))>;

  /// The bytes of the indices, behind which is room for what is moved, and, after that is done, for the sort.
  static std::size_t order_bytes(std::int64_t count)
  {
    return has_order ? detail::round_up_storage(static_cast<std::size_t>(count) * sizeof(std::int64_t)) : 0;
  }

public:
  /// The number of tiles, which must be less than most_tiles.
  static std::int64_t tiles(std::int64_t count)
  {
    return sort::tiles(count);
  }
  static std::size_t storage_bytes(std::int64_t count)
  {
    const std::size_t sort_bytes = sort::storage_bytes(count);
    const std::size_t moved_bytes =
      static_cast<std::size_t>(count)
      * std::max(sorts_keys ? 0 : sizeof(key), has_order ? value_or_none<Values>::bytes : std::size_t{0});
    return order_bytes(count) + std::max(sort_bytes, detail::round_up_storage(moved_bytes));
  }

  /// Queues it. There must be at least one element; `storage` is in use until the stream has passed it. `segments` are
  /// the numbers of the keys' segments, which ascend, if IsSegmented.
  static cudaError_t launch(
    void* storage, Keys keys, Values values, std::int64_t count, Compare comp, cudaStream_t stream,
    const std::int64_t* segments = nullptr)
  {
    auto* const order = static_cast<std::int64_t*>(storage);
    void* const rest = static_cast<unsigned char*>(storage) + order_bytes(count);
    cudaError_t error = sort::launch(
      rest, by_segment_in(in(keys, values), segments), by_segment_out(out(keys, values, order)), count,
      by_segment_order(order_of(keys, comp)), stream);
    if constexpr (!sorts_keys)
    {
      error = error == cudaSuccess ? detail::queue_permutation(keys, order, rest, count, stream) : error;
    }
    if constexpr (has_order && has_values<Values>)
    {
      error = error == cudaSuccess ? detail::queue_permutation(values, order, rest, count, stream) : error;
    }
    return error;
  }
};

/// The indices of keys in their order; the keys stay where they are.
template <class Keys, class Output, class Compare>
class device_sort_indices
{
  using key = typename std::iterator_traits<Keys>::value_type;
  using index = typename std::iterator_traits<Output>::value_type;
  using indices = thrust::counting_iterator<index>;

  static auto in(Keys keys)
  {
    if constexpr (is_sorted_directly<key>)
    {
      return sort_range{keys, indices(0)};
    }
    else
    {
      return sort_range{indices(0), no_values{}};
    }
  }
  static auto out(Output output)
  {
    if constexpr (is_sorted_directly<key>)
    {
      return sort_range{thrust::make_discard_iterator(), output};
    }
    else
    {
      return sort_range{output, no_values{}};
    }
  }
  static auto order_of(Keys keys, Compare comp)
  {
    if constexpr (is_sorted_directly<key>)
    {
      return comp;
    }
    else
    {
      return indirect_order<Keys, Compare>{keys, comp};
    }
  }
  using sort = device_sort<
    decltype(in(std::declval<Keys>())), decltype(out(std::declval<Output>())),
    decltype(order_of(std::declval<Keys>(), std::declval<Compare>()))>;

public:
  /// The number of tiles, which must be less than most_tiles.
  static std::int64_t tiles(std::int64_t count)
  {
    return sort::tiles(count);
  }
  static std::size_t storage_bytes(std::int64_t count)
  {
    return sort::storage_bytes(count);
  }

  /// Queues it. There must be at least one element; `storage` is in use until the stream has passed it.
  static cudaError_t
  launch(void* storage, Keys keys, Output output, std::int64_t count, Compare comp, cudaStream_t stream)
  {
    return sort::launch(storage, in(keys), out(output), count, order_of(keys, comp), stream);
  }
};

/// DeviceSort, for a sort of given types: a device_sort_in_place or device_sort_indices.
template <class Sort, class Keys, class Other, class Compare>
cudaError_t queue_sort(
  void* storage, std::size_t& storage_bytes, Keys keys, Other other, std::int64_t count, Compare comp,
  cudaStream_t stream)
{
  if (count < 0 || Sort::tiles(count) >= most_tiles)
  {
    return cudaErrorInvalidValue;
  }
  return detail::with_storage(
    storage, storage_bytes, Sort::storage_bytes(count),
    [&](void* aligned) { return count == 0 ? cudaSuccess : Sort::launch(aligned, keys, other, count, comp, stream); });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
