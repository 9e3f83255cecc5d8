// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The compaction of items in segments: which items are kept, and the loops over items and starts of segments. Nothing
/// here knows about scheduling.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segments.h>

#include <cuda/std/iterator>

#include <algorithm>
#include <cstdint>
#include <new>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

// A Keep tells which items are kept, by keep(item, is_first, before, segment). The last three are functions of nothing,
// called only if their result matters: whether the item is the first of its segment, the item before it, if it is not,
// and the number of the segment. The constant `compares` tells whether the first two are called.

/// Whether a predicate takes the segment of an item too. For an extended device lambda only device code knows that.
template <class Predicate, class Item>
inline constexpr bool takes_segment = std::is_invocable_v<Predicate&, const Item&, const std::int64_t&>;

/// Keeps the items for which a predicate is true.
template <class Predicate>
struct keep_if
{
  static constexpr bool compares = false;
  Predicate pred;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Item, class IsFirst, class Before, class Segment>
  MGPU_THRUST_HOST_DEVICE bool operator()(const Item& item, IsFirst, Before, [[maybe_unused]] Segment segment)
  {
    if constexpr (takes_segment<Predicate, Item>)
    {
      const std::int64_t number = segment();
      return static_cast<bool>(pred(item, number));
    }
    else
    {
      return static_cast<bool>(pred(item));
    }
  }
};

/// Keeps the first of neighbouring items of a segment that are equal.
template <class Equal>
struct keep_first_of_equals
{
  static constexpr bool compares = true;
  Equal equal;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Item, class IsFirst, class Before, class Segment>
  MGPU_THRUST_HOST_DEVICE bool operator()(const Item& item, IsFirst is_first, Before before, Segment)
  {
    return is_first() || !static_cast<bool>(equal(before(), item));
  }
};

/// A compaction except the segments: its input, which items it keeps, and its outputs. Offsets are written as Offset.
template <class Input, class Keep, class Output, class OffsetsOutput, class Offset>
struct compaction
{
  using item_type = typename ::cuda::std::iterator_traits<Input>::value_type;
  using keep_type = Keep;
  using offset_type = Offset;

  Input input;
  Keep keep;
  Output output;
  OffsetsOutput offsets_output;
};

/// A piece of items and starts of segments, each start before the first item of its segment.
struct compact_piece
{
  std::int64_t item;    ///< the first item
  std::int64_t segment; ///< the segment of the first start
  bool begins;          ///< whether the first item is the first of a segment that has started before
  load_balance_point end;

  MGPU_THRUST_HOST_DEVICE bool is_empty() const
  {
    return item >= end.item_index && segment >= end.segment_index;
  }
};

/// Returns the piece from one point to another.
template <class Offsets>
compact_piece piece_between(const segments<Offsets>& in, const load_balance_point& begin, const load_balance_point& end)
{
  const bool begins =
    begin.item_index == 0 || (begin.segment_index > 0 && in.offset(begin.segment_index - 1) == begin.item_index);
  return {begin.item_index, begin.segment_index, begins, end};
}
/// Returns all items and starts.
template <class Offsets>
MGPU_THRUST_HOST_DEVICE compact_piece whole_piece(const segments<Offsets>& in)
{
  return {0, 0, true, {in.num_items, in.num_segments}};
}

/// Calls sink.add(item, index, is_kept) for each item of a piece and sink.start() for each start, in order, but for no
/// more than `room` of both. Returns what is left of the piece. Wrong offsets move items between segments.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Input, class Keep, class Offsets, class Sink>
MGPU_THRUST_HOST_DEVICE compact_piece
walk_piece(Input input, Keep& keep, const segments<Offsets>& in, compact_piece piece, std::int64_t room, Sink& sink)
{
  Sink local = sink; // local copy, so that the compiler keeps it in registers
  const std::int64_t all = piece.end.item_index - piece.item + (piece.end.segment_index - piece.segment);
  const std::int64_t limit = piece.item + piece.segment + (room < all ? room : all); // of the sum of item and segment
  const auto walk_items = [&](std::int64_t last)
  {
    for (; piece.item < last; ++piece.item)
    {
      auto&& item = detail::element(input, piece.item);
      local.add(
        item, piece.item,
        keep(
          item, [&] { return piece.begins; },
          [&]() -> decltype(auto) { return detail::element(input, piece.item - 1); },
          [&] { return piece.segment > 0 ? piece.segment - 1 : 0; }));
      piece.begins = false;
    }
  };
  for (; piece.segment < piece.end.segment_index; ++piece.segment)
  {
    const std::int64_t next = in.offset(piece.segment);
    const std::int64_t last =
      piece.end.item_index < limit - piece.segment ? piece.end.item_index : limit - piece.segment;
    walk_items(next < last ? next : last);
    if (piece.item + piece.segment >= limit)
    {
      break;
    }
    local.start();
    piece.begins = true;
  }
  if (piece.segment >= piece.end.segment_index)
  {
    walk_items(limit - piece.segment < piece.end.item_index ? limit - piece.segment : piece.end.item_index);
  }
  detail::reassign(sink, local);
  return piece;
}

