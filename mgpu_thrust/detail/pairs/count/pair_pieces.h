// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Pieces of equal work for the workers of a CPU: many pairs of lists, or a part of one.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/equal_pieces.h>

#include <cuda/cmath>

#include <algorithm>
#include <cstddef>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Number of pairs whose work is summed up. To find where a piece begins, its worker reads the bounds of so many pairs
/// at most.
inline constexpr std::int64_t summed_pairs = 1 << 7;

/// Maximum number of pieces: the work of pairs that share lists has no bound.
inline constexpr std::int64_t max_pair_pieces = 1 << 16;

/// The pieces of the work of pairs. Work is made of a pair's lists, and has a weight().
template <class Work, class Pairs>
class pair_pieces
{
public:
  /// Bytes of storage for the work before each group of pairs.
  static std::size_t bytes(const Pairs& pairs)
  {
    return static_cast<std::size_t>(groups_of(pairs).count() + 1) * sizeof(std::int64_t);
  }
  template <class Workers>
  pair_pieces(const Pairs& pairs, void* storage, const Workers& workers)
      : pairs_(pairs)
      , groups_(groups_of(pairs))
      , before_(static_cast<std::int64_t*>(storage))
  {
    workers.run_pieces(
      groups_.count(),
      [&](std::int64_t group)
      {
        std::int64_t sum = 0;
        for (std::int64_t pair = groups_.begin(group); pair < groups_.end(group); ++pair)
        {
          sum += Work(pairs.pair(pair)).weight();
        }
        before_[group + 1] = sum;
      });
    before_[0] = 0;
    for (std::int64_t group = 0; group < groups_.count(); ++group)
    {
      before_[group + 1] += before_[group];
    }
    pieces_.elements = before_[groups_.count()];
    pieces_.size = (std::max)(cpu_piece_elements, ::cuda::ceil_div(pieces_.elements, max_pair_pieces));
  }

  std::int64_t count() const
  {
    return pieces_.count();
  }
  /// Calls f(pair, work, part) for each pair that has work in a piece.
  template <class Function>
  void for_each_pair(std::int64_t piece, Function f) const
  {
    const std::int64_t begin = pieces_.begin(piece);
    const std::int64_t end = pieces_.end(piece);
    const std::int64_t* const after = std::upper_bound(before_, before_ + groups_.count(), begin);
    const std::int64_t group = after - before_ - 1;
    std::int64_t pair_begin = before_[group];
    for (std::int64_t pair = groups_.begin(group); pair_begin < end; ++pair)
    {
      const Work work(pairs_.pair(pair));
      const std::int64_t pair_end = pair_begin + work.weight();
      if (pair_end > begin)
      {
        f(pair, work,
          part{
            (std::max)(begin, pair_begin) - pair_begin, (std::min)(end, pair_end) - pair_begin, begin <= pair_begin,
            begin <= pair_begin && pair_end <= end, pair_begin / pieces_.size});
      }
      pair_begin = pair_end;
    }
  }

  /// The part of a pair's work in a piece.
  struct part
  {
    std::int64_t begin; ///< as weights
    std::int64_t end;
    bool is_first; ///< of the pair's parts
    bool is_whole;
    std::int64_t first_piece; ///< the piece that has the first part
  };

private:
  static equal_pieces groups_of(const Pairs& pairs)
  {
    return {pairs.num_pairs, summed_pairs};
  }

  const Pairs& pairs_;
  equal_pieces groups_;
  std::int64_t* before_; ///< the work before each group of pairs, and all work
  equal_pieces pieces_{0};
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
