// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Checks of the sizes of a job, which algorithms do before they start.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/deferred_size.h>
#include <mgpu_thrust/detail/base/max_tiles.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Checks sizes. A failure throws in a call with a policy, and is remembered in the device layer.
class size_checks
{
public:
  /// Checks for the device layer.
  size_checks() = default;
  /// Checks that throw, with messages that name the algorithm.
  explicit size_checks(const char* algorithm)
      : algorithm_(algorithm)
  {
  }

  /// Whether no check has failed.
  bool passed() const
  {
    return passed_;
  }

  /// The length of an input is not negative.
  void size(const char* argument, std::int64_t size)
  {
    require<std::invalid_argument>(
      size >= 0, [=] { return text("the last of ", argument, " is before its first (", size, " elements)"); });
  }

  /// The sum of two lengths fits 64 bits.
  void total_size(std::int64_t a_count, std::int64_t b_count)
  {
    require<std::length_error>(
      fits(a_count, b_count), [] { return "more than 2^63 - 1 elements in both inputs together"; });
  }

  /// Two inputs have lengths that are not negative, and whose sum fits 64 bits.
  void sizes_of_two(const char* a, std::int64_t a_count, const char* b, std::int64_t b_count)
  {
    size(a, a_count);
    size(b, b_count);
    total_size(a_count, b_count);
  }

  /// No more elements are to be removed than there are.
  void removals(std::int64_t size, std::int64_t removals)
  {
    require<std::invalid_argument>(
      removals <= size, [=] { return text("more indices (", removals, ") than elements (", size, ")"); });
  }

  /// Indices of up to `largest_index` fit an output that holds `output_largest` at most.
  void index_range(std::int64_t largest_index, std::int64_t output_largest)
  {
    require<std::length_error>(
      largest_index <= output_largest,
      [=]
      {
        return text(
          "indices of up to ", largest_index, " do not fit the output, which holds ", output_largest, " at most");
      });
  }

  /// The size of a result of up to `capacity` elements fits a count that holds `count_largest` at most.
  void count_range(std::int64_t capacity, std::int64_t count_largest)
  {
    require<std::length_error>(
      capacity <= count_largest,
      [=]
      {
        return text(
          "a size of up to ", capacity, " does not fit the count of the result, which holds ", count_largest,
          " at most");
      });
  }

  /// The indices of `count` elements fit an output that holds `output_largest` at most.
  void indices_of(std::int64_t count, std::int64_t output_largest)
  {
    index_range(count > 0 ? count - 1 : 0, output_largest);
  }

  /// A number that the caller passes as such is not negative.
  void number(const char* of_what, std::int64_t number)
  {
    require<std::invalid_argument>(
      number >= 0, [=] { return text("the number of ", of_what, " is negative (", number, ")"); });
  }

  /// Some offsets are possible for these numbers of items and segments, or runs: none is negative, items have a
  /// segment, and the sum of both fits 64 bits.
  void segment_counts(std::int64_t num_items, std::int64_t num_segments, const char* segment = "segment")
  {
    number("items", num_items);
    size("the offsets", num_segments);
    require<std::invalid_argument>(
      num_items <= 0 || num_segments != 0,
      [=] { return text(num_items, " items, and no ", segment, " that they belong to"); });
    require<std::length_error>(
      fits(num_items, num_segments), [=] { return text("more than 2^63 - 1 items and ", segment, "s together"); });
  }

  /// The same of items in segments, whose sizes may be deferred: these only fit 64 bits together.
  template <class Segments>
  void items_in_segments(const Segments& in)
  {
    if constexpr (is_deferred_v<Segments>)
    {
      sizes_of_two("the items", in.num_items, "the offsets", in.num_segments);
    }
    else
    {
      segment_counts(in.num_items, in.num_segments);
    }
  }

  /// The same of an input in segments.
  template <class Segments>
  void input_in_segments(const Segments& in)
  {
    if constexpr (!is_deferred_v<Segments>)
    {
      size("the input", in.num_items);
    }
    items_in_segments(in);
  }

  /// A join has no more rows than 64 bits can count: `rows` is 2^63 - 1 if it has.
  void row_count(std::int64_t rows)
  {
    require<std::length_error>(rows != largest, [] { return "2^63 - 1 rows, or more"; });
  }

  /// [first, last) is a range of the `size` rows of a join.
  void row_range(std::int64_t first, std::int64_t last, std::int64_t size)
  {
    require<std::invalid_argument>(
      0 <= first && first <= last && last <= size,
      [=] { return text("no rows from ", first, " to ", last, " among ", size); });
  }

  /// Several times `count` items of `item_bytes` bytes may fit in memory.
  void items_in_memory(std::int64_t count, std::size_t item_bytes)
  {
    require<std::length_error>(
      count <= largest / 4 / static_cast<std::int64_t>(item_bytes),
      [=] { return text("more elements (", count, ") than memory has room for"); });
  }

  /// A grid has room for the tiles of a job, or for other blocks with its work.
  void tiles(std::int64_t tiles)
  {
    require<std::length_error>(tiles < max_tiles, [] { return "more elements than a grid of 2^31 blocks can take"; });
  }

private:
  static constexpr std::int64_t largest = (std::numeric_limits<std::int64_t>::max)();

  /// Whether the sum of two numbers fits 64 bits, if neither is negative.
  static bool fits(std::int64_t a, std::int64_t b)
  {
    return static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b) <= static_cast<std::uint64_t>(largest);
  }

  /// Returns texts and numbers, one after the other. Concatenated by +, the messages would be a tenth of the code of a
  /// program with one call.
  template <class... Part>
  static std::string text(const Part&... parts)
  {
    std::string all;
    (append(all, parts), ...);
    return all;
  }
  static void append(std::string& all, std::string_view part)
  {
    all += part;
  }
  static void append(std::string& all, std::int64_t number)
  {
    all += std::to_string(number);
  }

  /// After a failure later checks are skipped.
  template <class Error, class Message>
  void require(bool condition, Message message)
  {
    if (passed_ && !condition)
    {
      if (algorithm_ != nullptr)
      {
        throw Error(text("mgpu::", algorithm_, ": ", message()));
      }
      passed_ = false;
    }
  }

  const char* algorithm_ = nullptr;
  bool passed_ = true;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
