// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Joins on a CPU: the rows of each piece of the merge path, or of a short side, are counted, which gives their output
/// offsets; then they are written, many rows of a piece in several units.

#include <mgpu_thrust/agent/merge_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/equal_pieces.h>
#include <mgpu_thrust/detail/cut/set_pieces.h>
#include <mgpu_thrust/detail/cut/short_side.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>
#include <mgpu_thrust/detail/join/cpu/streamed_join.h>
#include <mgpu_thrust/detail/join/cpu/streamed_runs.h>
#include <mgpu_thrust/detail/join/job.h>
#include <mgpu_thrust/detail/join/rows/layout.h>
#include <mgpu_thrust/detail/join/serial.h>

#include <cuda/cmath>

#include <algorithm>
#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Number of elements of a piece, and of rows of any unit. A worker walks along a unit's piece from the start, which
/// should take less time than writing the unit's rows.
inline constexpr std::int64_t cpu_join_piece_elements = std::int64_t{1} << 12;
inline constexpr std::int64_t cpu_join_unit_rows = std::int64_t{1} << 17;

/// Returns the last piece for which `member` of the sum before it is at most `number`. (Of a lambda, which is
/// constexpr, nvcc would warn that it calls host functions.)
struct find_piece
{
  const join_counts* first;
  const join_counts* last;

  std::int64_t operator()(std::int64_t join_counts::*member, std::int64_t number) const
  {
    const auto is_above = [member](std::int64_t n, const join_counts& counts) { return n < counts.*member; };
    return std::upper_bound(first, last, number, is_above) - first - 1;
  }
};

/// Minimum number of rows of a result whose long runs are streamed: caches cannot keep it until it is read.
inline constexpr std::int64_t cpu_join_streamed_rows = std::int64_t{1} << 24;

/// A join by workers, in two steps: `count` finds the positions where its pieces begin, in both inputs and in the
/// result, and leaves them in temporary storage; `fill` writes rows, by the same or by a later job.
template <class Kind, class Inputs, class Compare>
class counted_join
{
public:
  /// Bytes of the temporary storage.
  static std::size_t bytes(const Inputs& inputs)
  {
    return static_cast<std::size_t>(piece_count(inputs) + 1) * (sizeof(join_counts) + sizeof(set_position));
  }
  counted_join(const Inputs& inputs, Compare comp, void* storage)
      : inputs_(inputs)
      , comp_(comp)
      , side_(side_of(inputs))
      , pieces_(piece_count(inputs))
      , before_(static_cast<join_counts*>(storage))
      , begins_(reinterpret_cast<set_position*>(before_ + pieces_ + 1))
  {
  }

  /// Returns the number of rows; max_rows if there are more.
  template <class Workers>
  std::int64_t count(const Workers& workers) const
  {
    // 1. Cut the inputs into pieces, and count their rows.
    if (side_ == short_side::none)
    {
      count_groups(workers);
    }
    else
    {
      cut_short_side();
      workers.run_pieces(
        pieces_, comp_,
        [&](std::int64_t piece, Compare& own_comp) { count_piece(piece, begins_[piece + 1], own_comp); });
    }

    // 2. Replace the counts by their exclusive prefix sums.
    join_counts sum{0, 0, 0};
    for (std::int64_t piece = 0; piece < pieces_; ++piece)
    {
      const join_counts own = before_[piece];
      before_[piece] = sum;
      sum = add_join_counts{}(sum, own);
    }
    before_[pieces_] = sum;
    return layout().size();
  }

  /// Writes `rows`, which must be rows of the result, from the start of the outputs on.
  template <class Workers, class Outputs>
  void fill(const Workers& workers, row_range rows, const Outputs& outputs) const
  {
    const join_layout where = layout();
    const row_range pieces = pieces_with(rows);
    const row_range left = rows.intersection({0, where.left_rows()});
    const std::int64_t extra_units = where.has_extra() ? ::cuda::ceil_div(left.size(), cpu_join_unit_rows) : 0;
    const auto work = [&](std::int64_t number)
    {
      const piece_rows unit = number < pieces.size()
                                ? first_unit(pieces.first + number, rows)
                                : extra_unit(left.first + (number - pieces.size()) * cpu_join_unit_rows, left.last);
      if constexpr (is_streamable<decltype(outputs.left)> && is_streamable<decltype(outputs.right)>)
      {
        if (rows.size() >= cpu_join_streamed_rows && has_long_runs(unit.piece))
        {
          fill_unit(unit, rows, streamed_join_outputs<Outputs>{outputs});
          detail::end_streams();
          return;
        }
      }
      fill_unit(unit, rows, outputs);
    };
    workers.run_pieces(pieces.size() + extra_units, work);
  }

private:
  static constexpr std::int64_t pieces_of_group = cpu_piece_elements / cpu_join_piece_elements;
  static_assert(cpu_piece_elements % cpu_join_piece_elements == 0);

