// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Functions that only the host has, passed to CUDA policies and to the device layer: nvcc refuses each. Each call has
// a tag of its own, by which the errors are told apart.

#include <mgpu_thrust/block/block_merge.cuh>
#include <mgpu_thrust/block/block_set_operation.cuh>
#include <mgpu_thrust/block/block_sorted_search.cuh>
#include <mgpu_thrust/device/device_merge.cuh>
#include <mgpu_thrust/device/device_sort.cuh>
#include <mgpu_thrust/mgpu_thrust.h>

#include <thrust/execution_policy.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cstddef>
#include <cstdint>
#include <iterator>

// Function objects.
template <class Tag>
struct order_of
{
  __host__ bool operator()(int x, int y) const
  {
    return x < y;
  }
};
template <class Tag>
struct function_of
{
  template <class... Arguments>
  __host__ int operator()(Arguments...) const
  {
    return 1;
  }
};

// Elements that are assigned, or converted to and from other types.
template <class Tag>
struct assigned
{
  int key;

  assigned() = default;
  assigned(const assigned&) = default;
  __host__ assigned& operator=(const assigned& other)
  {
    key = other.key;
    return *this;
  }
  friend __host__ __device__ bool operator<(const assigned& x, const assigned& y)
  {
    return x.key < y.key;
  }
};
template <class Tag>
struct converted
{
  int key;

  __host__ operator int() const
  {
    return key;
  }
};
template <class Tag>
struct from_int
{
  int key;

  __host__ from_int& operator=(int other)
  {
    key = other;
    return *this;
  }
};

// Iterators.
template <class Iterator, class Value, class Element, class Reference>
struct iterator_base
{
  using iterator_category = std::random_access_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using pointer = Element*;
  using reference = Reference;
  Element* at;

  friend __host__ __device__ Iterator operator+(const Iterator& it, std::ptrdiff_t n)
  {
    Iterator sum = it;
    sum.at += n;
    return sum;
  }
  friend __host__ __device__ std::ptrdiff_t operator-(const Iterator& x, const Iterator& y)
  {
    return x.at - y.at;
  }
  friend __host__ __device__ bool operator!=(const Iterator& x, const Iterator& y)
  {
    return x.at != y.at;
  }
  __host__ __device__ Iterator& operator++()
  {
    ++at;
    return static_cast<Iterator&>(*this);
  }
};
template <class Tag>
struct read_through : iterator_base<read_through<Tag>, int, const int, int>
{
  __host__ int operator*() const
  {
    return *this->at;
  }
};
template <class Tag>
struct written_through : iterator_base<written_through<Tag>, void, from_int<Tag>, from_int<Tag>&>
{
  __host__ __device__ from_int<Tag>& operator*() const
  {
    return *this->at;
  }
};

template <class Tag>
struct with_operators
{
  int key;

  friend __host__ bool operator<(const with_operators& x, const with_operators& y)
  {
    return x.key < y.key;
  }
  friend __host__ bool operator==(const with_operators& x, const with_operators& y)
  {
    return x.key == y.key;
  }
  friend __host__ with_operators operator+(const with_operators& x, const with_operators& y)
  {
    return {x.key + y.key};
  }
};

