// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Sorts on a CPU. Workers sort pieces, each within its core's cache. Passes then merge neighbouring runs between two
/// buffers; the merge path cuts the output of a pass into the same pieces. A piece that a pass leaves unchanged is
/// skipped by later passes. If no item has to move far, one pass merges across the borders of all pieces.

#include <mgpu_thrust/agent/merge_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/equal_pieces.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/sort/cpu/cpu_sources.h>
#include <mgpu_thrust/detail/sort/cpu/serial.h>
#include <mgpu_thrust/detail/sort/geometry/segments.h>
#include <mgpu_thrust/detail/sort/job.h>

#include <cuda/cmath>
#include <cuda/std/iterator>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Number of items in a piece: at least 1,024, otherwise as many bytes as in other families, which fit the second-level
/// cache.
template <class Item>
inline constexpr std::int64_t
  cpu_sort_piece = sizeof(Item) <= 8
                     ? cpu_piece_elements
                     : std::max<std::int64_t>(1024, cpu_piece_elements * 8 / static_cast<std::int64_t>(sizeof(Item)));

/// A sort of `count` items of a source; at least one.
template <class Source, class Segments, class Compare>
class cpu_sort
{
  using item = typename Source::item;
  using items = item_storage<item>;
  using order = decltype(std::declval<const Source&>().order(std::declval<Compare>()));
  static constexpr std::int64_t piece_items = cpu_sort_piece<item>;
  static constexpr bool is_plain = std::is_trivially_copyable_v<item>;

public:
  /// Bytes of storage for a sort of `count` items.
  static std::size_t bytes(std::int64_t count)
  {
    return storage_layout(count).bytes;
  }
  cpu_sort(unsigned char* storage, const Source& source, std::int64_t count, const Segments& segments)
      : source_(source)
      , segments_(segments)
      , count_(count)
      , pieces_(::cuda::ceil_div(count, piece_items))
      , other_items_(storage, count, pieces_, piece_items)
      , own_items_(storage + storage_layout(count).own_items_at, count, Source::is_in_memory ? 0 : pieces_, piece_items)
      , borders_(reinterpret_cast<segment_range*>(storage + storage_layout(count).borders_at))
      , parts_(reinterpret_cast<merged_part*>(storage + storage_layout(count).parts_at))
      , is_same_(storage + storage_layout(count).is_same_at)
  {
    while ((pieces_ - 1) >> passes_ != 0)
    {
      ++passes_;
    }
  }

  template <class Workers>
  void run(const Workers& workers, Compare comp) const
  {
    const order own_order = source_.order(comp);
    const auto run_step = [&](auto step) { workers.run_pieces(pieces_, own_order, step); };
    run_step([&](std::int64_t piece, order& comp_of_worker) { sort_piece(piece, comp_of_worker); });
    if (passes_ > 0 && are_borders_local(own_order))
    {
      run_step([&](std::int64_t piece, order& comp_of_worker) { merge_border(piece, comp_of_worker); });
      return;
    }
    for (int pass = 0; pass < passes_; ++pass)
    {
      if constexpr (is_plain)
      {
        run_step([&](std::int64_t piece, order& comp_of_worker)
                 { write_piece(pass, piece, find_part(pass, piece, comp_of_worker), comp_of_worker); });
      }
      else
      {
        // All parts are found first: items that a piece has moved can no longer be compared.
        run_step([&](std::int64_t piece, order& comp_of_worker)
                 { parts_[piece] = find_part(pass, piece, comp_of_worker); });
        run_step([&](std::int64_t piece, order& comp_of_worker)
                 { write_piece(pass, piece, parts_[piece], comp_of_worker); });
      }
    }
  }

private:
  /// The part of a piece that a merge writes: `count` items from `begin` on, merged from [a, a_end) of A and [b, b_end)
  /// of B. `count` is 0 if all items of the piece are in position.
  struct merged_part
  {
    std::int64_t begin = 0;
    std::int64_t count = 0;
    std::int64_t a = 0;
    std::int64_t a_end = 0;
    std::int64_t b = 0;
    std::int64_t b_end = 0;
  };

