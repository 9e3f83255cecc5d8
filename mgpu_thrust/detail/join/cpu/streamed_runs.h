// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Stretches of numbers that a host writes past its caches, for results that do not fit in these: cache lines that are
/// written whole are not read before. This needs x86's non-temporal stores.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/target.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__SSE2__)
#  include <emmintrin.h>
#endif

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether numbers can be streamed to an output: memory of integers of 4 or 8 bytes, which may be written in any order.
template <class Output>
inline constexpr bool is_streamable = false;
#if defined(__SSE2__)
template <class Number>
inline constexpr bool is_streamable<Number*> =
  std::is_integral_v<Number> && !std::is_volatile_v<Number> && (sizeof(Number) == 4 || sizeof(Number) == 8);
#endif

/// The numbers first, first + step, first + 2 * step, ..., which may wrap around.
template <class Number>
struct number_run
{
  using bits = std::make_unsigned_t<Number>;
  Number first;
  Number step;

  MGPU_THRUST_HOST_DEVICE Number operator[](std::int64_t i) const
  {
    return static_cast<Number>(static_cast<bits>(first) + static_cast<bits>(step) * static_cast<bits>(i));
  }
};

/// Size of a cache line in bytes.
inline constexpr int line_bytes = 64;

#if defined(__SSE2__)
/// Streams numbers from index `begin` on to all whole lines that begin before `end`. Returns the index past the last.
template <class Number>
std::int64_t stream_lines(Number* output, std::int64_t begin, std::int64_t end, number_run<Number> numbers)
{
  constexpr std::size_t numbers_of_vector = sizeof(__m128i) / sizeof(Number);
  alignas(__m128i) Number firsts[numbers_of_vector];
  alignas(__m128i) Number steps[numbers_of_vector];
  const number_run<Number> multiples{0, numbers.step};
  for (std::size_t k = 0; k < numbers_of_vector; ++k)
  {
    firsts[k] = numbers[begin + static_cast<std::int64_t>(k)];
    steps[k] = multiples[numbers_of_vector];
  }
  __m128i vector = _mm_load_si128(reinterpret_cast<const __m128i*>(firsts));
  const __m128i step = _mm_load_si128(reinterpret_cast<const __m128i*>(steps));
  std::int64_t i = begin;
  for (; i < end; i += line_bytes / std::int64_t{sizeof(Number)})
  {
    for (int k = 0; k < line_bytes / int{sizeof(__m128i)}; ++k)
    {
      _mm_stream_si128(reinterpret_cast<__m128i*>(output + i) + k, vector);
      vector = sizeof(Number) == 4 ? _mm_add_epi32(vector, step) : _mm_add_epi64(vector, step);
    }
  }
  return i;
}
#endif

/// Writes `count` numbers, and streams the cache lines that hold no others. Returns the output past the last one. After
/// end_streams() they are visible like ordinary stores.
template <class Number>
MGPU_THRUST_HOST_DEVICE Number* stream_run(Number* output, std::int64_t count, number_run<Number> numbers)
{
  [[maybe_unused]] constexpr std::int64_t numbers_of_line = line_bytes / sizeof(Number);
  std::int64_t i = 0;
  for (; i < count && reinterpret_cast<std::uintptr_t>(output + i) % line_bytes != 0; ++i)
  {
    output[i] = numbers[i];
  }
#if defined(__SSE2__)
  MGPU_THRUST_IF_HOST((i = detail::stream_lines(output, i, count - numbers_of_line + 1, numbers);))
#endif
  for (; i < count; ++i)
  {
    output[i] = numbers[i];
  }
  return output + count;
}

/// Orders the streamed stores of a thread before its later stores.
inline void end_streams()
{
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
