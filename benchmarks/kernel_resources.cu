// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Prints a table, in Markdown, of the resources of a multiprocessor that the kernels use: for benchmarks/results.

#include <mgpu_thrust/detail/bulk/launch.cuh>
#include <mgpu_thrust/detail/join/launch.cuh>
#include <mgpu_thrust/detail/join/ranges/launch.cuh>
#include <mgpu_thrust/detail/multiway_merge/fold/launch.cuh>
#include <mgpu_thrust/detail/multiway_merge/launch.cuh>
#include <mgpu_thrust/detail/pairs/count/launch.cuh>
#include <mgpu_thrust/detail/segmented_compact/launch.cuh>
#include <mgpu_thrust/detail/segmented_reduce/launch.cuh>
#include <mgpu_thrust/detail/segmented_scan/launch.cuh>
#include <mgpu_thrust/detail/segments/launch.cuh>
#include <mgpu_thrust/detail/semi_join/launch.cuh>
#include <mgpu_thrust/detail/set_operation/launch.cuh>
#include <mgpu_thrust/detail/sort/launch.cuh>
#include <mgpu_thrust/detail/sorted_search/asof_rows.h>
#include <mgpu_thrust/detail/sorted_search/launch.cuh>
#include <mgpu_thrust/detail/window_reduce/launch.cuh>
#include <mgpu_thrust/range_bounds.h>

#include <cuda/std/functional>

#include <cstdint>
#include <cstdio>
#include <string>

namespace
{

using namespace mgpu::detail;

/// A key of many bytes.
template <int Bytes>
struct large_key
{
  std::int64_t words[Bytes / 8];

  friend MGPU_THRUST_HOST_DEVICE bool operator<(const large_key& a, const large_key& b)
  {
    return a.words[0] < b.words[0];
  }
};

void print_row(const char* name, const void* kernel, int threads, int items_per_thread, const char* reason)
{
  cudaFuncAttributes attributes{};
  int blocks = 0;
  cudaDeviceProp device{};
  if (
    cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess
    || cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0) != cudaSuccess
    || cudaGetDeviceProperties(&device, 0) != cudaSuccess)
  {
    std::printf("| %s | no figures: %s |\n", name, cudaGetErrorString(cudaGetLastError()));
    return;
  }
  std::printf(
    "| %s | %d x %d | %d | %d | %d | %d | %.0f %% | %s |\n", name, threads, items_per_thread, attributes.numRegs,
    static_cast<int>(attributes.localSizeBytes), static_cast<int>(attributes.sharedSizeBytes), blocks,
    100.0 * blocks * threads / device.maxThreadsPerMultiProcessor, reason);
}

template <class Operation, class Key, class Value, class Outputs>
void print_work_kernel(const char* name, const char* reason)
{
  using inputs = set_inputs<const Key*, Value, const Key*, Value>;
  using shape =
    decltype(choose_set_operation_shape<Operation, largest_key_bytes<inputs>, has_values<decltype(Outputs::values)>>());
  print_row(
    name,
    reinterpret_cast<const void*>(&set_operation_kernel<
                                  shape, Operation, inputs, Outputs, ::cuda::std::less<>, size_by_matches, std::int64_t,
                                  std::conditional_t<Operation::matches, tile_offsets, no_tile_offsets>>),
    shape::threads, shape::items_per_thread, reason);
}

template <class Key, class Value>
void print_merge(const char* name, const char* reason)
{
  using outputs =
    set_outputs<Key*, std::conditional_t<has_values<Value>, std::remove_const_t<std::remove_pointer_t<Value>>*, Value>>;
  print_work_kernel<merge_t, Key, Value, outputs>(name, reason);
}

template <class Key, class OutputA, class OutputB>
void print_search_kernel(const char* name, const char* reason)
{
  using inputs = set_inputs<const Key*, no_values, const Key*, no_values>;
  using shape = decltype(choose_sorted_search_shape<largest_key_bytes<inputs>>());
  print_row(
    name,
    reinterpret_cast<const void*>(&sorted_search_kernel<shape, false, inputs, OutputA, OutputB, ::cuda::std::less<>>),
    shape::threads, shape::items_per_thread, reason);
}

