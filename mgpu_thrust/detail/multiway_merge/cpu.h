// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Merges of any number of runs on a CPU. Workers take spans of the result, which the multiway path cuts in halves
/// until they are pieces, and merge the parts that a piece has of the runs. Empty runs are left out first. A fold has
/// pieces that begin where a key does.

#include <mgpu_thrust/agent/multiway_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/equal_pieces.h>
#include <mgpu_thrust/detail/cut/runs.h>
#include <mgpu_thrust/detail/execute/cpu_placed_pieces.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/multiway_merge/fold/serial.h>
#include <mgpu_thrust/detail/multiway_merge/job.h>
#include <mgpu_thrust/detail/multiway_merge/merge_parts.h>
#include <mgpu_thrust/detail/multiway_merge/serial.h>

#include <cuda/cmath>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

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
  /// with 32. With several workers they have fewer, if there would not be two pieces for each worker.
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

/// The groups of a piece until their offset in the output is known. There are no more than its capacity: pieces of runs
/// that are not sorted may have more.
template <class Group>
struct group_buffer
{
  static constexpr std::int64_t bytes_per_element = sizeof(Group);

  std::int64_t piece;
  Group* groups;
  std::int64_t capacity;
  std::int64_t stored = 0;
  std::int64_t size = 0;

  group_buffer(std::int64_t number, void* storage, std::int64_t most)
      : piece(number)
      , groups(static_cast<Group*>(storage))
      , capacity(most)
  {
  }
  group_buffer(const group_buffer&) = delete;
  group_buffer& operator=(const group_buffer&) = delete;
  ~group_buffer()
  {
    std::destroy_n(groups, stored);
  }
  void put_group(Group& group)
  {
    if (stored < capacity)
    {
      ::new (static_cast<void*>(groups + stored)) Group(std::move(group));
      size = ++stored;
    }
  }
};

template <class Runs, class Result, class Compare>
struct cpu_work<multiway_merge_job<Runs, Result, Compare>>
{
  using job_type = multiway_merge_job<Runs, Result, Compare>;
  using outputs_type = typename job_type::outputs_type;
  using order_type = typename job_type::order_type;
  using runs_type = listed_runs<Runs>;
  template <class Outputs>
  using merger_to = part_merger<runs_type, Outputs, order_type>;
  using item = typename merger_to<std::conditional_t<is_fold<Result>, folding_outputs<void>, outputs_type>>::item;

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

    // 2. Merge spans of pieces, or fold pieces.
    constexpr int many = (std::numeric_limits<int>::max)();
    const equal_pieces pieces = merge_pieces(list.num_items, list.count, sizeof(item), workers.count(many)).pieces;
    const int num_workers = workers.count(pieces.count());
    const std::int64_t spans =
      num_workers == 1 || is_fold<Result> ? 1 : (std::min)(pieces.count(), 2 * std::int64_t{num_workers});
    const span_memory memory(list.count, pieces, ::cuda::ceil_div(pieces.count(), spans));
    const auto storage = workers.storage(memory.bytes * static_cast<std::size_t>(num_workers));
    const auto merger_of = [&](int worker)
    {
      auto* const all = static_cast<unsigned char*>(storage.data());
      return span_merger(job, list, pieces, memory, all + memory.bytes * static_cast<std::size_t>(worker));
    };
    if constexpr (is_fold<Result>)
    {
      return fold(job, workers, pieces, merger_of);
    }
    else
    {
      workers.run(
        spans,
        [&](int worker, piece_queue& queue)
        {
          span_merger spans_of_worker = merger_of(worker);
          for (std::int64_t span = queue.take(); span >= 0; span = queue.take())
          {
            const std::int64_t first = pieces.begin(pieces.count() * span / spans);
            const std::int64_t last = pieces.begin(pieces.count() * (span + 1) / spans);
            if constexpr (Workers::is_serial)
            {
              spans_of_worker.merge(first, last, outputs);
            }
            else
            {
              outputs_type at = outputs.at(first);
              spans_of_worker.merge(first, last, at);
            }
          }
        });
      if constexpr (Workers::is_serial)
      {
        return job.output.ends(outputs);
      }
      else
      {
        return job.result();
      }
    }
  }