  struct storage_layout
  {
    explicit storage_layout(std::int64_t count)
    {
      const std::int64_t pieces = ::cuda::ceil_div(count, piece_items);
      own_items_at = items::round_up(items::bytes(count, pieces));
      borders_at = (Source::is_in_memory ? 1 : 2) * own_items_at;
      parts_at = borders_at + static_cast<std::size_t>(pieces) * sizeof(segment_range);
      is_same_at = parts_at + (is_plain ? 0 : static_cast<std::size_t>(pieces) * sizeof(merged_part));
      bytes = is_same_at + static_cast<std::size_t>(pieces);
    }

    std::size_t own_items_at; ///< empty if the source has them in memory
    std::size_t borders_at;
    std::size_t parts_at;
    std::size_t is_same_at;
    std::size_t bytes;
  };
  /// The buffer that receives the result; other() is the second one.
  item* own() const
  {
    if constexpr (Source::is_in_memory)
    {
      return source_.data();
    }
    else
    {
      return own_items_.data();
    }
  }
  item* other() const
  {
    return other_items_.data();
  }
  std::int64_t end_of(std::int64_t piece) const
  {
    return (std::min)((piece + 1) * piece_items, count_);
  }

  /// Loads the items of a piece, and constructs objects in both buffers. Returns the buffer that has the values.
  item* load(std::int64_t begin, std::int64_t end) const
  {
    if constexpr (!Source::is_in_memory)
    {
      own_items_.construct(begin, end, [this](std::int64_t i) { return source_.load(i); });
    }
    if constexpr (is_plain)
    {
      return own();
    }
    else
    {
      item* const from = own();
      other_items_.construct(begin, end, [from](std::int64_t i) -> item&& { return std::move(from[i]); });
      return other();
    }
  }
  void store(std::int64_t begin, std::int64_t end) const
  {
    if constexpr (!Source::is_in_memory)
    {
      for (std::int64_t i = begin; i < end; ++i)
      {
        source_.store(i, own()[i]);
      }
    }
  }

  void sort_piece(std::int64_t piece, order& comp) const
  {
    const std::int64_t begin = piece * piece_items;
    const std::int64_t end = end_of(piece);
    item* const from = load(begin, end);
    item* const to = passes_ % 2 == 0 ? own() : other();
    item* const beside = from == own() ? other() : own();
    segments_.for_each_part(
      begin, end,
      [&](std::int64_t part, std::int64_t part_end)
      {
        if (!detail::are_items_sorted(from + part, part_end - part, comp))
        {
          detail::sort_items(from + part, beside + part, part_end - part, from != to, comp);
        }
        else if (from != to)
        {
          detail::move_items(from + part, part_end - part, to + part);
        }
      });
    is_same_[piece] = false;
    if (end < count_)
    {
      borders_[piece] = segments_.around(end);
    }
    if (passes_ == 0)
    {
      store(begin, end);
    }
  }

  /// The buffer that a pass reads; it writes to_of(pass).
  item* from_of(int pass) const
  {
    return (passes_ - pass) % 2 == 0 ? own() : other();
  }
  item* to_of(int pass) const
  {
    return (passes_ - pass) % 2 == 0 ? other() : own();
  }

  /// The middle of a piece; for the last piece, its end.
  std::int64_t middle_of(std::int64_t piece) const
  {
    return piece == pieces_ - 1 ? count_ : piece * piece_items + piece_items / 2;
  }

  /// Whether no item has to move past the middle of a neighbouring piece.
  bool are_borders_local(order comp) const
  {
    const item* const from = from_of(0);
    for (std::int64_t piece = 0; piece < pieces_ - 1; ++piece)
    {
      const segment_range segment = borders_[piece];
      const std::int64_t border = end_of(piece);
      const std::int64_t begin = middle_of(piece);
      const std::int64_t end = middle_of(piece + 1);
      const bool comes_too_far = segment.begin < begin && comp(from[border], from[begin]);
      const bool goes_too_far = segment.begin < border && end < segment.end && comp(from[end], from[border - 1]);
      if (comes_too_far || goes_too_far)
      {
        return false;
      }
    }
    return true;
  }

