// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Set operations and merges on a CPU: one pass over pieces that the balanced path or the merge path cuts; or, where
/// the result follows from a search for the elements of a short input, over pieces of these.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/equal_pieces.h>
#include <mgpu_thrust/detail/cut/set_pieces.h>
#include <mgpu_thrust/detail/cut/short_side.h>
#include <mgpu_thrust/detail/execute/cpu_placed_pieces.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/set_operation/adaptive.h>
#include <mgpu_thrust/detail/set_operation/combined_values.h>
#include <mgpu_thrust/detail/set_operation/element_buffer.h>
#include <mgpu_thrust/detail/set_operation/job.h>
#include <mgpu_thrust/detail/set_operation/short_side.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Number of elements of the short side that are searched for before a search for one that is kept may stop.
inline constexpr std::int64_t emptiness_piece_elements = 64;

template <class Operation, class Inputs, class Result, class Compare>
struct cpu_work<set_operation_job<Operation, Inputs, Result, Compare>>
{
  using job_type = set_operation_job<Operation, Inputs, Result, Compare>;
  using result_type = typename job_type::result_type;
  using outputs_type = typename job_type::outputs_type;
  using order_type = typename job_type::order_type;
  using pieces_type = set_pieces<Operation, Inputs, order_type>;

  template <class Workers>
  static result_type run(const job_type& job, const Workers& workers)
  {
    const bool searches = job.searched_side() != short_side::none;
    if constexpr (job_type::writes)
    {
      return searches ? write_by_search(job, workers) : write(job, workers);
    }
    else if constexpr (std::is_same_v<Result, set_emptiness>)
    {
      return is_nothing_kept(job, workers);
    }
    else
    {
      return searches ? job.output.of_size(count_by_search(job, workers)) : count(job, workers);
    }
  }

private:
  template <class Workers>
  static result_type write(const job_type& job, const Workers& workers)
  {
    const outputs_type outputs = job.output.outputs();
    order_type comp = job.order();
    if constexpr (!Workers::is_serial)
    {
      const pieces_type pieces{job.inputs, comp};
      if constexpr (!Operation::matches)
      {
        // A merge's pieces have known output offsets, so each is written directly.
        workers.run_pieces(
          pieces.count(), comp,
          [&](std::int64_t piece, order_type& own_comp)
          {
            const std::int64_t offset = piece * cpu_piece_elements;
            detail::write_set_operation(
              Operation{}, pieces[piece], outputs_type{outputs.keys + offset, outputs.values + offset}, own_comp);
          });
        return job.result();
      }
      else if (workers.count(pieces.count()) > 1)
      {
        return job.output.of_size(write_counted(job, workers, pieces, outputs));
      }
    }
    return job.output.ends(detail::write_set_operation(Operation{}, job.inputs, outputs, comp));
  }

  /// Writes pieces whose output offsets are counted. Returns the number of elements.
  template <class Workers>
  static std::int64_t
  write_counted(const job_type& job, const Workers& workers, const pieces_type& pieces, const outputs_type& outputs)
  {
    // Room for the result of a piece: its elements, one that a starred diagonal adds, one that a step writes and does
    // not keep. (The loop over all copies of a key stays within that, as it stops before the end.)
    using buffer = element_buffer<Inputs, decltype(outputs_type::values), std::int32_t>;
    constexpr std::int64_t capacity = cpu_piece_elements + 16;
    return detail::place_pieces<buffer>(
      workers, pieces.count(), capacity, detail::max_kept(Operation{}, job.inputs), [&](int) { return job.order(); },
      [&](std::int64_t piece) { return pieces[piece]; },
      [&](buffer& result, order_type& own_comp) { detail::buffer_set_operation(Operation{}, result, own_comp); },
      [&](buffer& result, std::int64_t offset)
      {
        outputs_type at{outputs.keys + offset, outputs.values + offset};
        result.flush(Operation{}, at);
      });
  }

  /// Counts the elements that are kept, in the pieces in which they are written: so both agree even on unsorted inputs.
  template <class Workers>
  static std::int64_t count(const job_type& job, const Workers& workers)
  {
    order_type comp = job.order();
    const pieces_type pieces{job.inputs, comp};
    if (workers.count(pieces.count()) == 1)
    {
      return detail::count_set_operation(Operation{}, job.inputs, comp);
    }
    std::atomic<std::int64_t> size{0};
    workers.run_pieces(
      pieces.count(), comp,
      [&](std::int64_t piece, order_type& own_comp) {
        size.fetch_add(detail::count_set_operation(Operation{}, pieces[piece], own_comp), std::memory_order_relaxed);
      });
    return (std::min)(size.load(std::memory_order_relaxed), detail::max_kept(Operation{}, job.inputs));
  }

