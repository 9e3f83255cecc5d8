// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The reduction of windows by a thread without storage: it loops over the items of each window.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/window_reduce/windows.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Writes the results of all windows. Returns the end of the output. Reduction is a segment_reduction.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Reduction, class Bounds>
MGPU_THRUST_HOST_DEVICE auto reduce_windows_in_thread(Reduction reduction, windows<Bounds> in)
{
  auto output = reduction.output;
  item_window window{0, 0};
  for (std::int64_t row = 0; row < in.num_windows; ++row)
  {
    window = in.after(window, row);
    const item_window clamped = window.clamped(in.num_items);
    *output = reduction.reduce(reduction.init, clamped.begin, clamped.end);
    ++output;
  }
  return output;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
