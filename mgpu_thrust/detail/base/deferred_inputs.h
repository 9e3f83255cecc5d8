// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Inputs whose sizes are read where the work executes, beside those whose sizes the host knows.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>

#include <cstdint>
#include <type_traits>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The sizes of a call as its first kernel has read them, clamped to their capacities, in the call's temporary storage.
/// One instruction loads both.
struct alignas(16) size_header
{
  std::int64_t first;
  std::int64_t second;
  int tiles; ///< of these sizes, if the first kernel cuts tiles
};

/// Inputs whose sizes are capacities, as at least one of the real ones is read where the work executes. So what the
/// host chooses by size, such as storage and grids, is chosen for the capacities.
///
/// A call may store its own count where it reads one. So its first kernel reads the sizes and stores them in the
/// header, and later ones read only that. The kernels of a call that stores no count may read the sizes where they are.
///
/// Inputs has with_sizes(first, second), which returns the same inputs with these sizes.
template <class Inputs, class First, class Second>
struct deferred_inputs : Inputs
{
  First first_size;
  Second second_size;
  size_header* header;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE
  deferred_inputs(const Inputs& inputs, const First& first, const Second& second, size_header* header_of_call = nullptr)
      : Inputs(inputs.with_sizes(detail::capacity_of(first), detail::capacity_of(second)))
      , first_size(first)
      , second_size(second)
      , header(header_of_call)
  {
  }
};

template <class Inputs, class First, class Second>
inline constexpr bool is_deferred_v<deferred_inputs<Inputs, First, Second>> = true;

/// Inputs, whose sizes are capacities, for the kernels of a call that read the real ones in its header.
template <class Inputs>
struct inputs_in_header : Inputs
{
  const size_header* header;

  inputs_in_header(const Inputs& inputs, const size_header* header_of_call)
      : Inputs(inputs)
      , header(header_of_call)
  {
  }
};

template <class Inputs>
inline constexpr bool is_deferred_v<inputs_in_header<Inputs>> = true;

template <class Inputs>
inline constexpr bool are_in_header = false;
template <class Inputs>
inline constexpr bool are_in_header<inputs_in_header<Inputs>> = true;

/// Makes inputs for two sizes, as as_size() returns them, from inputs with any sizes.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Inputs, class First, class Second>
MGPU_THRUST_HOST_DEVICE auto make_inputs(const Inputs& inputs, const First& first, const Second& second)
{
  if constexpr (is_deferred_v<First> || is_deferred_v<Second>)
  {
    return deferred_inputs<Inputs, First, Second>(inputs, first, second);
  }
  else
  {
    return inputs.with_sizes(first, second);
  }
}

/// Returns inputs with their real sizes: the same where these are known.
template <class Inputs>
MGPU_THRUST_HOST_DEVICE const Inputs& sized(const Inputs& inputs)
{
  return inputs;
}
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Inputs, class First, class Second>
MGPU_THRUST_HOST_DEVICE Inputs sized(const deferred_inputs<Inputs, First, Second>& inputs)
{
  return inputs.with_sizes(detail::read_size(inputs.first_size), detail::read_size(inputs.second_size));
}
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Inputs>
MGPU_THRUST_HOST_DEVICE Inputs sized(const inputs_in_header<Inputs>& inputs)
{
  return inputs.with_sizes(inputs.header->first, inputs.header->second);
}
template <class Inputs>
using sized_t = std::decay_t<decltype(detail::sized(std::declval<const Inputs&>()))>;

} // namespace detail
MGPU_THRUST_NAMESPACE_END
