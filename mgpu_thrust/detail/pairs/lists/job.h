// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A set operation on pairs of lists whose results are lists, as a job.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/job.h>
#include <mgpu_thrust/detail/pairs/count/job.h>
#include <mgpu_thrust/detail/pairs/lists/serial.h>
#include <mgpu_thrust/detail/pairs/pairs.h>
#include <mgpu_thrust/detail/set_operation/result.h>

#include <thrust/pair.h>

#include <cstdint>
#include <limits>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Makes pairs of lists with values, or `no_values`, unwrapped and without checks. Their number may be deferred.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <
  class A, class ABegins, class AEnds, class B, class BBegins, class BEnds, class NumPairs, class AValues,
  class BValues>
MGPU_THRUST_HOST_DEVICE auto make_valued_pairs(
  A a, ABegins a_begins, AEnds a_ends, B b, BBegins b_begins, BEnds b_ends, const NumPairs& num_pairs, AValues a_values,
  BValues b_values)
{
  using pairs = list_pairs<
    pair_lists<unwrapped_t<A>, unwrapped_t<ABegins>, unwrapped_t<AEnds>>,
    pair_lists<unwrapped_t<B>, unwrapped_t<BBegins>, unwrapped_t<BEnds>>>;
  const pairs all = detail::make_list_pairs(a, a_begins, a_ends, b, b_begins, b_ends, std::int64_t{0});
  return detail::make_inputs(
    valued_pairs<pairs, unwrapped_t<AValues>, unwrapped_t<BValues>>(
      all, detail::unwrap(a_values), detail::unwrap(b_values)),
    detail::as_size(num_pairs), std::int64_t{0});
}

// What a call writes of the elements that an operation keeps, to outputs as they were passed: the elements, as a set
// operation does (set_operation/result.h), or their positions.

/// The positions of both elements of a match.
template <class A, class B>
struct kept_positions
{
  using type = thrust::pair<A, B>;
  using outputs_type = position_outputs<unwrapped_t<A>, unwrapped_t<B>>;

  A a;
  B b;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE outputs_type outputs() const
  {
    return {detail::unwrap(a), detail::unwrap(b)};
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE type ends(const outputs_type& unwrapped) const
  {
    return {detail::rewrap(a, unwrapped.a), detail::rewrap(b, unwrapped.b)};
  }
  type of_size(std::int64_t size) const
  {
    return {a + size, b + size};
  }
  type of_nothing() const
  {
    return {a, b};
  }
};

/// The checks of the types of what a call writes.
template <class Kept>
struct kept_checks
{
  template <class Backend, class Operation, class Pairs>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    using a_values = decltype(Pairs::a_values);
    using b_values = decltype(Pairs::b_values);
    detail::check_iterators<Backend, decltype(Kept::keys)>();
    detail::check_iterators<
      Backend, values_or_integers<decltype(Kept::values)>, values_or_integers<a_values>,
      values_or_integers<b_values>>();
    detail::check_kept_elements<
      Backend, Operation, Kept, decltype(Pairs::a.elements), a_values, decltype(Pairs::b.elements), b_values>();
  }
};
template <class A, class B>
struct kept_checks<kept_positions<A, B>>
{
  template <class Backend, class, class>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    detail::check_iterators<Backend, A>();
    detail::check_iterators<Backend, B>();
    detail::check_results<Backend, A, written_index_t<A>>();
    detail::check_results<Backend, B, written_index_t<B>>();
  }
};

/// What a call writes: Kept is a set_result, a combined_result or kept_positions, Offsets the output of where each
/// pair's result begins.
template <class Kept, class Offsets>
struct lists_result
{
  using type = typename Kept::type;
  using offset = written_index_t<Offsets>;
  static constexpr std::int64_t room = (std::numeric_limits<std::int64_t>::max)();

  Kept kept;
  Offsets offsets;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE type ends(const typename Kept::outputs_type& unwrapped, std::int64_t) const
  {
    return kept.ends(unwrapped);
  }
  type of_size(std::int64_t size) const
  {
    return kept.of_size(size);
  }
  type of_nothing() const
  {
    return kept.of_nothing();
  }
  static void check_sizes(size_checks&)
  {
  }
  static std::int64_t count_capacity()
  {
    return 0;
  }
};

