// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// An operation on pairs of lists without lists as its result, as a job.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/device_calls.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/job.h>
#include <mgpu_thrust/detail/pairs/count/serial.h>
#include <mgpu_thrust/detail/pairs/pairs.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Makes pairs of lists, unwrapped and without checks. Their number may be deferred.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs>
MGPU_THRUST_HOST_DEVICE auto
make_list_pairs(A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins, BEnds b_ends, const NumPairs& num_pairs)
{
  using a_lists = pair_lists<unwrapped_t<A>, unwrapped_t<ABegins>, unwrapped_t<AEnds>>;
  using b_lists = pair_lists<unwrapped_t<B>, unwrapped_t<BBegins>, unwrapped_t<BEnds>>;
  return detail::make_inputs(
    list_pairs<a_lists, b_lists>{
      a_lists{detail::unwrap(a), detail::unwrap(a_begins), detail::unwrap(a_ends)},
      b_lists{detail::unwrap(b), detail::unwrap(b_begins), detail::unwrap(b_ends)}, 0},
    detail::as_size(num_pairs), std::int64_t{0});
}

/// The lists of one side as runs, for check_preconditions.h.
template <class Lists>
struct runs_of_lists
{
  Lists lists;
  std::int64_t num_runs;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto keys_of(std::int64_t run) const
  {
    std::int64_t begin;
    std::int64_t count;
    lists.find(run, begin, count);
    return lists.elements + (count > 0 ? begin : 0); // the bounds of an empty list may be anything
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE std::int64_t size(std::int64_t run) const
  {
    std::int64_t begin;
    std::int64_t count;
    lists.find(run, begin, count);
    return count;
  }
};

/// The checks of an action's types.
template <class Action>
struct match_action_checks;

template <class Output>
struct match_action_checks<pair_counts<Output>>
{
  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    detail::check_iterators<Backend, Output>();
    detail::check_results<Backend, Output, written_index_t<Output>>();
  }
};
template <class Output>
struct match_action_checks<pair_flags<Output>>
{
  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    detail::check_iterators<Backend, Output>();
    detail::check_results<Backend, Output, bool>();
  }
};
template <class Function>
struct match_action_checks<match_visits<Function>>
{
  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    detail::check_device_call<
      Backend, device_call<Function, const std::int64_t&, const std::int64_t&, const std::int64_t&>>();
  }
};

/// The base of jobs on pairs of lists, whose number may be deferred: the pairs, and the order of their lists.
template <class Pairs, class Compare>
struct list_pairs_job : job_base
{
  using a_type = decltype(Pairs::a);
  using b_type = decltype(Pairs::b);
  using a_elements = decltype(a_type::elements);
  using b_elements = decltype(b_type::elements);
  using order_type = order_t<Compare, a_elements, b_elements>;

  Pairs pairs;
  Compare comp;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE list_pairs_job(const Pairs& of_lists, const Compare& compare)
      : pairs(of_lists)
      , comp(compare)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    detail::check_iterators<
      Backend, int*, a_elements, decltype(a_type::begins), decltype(a_type::ends), b_elements, decltype(b_type::begins),
      decltype(b_type::ends)>();
    detail::check_index_type<decltype(a_type::begins)>();
    detail::check_index_type<decltype(a_type::ends)>();
    detail::check_index_type<decltype(b_type::begins)>();
    detail::check_index_type<decltype(b_type::ends)>();
    detail::check_order<Backend, Compare, a_elements, b_elements>();
  }
  void check_sizes(size_checks& check) const
  {
    check.number("pairs", pairs.num_pairs);
  }
  template <class Check>
  void check_preconditions([[maybe_unused]] const Check& check) const
  {
    if constexpr (!is_deferred_v<Pairs>)
    {
      check.sorted_runs("the list of A of pair", runs_of_lists<a_type>{pairs.a, pairs.num_pairs}, order());
      check.sorted_runs("the list of B of pair", runs_of_lists<b_type>{pairs.b, pairs.num_pairs}, order());
    }
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE order_type order() const
  {
    return detail::as_order<a_elements, b_elements>(comp);
  }
};

/// An action on the matches of pairs of lists, whose number may be deferred. Output is the output as it was passed, or
/// `nothing`.
template <class Action, class Pairs, class Compare, class Output>
struct segmented_sets_job : list_pairs_job<Pairs, Compare>
{
  using base = list_pairs_job<Pairs, Compare>;
  using typename base::order_type;
  using result_type = Output;

  using base::comp;
  using base::pairs;
  Action action;
  Output output;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE segmented_sets_job(
    const Action& on_matches, const Pairs& of_lists, const Compare& compare, const Output& passed_output)
      : base(of_lists, compare)
      , action(on_matches)
      , output(passed_output)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    base::template check_types<Backend>();
    match_action_checks<Action>::template types<Backend>();
  }

  bool is_empty() const
  {
    return pairs.num_pairs == 0;
  }
  result_type empty_result() const
  {
    return output;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE result_type result() const
  {
    if constexpr (Action::visits)
    {
      return {};
    }
    else
    {
      return output + pairs.num_pairs;
    }
  }
  /// The job with the number of pairs as it is now, for execute_n().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto sized() const
  {
    return segmented_sets_job<Action, sized_t<Pairs>, Compare, Output>(action, detail::sized(pairs), comp, output);
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE result_type in_thread() const
  {
    Action own = action;
    order_type own_comp = this->order();
    for (std::int64_t pair = 0; pair < pairs.num_pairs; ++pair)
    {
      const pair_work work(pairs.pair(pair));
      [[maybe_unused]] const std::int64_t count =
        detail::process_matches(own, pairs, pair, work, 0, work.weight(), own_comp);
      if constexpr (!Action::visits)
      {
        own.append(count);
      }
    }
    if constexpr (Action::visits)
    {
      return {};
    }
    else
    {
      return detail::rewrap(output, own.output);
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