  static short_side side_of(const Inputs& inputs)
  {
    return detail::short_side_of_join(Kind{}, inputs);
  }
  static std::int64_t piece_count(const Inputs& inputs)
  {
    const short_side side = side_of(inputs);
    return side == short_side::none ? ::cuda::ceil_div(inputs.a_count + inputs.b_count, cpu_join_piece_elements)
                                    : short_pieces(side == short_side::a ? inputs.a_count : inputs.b_count).count();
  }
  static equal_pieces short_pieces(std::int64_t elements)
  {
    return {elements, cpu_short_piece_elements};
  }

  void count_piece(std::int64_t piece, set_position end, Compare& comp) const
  {
    before_[piece] = detail::count_join_rows(Kind{}, inputs_, begins_[piece], end, cpu_join_unit_rows, comp);
  }
  /// Cuts groups of pieces; cuts each group, which is in the worker's cache by then, into pieces; counts their rows.
  template <class Workers>
  void count_groups(const Workers& workers) const
  {
    begins_[pieces_] = {inputs_.a_count, inputs_.b_count};
    const set_pieces<merge_t, Inputs, Compare> groups{inputs_, comp_};
    workers.run_pieces(
      groups.count(), comp_,
      [&](std::int64_t group, Compare& own_comp)
      {
        const auto first = groups.cut(group);
        const auto last = groups.cut(group + 1);
        const set_position group_end{last.a_index, last.b_index};
        set_position begin{first.a_index, first.b_index};
        const std::int64_t first_piece = group * pieces_of_group;
        const std::int64_t last_piece = (std::min)(first_piece + pieces_of_group, pieces_) - 1;
        for (std::int64_t piece = first_piece; piece <= last_piece; ++piece)
        {
          const set_position end = piece < last_piece ? end_of_piece(begin, group_end, own_comp) : group_end;
          begins_[piece] = begin;
          count_piece(piece, end, own_comp);
          begin = end;
        }
      });
  }
  /// Cuts the short side into pieces: of equally many left elements; or of right elements, all of a run, as rows are in
  /// the order of left elements.
  void cut_short_side() const
  {
    if (side_ == short_side::a)
    {
      const equal_pieces pieces = short_pieces(inputs_.a_count);
      for (std::int64_t piece = 0; piece <= pieces_; ++piece)
      {
        begins_[piece] = {pieces.begin(piece), 0};
      }
      return;
    }
    const equal_pieces pieces = short_pieces(inputs_.b_count);
    Compare own_comp = comp_;
    std::int64_t run_end = 0;
    for (std::int64_t piece = 0; piece <= pieces_; ++piece)
    {
      const std::int64_t begin = pieces.begin(piece);
      if (run_end < begin)
      {
        auto&& key = detail::element(inputs_.b, begin - 1);
        run_end = begin + detail::copies_after(inputs_.b, begin, inputs_.b_count, key, own_comp);
      }
      begins_[piece] = {0, run_end};
    }
  }

  join_layout layout() const
  {
    return {before_, pieces_, cpu_join_unit_rows};
  }
  /// End of the piece that starts at `begin` and is not the last of its group.
  set_position end_of_piece(set_position begin, set_position group_end, Compare& comp) const
  {
    const std::int64_t i = mgpu::merge_path(
      inputs_.a + begin.i, group_end.i - begin.i, inputs_.b + begin.j, group_end.j - begin.j, cpu_join_piece_elements,
      comp);
    return {begin.i + i, begin.j + cpu_join_piece_elements - i};
  }
  find_piece find() const
  {
    return {before_, before_ + pieces_};
  }
  /// Range of pieces that includes all with any of `rows`, of left elements or of right elements without a match.
  row_range pieces_with(row_range rows) const
  {
    const std::int64_t left_rows = layout().left_rows();
    const row_range left = rows.intersection({0, left_rows});
    const row_range right = rows.intersection({left_rows, layout().size()});
    row_range pieces{pieces_, 0};
    if (left.size() > 0)
    {
      pieces = {find()(&join_counts::rows, left.first), find()(&join_counts::rows, left.last - 1) + 1};
    }
    if (right.size() > 0)
    {
      pieces.first = (std::min)(pieces.first, find()(&join_counts::right_only, right.first - left_rows));
      pieces.last = (std::max)(pieces.last, find()(&join_counts::right_only, right.last - 1 - left_rows) + 1);
    }
    return pieces;
  }

  /// Whether a piece's runs are long enough, on average, to be streamed.
  bool has_long_runs(std::int64_t piece) const
  {
    const std::int64_t rows = before_[piece + 1].rows - before_[piece].rows;
    return rows / shortest_streamed_run >= begins_[piece + 1].i - begins_[piece].i;
  }

