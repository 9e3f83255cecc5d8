// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Semi and anti joins on a CPU: one pass over pieces of equally many left rows, which are searched for in the whole
/// right input; or, to count rows by a short right input, over pieces of this one.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/equal_pieces.h>
#include <mgpu_thrust/detail/cut/short_side.h>
#include <mgpu_thrust/detail/execute/cpu_placed_pieces.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/semi_join/job.h>
#include <mgpu_thrust/detail/semi_join/serial.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Number of rows of a worker's piece, and number of rows that the calling thread searches for at a time, with results
/// on the stack.
inline constexpr std::int64_t cpu_piece_rows = std::int64_t{1} << 14;
inline constexpr std::int64_t cpu_rows_at_a_time = std::int64_t{1} << 12;

template <class Filter, class Inputs, class Result, class Compare>
struct cpu_work<semi_join_job<Filter, Inputs, Result, Compare>>
{
  using job_type = semi_join_job<Filter, Inputs, Result, Compare>;
  using result_type = typename job_type::result_type;
  using output_type = typename job_type::output_type;
  using order_type = typename job_type::order_type;

  template <class Workers>
  static result_type run(const job_type& job, const Workers& workers)
  {
    if constexpr (Result::writes)
    {
      return write(job, workers);
    }
    else
    {
      return job.searched_side() == short_side::b ? count_by_right(job, workers) : count(job, workers);
    }
  }

private:
  using buffer = row_buffer<Filter>;

  static equal_pieces pieces_of_rows(const Inputs& inputs)
  {
    return {inputs.a_count, cpu_piece_rows};
  }

  template <class Workers>
  static result_type write(const job_type& job, const Workers& workers)
  {
    const Inputs& inputs = job.inputs;
    order_type comp = job.order();
    output_type output = job.output.output();
    if constexpr (!Workers::is_serial)
    {
      const equal_pieces pieces = pieces_of_rows(inputs);
      if (workers.count(pieces.count()) > 1)
      {
        const std::int64_t size = detail::place_pieces<buffer>(
          workers, pieces.count(), cpu_piece_rows, inputs.a_count, [&](int) { return job.order(); },
          [&](std::int64_t piece) { return pieces.begin(piece); },
          [&](buffer& rows, order_type& own_comp)
          {
            const std::int64_t end = (std::min)(rows.first_row + cpu_piece_rows, inputs.a_count);
            detail::search_rows(inputs, rows.first_row, end, 0, own_comp, rows);
          },
          [&](const buffer& rows, std::int64_t offset)
          {
            output_type at{output.result + offset};
            rows.flush(at);
          });
        return job.output.of_size(size);
      }
    }
    typename buffer::number storage[cpu_rows_at_a_time];
    search_all_rows(
      inputs, comp, [&](std::int64_t first_row) { return buffer(first_row, storage, cpu_rows_at_a_time); },
      [&](const buffer& rows) { rows.flush(output); });
    return job.output.end(output);
  }

  /// Counts the rows that are kept, in the pieces in which they are written: so both agree even on unsorted inputs.
  template <class Workers>
  static std::int64_t count(const job_type& job, const Workers& workers)
  {
    const Inputs& inputs = job.inputs;
    order_type comp = job.order();
    const equal_pieces pieces = pieces_of_rows(inputs);
    std::atomic<std::int64_t> size{0};
    const auto add = [&](const row_counter<Filter>& rows) { size.fetch_add(rows.size, std::memory_order_relaxed); };
    if (workers.count(pieces.count()) == 1)
    {
      search_all_rows(
        inputs, comp, [](std::int64_t) { return row_counter<Filter>{}; }, add);
    }
    else
    {
      workers.run_pieces(
        pieces.count(), comp,
        [&](std::int64_t piece, order_type& own_comp)
        {
          row_counter<Filter> rows;
          detail::search_rows(inputs, pieces.begin(piece), pieces.end(piece), 0, own_comp, rows);
          add(rows);
        });
    }
    return size.load(std::memory_order_relaxed);
  }

  /// Counts the rows that are kept, given the right elements that they equal.
  template <class Workers>
  static std::int64_t count_by_right(const job_type& job, const Workers& workers)
  {
    const Inputs& inputs = job.inputs;
    const equal_pieces pieces{inputs.b_count, cpu_short_piece_elements};
    std::atomic<std::int64_t> matched{0};
    workers.run_pieces(
      pieces.count(), job.order(),
      [&](std::int64_t piece, order_type& own_comp)
      {
        matched.fetch_add(
          detail::count_matched_rows(inputs, pieces.begin(piece), pieces.end(piece), own_comp),
          std::memory_order_relaxed);
      });
    return detail::rows_kept(Filter{}, inputs.a_count, matched.load(std::memory_order_relaxed));
  }

  /// Searches for all rows on the calling thread, cpu_rows_at_a_time at a time: calls make_sink(first_row) before, and
  /// done(sink) when the results are in that sink.
  template <class MakeSink, class Done>
  static void search_all_rows(const Inputs& inputs, order_type& comp, MakeSink make_sink, Done done)
  {
    std::int64_t at = 0;
    for (std::int64_t begin = 0; begin < inputs.a_count; begin += cpu_rows_at_a_time)
    {
      auto sink = make_sink(begin);
      const std::int64_t end = (std::min)(begin + cpu_rows_at_a_time, inputs.a_count);
      at = detail::search_rows(inputs, begin, end, at, comp, sink);
      done(sink);
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
