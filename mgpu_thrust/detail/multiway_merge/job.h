// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A merge of any number of runs as a job.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/device_calls.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/runs.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/job.h>
#include <mgpu_thrust/detail/multiway_merge/fold/serial.h>
#include <mgpu_thrust/detail/multiway_merge/serial.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

// What a merge writes, with the outputs as they were passed. Each has
//   outputs_type     the outputs unwrapped, of serial.h
//   outputs()        these
//   ends(outputs)    the ends of the outputs as passed, given those of outputs()
//   end(count)       the same after `count` elements

/// The keys, with their values or no_values.
template <class Keys, class Values>
struct merged_elements
{
  using outputs_type = element_outputs<unwrapped_t<Keys>, unwrapped_t<Values>>;

  Keys keys;
  Values values;

  template <class Backend, class Runs>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    detail::check_iterators<Backend, Keys>();
    detail::check_iterators<Backend, values_or_integers<Values>>();
    detail::check_copies<Backend, Keys, typename Runs::run_keys>();
    detail::check_copied_values<Backend, Values, typename Runs::run_values>();
  }
  template <class Runs>
  void check_sizes(size_checks&, const Runs&) const
  {
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE outputs_type outputs() const
  {
    return {detail::unwrap(keys), detail::unwrap(values)};
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE merged_elements ends(const outputs_type& unwrapped) const
  {
    return {detail::rewrap(keys, unwrapped.keys), detail::rewrap(values, unwrapped.values)};
  }
  merged_elements end(std::int64_t count) const
  {
    return {keys + count, values + count};
  }
};

template <class Keys, class Values>
merged_elements(Keys, Values) -> merged_elements<Keys, Values>;

/// Where each element stands in the range of contiguous runs.
template <class Indices>
struct merged_indices
{
  using outputs_type = index_outputs<unwrapped_t<Indices>>;

  Indices indices;

  template <class Backend, class Runs>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    static_assert(are_contiguous<Runs>, "one index names an element of runs in one range alone");
    detail::check_iterators<Backend, Indices>();
    detail::check_results<Backend, Indices, written_index_t<Indices>>();
  }
  template <class Runs>
  void check_sizes(size_checks& check, const Runs& runs) const
  {
    check.indices_of(runs.num_items, largest_index<written_index_t<Indices>>);
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE outputs_type outputs() const
  {
    return {detail::unwrap(indices)};
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE merged_indices ends(const outputs_type& unwrapped) const
  {
    return {detail::rewrap(indices, unwrapped.indices)};
  }
  merged_indices end(std::int64_t count) const
  {
    return {indices + count};
  }
};

template <class Indices>
merged_indices(Indices) -> merged_indices<Indices>;

/// The number of each element's run, and its position there. As all elements may be in one run, the positions are of an
/// integer type that holds num_items - 1.
template <class Numbers, class Positions>
struct merged_run_positions
{
  using outputs_type = run_position_outputs<unwrapped_t<Numbers>, unwrapped_t<Positions>>;

  Numbers numbers;
  Positions positions;

  template <class Backend, class Runs>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    detail::check_iterators<Backend, Numbers>();
    detail::check_iterators<Backend, Positions>();
    detail::check_results<Backend, Numbers, written_index_t<Numbers>>();
    detail::check_results<Backend, Positions, written_index_t<Positions>>();
  }
  template <class Runs>
  void check_sizes(size_checks& check, const Runs& runs) const
  {
    check.indices_of(runs.num_runs, largest_index<written_index_t<Numbers>>);
    check.indices_of(runs.num_items, largest_index<written_index_t<Positions>>);
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE outputs_type outputs() const
  {
    return {detail::unwrap(numbers), detail::unwrap(positions)};
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE merged_run_positions ends(const outputs_type& unwrapped) const
  {
    return {detail::rewrap(numbers, unwrapped.numbers), detail::rewrap(positions, unwrapped.positions)};
  }
  merged_run_positions end(std::int64_t count) const
  {
    return {numbers + count, positions + count};
  }
};

template <class Numbers, class Positions>
merged_run_positions(Numbers, Positions) -> merged_run_positions<Numbers, Positions>;

/// One element for all with equal keys: the first key, and their values combined by `op`. `keep` may drop the result.
/// Both outputs may be no_values, to count alone.
template <class Keys, class Values, class Op, class Keep>
struct folded_elements
{
  using outputs_type = fold_sink<unwrapped_t<Keys>, unwrapped_t<Values>>;

  merged_elements<Keys, Values> to;
  Op op;
  Keep keep;
  std::int64_t size = 0;

  template <class Backend, class Runs>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    using input = typename Runs::run_values;
    if constexpr (has_values<Keys>)
    {
      merged_elements<Keys, Values>::template check_types<Backend, Runs>();
    }
    if constexpr (has_values<input>)
    {
      using value = typename run_group<Runs>::T;
      detail::check_reduction<Backend, input, value, Op>();
      detail::check_device_call<Backend, device_call<Keep, const value&>>();
    }
  }
  template <class Runs>
  void check_sizes(size_checks&, const Runs&) const
  {
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE outputs_type outputs() const
  {
    return {to.outputs()};
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE folded_elements ends(const outputs_type& sink) const
  {
    return {to.ends(sink), op, keep, sink.size};
  }
  folded_elements end(std::int64_t count) const
  {
    return {to.end(count), op, keep, count};
  }
};

template <class Keys, class Values, class Op, class Keep>
folded_elements(merged_elements<Keys, Values>, Op, Keep) -> folded_elements<Keys, Values, Op, Keep>;

/// The outputs of a fold that counts alone.
using no_results = merged_elements<no_values, no_values>;

/// Whether a merge folds equal keys.
template <class Result>
inline constexpr bool is_fold = false;
template <class Keys, class Values, class Op, class Keep>
inline constexpr bool is_fold<folded_elements<Keys, Values, Op, Keep>> = true;

/// The checks of what describes runs.
template <class Runs>
struct runs_checks;
template <class Keys, class Values, class Offsets>
struct runs_checks<contiguous_runs<Keys, Values, Offsets>>
{
  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    detail::check_iterators<Backend, int*, Keys, values_or_integers<Values>, Offsets>();
    detail::check_index_type<Offsets>();
  }
  static void sizes(size_checks& check, const char* name, std::int64_t num_items, std::int64_t num_runs)
  {
    check.size(name, num_items);
    check.segment_counts(num_items, num_runs, "run");
  }
  template <class Check, class Compare>
  static void preconditions(
    const Check& check, const char* name, const contiguous_runs<Keys, Values, Offsets>& runs, const Compare& comp)
  {
    check.offsets(runs.offsets, runs.num_runs, runs.num_items);
    check.ordered(name, runs.keys, runs.num_items, comp);
    check.sorted_runs("run", runs, comp);
  }
};
template <class Runs, class ValueRuns, class Sizes>
struct runs_checks<separate_runs<Runs, ValueRuns, Sizes>>
{
  using runs = separate_runs<Runs, ValueRuns, Sizes>;

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    detail::check_iterators<Backend, int*, Runs, values_or_integers<ValueRuns>, Sizes>();
    detail::check_iterators<Backend, int*, typename runs::run_keys, values_or_integers<typename runs::run_values>>();
    detail::check_index_type<Sizes>();
  }
  static void sizes(size_checks& check, const char*, std::int64_t num_items, std::int64_t num_runs)
  {
    check.number("runs", num_runs);
    check.segment_counts(num_items, num_runs, "run");
  }
  template <class Check, class Compare>
  static void preconditions(const Check& check, const char*, const runs& all, const Compare& comp)
  {
    check.run_sizes(all.sizes, all.num_runs, all.num_items);
    check.sorted_runs("run", all, comp);
  }
};
template <class Runs, class ValueRuns, class Sizes>
struct runs_checks<bounded_runs<Runs, ValueRuns, Sizes>> : runs_checks<separate_runs<Runs, ValueRuns, Sizes>>
{
};

/// Merges runs, which are sorted by `comp`: equal elements in the order of their runs. Runs is contiguous_runs or
/// separate_runs, perhaps with deferred sizes, Result one of the four above.
template <class Runs, class Result, class Compare>
struct multiway_merge_job : job_base
{
  using run_keys = typename Runs::run_keys;
  using run_values = typename Runs::run_values;
  using order_type = order_t<Compare, run_keys>;
  using result_type = Result;
  using outputs_type = typename Result::outputs_type;
  static constexpr bool is_counted = is_fold<Result>;

  const char* name; ///< of the keys, in messages
  Runs runs;
  Result output;
  Compare comp;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE
  multiway_merge_job(const char* name_of_keys, const Runs& all, const Result& passed_output, const Compare& compare)
      : name(name_of_keys)
      , runs(all)
      , output(passed_output)
      , comp(compare)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    runs_checks<sized_t<Runs>>::template types<Backend>();
    detail::check_order<Backend, Compare, run_keys>();
    Result::template check_types<Backend, Runs>();
  }
  void check_sizes(size_checks& check) const
  {
    if constexpr (is_deferred_v<Runs>)
    {
      check.sizes_of_two("the items", runs.num_items, "the runs", runs.num_runs);
    }
    else
    {
      runs_checks<Runs>::sizes(check, name, runs.num_items, runs.num_runs);
    }
    check.items_in_memory(runs.num_runs, sizeof(std::int64_t)); // on a GPU, where each begins
    output.check_sizes(check, runs);
  }
  template <class Check>
  void check_preconditions([[maybe_unused]] const Check& check) const
  {
    if constexpr (!is_deferred_v<Runs>)
    {
      runs_checks<Runs>::preconditions(check, name, runs, order());
    }
  }

  bool is_empty() const
  {
    return runs.num_items == 0 || runs.num_runs == 0;
  }
  result_type empty_result() const
  {
    return output;
  }
  result_type result() const
  {
    return output.end(runs.num_items);
  }
  result_type result(std::int64_t count, size_checks&) const
  {
    return output.end(count);
  }
  std::int64_t count_capacity() const
  {
    return runs.num_items;
  }
  /// The job with its sizes as they are now, for execute_n().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto sized() const
  {
    return multiway_merge_job<sized_t<Runs>, Result, Compare>(name, detail::sized_runs(runs), output, comp);
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t count_of(const result_type& folded) const
  {
    return folded.size;
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t max_counted() const
  {
    return runs.num_items;
  }

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE result_type in_thread() const
  {
    order_type comp_of_thread = order();
    outputs_type outputs = output.outputs();
    if constexpr (is_counted)
    {
      run_folder<Runs, decltype(output.op), decltype(output.keep), order_type, outputs_type> folder{
        output.op, output.keep, comp_of_thread, outputs};
      folding_outputs<decltype(folder)> elements{&folder};
      detail::merge_runs_without_storage(runs, comp_of_thread, elements);
      folder.finish();
    }
    else
    {
      detail::merge_runs_without_storage(runs, comp_of_thread, outputs);
    }
    return output.ends(outputs);
  }

  /// The comparator as it is called.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE order_type order() const
  {
    return detail::as_order<run_keys>(comp);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