template <class Key, class Offsets>
void print_semi_join_kernel(const char* name, const char* reason)
{
  using inputs = set_inputs<const Key*, no_values, const Key*, no_values>;
  using output = row_output<std::int32_t*, std::int32_t>;
  using shape = decltype(choose_semi_join_shape<largest_key_bytes<inputs>>());
  print_row(
    name,
    reinterpret_cast<const void*>(
      &semi_join_kernel<shape, semi_join_t, inputs, output, ::cuda::std::less<>, std::int64_t, Offsets>),
    shape::threads, shape::items_per_thread, reason);
}

template <class Element>
void print_bulk_kernels(const char* removal, const char* insertion, const char* reason)
{
  using path = decltype(bulk_path(static_cast<const std::int32_t*>(nullptr), 0, 0));
  using removal_shape = decltype(choose_bulk_shape<sizeof(Element)>());
  using insertion_shape = removal_shape;
  print_row(
    removal,
    reinterpret_cast<const void*>(&removal_kernel<removal_shape, path, const Element*, Element*, std::int64_t>),
    removal_shape::threads, removal_shape::items_per_thread, reason);
  print_row(
    insertion,
    reinterpret_cast<const void*>(
      &insertion_kernel<insertion_shape, path, const Element*, const Element*, Element*, std::int64_t>),
    insertion_shape::threads, insertion_shape::items_per_thread, "the same");
}

template <class Kind, class Key>
void print_join_kernels(const char* pass, const char* coresident, const char* count, const char* fill)
{
  using inputs = set_inputs<const Key*, no_values, const Key*, no_values>;
  using outputs = join_outputs<std::int32_t*, std::int32_t*, std::int32_t, std::int32_t>;
  using less = ::cuda::std::less<>;
  using shape = decltype(choose_join_shape<largest_key_bytes<inputs>>());
  print_row(
    pass,
    reinterpret_cast<const void*>(
      &join_pass_kernel<
        shape, join_tiles::of_merge_path, Kind, inputs, outputs, less, join_progress<Kind>, std::int64_t>),
    shape::threads, shape::items_per_thread, "four blocks or more: starts of rows fill shared memory");
  using small_shape = coresident_join_shape<largest_key_bytes<inputs>>;
  print_row(
    coresident,
    reinterpret_cast<const void*>(&join_pass_kernel<
                                  small_shape, join_tiles::of_merge_path, Kind, inputs, outputs, less,
                                  coresident_join_progress<Kind>, std::int64_t>),
    small_shape::threads, small_shape::items_per_thread, "co-resident: small tiles, with room for 8192 rows");
  print_row(
    count, reinterpret_cast<const void*>(&join_count_kernel<shape, join_tiles::of_merge_path, Kind, inputs, less>),
    shape::threads, shape::items_per_thread, "the kernel that writes, which has the same tiles");
  print_row(
    fill,
    reinterpret_cast<const void*>(&join_fill_kernel<shape, join_tiles::of_merge_path, Kind, inputs, outputs, less>),
    shape::threads, shape::items_per_thread, "the same");
}

template <class Key>
void print_range_join_kernels(const char* pass, const char* counts)
{
  using inputs = interval_inputs<const Key*, const Key*, const Key*>;
  using kind = range_join_t<mgpu::closed_open_t>;
  using outputs = join_outputs<std::int32_t*, std::int32_t*, std::int32_t, std::int32_t>;
  using count_output = search_output<std::int32_t*, to_count<std::int32_t>>;
  using less = ::cuda::std::less<>;
  using shape = interval_shape;
  print_row(
    pass,
    reinterpret_cast<const void*>(
      &join_pass_kernel<shape, join_tiles::of_needles, kind, inputs, outputs, less, join_progress<kind>, std::int64_t>),
    shape::threads, shape::items_per_thread, "five blocks: searches in flight");
  using count_shape = interval_count_shape;
  print_row(
    counts, reinterpret_cast<const void*>(&range_count_kernel<count_shape, kind, inputs, count_output, less>),
    count_shape::threads, count_shape::items_per_thread, "eight blocks: searches in flight");
}

