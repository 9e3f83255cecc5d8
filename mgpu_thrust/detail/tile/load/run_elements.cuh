// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Where kernels of merges find the elements of runs.

#include <mgpu_thrust/detail/base/config.h>

#include <cuda/std/iterator>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The keys, or the values, of runs. An element is known by its index in the sequence of all runs, one after the other:
/// `all` is an iterator to that sequence, `count` the number of elements. Here they are in one range, of memory if
/// Iterator is a pointer; run_bounds.cuh has the specialisation for runs in buffers of their own. `pieces` knows the
/// runs that a tile merges.
template <class Iterator>
struct run_elements
{
  Iterator all;
  std::int64_t count;

  static constexpr bool are_in_memory = std::is_pointer_v<Iterator>;

  /// Returns where an element of a tile's run is.
  template <class Pieces>
  MGPU_THRUST_DEVICE Iterator at(const Pieces&, std::int64_t, int, std::int64_t index) const
  {
    return all + index;
  }
  // Returns the ends of the memory that a tile's run is in, and that may be read.
  template <class Pieces>
  MGPU_THRUST_DEVICE Iterator first(const Pieces&, std::int64_t, int) const
  {
    return all;
  }
  template <class Pieces>
  MGPU_THRUST_DEVICE Iterator last(const Pieces&, std::int64_t, int) const
  {
    return all + count;
  }
  /// Whether all elements up to an index are there; `index` is of the tile, and not in an earlier run.
  template <class Pieces>
  MGPU_THRUST_DEVICE static bool has_all(const Pieces&, std::int64_t, int, std::int64_t)
  {
    return true;
  }
  /// Whether each element is aligned to its size.
  MGPU_THRUST_DEVICE bool are_aligned() const
  {
    using element = typename ::cuda::std::iterator_traits<Iterator>::value_type;
    return reinterpret_cast<std::uintptr_t>(all) % sizeof(element) == 0;
  }
};

/// The run_elements that kernels read through an iterator. Pointers become pointers to const.
template <class Iterator>
using run_elements_of =
  run_elements<std::conditional_t<std::is_pointer_v<Iterator>, const std::remove_pointer_t<Iterator>*, Iterator>>;

} // namespace detail
MGPU_THRUST_NAMESPACE_END