private:
  /// Folds pieces, or everything on the calling thread. The values of a key are folded from left to right in a piece,
  /// so all policies give the same results.
  template <class Workers, class MergerOf>
  static Result fold(const job_type& job, const Workers& workers, const equal_pieces& pieces, const MergerOf& merger_of)
  {
    outputs_type sink = job.output.outputs();
    if constexpr (!Workers::is_serial)
    {
      if (workers.count(pieces.count()) > 1)
      {
        using buffer = group_buffer<run_group<Runs>>;
        return job.output.end(detail::place_pieces<buffer>(
          workers, pieces.count(), pieces.size, pieces.elements, merger_of, [](std::int64_t piece) { return piece; },
          [&](buffer& groups, span_merger& own)
          { own.fold(pieces.begin(groups.piece), pieces.end(groups.piece), groups); },
          [&](const buffer& groups, std::int64_t offset)
          {
            outputs_type at{sink.at(offset)};
            for (std::int64_t i = 0; i < groups.size; ++i)
            {
              at.put_group(groups.groups[i]);
            }
          }));
      }
    }
    merger_of(0).fold(0, pieces.elements, sink);
    return job.output.ends(sink);
  }

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
      const job_type& job, const runs_list<Runs>& list, const equal_pieces& pieces, const span_memory& memory,
      unsigned char* own)
        : job_(job)
        , runs_{job.runs, list.list}
        , num_runs_(list.count)
        , piece_size_(pieces.size)
        , memory_(memory)
        , own_(own)
        , comp_(job.order())
    {
    }

    /// Writes elements [first, last) of the result to the outputs, and advances them. For a fold these are the elements
    /// between the begins of two groups: those that the elements `first` and `last` belong to.
    template <class Outputs>
    void merge(std::int64_t first, std::int64_t last, Outputs& outputs)
    {
      const all_elements<runs_type> all{runs_};
      find(first, all, cut(1));
      find(last, all, cut(2));
      const std::int64_t count = is_fold<Result> ? move_to_groups(cut(1), cut(2)) : last - first;
      auto* const buffer = reinterpret_cast<item*>(own_);
      auto* const other_buffer = reinterpret_cast<item*>(own_ + memory_.buffer_bytes);
      auto* const parts = reinterpret_cast<run_part*>(own_ + 2 * memory_.buffer_bytes);
      merger_to<Outputs> merger(runs_, parts, buffer, other_buffer, comp_);
      merge(count, cut(1), cut(2), 3, merger, outputs);
    }
    /// Folds these elements.
    template <class Sink>
    void fold(std::int64_t first, std::int64_t last, Sink& sink)
    {
      run_folder<Runs, decltype(Result::op), decltype(Result::keep), order_type, Sink> folder{
        job_.output.op, job_.output.keep, comp_, sink};
      folding_outputs<decltype(folder)> outputs{&folder};
      merge(first, last, outputs);
      folder.finish();
    }

  private:
    std::int64_t* cut(int number) const
    {
      return reinterpret_cast<std::int64_t*>(
        own_ + 2 * memory_.buffer_bytes + memory_.parts_bytes + memory_.cut_bytes * static_cast<std::size_t>(number));
    }
    template <class Bounds>
    void find(std::int64_t need, const Bounds& bounds, std::int64_t* found)
    {
      multiway_search<runs_type, std::int64_t*, order_type>(runs_, num_runs_, found, comp_)
        .find(need, bounds, stored_ends<std::int64_t*>{cut(0)});
    }
    template <class Merger, class Outputs>
    void merge(
      std::int64_t count, const std::int64_t* first_cut, const std::int64_t* last_cut, int next_cut, Merger& merger,
      Outputs& outputs)
    {
      if (count <= piece_size_)
      {
        merger.merge(first_cut, last_cut, num_runs_, count, outputs);
        return;
      }
      const std::int64_t before = (::cuda::ceil_div(count, piece_size_) + 1) / 2 * piece_size_;
      std::int64_t* const middle_cut = cut(next_cut);
      find(before, elements_between{first_cut, last_cut}, middle_cut);
      merge(before, first_cut, middle_cut, next_cut + 1, merger, outputs);
      merge(count - before, middle_cut, last_cut, next_cut + 1, merger, outputs);
    }

    /// Moves both cuts to begins of groups, and returns the number of elements between them.
    std::int64_t move_to_groups(std::int64_t* begin, std::int64_t* end)
    {
      move_to_group(begin);
      move_to_group(end);
      std::int64_t count = 0;
      for (std::int64_t run = 0; run < num_runs_; ++run)
      {
        end[run] = (std::max)(begin[run], end[run]); // less if runs are not sorted
        count += end[run] - begin[run];
      }
      return count;
    }
    /// Moves a cut back to the first element whose key equals that of the first one after the cut.
    void move_to_group(std::int64_t* cut)
    {
      const auto key_of = [&](std::int64_t run) -> decltype(auto)
      { return detail::element(runs_.keys_of(run), cut[run]); };
      std::int64_t first = -1;
      for (std::int64_t run = 0; run < num_runs_; ++run)
      {
        if (cut[run] < runs_.size(run) && (first < 0 || comp_(key_of(run), key_of(first))))
        {
          first = run;
        }
      }
      if (first >= 0)
      {
        auto&& key = key_of(first);
        for (std::int64_t run = 0; run < num_runs_; ++run)
        {
          cut[run] -= detail::copies_before(runs_.keys_of(run), cut[run], key, comp_);
        }
      }
    }

    const job_type& job_;
    runs_type runs_;
    std::int64_t num_runs_;
    std::int64_t piece_size_;
    const span_memory& memory_;
    unsigned char* own_;
    order_type comp_;
  };
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
