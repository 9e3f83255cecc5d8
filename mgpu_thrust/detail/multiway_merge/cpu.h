// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Merges of any number of runs on a CPU. Workers take spans of the result, which the multiway path cuts in halves
/// until they are pieces, and merge the parts that a piece has of the runs. Empty runs are left out first.

#include <mgpu_thrust/agent/multiway_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/equal_pieces.h>
#include <mgpu_thrust/detail/cut/runs.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/multiway_merge/job.h>
#include <mgpu_thrust/detail/multiway_merge/merge_parts.h>
#include <mgpu_thrust/detail/multiway_merge/serial.h>

#include <cuda/cmath>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Lists the runs that are not empty. Their sizes are num_items in total at most.
template <class Runs>
struct runs_list
{
  listed_run* list;
  std::int64_t count = 0;
  std::int64_t num_items = 0;

  runs_list(const Runs& runs, listed_run* room)
      : list(room)
  {
    for (std::int64_t run = 0; run < runs.num_runs; ++run)
    {
      const std::int64_t end = detail::items_with_run(num_items, runs.size(run), runs.num_items);
      if (end > num_items)
      {
        list[count++] = {run, end - num_items, detail::begin_of_run(runs, run)};
        num_items = end;
      }
    }
  }
};

/// The pieces of the result of a merge.
struct merge_pieces
{
  equal_pieces pieces;

  /// Pieces have as many bytes as in other families. With many runs they have so many elements of each run, on average,
  /// that to cut them takes a fraction of the time: in 1,024 runs 2.8 of 18 ns an element with 128 of each, 8.5 of 27
  /// with
  /// 32. With several workers they have fewer, if there would not be two pieces for each worker.
  static constexpr std::int64_t max_elements_of_run = 128;
  static constexpr std::int64_t min_elements_of_run = 16;

  merge_pieces(std::int64_t num_items, std::int64_t num_runs, std::size_t item_bytes, int workers)
      : pieces{num_items}
  {
    constexpr std::int64_t largest = std::int64_t{1} << 31; // part_element counts to 2^32
    const auto words = static_cast<std::int64_t>(::cuda::ceil_div(item_bytes, sizeof(std::int64_t)));
    const std::int64_t per_worker = ::cuda::ceil_div(num_items, 2 * std::int64_t{workers});
    const std::int64_t of_many_runs =
      (std::min)((std::max)(per_worker, min_elements_of_run * num_runs), max_elements_of_run * num_runs);
    pieces.size = (std::min)((std::max)(cpu_piece_elements / words, of_many_runs), largest);
  }
};

template <class Runs, class Result, class Compare>
struct cpu_work<multiway_merge_job<Runs, Result, Compare>>
{
  using job_type = multiway_merge_job<Runs, Result, Compare>;
  using outputs_type = typename job_type::outputs_type;
  using order_type = typename job_type::order_type;
  using runs_type = listed_runs<Runs>;
  using merger = part_merger<runs_type, outputs_type, order_type>;
  using item = typename merger::item;

  template <class Workers>
  static Result run(const job_type& job, const Workers& workers)
  {
    // 1. List the runs.
    const Runs& runs = job.runs;
    workers.check().items_in_memory(runs.num_runs, 8 * sizeof(listed_run));
    const auto list_storage = workers.storage(static_cast<std::size_t>(runs.num_runs) * sizeof(listed_run));
    const runs_list<Runs> list(runs, static_cast<listed_run*>(list_storage.data()));
    outputs_type outputs = job.output.outputs();
    if (list.num_items == 0)
    {
      return job.empty_result();
    }

    // 2. Merge spans of pieces.
    constexpr int many = (std::numeric_limits<int>::max)();
    const equal_pieces pieces = merge_pieces(list.num_items, list.count, sizeof(item), workers.count(many)).pieces;
    const int num_workers = workers.count(pieces.count());
    const std::int64_t spans = num_workers == 1 ? 1 : (std::min)(pieces.count(), 2 * std::int64_t{num_workers});
    const span_memory memory(list.count, pieces, ::cuda::ceil_div(pieces.count(), spans));
    const auto storage = workers.storage(memory.bytes * static_cast<std::size_t>(num_workers));
    const auto work = [&](int worker, piece_queue& queue)
    {
      unsigned char* const own =
        static_cast<unsigned char*>(storage.data()) + memory.bytes * static_cast<std::size_t>(worker);
      order_type comp = job.order();
      span_merger spans_of_worker(runs_type{runs, list.list}, list, pieces, memory, own, comp);
      for (std::int64_t span = queue.take(); span >= 0; span = queue.take())
      {
        const std::int64_t first = pieces.count() * span / spans;
        const std::int64_t last = pieces.count() * (span + 1) / spans;
        if constexpr (Workers::is_serial)
        {
          spans_of_worker.merge(first, last, outputs);
        }
        else
        {
          outputs_type at = outputs.at(pieces.begin(first));
          spans_of_worker.merge(first, last, at);
        }
      }
    };
    workers.run(spans, work);
    if constexpr (Workers::is_serial)
    {
      return job.output.ends(outputs);
    }
    else
    {
      return job.result();
    }
  }

private:
  /// The memory of a worker: two buffers of items, cuts of all runs, and the parts of a piece.
  struct span_memory
  {
    std::size_t buffer_bytes;
    std::size_t cut_bytes;
    std::size_t parts_bytes;
    int levels; ///< how many times a span is cut in halves
    std::size_t bytes;

