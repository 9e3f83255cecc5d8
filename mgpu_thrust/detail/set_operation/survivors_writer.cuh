// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// How a block writes the elements that a set operation keeps of a tile, given their numbers.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/cut/set_inputs.h>
#include <mgpu_thrust/detail/set_operation/combined_values.h>
#include <mgpu_thrust/detail/set_operation/thread_set_operation.cuh>
#include <mgpu_thrust/detail/tile/load/tile_loader.cuh>

#include <cuda/std/cstdint>
#include <cuda/std/iterator>

#include <cstdint>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// The number of an element, without that of its match.
MGPU_THRUST_DEVICE int number_alone(::cuda::std::uint16_t number)
{
  return number;
}
MGPU_THRUST_DEVICE int number_alone(matched_number number)
{
  return number.number();
}

/// Writes the elements of a tile with given numbers: i for element i of A, a_count + j for element j of B. Fetches the
/// values of these elements alone, and of their matches if values are combined, several in flight.
///
/// In unsorted input, numbers may be past the end of the tile, and are clamped, as there may be no such element in
/// memory. The element after the last of A exists if a number is that large; the element after the last of B exists if
/// a match has its number.
template <int Threads, class Operation, class Number, class Tile, class Inputs, class Outputs>
class survivors_writer
{
  using values_type = decltype(Outputs::values);
  using a_values = decltype(Inputs::a_values);
  using b_values = decltype(Inputs::b_values);
  static constexpr bool has_b = Operation::keeps_unmatched_b;
  static constexpr bool combines = combines_values<values_type>;
  static constexpr bool combines_all = combines && !Operation::keeps_unmatched_a;
  static constexpr int batch = 4; ///< values in flight per thread

public:
  MGPU_THRUST_DEVICE
  survivors_writer(const Number* numbers, int count, const Tile& keys, const Inputs& part, const Outputs& outputs)
      : numbers_(numbers)
      , count_(count)
      , keys_(keys)
      , part_(part)
      , outputs_(outputs)
  {
  }

  /// Called by all threads; calls offset_of_tile() once, which may wait, when the first values are in flight.
  template <class Offset>
  MGPU_THRUST_DEVICE void write(Offset offset_of_tile) const
  {
    if constexpr (!has_values<values_type>)
    {
      write_keys(offset_of_tile());
    }
    else
    {
      using value = typename ::cuda::std::iterator_traits<a_values>::value_type;
      using match_value =
        typename ::cuda::std::iterator_traits<std::conditional_t<combines, b_values, a_values>>::value_type;
      if constexpr (
        is_batchable_v<value> && is_batchable_v<match_value> && (!has_b || std::is_same_v<a_values, b_values>) )
      {
        write_in_batches<value, match_value>(offset_of_tile);
      }
      else
      {
        write_one_by_one(offset_of_tile());
      }
    }
  }

private:
  MGPU_THRUST_DEVICE int number_of(int i) const
  {
    const int last = has_b ? keys_.a_count + keys_.b_count - 1 : keys_.a_count;
    return (min) (detail::number_alone(numbers_[i]), last);
  }
  MGPU_THRUST_DEVICE bool is_of_a(int number) const
  {
    return !has_b || number < keys_.a_count;
  }
  /// The index in B that the element with numbers[i], which is `number`, matches if values are combined, or -1.
  MGPU_THRUST_DEVICE int match_of([[maybe_unused]] int i, [[maybe_unused]] int number) const
  {
    if constexpr (combines)
    {
      const int match = numbers_[i].match();
      return combines_all || (match != 0 && is_of_a(number)) ? (min) (match - keys_.a_count, keys_.b_count) : -1;
    }
    else
    {
      return -1;
    }
  }
  template <class Output>
  MGPU_THRUST_DEVICE void write_key(Output to, int number) const
  {
    if (is_of_a(number))
    {
      *to = detail::staged_value(detail::element(keys_.a, number));
    }
    else if constexpr (has_b)
    {
      *to = detail::staged_value(detail::element(keys_.b, number - keys_.a_count));
    }
  }

