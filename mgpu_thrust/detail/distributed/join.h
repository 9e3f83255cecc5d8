// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How the ranks of a communicator join two inputs.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/distributed/distributed_policy.h>
#include <mgpu_thrust/detail/distributed/divided_key.h>
#include <mgpu_thrust/detail/distributed/exchanged_inputs.h>
#include <mgpu_thrust/detail/distributed/part_indices.h>
#include <mgpu_thrust/detail/distributed/total_size.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/check_types.h>
#include <mgpu_thrust/detail/execute/prepared_job.h>
#include <mgpu_thrust/detail/execute/reserved_job.h>
#include <mgpu_thrust/detail/join/cpu.h>
#include <mgpu_thrust/detail/join/job.h>
#include <mgpu_thrust/detail/join/rows/layout.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/detail/join/launch.cuh>
#endif

#include <thrust/execution_policy.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The parts of both inputs that a rank joins. Cuts are on the merge path, so copies of a key come to consecutive
/// ranks. The rows of a key that a cut divides follow from the numbers of its copies. All other keys are on one rank,
/// which joins them as without ranks. So its rows are, in this order: some of the key that it has in common with lower
/// ranks, those of its own keys, some of the key that it has in common with higher ranks.
template <class Kind, class Communicator, class Policy, class Inputs, class Compare>
class exchanged_join
{
public:
  template <class Job>
  exchanged_join(distributed_policy<Communicator, Policy>& policy, const char* algorithm, const Job& job)
      : rank_(policy.communicator().rank())
      , num_ranks_(policy.communicator().size())
      , algorithm_(algorithm)
      , comp_(job.comp)
      , inputs_(policy, algorithm, job, cut_path::merge_and_copies, Kind::keeps_left)
  {
    static_assert(
      !Kind::keeps_right, "mgpu_thrust: this function has no form for the ranks of a communicator, as its right "
                          "elements without a match come after the rows of all ranks; a left join of exchanged inputs "
                          "has the rows of a right join");
  }

  /// Executes all rounds. `prepare` is called when the rows of divided keys are known.
  template <class Prepare>
  void find_cuts(Prepare prepare)
  {
    inputs_.find_cuts(
      [&]
      {
        divide();
        prepare();
      });
  }
  void exchange() const
  {
    inputs_.exchange();
  }
  /// Checks that the output can hold the indices of the whole inputs.
  template <class Result>
  void check_indices(size_checks check, const Result& output) const
  {
    output.check_sizes(check, inputs_.whole_size(0), inputs_.whole_size(1));
  }

  /// The job that joins own keys, whose first row is row `first` of the output.
  template <class Result>
  auto own_job(const Result& output, std::int64_t first) const
  {
    const auto parts = inputs_.parts();
    const std::int64_t a = inputs_.part_position(0);
    const std::int64_t b = inputs_.part_position(1);
    return join_job(
      Kind{}, parts.piece(begin_.i - a, begin_.j - b, end_.i - a, end_.j - b, parts.a_count + parts.b_count),
      own_output(output, first), comp_);
  }
  template <class Left, class Right>
  auto own_output(const join_result<Left, Right>& output, std::int64_t first) const
  {
    return join_result{
      detail::output_of_part(output.left + first, begin_.i), detail::output_of_part(output.right + first, begin_.j)};
  }
  static join_size own_output(join_size output, std::int64_t)
  {
    return output;
  }

  /// The number of this rank's rows before those of own keys.
  std::int64_t own_begin() const
  {
    return first_.count;
  }
  /// The number of this rank's rows, given that of its own keys.
  std::int64_t num_rows(std::int64_t own_rows) const
  {
    const std::int64_t rows = detail::saturating_sum(detail::saturating_sum(first_.count, own_rows), last_.count);
    size_checks(algorithm_).row_count(rows);
    return rows;
  }
  /// Writes those of divided keys that are wanted, given the number of rows of own keys.
  template <class Result>
  void write_divided(Policy& policy, std::int64_t own_rows, row_range wanted, const Result& output) const
  {
    detail::write_rows(policy, first_, 0, wanted, output.left, output.right);
    detail::write_rows(policy, last_, first_.count + own_rows, wanted, output.left, output.right);
  }

private:
  /// The key that the cut above a rank divides.
  divided_key key_above(int rank) const
  {
    if (rank < 0 || rank == num_ranks_ - 1)
    {
      return {};
    }
    size_checks check(algorithm_);
    return {inputs_.copies(rank), inputs_.part_begin(0, rank + 1), inputs_.part_begin(1, rank + 1), check};
  }
  void divide()
  {
    // 1. Rows of keys in common. One key may be on ranks on both sides.
    const divided_key low = key_above(rank_ - 1);
    const divided_key high = key_above(rank_);
    const bool is_one_key = low.is_divided && high.is_divided && low.copies.b_begin == high.copies.b_begin;
    first_ = low.rows(low.rows_before, is_one_key ? high.rows_before : low.num_rows);
    last_ = is_one_key ? rows_of_key{} : high.rows(0, high.rows_before);

    // 2. Where own keys are. Copies in inputs that are not sorted may be anywhere.
    const auto in_part = [&](int sequence, std::int64_t index)
    { return std::clamp(index, inputs_.part_begin(sequence, rank_), inputs_.part_begin(sequence, rank_ + 1)); };
    constexpr std::int64_t end = INT64_MAX;
    begin_ = {in_part(0, low.is_divided ? low.copies.a_end : 0), in_part(1, low.is_divided ? low.copies.b_end : 0)};
    end_ = {
      in_part(0, high.is_divided ? high.copies.a_begin : end), in_part(1, high.is_divided ? high.copies.b_begin : end)};
  }

