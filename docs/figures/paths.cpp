// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Prints what draw.py draws, as the library computes it: for every diagonal, how many elements of each input are before
// it; where tiles of several sorted runs begin in each run; the matches of pairs of lists; the rows of a range join;
// the partial results of pieces of a segmented reduction; what pieces of a segmented scan hand on; the rows of as-of
// joins; the largest item of each window; the items of segments that are kept.

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/agent/merge_path.h>
#include <mgpu_thrust/asof_join.h>
#include <mgpu_thrust/range_join.h>
#include <mgpu_thrust/segmented_compact.h>
#include <mgpu_thrust/segmented_reduce.h>
#include <mgpu_thrust/segmented_scan.h>
#include <mgpu_thrust/segmented_set_operations.h>
#include <mgpu_thrust/sort.h>
#include <mgpu_thrust/window_reduce.h>

#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>

#include <cuda/std/functional>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

using numbers = std::vector<int>;

void print_numbers(const char* name, const numbers& values)
{
  std::printf("%s", name);
  for (const int value : values)
  {
    std::printf(" %d", value);
  }
  std::printf("\n");
}

void print_two_inputs(const numbers& a, const numbers& b)
{
  const int a_count = static_cast<int>(a.size());
  const int b_count = static_cast<int>(b.size());
  print_numbers("a", a);
  print_numbers("b", b);
  for (int diagonal = 0; diagonal <= a_count + b_count; ++diagonal)
  {
    const int i = mgpu::merge_path(a.begin(), a_count, b.begin(), b_count, diagonal);
    std::printf("merge %d %d\n", i, diagonal - i);
    const auto point = mgpu::balanced_path(a.begin(), a_count, b.begin(), b_count, diagonal);
    std::printf("balanced %d %d %d\n", point.a_index, point.b_index, point.starred);
  }
}

void print_segments(const numbers& offsets, int num_items)
{
  const int num_segments = static_cast<int>(offsets.size());
  print_numbers("offsets", offsets);
  std::printf("items %d\n", num_items);
  for (int diagonal = 0; diagonal <= num_items + num_segments; ++diagonal)
  {
    const mgpu::load_balance_point point = mgpu::load_balance(num_items, offsets.begin(), num_segments, diagonal);
    std::printf("balance %d %d\n", static_cast<int>(point.item_index), static_cast<int>(point.segment_index));
  }
}

/// The number of elements of each run that come before each tile of the runs' stable merge.
void print_runs(const std::vector<numbers>& runs, int tile_size)
{
  numbers keys;
  numbers run_of; // each key's run
  for (const numbers& run : runs)
  {
    print_numbers("run", run);
    keys.insert(keys.end(), run.begin(), run.end());
    run_of.resize(keys.size(), static_cast<int>(&run - runs.data()));
  }
  numbers order(keys.size());
  mgpu::stable_sort_indices(thrust::seq, keys.begin(), keys.end(), order.begin());

  numbers cuts(runs.size(), 0);
  numbers tile;
  for (const int index : order)
  {
    ++cuts[static_cast<std::size_t>(run_of[static_cast<std::size_t>(index)])];
    tile.push_back(keys[static_cast<std::size_t>(index)]);
    if (static_cast<int>(tile.size()) == tile_size)
    {
      print_numbers("tile", tile);
      print_numbers("cuts", cuts);
      tile.clear();
    }
  }
}

