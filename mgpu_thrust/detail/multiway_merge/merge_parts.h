// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Merges parts of many runs on one CPU core: two at a time, in a tree that balances their sizes, between two buffers
/// in the L2 cache. The leaves of the tree are merged first, so that small merges are in the L1 cache.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/runs.h>
#include <mgpu_thrust/detail/multiway_merge/serial.h>
#include <mgpu_thrust/detail/sort/cpu/serial.h>

#include <cuda/std/iterator>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A run that is not empty: its number, and its size. If it lies in one range with others, its first element there.
struct listed_run
{
  std::int64_t number;
  std::int64_t size;
  std::int64_t begin;
};

/// The runs that are not empty, by a list of them.
template <class Runs>
struct listed_runs
{
  using run_keys = typename Runs::run_keys;
  using run_values = typename Runs::run_values;

  const Runs& runs;
  const listed_run* list;

  std::int64_t size(std::int64_t run) const
  {
    return list[run].size;
  }
  run_keys keys_of(std::int64_t run) const
  {
    if constexpr (are_contiguous<Runs>)
    {
      return runs.keys + list[run].begin;
    }
    else
    {
      return runs.keys_of(list[run].number);
    }
  }
  sorted_run<run_keys, run_values> run(std::int64_t run) const
  {
    return detail::run_of(runs, list[run].number, list[run].begin);
  }
};

/// What a piece of the result has of a run: elements from `begin` on. There are `offset` elements in earlier parts.
struct run_part
{
  std::int64_t run;
  std::int64_t begin;
  std::int64_t offset;
};

/// An element of a piece by its part and its index there. Pieces have fewer than 2^32 elements.
struct part_element
{
  std::uint64_t word; // one word moves without a branch

  part_element(std::int64_t part, std::int64_t index)
      : word(static_cast<std::uint64_t>(part) << 32 | static_cast<std::uint64_t>(index))
  {
  }
  std::int64_t part() const
  {
    return static_cast<std::int64_t>(word >> 32);
  }
  std::int64_t index() const
  {
    return static_cast<std::int64_t>(word & 0xffffffff);
  }
};

/// The parts of a piece. Runs is listed_runs.
template <class Runs>
struct piece_parts
{
  Runs runs;
  run_part* parts; ///< and one past the last, whose offset is the number of elements in all
  std::int64_t count = 0;

  std::int64_t offset(std::int64_t part) const
  {
    return parts[part].offset;
  }
  auto run(std::int64_t part) const
  {
    return runs.run(parts[part].run);
  }
  std::int64_t begin(std::int64_t part) const
  {
    return parts[part].begin;
  }
  /// The keys of a part.
  auto keys(std::int64_t part) const
  {
    return runs.keys_of(parts[part].run) + parts[part].begin;
  }
};

/// Orders elements of a piece by their keys.
template <class Runs, class Compare>
struct part_element_order
{
  const piece_parts<Runs>& parts;
  Compare& comp;

  bool operator()(const part_element& x, const part_element& y)
  {
    return comp(detail::element(keys_of(x), x.index()), detail::element(keys_of(y), y.index()));
  }

private:
  auto keys_of(const part_element& x) const
  {
    return parts.keys(x.part());
  }
};

/// Whether objects of up to so many bytes may be copied to memory that has none, and assigned.
template <class T, std::size_t MaxBytes>
inline constexpr bool is_plain_item = std::is_trivially_copyable_v<T>&& std::is_copy_constructible_v<T>&&
                                        std::is_copy_assignable_v<T> && sizeof(T) <= MaxBytes;

/// Larger keys, and values, stay where they are until they are written.
inline constexpr std::size_t max_bytes_of_moved_key = 64;
inline constexpr std::size_t max_bytes_of_moved_value = 16;

// An item is what moves while parts are merged. Each of the following structs has
//   item                            its type
//   order(parts, comp)              the comparator of items
//   load(run, part, begin, i)       the item of element i of a part, which begins at `begin` in its sorted_run
//   store(parts, item, outputs)     writes an item as the next of the result

/// The key.
template <class Key>
struct key_item
{
  using item = Key;

  template <class Parts, class Compare>
  static Compare& order(const Parts&, Compare& comp)
  {
    return comp;
  }
  template <class Run>
  static item load(const Run& run, std::int64_t, std::int64_t begin, std::int64_t i)
  {
    return detail::element(run.keys, begin + i);
  }
  template <class Parts, class Outputs>
  static void store(const Parts&, const item& merged, Outputs& outputs)
  {
    outputs.put_element(merged, no_values{});
  }
};

