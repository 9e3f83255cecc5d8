// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Items in segments on the CPU backends that have workers: pieces that load-balancing search cuts.

#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/system/cpu_executors.h>
#include <mgpu_thrust/system/cpu_set_operations.h>
#include <mgpu_thrust/thread/segments.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Does a job with all items, of which there is one at least.
template <class Backend, class Policy, class Job, class Offsets>
void run_segments_on(Backend backend, Policy&, const char*, const Job& job, const segments<Offsets>& in)
{
  const std::int64_t total = in.num_items + in.num_segments;
  const std::int64_t count = detail::pieces_of(total, cpu_piece_elements);
  const auto cut = [&](std::int64_t piece)
  {
    const std::int64_t diagonal = piece < count ? piece * cpu_piece_elements : total;
    return mgpu::load_balance(in.num_items, in.offsets, in.num_segments, diagonal);
  };
  detail::run_pieces(
    detail::executor_of(backend), count,
    [&](std::int64_t piece) { detail::run_segments(job, in, cut(piece), cut(piece + 1)); });
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