  MGPU_THRUST_DEVICE void write_keys(std::int64_t offset) const
  {
    const auto keys_out = outputs_.keys + offset;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < count_; i += Threads)
    {
      write_key(keys_out + i, number_of(i));
    }
  }

  /// Each thread has a batch of values in registers.
  template <class Value, class MatchValue, class Offset>
  MGPU_THRUST_DEVICE void write_in_batches(Offset offset_of_tile) const
  {
    // Unions and merges keep too many elements for early fetches: by key they would be 15 % slower.
    constexpr bool fetches_early = !has_b;
    Value values[batch];
    MatchValue match_values[batch];
    int first = static_cast<int>(threadIdx.x);
    if constexpr (fetches_early)
    {
      fetch(first, values, match_values);
    }
    const auto offset = offset_of_tile();
    if constexpr (fetches_early)
    {
      store(first, values, match_values, offset);
      first += batch * Threads;
    }
    for (; first < count_; first += batch * Threads)
    {
      fetch(first, values, match_values);
      store(first, values, match_values, offset);
    }
  }
  template <class Value, class MatchValue>
  MGPU_THRUST_DEVICE void
  fetch(int first, Value (&values)[batch], [[maybe_unused]] MatchValue (&match_values)[batch]) const
  {
#pragma unroll
    for (int k = 0; k < batch; ++k)
    {
      const int i = first + k * Threads;
      if (i < count_)
      {
        const int number = number_of(i);
        if (is_of_a(number))
        {
          values[k] = detail::element(part_.a_values, number);
        }
        else if constexpr (has_b)
        {
          values[k] = detail::element(part_.b_values, number - keys_.a_count);
        }
        if constexpr (combines)
        {
          if (const int match = match_of(i, number); match >= 0)
          {
            match_values[k] = detail::element(part_.b_values, match);
          }
        }
      }
    }
  }
  template <class Value, class MatchValue>
  MGPU_THRUST_DEVICE void store(
    int first, const Value (&values)[batch], [[maybe_unused]] const MatchValue (&match_values)[batch],
    std::int64_t offset) const
  {
    const auto keys_out = outputs_.keys + offset;
    const auto values_out = detail::values_output(outputs_.values) + offset;
#pragma unroll
    for (int k = 0; k < batch; ++k)
    {
      const int i = first + k * Threads;
      if (i < count_)
      {
        const int number = number_of(i);
        write_key(keys_out + i, number);
        if constexpr (combines)
        {
          if (match_of(i, number) >= 0)
          {
            outputs_.values.write(values_out + i, values[k], match_values[k]);
            continue;
          }
        }
        if constexpr (!combines_all)
        {
          *(values_out + i) = values[k];
        }
      }
    }
  }

  /// Values of any type go from iterator to iterator.
  MGPU_THRUST_DEVICE void write_one_by_one(std::int64_t offset) const
  {
    const auto keys_out = outputs_.keys + offset;
    const auto values_out = detail::values_output(outputs_.values) + offset;
    for (int i = static_cast<int>(threadIdx.x); i < count_; i += Threads)
    {
      const int number = number_of(i);
      write_key(keys_out + i, number);
      if constexpr (combines)
      {
        if (const int match = match_of(i, number); match >= 0)
        {
          outputs_.values.write(
            values_out + i, detail::element(part_.a_values, number), detail::element(part_.b_values, match));
          continue;
        }
      }
      if constexpr (!combines_all)
      {
        if (is_of_a(number))
        {
          *(values_out + i) = detail::element(part_.a_values, number);
        }
        else if constexpr (has_b)
        {
          *(values_out + i) = detail::element(part_.b_values, number - keys_.a_count);
        }
      }
    }
  }

  const Number* numbers_;
  int count_;
  const Tile& keys_;
  const Inputs& part_;
  const Outputs& outputs_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