/// The key and its value.
template <class Key, class Value>
struct key_value_item
{
  using item = sort_pair<Key, Value>;

  template <class Parts, class Compare>
  static pair_order<Compare&> order(const Parts&, Compare& comp)
  {
    return {comp};
  }
  template <class Run>
  static item load(const Run& run, std::int64_t, std::int64_t begin, std::int64_t i)
  {
    return {detail::element(run.keys, begin + i), detail::element(run.values, begin + i)};
  }
  template <class Parts, class Outputs>
  static void store(const Parts&, const item& merged, Outputs& outputs)
  {
    outputs.put_element(merged.key, merged.value);
  }
};

/// The key, and where the element is.
template <class Key>
struct key_and_place_item
{
  using item = sort_pair<Key, part_element>;

  template <class Parts, class Compare>
  static pair_order<Compare&> order(const Parts&, Compare& comp)
  {
    return {comp};
  }
  template <class Run>
  static item load(const Run& run, std::int64_t part, std::int64_t begin, std::int64_t i)
  {
    return {detail::element(run.keys, begin + i), part_element(part, i)};
  }
  template <class Parts, class Outputs>
  static void store(const Parts& parts, const item& merged, Outputs& outputs)
  {
    const part_element place = merged.value;
    outputs.put(parts.run(place.part()), parts.begin(place.part()) + place.index());
  }
};

/// Where the element is: of keys that are large, or not plain.
struct place_item
{
  using item = part_element;

  template <class Runs, class Compare>
  static part_element_order<Runs, Compare> order(const piece_parts<Runs>& parts, Compare& comp)
  {
    return {parts, comp};
  }
  template <class Run>
  static item load(const Run&, std::int64_t part, std::int64_t, std::int64_t i)
  {
    return {part, i};
  }
  template <class Parts, class Outputs>
  static void store(const Parts& parts, const item& merged, Outputs& outputs)
  {
    outputs.put(parts.run(merged.part()), parts.begin(merged.part()) + merged.index());
  }
};

/// The items of a merge to some outputs: those that make the least work.
template <class Runs, class Outputs>
struct items_of_merge
{
  static auto choose()
  {
    using key = typename ::cuda::std::iterator_traits<typename Runs::run_keys>::value_type;
    if constexpr (!is_plain_item<key, max_bytes_of_moved_key>)
    {
      return place_item{};
    }
    else if constexpr (!Outputs::are_elements)
    {
      return key_and_place_item<key>{};
    }
    else if constexpr (!has_values<typename Runs::run_values>)
    {
      return key_item<key>{};
    }
    else
    {
      using value = typename ::cuda::std::iterator_traits<typename Runs::run_values>::value_type;
      if constexpr (is_plain_item<value, max_bytes_of_moved_value>)
      {
        return key_value_item<key, value>{};
      }
      else
      {
        return key_and_place_item<key>{};
      }
    }
  }
  using type = decltype(choose());
};

/// Merges the parts of pieces, one piece after the other.
template <class Runs, class Outputs, class Compare>
class part_merger
{
  using items = typename items_of_merge<Runs, Outputs>::type;

public:
  using item = typename items::item;

  /// `parts` has room for one part more than there are runs, each buffer for the elements of a piece.
  part_merger(const Runs& runs, run_part* parts, item* buffer, item* other_buffer, Compare& comp)
      : parts_{runs, parts}
      , buffer_(buffer)
      , other_buffer_(other_buffer)
      , comp_(comp)
  {
  }

