// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Fills and copies of many runs of elements, most of them short: loops that no branch slows down which depends on how
/// long a run is.

#include <mgpu_thrust/agent/search.h>
#include <mgpu_thrust/detail/config.h>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether elements behind one iterator go behind another as they are: plain memory of the same small type.
template <class Input, class Output>
inline constexpr bool is_plain_copy = false;
template <class Element>
inline constexpr bool is_plain_copy<Element*, Element*> = is_small_v<Element>;
template <class Element>
inline constexpr bool is_plain_copy<const Element*, Element*> = is_small_v<Element>;

/// Elements that are written at once: 64 bytes, or 16 elements.
template <class Element>
inline constexpr std::int64_t block_size = sizeof(Element) < 4 ? 16 : 64 / static_cast<std::int64_t>(sizeof(Element));

/// Writes a value `count` times; none if that is negative. Returns the output behind it. A pointer's output is written
/// in blocks: what is too much of the last is overwritten later, as `room` elements are written from here on.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Output, class Value>
MGPU_THRUST_HOST_DEVICE Output
fill_run(Output output, std::int64_t count, [[maybe_unused]] std::int64_t room, const Value& value)
{
  if constexpr (is_plain_copy<const Value*, Output>)
  {
    constexpr std::int64_t block = block_size<Value>;
    const Value copy = value; // which no output can change
    if (count + block <= room)
    {
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

/// Copies `count` elements; none if that is negative. Returns the output behind them.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Input, class Output>
MGPU_THRUST_HOST_DEVICE Output copy_run(Input input, Output output, std::int64_t count)
{
  for (std::int64_t i = 0; i < count; ++i)
  {
    *output = detail::element(input, i);
    ++output;
  }
  return output;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
