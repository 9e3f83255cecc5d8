// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Checks that algorithms do before they start: of sizes always, of the order of the input in the checked mode.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/order.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/execute/execution.h>

#if defined(__CUDACC__)
#  include <thrust/find.h>
#  include <thrust/iterator/counting_iterator.h>
#  include <thrust/sort.h>
#endif

#include <cstdint>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Whether elements of an output share words, so that neighbours cannot be written at the same time.
template <class Output>
inline constexpr bool shares_words_v =
  std::is_same_v<typename std::iterator_traits<Output>::reference, std::vector<bool>::reference>;

/// Asserts at compile time that `Backend` can execute an algorithm with these iterators, before other errors can occur.
template <class Backend, class Output, class... Inputs>
constexpr void check_iterators()
{
#if !defined(__CUDACC__)
  static_assert(
    !std::is_same_v<Backend, cuda_backend>,
    "mgpu_thrust: thrust::device is CUDA in this file, which no CUDA compiler compiles. Compile it with nvcc,"
    " or set THRUST_DEVICE_SYSTEM to THRUST_DEVICE_SYSTEM_CPP, _OMP or _TBB, or pass a host policy");
#endif
  static_assert(
    (is_random_access_v<Inputs> && ...), "mgpu_thrust: the inputs of this algorithm must be random-access iterators");
  static_assert(
    std::is_same_v<Backend, serial_backend> || is_random_access_v<Output>,
    "mgpu_thrust: parallel policies write with random access; use thrust::seq or thrust::host with a plain"
    " output iterator such as std::back_insert_iterator");
  static_assert(
    std::is_same_v<Backend, serial_backend> || !shares_words_v<Output>,
    "mgpu_thrust: parallel policies write neighbouring elements at the same time, but those of a std::vector<bool>"
    " share words; use a vector of char, or thrust::seq");
}

/// Asserts at compile time that an output that every policy writes with random access has it.
template <class Output>
constexpr void check_scattered_output()
{
  static_assert(
    is_random_access_v<Output>, "mgpu_thrust: this algorithm writes its output out of order, with random access");
}

/// Asserts at compile time that a comparator can be called with elements of two inputs, or of one. An extended device
/// lambda cannot be checked.
template <class Compare, class A, class B = A>
constexpr void check_order()
{
  static_assert(
    is_device_lambda<Compare> || (is_order_of<Compare, A, A> && is_order_of<Compare, B, B>),
    "mgpu_thrust: the comparator, operator< if there is none, must be callable with two elements of an input, as"
    " constants, and its result must convert to bool");
  static_assert(
    is_device_lambda<Compare> || (is_order_of<Compare, A, B> && is_order_of<Compare, B, A>),
    "mgpu_thrust: the comparator, operator< if there is none, must be callable with an element of one input and one of"
    " the other, in either order, as constants, and its result must convert to bool");
}

/// Asserts at compile time that a range that is sorted in place can be written.
template <class Iterator>
constexpr void check_sorted_in_place()
{
  using traits = std::iterator_traits<Iterator>;
  static_assert(
    std::is_assignable_v<typename traits::reference, typename traits::value_type>,
    "mgpu_thrust: a sort writes to the range that it sorts, which must not be constant");
}

/// Asserts at compile time that elements of an input can be copied to an output.
template <class Output, class Input>
constexpr void check_copies()
{
  static_assert(
    std::is_assignable_v<decltype(*std::declval<Output&>()), const element_t<Input>&>,
    "mgpu_thrust: elements are copied, not moved, to the output, which must be assignable from an element of the "
    "input");
}

/// Asserts at compile time that indices are integers.
template <class Indices>
constexpr void check_index_type()
{
  static_assert(
    std::is_integral_v<typename std::iterator_traits<Indices>::value_type>,
    "mgpu_thrust: indices, positions and offsets must be integers");
}

/// Throws std::invalid_argument if the length of an input is negative.
inline void check_size(const char* algorithm, const char* argument, std::int64_t size)
{
  if (size < 0)
  {
    throw std::invalid_argument(
      std::string("mgpu::") + algorithm + ": the last of " + argument + " is before its first (" + std::to_string(size)
      + " elements)");
  }
}

