// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A call of segmented reduction as a job, and the cutting of its segments, for a plan, as another.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/segmented_job.h>
#include <mgpu_thrust/detail/segmented_reduce/serial.h>
#include <mgpu_thrust/detail/segments/serial.h>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Cuts segments, and leaves the cuts in the temporary storage, for reductions of any items.
template <class Offsets>
struct segment_cuts_job : segmented_job<segments<Offsets>, nothing>
{
  using base = segmented_job<segments<Offsets>, nothing>;
  using base::base;

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    detail::check_iterators<Backend, int*, Offsets>();
    detail::check_index_type<Offsets>();
  }
  bool is_empty() const
  {
    return this->in.num_segments == 0;
  }
};

/// Reduces the items of each segment. Reduction is a segment_reduction. Segments are segments, perhaps with deferred
/// sizes. Output is the output as it was passed. `cuts` is the temporary storage of a segment_cuts_job of the same
/// policy and segments, or null.
template <class Reduction, class Segments, class Output>
struct segmented_reduce_job : segmented_job<Segments, Output>
{
  using base = segmented_job<Segments, Output>;
  using base::in;
  using base::output;

  Reduction reduction;
  void* cuts;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE segmented_reduce_job(
    const Reduction& of_items, const Segments& items, const Output& passed_output, void* storage = nullptr)
      : base(items, passed_output)
      , reduction(of_items)
      , cuts(storage)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    detail::check_segment_operands<Backend, Reduction, Output, typename base::offsets_type>();
  }
  void check_sizes(size_checks& check) const
  {
    check.input_in_segments(in);
  }
  template <class Check>
  void check_preconditions(const Check& check) const
  {
    if (cuts == nullptr)
    {
      base::check_preconditions(check);
    }
  }

  bool is_empty() const
  {
    return in.num_segments == 0;
  }
  Output result() const
  {
    return output + in.num_segments;
  }
  /// The job with its sizes as they are now, for execute_n().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto sized() const
  {
    return segmented_reduce_job<Reduction, sized_t<Segments>, Output>(reduction, detail::sized_segments(in), output);
  }

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE Output in_thread() const
  {
    return detail::rewrap(output, detail::reduce_segments_in_thread(reduction, in));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
