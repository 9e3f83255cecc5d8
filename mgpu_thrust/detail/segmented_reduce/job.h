// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A call of segmented reduction as a job, and the cutting of its segments, for a plan, as another.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/job.h>
#include <mgpu_thrust/detail/segmented_reduce/serial.h>
#include <mgpu_thrust/detail/segments/serial.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Cuts segments, and leaves the cuts in the temporary storage, for reductions of any items.
template <class Offsets>
struct segment_cuts_job : job_base
{
  using result_type = nothing;

  segments<Offsets> in;

  explicit segment_cuts_job(const segments<Offsets>& of_items)
      : in(of_items)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    detail::check_iterators<Backend, int*, Offsets>();
    detail::check_index_type<Offsets>();
  }
  void check_sizes(size_checks& check) const
  {
    check.segment_counts(in.num_items, in.num_segments);
  }
  template <class Check>
  void check_preconditions(const Check& check) const
  {
    check.offsets(in.offsets, in.num_segments, in.num_items);
  }
  bool is_empty() const
  {
    return in.num_segments == 0;
  }
};

/// Reduces the items of each segment. Reduction is a segment_reduction. Segments are segments, perhaps with deferred
/// sizes. Output is the output as it was passed. `cuts` is the temporary storage of a segment_cuts_job of the same
/// policy and segments, or null.
template <class Reduction, class Segments, class Output>
struct segmented_reduce_job : job_base
{
  using result_type = Output;
  using offsets_type = decltype(Segments::offsets);

  Reduction reduction;
  Segments in;
  Output output;
  void* cuts;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE segmented_reduce_job(
    const Reduction& of_items, const Segments& items, const Output& passed_output, void* storage = nullptr)
      : reduction(of_items)
      , in(items)
      , output(passed_output)
      , cuts(storage)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    detail::check_segment_operands<Backend, Reduction, Output, offsets_type>();
  }
  void check_sizes(size_checks& check) const
  {
    check.input_in_segments(in);
  }
  template <class Check>
  void check_preconditions([[maybe_unused]] const Check& check) const
  {
    if constexpr (!is_deferred_v<Segments>)
    {
      if (cuts == nullptr)
      {
        check.offsets(in.offsets, in.num_segments, in.num_items);
      }
    }
  }

  bool is_empty() const
  {
    return in.num_segments == 0;
  }
  result_type empty_result() const
  {
    return output;
  }
  result_type result() const
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
  MGPU_THRUST_HOST_DEVICE result_type in_thread() const
  {
    return detail::rewrap(output, detail::reduce_segments_in_thread(reduction, in));
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
