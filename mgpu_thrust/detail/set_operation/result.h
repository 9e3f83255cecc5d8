// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The outputs of a call that writes the elements that an operation keeps, of two inputs or of pairs of lists.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/no_values.h>
#include <mgpu_thrust/detail/base/unwrap.h>
#include <mgpu_thrust/detail/set_operation/combined_values.h>
#include <mgpu_thrust/detail/set_operation/serial.h>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The outputs of kept elements, as they were passed; values are an iterator or `no_values`.
template <class Keys, class Values>
struct set_result
{
  using type = set_outputs<Keys, Values>;
  using outputs_type = set_outputs<unwrapped_t<Keys>, unwrapped_t<Values>>;
  using combine_type = no_values;
  static constexpr bool writes = true;
  Keys keys;
  Values values;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE outputs_type outputs() const
  {
    return {detail::unwrap(keys), detail::unwrap(values)};
  }
  /// The ends of the outputs, given those of outputs().
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE type ends(const outputs_type& unwrapped) const
  {
    return {detail::rewrap(keys, unwrapped.keys), detail::rewrap(values, unwrapped.values)};
  }
  type of_size(std::int64_t size) const
  {
    return {keys + size, values + size};
  }
  type of_nothing() const
  {
    return {keys, values};
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE std::int64_t size_of(const type& ends) const
  {
    return static_cast<std::int64_t>(ends.keys - keys);
  }
};

template <class Keys, class Values>
set_result(Keys, Values) -> set_result<Keys, Values>;

/// The outputs of an operation that combines the values of matches.
template <class Keys, class Values, class Combine>
struct combined_result : set_result<Keys, Values>
{
  using base = set_result<Keys, Values>;
  using outputs_type = set_outputs<unwrapped_t<Keys>, combined_values<unwrapped_t<Values>, Combine>>;
  using combine_type = Combine;
  Combine combine;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE combined_result(Keys keys_result, Values values_result, const Combine& function)
      : base{keys_result, values_result}
      , combine(function)
  {
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE outputs_type outputs() const
  {
    return {detail::unwrap(this->keys), {detail::unwrap(this->values), combine}};
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE typename base::type ends(const outputs_type& unwrapped) const
  {
    return base::ends({unwrapped.keys, unwrapped.values.values});
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