  /// The elements of the short side, in pieces.
  static equal_pieces short_pieces(const job_type& job, std::int64_t elements = cpu_short_piece_elements)
  {
    return {job.searched_side() == short_side::a ? job.inputs.a_count : job.inputs.b_count, elements};
  }

  template <class Workers>
  static result_type write_by_search(const job_type& job, const Workers& workers)
  {
    using sink_type = write_sink<Inputs, outputs_type>;
    const Inputs& inputs = job.inputs;
    const equal_pieces pieces = short_pieces(job);
    using kept_type = match_buffer<combines_values<decltype(outputs_type::values)>>;
    const auto fill = [&](kept_type& kept, order_type& own_comp)
    {
      const std::int64_t end = (std::min)(kept.first_needle + pieces.size, pieces.elements);
      detail::match_short_side<true>(Operation{}, inputs, kept.first_needle, end, own_comp, kept);
    };
    if constexpr (!Workers::is_serial)
    {
      if (workers.count(pieces.count()) > 1)
      {
        const std::int64_t size = detail::place_pieces<kept_type>(
          workers, pieces.count(), pieces.size, detail::max_kept(Operation{}, inputs), [&](int) { return job.order(); },
          [&](std::int64_t piece) { return pieces.begin(piece); }, fill,
          [&](const kept_type& kept, std::int64_t offset)
          {
            const outputs_type outputs = job.output.outputs();
            sink_type sink{inputs, {outputs.keys + offset, outputs.values + offset}};
            kept.flush(inputs.a, sink);
          });
        return job.output.of_size(size);
      }
    }
    order_type comp = job.order();
    sink_type sink{inputs, job.output.outputs()};
    std::int64_t storage[cpu_short_piece_elements * kept_type::numbers_per_element];
    for (std::int64_t piece = 0; piece < pieces.count(); ++piece)
    {
      kept_type kept(pieces.begin(piece), storage, pieces.size);
      fill(kept, comp);
      kept.flush(inputs.a, sink);
    }
    return job.output.ends(sink.outputs);
  }

  /// Counts the matches of a piece of the short side.
  static std::int64_t
  count_matches(const job_type& job, const equal_pieces& pieces, std::int64_t piece, order_type& comp)
  {
    match_counter found;
    detail::match_short_side<false>(
      set_intersection_t{}, job.inputs, pieces.begin(piece), pieces.end(piece), comp, found);
    return found.size;
  }
  template <class Workers>
  static std::int64_t count_by_search(const job_type& job, const Workers& workers)
  {
    const equal_pieces pieces = short_pieces(job);
    std::atomic<std::int64_t> matches{0};
    workers.run_pieces(
      pieces.count(), job.order(),
      [&](std::int64_t piece, order_type& own_comp)
      { matches.fetch_add(count_matches(job, pieces, piece, own_comp), std::memory_order_relaxed); });
    return detail::size_of_matches(Operation{}, job.inputs, matches.load(std::memory_order_relaxed));
  }

  template <class Workers>
  static bool is_nothing_kept(const job_type& job, const Workers& workers)
  {
    static_assert(std::is_same_v<Operation, set_operation<false, false, true>>);
    if (job.searched_side() == short_side::b)
    {
      const equal_pieces pieces = short_pieces(job, emptiness_piece_elements);
      return is_nothing_kept(
        workers, pieces.count(), job.order(),
        [&](std::int64_t piece, order_type& own_comp)
        { return count_matches(job, pieces, piece, own_comp) == pieces.end(piece) - pieces.begin(piece); });
    }
    const pieces_type pieces{job.inputs, job.order()};
    return is_nothing_kept(
      workers, pieces.count(), job.order(),
      [&](std::int64_t piece, order_type& own_comp)
      { return detail::count_set_operation(Operation{}, pieces[piece], own_comp) == 0; });
  }

  /// Stops at the first piece for which is_empty(piece, comp) is false, and returns whether there is none.
  template <class Workers, class IsEmpty>
  static bool is_nothing_kept(const Workers& workers, std::int64_t pieces, const order_type& comp, IsEmpty is_empty)
  {
    std::atomic<bool> empty{true};
    const auto work = [&](int, piece_queue& queue)
    {
      order_type own_comp = comp;
      for (std::int64_t piece = queue.take(); piece >= 0; piece = queue.take())
      {
        if (!is_empty(piece, own_comp))
        {
          empty.store(false, std::memory_order_relaxed);
          queue.stop();
        }
      }
    };
    workers.run(pieces, work);
    return empty.load(std::memory_order_relaxed);
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
