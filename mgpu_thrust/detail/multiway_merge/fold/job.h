// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A merge of any number of runs that folds elements with equal keys, as a job.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/cut/runs.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/job.h>
#include <mgpu_thrust/detail/multiway_merge/fold/serial.h>
#include <mgpu_thrust/detail/multiway_merge/job.h>
#include <mgpu_thrust/detail/multiway_merge/serial.h>
#include <mgpu_thrust/detail/set_operation/result.h>
#include <mgpu_thrust/keep_all.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Merges runs, and folds elements with equal keys to one: their values by `op`. Writes or counts those for which
/// keep(value) is true. Result is set_result or size_result.
template <class Runs, class Op, class Keep, class Result, class Compare>
struct fold_job : runs_job<Runs, Compare>
{
  using base = runs_job<Runs, Compare>;
  using typename base::order_type;
  using result_type = typename Result::type;
  using value_type = typename folded_value<typename Runs::run_values>::type;
  static constexpr bool is_counted = true;
  static constexpr bool writes = Result::writes;

  using base::runs;
  Op op;
  Keep keep;
  Result output;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE fold_job(
    const char* name_of_keys, const Runs& all, const Op& of_values, const Keep& of_results, const Result& passed_output,
    const Compare& compare)
      : base(name_of_keys, all, compare)
      , op(of_values)
      , keep(of_results)
      , output(passed_output)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    base::template check_types<Backend>();
    if constexpr (writes)
    {
      detail::check_iterators<Backend, decltype(Result::keys)>();
      detail::check_iterators<Backend, values_or_integers<decltype(Result::values)>>();
      detail::check_copies<Backend, decltype(Result::keys), typename Runs::run_keys>();
    }
    if constexpr (has_values<typename Runs::run_values>)
    {
      detail::check_reduction<Backend, typename Runs::run_values, value_type, Op>();
      detail::check_predicate<Backend, Keep, value_type>();
      if constexpr (writes)
      {
        detail::check_results<Backend, decltype(Result::values), value_type>();
      }
    }
  }

  result_type empty_result() const
  {
    return output.of_nothing();
  }
  result_type result(std::int64_t count, size_checks&) const
  {
    return output.of_size(count);
  }

  // The members for execute_n().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto sized() const
  {
    return fold_job<sized_t<Runs>, Op, Keep, Result, Compare>(
      this->name, detail::sized_runs(runs), op, keep, output, this->comp);
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE std::int64_t count_of(const result_type& result_now) const
  {
    return output.size_of(result_now);
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t max_counted() const
  {
    return runs.num_items;
  }
  std::int64_t count_capacity() const
  {
    return max_counted();
  }

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto sink() const
  {
    if constexpr (writes)
    {
      const auto outputs = output.outputs();
      return fold_sink<decltype(outputs.keys), decltype(outputs.values)>{outputs.keys, outputs.values};
    }
    else
    {
      return fold_sink<no_values, no_values>{};
    }
  }
  /// The result, when everything is in the sink.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Sink>
  MGPU_THRUST_HOST_DEVICE result_type result_in(const Sink& sink) const
  {
    if constexpr (writes)
    {
      return output.ends({sink.keys, sink.values});
    }
    else
    {
      return output.of_size(sink.size);
    }
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE result_type in_thread() const
  {
    order_type comp_of_thread = this->order();
    auto to = sink();
    run_folder<Runs, Op, Keep, order_type, decltype(to)> folder(op, keep, comp_of_thread, to);
    folding_outputs<decltype(folder)> outputs{&folder};
    detail::merge_runs_without_storage(runs, comp_of_thread, outputs);
    folder.finish();
    return result_in(to);
  }
};

/// Returns the values that a call needs which counts what it would write: none if it keeps all.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Keep, class Values>
MGPU_THRUST_HOST_DEVICE auto counted_values([[maybe_unused]] Values values)
{
  if constexpr (std::is_same_v<Keep, keep_all>)
  {
    return no_values{};
  }
  else
  {
    return values;
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