template <class Kept, class Offsets>
lists_result(Kept, Offsets) -> lists_result<Kept, Offsets>;

/// The same with room for `room` elements. The result is the number of all elements.
template <class Kept, class Offsets>
struct lists_result_within
{
  using type = std::int64_t;
  using offset = written_index_t<Offsets>;

  Kept kept;
  Offsets offsets;
  std::int64_t room;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE
  lists_result_within(const Kept& kept_of_call, const Offsets& offsets_of_call, std::int64_t result_capacity)
      : kept(kept_of_call)
      , offsets(offsets_of_call)
      , room(result_capacity)
  {
  }

  MGPU_THRUST_HOST_DEVICE static type ends(const typename Kept::outputs_type&, std::int64_t size)
  {
    return size;
  }
  static type of_size(std::int64_t size)
  {
    return size;
  }
  static type of_nothing()
  {
    return 0;
  }
  void check_sizes(size_checks& check) const
  {
    check.number("elements that the result has room for", room);
  }
  std::int64_t count_capacity() const
  {
    return room;
  }
};

/// A set operation or a merge of each of the pairs of lists, valued_pairs whose number may be deferred. Result is one
/// of the two above.
template <class Operation, class Pairs, class Result, class Compare>
struct segmented_lists_job : list_pairs_job<Pairs, Compare>
{
  using base = list_pairs_job<Pairs, Compare>;
  using typename base::order_type;
  using result_type = typename Result::type;
  using offset_type = typename Result::offset;
  using kept_type = decltype(Result::kept);
  using offsets_type = unwrapped_t<decltype(Result::offsets)>;
  static constexpr bool is_counted = true;
  static constexpr std::int64_t max_offset = largest_index<offset_type>;

  using base::comp;
  using base::pairs;
  Result output;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE
  segmented_lists_job(Operation, const Pairs& of_lists, const Result& passed_output, const Compare& compare)
      : base(of_lists, compare)
      , output(passed_output)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    base::template check_types<Backend>();
    kept_checks<kept_type>::template types<Backend, Operation, Pairs>();
    using offsets = decltype(Result::offsets);
    detail::check_iterators<Backend, offsets>();
    detail::check_results<Backend, offsets, offset_type>();
  }
  void check_sizes(size_checks& check) const
  {
    base::check_sizes(check);
    output.check_sizes(check);
  }

  /// Even no pairs have an offset.
  static bool is_empty()
  {
    return false;
  }
  result_type empty_result() const
  {
    return output.of_nothing();
  }
  result_type result(std::int64_t count, size_checks& check) const
  {
    check.index_range(count, max_offset);
    return output.of_size(count);
  }

  // The members for execute_n().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto sized() const
  {
    return segmented_lists_job<Operation, sized_t<Pairs>, Result, Compare>(
      Operation{}, detail::sized(pairs), output, comp);
  }
  MGPU_THRUST_HOST_DEVICE static std::int64_t count_of(std::int64_t size)
  {
    return size;
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t max_counted() const
  {
    return output.room;
  }

  std::int64_t count_capacity() const
  {
    return output.count_capacity();
  }

  /// Maximum number of elements that a pair has in its result.
  MGPU_THRUST_HOST_DEVICE static std::int64_t max_kept(const list_pair& lists)
  {
    return detail::max_kept(Operation{}, lists);
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE result_type in_thread() const
  {
    auto outputs = output.kept.outputs();
    offsets_type offsets = detail::unwrap(output.offsets);
    order_type own_comp = this->order();
    std::int64_t size = 0;
    for (std::int64_t pair = 0; pair < pairs.num_pairs; ++pair)
    {
      *offsets = static_cast<offset_type>(size);
      ++offsets;
      const list_work<Operation> work(pairs.pair(pair));
      const auto part =
        detail::find_list_part(Operation{}, pairs.inputs(work.lists), work.side(), 0, work.all_steps(), own_comp);
      detail::write_list_part(Operation{}, part, own_comp, outputs, size, output.room);
    }
    *offsets = static_cast<offset_type>(size);
    return output.ends(outputs, size);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
