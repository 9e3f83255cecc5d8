// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Outputs of a job on a rank's part of an input, whose results are indices.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/index_type.h>
#include <mgpu_thrust/detail/base/unwrap.h>

#include <thrust/iterator/transform_output_iterator.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The index in the whole input of an element of a rank's part.
template <class Index>
struct index_in_whole
{
  std::int64_t part_begin;

  MGPU_THRUST_HOST_DEVICE Index operator()(std::int64_t in_part) const
  {
    return static_cast<Index>(in_part == no_match ? no_match : part_begin + in_part);
  }
};

/// Returns an output that receives indices in a part, and writes indices in the whole input to `output`.
template <class Output>
auto output_of_part(Output output, std::int64_t part_begin)
{
  return thrust::make_transform_output_iterator(
    detail::unwrap(output), index_in_whole<written_index_t<Output>>{part_begin});
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