  /// Merges across the border at the end of a piece, if all borders are local. Completes the items between the middles
  /// of this piece and the next.
  void merge_border(std::int64_t piece, order& comp) const
  {
    if (piece == pieces_ - 1)
    {
      return;
    }
    const segment_range segment = borders_[piece];
    const std::int64_t begin = piece == 0 ? 0 : middle_of(piece);
    const std::int64_t border = end_of(piece);
    const std::int64_t end = middle_of(piece + 1);
    item* const from = from_of(0);

    // 1. Find the items that have to be merged.
    std::int64_t merged_begin = border;
    std::int64_t merged_end = border;
    if (segment.begin < border && border < segment.end && comp(from[border], from[border - 1]))
    {
      merged_begin = detail::upper_bound(from, (std::max)(segment.begin, begin), border, from[border], comp);
      merged_end = detail::lower_bound(from, border, (std::min)(segment.end, end), from[border - 1], comp);
    }

    // 2. Merge them from the other buffer to the own buffer, and move the rest there if it is not there yet.
    if (from == own())
    {
      detail::move_items(from + merged_begin, merged_end - merged_begin, other() + merged_begin);
    }
    else
    {
      detail::move_items(from + begin, merged_begin - begin, own() + begin);
      detail::move_items(from + merged_end, end - merged_end, own() + merged_end);
    }
    if (merged_begin < merged_end)
    {
      detail::merge_items(
        other() + merged_begin, border - merged_begin, other() + border, merged_end - border, own() + merged_begin,
        comp);
    }
    store(begin, end);
  }

  merged_part find_part(int pass, std::int64_t piece, order& comp) const
  {
    // 1. A pass merges A and B: the parts of two neighbouring runs in the segment across their border.
    const std::int64_t first_piece = piece >> (pass + 1) << (pass + 1);
    const std::int64_t middle_piece = first_piece + (std::int64_t{1} << pass);
    if (middle_piece >= pieces_)
    {
      return {};
    }
    const segment_range segment = borders_[middle_piece - 1];
    const std::int64_t last_piece = (std::min)(2 * middle_piece - first_piece, pieces_) - 1;
    const std::int64_t a = (std::max)(segment.begin, first_piece * piece_items);
    const std::int64_t b = middle_piece * piece_items;
    const std::int64_t b_end = (std::min)(segment.end, end_of(last_piece));
    const std::int64_t begin = detail::clamp_index(piece * piece_items, a, b_end);
    const std::int64_t end = detail::clamp_index(end_of(piece), a, b_end);
    const item* const from = from_of(pass);
    if (begin >= end || a >= b || b >= b_end || !comp(from[b], from[b - 1]))
    {
      return {};
    }

    // 2. The merge path finds the items of A and B in this piece. If `comp` is no strict weak order, its points may be
    //    anywhere; they are clamped to valid ones.
    const std::int64_t a_count = b - a;
    const std::int64_t b_count = b_end - b;
    const std::int64_t i = mgpu::merge_path(from + a, a_count, from + b, b_count, begin - a, comp);
    const std::int64_t i_end = detail::clamp_index(
      mgpu::merge_path(from + a, a_count, from + b, b_count, end - a, comp), (std::max)(i, end - a - b_count),
      (std::min)(i + end - begin, a_count));
    const std::int64_t j = begin - a - i;
    const std::int64_t j_end = end - a - i_end;
    if (j_end == 0 || i == a_count)
    {
      return {};
    }
    return {begin, end - begin, a + i, a + i_end, b + j, b + j_end};
  }

  void write_piece(int pass, std::int64_t piece, const merged_part& part, order& comp) const
  {
    item* const from = from_of(pass);
    item* const to = to_of(pass);
    const std::int64_t begin = piece * piece_items;
    const std::int64_t end = end_of(piece);
    if (part.count > 0)
    {
      const std::int64_t part_end = part.begin + part.count;
      detail::merge_items(
        from + part.a, part.a_end - part.a, from + part.b, part.b_end - part.b, to + part.begin, comp);
      detail::move_items(from + begin, part.begin - begin, to + begin);
      detail::move_items(from + part_end, end - part_end, to + part_end);
      is_same_[piece] = false;
    }
    else if (!is_same_[piece])
    {
      detail::move_items(from + begin, end - begin, to + begin);
      is_same_[piece] = is_plain; // later passes need not copy it
    }
    if (pass == passes_ - 1)
    {
      store(begin, end);
    }
  }

  const Source& source_;
  const Segments& segments_;
  std::int64_t count_;
  std::int64_t pieces_;
  int passes_ = 0;
  items other_items_;
  items own_items_;
  segment_range* borders_; ///< for each piece, the segment of the first element after it
  merged_part* parts_;     ///< for each piece, its part, if all parts are found first
  unsigned char* is_same_; ///< for each piece, whether it is the same in both buffers
};

