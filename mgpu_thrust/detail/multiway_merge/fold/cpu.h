// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Folds of runs on a CPU. The pieces of the merge begin where a key does, so each is folded by itself, from left to
/// right, and all policies give the same results.

#include <mgpu_thrust/agent/multiway_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/equal_pieces.h>
#include <mgpu_thrust/detail/execute/cpu_placed_pieces.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/multiway_merge/fold/job.h>
#include <mgpu_thrust/detail/multiway_merge/fold/serial.h>
#include <mgpu_thrust/detail/multiway_merge/merge_parts.h>
#include <mgpu_thrust/detail/multiway_merge/piece_cuts.h>

#include <cuda/std/iterator>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The groups of a piece until their offset in the output is known, or their number alone. It takes no more than its
/// capacity: pieces of runs that are not sorted may have more.
template <class Group, bool AreStored>
struct fold_buffer
{
  static constexpr std::int64_t bytes_per_element = AreStored ? sizeof(Group) : 0;

  std::int64_t piece;
  Group* groups;
  std::int64_t capacity;
  std::int64_t stored = 0;
  std::int64_t size = 0;

  fold_buffer(std::int64_t number, void* storage, std::int64_t most)
      : piece(number)
      , groups(static_cast<Group*>(storage))
      , capacity(most)
  {
  }
  fold_buffer(const fold_buffer&) = delete;
  fold_buffer& operator=(const fold_buffer&) = delete;
  ~fold_buffer()
  {
    std::destroy_n(groups, stored);
  }
  void put(Group& group)
  {
    if (size < capacity)
    {
      if constexpr (AreStored)
      {
        ::new (static_cast<void*>(groups + stored)) Group(std::move(group));
        ++stored;
      }
      ++size;
    }
  }
};

/// Folds ranges of the merge of a job's runs, with the memory of a worker.
template <class Job>
class range_folder
{
  using order_type = typename Job::order_type;
  using runs_type = listed_runs<decltype(Job::runs)>;
  template <class Sink>
  using folder_type = run_folder<runs_type, decltype(Job::op), decltype(Job::keep), order_type, Sink>;

public:
  template <class Sink>
  using merger_to = part_merger<runs_type, folding_outputs<folder_type<Sink>>, order_type>;

  range_folder(
    const Job& job, const runs_list<decltype(Job::runs)>& list, const equal_pieces& pieces, const piece_memory& memory,
    unsigned char* own)
      : job_(job)
      , comp_(job.order())
      , runs_{job.runs, list.list}
      , num_runs_(list.count)
      , memory_(memory)
      , own_(own)
      , cuts_(runs_, list.count, pieces.size, memory, own, comp_)
  {
  }
  range_folder(const range_folder&) = delete;
  range_folder& operator=(const range_folder&) = delete;

  /// Folds the groups that begin in [first, last) of the merge, or rather between the begins of the groups that have its
  /// elements `first` and `last`.
  template <class Sink>
  void fold(std::int64_t first, std::int64_t last, Sink& sink)
  {
    std::int64_t* const begin = cuts_.cut(piece_memory::begin_cut);
    std::int64_t* const end = cuts_.cut(piece_memory::end_cut);
    find_group(first, begin);
    find_group(last, end);
    std::int64_t count = 0;
    for (std::int64_t run = 0; run < num_runs_; ++run)
    {
      end[run] = (std::max)(begin[run], end[run]); // less if runs are not sorted
      count += end[run] - begin[run];
    }

    using item = typename merger_to<Sink>::item;
    merger_to<Sink> merger(
      runs_, memory_.parts(own_), memory_.buffer<item>(own_, 0), memory_.buffer<item>(own_, 1), comp_);
    folder_type<Sink> folder(job_.op, job_.keep, comp_, sink);
    folding_outputs<folder_type<Sink>> outputs{&folder};
    auto merge = [&](const std::int64_t* from, const std::int64_t* to, std::int64_t size)
    { merger.merge(from, to, num_runs_, size, outputs); };
    cuts_.divide(count, begin, end, merge);
    folder.finish();
  }

private:
  /// Finds the cut before an element of the merge, and moves it back to the first element with the same key.
  void find_group(std::int64_t element, std::int64_t* cut)
  {
    cuts_.find(element, all_elements<runs_type>{runs_}, cut);
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

  const Job& job_;
  order_type comp_;
  runs_type runs_;
  std::int64_t num_runs_;
  const piece_memory& memory_;
  unsigned char* own_;
  piece_cuts<runs_type, order_type> cuts_;
};

template <class Runs, class Op, class Keep, class Result, class Compare>
struct cpu_work<fold_job<Runs, Op, Keep, Result, Compare>>
{
  using job_type = fold_job<Runs, Op, Keep, Result, Compare>;
  using result_type = typename job_type::result_type;
  using folder_type = range_folder<job_type>;
  using sink_type = decltype(std::declval<const job_type&>().sink());
  using group = folded_group<
    typename ::cuda::std::iterator_traits<typename Runs::run_keys>::value_type, typename job_type::value_type>;
  using buffer = fold_buffer<group, job_type::writes>;

  template <class Workers>
  static result_type run(const job_type& job, const Workers& workers)
  {
    // 1. List the runs.
    workers.check().items_in_memory(job.runs.num_runs, 8 * sizeof(listed_run));
    const auto list_storage = workers.storage(static_cast<std::size_t>(job.runs.num_runs) * sizeof(listed_run));
    const runs_list<Runs> list(job.runs, static_cast<listed_run*>(list_storage.data()));
    if (list.num_items == 0)
    {
      return job.empty_result();
    }

    // 2. Fold pieces, or everything on the calling thread.
    constexpr std::size_t item_bytes = sizeof(typename folder_type::template merger_to<sink_type>::item);
    const int all_workers = workers.count((std::numeric_limits<int>::max)());
    const equal_pieces pieces = merge_pieces(list.num_items, list.count, item_bytes, all_workers).pieces;
    const piece_memory memory(list.count, pieces, pieces.count(), item_bytes);
    const auto storage = workers.storage(memory.bytes * static_cast<std::size_t>(workers.count(pieces.count())));
    const auto own_of = [&](int worker)
    {
      auto* const all = static_cast<unsigned char*>(storage.data());
      return folder_type(job, list, pieces, memory, all + memory.bytes * static_cast<std::size_t>(worker));
    };
    if constexpr (!Workers::is_serial)
    {
      if (workers.count(pieces.count()) > 1)
      {
        return job.output.of_size(detail::place_pieces<buffer>(
          workers, pieces.count(), pieces.size, list.num_items, own_of, [](std::int64_t piece) { return piece; },
          [&](buffer& groups, folder_type& own)
          { own.fold(pieces.begin(groups.piece), pieces.end(groups.piece), groups); },
          [&](const buffer& groups, std::int64_t offset) { write(job, groups, offset); }));
      }
    }
    sink_type sink = job.sink();
    own_of(0).fold(0, list.num_items, sink);
    return job.result_in(sink);
  }

private:
  static void write(const job_type& job, const buffer& groups, std::int64_t offset)
  {
    if constexpr (job_type::writes)
    {
      sink_type all = job.sink();
      sink_type sink{all.keys + offset, all.values + offset};
      for (std::int64_t i = 0; i < groups.size; ++i)
      {
        sink.put(groups.groups[i]);
      }
    }
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
