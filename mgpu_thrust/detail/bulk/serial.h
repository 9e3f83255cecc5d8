// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Bulk removal and bulk insertion as data, and the serial loops that execute a piece of them. Both walk the merge path
/// of the sorted indices and the numbers 0, 1, 2, ... of the elements, where an index comes before the element of that
/// number. So the partitioning of merges applies to them too. Nothing here knows about scheduling.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/target.h>
#include <mgpu_thrust/detail/set_operation/serial.h>

#include <thrust/iterator/counting_iterator.h>

#include <cuda/std/iterator>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Returns the two inputs of that merge: the indices as A, the numbers of the elements as B. Their sizes may be
/// deferred.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Indices, class IndexSize, class ElementSize>
MGPU_THRUST_HOST_DEVICE auto bulk_path(Indices indices, const IndexSize& index_size, const ElementSize& element_size)
{
  return detail::make_inputs(
    set_inputs{
      indices, no_values{}, std::int64_t{0}, thrust::counting_iterator<std::int64_t>(0), no_values{}, std::int64_t{0}},
    detail::as_size(index_size), detail::as_size(element_size));
}

/// Returns the path of a removal with at most as many indices as elements: deferred sizes may be more.
template <class Path>
MGPU_THRUST_HOST_DEVICE Path removal_path(Path path)
{
  path.a_count = path.a_count < path.b_count ? path.a_count : path.b_count;
  return path;
}

/// Minimum number of elements that are copied as a range; fewer are copied one by one, or as a block.
inline constexpr std::int64_t shortest_copied_run = 16;

/// Number of elements of a block, which a host copies for a short stretch so that no branch depends on its length: up
/// to 64 bytes, or 0 for types without blocks. Later elements overwrite the excess.
template <class Sink>
constexpr std::int64_t block_elements()
{
  using input = decltype(Sink::inputs.b);
  using output = decltype(Sink::outputs.keys);
  if constexpr (std::is_pointer_v<input> && std::is_pointer_v<output>)
  {
    using element = std::remove_pointer_t<output>;
    constexpr bool is_copied =
      std::is_same_v<std::remove_const_t<std::remove_pointer_t<input>>, element> && is_small_v<element>;
    return is_copied ? std::min<std::int64_t>(16, 64 / sizeof(element)) : 0;
  }
  return 0;
}

/// Keeps elements [begin, end) of B. From `begin` on, `room` elements can be read, and will be written: later ones
/// overwrite the excess after `end`.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Sink>
MGPU_THRUST_HOST_DEVICE void
keep_run(Sink& sink, std::int64_t begin, std::int64_t end, [[maybe_unused]] std::int64_t room)
{
  MGPU_THRUST_IF_HOST((if constexpr (constexpr std::int64_t block = detail::block_elements<Sink>(); block > 0) {
    if (end - begin <= block && block <= room)
    {
      std::memcpy(static_cast<void*>(sink.outputs.keys), sink.inputs.b + begin, block * sizeof(*sink.inputs.b));
      sink.outputs.keys += end - begin;
      return;
    }
  }))
  if (end - begin >= shortest_copied_run)
  {
    sink.range_from_b(begin, end);
    return;
  }
  for (; begin < end; ++begin)
  {
    sink.from_b(detail::element(sink.inputs.b, begin), begin);
  }
}

/// Removal of the elements of an input whose indices are in a path's A.
template <class Path, class Input>
struct bulk_removal
{
  static constexpr int largest_element_bytes = sizeof(typename ::cuda::std::iterator_traits<Input>::value_type);

  Path path;
  Input input;

  MGPU_THRUST_HOST_DEVICE std::int64_t output_size() const
  {
    return path.b_count - path.a_count;
  }
  /// The maximum output for sizes up to their capacities.
  MGPU_THRUST_HOST_DEVICE std::int64_t max_output() const
  {
    if constexpr (is_deferred_v<Path>)
    {
      const std::int64_t min_removed = is_deferred_v<decltype(path.first_size)> ? 0 : path.a_count;
      return min_removed < path.b_count ? path.b_count - min_removed : 0;
    }
    else
    {
      return output_size();
    }
  }
  /// The removal with its actual sizes.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE decltype(auto) sized() const
  {
    if constexpr (is_deferred_v<Path>)
    {
      return bulk_removal<sized_t<Path>, Input>{detail::removal_path(detail::sized(path)), input};
    }
    else
    {
      return *this;
    }
  }

