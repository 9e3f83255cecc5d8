// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The key types that every family is tested with, and order-preserving conversions from integers to keys.

#include <mgpu_thrust/detail/base/config.h>

#include <cstdint>
#include <ostream>
#include <type_traits>
#include <vector>

namespace test
{

/// A key with `operator<` and nothing else; neither default constructible nor equality comparable.
struct only_less
{
  std::int32_t value;

  only_less() = delete;
  MGPU_THRUST_HOST_DEVICE explicit only_less(std::int32_t v)
      : value(v)
  {
  }
  friend MGPU_THRUST_HOST_DEVICE bool operator<(const only_less& a, const only_less& b)
  {
    return a.value < b.value;
  }
};

/// Keys of many words, compared lexicographically from the last word to the first.
template <int Words>
struct words_key
{
  std::int32_t words[Words];

  friend MGPU_THRUST_HOST_DEVICE bool operator<(const words_key& a, const words_key& b)
  {
    for (int i = Words - 1; i > 0; --i)
    {
      if (a.words[i] != b.words[i])
      {
        return a.words[i] < b.words[i];
      }
    }
    return a.words[0] < b.words[0];
  }
};

/// Comparator of the descending order.
struct greater
{
  template <class T>
  MGPU_THRUST_HOST_DEVICE bool operator()(const T& x, const T& y) const
  {
    return y < x;
  }
};

template <class Key>
struct make_key
{
  static Key from(std::int64_t rank)
  {
    return static_cast<Key>(rank);
  }
};
template <>
struct make_key<only_less>
{
  static only_less from(std::int64_t rank)
  {
    return only_less(static_cast<std::int32_t>(rank));
  }
};
template <int Words>
struct make_key<words_key<Words>>
{
  static words_key<Words> from(std::int64_t rank)
  {
    words_key<Words> key{};
    key.words[Words - 1] = static_cast<std::int32_t>(rank / 7);
    key.words[0] = static_cast<std::int32_t>(rank % 7);
    return key;
  }
};

/// Converts ranks to keys.
template <class Key>
std::vector<Key> to_keys(const std::vector<std::int64_t>& ranks)
{
  std::vector<Key> keys;
  keys.reserve(ranks.size());
  for (const std::int64_t rank : ranks)
  {
    keys.push_back(make_key<Key>::from(rank));
  }
  return keys;
}

/// The largest rank that a key type can distinguish from all smaller ones.
template <class Key>
constexpr std::int64_t largest_rank()
{
  if constexpr (std::is_same_v<Key, float>)
  {
    return std::int64_t{1} << 24;
  }
  else if constexpr (std::is_integral_v<Key> && sizeof(Key) < 4)
  {
    return (std::int64_t{1} << (8 * int{sizeof(Key)} - int{std::is_signed_v<Key>})) - 1;
  }
  else
  {
    return (std::int64_t{1} << 31) - 1;
  }
}

} // namespace test
