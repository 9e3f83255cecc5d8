// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The elements around the part of an input that a rank gets.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/distributed/cuts.h>

#include <algorithm>
#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Where elements around a part are in an input whose pieces ascend by rank; -1 if there is none.
struct part_neighbours
{
  std::int64_t before = -1;
  std::int64_t next = -1;
  std::int64_t last_copy = -1; ///< the last element that equals the next one, which may be the same

  int num_before() const
  {
    return before >= 0;
  }
  int num_after() const
  {
    return (next >= 0) + (last_copy >= 0);
  }
};

/// Returns the neighbours of a rank's part. The last copy is of the second sequence, where copies are counted.
template <class Cuts>
part_neighbours neighbours_of_part(const Cuts& cuts, int sequence, int rank, int num_ranks, cut_path path)
{
  part_neighbours neighbours;
  neighbours.before = cuts.part_begin(sequence, rank) - 1;
  const std::int64_t next = cuts.part_begin(sequence, rank + 1);
  if (next < cuts.part_begin(sequence, num_ranks))
  {
    neighbours.next = next;
    neighbours.last_copy = path == cut_path::merge_and_copies ? (std::max)(next, cuts.copies(rank).b_end - 1) : -1;
  }
  return neighbours;
}

/// Adds to a communicator's group what the neighbours of all parts need. Those of this rank's part are received right
/// before `part` and, in order, from `part_end` on.
template <class Communicator, class Policy, class Cuts, class T>
void exchange_neighbours(
  Communicator& communicator, Policy& policy, const Cuts& cuts, int sequence, cut_path path, const T* piece, T* part,
  T* part_end)
{
  for (int to = 0; to < communicator.size(); ++to)
  {
    const auto move = [&](std::int64_t position, T* from, int offset)
    {
      int owner = 0;
      for (; position >= cuts.piece_size(sequence, owner); ++owner)
      {
        position -= cuts.piece_size(sequence, owner);
      }
      if (position >= 0 && owner == communicator.rank())
      {
        communicator.send(policy, piece + position, sizeof(T), to);
      }
      if (position >= 0 && to == communicator.rank())
      {
        communicator.recv(policy, from + offset, sizeof(T), owner);
      }
    };
    const part_neighbours neighbours = detail::neighbours_of_part(cuts, sequence, to, communicator.size(), path);
    move(neighbours.before, part, -1);
    move(neighbours.next, part_end, 0);
    move(neighbours.last_copy, part_end, 1);
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
