// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Sources of sorts on a CPU. A source defines the items that are sorted and where they are stored.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/storage_alignment.h>
#include <mgpu_thrust/detail/sort/cpu/in_place_sort.h>
#include <mgpu_thrust/detail/sort/cpu/serial.h>

#include <cuda/cmath>
#include <cuda/std/iterator>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Items in temporary storage, constructed piece by piece, and destroyed with this object.
template <class Item>
class item_storage
{
  static_assert(alignof(Item) <= storage_alignment, "mgpu_thrust: temporary storage is aligned to 256 bytes");

public:
  /// Rounds `bytes` up to an offset at which items may begin, on a cache line of their own.
  static constexpr std::size_t round_up(std::size_t bytes)
  {
    constexpr std::size_t alignment = alignof(Item) > 64 ? alignof(Item) : 64;
    return ::cuda::round_up(bytes, alignment);
  }
  /// Bytes of storage for `count` items in `pieces` pieces.
  static std::size_t bytes(std::int64_t count, std::int64_t pieces)
  {
    return static_cast<std::size_t>(count) * sizeof(Item) + (is_plain ? 0 : static_cast<std::size_t>(pieces));
  }
  item_storage(void* storage, std::int64_t count, std::int64_t pieces, std::int64_t piece_items)
      : items_(static_cast<Item*>(storage))
      , is_constructed_(static_cast<unsigned char*>(storage) + static_cast<std::size_t>(count) * sizeof(Item))
      , count_(count)
      , pieces_(pieces)
      , piece_items_(piece_items)
  {
    if constexpr (!is_plain)
    {
      std::uninitialized_fill_n(is_constructed_, pieces, static_cast<unsigned char>(false));
    }
  }
  item_storage(const item_storage&) = delete;
  item_storage& operator=(const item_storage&) = delete;
  ~item_storage()
  {
    if constexpr (!is_plain)
    {
      for (std::int64_t piece = 0; piece < pieces_; ++piece)
      {
        if (is_constructed_[piece])
        {
          const std::int64_t begin = piece * piece_items_;
          std::destroy_n(items_ + begin, begin + piece_items_ < count_ ? piece_items_ : count_ - begin);
        }
      }
    }
  }

  Item* data() const
  {
    return items_;
  }
  /// Constructs items [begin, end), which are one piece, from the results of make(i).
  template <class Make>
  void construct(std::int64_t begin, std::int64_t end, Make make) const
  {
    std::int64_t i = begin;
    if constexpr (is_plain)
    {
      for (; i < end; ++i)
      {
        ::new (static_cast<void*>(items_ + i)) Item(make(i));
      }
    }
    else
    {
      try
      {
        for (; i < end; ++i)
        {
          ::new (static_cast<void*>(items_ + i)) Item(make(i));
        }
      }
      catch (...)
      {
        std::destroy(items_ + begin, items_ + i);
        throw;
      }
      is_constructed_[begin / piece_items_] = true;
    }
  }

private:
  static constexpr bool is_plain = std::is_trivially_destructible_v<Item>;

  Item* items_;
  unsigned char* is_constructed_;
  std::int64_t count_;
  std::int64_t pieces_;
  std::int64_t piece_items_;
};

// A source has
//   item            the type that is sorted
//   order(comp)     the comparator of items
//   is_in_memory    whether the items are those at data(), and stay there; if not:
//   load(i)         returns item i of the input
//   store(i, item)  writes item i of the result, and may move from it

/// Elements of contiguous memory.
template <class Item>
struct memory_source
{
  using item = Item;
  static constexpr bool is_in_memory = true;

  Item* first;

  Item* data() const
  {
    return first;
  }
  template <class Compare>
  Compare order(Compare comp) const
  {
    return comp;
  }
};

/// Elements of any writable iterator.
template <class Iterator>
struct iterator_source
{
  using item = typename ::cuda::std::iterator_traits<Iterator>::value_type;
  static constexpr bool is_in_memory = false;

  Iterator first;

  item load(std::int64_t i) const
  {
    return detail::take(first, i);
  }
  void store(std::int64_t i, item& sorted) const
  {
    *(first + i) = std::move(sorted);
  }
  template <class Compare>
  Compare order(Compare comp) const
  {
    return comp;
  }
};

/// Keys and their values.
template <class Keys, class Values>
struct pairs_source
{
  using key = typename ::cuda::std::iterator_traits<Keys>::value_type;
  using value = typename ::cuda::std::iterator_traits<Values>::value_type;
  using item = sort_pair<key, value>;
  static constexpr bool is_in_memory = false;

  Keys keys;
  Values values;

  item load(std::int64_t i) const
  {
    return {detail::take(keys, i), detail::take(values, i)};
  }
  void store(std::int64_t i, item& sorted) const
  {
    *(keys + i) = std::move(sorted.key);
    *(values + i) = std::move(sorted.value);
  }
  template <class Compare>
  pair_order<Compare> order(Compare comp) const
  {
    return {comp};
  }
};

/// Keys with their original positions. Values that are expensive to move are gathered by these positions in the end.
template <class Keys>
struct keys_and_positions_source
{
  using item = sort_pair<typename ::cuda::std::iterator_traits<Keys>::value_type, std::int64_t>;
  static constexpr bool is_in_memory = false;

  Keys keys;
  std::int64_t* positions;

  item load(std::int64_t i) const
  {
    return {detail::take(keys, i), i};
  }
  void store(std::int64_t i, item& sorted) const
  {
    *(keys + i) = std::move(sorted.key);
    positions[i] = sorted.value;
  }
  template <class Compare>
  pair_order<Compare> order(Compare comp) const
  {
    return {comp};
  }
};

/// Keys with their indices; only the indices are written.
template <class Keys, class Output>
struct indexed_keys_source
{
  using index = written_index_t<Output>;
  using item = sort_pair<typename ::cuda::std::iterator_traits<Keys>::value_type, index>;
  static constexpr bool is_in_memory = false;

  Keys keys;
  Output output;

  item load(std::int64_t i) const
  {
    return {detail::element(keys, i), static_cast<index>(i)};
  }
  void store(std::int64_t i, item& sorted) const
  {
    *(output + i) = sorted.value;
  }
  template <class Compare>
  pair_order<Compare> order(Compare comp) const
  {
    return {comp};
  }
};

/// The indices of keys that are too large to be moved.
template <class Keys, class Output>
struct indices_source
{
  using item = written_index_t<Output>;
  static constexpr bool is_in_memory = false;

  Keys keys;
  Output output;

  item load(std::int64_t i) const
  {
    return static_cast<item>(i);
  }
  void store(std::int64_t i, item& sorted) const
  {
    *(output + i) = sorted;
  }
  template <class Compare>
  indirect_order<Keys, Compare> order(Compare comp) const
  {
    return {keys, comp};
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
