// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A call of bulk removal or insertion as a job.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/bulk/serial.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/job.h>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Makes a bulk_removal, or (below) a bulk_insertion, from iterators, which it unwraps, and sizes, which may be
/// deferred.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Input, class Size, class Indices, class NumIndices>
MGPU_THRUST_HOST_DEVICE auto
make_bulk_removal(Input first, const Size& size, Indices indices, const NumIndices& num_indices)
{
  return bulk_removal{detail::bulk_path(detail::unwrap(indices), num_indices, size), detail::unwrap(first)};
}
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Input, class Size, class Values, class Positions, class NumInsertions>
MGPU_THRUST_HOST_DEVICE auto make_bulk_insertion(
  Input first, const Size& size, Values values, Positions positions, const NumInsertions& num_insertions)
{
  return bulk_insertion{
    detail::bulk_path(detail::unwrap(positions), num_insertions, size), detail::unwrap(first), detail::unwrap(values)};
}

/// Makes a deferred edit of any edit, for a call that stores the size of its output on the device even if the host
/// knows it.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Path, class Input>
MGPU_THRUST_HOST_DEVICE auto as_deferred(const bulk_removal<Path, Input>& removal)
{
  return bulk_removal{detail::as_deferred(removal.path), removal.input};
}
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Path, class Input, class Values>
MGPU_THRUST_HOST_DEVICE auto as_deferred(const bulk_insertion<Path, Input, Values>& insertion)
{
  return bulk_insertion{detail::as_deferred(insertion.path), insertion.input, insertion.values};
}

/// The checks of an edit, a bulk_removal or bulk_insertion.
template <class Edit>
struct bulk_checks;

template <class Path, class Input>
struct bulk_checks<bulk_removal<Path, Input>>
{
  using edit_type = bulk_removal<Path, Input>;

  template <class Backend, class Output>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    detail::check_iterators<Backend, Output, Input, decltype(Path::a)>();
    detail::check_copies<Backend, Output, Input>();
    detail::check_index_type<decltype(Path::a)>();
  }
  static void sizes(size_checks& check, const edit_type& edit)
  {
    check.size("the input", edit.path.b_count);
    check.size("the indices", edit.path.a_count);
    if constexpr (!is_deferred_v<Path>)
    {
      check.removals(edit.path.b_count, edit.path.a_count);
    }
    check.total_size(edit.path.a_count, edit.path.b_count);
  }
  template <class Check>
  static void preconditions(const Check& check, const edit_type& edit)
  {
    check.indices("the indices", edit.path.a, edit.path.a_count, edit.path.b_count - 1, 1);
  }
};

template <class Path, class Input, class Values>
struct bulk_checks<bulk_insertion<Path, Input, Values>>
{
  using edit_type = bulk_insertion<Path, Input, Values>;

  template <class Backend, class Output>
  MGPU_THRUST_HOST_DEVICE static void types()
  {
    detail::check_iterators<Backend, Output, Input, Values, decltype(Path::a)>();
    detail::check_copies<Backend, Output, Input>();
    detail::check_copies<Backend, Output, Values>();
    detail::check_index_type<decltype(Path::a)>();
  }
  static void sizes(size_checks& check, const edit_type& edit)
  {
    check.sizes_of_two("the input", edit.path.b_count, "the positions", edit.path.a_count);
  }
  template <class Check>
  static void preconditions(const Check& check, const edit_type& edit)
  {
    check.indices("the positions", edit.path.a, edit.path.a_count, edit.path.b_count, 0);
  }
};

/// An edit of an input, a bulk_removal or bulk_insertion, written to `output`, an iterator as it was passed.
template <class Edit, class Output>
struct bulk_job : job_base
{
  using result_type = Output;
  static constexpr bool is_counted = is_deferred_v<decltype(Edit::path)>;

  Edit edit;
  Output output;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE bulk_job(const Edit& of_input, const Output& passed_output)
      : edit(of_input)
      , output(passed_output)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    bulk_checks<Edit>::template types<Backend, Output>();
  }
  void check_sizes(size_checks& check) const
  {
    bulk_checks<Edit>::sizes(check, edit);
  }
  template <class Check>
  void check_preconditions([[maybe_unused]] const Check& check) const
  {
    if constexpr (!is_counted)
    {
      bulk_checks<Edit>::preconditions(check, edit);
    }
  }

  bool is_empty() const
  {
    return edit.max_output() == 0;
  }
  result_type empty_result() const
  {
    return output;
  }
  result_type result() const
  {
    return output + edit.output_size();
  }

  // The members for execute_n().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto sized() const
  {
    return bulk_job<std::decay_t<decltype(edit.sized())>, Output>(edit.sized(), output);
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t count_of(const result_type&) const
  {
    return edit.output_size();
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t max_counted() const
  {
    return edit.max_output();
  }
  std::int64_t count_capacity() const
  {
    return max_counted();
  }

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE result_type in_thread() const
  {
    return detail::rewrap(output, edit.write(edit.path, 0, 0, detail::unwrap(output)));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