/// The matches of each pair of lists, by their positions there, and their numbers.
void print_pairs(const std::vector<numbers>& a_lists, const std::vector<numbers>& b_lists)
{
  numbers a;
  numbers b;
  numbers a_offsets{0};
  numbers b_offsets{0};
  const auto append = [](const char* name, const numbers& list, numbers& elements, numbers& offsets)
  {
    print_numbers(name, list);
    elements.insert(elements.end(), list.begin(), list.end());
    offsets.push_back(static_cast<int>(elements.size()));
  };
  for (std::size_t pair = 0; pair < a_lists.size(); ++pair)
  {
    append("pair_a", a_lists[pair], a, a_offsets);
    append("pair_b", b_lists[pair], b, b_offsets);
  }
  const auto num_pairs = static_cast<std::int64_t>(a_lists.size());
  mgpu::for_each_in_intersections(
    thrust::seq, a.begin(), a_offsets.begin(), a_offsets.begin() + 1, b.begin(), b_offsets.begin(),
    b_offsets.begin() + 1, num_pairs,
    [&](std::int64_t pair, std::int64_t i, std::int64_t j)
    {
      const auto at = static_cast<std::size_t>(pair);
      std::printf(
        "match %d %d %d\n", static_cast<int>(pair), static_cast<int>(i) - a_offsets[at],
        static_cast<int>(j) - b_offsets[at]);
    });
  numbers counts(a_lists.size());
  mgpu::segmented_set_intersection_size(
    thrust::seq, a.begin(), a_offsets.begin(), a_offsets.begin() + 1, b.begin(), b_offsets.begin(),
    b_offsets.begin() + 1, num_pairs, counts.begin());
  print_numbers("counts", counts);
}

/// The rows of a range join, as indices of points and of intervals.
void print_range_join(const numbers& points, const numbers& begins, const numbers& ends)
{
  const mgpu::range_join_plan plan(
    thrust::seq, points.begin(), points.end(), begins.begin(), begins.end(), ends.begin());
  numbers point_of(static_cast<std::size_t>(plan.size()));
  numbers interval_of(point_of.size());
  plan.fill(point_of.begin(), interval_of.begin());
  print_numbers("points", points);
  print_numbers("begins", begins);
  print_numbers("ends", ends);
  print_numbers("point_of", point_of);
  print_numbers("interval_of", interval_of);
}

/// The largest item of each window.
void print_windows(const numbers& items, const numbers& begins, const numbers& ends)
{
  numbers largest(begins.size());
  mgpu::window_reduce(
    thrust::seq, items.begin(), items.end(), begins.begin(), begins.end(), ends.begin(), largest.begin(), 0,
    [](int x, int y) { return x < y ? y : x; });
  print_numbers("window_items", items);
  print_numbers("window_begins", begins);
  print_numbers("window_ends", ends);
  print_numbers("largest", largest);
}

/// The items of segments that are kept, as indices, and where each segment's begin; and the cuts of pieces of `size`
/// items and starts.
void print_compaction(const numbers& items, const numbers& offsets, int size)
{
  const auto count = static_cast<int>(items.size());
  numbers kept(items.size());
  numbers kept_offsets(offsets.size() + 1);
  const thrust::counting_iterator<int> indices(0);
  kept.erase(
    mgpu::segmented_copy_if(
      thrust::seq, indices, indices + count, offsets.begin(), offsets.end(), kept.begin(), kept_offsets.begin(),
      [&](int i) { return items[static_cast<std::size_t>(i)] >= 5; }),
    kept.end());
  print_numbers("compact_items", items);
  print_numbers("compact_starts", offsets);
  print_numbers("compact_kept", kept);
  print_numbers("compact_offsets", kept_offsets);
  const auto num_segments = static_cast<std::int64_t>(offsets.size());
  for (std::int64_t diagonal = 0; diagonal < count + num_segments; diagonal += size)
  {
    const auto cut = mgpu::load_balance(count, offsets.begin(), num_segments, diagonal);
    std::printf("compact_piece %d %d\n", static_cast<int>(cut.item_index), static_cast<int>(cut.segment_index));
  }
}

/// The partial results of each piece of `size` items and starts of segments, and the results of all segments.
void print_reduction(const numbers& items, const numbers& offsets, int size)
{
  const mgpu::detail::segments in{
    static_cast<std::int64_t>(items.size()), offsets.begin(), static_cast<std::int64_t>(offsets.size())};
  numbers sums(offsets.size());
  const mgpu::detail::segment_reduction reduction{items.begin(), sums.begin(), 0, cuda::std::plus<>{}};
  print_numbers("values", items);
  print_numbers("starts", offsets);

  const std::int64_t total = in.num_items + in.num_segments;
  const std::int64_t pieces = total / size;
  std::vector<unsigned char> storage(mgpu::detail::segment_carries<int>::bytes(pieces));
  const mgpu::detail::segment_carries<int> carries(storage.data(), pieces);
  const auto cut = [&](std::int64_t piece)
  { return mgpu::load_balance(in.num_items, in.offsets, in.num_segments, piece * size); };
  for (std::int64_t piece = 0; piece < pieces; ++piece)
  {
    const auto& carry = carries[piece];
    mgpu::detail::reduce_piece(reduction, in, cut(piece), cut(piece + 1), carries[piece]);
    std::printf("piece %d %d\n", static_cast<int>(cut(piece).item_index), static_cast<int>(cut(piece).segment_index));
    std::printf("head %d %d\n", carry.head.has_value(), carry.head.value_or(0));
    std::printf("tail %d %d\n", carry.tail.has_value(), carry.tail.value_or(0));
  }
  mgpu::detail::reduce_carries(reduction, carries, pieces, in.num_segments);
  print_numbers("sums", sums);
}

