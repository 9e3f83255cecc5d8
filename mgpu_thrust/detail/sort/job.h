// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Sorts as jobs: of all elements or of segments, in place, or of indices.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/job.h>
#include <mgpu_thrust/detail/sort/cpu/in_place_sort.h>
#include <mgpu_thrust/detail/sort/geometry/segments.h>

#include <cuda/std/iterator>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The checks of segments: none for all elements.
struct no_segments_checks
{
  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
  }
  template <class Segments>
  static void sizes(size_checks&, const Segments&)
  {
  }
  template <class Check, class Segments>
  static void preconditions(const Check&, const Segments&)
  {
  }
};

template <class Segments>
struct sort_segments_checks : no_segments_checks
{
};

template <class Offsets>
struct sort_segments_checks<offset_segments<Offsets>>
{
  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    detail::check_iterators<Backend, int*, Offsets>();
    detail::check_index_type<Offsets>();
  }
  static void sizes(size_checks& check, const offset_segments<Offsets>& segments)
  {
    check.segment_counts(segments.in.num_items, segments.in.num_segments);
  }
  template <class Check>
  static void preconditions(const Check& check, const offset_segments<Offsets>& segments)
  {
    check.offsets(segments.in.offsets, segments.in.num_segments, segments.in.num_items);
  }
};

template <class Flags>
struct sort_segments_checks<flag_segments<Flags>> : no_segments_checks
{
  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    detail::check_iterators<Backend, int*, Flags>();
    detail::check_device_call<Backend, device_read<Flags, bool>>();
  }
};

/// Deferred sizes have no other checks before the work executes.
template <class Segments, class First, class Second>
struct sort_segments_checks<deferred_inputs<Segments, First, Second>> : no_segments_checks
{
  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    sort_segments_checks<Segments>::template types<Backend>();
  }
};
template <class Offsets, class First, class Second>
struct sort_segments_checks<deferred_inputs<offset_segments<Offsets>, First, Second>> : no_segments_checks
{
  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    sort_segments_checks<offset_segments<Offsets>>::template types<Backend>();
  }
  static void sizes(size_checks& check, const offset_segments<Offsets>& segments)
  {
    check.sizes_of_two("the input", segments.in.num_items, "the offsets", segments.in.num_segments);
  }
};

/// Sorts `count` keys in place, with their values unless these are no_values: all of them, or each segment.
template <class Keys, class Values, class Segments, class Compare>
struct sort_job : job_base
{
  using result_type = nothing;
  using order_type = order_t<Compare, Keys>;
  using segments_checks = sort_segments_checks<Segments>;

  const char* name; ///< of the keys, in messages
  Keys keys;
  Values values;
  std::int64_t count;
  Segments segments;
  Compare comp;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE sort_job(
    const char* name_of_keys, const Keys& first, const Values& values_first, std::int64_t number,
    const Segments& bounds, const Compare& compare)
      : name(name_of_keys)
      , keys(first)
      , values(values_first)
      , count(number)
      , segments(bounds)
      , comp(compare)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    detail::check_sorted_in_place<Backend, Keys>();
    detail::check_sorted_in_place<Backend, values_or_integers<Values>>();
    detail::check_iterators<Backend, Keys, Keys>();
    detail::check_iterators<Backend, values_or_integers<Values>, values_or_integers<Values>>();
    segments_checks::template types<Backend>();
    detail::check_order<Backend, Compare, Keys>();
  }
  void check_sizes(size_checks& check) const
  {
    check.size(name, count);
    segments_checks::sizes(check, segments);
  }
  template <class Check>
  void check_preconditions(const Check& check) const
  {
    segments_checks::preconditions(check, segments);
    if constexpr (!is_deferred_v<Segments>)
    {
      check.ordered(name, keys, count, order());
    }
  }

  bool is_empty() const
  {
    return count <= 1 || !segments.has_any();
  }
  result_type empty_result() const
  {
    return {};
  }
  result_type result() const
  {
    return {};
  }

  /// The same sort of the actual number of elements, for execute_n().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto sized() const
  {
    return sort_job<Keys, Values, sized_t<Segments>, Compare>(
      name, keys, values, detail::count_now(count, segments), detail::segments_now(segments), comp);
  }

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE result_type in_thread() const
  {
    if (count > 0 && segments.has_any())
    {
      const swapped_elements elements{keys, values};
      order_type comp_of_thread = order();
      segments.for_each_part(
        0, count,
        [&](std::int64_t begin, std::int64_t end) { detail::in_place_sort(elements, begin, end, comp_of_thread); });
    }
    return {};
  }

  /// The comparator as it is called.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE order_type order() const
  {
    return detail::as_order<Keys>(comp);
  }
};

/// Makes a sort of all elements. The size may be deferred.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Keys, class Size, class Values, class Compare>
MGPU_THRUST_HOST_DEVICE auto
make_sort(const char* name, Keys first, const Size& size, Values values, const Compare& comp)
{
  const auto all = detail::make_segment(size);
  return sort_job(name, detail::unwrap(first), detail::unwrap(values), all.count, all, comp);
}

/// Makes segments by offsets. The sizes may be deferred.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Size, class Offsets, class NumSegments>
MGPU_THRUST_HOST_DEVICE auto make_offset_segments(const Size& size, Offsets offsets, const NumSegments& num_segments)
{
  return detail::make_inputs(
    offset_segments{segments{std::int64_t{0}, detail::unwrap(offsets), std::int64_t{0}}}, detail::as_size(size),
    detail::as_size(num_segments));
}

