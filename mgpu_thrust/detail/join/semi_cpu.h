// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Semi and anti joins on the CPU backends: one pass over pieces of equally many rows of the left input, each of which
/// is searched for in the whole right input.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/set_pieces.h>
#include <mgpu_thrust/detail/execute/cpu_executors.h>
#include <mgpu_thrust/detail/execute/cpu_placed_pieces.h>
#include <mgpu_thrust/detail/join/semi_serial.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Number of rows of a worker's piece; and of those that the calling thread searches for at a time, with its results on
/// the stack.
inline constexpr std::int64_t cpu_piece_rows = std::int64_t{1} << 14;
inline constexpr std::int64_t cpu_rows_at_a_time = std::int64_t{1} << 12;

/// Searches for all rows on the calling thread, cpu_rows_at_a_time at a time: for these, calls make_sink(first row),
/// and done(sink) when their results are in that sink.
template <class Inputs, class Compare, class MakeSink, class Done>
void search_all_rows(const Inputs& inputs, Compare& comp, MakeSink make_sink, Done done)
{
  std::int64_t at = 0;
  for (std::int64_t begin = 0; begin < inputs.a_count; begin += cpu_rows_at_a_time)
  {
    auto sink = make_sink(begin);
    const std::int64_t end = std::min(begin + cpu_rows_at_a_time, inputs.a_count);
    at = detail::search_rows(inputs, begin, end, at, comp, sink);
    done(sink);
  }
}

/// Writes the numbers of the rows that are kept. Returns the output advanced past them.
template <class Backend, class Policy, class Filter, class Inputs, class Output, class Compare>
Output run_semi_join(
  Backend backend, Policy& policy, const char* algorithm, Filter, const Inputs& inputs, Output output, Compare comp)
{
  if constexpr (!std::is_same_v<Backend, serial_backend>)
  {
    const auto executor = detail::executor_of(backend);
    const std::int64_t pieces = detail::pieces_of(inputs.a_count, cpu_piece_rows);
    const int workers = detail::useful_workers(executor, pieces);
    if (workers > 1)
    {
      using buffer = row_buffer<Filter>;
      const std::int64_t size = detail::place_pieces<buffer>(
        executor, workers, pieces, policy, algorithm, cpu_piece_rows, inputs.a_count, comp,
        [](std::int64_t piece) { return piece * cpu_piece_rows; },
        [&](buffer& rows, Compare& own_comp)
        {
          const std::int64_t end = std::min(rows.first_row + cpu_piece_rows, inputs.a_count);
          detail::search_rows(inputs, rows.first_row, end, 0, own_comp, rows);
        },
        [&](const buffer& rows, std::int64_t offset)
        {
          Output at{output.result + offset};
          rows.flush(at);
        });
      return {output.result + size};
    }
  }
  using buffer = row_buffer<Filter>;
  typename buffer::number storage[cpu_rows_at_a_time];
  detail::search_all_rows(
    inputs, comp, [&](std::int64_t first_row) { return buffer(first_row, storage, cpu_rows_at_a_time); },
    [&](const buffer& rows) { rows.flush(output); });
  return output;
}

/// Counts the rows that are kept, in the same pieces as run_semi_join writes them: the two agree whatever the order of
/// the inputs is.
template <class Backend, class Policy, class Filter, class Inputs, class Compare>
std::int64_t run_semi_join_size(Backend backend, Policy&, const char*, Filter, const Inputs& inputs, Compare comp)
{
  const auto executor = detail::executor_of(backend);
  const std::int64_t pieces = detail::pieces_of(inputs.a_count, cpu_piece_rows);
  const int workers = detail::useful_workers(executor, pieces);
  std::atomic<std::int64_t> size{0};
  const auto add = [&](const row_counter<Filter>& rows) { size.fetch_add(rows.size, std::memory_order_relaxed); };
  if (workers == 1)
  {
    detail::search_all_rows(
      inputs, comp, [](std::int64_t) { return row_counter<Filter>{}; }, add);
    return size.load(std::memory_order_relaxed);
  }
  const auto work = [&](int, piece_queue& queue)
  {
    Compare own_comp = comp;
    for (std::int64_t piece = queue.take(); piece >= 0; piece = queue.take())
    {
      const std::int64_t begin = piece * cpu_piece_rows;
      const std::int64_t end = std::min(begin + cpu_piece_rows, inputs.a_count);
      row_counter<Filter> rows;
      detail::search_rows(inputs, begin, end, 0, own_comp, rows);
      add(rows);
    }
  };
  detail::run_workers(executor, workers, pieces, work);
  return size.load(std::memory_order_relaxed);
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