template <class Action>
void print_segments_kernel(const char* name, const char* reason, Action)
{
  using shape = segments_shape;
  print_row(
    name, reinterpret_cast<const void*>(&segments_kernel<shape, Action, segments<const std::int32_t*>>), shape::threads,
    shape::items_per_thread, reason);
}

/// Prints the kernels of load-balancing search and the interval operations. Their actions are made of null pointers.
template <class Element>
void print_segments_kernels(const std::string& type)
{
  const std::int32_t* const places = nullptr;
  const Element* const input = nullptr;
  Element* const output = nullptr;
  const auto print = [&type](const char* name, auto action) {
    print_segments_kernel((name + (", " + type)).c_str(), "loads in flight: as many threads as there can be", action);
  };
  print("load-balancing search", segment_transform{segment_number<Element>{}, no_values{}, output});
  print("interval expand", segment_transform{value_of_segment{}, input, output});
  print("interval gather", segment_transform{element_at_rank{input}, places, output});
  print("interval scatter", segment_copy{no_values{}, places, input, output});
  print("interval move", segment_copy{places, places, input, output});
}

template <class Value, bool FindsBegins = false>
void print_segmented_reduce_kernel(const char* name, const char* reason)
{
  using shape = segmented_reduce_shape;
  using reduction = segment_reduction<const Value*, Value*, Value, ::cuda::std::plus<>>;
  print_row(
    name,
    reinterpret_cast<const void*>(
      &segmented_reduce_kernel<shape, Value, FindsBegins, reduction, segments<const std::int32_t*>>),
    shape::threads, shape::items_per_thread, reason);
}

template <class Value>
void print_whole_segments_kernels(const std::string& type, const char* reason)
{
  using shape = whole_segments_shape<Value>;
  using large_shape = whole_segments_shape<Value, true>;
  using block_shape = segment_per_block_shape<Value>;
  using reduction = segment_reduction<const Value*, Value*, Value, ::cuda::std::plus<>>;
  using input = segments<const std::int32_t*>;
  print_row(
    ("sum of whole segments, " + type).c_str(),
    reinterpret_cast<const void*>(&whole_segments_kernel<shape, Value, reduction, input>), shape::threads,
    shape::rows * shape::run, reason);
  print_row(
    ("sum of large whole segments, " + type).c_str(),
    reinterpret_cast<const void*>(&whole_segments_kernel<large_shape, Value, reduction, input>), large_shape::threads,
    large_shape::rows * large_shape::run, "the same: items in flight count more than blocks do");
  print_row(
    ("sum of a segment per block, " + type).c_str(),
    reinterpret_cast<const void*>(&segment_per_block_kernel<block_shape, Value, reduction, input>),
    block_shape::threads, block_shape::rows * block_shape::run, "as many blocks as fit");
  print_row(
    ("sum of long ones of these, " + type).c_str(),
    reinterpret_cast<const void*>(&long_segments_kernel<block_shape, Value, reduction, input>), block_shape::threads,
    block_shape::rows * block_shape::run, "the same");
}

/// A value of many bytes.
template <int Bytes>
struct large_value
{
  float numbers[Bytes / 4];

  friend MGPU_THRUST_HOST_DEVICE large_value operator+(const large_value& a, const large_value& b)
  {
    large_value sum;
    for (int i = 0; i < Bytes / 4; ++i)
    {
      sum.numbers[i] = a.numbers[i] + b.numbers[i];
    }
    return sum;
  }
};

/// Prints the kernel of segmented scans, where a block serves carries and in a co-resident grid.
template <class Value>
void print_segmented_scan_kernels(const std::string& type, const char* reason)
{
  using shape = segmented_scan_shape<Value>;
  using small_shape = coresident_scan_shape<Value>;
  using scan = segment_scan<true, Value, const Value*, Value*, nothing, ::cuda::std::plus<>>;
  using input = segments<const std::int32_t*>;
  print_row(
    ("running sums in segments, " + type).c_str(),
    reinterpret_cast<const void*>(&segmented_scan_kernel<shape, scan, input, served_carries<Value>>), shape::threads,
    shape::items_per_thread, reason);
  print_row(
    ("running sums of few tiles, " + type).c_str(),
    reinterpret_cast<const void*>(
      &segmented_scan_kernel<small_shape, scan, input, coresident_carries<Value, max_coresident_scan_tiles>>),
    small_shape::threads, small_shape::items_per_thread, "co-resident: the same tiles, in at most four blocks");
}

