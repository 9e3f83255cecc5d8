// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// One call of every algorithm, for tests of types rather than results: whether the algorithms compile with a type
/// without warnings, and produce the same results as with ordinary types.

#include "keys.h"
#include "systems.h"

#include <mgpu_thrust/mgpu_thrust.h>

#include <thrust/iterator/discard_iterator.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace test
{

/// Passes ranges to the algorithms as pointers, and operators and functions as they are.
struct as_pointers
{
  template <class Function>
  static Function function(Function f)
  {
    return f;
  }
  template <class T>
  static const T* input(const T* first)
  {
    return first;
  }
  template <class T>
  static T* in_place(T* first)
  {
    return first;
  }
  template <class T>
  static T* output(T* first)
  {
    return first;
  }
};

/// Functions of an item of a segment.
template <class Index>
struct item_and_segment
{
  MGPU_THRUST_HOST_DEVICE Index operator()(std::int64_t item, std::int64_t segment, std::int64_t rank) const
  {
    return static_cast<Index>(item - segment + rank);
  }
  template <class Value>
  MGPU_THRUST_HOST_DEVICE Index
  operator()(std::int64_t item, std::int64_t segment, std::int64_t rank, const Value& value) const
  {
    return static_cast<Index>(item - segment + rank + static_cast<std::int64_t>(value));
  }
};
template <class Index>
struct store_segment
{
  Index* out;

  MGPU_THRUST_HOST_DEVICE void operator()(std::int64_t item, std::int64_t segment, std::int64_t) const
  {
    out[item] = static_cast<Index>(segment);
  }
  template <class Value>
  MGPU_THRUST_HOST_DEVICE void operator()(std::int64_t item, std::int64_t, std::int64_t rank, const Value& value) const
  {
    out[item] = static_cast<Index>(rank + static_cast<std::int64_t>(value));
  }
};
/// Stores the positions of a match in B at its position in A.
template <class Index>
struct store_match_of_index
{
  Index* out;

  MGPU_THRUST_HOST_DEVICE void operator()(std::int64_t, std::int64_t i, std::int64_t j) const
  {
    out[i] = static_cast<Index>(j);
  }
};
template <class Value>
struct sum_of_values
{
  MGPU_THRUST_HOST_DEVICE Value operator()(const Value& x, const Value& y) const
  {
    return static_cast<Value>(static_cast<std::int64_t>(x) + static_cast<std::int64_t>(y));
  }
};
/// Whether a value is odd.
struct is_odd_value
{
  template <class Value>
  MGPU_THRUST_HOST_DEVICE bool operator()(const Value& value) const
  {
    return static_cast<std::int64_t>(value) % 2 != 0;
  }
};
/// Whether neither of two keys goes before the other.
template <class Compare>
struct are_equivalent
{
  Compare comp;

  template <class Key>
  MGPU_THRUST_HOST_DEVICE bool operator()(const Key& x, const Key& y) const
  {
    return !static_cast<bool>(comp(x, y)) && !static_cast<bool>(comp(y, x));
  }
};
/// A bound of a window: the row's own key.
struct own_key
{
  template <class Key>
  MGPU_THRUST_HOST_DEVICE const Key& operator()(const Key& key) const
  {
    return key;
  }
};
template <class Index>
struct distance_of_bounds
{
  MGPU_THRUST_HOST_DEVICE Index operator()(std::int64_t lower, std::int64_t upper) const
  {
    return static_cast<Index>(upper - lower);
  }
};

/// A distance by which all keys are equally near.
struct no_distance
{
  template <class Left, class Right>
  MGPU_THRUST_HOST_DEVICE int operator()(const Left&, const Right&) const
  {
    return 0;
  }
};

/// Calls algorithms with two ranges of `size` keys, a comparator, the iterators of `Access`, values of one type, and
/// offsets and index outputs of another. Their output is appended to `results`. Keys that cannot be assigned are stored
/// and written as integers, and values are sorted in place of them.
template <class Policy, class Key, class Index, class Access, class Compare, class Value = Index>
class every_family
{
public:
  every_family(const Policy& policy, std::int64_t size, Compare comp)
      : policy_(policy)
      , size_(size)
      , segment_count_(size / 8 + 1)
      , comp_(comp)
      , a_(keys(0))
      , b_(keys(1))
      , shuffled_(shuffled_keys())
      , indices_(make_indices(size, 1))
      , values_(make_indices<Value>(size, 1))
      , offsets_(make_indices(segment_count_, 7))
      , begins_(make_indices(segment_count_, 2))
      , sizes_of_runs_(test::to_memory<Policy>(
          std::vector<Index>{static_cast<Index>(size / 2), static_cast<Index>(size - size / 2)}))
      , first_of_runs_(test::to_memory<Policy>(std::vector<const Key*>{as_keys(a_), as_keys(b_)}))
      , keys_out_(test::to_memory<Policy>(
          std::vector<stored_key>(static_cast<std::size_t>(2 * size), make_key<stored_key>::from(0))))
      , indices_out_(index_memory())
      , more_indices_out_(index_memory())
      , values_out_(make_indices<Value>(2 * size, 0))
      , size_now_(test::to_memory<Policy>(std::vector<Index>{static_cast<Index>(size - 3)}))
      , segment_count_now_(test::to_memory<Policy>(std::vector<Index>{static_cast<Index>(segment_count_ - 1)}))
      , counts_(test::to_memory<Policy>(std::vector<std::int64_t>(2)))
  {
  }

  std::vector<std::int64_t> results;

  void call_all()
  {
    set_operations();
    set_operations_by_key();
    merges();
    multiway_merges();
    pairs_of_lists();
    sorts();
    segmented_sorts();
    searches();
    asof_joins();
    joins();
    range_joins();
    semi_joins();
    bulk();
    segments();
    intervals();
    segmented_reductions();
    segmented_scans();
    segmented_compactions();
    window_reductions();
  }

  void set_operations()
  {
    keep_keys(mgpu::set_intersection(policy_, a(), a() + size_, b(), b() + size_, key_output(), comp_));
    keep_keys(mgpu::set_union(policy_, a(), a() + size_, b(), b() + size_, key_output(), comp_));
    keep_keys(mgpu::set_difference(policy_, a(), a() + size_, b(), b() + size_, key_output(), comp_));
    keep_keys(mgpu::set_symmetric_difference(policy_, a(), a() + size_, b(), b() + size_, key_output(), comp_));
    results.push_back(mgpu::set_intersection_size(policy_, a(), a() + size_, b(), b() + size_, comp_));
    results.push_back(mgpu::set_union_size(policy_, a(), a() + size_, b(), b() + size_, comp_));
    results.push_back(mgpu::set_difference_size(policy_, a(), a() + size_, b(), b() + size_, comp_));
    results.push_back(mgpu::set_symmetric_difference_size(policy_, a(), a() + size_, b(), b() + size_, comp_));
    results.push_back(mgpu::includes(policy_, a(), a() + size_, b(), b() + size_, comp_));
  }

  void set_operations_by_key()
  {
    keep_both(mgpu::set_intersection_by_key(
      policy_, a(), a() + size_, b(), b() + size_, values(), key_output(), value_output(), comp_));
    keep_both(mgpu::set_union_by_key(
      policy_, a(), a() + size_, b(), b() + size_, values(), values(), key_output(), value_output(), comp_));
    keep_both(mgpu::set_union_by_key(
      policy_, a(), a() + size_, b(), b() + size_, values(), values(), key_output(), value_output(), comp_,
      Access::function(sum_of_values<Value>{})));
    keep_both(mgpu::set_difference_by_key(
      policy_, a(), a() + size_, b(), b() + size_, values(), values(), key_output(), value_output(), comp_));
    keep_both(mgpu::set_symmetric_difference_by_key(
      policy_, a(), a() + size_, b(), b() + size_, values(), values(), key_output(), value_output(), comp_));
  }

  void merges()
  {
    keep_keys(mgpu::merge(policy_, a(), a() + size_, b(), b() + size_, key_output(), comp_));
    keep_both(mgpu::merge_by_key(
      policy_, a(), a() + size_, b(), b() + size_, values(), values(), key_output(), value_output(), comp_));
  }

  void multiway_merges()
  {
    const auto last = a() + size_;
    keep_both(mgpu::merge_runs_by_key(
      policy_, a(), last, values(), offsets(), offsets_last(), key_output(), value_output(), comp_));
    keep_indices(mgpu::merge_runs_indices(policy_, a(), last, offsets(), offsets_last(), index_output(), comp_));
    if constexpr (std::is_assignable_v<decltype(*key_output()), const Key&>)
    {
      keep_keys(mgpu::multiway_merge(policy_, first_of_runs(), sizes_of_runs(), 2, size_, key_output(), comp_));
    }
    else // the elements of Access are no keys
    {
      const auto out = raw(keys_out_);
      const auto end = mgpu::multiway_merge(policy_, first_of_runs(), sizes_of_runs(), 2, size_, out, comp_);
      keep_keys(key_output() + (end - out));
    }
    keep_two(mgpu::multiway_merge_indices(
      policy_, first_of_runs(), sizes_of_runs(), 2, size_, index_output(), more_index_output(), comp_));
    keep_both(mgpu::merge_runs_reduce_by_key(
      policy_, a(), last, values(), offsets(), offsets_last(), key_output(), value_output(), comp_,
      Access::function(sum_of_values<Value>{}), Access::function(is_odd_value{})));
    keep_keys(mgpu::merge_runs_unique(policy_, a(), last, offsets(), offsets_last(), key_output(), comp_));
    results.push_back(mgpu::multiway_merge_unique_size(policy_, first_of_runs(), sizes_of_runs(), 2, size_, comp_));
  }

  /// A pair for each segment but the last, whose lists are that of A and that of B.
  void pairs_of_lists()
  {
    const std::int64_t n = segment_count_ - 1;
    const auto ends = offsets() + 1;
    keep_indices(mgpu::segmented_set_intersection_size(
      policy_, a(), offsets(), ends, b(), offsets(), ends, n, index_output(), comp_));
    keep_indices(
      mgpu::segmented_have_overlap(policy_, a(), offsets(), ends, b(), offsets(), ends, n, index_output(), comp_));
    mgpu::for_each_in_intersections(
      policy_, a(), offsets(), ends, b(), offsets(), ends, n,
      Access::function(store_match_of_index<Index>{raw(indices_out_)}), comp_);
    keep_indices(index_output() + size_);

    keep_keys(mgpu::segmented_set_union(
      policy_, a(), offsets(), ends, b(), offsets(), ends, n, key_output(), index_output(), comp_));
    keep_indices(index_output() + segment_count_);
    keep_keys(mgpu::segmented_set_difference(
      policy_, a(), offsets(), ends, b(), offsets(), ends, n, key_output(), index_output(), comp_));
    keep_two(mgpu::segmented_set_intersection_indices(
      policy_, a(), offsets(), ends, b(), offsets(), ends, n, index_output(), more_index_output(),
      thrust::make_discard_iterator(), comp_));
    mgpu::segmented_lower_bound(
      policy_, a(), offsets(), ends, b(), offsets(), ends, n, index_output(), offsets(), comp_);
    keep_indices(index_output() + size_);
  }

  void sorts()
  {
    const auto sorted = sort_input();
    mgpu::sort(policy_, sorted, sorted + size_, comp_);
    keep_sorted();
    mgpu::stable_sort(policy_, sort_input(), sorted + size_, comp_);
    keep_sorted();
    mgpu::sort_by_key(policy_, sort_input(), sorted + size_, sort_values(), comp_);
    keep_sorted_pairs();
    mgpu::stable_sort_by_key(policy_, sort_input(), sorted + size_, sort_values(), comp_);
    keep_sorted_pairs();
    const auto keys = Access::input(raw(shuffled_));
    keep_indices(mgpu::stable_sort_indices(policy_, keys, keys + size_, index_output(), comp_));
  }

  void segmented_sorts()
  {
    const auto sorted = sort_input();
    mgpu::segmented_sort(policy_, sorted, sorted + size_, offsets(), offsets_last(), comp_);
    keep_sorted();
    mgpu::segmented_stable_sort(policy_, sort_input(), sorted + size_, offsets(), offsets_last(), comp_);
    keep_sorted();
    mgpu::segmented_sort_by_key(policy_, sort_input(), sorted + size_, sort_values(), offsets(), offsets_last(), comp_);
    keep_sorted_pairs();
    mgpu::segmented_stable_sort_by_key(
      policy_, sort_input(), sorted + size_, sort_values(), offsets(), offsets_last(), comp_);
    keep_sorted_pairs();
    const auto keys = Access::input(raw(shuffled_));
    keep_indices(mgpu::segmented_stable_sort_indices(
      policy_, keys, keys + size_, offsets(), offsets_last(), index_output(), comp_));
    mgpu::segmented_sort_by_flags(policy_, sort_input(), sorted + size_, indices(), comp_);
    keep_sorted();
    mgpu::locality_sort(policy_, sort_input(), sorted + size_, comp_);
    keep_sorted();
    mgpu::locality_sort_by_key(policy_, sort_input(), sorted + size_, sort_values(), comp_);
    keep_sorted_pairs();
  }

  void searches()
  {
    keep_indices(mgpu::sorted_lower_bound(policy_, a(), a() + size_, b(), b() + size_, index_output(), comp_));
    keep_indices(mgpu::sorted_upper_bound(policy_, a(), a() + size_, b(), b() + size_, index_output(), comp_));
    keep_indices(mgpu::sorted_contains(policy_, a(), a() + size_, b(), b() + size_, index_output(), comp_));
    keep_two(mgpu::sorted_equal_range(
      policy_, a(), a() + size_, b(), b() + size_, index_output(), more_index_output(), comp_));
    keep_indices(mgpu::sorted_count(policy_, a(), a() + size_, b(), b() + size_, index_output(), comp_));
    keep_indices(mgpu::sorted_count(
      policy_, a(), a() + size_, b(), b() + size_, index_output(), comp_,
      Access::function(distance_of_bounds<Index>{})));
    keep_two(
      mgpu::sorted_search(policy_, a(), a() + size_, b(), b() + size_, index_output(), more_index_output(), comp_));
    std::int64_t matches[2] = {0, 0};
    keep_two(mgpu::sorted_search(
      policy_, a(), a() + size_, b(), b() + size_, index_output(), more_index_output(), comp_, &matches));
    results.insert(results.end(), {matches[0], matches[1]});
  }

  void asof_joins()
  {
    if constexpr (std::is_signed_v<Index>) // for the -1 of rows without a match
    {
      keep_indices(mgpu::asof_join(policy_, a(), a() + size_, b(), b() + size_, index_output(), mgpu::backward, comp_));
      keep_indices(
        mgpu::asof_join(policy_, a(), a() + size_, b(), b() + size_, index_output(), mgpu::strictly_backward, comp_));
      keep_indices(
        mgpu::asof_join(policy_, a(), a() + size_, b(), b() + size_, index_output(), mgpu::forward, comp_, comp_));
      keep_indices(mgpu::asof_join(
        policy_, a(), a() + size_, b(), b() + size_, index_output(), mgpu::nearest(Access::function(no_distance{})),
        comp_, comp_));
    }
  }

  void joins()
  {
    const std::int64_t rows = mgpu::full_join_size(policy_, a(), a() + size_, b(), b() + size_, comp_);
    results.push_back(rows);
    results.push_back(mgpu::inner_join_size(policy_, a(), a() + size_, b(), b() + size_, comp_));
    results.push_back(mgpu::left_join_size(policy_, a(), a() + size_, b(), b() + size_, comp_));
    results.push_back(mgpu::right_join_size(policy_, a(), a() + size_, b(), b() + size_, comp_));
    indices_out_.resize(static_cast<std::size_t>(rows));
    more_indices_out_.resize(static_cast<std::size_t>(rows));
    keep_two(mgpu::inner_join(policy_, a(), a() + size_, b(), b() + size_, index_output(), more_index_output(), comp_));
    if constexpr (std::is_signed_v<Index>) // for the -1 of rows without a match
    {
      keep_two(
        mgpu::left_join(policy_, a(), a() + size_, b(), b() + size_, index_output(), more_index_output(), comp_));
      keep_two(
        mgpu::right_join(policy_, a(), a() + size_, b(), b() + size_, index_output(), more_index_output(), comp_));
      keep_two(
        mgpu::full_join(policy_, a(), a() + size_, b(), b() + size_, index_output(), more_index_output(), comp_));
    }
    const mgpu::join_plan plan(policy_, mgpu::inner_join_t{}, a(), a() + size_, b(), b() + size_, comp_);
    results.push_back(plan.size());
    keep_two(plan.fill(index_output(), more_index_output()));
    keep_two(plan.fill(plan.size() / 3, plan.size() / 2, index_output(), more_index_output()));
    indices_out_ = index_memory();
    more_indices_out_ = index_memory();
  }

  /// The points are B. Intervals begin at an element of A, and end at the third after it.
  void range_joins()
  {
    const auto last = a() + (size_ - 3);
    const auto ends = a() + 3;
    const std::int64_t rows = mgpu::range_join_size(policy_, b(), b() + size_, a(), last, ends, comp_, mgpu::closed);
    results.push_back(rows);
    indices_out_.resize(static_cast<std::size_t>(rows));
    more_indices_out_.resize(static_cast<std::size_t>(rows));
    keep_two(mgpu::range_join(
      policy_, b(), b() + size_, a(), last, ends, index_output(), more_index_output(), comp_, mgpu::closed));
    const mgpu::range_join_plan plan(policy_, b(), b() + size_, a(), last, ends, comp_, mgpu::closed);
    results.push_back(plan.size());
    keep_two(plan.fill(plan.size() / 3, plan.size() / 2, index_output(), more_index_output()));
    indices_out_ = index_memory();
    more_indices_out_ = index_memory();
    keep_indices(mgpu::range_count(policy_, b(), b() + size_, a(), last, ends, index_output(), comp_));
  }

  void semi_joins()
  {
    keep_indices(mgpu::semi_join(policy_, a(), a() + size_, b(), b() + size_, index_output(), comp_));
    keep_indices(mgpu::anti_join(policy_, a(), a() + size_, b(), b() + size_, index_output(), comp_));
    results.push_back(mgpu::semi_join_size(policy_, a(), a() + size_, b(), b() + size_, comp_));
    results.push_back(mgpu::anti_join_size(policy_, a(), a() + size_, b(), b() + size_, comp_));
  }

  void bulk()
  {
    keep_keys(mgpu::bulk_remove(policy_, a(), a() + size_, begins(), begins_last(), key_output()));
    keep_keys(mgpu::bulk_insert(policy_, a(), a() + size_, b(), begins(), begins_last(), key_output()));
  }

  void segments()
  {
    keep_indices(mgpu::load_balancing_search(policy_, size_, offsets(), offsets_last(), index_output()));
    mgpu::for_each_in_segments(
      policy_, size_, offsets(), offsets_last(), Access::function(store_segment<Index>{raw(indices_out_)}));
    keep_indices(index_output() + size_);
    mgpu::for_each_in_segments(
      policy_, size_, offsets(), offsets_last(), values(), Access::function(store_segment<Index>{raw(indices_out_)}));
    keep_indices(index_output() + size_);
    keep_indices(mgpu::transform_in_segments(
      policy_, size_, offsets(), offsets_last(), index_output(), Access::function(item_and_segment<Index>{})));
    keep_indices(mgpu::transform_in_segments(
      policy_, size_, offsets(), offsets_last(), values(), index_output(),
      Access::function(item_and_segment<Index>{})));
  }

  void intervals()
  {
    keep_keys(mgpu::interval_expand(policy_, size_, offsets(), offsets_last(), a(), key_output()));
    keep_keys(mgpu::interval_gather(policy_, size_, offsets(), offsets_last(), begins(), a(), key_output()));
    mgpu::interval_scatter(policy_, size_, offsets(), offsets_last(), offsets(), a(), key_output());
    keep_keys(key_output() + size_);
    mgpu::interval_move(policy_, size_, offsets(), offsets_last(), begins(), offsets(), a(), key_output());
    keep_keys(key_output() + size_);
  }

  void segmented_reductions()
  {
    const auto last = values() + size_;
    keep_indices(
      mgpu::segmented_reduce(policy_, indices(), indices() + size_, offsets(), offsets_last(), index_output()));
    keep_values(mgpu::segmented_reduce(
      policy_, values(), last, offsets(), offsets_last(), value_output(), static_cast<Value>(1),
      Access::function(sum_of_values<Value>{})));
    const mgpu::segmented_reduce_plan plan(policy_, size_, offsets(), offsets_last());
    keep_indices(plan.reduce(indices(), index_output()));
    keep_values(plan.reduce(values(), value_output(), static_cast<Value>(1), Access::function(sum_of_values<Value>{})));
  }

  void segmented_scans()
  {
    const auto last = values() + size_;
    keep_values(mgpu::segmented_inclusive_scan(policy_, values(), last, offsets(), offsets_last(), value_output()));
    keep_values(mgpu::segmented_exclusive_scan(
      policy_, values(), last, offsets(), offsets_last(), value_output(), static_cast<Value>(1),
      Access::function(sum_of_values<Value>{})));
  }

  void segmented_compactions()
  {
    keep_values(mgpu::segmented_copy_if(
      policy_, values(), values() + size_, offsets(), offsets_last(), value_output(), index_output(),
      Access::function(is_odd_value{})));
    keep_indices(index_output() + segment_count_ + 1);
    keep_keys(mgpu::segmented_unique_copy(
      policy_, a(), a() + size_, offsets(), offsets_last(), key_output(), index_output(),
      Access::function(are_equivalent<Compare>{comp_})));
    keep_indices(index_output() + segment_count_ + 1);
  }

  /// The same with sizes that are read when the work is executed: a function for each kind of kernel.
  void window_reductions()
  {
    keep_values(mgpu::window_reduce(
      policy_, values(), values() + size_, indices(), indices() + size_ - 3, indices() + 3, value_output(),
      static_cast<Value>(1), Access::function(sum_of_values<Value>{})));
    keep_values(mgpu::window_reduce_by_range(
      policy_, a(), a() + size_, values(), value_output(), Access::function(own_key{}), Access::function(own_key{}),
      static_cast<Value>(1), Access::function(sum_of_values<Value>{}), comp_));
  }

  void call_all_deferred()
  {
    call_ordered_deferred();
    call_unordered_deferred();
  }

  /// Those that call a comparator.
  void call_ordered_deferred()
  {
    const auto size = deferred_size();
    const auto count = deferred_segment_count();
    std::int64_t* const d_count = raw(counts_);

    keep_keys_counted(mgpu::set_intersection_n(policy_, a(), size, b(), size, key_output(), d_count, comp_));
    keep_keys_counted(mgpu::set_union_by_key_n(
      policy_, a(), size, b(), size, values(), values(), key_output(), value_output(), d_count, comp_));
    keep_keys_counted(mgpu::set_intersection_by_key_n(
      policy_, a(), size, b(), size, values(), values(), key_output(), value_output(), d_count, comp_,
      Access::function(sum_of_values<Value>{})));
    keep_count(mgpu::set_symmetric_difference_size_n(policy_, a(), size, b(), size, d_count, comp_));
    keep_keys_counted(mgpu::set_difference_by_key_n(
      policy_, a(), size, b(), size, values(), values(), key_output(), value_output(), d_count, comp_));
    keep_keys_counted(mgpu::merge_n(policy_, a(), size, b(), size, key_output(), d_count, comp_));
    keep_keys_counted(mgpu::merge_by_key_n(
      policy_, a(), size, b(), size, values(), values(), key_output(), value_output(), d_count, comp_));

    mgpu::merge_runs_by_key_n(policy_, a(), size, values(), offsets(), count, key_output(), value_output(), comp_);
    keep_keys(key_output() + size_now());
    mgpu::multiway_merge_indices_n(
      policy_, first_of_runs(), sizes_of_runs(), 2, size, index_output(), more_index_output(), comp_);
    keep_indices(index_output() + size_now());
    keep_keys_counted(mgpu::merge_runs_unique_n(policy_, a(), size, offsets(), count, key_output(), d_count, comp_));

    mgpu::segmented_set_intersection_size_n(
      policy_, a(), offsets(), offsets() + 1, b(), offsets(), offsets() + 1, count, index_output(), comp_);
    keep_indices(index_output() + segment_count_ - 1);
    keep_keys_counted(mgpu::segmented_set_intersection_n(
      policy_, a(), offsets(), offsets() + 1, b(), offsets(), offsets() + 1, count, key_output(), size_, index_output(),
      d_count, comp_));

    mgpu::sort_n(policy_, sort_input(), size, comp_);
    keep_sorted();
    mgpu::stable_sort_by_key_n(policy_, sort_input(), size, sort_values(), comp_);
    keep_sorted_pairs();
    mgpu::stable_sort_indices_n(policy_, Access::input(raw(shuffled_)), size, index_output(), comp_);
    keep_indices(index_output() + size_now());
    mgpu::segmented_sort_n(policy_, sort_input(), size, offsets(), count, comp_);
    keep_sorted();
    mgpu::segmented_stable_sort_by_key_n(policy_, sort_input(), size, sort_values(), offsets(), count, comp_);
    keep_sorted_pairs();
    mgpu::segmented_sort_by_flags_n(policy_, sort_input(), size, indices(), comp_);
    keep_sorted();
    mgpu::locality_sort_by_key_n(policy_, sort_input(), size, sort_values(), comp_);
    keep_sorted_pairs();

    mgpu::sorted_lower_bound_n(policy_, a(), size, b(), size, index_output(), comp_);
    keep_indices(index_output() + size_now());
    mgpu::sorted_contains_n(policy_, a(), size, b(), size, index_output(), comp_);
    keep_indices(index_output() + size_now());
    mgpu::sorted_equal_range_n(policy_, a(), size, b(), size, index_output(), more_index_output(), comp_);
    keep_indices(index_output() + size_now());
    mgpu::sorted_count_n(
      policy_, a(), size, b(), size, index_output(), comp_, Access::function(distance_of_bounds<Index>{}));
    keep_indices(index_output() + size_now());
    mgpu::sorted_search_n(policy_, a(), size, b(), size, index_output(), more_index_output(), d_count, comp_);
    keep_indices(index_output() + size_now());
    if constexpr (std::is_signed_v<Index>)
    {
      mgpu::asof_join_n(policy_, a(), size, b(), size, index_output(), mgpu::strictly_forward, comp_);
      keep_indices(index_output() + size_now());
      mgpu::asof_join_n(
        policy_, a(), size, b(), size, index_output(), mgpu::nearest(Access::function(no_distance{})), comp_, comp_);
      keep_indices(index_output() + size_now());
    }

    mgpu::window_reduce_by_range_n(
      policy_, a(), size, values(), value_output(), Access::function(own_key{}), Access::function(own_key{}),
      static_cast<Value>(1), Access::function(sum_of_values<Value>{}), comp_);
    keep_values(value_output() + size_now());

    keep_count(mgpu::inner_join_size_n(policy_, a(), size, b(), size, d_count, comp_));
    const std::int64_t rows = 2 * size_;
    keep_count(
      mgpu::inner_join_n(policy_, a(), size, b(), size, index_output(), more_index_output(), rows, d_count, comp_));
    keep_indices(index_output() + rows);
    if constexpr (std::is_signed_v<Index>) // for the -1 of rows without a match
    {
      keep_count(
        mgpu::full_join_n(policy_, a(), size, b(), size, index_output(), more_index_output(), rows, d_count, comp_));
      keep_indices(index_output() + rows);
    }
    keep_count(mgpu::range_join_size_n(policy_, b(), size, a(), size, a() + 3, d_count, comp_));
    keep_count(mgpu::range_join_n(
      policy_, b(), size, a(), size, a() + 3, index_output(), more_index_output(), rows, d_count, comp_));
    keep_indices(index_output() + rows);
    mgpu::range_count_n(policy_, b(), size, a(), size, a() + 3, index_output(), comp_);
    keep_indices(index_output() + size_now());
    keep_count(mgpu::semi_join_n(policy_, a(), size, b(), size, index_output(), d_count, comp_));
    keep_count(mgpu::anti_join_size_n(policy_, a(), size, b(), size, d_count, comp_));
  }

  /// Those that do not.
  void call_unordered_deferred()
  {
    const auto size = deferred_size();
    const auto count = deferred_segment_count();
    std::int64_t* const d_count = raw(counts_);

    keep_keys_counted(mgpu::bulk_remove_n(policy_, a(), size, begins(), count, key_output(), d_count));
    keep_keys_counted(mgpu::bulk_insert_n(policy_, a(), size, b(), begins(), count, key_output(), d_count));

    mgpu::load_balancing_search_n(policy_, size, offsets(), count, index_output());
    keep_indices(index_output() + size_now());
    mgpu::for_each_in_segments_n(
      policy_, size, offsets(), count, Access::function(store_segment<Index>{raw(indices_out_)}));
    keep_indices(index_output() + size_now());
    mgpu::transform_in_segments_n(
      policy_, size, offsets(), count, values(), index_output(), Access::function(item_and_segment<Index>{}));
    keep_indices(index_output() + size_now());
    mgpu::interval_expand_n(policy_, size, offsets(), count, a(), key_output());
    keep_keys(key_output() + size_now());
    mgpu::interval_move_n(policy_, size, offsets(), count, begins(), offsets(), a(), key_output());
    keep_keys(key_output() + size_now());
    mgpu::segmented_reduce_n(
      policy_, values(), size, offsets(), count, value_output(), static_cast<Value>(1),
      Access::function(sum_of_values<Value>{}));
    keep_values(value_output() + segment_count_ - 1);
    mgpu::segmented_exclusive_scan_n(
      policy_, values(), size, offsets(), count, value_output(), static_cast<Value>(1),
      Access::function(sum_of_values<Value>{}));
    keep_values(value_output() + size_now());
    keep_keys_counted(mgpu::segmented_unique_copy_n(
      policy_, a(), size, offsets(), count, key_output(), index_output(), d_count,
      Access::function(are_equivalent<Compare>{comp_})));
    keep_indices(index_output() + segment_count_);
    mgpu::window_reduce_n(
      policy_, values(), size_, indices(), size, indices() + 3, value_output(), static_cast<Value>(1),
      Access::function(sum_of_values<Value>{}));
    keep_values(value_output() + size_now());
  }

private:
  using stored_key = std::conditional_t<std::is_copy_assignable_v<Key>, Key, std::int64_t>;
  using sort_key = std::conditional_t<std::is_copy_assignable_v<Key>, Key, Value>;

  const Policy& policy_;
  std::int64_t size_;
  std::int64_t segment_count_;
  Compare comp_;
  memory<Policy, stored_key> a_;
  memory<Policy, stored_key> b_;
  memory<Policy, sort_key> shuffled_;
  memory<Policy, Index> indices_; // 0, 1, ..., also as flags
  memory<Policy, Value> values_;  // the same
  memory<Policy, Index> offsets_; // of segments
  memory<Policy, Index> begins_;  // ascending, each once, for segments and for bulk operations
  memory<Policy, Index> sizes_of_runs_;
  memory<Policy, const Key*> first_of_runs_; // the first halves of the two ranges
  memory<Policy, stored_key> keys_out_;
  memory<Policy, Index> indices_out_;
  memory<Policy, Index> more_indices_out_;
  memory<Policy, Value> values_out_;
  memory<Policy, Index> size_now_;
  memory<Policy, Index> segment_count_now_;
  memory<Policy, std::int64_t> counts_; // that calls store
  memory<Policy, sort_key> sorted_;
  memory<Policy, Value> sorted_values_;

  template <class T>
  static T* raw(std::vector<T>& vector)
  {
    return vector.data();
  }
  template <class T>
  static T* raw(thrust::device_vector<T>& vector)
  {
    return thrust::raw_pointer_cast(vector.data());
  }

  static const Key* as_keys(memory<Policy, stored_key>& keys)
  {
    static_assert(sizeof(stored_key) == sizeof(Key));
    return reinterpret_cast<const Key*>(raw(keys));
  }

  /// Sorted keys of ranks `first` and above, each repeated.
  memory<Policy, stored_key> keys(std::int64_t first) const
  {
    const std::int64_t distinct = std::min<std::int64_t>(size_ / 4, largest_rank<Key>() - 2);
    std::vector<std::int64_t> ranks;
    for (std::int64_t i = 0; i < size_; ++i)
    {
      ranks.push_back(first + i * distinct / size_ * (1 + first));
    }
    if (first > 0) // shares some keys with the other range, with more copies, and has some keys of its own
    {
      for (std::int64_t& rank : ranks)
      {
        rank = std::min(rank, distinct + 1);
      }
    }
    return test::to_memory<Policy>(test::to_keys<stored_key>(ranks));
  }

  memory<Policy, sort_key> shuffled_keys() const
  {
    std::vector<std::int64_t> ranks;
    for (std::int64_t i = 0; i < size_; ++i)
    {
      ranks.push_back(i * 7919 % size_ % largest_rank<sort_key>());
    }
    return test::to_memory<Policy>(test::to_keys<sort_key>(ranks));
  }

  template <class T = Index>
  static memory<Policy, T> make_indices(std::int64_t count, std::int64_t step)
  {
    std::vector<T> indices;
    for (std::int64_t i = 0; i < count; ++i)
    {
      indices.push_back(static_cast<T>(i * step));
    }
    return test::to_memory<Policy>(indices);
  }

  memory<Policy, Index> index_memory() const
  {
    return memory<Policy, Index>(static_cast<std::size_t>(2 * size_));
  }

  auto a()
  {
    return Access::input(as_keys(a_));
  }
  auto b()
  {
    return Access::input(as_keys(b_));
  }
  auto indices()
  {
    return Access::input(raw(indices_));
  }
  auto values()
  {
    return Access::input(raw(values_));
  }
  auto offsets()
  {
    return Access::input(raw(offsets_));
  }
  auto offsets_last()
  {
    return offsets() + segment_count_;
  }
  auto begins()
  {
    return Access::input(raw(begins_));
  }
  auto begins_last()
  {
    return begins() + segment_count_;
  }
  auto first_of_runs()
  {
    return input_of(raw(first_of_runs_), 0);
  }
  /// What Access makes of a pointer, or the pointer if Access takes no pointers of its type.
  template <class Pointer>
  static auto input_of(Pointer first, int) -> decltype(Access::input(first))
  {
    return Access::input(first);
  }
  template <class Pointer>
  static Pointer input_of(Pointer first, long)
  {
    return first;
  }
  auto sizes_of_runs()
  {
    return Access::input(raw(sizes_of_runs_));
  }
  auto key_output()
  {
    return Access::output(raw(keys_out_));
  }
  auto value_output()
  {
    return Access::output(raw(values_out_));
  }
  auto index_output()
  {
    return Access::output(raw(indices_out_));
  }
  auto more_index_output()
  {
    return Access::output(raw(more_indices_out_));
  }

  auto deferred_size()
  {
    return mgpu::deferred{Access::input(raw(size_now_)), a_.size()};
  }
  auto deferred_segment_count()
  {
    return mgpu::deferred{Access::input(raw(segment_count_now_)), segment_count_};
  }
  std::int64_t size_now() const
  {
    return static_cast<std::int64_t>(test::to_host(size_now_).front());
  }

  /// The input of a sort: the shuffled keys, copied again into the same buffer.
  auto sort_input()
  {
    sorted_ = shuffled_;
    return Access::in_place(raw(sorted_));
  }
  auto sort_values()
  {
    sorted_values_ = values_;
    return Access::in_place(raw(sorted_values_));
  }

  template <class T>
  void keep(const std::vector<T>& written, std::int64_t count)
  {
    results.push_back(count);
    for (std::int64_t i = 0; i < count; ++i)
    {
      results.push_back(static_cast<std::int64_t>(written[static_cast<std::size_t>(i)]));
    }
  }
  template <class Iterator>
  void keep_keys(Iterator end)
  {
    keep(test::to_host(keys_out_), end - key_output());
  }
  template <class Iterator>
  void keep_indices(Iterator end)
  {
    keep(test::to_host(indices_out_), end - index_output());
  }
  template <class Iterator>
  void keep_values(Iterator end)
  {
    keep(test::to_host(values_out_), end - value_output());
  }
  template <class Ends>
  void keep_both(const Ends& ends)
  {
    keep_keys(ends.first);
    keep_values(ends.second);
  }
  template <class Ends>
  void keep_two(const Ends& ends)
  {
    keep_indices(ends.first);
    keep(test::to_host(more_indices_out_), ends.second - more_index_output());
  }
  template <class Count>
  void keep_count(const Count&)
  {
    results.push_back(test::to_host(counts_).front());
  }
  template <class Count>
  void keep_keys_counted(const Count&)
  {
    keep_keys(key_output() + test::to_host(counts_).front());
  }
  void keep_sorted()
  {
    keep(test::to_host(sorted_), size_);
  }
  void keep_sorted_pairs()
  {
    keep_sorted();
    keep(test::to_host(sorted_values_), size_);
  }
};

/// Output of every algorithm under a policy, called with `size` keys of a type, and values of one.
template <class Key, class Index, class Access, class Value = Index, class Policy, class Compare>
std::vector<std::int64_t> results_of_every_family(const Policy& policy, std::int64_t size, Compare comp)
{
  every_family<Policy, Key, Index, Access, Compare, Value> calls(policy, size, comp);
  calls.call_all();
  return calls.results;
}

/// The same with sizes that are read when the work is executed.
template <class Key, class Index, class Access, class Value = Index, class Policy, class Compare>
std::vector<std::int64_t> deferred_results_of_every_family(const Policy& policy, std::int64_t size, Compare comp)
{
  every_family<Policy, Key, Index, Access, Compare, Value> calls(policy, size, comp);
  calls.call_all_deferred();
  return calls.results;
}

} // namespace test
