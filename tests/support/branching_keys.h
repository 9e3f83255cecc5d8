// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Keys whose comparison has control flow: lexicographical comparisons, and chains of conditions. Those of up to 16
/// bytes are what a sort holds in registers.

#include "keys.h"

#include <mgpu_thrust/detail/base/config.h>

#include <cuda/std/array>
#include <cuda/std/cstdint>
#include <cuda/std/tuple>

#include <array>
#include <cstddef>
#include <cstdint>

namespace test
{

/// A key of two words, compared by pointers into both keys, with early returns.
struct pointers_key
{
  std::int32_t words[2];

  friend MGPU_THRUST_HOST_DEVICE bool operator<(const pointers_key& x, const pointers_key& y)
  {
    const std::int32_t* b = y.words;
    for (const std::int32_t* a = x.words; a != x.words + 2; ++a, ++b)
    {
      if (b == y.words + 2 || *b < *a)
      {
        return false;
      }
      if (*a < *b)
      {
        return true;
      }
    }
    return b != y.words + 2;
  }
};
template <>
struct make_key<pointers_key>
{
  static pointers_key from(std::int64_t rank)
  {
    return {{static_cast<std::int32_t>(rank / 7), static_cast<std::int32_t>(rank % 7)}};
  }
};

/// Five columns, compared by a chain of conditions.
struct columns_key
{
  std::int16_t columns[5];

  friend MGPU_THRUST_HOST_DEVICE bool operator<(const columns_key& x, const columns_key& y)
  {
    if (x.columns[0] != y.columns[0])
    {
      return x.columns[0] < y.columns[0];
    }
    if (x.columns[1] != y.columns[1])
    {
      return x.columns[1] < y.columns[1];
    }
    if (x.columns[2] != y.columns[2])
    {
      return x.columns[2] < y.columns[2];
    }
    if (x.columns[3] != y.columns[3])
    {
      return x.columns[3] < y.columns[3];
    }
    return x.columns[4] < y.columns[4];
  }
};
template <>
struct make_key<columns_key>
{
  static columns_key from(std::int64_t rank)
  {
    columns_key key{};
    for (int i = 4; i >= 0; --i, rank /= 128)
    {
      key.columns[i] = static_cast<std::int16_t>(rank % 128);
    }
    return key;
  }
};

/// Eight characters, compared by a loop over indices.
struct text_key
{
  char text[8];

  friend MGPU_THRUST_HOST_DEVICE bool operator<(const text_key& x, const text_key& y)
  {
    for (int i = 0; i < 8; ++i)
    {
      if (x.text[i] != y.text[i])
      {
        return x.text[i] < y.text[i];
      }
    }
    return false;
  }
};
template <>
struct make_key<text_key>
{
  static text_key from(std::int64_t rank)
  {
    text_key key{};
    for (int i = 7; i >= 0; --i, rank /= 16)
    {
      key.text[i] = static_cast<char>('a' + rank % 16);
    }
    return key;
  }
};

/// Arrays, which libraries compare by pointers.
template <std::size_t Size>
struct make_key<::cuda::std::array<std::int32_t, Size>>
{
  static ::cuda::std::array<std::int32_t, Size> from(std::int64_t rank)
  {
    ::cuda::std::array<std::int32_t, Size> key{};
    key[0] = static_cast<std::int32_t>(rank / 7);
    key[Size - 1] = static_cast<std::int32_t>(rank % 7);
    return key;
  }
};

using tuple_key = ::cuda::std::tuple<std::int32_t, std::int16_t, std::int32_t>;
template <>
struct make_key<tuple_key>
{
  static tuple_key from(std::int64_t rank)
  {
    return {
      static_cast<std::int32_t>(rank / 49), static_cast<std::int16_t>(rank / 7 % 7),
      static_cast<std::int32_t>(rank % 7)};
  }
};

/// Compares arrays of the standard library by a loop over indices. In device code nvcc needs --expt-relaxed-constexpr.
struct by_words
{
  template <std::size_t Size>
  MGPU_THRUST_HOST_DEVICE bool
  operator()(const std::array<std::int32_t, Size>& x, const std::array<std::int32_t, Size>& y) const
  {
    for (std::size_t i = 0; i < Size; ++i)
    {
      if (x[i] != y[i])
      {
        return x[i] < y[i];
      }
    }
    return false;
  }
};

/// Compares strings by their numbers: string i is text[offsets[i]] to text[offsets[i + 1]].
struct by_text
{
  const char* text;
  const std::int32_t* offsets;

  MGPU_THRUST_HOST_DEVICE bool operator()(std::int32_t x, std::int32_t y) const
  {
    const std::int32_t x_end = offsets[x + 1];
    const std::int32_t y_end = offsets[y + 1];
    std::int32_t i = offsets[x];
    std::int32_t j = offsets[y];
    for (; i < x_end && j < y_end; ++i, ++j)
    {
      if (text[i] != text[j])
      {
        return text[i] < text[j];
      }
    }
    return i == x_end && j != y_end;
  }
};

} // namespace test