// Tags.
struct of_for_each;
struct of_for_each_with_values;
struct of_transform;
struct of_transform_n;
struct of_assigned_transform;
struct of_converted_transform;
struct of_expand;
struct of_gather;
struct of_scatter;
struct of_move;
struct of_count;
struct of_lower_bound;
struct of_search;
struct of_rows_accepted;
struct of_rows_accepted_n;
struct of_distance;
struct of_bound_written;
struct of_merge;
struct of_merge_n;
struct of_merge_runs;
struct of_multiway_merge;
struct of_multiway_merge_n;
struct of_merged_runs;
struct of_fold;
struct of_fold_n;
struct of_fold_order;
struct of_fold_kept;
struct of_pair_counts;
struct of_pair_visits;
struct of_pair_flags_written;
struct of_pair_lists;
struct of_pair_lists_written;
struct of_pair_positions_written;
struct of_pair_combination;
struct of_pair_bounds;
struct of_merged;
struct of_merged_values;
struct of_union;
struct of_union_size;
struct of_includes;
struct of_union_elements;
struct of_combination;
struct of_sort;
struct of_sort_n;
struct of_sorted;
struct of_sorted_values;
struct of_sorted_conversion;
struct of_indices;
struct of_segmented_sort;
struct of_segmented_sorted;
struct of_flags;
struct of_join;
struct of_join_size;
struct of_join_plan;
struct of_join_written;
struct of_range_join;
struct of_range_join_size;
struct of_range_count;
struct of_range_count_written;
struct of_semi_join;
struct of_semi_join_size;
struct of_semi_join_written;
struct of_removal;
struct of_insertion;
struct of_reduction;
struct of_reduction_n;
struct of_reduced;
struct of_reduction_plan;
struct of_window_reduction;
struct of_window_reduction_n;
struct of_window_low;
struct of_window_high;
struct of_window_order;
struct of_copy_if;
struct of_copy_if_n;
struct of_unique_copy;
struct of_compacted;
struct of_inclusive_scan;
struct of_exclusive_scan;
struct of_scan_n;
struct of_scanned;
struct of_read;
struct of_read_offsets;
struct of_device_merge;
struct of_device_sort;
struct of_block_union;
struct of_block_merge;
struct of_block_bounds;
struct of_block_upper_bounds;
struct of_block_ranges;
struct of_block_matches;
struct of_less;
struct of_equal;
struct of_plus;
struct of_transform_iterator;
struct of_zipped_transform_iterator;
struct of_transform_output;

__global__ void block_functions(const int* keys, int n, int* out)
{
  __shared__ typename mgpu::BlockSetOperation<mgpu::SetUnion, 64, 8>::TempStorage storage_of_union;
  typename mgpu::BlockSetOperation<mgpu::SetUnion, 64, 8>::Items of_union;
  mgpu::BlockSetOperation<mgpu::SetUnion, 64, 8>(storage_of_union)
    .Run(mgpu::SetTile{keys, n, keys, n}, order_of<of_block_union>{}, of_union);
  __shared__ typename mgpu::BlockMerge<64, 8>::TempStorage storage_of_merge;
  typename mgpu::BlockMerge<64, 8>::Items of_merge;
  mgpu::BlockMerge<64, 8>(storage_of_merge).Run(mgpu::SetTile{keys, n, keys, n}, order_of<of_block_merge>{}, of_merge);
  __shared__ typename mgpu::BlockSortedSearch<64, 64>::TempStorage storage_of_search;
  mgpu::BlockSortedSearch<64, 64> search(storage_of_search);
  const auto found = [=](auto i, auto... bounds) { out[i] = static_cast<int>((bounds + ...)); };
  search.LowerBounds(keys, n, keys, n, order_of<of_block_bounds>{}, found);
  search.UpperBounds(keys, n, keys, n, order_of<of_block_upper_bounds>{}, found);
  search.EqualRanges(keys, n, keys, n, order_of<of_block_ranges>{}, found);
  search.WarpMatches(keys, n, keys, n, order_of<of_block_matches>{}, found);
}

