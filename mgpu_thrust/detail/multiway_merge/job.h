// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A merge of any number of runs as a job.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/runs.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/job.h>
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

/// What jobs on runs, which are sorted by `comp`, have in common. Runs is contiguous_runs or separate_runs, perhaps with
/// deferred sizes.
template <class Runs, class Compare>
struct runs_job : job_base
{
  using run_keys = typename Runs::run_keys;
  using run_values = typename Runs::run_values;
  using order_type = order_t<Compare, run_keys>;

  const char* name; ///< of the keys, in messages
  Runs runs;
  Compare comp;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE runs_job(const char* name_of_keys, const Runs& all, const Compare& compare)
      : name(name_of_keys)
      , runs(all)
      , comp(compare)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    runs_checks<sized_t<Runs>>::template types<Backend>();
    detail::check_order<Backend, Compare, run_keys>();
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
  /// The comparator as it is called.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE order_type order() const
  {
    return detail::as_order<run_keys>(comp);
  }
};

/// Merges runs: equal elements in the order of their runs. Result is one of the three above.
template <class Runs, class Result, class Compare>
struct multiway_merge_job : runs_job<Runs, Compare>
{
  using base = runs_job<Runs, Compare>;
  using typename base::order_type;
  using result_type = Result;
  using outputs_type = typename Result::outputs_type;

  using base::runs;
  Result output;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE
  multiway_merge_job(const char* name_of_keys, const Runs& all, const Result& passed_output, const Compare& compare)
      : base(name_of_keys, all, compare)
      , output(passed_output)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    base::template check_types<Backend>();
    Result::template check_types<Backend, Runs>();
  }
  void check_sizes(size_checks& check) const
  {
    base::check_sizes(check);
    output.check_sizes(check, runs);
  }

  result_type empty_result() const
  {
    return output;
  }
  result_type result() const
  {
    return output.end(runs.num_items);
  }
  /// The job with its sizes as they are now, for execute_n().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto sized() const
  {
    return multiway_merge_job<sized_t<Runs>, Result, Compare>(this->name, detail::sized_runs(runs), output, this->comp);
  }

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE result_type in_thread() const
  {
    order_type comp_of_thread = this->order();
    outputs_type outputs = output.outputs();
    detail::merge_runs_without_storage(runs, comp_of_thread, outputs);
    return output.ends(outputs);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