/// Throws std::length_error if the sum of two lengths overflows 64 bits.
inline void check_total_size(const char* algorithm, std::int64_t a_count, std::int64_t b_count)
{
  if (a_count > std::numeric_limits<std::int64_t>::max() - b_count)
  {
    throw std::length_error(
      std::string("mgpu::") + algorithm + ": more than 2^63 - 1 elements in both inputs together");
  }
}

/// Throws std::invalid_argument if more elements are to be removed than there are.
inline void check_removals(const char* algorithm, std::int64_t size, std::int64_t removals)
{
  if (removals > size)
  {
    throw std::invalid_argument(
      std::string("mgpu::") + algorithm + ": more indices (" + std::to_string(removals) + ") than elements ("
      + std::to_string(size) + ")");
  }
}

/// Throws std::length_error if indices of up to `largest` do not fit an output that holds `output_largest` at most.
inline void check_index_range(const char* algorithm, std::int64_t largest, std::int64_t output_largest)
{
  if (largest > output_largest)
  {
    throw std::length_error(
      std::string("mgpu::") + algorithm + ": indices of up to " + std::to_string(largest)
      + " do not fit the output, which holds " + std::to_string(output_largest) + " at most");
  }
}

/// Throws std::length_error if a join has more rows than 64 bits can count: `rows` is 2^63 - 1 then.
inline void check_row_count(const char* algorithm, std::int64_t rows)
{
  if (rows == std::numeric_limits<std::int64_t>::max())
  {
    throw std::length_error(std::string("mgpu::") + algorithm + ": 2^63 - 1 rows, or more");
  }
}

/// Throws std::invalid_argument if [first, last) is no range of the `size` rows of a join.
inline void check_row_range(const char* algorithm, std::int64_t first, std::int64_t last, std::int64_t size)
{
  if (first < 0 || last < first || size < last)
  {
    throw std::invalid_argument(
      std::string("mgpu::") + algorithm + ": no rows from " + std::to_string(first) + " to " + std::to_string(last)
      + " among " + std::to_string(size));
  }
}

/// Checks the numbers of segments and items, whatever the offsets are: throws std::invalid_argument if one is negative,
/// or if there are items but no segment; std::length_error if the sum of both numbers overflows 64 bits.
inline void check_segment_counts(const char* algorithm, std::int64_t num_items, std::int64_t num_segments)
{
  const auto message = [&](const std::string& text) { return std::string("mgpu::") + algorithm + ": " + text; };
  if (num_items < 0)
  {
    throw std::invalid_argument(message("the number of items is negative (" + std::to_string(num_items) + ")"));
  }
  detail::check_size(algorithm, "the offsets", num_segments);
  if (num_items > 0 && num_segments == 0)
  {
    throw std::invalid_argument(message(std::to_string(num_items) + " items, and no segment that they belong to"));
  }
  if (num_items > std::numeric_limits<std::int64_t>::max() - num_segments)
  {
    throw std::length_error(message("more than 2^63 - 1 items and segments together"));
  }
}

/// The first position whose element is ordered before its predecessor, or `size`.
template <class Backend, class Policy, class Iterator, class Compare>
std::int64_t sorted_until(Backend, Policy& policy, Iterator first, std::int64_t size, Compare comp)
{
#if defined(__CUDACC__)
  if constexpr (std::is_same_v<Backend, cuda_backend>)
  {
    return thrust::is_sorted_until(policy, first, first + size, comp) - first;
  }
#endif
  (void) policy;
  for (std::int64_t i = 1; i < size; ++i)
  {
    if (comp(detail::element(first, i), detail::element(first, i - 1)))
    {
      return i;
    }
  }
  return size;
}

/// In the checked mode, throws std::invalid_argument if an input is not sorted; otherwise does nothing.
template <class Policy, class Iterator, class Compare>
void check_sorted(
  [[maybe_unused]] Policy& policy, [[maybe_unused]] const char* algorithm, [[maybe_unused]] const char* argument,
  [[maybe_unused]] Iterator first, [[maybe_unused]] std::int64_t size, [[maybe_unused]] Compare comp)
{
#if defined(MGPU_THRUST_CHECK_PRECONDITIONS)
  const std::int64_t sorted = detail::sorted_until(backend_t<Policy>{}, policy, first, size, comp);
  if (sorted < size)
  {
    throw std::invalid_argument(
      std::string("mgpu::") + algorithm + ": " + argument + " is not sorted: the element at position "
      + std::to_string(sorted) + " goes before the one in front of it");
  }
#endif
}

