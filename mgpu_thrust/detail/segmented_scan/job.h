// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A call of a segmented scan as a job.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_inputs.h>
#include <mgpu_thrust/detail/base/device_calls.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/segmented_job.h>
#include <mgpu_thrust/detail/segmented_scan/serial.h>

#include <cuda/std/iterator>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The accumulator type of an inclusive scan of values with an initial value: what the operator returns. For the
/// host that is int for an extended device lambda that does not say what it returns.
template <class Value, class Init, class Op>
struct inclusive_accumulator
{
  static_assert(
    !has_host_result_int<Op>,
    "mgpu_thrust: an inclusive scan with init accumulates in the type that the operator returns, which the host cannot"
    " find out for a __device__ lambda; use cuda::proclaim_return_type");
  using type = std::decay_t<std::invoke_result_t<Op&, Value, Init>>;
};

/// Scans the items of each segment. Scan is a segment_scan. Segments are segments, perhaps with deferred sizes. Output
/// is the output as it was passed.
template <class Scan, class Segments, class Output>
struct segmented_scan_job : segmented_job<Segments, Output>
{
  using base = segmented_job<Segments, Output>;
  using base::in;
  using base::output;

  Scan scan;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE segmented_scan_job(const Scan& of_items, const Segments& items, const Output& passed_output)
      : base(items, passed_output)
      , scan(of_items)
  {
  }

  template <class Backend>
  MGPU_THRUST_HOST_DEVICE static void check_types()
  {
    detail::check_segment_operands<Backend, Scan, Output, typename base::offsets_type>();
  }
  void check_sizes(size_checks& check) const
  {
    check.input_in_segments(in);
  }

  /// The job with its sizes as they are now, for execute_n().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE auto sized() const
  {
    return segmented_scan_job<Scan, sized_t<Segments>, Output>(scan, detail::sized_segments(in), output);
  }

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE Output in_thread() const
  {
    return detail::rewrap(output, detail::scan_segments_in_thread(scan, in));
  }
};

/// Makes the job of a scan of segments that accumulates in T, with an output that it unwraps for the scan.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <bool IsInclusive, class T, class Input, class Segments, class Output, class Init, class Op>
MGPU_THRUST_HOST_DEVICE auto
make_segmented_scan_job(Input first, const Segments& in, Output result, const Init& init, Op op)
{
  const auto scan = detail::make_segment_scan<IsInclusive, T>(detail::unwrap(first), detail::unwrap(result), init, op);
  return segmented_scan_job<std::decay_t<decltype(scan)>, Segments, Output>(scan, in, result);
}

/// Makes the job of an inclusive scan without init, which accumulates in the items' type.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Input, class Segments, class Output, class Op>
MGPU_THRUST_HOST_DEVICE auto make_inclusive_scan_job(Input first, const Segments& in, Output result, Op op)
{
  using T = typename ::cuda::std::iterator_traits<Input>::value_type;
  return detail::make_segmented_scan_job<true, T>(first, in, result, nothing{}, op);
}

/// Makes the job of an inclusive scan with init, which accumulates in the type that the operator returns.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Input, class Segments, class Output, class Init, class Op>
MGPU_THRUST_HOST_DEVICE auto
make_inclusive_scan_job(Input first, const Segments& in, Output result, const Init& init, Op op)
{
  using value = typename ::cuda::std::iterator_traits<Input>::value_type;
  using T = typename inclusive_accumulator<value, Init, Op>::type;
  return detail::make_segmented_scan_job<true, T>(first, in, result, static_cast<T>(init), op);
}

/// Makes the job of an exclusive scan, which accumulates in the type of init.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Input, class Segments, class Output, class Init, class Op>
MGPU_THRUST_HOST_DEVICE auto
make_exclusive_scan_job(Input first, const Segments& in, Output result, const Init& init, Op op)
{
  return detail::make_segmented_scan_job<false, Init>(first, in, result, init, op);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