/// What each of the same pieces of a scan hands on, and the results.
void print_scan(const numbers& items, const numbers& offsets, int size)
{
  const mgpu::detail::segments in{
    static_cast<std::int64_t>(items.size()), offsets.begin(), static_cast<std::int64_t>(offsets.size())};
  numbers results(items.size());
  auto scan = mgpu::detail::make_segment_scan<true, int>(
    items.begin(), results.begin(), mgpu::detail::nothing{}, cuda::std::plus<>{});

  const std::int64_t pieces = (in.num_items + in.num_segments) / size;
  std::vector<unsigned char> storage(mgpu::detail::piece_carries<int>::bytes(pieces));
  mgpu::detail::piece_carries<int> carries(storage.data(), pieces);
  const mgpu::detail::piece_queue queue(pieces);
  const auto cut = [&](std::int64_t piece)
  { return mgpu::load_balance(in.num_items, in.offsets, in.num_segments, piece * size); };
  for (std::int64_t piece = 0; piece < pieces; ++piece)
  {
    const mgpu::detail::scan_piece one(in, cut(piece), cut(piece + 1));
    mgpu::detail::scan_items_of_piece(scan, in, one, piece, carries, queue);
    std::printf("handed %d %d\n", one.continues, one.continues ? **carries.find(piece + 1) : 0);
  }
  print_numbers("results", results);
}

/// The right rows of left rows, or -1, by the direction.
void print_asof_joins(const numbers& left, const numbers& right)
{
  print_numbers("left", left);
  print_numbers("right", right);
  const auto print_rows = [&](const char* name, auto direction)
  {
    numbers rows(left.size());
    mgpu::asof_join(thrust::seq, left.begin(), left.end(), right.begin(), right.end(), rows.begin(), direction);
    print_numbers(name, rows);
  };
  print_rows("backward", mgpu::backward);
  print_rows("forward", mgpu::forward);
  print_rows("nearest", mgpu::nearest([](int x, int y) { return x < y ? y - x : x - y; }));
}

int main()
{
  print_two_inputs({1, 2, 3, 3, 3, 3, 5, 8}, {2, 3, 3, 3, 3, 4, 5, 5});
  print_segments({0, 3, 3, 4, 9}, 11);
  print_runs({{2, 3, 5, 11, 14, 17}, {1, 3, 4, 6, 7, 8}, {9, 10, 12, 13, 13, 16}, {3, 6, 8, 15, 18, 19}}, 8);
  print_pairs({{2, 5, 6, 9}, {6}, {1, 2, 3, 3, 5, 8}}, {{5, 7}, {1, 4, 6, 8, 9}, {2, 3, 3, 4, 5, 6, 7}});
  print_range_join({1, 2, 2, 4, 5, 7, 7, 9}, {2, 0, 5, 3}, {8, 3, 5, 6});
  const numbers items{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};
  const numbers offsets{0, 2, 9, 10};
  print_reduction(items, offsets, 5);
  print_scan(items, offsets, 5);
  print_asof_joins({2, 6, 11, 16}, {4, 6, 6, 9, 14});
  print_compaction({3, 7, 9, 1, 5, 9, 2, 6, 8, 3, 5, 4, 7}, {0, 2, 2, 9, 10}, 6);
  print_windows({3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3}, {1, 2, 6, 15}, {3, 14, 15, 15});
}
