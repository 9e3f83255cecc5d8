// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Elements of every size that encode their origin.

#include "systems.h"

#include <mgpu_thrust/detail/base/config.h>

#include <thrust/type_traits/is_trivially_relocatable.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <vector>

namespace test
{

/// Element of `Bytes` bytes with an alignment of one byte.
template <int Bytes>
struct bytes_element
{
  unsigned char bytes[Bytes];
};

/// An element that can only be copied: it is not trivial, nor default constructible unless a device_vector needs that.
/// Only an object can be assigned to, not memory that holds none.
struct only_copied
{
  std::int32_t value;
  std::int32_t mark = is_object;

  static constexpr std::int32_t is_object = 0x2b3c4d5e;

#if defined(__CUDACC__)
  MGPU_THRUST_HOST_DEVICE only_copied()
      : value(0)
  {
  }
#else
  only_copied() = delete;
#endif
  MGPU_THRUST_HOST_DEVICE explicit only_copied(std::int32_t v)
      : value(v)
  {
  }
  MGPU_THRUST_HOST_DEVICE only_copied(const only_copied& other)
      : value(other.value)
  {
  }
  MGPU_THRUST_HOST_DEVICE only_copied& operator=(const only_copied& other)
  {
    value = mark == is_object ? other.value : -1;
    return *this;
  }
};

} // namespace test

THRUST_PROCLAIM_TRIVIALLY_RELOCATABLE(test::only_copied)

namespace test
{

/// Encodes `number` as an element; elements that hold the same bits of a number are equal.
template <class Element>
Element make_element(std::int64_t number)
{
  if constexpr (std::is_same_v<Element, only_copied>)
  {
    return only_copied(static_cast<std::int32_t>(number));
  }
  else if constexpr (std::is_arithmetic_v<Element>)
  {
    return static_cast<Element>(number);
  }
  else
  {
    Element element{};
    std::uint64_t rest = static_cast<std::uint64_t>(number);
    for (unsigned char& byte : element.bytes)
    {
      byte = static_cast<unsigned char>(rest);
      rest = rest / 256 + rest % 256 * 977; // the bytes of a large element differ
    }
    return element;
  }
}

template <class Element>
bool is_same(const Element& x, const Element& y)
{
  if constexpr (std::is_same_v<Element, only_copied>)
  {
    return x.value == y.value;
  }
  else if constexpr (std::is_arithmetic_v<Element>)
  {
    return x == y;
  }
  else
  {
    return std::equal(std::begin(x.bytes), std::end(x.bytes), std::begin(y.bytes));
  }
}

/// Elements that encode first, first + 1, ...
template <class Element>
std::vector<Element> make_elements(std::int64_t size, std::int64_t first)
{
  std::vector<Element> elements;
  elements.reserve(size);
  for (std::int64_t i = 0; i < size; ++i)
  {
    elements.push_back(make_element<Element>(first + i));
  }
  return elements;
}

/// Compares an output with `expected` and checks that the guard element after it is unchanged.
template <class Element, class Memory>
void expect_output(const Memory& out, const std::vector<Element>& expected, std::int64_t size)
{
  ASSERT_EQ(size, static_cast<std::int64_t>(expected.size()));
  const auto& got = test::to_host(out);
  ASSERT_EQ(got.size(), expected.size() + 1);
  ASSERT_TRUE(is_same(got.back(), make_element<Element>(-7))) << "wrote past the end";
  const auto wrong = std::mismatch(expected.begin(), expected.end(), got.begin(), is_same<Element>).first;
  ASSERT_TRUE(wrong == expected.end()) << "element " << wrong - expected.begin() << " of " << expected.size();
}

} // namespace test