/// Sorts the items of a source.
template <class Workers, class Source, class Segments, class Compare>
void sort_source(
  const Workers& workers, const Source& source, std::int64_t count, const Segments& segments, Compare comp)
{
  using sort = cpu_sort<Source, Segments, Compare>;
  workers.check().items_in_memory(count, sizeof(typename Source::item));
  const auto storage = workers.storage(sort::bytes(count));
  sort(static_cast<unsigned char*>(storage.data()), source, count, segments).run(workers, comp);
}

/// Maximum number of elements that the host sorts in place, without temporary storage.
inline constexpr std::int64_t max_sorted_in_place = 16;

template <class Keys, class Values, class Segments, class Compare>
struct cpu_work<sort_job<Keys, Values, Segments, Compare>>
{
  using job_type = sort_job<Keys, Values, Segments, Compare>;
  using key = typename ::cuda::std::iterator_traits<Keys>::value_type;

  template <class Workers>
  static nothing run(const job_type& job, const Workers& workers)
  {
    if (job.count <= max_sorted_in_place)
    {
      job.in_thread();
    }
    else if constexpr (has_values<Values>)
    {
      if constexpr (carries_values())
      {
        detail::sort_source(
          workers, pairs_source<Keys, Values>{job.keys, job.values}, job.count, job.segments, job.order());
      }
      else
      {
        sort_keys_then_values(job, workers);
      }
    }
    else if constexpr (std::is_pointer_v<Keys>)
    {
      detail::sort_source(workers, memory_source<key>{job.keys}, job.count, job.segments, job.order());
    }
    else
    {
      detail::sort_source(workers, iterator_source<Keys>{job.keys}, job.count, job.segments, job.order());
    }
    return {};
  }

private:
  /// Whether values are small enough to be moved with their keys.
  static constexpr bool carries_values()
  {
    using value = typename ::cuda::std::iterator_traits<Values>::value_type;
    return std::is_trivially_copyable_v<value> && sizeof(sort_pair<key, value>) <= sizeof(key) + 16;
  }

  template <class Workers>
  static void sort_keys_then_values(const job_type& job, const Workers& workers)
  {
    // 1. Sort the keys with their original positions.
    using value = typename ::cuda::std::iterator_traits<Values>::value_type;
    using sorted_values = item_storage<value>;
    constexpr std::int64_t piece_items = cpu_sort_piece<value>;
    const std::int64_t count = job.count;
    workers.check().items_in_memory(count, sizeof(value) + sizeof(std::int64_t));
    const equal_pieces pieces{count, piece_items};
    const std::size_t positions_bytes = sorted_values::round_up(static_cast<std::size_t>(count) * sizeof(std::int64_t));
    const auto storage = workers.storage(positions_bytes + sorted_values::bytes(count, pieces.count()));
    auto* const positions = static_cast<std::int64_t*>(storage.data());
    detail::sort_source(
      workers, keys_and_positions_source<Keys>{job.keys, positions}, count, job.segments, job.order());

    // 2. Gather each value once.
    const sorted_values sorted(
      static_cast<unsigned char*>(storage.data()) + positions_bytes, count, pieces.count(), piece_items);
    workers.run_pieces(
      pieces.count(),
      [&](std::int64_t piece)
      {
        sorted.construct(
          pieces.begin(piece), pieces.end(piece),
          [&](std::int64_t i) { return detail::take(job.values, positions[i]); });
      });
    workers.run_pieces(
      pieces.count(),
      [&](std::int64_t piece)
      {
        for (std::int64_t i = pieces.begin(piece); i < pieces.end(piece); ++i)
        {
          *(job.values + i) = std::move(sorted.data()[i]);
        }
      });
  }
};

template <class Keys, class Segments, class Output, class Compare>
struct cpu_work<sort_indices_job<Keys, Segments, Output, Compare>>
{
  using job_type = sort_indices_job<Keys, Segments, Output, Compare>;
  using output_type = typename job_type::output_type;
  using key = typename ::cuda::std::iterator_traits<Keys>::value_type;
  using source =
    std::conditional_t<is_small_v<key>, indexed_keys_source<Keys, output_type>, indices_source<Keys, output_type>>;

  template <class Workers>
  static Output run(const job_type& job, const Workers& workers)
  {
    if (job.count <= max_sorted_in_place)
    {
      return job.in_thread();
    }
    detail::sort_source(workers, source{job.keys, detail::unwrap(job.output)}, job.count, job.segments, job.order());
    return job.result();
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