/// Whether the first word of a value is odd, or two values have the same one.
struct by_first_word
{
  template <class Value>
  MGPU_THRUST_HOST_DEVICE bool operator()(const Value& value) const
  {
    return *reinterpret_cast<const std::int32_t*>(&value) % 2 != 0;
  }
  template <class Value>
  MGPU_THRUST_HOST_DEVICE bool operator()(const Value& x, const Value& y) const
  {
    return *reinterpret_cast<const std::int32_t*>(&x) == *reinterpret_cast<const std::int32_t*>(&y);
  }
};

/// Prints the kernels of compactions of items in segments, where a block serves offsets.
template <class Value>
void print_compact_kernels(const std::string& type, const char* reason)
{
  using input = segments<const std::int32_t*>;
  const auto print = [&](const char* name, auto keep)
  {
    using shape = compact_shape<static_cast<int>(sizeof(Value)), decltype(keep)::compares>;
    using compact = compaction<const Value*, decltype(keep), Value*, std::int32_t*, std::int32_t>;
    print_row(
      (name + type).c_str(),
      reinterpret_cast<const void*>(&segmented_compact_kernel<shape, compact, input, tile_offsets, std::int64_t>),
      shape::threads, shape::items_per_thread, reason);
  };
  print("items of segments by a predicate, ", keep_if<by_first_word>{});
  print("distinct items of segments, ", keep_first_of_equals<by_first_word>{});
}

/// Prints the kernels that reduce tiles to totals, and windows with bounds of int32.
template <class Value>
void print_window_kernels(const std::string& type, const char* reason)
{
  using shape = window_shape<Value>;
  using reduction = segment_reduction<const Value*, Value*, Value, ::cuda::std::plus<>>;
  using input = windows<given_bounds<const std::int32_t*, const std::int32_t*>>;
  print_row(
    ("totals of tiles of windows, " + type).c_str(),
    reinterpret_cast<const void*>(&window_totals_kernel<shape, Value, reduction, input>), shape::threads,
    shape::items_per_thread, "the tiles of windows");
  print_row(
    ("sums of windows, " + type).c_str(), reinterpret_cast<const void*>(&window_kernel<shape, Value, reduction, input>),
    shape::threads, shape::items_per_thread, reason);
}

/// Prints the kernels of an action on the matches of pairs of lists with bounds of int32.
template <class Key, class Action>
void print_pairs_kernels(const char* short_lists, const char* long_lists, const char* reason)
{
  using shape = segmented_sets_shape;
  using lists = pair_lists<const Key*, const std::int32_t*, const std::int32_t*>;
  using pairs = list_pairs<lists, lists>;
  print_row(
    short_lists, reinterpret_cast<const void*>(&short_pairs_kernel<Action, pairs, ::cuda::std::less<>>), shape::threads,
    shape::items_per_thread, reason);
  print_row(
    long_lists, reinterpret_cast<const void*>(&long_pairs_kernel<Action, pairs, ::cuda::std::less<>>),
    long_pairs_shape::threads, long_pairs_shape::items_per_thread, "shared memory: the words of each warp");
}

/// A function of a match.
struct mark_match
{
  std::int32_t* marks;

  MGPU_THRUST_HOST_DEVICE void operator()(std::int64_t, std::int64_t i, std::int64_t) const
  {
    marks[i] = 1;
  }
};