void call(int n, int* keys, int* offsets, int* out, int* more)
{
  const auto p = thrust::device;
  int* const last = keys + n;
  int* const offsets_last = offsets + n;

  mgpu::for_each_in_segments(p, n, offsets, offsets_last, function_of<of_for_each>{});
  mgpu::for_each_in_segments(p, n, offsets, offsets_last, keys, function_of<of_for_each_with_values>{});
  mgpu::transform_in_segments(p, n, offsets, offsets_last, out, function_of<of_transform>{});
  mgpu::transform_in_segments_n(p, n, offsets, n, out, function_of<of_transform_n>{});
  mgpu::transform_in_segments(
    p, n, offsets, offsets_last, static_cast<from_int<of_assigned_transform>*>(nullptr),
    [] __host__ __device__(std::int64_t, std::int64_t, std::int64_t) { return 1; });
  mgpu::transform_in_segments(
    p, n, offsets, offsets_last, out,
    [] __host__ __device__(std::int64_t, std::int64_t, std::int64_t) { return converted<of_converted_transform>{1}; });
  const auto elements = [&](auto tag) { return static_cast<assigned<std::remove_pointer_t<decltype(tag)>>*>(nullptr); };
  const auto expanded = elements(static_cast<of_expand*>(nullptr));
  mgpu::interval_expand(p, n, offsets, offsets_last, expanded, expanded);
  const auto gathered = elements(static_cast<of_gather*>(nullptr));
  mgpu::interval_gather(p, n, offsets, offsets_last, keys, gathered, gathered);
  const auto scattered = elements(static_cast<of_scatter*>(nullptr));
  mgpu::interval_scatter(p, n, offsets, offsets_last, keys, scattered, scattered);
  const auto moved = elements(static_cast<of_move*>(nullptr));
  mgpu::interval_move(p, n, offsets, offsets_last, keys, keys, moved, moved);

  mgpu::sorted_count(p, keys, last, keys, last, out, cuda::std::less<>{}, function_of<of_count>{});
  mgpu::sorted_lower_bound(p, keys, last, keys, last, out, order_of<of_lower_bound>{});
  mgpu::sorted_search(p, keys, last, keys, last, out, more, order_of<of_search>{});
  mgpu::sorted_contains(p, keys, last, keys, last, static_cast<from_int<of_bound_written>*>(nullptr));
  mgpu::asof_join(p, keys, last, keys, last, out, mgpu::backward, cuda::std::less<>{}, function_of<of_rows_accepted>{});
  mgpu::asof_join_n(p, keys, n, keys, n, out, mgpu::forward, cuda::std::less<>{}, function_of<of_rows_accepted_n>{});
  mgpu::asof_join(p, keys, last, keys, last, out, mgpu::nearest(function_of<of_distance>{}));

  mgpu::merge(p, keys, last, keys, last, out, order_of<of_merge>{});
  mgpu::merge_n(p, keys, n, keys, n, out, static_cast<std::int64_t*>(nullptr), order_of<of_merge_n>{});
  const auto merged = elements(static_cast<of_merged*>(nullptr));
  mgpu::merge(p, merged, merged + n, merged, merged + n, merged + 2 * n);
  const auto merged_values = elements(static_cast<of_merged_values*>(nullptr));
  mgpu::merge_by_key(p, keys, last, keys, last, merged_values, merged_values, out, merged_values + n);
  mgpu::merge_runs(p, keys, last, offsets, offsets_last, out, order_of<of_merge_runs>{});
  int** const runs = nullptr;
  mgpu::multiway_merge_indices(p, runs, offsets, n, n, out, more, order_of<of_multiway_merge>{});
  mgpu::multiway_merge_n(p, runs, offsets, n, n, out, order_of<of_multiway_merge_n>{});
  const cuda::std::less<> less;
  mgpu::merge_runs_reduce_by_key(p, keys, last, keys, offsets, offsets_last, out, more, less, function_of<of_fold>{});
  mgpu::merge_runs_reduce_by_key_n(
    p, keys, n, keys, offsets, n, out, more, static_cast<std::int64_t*>(nullptr), less, function_of<of_fold_n>{});
  mgpu::multiway_merge_unique_size(p, runs, offsets, n, n, order_of<of_fold_order>{});
  mgpu::merge_runs_reduce_by_key_size(
    p, keys, last, keys, offsets, offsets_last, less, cuda::std::plus<>{}, function_of<of_fold_kept>{});
  const auto merged_runs = elements(static_cast<of_merged_runs*>(nullptr));
  mgpu::merge_runs(p, merged_runs, merged_runs + n, offsets, offsets_last, merged_runs + n);
  mgpu::segmented_set_intersection_size(
    p, keys, offsets, offsets, keys, offsets, offsets, n, out, order_of<of_pair_counts>{});
  mgpu::for_each_in_intersections(p, keys, offsets, offsets, keys, offsets, offsets, n, function_of<of_pair_visits>{});
  mgpu::segmented_have_overlap(
    p, keys, offsets, offsets, keys, offsets, offsets, n, written_through<of_pair_flags_written>{});
  mgpu::segmented_set_union(p, keys, offsets, offsets, keys, offsets, offsets, n, out, more, order_of<of_pair_lists>{});
  mgpu::segmented_set_intersection(
    p, keys, offsets, offsets, keys, offsets, offsets, n, written_through<of_pair_lists_written>{}, more);
  mgpu::segmented_set_intersection_indices(
    p, keys, offsets, offsets, keys, offsets, offsets, n, out, written_through<of_pair_positions_written>{}, more);
  mgpu::segmented_set_union_by_key(
    p, keys, offsets, offsets, keys, offsets, offsets, n, keys, keys, out, more, more, cuda::std::less<>{},
    function_of<of_pair_combination>{});
  mgpu::segmented_lower_bound(
    p, keys, offsets, offsets, keys, offsets, offsets, n, out, offsets, order_of<of_pair_bounds>{});
  mgpu::set_union(p, keys, last, keys, last, out, order_of<of_union>{});
  (void) mgpu::set_union_size(p, keys, last, keys, last, order_of<of_union_size>{});
  (void) mgpu::includes(p, keys, last, keys, last, order_of<of_includes>{});
  const auto united = elements(static_cast<of_union_elements*>(nullptr));
  mgpu::set_union(p, united, united + n, united, united + n, united + 2 * n);
  mgpu::set_union_by_key(
    p, keys, last, keys, last, keys, keys, out, more, cuda::std::less<>{}, function_of<of_combination>{});

  mgpu::sort(p, keys, last, order_of<of_sort>{});
  mgpu::sort_n(p, keys, n, order_of<of_sort_n>{});
  const auto sorted = elements(static_cast<of_sorted*>(nullptr));
  mgpu::sort(p, sorted, sorted + n);
  const auto sorted_values = elements(static_cast<of_sorted_values*>(nullptr));
  mgpu::sort_by_key(p, keys, last, sorted_values);
  const auto convert = static_cast<converted<of_sorted_conversion>*>(nullptr);
  mgpu::sort(p, convert, convert + n);
  mgpu::stable_sort_indices(p, keys, last, out, order_of<of_indices>{});
  mgpu::segmented_sort(p, keys, last, offsets, offsets_last, order_of<of_segmented_sort>{});
  const auto segmented = elements(static_cast<of_segmented_sorted*>(nullptr));
  mgpu::segmented_sort(p, segmented, segmented + n, offsets, offsets_last);
  const auto flags = static_cast<converted<of_flags>*>(nullptr);
  mgpu::segmented_sort_by_flags(p, keys, last, flags);

  mgpu::inner_join(p, keys, last, keys, last, out, more, order_of<of_join>{});
  (void) mgpu::inner_join_size(p, keys, last, keys, last, order_of<of_join_size>{});
  const mgpu::join_plan plan(p, mgpu::inner_join_t{}, keys, last, keys, last, order_of<of_join_plan>{});
  mgpu::range_join(p, keys, last, keys, last, keys, out, more, order_of<of_range_join>{});
  (void) mgpu::range_join_size(p, keys, last, keys, last, keys, order_of<of_range_join_size>{});
  mgpu::range_count(p, keys, last, keys, last, keys, out, order_of<of_range_count>{});
  mgpu::range_count(p, keys, last, keys, last, keys, written_through<of_range_count_written>{});
  mgpu::semi_join(p, keys, last, keys, last, out, order_of<of_semi_join>{});
  (void) mgpu::semi_join_size(p, keys, last, keys, last, order_of<of_semi_join_size>{});
  mgpu::inner_join(p, keys, last, keys, last, written_through<of_join_written>{}, more);
  mgpu::semi_join(p, keys, last, keys, last, written_through<of_semi_join_written>{});

  const auto removed = elements(static_cast<of_removal*>(nullptr));
  mgpu::bulk_remove(p, removed, removed + n, offsets, offsets_last, removed + n);
  const auto inserted = elements(static_cast<of_insertion*>(nullptr));
  mgpu::bulk_insert(p, inserted, inserted + n, inserted, offsets, offsets_last, inserted + n);

  mgpu::segmented_reduce(p, keys, last, offsets, offsets_last, out, 0, function_of<of_reduction>{});
  mgpu::segmented_reduce_n(p, keys, n, offsets, n, out, 0, function_of<of_reduction_n>{});
  const auto reduced = elements(static_cast<of_reduced*>(nullptr));
  mgpu::segmented_reduce(
    p, reduced, reduced + n, offsets, offsets_last, reduced, assigned<of_reduced>{},
    [] __host__ __device__(const assigned<of_reduced>& x, const assigned<of_reduced>&) { return x; });
  const mgpu::segmented_reduce_plan reductions(p, n, offsets, offsets_last);
  reductions.reduce(keys, out, 0, function_of<of_reduction_plan>{});

  mgpu::window_reduce(p, keys, last, offsets, offsets_last, offsets, out, 0, function_of<of_window_reduction>{});
  mgpu::window_reduce_n(p, keys, n, offsets, n, offsets, out, 0, function_of<of_window_reduction_n>{});
  mgpu::window_reduce_by_range(p, keys, last, keys, out, function_of<of_window_low>{}, cuda::std::identity{}, 0);
  mgpu::window_reduce_by_range(p, keys, last, keys, out, cuda::std::identity{}, function_of<of_window_high>{}, 0);
  mgpu::window_reduce_by_range(
    p, keys, last, keys, out, cuda::std::identity{}, cuda::std::identity{}, 0, cuda::std::plus<>{},
    order_of<of_window_order>{});

  mgpu::segmented_copy_if(p, keys, last, offsets, offsets_last, out, more, function_of<of_copy_if>{});
  std::int64_t* const count = nullptr;
  mgpu::segmented_copy_if_n(p, keys, n, offsets, n, out, more, count, function_of<of_copy_if_n>{});
  mgpu::segmented_unique_copy(p, keys, last, offsets, offsets_last, out, more, function_of<of_unique_copy>{});
  const auto compacted = elements(static_cast<of_compacted*>(nullptr));
  mgpu::segmented_copy_if(
    p, compacted, compacted + n, offsets, offsets_last, compacted + n, more,
    [] __host__ __device__(const assigned<of_compacted>&) { return true; });
  mgpu::segmented_inclusive_scan(p, keys, last, offsets, offsets_last, out, function_of<of_inclusive_scan>{});
  mgpu::segmented_exclusive_scan(p, keys, last, offsets, offsets_last, out, 0, function_of<of_exclusive_scan>{});
  mgpu::segmented_exclusive_scan_n(p, keys, n, offsets, n, out, 0, function_of<of_scan_n>{});
  const auto scanned = elements(static_cast<of_scanned*>(nullptr));
  mgpu::segmented_inclusive_scan(
    p, scanned, scanned + n, offsets, offsets_last, scanned,
    [] __host__ __device__(const assigned<of_scanned>& x, const assigned<of_scanned>&) { return x; });

  const read_through<of_read> read{{keys}};
  mgpu::merge(p, read, read + n, keys, last, out);
  const read_through<of_read_offsets> read_offsets{{offsets}};
  mgpu::load_balancing_search(p, n, read_offsets, read_offsets + n, out);

  std::size_t bytes = 0;
  (void) mgpu::DeviceMerge::MergeKeys(nullptr, bytes, keys, n, keys, n, out, order_of<of_device_merge>{});
  (void) mgpu::DeviceSort::StableSortKeys(nullptr, bytes, keys, n, order_of<of_device_sort>{});

  const auto with_less = static_cast<with_operators<of_less>*>(nullptr);
  mgpu::sort(p, with_less, with_less + n);
  const auto with_equal = static_cast<with_operators<of_equal>*>(nullptr);
  mgpu::segmented_unique_copy(p, with_equal, with_equal + n, offsets, offsets_last, with_equal + n, out);
  const auto with_plus = static_cast<with_operators<of_plus>*>(nullptr);
  mgpu::segmented_reduce(p, with_plus, with_plus + n, offsets, offsets_last, with_plus);
  const auto computed = thrust::make_transform_iterator(keys, function_of<of_transform_iterator>{});
  mgpu::merge(p, computed, computed + n, keys, last, out);
  const auto zipped =
    thrust::make_zip_iterator(keys, thrust::make_transform_iterator(keys, function_of<of_zipped_transform_iterator>{}));
  mgpu::interval_expand(p, n, offsets, offsets_last, zipped, thrust::make_zip_iterator(out, more));
  mgpu::merge(
    p, keys, last, keys, last, thrust::make_transform_output_iterator(out, function_of<of_transform_output>{}));
}