    span_memory(std::int64_t num_runs, const equal_pieces& pieces, std::int64_t pieces_of_span)
        : buffer_bytes(round_up(static_cast<std::size_t>((std::min)(pieces.size, pieces.elements)) * sizeof(item)))
        , cut_bytes(round_up(static_cast<std::size_t>(num_runs) * sizeof(std::int64_t)))
        , parts_bytes(round_up(static_cast<std::size_t>(num_runs + 1) * sizeof(run_part)))
        , levels(::cuda::ilog2(2 * pieces_of_span - 1))
        , bytes(2 * buffer_bytes + (static_cast<std::size_t>(levels) + 3) * cut_bytes + parts_bytes)
    {
    }
    static std::size_t round_up(std::size_t size)
    {
      return ::cuda::round_up(size, std::size_t{64});
    }
  };

  /// Merges spans of pieces, with the memory of a worker.
  class span_merger
  {
  public:
    span_merger(
      const runs_type& runs, const runs_list<Runs>& list, const equal_pieces& pieces, const span_memory& memory,
      unsigned char* own, order_type& comp)
        : runs_(runs)
        , list_(list)
        , pieces_(pieces)
        , memory_(memory)
        , cuts_(own + 2 * memory.buffer_bytes + memory.parts_bytes)
        , comp_(comp)
        , merger_(
            runs, reinterpret_cast<run_part*>(own + 2 * memory.buffer_bytes), reinterpret_cast<item*>(own),
            reinterpret_cast<item*>(own + memory.buffer_bytes), comp)
    {
    }

    /// Writes pieces [first, last) to the outputs, and advances them.
    void merge(std::int64_t first, std::int64_t last, outputs_type& outputs)
    {
      const all_elements<runs_type> all{runs_};
      find(pieces_.begin(first), all, cut(1));
      find(pieces_.begin(last), all, cut(2));
      merge(first, last, cut(1), cut(2), 3, outputs);
    }

  private:
    std::int64_t* cut(int number) const
    {
      return reinterpret_cast<std::int64_t*>(cuts_ + memory_.cut_bytes * static_cast<std::size_t>(number));
    }
    template <class Bounds>
    void find(std::int64_t need, const Bounds& bounds, std::int64_t* found)
    {
      multiway_search<runs_type, std::int64_t*, order_type>(runs_, list_.count, found, comp_)
        .find(need, bounds, stored_ends<std::int64_t*>{cut(0)});
    }
    void merge(
      std::int64_t first, std::int64_t last, const std::int64_t* first_cut, const std::int64_t* last_cut, int next_cut,
      outputs_type& outputs)
    {
      if (last - first == 1)
      {
        merger_.merge(first_cut, last_cut, list_.count, pieces_.end(first) - pieces_.begin(first), outputs);
        return;
      }
      const std::int64_t middle = first + (last - first + 1) / 2;
      std::int64_t* const middle_cut = cut(next_cut);
      find(pieces_.begin(middle) - pieces_.begin(first), elements_between{first_cut, last_cut}, middle_cut);
      merge(first, middle, first_cut, middle_cut, next_cut + 1, outputs);
      merge(middle, last, middle_cut, last_cut, next_cut + 1, outputs);
    }

    runs_type runs_;
    const runs_list<Runs>& list_;
    const equal_pieces& pieces_;
    const span_memory& memory_;
    unsigned char* cuts_;
    order_type& comp_;
    merger merger_;
  };
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