  /// Writes the piece between two cuts of `num_runs` runs, of `size` elements; fewer if cuts of runs that are not
  /// sorted have fewer between them. Advances the outputs.
  void merge(
    const std::int64_t* first_cut, const std::int64_t* last_cut, std::int64_t num_runs, std::int64_t size,
    Outputs& outputs)
  {
    // 1. List the parts.
    std::int64_t offset = 0;
    parts_.count = 0;
    for (std::int64_t run = 0; run < num_runs && offset < size; ++run)
    {
      const std::int64_t elements = detail::clamp_index(last_cut[run] - first_cut[run], 0, size - offset);
      parts_.parts[parts_.count] = {run, first_cut[run], offset};
      parts_.count += elements > 0;
      offset += elements;
    }
    parts_.parts[parts_.count].offset = offset;

    // 2. Merge them, to the output if that has items.
    if (parts_.count == 1)
    {
      const auto run = parts_.run(0);
      const std::int64_t begin = parts_.begin(0);
      Outputs local = outputs; // in registers
      for (std::int64_t i = 0; i < offset; ++i)
      {
        local.put(run, begin + i);
      }
      detail::reassign(outputs, local);
    }
    else if (parts_.count > 1)
    {
      auto&& order = items::order(parts_, comp_);
      if constexpr (Outputs::template are_items<item>)
      {
        merge_range(0, parts_.count, outputs.keys, buffer_, other_buffer_, order);
        detail::reassign(outputs, outputs.at(offset));
      }
      else
      {
        merge_range(0, parts_.count, buffer_, other_buffer_, buffer_, order);
        Outputs local = outputs;
        for (std::int64_t i = 0; i < offset; ++i)
        {
          items::store(parts_, buffer_[i], local);
        }
        detail::reassign(outputs, local);
      }
    }
  }

private:
  /// Up to so many elements of several parts are sorted by insertion.
  static constexpr std::int64_t few_items = 8;
  /// Whether the items of two parts can be merged where they are.
  static constexpr bool reads_items =
    std::is_same_v<typename Runs::run_keys, item*> || std::is_same_v<typename Runs::run_keys, const item*>;

  /// Merges parts [first, last) to `to`, by way of `other`, whose parts are merged by way of `spare`.
  template <class Order>
  void merge_range(std::int64_t first, std::int64_t last, item* to, item* other, item* spare, Order& order)
  {
    const std::int64_t begin = parts_.offset(first);
    const std::int64_t end = parts_.offset(last);
    if (last - first == 1)
    {
      load(first, to);
      return;
    }
    if (end - begin <= few_items)
    {
      for (std::int64_t part = first; part < last; ++part)
      {
        load(part, to);
      }
      detail::sort_few_items(to + begin, end - begin, order);
      return;
    }
    if constexpr (reads_items)
    {
      if (last - first == 2)
      {
        merge_two(
          parts_.keys(first), parts_.offset(first + 1) - begin, parts_.keys(first + 1), to + begin, end - begin, order);
        return;
      }
    }
    const std::int64_t middle = middle_of(first, last);
    const std::int64_t half = parts_.offset(middle);
    merge_range(first, middle, other, spare, other, order);
    merge_range(middle, last, other, spare, other, order);
    merge_two(other + begin, half - begin, other + half, to + begin, end - begin, order);
  }
  template <class From, class Order>
  static void merge_two(From* a, std::int64_t a_count, From* b, item* to, std::int64_t count, Order& order)
  {
    if (!order(*b, a[a_count - 1])) // they do not overlap
    {
      std::copy(a, a + a_count, to);
      std::copy(b, b + (count - a_count), to + a_count);
    }
    else
    {
      detail::merge_items(a, a_count, b, count - a_count, to, order);
    }
  }

  /// The part between first and last before which there is half of their elements, about. Where sizes differ little
  /// that is the middle one.
  std::int64_t middle_of(std::int64_t first, std::int64_t last) const
  {
    const std::int64_t begin = parts_.offset(first);
    const std::int64_t size = parts_.offset(last) - begin;
    const std::int64_t middle = first + (last - first) / 2;
    const std::int64_t before = parts_.offset(middle) - begin;
    if (before >= size / 8 * 3 && before <= size / 8 * 5)
    {
      return middle;
    }
    const std::int64_t part = detail::partition_point(
      first + 1, last - 1, [&](std::int64_t index) { return parts_.offset(index) - begin < size / 2; });
    const bool is_earlier_nearer =
      part > first + 1 && size / 2 - (parts_.offset(part - 1) - begin) < parts_.offset(part) - begin - size / 2;
    return part - is_earlier_nearer;
  }

  void load(std::int64_t part, item* to) const
  {
    const auto run = parts_.run(part);
    const std::int64_t begin = parts_.begin(part);
    const std::int64_t offset = parts_.offset(part);
    const std::int64_t count = parts_.offset(part + 1) - offset;
    for (std::int64_t i = 0; i < count; ++i)
    {
      to[offset + i] = items::load(run, part, begin, i);
    }
  }

  piece_parts<Runs> parts_;
  item* buffer_;
  item* other_buffer_;
  Compare& comp_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