/// Prints the kernels of a sort of few keys.
template <class Key>
void print_pairwise_sort_kernels(const std::string& type, const char* reason)
{
  using range = key_value_range<Key*, no_values>;
  using shapes = pairwise_shapes_t<Key, 0>;
  using shape = typename shapes::block_sort;
  using less = ::cuda::std::less<>;
  constexpr int max_threads = max_rank_threads<sizeof(Key), 0>;
  print_row(
    ("sort by ranks, " + type).c_str(),
    reinterpret_cast<const void*>(&sort_by_ranks_kernel<max_threads, range, range, std::int64_t, less>), max_threads, 1,
    "the chain of accesses that wait for each other: a key per thread");
  print_row(
    ("block sort of few, " + type).c_str(),
    reinterpret_cast<const void*>(&block_sort_kernel<shapes, false, range, range, range, plain_tiles<int>, less>),
    shape::threads, shape::items_per_thread, reason);
  print_row(
    ("merge of pairs, " + type).c_str(), reinterpret_cast<const void*>(&merge_pairs_kernel<shape, range, range, less>),
    shape::threads, shape::items_per_thread, "the same");
}

/// Prints the kernels of a sort. `Value` is no_values if there are none.
template <class Key, class Value>
void print_sort_kernels(const std::string& type, const char* tiles, const char* passes)
{
  using range = key_value_range<Key*, std::conditional_t<has_values<Value>, Value*, Value>>;
  using shapes = sort_shapes_t<Key, value_or_none<decltype(range::values)>::bytes>;
  using less = ::cuda::std::less<>;
  print_row(
    ("block sort, " + type).c_str(),
    reinterpret_cast<const void*>(&block_sort_kernel<shapes, false, range, range, range, even_tiles, less>),
    shapes::block_sort::threads, shapes::block_sort::items_per_thread, tiles);
  print_row(
    ("merge pass, " + type).c_str(),
    reinterpret_cast<const void*>(&merge_pass_kernel<shapes, range, range, even_tiles, less>), shapes::merge::threads,
    shapes::merge::items_per_thread, passes);
}

/// Prints the kernel of a pass over given runs. `Value` is no_values if there are none.
template <class Key, class Value>
void print_merge_runs_kernel(const std::string& type, const char* reason)
{
  using in = key_value_range<const Key*, std::conditional_t<has_values<Value>, const Value*, Value>>;
  using out = key_value_range<Key*, std::conditional_t<has_values<Value>, Value*, Value>>;
  using shapes = sort_shapes_of<in, out>;
  print_row(
    ("merge of given runs, " + type).c_str(),
    reinterpret_cast<const void*>(&merge_runs_kernel<shapes, in, out, ::cuda::std::less<>>), shapes::merge::threads,
    shapes::merge::items_per_thread, reason);
}

/// Prints the kernel of the last pass of a fold of int32 keys. `Value` is no_values if there are none.
template <class Value>
void print_fold_kernel(const char* name, const char* reason)
{
  using key = std::int32_t;
  using values = std::conditional_t<has_values<Value>, const Value*, Value>;
  using sink = fold_sink<key*, std::conditional_t<has_values<Value>, Value*, Value>>;
  using fold = device_fold<const key*, values, sink, ::cuda::std::plus<>, mgpu::keep_all>;
  using out = fold_output<fold, std::int64_t>;
  using shapes = fold_shapes<fold::item_bytes>;
  using in = key_value_range<const key*, values>;
  print_row(
    name, reinterpret_cast<const void*>(&fold_runs_kernel<shapes, in, out, ::cuda::std::less<>>),
    shapes::merge::threads, shapes::merge::items_per_thread, reason);
}

