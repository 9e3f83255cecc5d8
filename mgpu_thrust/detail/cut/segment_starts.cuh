// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Where segments start, as 32-bit numbers.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/cut/segments.h>

#include <cuda/std/iterator>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Where each segment starts. Segments after the last start at the end of all items, of which there are fewer than
/// 2^31. Wrong offsets are clamped to [0, num_items].
template <class Offsets>
class segment_starts
{
  using number = decltype(typename ::cuda::std::iterator_traits<Offsets>::value_type{} + int{});

public:
  MGPU_THRUST_DEVICE explicit segment_starts(const segments<Offsets>& in)
      : offsets_(in.offsets)
      , num_items_(static_cast<int>(in.num_items))
      , num_segments_(static_cast<int>(in.num_segments))
  {
  }

  MGPU_THRUST_DEVICE int operator[](int segment) const
  {
    if (segment >= num_segments_)
    {
      return num_items_;
    }
    const number offset = (max) (static_cast<number>(detail::element(offsets_, segment)), number{0});
    return static_cast<int>((min) (offset, static_cast<number>(num_items_)));
  }

private:
  Offsets offsets_;
  int num_items_;
  int num_segments_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
