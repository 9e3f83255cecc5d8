// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Jobs with items in segments on the CPU backends that have workers: pieces that load-balancing search cuts.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/segments.h>
#include <mgpu_thrust/detail/execute/cpu_executors.h>
#include <mgpu_thrust/detail/segments/serial.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

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
