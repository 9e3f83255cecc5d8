// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Segmented sorts by flags on the CPU backends: the sort takes segments by their offsets, so these are found first.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/set_pieces.h>
#include <mgpu_thrust/detail/execute/cpu_executors.h>
#include <mgpu_thrust/detail/execute/temporary_storage.h>
#include <mgpu_thrust/detail/segments/serial.h>
#include <mgpu_thrust/detail/sort/cpu.h>
#include <mgpu_thrust/detail/sort/segments.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Sorts the elements, of which there is at least one, of each segment, where flags mark the starts of segments.
template <class Backend, class Policy, class Keys, class Flags, class Compare>
void run_sort(
  Backend backend, Policy& policy, const char* algorithm, Keys keys, no_values values, std::int64_t count,
  const flag_segments<Flags>& segments_by_flags, Compare comp)
{
  const auto executor = detail::executor_of(backend);
  const std::int64_t pieces = detail::pieces_of(count, cpu_piece_elements);
  const auto end_of = [=](std::int64_t piece) { return std::min((piece + 1) * cpu_piece_elements, count); };

  // 1. Count the segments that start in each piece.
  const temporary_storage<Policy> starts_storage(
    policy, algorithm, static_cast<std::size_t>(pieces) * sizeof(std::int64_t));
  auto* const starts = static_cast<std::int64_t*>(starts_storage.data());
  detail::run_pieces(
    executor, pieces,
    [&](std::int64_t piece)
    {
      std::int64_t size = 0;
      for (std::int64_t i = piece * cpu_piece_elements; i < end_of(piece); ++i)
      {
        size += segments_by_flags.is_first(i);
      }
      starts[piece] = size;
    });
  std::int64_t num_segments = 0;
  for (std::int64_t piece = 0; piece < pieces; ++piece)
  {
    const std::int64_t size = starts[piece];
    starts[piece] = num_segments;
    num_segments += size;
  }

  // 2. Write their offsets.
  const temporary_storage<Policy> offsets_storage(
    policy, algorithm, static_cast<std::size_t>(num_segments) * sizeof(std::int64_t));
  auto* const offsets = static_cast<std::int64_t*>(offsets_storage.data());
  detail::run_pieces(
    executor, pieces,
    [&](std::int64_t piece)
    {
      std::int64_t* offset = offsets + starts[piece];
      for (std::int64_t i = piece * cpu_piece_elements; i < end_of(piece); ++i)
      {
        if (segments_by_flags.is_first(i))
        {
          *offset++ = i;
        }
      }
    });

  // 3. Sort.
  const offset_segments by_offsets{segments{count, static_cast<const std::int64_t*>(offsets), num_segments}};
  detail::run_sort(backend, policy, algorithm, keys, values, count, by_offsets, comp);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