/// Predicate that the index at a position is out of order or of range: not from 0 to `largest`, or not above its
/// predecessor by at least `step`.
template <class Indices>
struct is_wrong_index
{
  Indices indices;
  std::int64_t largest;
  std::int64_t step;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE bool operator()(std::int64_t position) const
  {
    const auto index = static_cast<std::int64_t>(detail::element(indices, position));
    return index < 0 || index > largest
           || (position > 0 && index < static_cast<std::int64_t>(detail::element(indices, position - 1)) + step);
  }
};

/// The first position in [0, size) that `is_wrong` is true for, or `size`.
template <class Backend, class Policy, class IsWrong>
std::int64_t first_wrong_position(Backend, Policy& policy, std::int64_t size, IsWrong is_wrong)
{
#if defined(__CUDACC__)
  if constexpr (std::is_same_v<Backend, cuda_backend>)
  {
    const thrust::counting_iterator<std::int64_t> first(0);
    return thrust::find_if(policy, first, first + size, is_wrong) - first;
  }
#endif
  (void) policy;
  std::int64_t position = 0;
  while (position < size && !is_wrong(position))
  {
    ++position;
  }
  return position;
}

/// In the checked mode, throws std::invalid_argument if indices are not from 0 to `largest`, each above its predecessor
/// by at least `step`, 0 or 1; otherwise does nothing.
template <class Policy, class Indices>
void check_indices(
  [[maybe_unused]] Policy& policy, [[maybe_unused]] const char* algorithm, [[maybe_unused]] const char* argument,
  [[maybe_unused]] Indices first, [[maybe_unused]] std::int64_t size, [[maybe_unused]] std::int64_t largest,
  [[maybe_unused]] std::int64_t step)
{
#if defined(MGPU_THRUST_CHECK_PRECONDITIONS)
  const is_wrong_index<Indices> is_wrong{first, largest, step};
  const std::int64_t position = detail::first_wrong_position(backend_t<Policy>{}, policy, size, is_wrong);
  if (position < size)
  {
    throw std::invalid_argument(
      std::string("mgpu::") + algorithm + ": " + argument + " are out of order or of range: the one at position "
      + std::to_string(position) + " must be from 0 to " + std::to_string(largest)
      + (step > 0 ? ", and above the one in front of it" : ", and not below the one in front of it"));
  }
#endif
}

/// Predicate that the offset at a position is out of order or of range.
template <class Offsets>
struct is_wrong_offset
{
  is_wrong_index<Offsets> is_wrong;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE bool operator()(std::int64_t position) const
  {
    return is_wrong(position)
           || (position == 0 && static_cast<std::int64_t>(detail::element(is_wrong.indices, 0)) != 0);
  }
};

/// In the checked mode, throws std::invalid_argument if the offsets of segments do not begin with 0, do not ascend, or
/// are above the number of items; otherwise does nothing.
template <class Policy, class Offsets>
void check_offsets(
  [[maybe_unused]] Policy& policy, [[maybe_unused]] const char* algorithm, [[maybe_unused]] Offsets first,
  [[maybe_unused]] std::int64_t num_segments, [[maybe_unused]] std::int64_t num_items)
{
#if defined(MGPU_THRUST_CHECK_PRECONDITIONS)
  const is_wrong_offset<Offsets> is_wrong{{first, num_items, 0}};
  const std::int64_t position = detail::first_wrong_position(backend_t<Policy>{}, policy, num_segments, is_wrong);
  if (position < num_segments)
  {
    const std::string range = "from 0 to " + std::to_string(num_items) + ", and not below the one in front of it";
    throw std::invalid_argument(
      std::string("mgpu::") + algorithm + ": the offsets are out of order or of range: the one at position "
      + std::to_string(position) + " must be " + (position == 0 ? "0" : range));
  }
#endif
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
