// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Outputs of the rows of a join that is too large for caches.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/join/cpu/streamed_runs.h>
#include <mgpu_thrust/detail/join/serial.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Minimum number of rows of a stretch that is worth streaming.
inline constexpr std::int64_t shortest_streamed_run = 128;

/// Outputs to which long stretches of rows are streamed; shorter ones are written as by join_outputs.
template <class Outputs>
struct streamed_join_outputs;
template <class Left, class Right, class LeftIndex, class RightIndex>
struct streamed_join_outputs<join_outputs<Left, Right, LeftIndex, RightIndex>>
    : join_outputs<Left, Right, LeftIndex, RightIndex>
{
  using plain_outputs = join_outputs<Left, Right, LeftIndex, RightIndex>;

  MGPU_THRUST_HOST_DEVICE streamed_join_outputs operator+(std::int64_t n) const
  {
    return {plain_outputs::operator+(n)};
  }
  MGPU_THRUST_HOST_DEVICE void append_rows(std::int64_t i, std::int64_t j, std::int64_t count, std::int64_t room)
  {
    if (count < shortest_streamed_run)
    {
      plain_outputs::append_rows(i, j, count, room);
      return;
    }
    this->left = detail::stream_run(this->left, count, number_run<LeftIndex>{static_cast<LeftIndex>(i), 0});
    this->right = detail::stream_run(this->right, count, number_run<RightIndex>{static_cast<RightIndex>(j), 1});
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
