// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Common code of the benchmarks of the sorts: the disorder of the keys, the order by which they are sorted, and the
/// vectors of keys and values.

#include "harness.h"
#include "key128.h"
#include "key_array.h"

#include <thrust/copy.h>
#include <thrust/sequence.h>
#include <thrust/tabulate.h>

#include <cstdint>
#include <stdexcept>
#include <type_traits>

namespace mgpu_benchmark
{

/// The disorder of the keys: each key is a function of its index alone.
struct disorder
{
  enum kinds
  {
    uniform,  ///< all bits but the sign random
    few_keys, ///< sixteen distinct keys, at random
    reversed,
    local ///< each less than `distance` positions from its sorted position; sorted, if `distance` is 1
  };

  const char* name;
  kinds kind;
  std::int64_t distance = 0;
};

/// Returns a key of an input of n keys, from its index.
template <class Key>
struct make_sort_key
{
  disorder::kinds kind;
  std::int64_t distance;
  std::int64_t n;

  MGPU_THRUST_HOST_DEVICE Key operator()(std::int64_t i) const
  {
    constexpr std::uint64_t largest = ~std::uint64_t{0} >> (sizeof(Key) < 8 ? 65 - 8 * sizeof(Key) : 1);
    const std::uint64_t bits = random_bits(static_cast<std::uint64_t>(i));
    switch (kind)
    {
    case disorder::uniform:
      return static_cast<Key>(static_cast<std::int64_t>(bits & largest));
    case disorder::few_keys:
      return static_cast<Key>(static_cast<std::int64_t>(bits >> 60));
    case disorder::reversed:
      return static_cast<Key>(n - i);
    case disorder::local:
      break;
    }
    return static_cast<Key>(i + static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(distance)));
  }
};

/// The default order as a function object of ours, so that no library can recognize it and use a radix sort.
struct some_order
{
  template <class Key>
  MGPU_THRUST_HOST_DEVICE bool operator()(const Key& x, const Key& y) const
  {
    return x < y;
  }
};

using value_type = std::int32_t; ///< type of all values

/// The columns to sort, in the memory of a machine: keys that are sorted in place, with their values if there are any,
/// and the unsorted input of both.
template <class Machine, class KeyType, bool HasValues>
struct sorted_columns
{
  using key = KeyType;
  using key_vector = typename Machine::template vector<key>;
  using value_vector = typename Machine::template vector<value_type>;
  static constexpr std::int64_t element_bytes = sizeof(key) + (HasValues ? sizeof(value_type) : 0);
  struct result
  {
    key_vector keys;
    value_vector values;
  };

  key_vector input, keys;
  value_vector input_values, values;

  sorted_columns(Machine& machine, const disorder& d, std::int64_t n)
      : input(n)
      , keys(n)
      , input_values(HasValues ? n : 0)
      , values(HasValues ? n : 0)
  {
    const auto policy = machine.policy();
    thrust::tabulate(policy, pointer_to(input), pointer_to(input) + n, make_sort_key<key>{d.kind, d.distance, n});
    thrust::sequence(policy, pointer_to(input_values), pointer_to(input_values) + input_values.size());
  }

  std::int64_t size() const
  {
    return static_cast<std::int64_t>(keys.size());
  }
  /// Restores the unsorted keys and values, before each call, as it sorts in place.
  template <class Policy>
  void prepare(const Policy& policy)
  {
    thrust::copy(policy, pointer_to(input), pointer_to(input) + input.size(), pointer_to(keys));
    thrust::copy(policy, pointer_to(input_values), pointer_to(input_values) + input_values.size(), pointer_to(values));
  }
  void poison(Machine& machine)
  {
    fill_all(machine, keys, -77);
    fill_all(machine, values, -77);
  }
  template <class Problem>
  result* keep_result(const Problem&, std::int64_t)
  {
    return new result{keys, values};
  }
  template <class Problem>
  void check(Machine& machine, const Problem&, const result& expected, std::int64_t)
  {
    if (!begins_with(machine, keys, expected.keys) || !begins_with(machine, values, expected.values))
    {
      throw std::runtime_error("wrong result");
    }
  }
};

// The forms of an operation.
struct keys_form
{
  static constexpr const char* name = "keys";
  static constexpr bool has_values = false;
  using order = some_order;
};
struct by_key_form
{
  static constexpr const char* name = "by_key";
  static constexpr bool has_values = true;
  using order = some_order;
};

} // namespace mgpu_benchmark
