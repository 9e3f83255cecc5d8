// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Fills and copies of stretches of elements, most of them short. In plain memory no branch depends on the length of a
/// short one.

#include <mgpu_thrust/detail/base/compiler.h>
#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/base/target.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether elements can be copied from one iterator to the other as bytes: plain memory of one type.
template <class Input, class Output>
inline constexpr bool is_plain_copy = false;
template <class Element>
inline constexpr bool is_plain_copy<Element*, Element*> = std::is_trivially_copyable_v<Element>;
template <class Element>
inline constexpr bool is_plain_copy<const Element*, Element*> = std::is_trivially_copyable_v<Element>;

/// Writes a value `count` times, in order; a negative `count` is none. Returns the output past the last one. To a
/// pointer it writes whole blocks. The caller writes `room` elements from here on, so it overwrites the excess of the
/// last block. Smaller blocks are faster for very short stretches.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <int BlockBytes = 64, class Output, class Value>
MGPU_THRUST_HOST_DEVICE Output
fill_run(Output output, std::int64_t count, [[maybe_unused]] std::int64_t room, const Value& value)
{
  if constexpr (is_plain_copy<const Value*, Output> && is_small_v<Value>)
  {
    constexpr std::int64_t block = BlockBytes / (sizeof(Value) < 4 ? 4 : sizeof(Value));
    if (block <= room && count <= room - block)
    {
      const Value copy = value; // local copy, which no write can change
      std::int64_t i = 0;
      do
      {
        for (int k = 0; k < block; ++k)
        {
          output[i + k] = copy;
        }
        i += block;
      } while (i < count);
      return output + count;
    }
  }
  for (; count > 0; --count)
  {
    *output = value;
    ++output;
  }
  return output;
}

/// Writes the `count` integers first, first + 1, ... as fill_run writes a value.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <int BlockBytes = 64, class Output, class Number>
MGPU_THRUST_HOST_DEVICE Output
count_run(Output output, std::int64_t count, [[maybe_unused]] std::int64_t room, Number first)
{
  using bits = std::conditional_t<sizeof(Number) <= 4, std::uint32_t, std::uint64_t>; // which may wrap around
  const auto number = [start = static_cast<bits>(first)](std::int64_t i)
  { return static_cast<Number>(start + static_cast<bits>(i)); };
  if constexpr (is_plain_copy<const Number*, Output>)
  {
    constexpr std::int64_t block = BlockBytes / (sizeof(Number) < 4 ? 4 : sizeof(Number));
    if (block <= room && count <= room - block)
    {
      std::int64_t i = 0;
      do
      {
        for (int k = 0; k < block; ++k)
        {
          output[i + k] = number(i + k);
        }
        i += block;
      } while (i < count);
      return output + count;
    }
  }
  for (std::int64_t i = 0; i < count; ++i)
  {
    *output = number(i);
    ++output;
  }
  return output;
}

/// Copies `count` elements, in order. Returns the output past the last one.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Input, class Output>
MGPU_THRUST_HOST_DEVICE Output copy_run(Input input, Output output, std::int64_t count)
{
  if constexpr (is_plain_copy<Input, Output>)
  {
    // Short ones use memcpy too, which waits for no element and has few branches. A block of copies, as in fill_run, is
    // faster for elements in cache. For others it takes three times as long, as fewer copies are in flight.
    std::memcpy(static_cast<void*>(output), input, static_cast<std::size_t>(count) * sizeof(*output));
    return output + count;
  }
  else
  {
    for (std::int64_t i = 0; i < count; ++i)
    {
      *output = detail::element(input, i);
      ++output;
    }
    return output;
  }
}

/// Prefetches the element at `index`, where a copy starts soon. It need not exist. Hosts only.
template <class Element>
MGPU_THRUST_HOST_DEVICE void prefetch_run([[maybe_unused]] const Element* input, [[maybe_unused]] std::int64_t index)
{
  MGPU_THRUST_IF_HOST((detail::prefetch_line(reinterpret_cast<const void*>(
    reinterpret_cast<std::uintptr_t>(input) + static_cast<std::uintptr_t>(index) * sizeof(Element)));))
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