/// Prints the kernels of a sort of keys in segments, if there are few elements, or many: in tiles of two shapes.
template <class Key>
void print_segmented_sort_kernels(const std::string& type)
{
  using range = key_value_range<Key*, no_values>;
  using offsets = offset_segments<const std::int32_t*>;
  using less = ::cuda::std::less<>;
  using small_shapes = segmented_pairwise_shapes_t<Key, 0>;
  print_row(
    ("sort of few in segments, " + type).c_str(),
    reinterpret_cast<const void*>(&sort_segments_kernel<small_shapes, range, range, range, offsets, less>),
    small_shapes::block_sort::threads, small_shapes::block_sort::items_per_thread,
    "the chain of accesses, as of few keys: small tiles");
  constexpr int max_threads = max_rank_threads<sizeof(Key), 0>;
  print_row(
    ("sort by ranks in few segments, " + type).c_str(),
    reinterpret_cast<const void*>(&sort_segments_by_ranks_kernel<max_threads, range, range, offsets, less>),
    max_threads, 1, "the chain of accesses that wait for each other: a key per thread");
  const auto print_many = [&](const char* segments, auto shapes_value)
  {
    using shapes = decltype(shapes_value);
    print_row(
      (std::string("block sort in ") + segments + ", " + type).c_str(),
      reinterpret_cast<const void*>(
        &block_sort_kernel<shapes, false, range, range, range, segment_tiles<offsets>, less>),
      shapes::block_sort::threads, shapes::block_sort::items_per_thread, "registers, which hold the keys of a thread");
    print_row(
      (std::string("merge passes in ") + segments + ", " + type).c_str(),
      reinterpret_cast<const void*>(&merge_passes_kernel<shapes, range, less>), shapes::merge::threads,
      shapes::merge::items_per_thread, "a launch that most often does nothing");
  };
  print_many("segments", sort_shapes_t<Key, 0>{});
  print_many("segments of some dozen", short_segments_shapes_t<Key, 0>{});
}

/// Prints the kernels of two of the four operations: those that differ most in the elements that they keep.
template <class Key, class Value>
void print_forms(const char* intersection, const char* union_, const char* reason)
{
  using outputs =
    set_outputs<Key*, std::conditional_t<has_values<Value>, std::remove_const_t<std::remove_pointer_t<Value>>*, Value>>;
  print_work_kernel<set_intersection_t, Key, Value, outputs>(intersection, reason);
  print_work_kernel<set_union_t, Key, Value, outputs>(union_, "the same");
}

} // namespace

