// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The borders between the paths of sorts and segmented sorts, in plain numbers.

#include <mgpu_thrust/detail/base/device_room.h>
#include <mgpu_thrust/detail/sort/choice.h>

#include <cstdint>
#include <vector>

namespace test
{

using sort_path = mgpu::detail::sort_path;
using segmented_sort_path = mgpu::detail::segmented_sort_path;

/// Sizes, and the path of a sort.
struct sort_case
{
  std::int64_t count;
  sort_path path;
};
struct segmented_sort_case
{
  std::int64_t count;
  std::int64_t num_segments;
  segmented_sort_path path;
};

/// Keys of 16 bytes.
struct large_key
{
  std::int64_t words[2];

  friend MGPU_THRUST_HOST_DEVICE bool operator<(const large_key& x, const large_key& y)
  {
    return x.words[0] < y.words[0];
  }
};

/// Both sides of each border, of 4-byte keys.
inline std::vector<sort_case> sorts_of_4_bytes()
{
  return {{2, sort_path::ranks},          {4096, sort_path::ranks},       {4097, sort_path::pairwise},
          {1048576, sort_path::pairwise}, {1048577, sort_path::multiway}, {std::int64_t{1} << 40, sort_path::multiway}};
}
/// Of 4-byte keys with 4-byte values.
inline std::vector<sort_case> sorts_of_pairs()
{
  return {
    {8192, sort_path::ranks},
    {8193, sort_path::pairwise},
    {1048576, sort_path::pairwise},
    {1048577, sort_path::multiway}};
}
/// Of 16-byte keys.
inline std::vector<sort_case> sorts_of_16_bytes()
{
  return {
    {2048, sort_path::ranks},
    {2049, sort_path::pairwise},
    {524288, sort_path::pairwise},
    {524289, sort_path::multiway}};
}

/// Of 4-byte keys in segments, on a device of 132 multiprocessors as on compute capability 9.0, which has 528
/// co-resident blocks with tiles of 2,304 elements.
inline std::vector<segmented_sort_case> segmented_sorts_of_4_bytes()
{
  return {
    {2, 1, segmented_sort_path::ranks},
    {4097, 1, segmented_sort_path::own_tiles},
    {1048576, 1, segmented_sort_path::own_tiles},
    {1048577, 1, segmented_sort_path::multiway},
    {4096, 2, segmented_sort_path::ranks},
    {4097, 2, segmented_sort_path::own_tiles},
    {4096, 32, segmented_sort_path::ranks},
    {4096, 33, segmented_sort_path::own_tiles},
    // 512 segments.
    {2304, 512, segmented_sort_path::own_tiles},
    {2304, 513, segmented_sort_path::shared_tiles},
    // 528 tiles: one for each segment, and one for each 2,304 elements.
    {39167, 512, segmented_sort_path::own_tiles},
    {39168, 512, segmented_sort_path::shared_tiles},
    {1048576, 73, segmented_sort_path::own_tiles},
    {1048576, 74, segmented_sort_path::shared_tiles},
    // 528 tiles that begin 2,016 elements apart, in segments of up to 144.
    {1048576, 7282, segmented_sort_path::shared_tiles},
    {1048577, 7282, segmented_sort_path::multiway_short},
    // Means of 528, and no segment.
    {10560000, 20000, segmented_sort_path::multiway_short},
    {10560001, 20000, segmented_sort_path::multiway},
    {100, 0, segmented_sort_path::multiway}};
}
/// Of 16-byte keys: tiles of 768 elements, 528 co-resident blocks.
inline std::vector<segmented_sort_case> segmented_sorts_of_16_bytes()
{
  return {{1024, 8, segmented_sort_path::ranks},           {1025, 8, segmented_sort_path::own_tiles},
          {1024, 9, segmented_sort_path::own_tiles}, // means below 128
          {348671, 75, segmented_sort_path::own_tiles},    {348672, 75, segmented_sort_path::shared_tiles},
          {405504, 75, segmented_sort_path::shared_tiles}, {405505, 75, segmented_sort_path::multiway}};
}

/// Where keys are sorted in place.
inline constexpr mgpu::detail::sort_output plain_output{true, false};
/// The room of that device.
inline constexpr mgpu::detail::device_room large_device{132, true};

} // namespace test