/// Makes a sort of each segment by offsets. The sizes may be deferred.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Keys, class Size, class Values, class Offsets, class NumSegments, class Compare>
MGPU_THRUST_HOST_DEVICE auto make_segmented_sort(
  const char* name, Keys first, const Size& size, Values values, Offsets offsets, const NumSegments& num_segments,
  const Compare& comp)
{
  const auto in = detail::make_offset_segments(size, offsets, num_segments);
  return sort_job(name, detail::unwrap(first), detail::unwrap(values), in.in.num_items, in, comp);
}

/// Makes a sort of each segment by flags. The size may be deferred.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Keys, class Size, class Flags, class Compare>
MGPU_THRUST_HOST_DEVICE auto
make_segmented_sort_by_flags(Keys first, const Size& size, Flags flags, const Compare& comp)
{
  const auto number = detail::as_size(size);
  const auto in = detail::make_inputs(flag_segments{detail::unwrap(flags)}, number, std::int64_t{0});
  return sort_job("the input", detail::unwrap(first), no_values{}, detail::capacity_of(number), in, comp);
}

/// Writes the indices of `count` keys in sorted order, of all keys or of each segment, to `output`, an iterator as
/// passed.
template <class Keys, class Segments, class Output, class Compare>
struct sort_indices_job : job_base
{
  using result_type = Output;
  using order_type = order_t<Compare, Keys>;
  using segments_checks = sort_segments_checks<Segments>;
  using output_type = unwrapped_t<Output>;
  using index = written_index_t<Output>;

  Keys keys;
  std::int64_t count;
  Segments segments;
  Output output;
  Compare comp;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE sort_indices_job(
    const Keys& first, std::int64_t number, const Segments& bounds, const Output& passed_output, const Compare& compare)
      : keys(first)
      , count(number)
      , segments(bounds)
      , output(passed_output)
      , comp(compare)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    detail::check_scattered_output<Output>();
    detail::check_iterators<Backend, Output, Keys>();
    detail::check_results<Backend, Output, index>();
    segments_checks::template types<Backend>();
    detail::check_order<Backend, Compare, Keys>();
  }
  void check_sizes(size_checks& check) const
  {
    check.size("the input", count);
    segments_checks::sizes(check, segments);
    check.indices_of(count, largest_index<index>);
  }
  template <class Check>
  void check_preconditions(const Check& check) const
  {
    segments_checks::preconditions(check, segments);
    if constexpr (!is_deferred_v<Segments>)
    {
      check.ordered("the input", keys, count, order());
    }
  }

  bool is_empty() const
  {
    return count == 0 || !segments.has_any();
  }
  result_type empty_result() const
  {
    return output;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE result_type result() const
  {
    return output + count;
  }

  /// The same sort of the actual number of keys, for execute_n().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto sized() const
  {
    return sort_indices_job<Keys, sized_t<Segments>, Output, Compare>(
      keys, detail::count_now(count, segments), detail::segments_now(segments), output, comp);
  }

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE result_type in_thread() const
  {
    const output_type indices = detail::unwrap(output);
    if (!segments.has_any())
    {
      return result();
    }
    indirect_order<Keys, order_type> order_of_indices{keys, order()};
    if constexpr (std::is_lvalue_reference_v<decltype(*indices)>)
    {
      for (std::int64_t i = 0; i < count; ++i)
      {
        *(indices + i) = static_cast<index>(i);
      }
      const swapped_elements elements{indices, no_values{}};
      segments.for_each_part(
        0, count,
        [&](std::int64_t begin, std::int64_t end) { detail::in_place_sort(elements, begin, end, order_of_indices); });
    }
    else // the output may not be readable, and there is no storage: rank each key in its segment
    {
      segments.for_each_part(
        0, count,
        [&](std::int64_t begin, std::int64_t end)
        {
          for (std::int64_t i = begin; i < end; ++i)
          {
            std::int64_t rank = begin;
            for (std::int64_t j = begin; j < end; ++j)
            {
              rank += j < i ? !order_of_indices(i, j) : order_of_indices(j, i);
            }
            *(indices + rank) = static_cast<index>(i);
          }
        });
    }
    return result();
  }

  /// The comparator as it is called.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE order_type order() const
  {
    return detail::as_order<Keys>(comp);
  }
};

/// Makes a sort of the indices of all keys. The size may be deferred.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Keys, class Size, class Output, class Compare>
MGPU_THRUST_HOST_DEVICE auto make_sort_indices(Keys first, const Size& size, Output output, const Compare& comp)
{
  const auto all = detail::make_segment(size);
  return sort_indices_job(detail::unwrap(first), all.count, all, output, comp);
}

/// Makes a sort of the indices of the keys of each segment. The sizes may be deferred.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Keys, class Size, class Offsets, class NumSegments, class Output, class Compare>
MGPU_THRUST_HOST_DEVICE auto make_segmented_sort_indices(
  Keys first, const Size& size, Offsets offsets, const NumSegments& num_segments, Output output, const Compare& comp)
{
  const auto in = detail::make_offset_segments(size, offsets, num_segments);
  return sort_indices_job(detail::unwrap(first), in.in.num_items, in, output, comp);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
