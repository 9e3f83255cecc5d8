// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// What jobs on items in segments have in common.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/job.h>

#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The base of jobs on segments, perhaps with deferred sizes. Its members are those of a job with a result for each
/// item. Output is the output as it was passed, or `nothing`.
template <class Segments, class Output>
struct segmented_job : job_base
{
  using result_type = Output;
  using offsets_type = decltype(Segments::offsets);

  Segments in;
  Output output;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE explicit segmented_job(const Segments& items, const Output& passed_output = Output())
      : in(items)
      , output(passed_output)
  {
  }

  void check_sizes(size_checks& check) const
  {
    check.items_in_segments(in);
  }
  template <class Check>
  void check_preconditions([[maybe_unused]] const Check& check) const
  {
    if constexpr (!is_deferred_v<Segments>)
    {
      check.offsets(in.offsets, in.num_segments, in.num_items);
    }
  }

  bool is_empty() const
  {
    return in.num_items == 0 || in.num_segments == 0;
  }
  result_type empty_result() const
  {
    return output;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE result_type result() const
  {
    if constexpr (std::is_same_v<Output, nothing>)
    {
      return {};
    }
    else
    {
      return output + in.num_items;
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