  /// Rows of a unit: those of a piece's left elements, and those of its right elements alone.
  struct piece_rows
  {
    std::int64_t piece;
    row_range left;
    row_range right_only;
  };
  /// The wanted rows of a piece's first unit, and of its right elements alone, whose numbers are not computed if left
  /// rows reach past `wanted`: they could overflow.
  piece_rows first_unit(std::int64_t piece, row_range wanted) const
  {
    const join_layout where = layout();
    const row_range right_only =
      where.left_rows() < wanted.last ? where.right_only_rows_of(piece).intersection(wanted) : row_range{0, 0};
    return {piece, where.first_unit_of(piece).intersection(wanted), right_only};
  }
  /// The extra rows of the unit that begins with row `first`, up to row `last`. They belong to one piece: if another
  /// piece begins in the unit, its first unit reaches past the unit's end.
  piece_rows extra_unit(std::int64_t first, std::int64_t last) const
  {
    const std::int64_t piece = find()(&join_counts::rows, first);
    const std::int64_t unit_last = (std::min)(first + cpu_join_unit_rows, last);
    return {
      piece,
      {(std::max)(first, layout().first_unit_of(piece).last), (std::min)(unit_last, before_[piece + 1].rows)},
      {0, 0}};
  }

  /// Writes the rows of a unit to outputs whose first row is the first of `wanted`.
  template <class Outputs>
  void fill_unit(const piece_rows& unit, row_range wanted, const Outputs& outputs) const
  {
    const join_layout where = layout();
    const set_position begin = begins_[unit.piece];
    const std::int64_t left_before = unit.left.first - where.first_row_of(unit.piece);
    const std::int64_t right_before = unit.right_only.first - where.right_only_rows_of(unit.piece).first;
    const auto from = [&](row_range rows) { return outputs + (rows.size() > 0 ? rows.first - wanted.first : 0); };
    left_row_writer<Kind, Outputs> left(from(unit.left), begin.i, left_before, unit.left.size());
    right_only_writer<true, Outputs> right(from(unit.right_only), begin.j, right_before, unit.right_only.size());
    Compare own_comp = comp_;
    detail::write_join_rows(Kind{}, inputs_, begin, begins_[unit.piece + 1], left, right, own_comp);
  }

  Inputs inputs_;
  Compare comp_;
  short_side side_;
  std::int64_t pieces_;
  join_counts* before_;
  set_position* begins_;
};

template <class Kind, class Inputs, class Result, class Compare>
struct cpu_work<join_job<Kind, Inputs, Result, Compare>>
{
  using job_type = join_job<Kind, Inputs, Result, Compare>;
  using result_type = typename job_type::result_type;
  using counted = counted_join<Kind, Inputs, typename job_type::order_type>;

  template <class Workers>
  static result_type run(const job_type& job, const Workers& workers)
  {
    size_checks check = workers.check();
    if constexpr (Workers::is_serial)
    {
      if (
        !Result::writes
        || (!Result::saturates && detail::may_have_too_many_rows(job.inputs.a_count, job.inputs.b_count)))
      {
        const std::int64_t rows = detail::serial_join_size(Kind{}, job.inputs, job.order());
        job_type::check_rows(rows, check);
        if constexpr (!Result::writes)
        {
          return rows;
        }
      }
      return job.in_thread();
    }
    else
    {
      const auto storage = workers.storage(counted::bytes(job.inputs));
      const counted join(job.inputs, job.order(), storage.data());
      const std::int64_t rows = join.count(workers);
      job_type::check_rows(rows, check);
      if constexpr (Result::writes && Result::saturates)
      {
        join.fill(workers, {0, (std::min)(rows, job.output.room)}, job.output.outputs(Kind{}));
      }
      else if constexpr (Result::writes)
      {
        join.fill(workers, {0, rows}, job.output.outputs(Kind{}));
      }
      return job.result(rows, check);
    }
  }

  // A plan's join is in two steps: prepare() counts the rows, and join_rows_job writes some of them, with the storage
  // that prepare() has filled.

  /// Bytes of that storage.
  template <class Workers>
  static std::size_t storage_bytes(const job_type& job, const Workers&)
  {
    return counted::bytes(job.inputs);
  }
  template <class Workers>
  static std::int64_t prepare(const job_type& job, const Workers& workers, void* storage)
  {
    return counted(job.inputs, job.order(), storage).count(workers);
  }
};

template <class Kind, class Inputs, class Result, class Compare>
struct cpu_work<join_rows_job<Kind, Inputs, Result, Compare>>
{
  using job_type = join_rows_job<Kind, Inputs, Result, Compare>;

  template <class Workers>
  static typename job_type::result_type run(const job_type& job, const Workers& workers)
  {
    const counted_join<Kind, Inputs, typename job_type::order_type> join(job.inputs, job.order(), job.counted);
    join.fill(workers, job.wanted.rows, job.output.outputs(Kind{}));
    return job.result();
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
