// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Jobs with items in segments on the CPU backends that have workers: pieces that load-balancing search cuts.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/system/cpu_executors.h>
#include <mgpu_thrust/system/cpu_set_operations.h>
#include <mgpu_thrust/thread/segments.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Items and starts of segments cut into pieces of cpu_piece_elements.
template <class Offsets>
struct segment_pieces
{
  segments<Offsets> in;

  std::int64_t total() const
  {
    return in.num_items + in.num_segments;
  }
  std::int64_t count() const
  {
    return detail::pieces_of(total(), cpu_piece_elements);
  }
  /// Number of items and segment starts before a piece; for the piece past the last, of all of them.
  std::int64_t diagonal(std::int64_t piece) const
  {
    return piece < count() ? piece * cpu_piece_elements : total();
  }
  /// The point where a piece begins and the one before it ends.
  load_balance_point cut(std::int64_t piece) const
  {
    return mgpu::load_balance(in.num_items, in.offsets, in.num_segments, diagonal(piece));
  }
};

/// Executes a job for all items, of which there is at least one.
template <class Backend, class Policy, class Job, class Offsets>
void run_segments_on(Backend backend, Policy&, const char*, const Job& job, const segments<Offsets>& in)
{
  const segment_pieces<Offsets> pieces{in};
  detail::run_pieces(
    detail::executor_of(backend), pieces.count(),
    [&](std::int64_t piece) { detail::run_segments(job, in, pieces.cut(piece), pieces.cut(piece + 1)); });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
