// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Values of a result to which a match contributes the values of both of its elements.

#include <mgpu_thrust/detail/base/config.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The output of values, with the function that combines the values of a match. It stands in the place of an output of
/// values, and tells all code that writes values that a match is two elements. Every worker, and every thread of a GPU,
/// has its own copy.
template <class Values, class Combine>
struct combined_values
{
  Values values;
  mutable Combine combine; ///< may be a function object whose call operator is not constant

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE combined_values operator+(std::int64_t distance) const
  {
    return {values + distance, combine};
  }
  /// Writes the value of a match, of which A has the value `a` and B has `b`, to `output`.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Output, class A, class B>
  MGPU_THRUST_HOST_DEVICE void write(Output&& output, const A& a, const B& b) const
  {
    *output = combine(a, b);
  }
};

/// The function that gives a match the value of A.
struct value_of_a
{
  template <class A, class B>
  MGPU_THRUST_HOST_DEVICE constexpr const A& operator()(const A& a, const B&) const
  {
    return a;
  }
};

/// Whether a type of values is combined_values.
template <class Values>
inline constexpr bool combines_values = false;
template <class Values, class Combine>
inline constexpr bool combines_values<combined_values<Values, Combine>> = true;

/// The base of a buffer of elements that also holds, if Holds, the index in B that each matches: no member otherwise,
/// so that buffers without combined values compile to the same code as if there were none.
template <bool Holds, class Integer>
struct buffered_matches
{
  Integer* matches;

  explicit buffered_matches(Integer* storage)
      : matches(storage)
  {
  }
};
template <class Integer>
struct buffered_matches<false, Integer>
{
  explicit buffered_matches(Integer*)
  {
  }
};

/// Returns the output iterator of values.
template <class Values>
MGPU_THRUST_HOST_DEVICE constexpr Values& values_output(Values& values)
{
  return values;
}
template <class Values, class Combine>
MGPU_THRUST_HOST_DEVICE constexpr Values& values_output(combined_values<Values, Combine>& values)
{
  return values.values;
}
template <class Values, class Combine>
MGPU_THRUST_HOST_DEVICE constexpr const Values& values_output(const combined_values<Values, Combine>& values)
{
  return values.values;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