int main()
{
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
  {
    std::printf("Skipped: there is no CUDA device.\n");
    return 77; // CTest counts the test as skipped
  }
  std::printf("| kernel | threads x items | registers | local bytes | shared bytes | blocks | occupancy | tuned for |\n"
              "|---|---|---|---|---|---|---|---|\n");
  using inputs = set_inputs<const std::int32_t*, no_values, const std::int32_t*, no_values>;
  print_row(
    "cut on the balanced path, int32",
    reinterpret_cast<const void*>(
      &cut_kernel<path_cut<128 * 29, set_union_t, inputs, ::cuda::std::less<>, tile_offsets>>),
    cut_threads, 1, "memory: how much of it dependent probes touch");
  print_forms<std::int32_t, no_values>(
    "intersection, int32", "union, int32", "registers, which hold the keys of survivors: 12 blocks fill the file");
  print_work_kernel<set_intersection_t, std::int32_t, no_values, no_outputs>(
    "size, int32", "as for the keys; it keeps no items");
  print_forms<std::int32_t, const std::int32_t*>(
    "intersection by key, int32 + int32", "union by key, int32 + int32",
    "shared memory for keys and numbers; registers for four values in flight a thread");
  print_forms<std::int32_t, const std::int64_t*>(
    "intersection by key, int32 + int64", "union by key, int32 + int64", "the same: values take no shared memory");
  print_forms<std::int64_t, no_values>(
    "intersection, int64", "union, int64", "shared memory, which small blocks fill best");
  print_forms<std::int64_t, const std::int64_t*>(
    "intersection by key, int64 + int64", "union by key, int64 + int64", "the same");
  print_forms<large_key<16>, no_values>(
    "intersection, 16 bytes", "union, 16 bytes", "the same, and few threads that search");
  print_forms<large_key<16>, const std::int32_t*>(
    "intersection by key, 16 bytes + int32", "union by key, 16 bytes + int32", "the same");
  print_forms<large_key<40>, no_values>(
    "intersection, 40 bytes", "union, 40 bytes", "shared memory; keys are compared there, not held in registers");
  print_forms<large_key<1024>, no_values>(
    "intersection, 1024 bytes", "union, 1024 bytes", "correctness: keys stay in global memory");
  print_merge<std::int32_t, no_values>(
    "merge, int32", "registers, which hold the keys; within 2 % of many other shapes");
  print_merge<std::int64_t, no_values>("merge, int64", "the same");
  print_merge<std::int32_t, const std::int32_t*>("merge by key, int32 + int32", "threads that fetch values");
  using index = search_output<std::int32_t*, to_index<std::int32_t>>;
  using range = range_output<std::int32_t*, std::int32_t*, std::int32_t, std::int32_t>;
  print_search_kernel<std::int32_t, index, no_search_output>(
    "lower bound, int32", "shared memory: as many keys in flight as it holds");
  print_search_kernel<std::int32_t, range, no_search_output>("equal range, int32", "the same");
  print_search_kernel<std::int32_t, index, index>("joint search, int32", "the same");
  print_search_kernel<std::int64_t, index, no_search_output>("lower bound, int64", "the same");
  using nearest = mgpu::nearest_t<::cuda::std::minus<>>;
  print_search_kernel<
    std::int32_t, search_output<std::int32_t*, to_row<std::int32_t, nearest, mgpu::accept_any>>, no_search_output>(
    "as-of join, nearest, int32", "the same");
  print_semi_join_kernel<std::int32_t, tile_offsets>(
    "semi join, int32", "the same, in smaller tiles, as they wait for their offsets");
  print_semi_join_kernel<std::int64_t, tile_offsets>("semi join, int64", "the same");
  print_semi_join_kernel<std::int32_t, coresident_offsets>("semi join of few, int32", "the same");
  print_bulk_kernels<std::int32_t>(
    "bulk remove, int32", "bulk insert, int32", "loads in flight: 24 elements a thread, or 16, in small blocks");
  print_bulk_kernels<std::int64_t>("bulk remove, int64", "bulk insert, int64", "the same, twelve and eight");
  print_row(
    "cut of items in segments, int32",
    reinterpret_cast<const void*>(&cut_kernel<sampled_cut<item_bounds<segments_shape::items, const std::int32_t*>>>),
    cut_threads, 1, "the same as for two inputs: memory");
  print_segments_kernels<std::int32_t>("int32");
  print_segments_kernels<std::int64_t>("int64");
  print_row(
    "cut of items and ends of segments, int32",
    reinterpret_cast<const void*>(&cut_kernel<sampled_cut<segmented_reduce_bounds<const std::int32_t*>>>), cut_threads,
    1, "the same");
  print_segmented_reduce_kernel<std::int32_t>("segmented sum, int32", "loads in flight: eight blocks, 32 registers");
  print_segmented_reduce_kernel<double>("segmented sum, double", "the same, as far as shared memory goes");
  print_segmented_reduce_kernel<std::int32_t, true>("segmented sum of up to 2048 tiles, int32", "the same");
  print_whole_segments_kernels<std::int32_t>("int32", "items in flight: 16 of 4 bytes a thread");
  print_whole_segments_kernels<double>("double", "the same: 8 of 8 bytes");
  using scan_shape = segmented_scan_shape<std::int32_t>;
  using scan_bounds = end_bounds<scan_shape::weight, const std::int32_t*, scanned_item_weight, scan_shape::max_shift>;
  print_row(
    "cut of segments for a scan, int32",
    reinterpret_cast<const void*>(&cut_kernel<clearing_cut<sampled_cut<scan_bounds>, std::int32_t>>), cut_threads, 1,
    "the same; it also clears carries");
  print_segmented_scan_kernels<std::int8_t>("int8", "registers, which hold the items of a thread");
  print_segmented_scan_kernels<std::int32_t>("int32", "loads in flight: as many tiles as registers allow");
  print_segmented_scan_kernels<double>("double", "the same");
  print_segmented_scan_kernels<large_value<16>>("16 bytes", "the same");
  print_segmented_scan_kernels<large_value<32>>("32 bytes", "the same");
  print_segmented_scan_kernels<large_value<64>>("64 bytes", "no spills");
  print_segmented_scan_kernels<large_value<128>>("128 bytes", "the same");
  using compact_shape_of_int = compact_shape<sizeof(std::int32_t)>;
  print_row(
    "cut of segments for a compaction, int32",
    reinterpret_cast<const void*>(&cut_kernel<compact_cut<compact_shape_of_int, segments<const std::int32_t*>>>),
    cut_threads, 1, "the same; it also clears offsets");
  print_compact_kernels<std::int32_t>("int32", "loads in flight: six tiles");
  print_compact_kernels<double>("double", "the same");
  print_compact_kernels<large_value<16>>("16 bytes", "shared memory: five tiles");
  print_compact_kernels<large_value<128>>("128 bytes", "the same");
  print_window_kernels<std::int32_t>("int32", "shared memory: two tiles");
  print_window_kernels<double>("double", "the same");
  print_window_kernels<large_value<128>>("128 bytes", "the same");
  using counts = pair_counts<std::int32_t*>;
  print_pairs_kernels<std::int32_t, counts>(
    "counts of short pairs, int32", "counts of long pairs, int32", "registers: searches in flight");
  print_pairs_kernels<std::int64_t, counts>("counts of short pairs, int64", "counts of long pairs, int64", "the same");
  print_pairs_kernels<std::int32_t, pair_flags<std::int32_t*>>(
    "overlaps of short pairs, int32", "overlaps of long pairs, int32", "the same");
  print_pairs_kernels<std::int32_t, match_visits<mark_match>>(
    "visits in short pairs, int32", "visits in long pairs, int32", "the same");
  print_join_kernels<mgpu::inner_join_t, std::int32_t>(
    "inner join, int32", "inner join of few, int32", "inner join counts, int32", "inner join writes, int32");
  print_join_kernels<mgpu::full_join_t, std::int32_t>(
    "full join, int32", "full join of few, int32", "full join counts, int32", "full join writes, int32");
  print_join_kernels<mgpu::inner_join_t, std::int64_t>(
    "inner join, int64", "inner join of few, int64", "inner join counts, int64", "inner join writes, int64");
  print_range_join_kernels<std::int32_t>("range join, int32", "points of intervals, int32");
  print_range_join_kernels<std::int64_t>("range join, int64", "points of intervals, int64");
  using sorted_tiles = tiles_to_cut<std::int32_t, even_tiles, ::cuda::std::less<>>;
  print_row(
    "cut of a merge pass, int32", reinterpret_cast<const void*>(&cut_kernel<multiway_cut<sorted_tiles>>), cut_threads,
    1, "memory: eight lanes a tile probe at once");
  using block_cut = multiway_block_cut<sorted_tiles>;
  print_row(
    "cut of a merge pass, few tiles, int32", reinterpret_cast<const void*>(&cut_kernel<block_cut>), block_cut::threads,
    1, "the chain of accesses that wait for each other");
  print_pairwise_sort_kernels<std::int32_t>("int32", "the chain of accesses that wait for each other: small tiles");
  print_pairwise_sort_kernels<std::int64_t>("int64", "the same");
  print_sort_kernels<std::int32_t, no_values>(
    "int32", "registers, which hold the keys of a thread",
    "the same; eleven warps, so that each pair of runs has its own threads");
  print_sort_kernels<std::int64_t, no_values>("int64", "the same", "the same");
  print_sort_kernels<std::int32_t, std::int32_t>("int32 + int32", "registers for keys and their numbers", "the same");
  print_segmented_sort_kernels<std::int32_t>("int32");
  using given_runs = runs_to_cut<run_elements<const std::int32_t*>, ::cuda::std::less<>>;
  print_row(
    "cut of given runs, int32", reinterpret_cast<const void*>(&cut_kernel<multiway_cut<given_runs>>), cut_threads, 1,
    "the same as of a merge pass");
  using runs_cut_by_blocks = multiway_block_cut<given_runs>;
  print_row(
    "cut of given runs, few tiles, int32", reinterpret_cast<const void*>(&cut_kernel<runs_cut_by_blocks>),
    runs_cut_by_blocks::threads, 1, "the same");
  print_merge_runs_kernel<std::int32_t, no_values>("int32", "the same as a merge pass");
  print_merge_runs_kernel<std::int64_t, no_values>("int64", "the same");
  print_merge_runs_kernel<std::int32_t, std::uint32_t>("int32 + int32", "the same");
  print_fold_kernel<no_values>("unique of given runs, int32", "threads that merge in registers");
  print_fold_kernel<std::int32_t>(
    "fold of given runs, int32 + int32", "registers, for the keys and values of a thread");
  return 0;
}