  int rank_;
  int num_ranks_;
  const char* algorithm_;
  Compare comp_;
  exchanged_inputs<Communicator, Policy, Inputs, Compare> inputs_;
  rows_of_key first_;
  rows_of_key last_;
  set_position begin_{}; ///< of own keys, as indices in the whole inputs
  set_position end_{};
};

/// A join that writes the rows of each rank, or counts those of all ranks.
template <class Kind, class KeysA, class KeysB, class Result, class Compare>
struct distributed_work<join_job<Kind, set_inputs<KeysA, no_values, KeysB, no_values>, Result, Compare>>
{
  using inputs_type = set_inputs<KeysA, no_values, KeysB, no_values>;
  using job_type = join_job<Kind, inputs_type, Result, Compare>;
  using result_type = typename job_type::result_type;

  template <class Communicator, class Policy>
  static result_type run(distributed_policy<Communicator, Policy>& policy, const char* algorithm, const job_type& job)
  {
    Communicator& communicator = policy.communicator();
    Policy& local = policy.local();
    if constexpr (Result::writes)
    {
      detail::check_scattered_output<decltype(Result::left)>();
      detail::check_scattered_output<decltype(Result::right)>();
    }
    // 1. Find the cuts.
    exchanged_join<Kind, Communicator, Policy, inputs_type, Compare> join(policy, algorithm, job);
    const auto job_of_own_keys = [&] { return join.own_job(job.output, join.own_begin()); };
    std::optional<reserved_job<Policy, decltype(job_of_own_keys())>> own_job;
    join.find_cuts(
      [&]
      {
        join.check_indices(size_checks(algorithm), job.output);
        own_job.emplace(local, algorithm, job_of_own_keys());
      });

    // 2. Move elements.
    join.exchange();

    // 3. Join.
    if constexpr (Result::writes)
    {
      const auto own_end = own_job->execute().first.base();
      const std::int64_t own_rows = own_end - detail::unwrap(job.output.left) - join.own_begin();
      const std::int64_t rows = join.num_rows(own_rows);
      join.write_divided(local, own_rows, {0, rows}, job.output);
      return job.output.of_size(rows);
    }
    else
    {
      return detail::total_size(communicator, algorithm, [&] { return join.num_rows(own_job->execute()); });
    }
  }
};

/// The first half of a plan: elements have moved, and the rows of this rank are counted. If a rank fails, all throw.
template <class Communicator, class Policy, class Kind, class Inputs, class Compare>
class prepared_job<distributed_policy<Communicator, Policy>, join_job<Kind, Inputs, join_size, Compare>>
{
  using policy_type = distributed_policy<Communicator, Policy>;
  using job_type = join_job<Kind, Inputs, join_size, Compare>;
  using join_type = exchanged_join<Kind, Communicator, Policy, Inputs, Compare>;
  using own_job_type = decltype(std::declval<join_type&>().own_job(join_size{}, 0));

public:
  prepared_job(const thrust::execution_policy<policy_type>& policy, const char* algorithm, const job_type& job)
      : policy_(detail::derived(policy))
      , job_(job)
      , join_(policy_, algorithm, job_)
  {
    join_.find_cuts([] {});
    join_.exchange();
    (void) detail::total_size(
      policy_.communicator(), algorithm,
      [&]
      {
        own_.emplace(policy_.local(), algorithm, join_.own_job(job_.output, 0));
        count_ = join_.num_rows(own_->count());
        return std::int64_t{0};
      });
  }
  prepared_job(const prepared_job&) = delete;
  prepared_job& operator=(const prepared_job&) = delete;

  const job_type& job() const
  {
    return job_;
  }
  /// The number of rows of this rank.
  std::int64_t count() const
  {
    return count_;
  }
  /// No storage that a job on the caller's inputs could read.
  void* storage() const
  {
    return nullptr;
  }

  /// Writes some of this rank's rows.
  template <class RowsJob>
  typename RowsJob::result_type execute(const char* algorithm, const RowsJob& rows_job)
  {
    RowsJob::template check_types<backend_t<Policy>>();
    size_checks check(algorithm);
    rows_job.check_sizes(check);
    join_.check_indices(check, rows_job.output);

    const row_range wanted = rows_job.wanted.rows;
    const auto own_row = [&](std::int64_t row)
    { return std::clamp(row - join_.own_begin(), std::int64_t{0}, own_->count()); };
    const wanted_rows own_rows{{own_row(wanted.first), own_row(wanted.last)}, own_->count()};
    const std::int64_t to = std::clamp(join_.own_begin() - wanted.first, std::int64_t{0}, wanted.size());
    const auto output = join_.own_output(rows_job.output, to);
    (void) own_->execute(
      algorithm, join_rows_job(Kind{}, own_->storage(), own_->job().inputs, own_rows, output, job_.comp));
    join_.write_divided(policy_.local(), own_->count(), wanted, rows_job.output);
    return rows_job.result();
  }

private:
  policy_type policy_;
  job_type job_;
  join_type join_;
  std::optional<prepared_job<Policy, own_job_type>> own_;
  std::int64_t count_ = 0;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
