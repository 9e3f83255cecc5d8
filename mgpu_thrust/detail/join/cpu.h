// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Joins on the CPU backends: the rows of each piece that the merge path cuts are counted, which gives their output
/// offsets; then they are written, those of a piece with many rows in several units.

#include <mgpu_thrust/agent/merge_path.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/set_pieces.h>
#include <mgpu_thrust/detail/execute/cpu_executors.h>
#include <mgpu_thrust/detail/execute/preconditions.h>
#include <mgpu_thrust/detail/execute/temporary_storage.h>
#include <mgpu_thrust/detail/join/serial.h>
#include <mgpu_thrust/detail/join/streamed_join.h>
#include <mgpu_thrust/detail/join/streamed_runs.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Number of elements of a piece, and of rows of a unit. The worker that writes a unit walks along its piece from the
/// start, which should take less time than writing the unit's rows.
inline constexpr std::int64_t cpu_join_piece_elements = std::int64_t{1} << 12;
inline constexpr std::int64_t cpu_join_unit_rows = std::int64_t{1} << 17;

/// Search for a join_layout: returns the last piece for which `member` of the sum before it is at most `number`. (Not a
/// lambda, as that would be constexpr, and nvcc would issue a warning on a constexpr function for the host.)
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

/// Number of rows from which on a result is streamed where its runs are long: caches cannot keep it until it is read.
inline constexpr std::int64_t cpu_join_streamed_rows = std::int64_t{1} << 24;

/// A join after its search: the positions where its pieces begin, in both inputs and in the result.
template <class Backend, class Policy, class Kind, class Inputs, class Compare>
class join_search
{
public:
  join_search(Policy& policy, const char* algorithm, const Inputs& inputs, Compare comp)
      : inputs_(inputs)
      , comp_(comp)
      , pieces_(detail::pieces_of(inputs.a_count + inputs.b_count, cpu_join_piece_elements))
      , storage_(
          policy, algorithm, static_cast<std::size_t>(pieces_ + 1) * (sizeof(join_counts) + sizeof(set_position)))
      , before_(static_cast<join_counts*>(storage_.data()))
      , begins_(reinterpret_cast<set_position*>(before_ + pieces_ + 1))
  {
    // 1. Cut groups of pieces; cut each group, which is in the worker's cache by then, into pieces; count their rows.
    const set_pieces<merge_t, Inputs, Compare> groups{inputs_, comp_};
    begins_[pieces_] = {inputs_.a_count, inputs_.b_count};
    const auto count = [&](std::int64_t group)
    {
      Compare own_comp = comp_;
      const auto first = groups.cut(group);
      const auto last = groups.cut(group + 1);
      const set_position group_end{last.a_index, last.b_index};
      set_position begin{first.a_index, first.b_index};
      const std::int64_t first_piece = group * pieces_of_group;
      const std::int64_t last_piece = std::min(first_piece + pieces_of_group, pieces_) - 1;
      for (std::int64_t piece = first_piece; piece <= last_piece; ++piece)
      {
        const set_position end = piece < last_piece ? end_of_piece(begin, group_end, own_comp) : group_end;
        begins_[piece] = begin;
        before_[piece] = detail::count_join_rows(Kind{}, inputs_, begin, end, cpu_join_unit_rows, own_comp);
        begin = end;
      }
    };
    detail::run_pieces(detail::executor_of(Backend{}), groups.count(), count);

    // 2. Replace the counts by their exclusive prefix sums.
    join_counts sum{0, 0, 0};
    for (std::int64_t piece = 0; piece < pieces_; ++piece)
    {
      const join_counts own = before_[piece];
      before_[piece] = sum;
      sum = add_join_counts{}(sum, own);
    }
    before_[pieces_] = sum;
  }

  /// Number of rows; most_rows if there are more.
  std::int64_t size() const
  {
    return layout().size();
  }

  /// Writes `rows`, which must be rows of the result, from the start of the outputs on.
  template <class Outputs>
  void fill(row_range rows, const Outputs& outputs) const
  {
    const join_layout where = layout();
    const row_range pieces = pieces_with(rows);
    const row_range extra_units = where.extra_units_of(rows, find());
    const auto work = [&](std::int64_t number)
    {
      const join_unit unit = number < pieces.size()
                               ? join_unit{pieces.first + number, 0}
                               : where.extra_unit(extra_units.first + (number - pieces.size()), find());
      if constexpr (is_streamable<decltype(outputs.left)> && is_streamable<decltype(outputs.right)>)
      {
        if (rows.size() >= cpu_join_streamed_rows && has_long_runs(unit.tile))
        {
          fill_unit(unit, rows, streamed_join_outputs<Outputs>{outputs});
          detail::end_streams();
          return;
        }
      }
      fill_unit(unit, rows, outputs);
    };
    detail::run_pieces(detail::executor_of(Backend{}), pieces.size() + extra_units.size(), work);
  }