  /// Whether a cut at (a, b) separates element b from its index, which lies before the cut.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE bool parts_index(std::int64_t a, std::int64_t b) const
  {
    return a > 0 && static_cast<std::int64_t>(detail::element(path.a, a - 1)) == b;
  }
  /// Number of elements before a cut that are kept.
  MGPU_THRUST_HOST_DEVICE std::int64_t output_offset(std::int64_t a, std::int64_t b) const
  {
    return b - a + parts_index(a, b);
  }

  /// Writes the kept elements of a part of the path that starts at (a, b). It never writes outside of the whole output,
  /// even if indices are wrong.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Output>
  MGPU_THRUST_HOST_DEVICE Output write(const Path& part, std::int64_t a, std::int64_t b, Output output) const
  {
    const set_inputs elements{no_values{}, no_values{}, 0, input, no_values{}, path.b_count};
    const set_outputs outputs{output, no_values{}};
    write_sink<std::remove_const_t<decltype(elements)>, std::remove_const_t<decltype(outputs)>> sink{elements, outputs};
    const std::int64_t offset = output_offset(a, b);
    const std::int64_t end = b + part.b_count;
    std::int64_t room = offset < 0 ? 0 : output_size() - offset;
    std::int64_t next = b + parts_index(a, b);
    const auto keep_until = [&](std::int64_t last, std::int64_t indices_left)
    {
      const std::int64_t kept = last - next < room ? last - next : room;
      const std::int64_t part_room = end - next - indices_left; // number of elements of this part kept from here on
      detail::keep_run(sink, next, next + kept, part_room < room ? part_room : room);
      room -= kept;
    };
    for (std::int64_t i = 0; i < part.a_count && next < end; ++i)
    {
      const auto removed = detail::clamp_index(static_cast<std::int64_t>(detail::element(part.a, i)), next, end);
      keep_until(removed, part.a_count - i);
      next = removed + 1;
    }
    if (next < end)
    {
      keep_until(end, 0);
    }
    return sink.outputs.keys;
  }
};

template <class Path, class Input>
bulk_removal(Path, Input) -> bulk_removal<Path, Input>;

/// Insertion of values before the elements of an input whose indices are in a path's A.
template <class Path, class Input, class Values>
struct bulk_insertion
{
  static constexpr int largest_element_bytes = (std::max)(
    sizeof(typename ::cuda::std::iterator_traits<Input>::value_type),
    sizeof(typename ::cuda::std::iterator_traits<Values>::value_type));

  Path path;
  Input input;
  Values values;

  MGPU_THRUST_HOST_DEVICE std::int64_t output_size() const
  {
    return path.a_count + path.b_count;
  }
  /// The maximum output for sizes up to their capacities.
  MGPU_THRUST_HOST_DEVICE std::int64_t max_output() const
  {
    return output_size();
  }
  /// The insertion with its actual sizes.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE decltype(auto) sized() const
  {
    if constexpr (is_deferred_v<Path>)
    {
      return bulk_insertion<sized_t<Path>, Input, Values>{detail::sized(path), input, values};
    }
    else
    {
      return *this;
    }
  }

  /// Number of elements and values before a cut at (a, b).
  MGPU_THRUST_HOST_DEVICE std::int64_t output_offset(std::int64_t a, std::int64_t b) const
  {
    return a + b;
  }

  /// Writes a part of the path that starts at (a, b): as many elements as the part has, even if positions are wrong.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Output>
  MGPU_THRUST_HOST_DEVICE Output write(const Path& part, std::int64_t a, std::int64_t b, Output output) const
  {
    const set_inputs elements{values, no_values{}, path.a_count, input, no_values{}, path.b_count};
    const set_outputs outputs{output, no_values{}};
    write_sink<std::remove_const_t<decltype(elements)>, std::remove_const_t<decltype(outputs)>> sink{elements, outputs};
    const std::int64_t end = b + part.b_count;
    std::int64_t next = b;
    for (std::int64_t i = 0; i < part.a_count; ++i)
    {
      const auto position = detail::clamp_index(static_cast<std::int64_t>(detail::element(part.a, i)), next, end);
      detail::keep_run(sink, next, position, end - next);
      sink.from_a(detail::element(values, a + i), a + i);
      next = position;
    }
    detail::keep_run(sink, next, end, end - next);
    return sink.outputs.keys;
  }
};

template <class Path, class Input, class Values>
bulk_insertion(Path, Input, Values) -> bulk_insertion<Path, Input, Values>;

} // namespace detail
MGPU_THRUST_NAMESPACE_END