/// Writes the items that are kept.
template <class Compaction>
struct compact_writer
{
  decltype(Compaction::output) output;
  decltype(Compaction::offsets_output) offsets_output;
  std::int64_t size = 0; ///< the number of items that are kept

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Item>
  MGPU_THRUST_HOST_DEVICE void add(const Item& item, std::int64_t, bool is_kept)
  {
    if (is_kept)
    {
      *output = item;
      ++output;
      ++size;
    }
  }
  /// Writes where results begin, or, after the last segment, their number.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void start()
  {
    write_offset(size);
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void write_offset(std::int64_t offset)
  {
    *offsets_output = static_cast<typename Compaction::offset_type>(offset);
    ++offsets_output;
  }
};

/// Compacts all segments. Returns the end of the output.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Compaction, class Offsets>
MGPU_THRUST_HOST_DEVICE auto compact_in_thread(Compaction compact, const segments<Offsets>& in)
{
  compact_writer<Compaction> to{compact.output, compact.offsets_output};
  detail::walk_piece(compact.input, compact.keep, in, detail::whole_piece(in), in.num_items + in.num_segments, to);
  to.start();
  return to.output;
}

/// Holds the items that are kept of a piece, and how many are kept before each start, until their place in the output
/// is known: copies of small items, of others their numbers in the piece. There is no branch on the items: the next
/// item overwrites one that is not kept.
template <class Compaction>
class kept_items
{
  using item_type = typename Compaction::item_type;
  using number = std::uint16_t;
  static constexpr bool holds_items = is_small_v<item_type>;
  using stored = std::conditional_t<holds_items, item_type, number>;

public:
  /// Items are stored from the begin of the storage on, numbers of starts from its end.
  static constexpr std::int64_t bytes_per_element = (std::max)(sizeof(stored), sizeof(number));

  /// For a piece, in storage for `capacity` items and starts, less than 2^16, that is aligned for an item.
  kept_items(const compact_piece& of, void* storage, std::int64_t capacity)
      : piece(of)
      , items_(static_cast<stored*>(storage))
      , before_starts_(reinterpret_cast<number*>(static_cast<unsigned char*>(storage) + capacity * bytes_per_element))
  {
  }

  compact_piece piece;
  std::int64_t size = 0; ///< the number of items that are kept

  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Item>
  MGPU_THRUST_HOST_DEVICE void add([[maybe_unused]] const Item& item, [[maybe_unused]] std::int64_t index, bool is_kept)
  {
    if constexpr (holds_items)
    {
      ::new (static_cast<void*>(items_ + size)) item_type(item);
    }
    else
    {
      items_[size] = static_cast<number>(index - piece.item);
    }
    size += is_kept;
  }
  MGPU_THRUST_HOST_DEVICE void start()
  {
    *--before_starts_ = static_cast<number>(size);
    ++starts_;
  }

  /// Writes the items that are kept and, where `offset` of them are before the piece, the offsets of results.
  template <class Input>
  void flush(Input input, compact_writer<Compaction>& to, std::int64_t offset) const
  {
    if constexpr (holds_items)
    {
      detail::reassign(to.output, std::copy_n(items_, size, to.output));
    }
    else
    {
      for (std::int64_t i = 0; i < size; ++i)
      {
        to.add(detail::element(input, piece.item + items_[i]), 0, true);
      }
    }
    for (std::int64_t i = starts_ - 1; i >= 0; --i)
    {
      to.write_offset(offset + before_starts_[i]);
    }
  }

private:
  stored* items_;
  number* before_starts_; ///< from the last start to the first
  std::int64_t starts_ = 0;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