  /// Writes all rows, and returns their number. Throws std::length_error if there are too many, before one is written.
  template <class Outputs>
  std::int64_t fill_all(const char* algorithm, const Outputs& outputs) const
  {
    detail::check_row_count(algorithm, size());
    fill({0, size()}, outputs);
    return size();
  }

private:
  static constexpr std::int64_t pieces_of_group = cpu_piece_elements / cpu_join_piece_elements;
  static_assert(cpu_piece_elements % cpu_join_piece_elements == 0);

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
  /// Range that includes all pieces with any of `rows`, of left elements or of right elements without a match, and
  /// maybe others between them.
  row_range pieces_with(row_range rows) const
  {
    const std::int64_t left_rows = layout().left_rows();
    const row_range left = rows.intersection({0, left_rows});
    const row_range right = rows.intersection({left_rows, size()});
    row_range pieces{pieces_, 0};
    if (left.size() > 0)
    {
      pieces = {find()(&join_counts::rows, left.first), find()(&join_counts::rows, left.last - 1) + 1};
    }
    if (right.size() > 0)
    {
      pieces.first = std::min(pieces.first, find()(&join_counts::right_only, right.first - left_rows));
      pieces.last = std::max(pieces.last, find()(&join_counts::right_only, right.last - 1 - left_rows) + 1);
    }
    return pieces;
  }

  /// Whether a piece's runs are long enough, on average, to be streamed.
  bool has_long_runs(std::int64_t piece) const
  {
    const std::int64_t rows = before_[piece + 1].rows - before_[piece].rows;
    return rows / shortest_streamed_run >= begins_[piece + 1].i - begins_[piece].i;
  }

  /// Writes the rows of a unit that are in `wanted`, to outputs whose first row is the first of `wanted`.
  template <class Outputs>
  void fill_unit(join_unit at, row_range wanted, const Outputs& outputs) const
  {
    const join_layout where = layout();
    const set_position begin = begins_[at.tile];
    const row_range left_rows = where.rows_of(at).intersection(wanted);
    const row_range right_rows =
      at.unit == 0 ? where.right_only_rows_of(at.tile).intersection(wanted) : row_range{0, 0};
    const std::int64_t left_before = left_rows.first - before_[at.tile].rows;
    const std::int64_t right_before = right_rows.first - where.right_only_rows_of(at.tile).first;
    const auto from = [&](row_range rows) { return outputs + (rows.size() > 0 ? rows.first - wanted.first : 0); };
    left_row_writer<Kind, Outputs> left(from(left_rows), begin.i, left_before, left_rows.size());
    right_only_writer<true, Outputs> right(from(right_rows), begin.j, right_before, right_rows.size());
    Compare own_comp = comp_;
    detail::write_join_rows(Kind{}, inputs_, begin, begins_[at.tile + 1], left, right, own_comp);
  }

  Inputs inputs_;
  Compare comp_;
  std::int64_t pieces_;
  temporary_storage<Policy> storage_;
  join_counts* before_;
  set_position* begins_;
};

/// Returns the number of rows of a join. Throws std::length_error if there are too many.
template <class Backend, class Policy, class Kind, class Inputs, class Compare>
std::int64_t
run_join_size(Backend, Policy& policy, const char* algorithm, Kind kind, const Inputs& inputs, Compare comp)
{
  std::int64_t size = 0;
  if constexpr (std::is_same_v<Backend, serial_backend>)
  {
    size = detail::serial_join_size(kind, inputs, comp);
  }
  else
  {
    size = join_search<Backend, Policy, Kind, Inputs, Compare>(policy, algorithm, inputs, comp).size();
  }
  detail::check_row_count(algorithm, size);
  return size;
}

/// Executes a join, and returns the outputs advanced past the result.
template <class Backend, class Policy, class Kind, class Inputs, class Outputs, class Compare>
Outputs run_join(
  Backend, Policy& policy, const char* algorithm, Kind kind, const Inputs& inputs, const Outputs& outputs, Compare comp)
{
  if constexpr (std::is_same_v<Backend, serial_backend>)
  {
    if (detail::may_have_too_many_rows(inputs))
    {
      (void) detail::run_join_size(Backend{}, policy, algorithm, kind, inputs, comp);
    }
    return detail::serial_join(kind, inputs, outputs, comp);
  }
  else
  {
    const join_search<Backend, Policy, Kind, Inputs, Compare> search(policy, algorithm, inputs, comp);
    return outputs + search.fill_all(algorithm, outputs);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
