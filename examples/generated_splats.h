// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The splats of an image and the tiles that they touch; and generated splats, the same on every machine.

#include "hash_of_number.h"

#include <thrust/device_vector.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace example
{

constexpr int tile_width = 16; // in pixels, also the height
constexpr int tiles_a_row = 64;
constexpr int tiles_a_column = 48;
constexpr int num_tiles = tiles_a_row * tiles_a_column;

/// A splat of a frame: its middle and its radius in pixels, and its distance from the camera, which is above 0.
struct splat
{
  int x, y, radius;
  float depth;
};
using splat_vector = thrust::device_vector<splat>;

/// Tiles from a begin up to, not including, an end.
struct rectangle
{
  int x_begin, x_end, y_begin, y_end;

  MGPU_THRUST_HOST_DEVICE int size() const
  {
    return (x_end - x_begin) * (y_end - y_begin);
  }
  MGPU_THRUST_HOST_DEVICE std::uint64_t tile(int rank) const
  {
    const int width = x_end - x_begin;
    return static_cast<std::uint64_t>((y_begin + rank / width) * tiles_a_row + x_begin + rank % width);
  }
};

/// Returns the tiles that a splat touches, none if it is outside of the image.
struct tiles_of
{
  MGPU_THRUST_HOST_DEVICE rectangle operator()(const splat& s) const
  {
    return {
      clamp(s.x - s.radius, tiles_a_row), clamp(s.x + s.radius + tile_width, tiles_a_row),
      clamp(s.y - s.radius, tiles_a_column), clamp(s.y + s.radius + tile_width, tiles_a_column)};
  }

private:
  MGPU_THRUST_HOST_DEVICE static int clamp(int pixel, int tiles)
  {
    return pixel < 0 ? 0 : pixel / tile_width > tiles ? tiles : pixel / tile_width;
  }
};

struct number_of_tiles
{
  MGPU_THRUST_HOST_DEVICE int operator()(const splat& s) const
  {
    return tiles_of{}(s).size();
  }
};

/// An entry of a list: a tile in the upper half, and what orders its splats in the lower half.
using entry = std::uint64_t;

/// Returns the entry before which the entries of a tile begin.
struct first_entry
{
  MGPU_THRUST_HOST_DEVICE entry operator()(int tile) const
  {
    return static_cast<entry>(tile) << 32;
  }
};

/// Returns the splats of a frame; from frame to frame the camera moves.
inline std::vector<splat> make_splats(std::size_t num_splats, int frame_number)
{
  std::vector<splat> result(num_splats);
  for (std::size_t i = 0; i < num_splats; ++i)
  {
    const std::uint64_t random = example::hash_of_number(i);
    const auto bits = [random](int from, int count)
    { return static_cast<int>(random >> from & ((std::uint64_t{1} << count) - 1)); };
    const int radius = 4 + (bits(0, 6) == 0 ? bits(6, 8) : bits(6, 4)); // most are small
    result[i] = {
      bits(16, 11) - 512 + 100 * frame_number, bits(27, 10) - 128, radius,
      static_cast<float>(1 + bits(40, 16) + frame_number * bits(56, 8))};
  }
  return result;
}

} // namespace example
