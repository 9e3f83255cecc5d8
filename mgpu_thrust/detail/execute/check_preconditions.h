// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Checks of the checked mode, which read the whole input before an algorithm starts. Without
/// MGPU_THRUST_CHECK_PRECONDITIONS they do nothing.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>
#include <mgpu_thrust/detail/execute/backend.h>

#if defined(MGPU_THRUST_CHECK_PRECONDITIONS) && defined(__CUDACC__)
#  include <thrust/find.h>
#  include <thrust/iterator/counting_iterator.h>
#  include <thrust/sort.h>
#  include <thrust/transform_reduce.h>
#endif

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

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
           || (position > 0 && index - step < static_cast<std::int64_t>(detail::element(indices, position - 1)));
  }
};

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

/// Predicate that a comparator says of the element at a position that it goes before itself.
template <class Elements, class Compare>
struct goes_before_itself
{
  Elements elements;
  Compare comp;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE bool operator()(std::int64_t position) const
  {
    Compare copy(comp);
    return copy(detail::element(elements, position), detail::element(elements, position));
  }
};

/// Predicate that the size of a run is negative.
template <class Sizes>
struct is_negative_size
{
  Sizes sizes;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE bool operator()(std::int64_t run) const
  {
    return static_cast<std::int64_t>(detail::element(sizes, run)) < 0;
  }
};

/// The first position in a run of an element that goes before the one in front of it, or, if it is the first one,
/// before itself; -1 if there is none. One thread reads a whole run.
template <class Runs, class Compare>
struct wrong_position
{
  Runs runs;
  Compare comp;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t run) const
  {
    Compare copy(comp);
    const auto keys = runs.keys_of(run);
    const std::int64_t size = runs.size(run);
    for (std::int64_t i = 0; i < size; ++i)
    {
      if (copy(detail::element(keys, i), detail::element(keys, i > 0 ? i - 1 : i)))
      {
        return i;
      }
    }
    return -1;
  }
  /// The sum, for a reduction of one position.
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t x, std::int64_t y) const
  {
    return x + y;
  }
};

/// Predicate that a run has such an element.
template <class Runs, class Compare>
struct is_wrong_run
{
  wrong_position<Runs, Compare> position;

  MGPU_THRUST_HOST_DEVICE bool operator()(std::int64_t run) const
  {
    return position(run) >= 0;
  }
};

/// The size of a run, and the sum of two, which is 2^63 - 1 at most.
template <class Sizes>
struct size_of_run
{
  Sizes sizes;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t run) const
  {
    return static_cast<std::int64_t>(detail::element(sizes, run));
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t x, std::int64_t y) const
  {
    return x < largest - y ? x + y : largest;
  }

private:
  static constexpr std::int64_t largest = (std::numeric_limits<std::int64_t>::max)();
};

// Predicates of floating-point numbers. Only NaN differs from itself.

/// Whether the element at a position is NaN, or is not.
template <class Numbers>
struct is_nan
{
  Numbers numbers;
  bool wanted;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE bool operator()(std::int64_t position) const
  {
    const auto number = detail::element(numbers, position);
    return (number != number) == wanted;
  }
};

/// Whether a comparator orders the elements at two positions, of which one is given.
template <class Numbers, class Compare>
struct is_ordered_with
{
  Numbers numbers;
  Compare comp;
  std::int64_t other;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE bool operator()(std::int64_t position) const
  {
    Compare copy(comp);
    const auto x = detail::element(numbers, position);
    const auto y = detail::element(numbers, other);
    return copy(x, y) || copy(y, x);
  }
};

/// Whether the element at a position is NaN, and equivalent to those at two positions, which are not to each other.
template <class Numbers, class Compare>
struct is_unordered_nan
{
  is_nan<Numbers> is_number;
  is_ordered_with<Numbers, Compare> with_one;
  is_ordered_with<Numbers, Compare> with_other;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE bool operator()(std::int64_t position) const
  {
    return !is_number(position) && !with_one(position) && !with_other(position);
  }
};

/// Checks of a call with a policy, which throw std::invalid_argument and name the algorithm. All arguments are of the
/// inputs as the algorithm reads them, unwrapped.
template <class Policy>
class precondition_checks
{
public:
#if defined(MGPU_THRUST_CHECK_PRECONDITIONS)

  precondition_checks(Policy& policy, const char* algorithm)
      : policy_(policy)
      , algorithm_(algorithm)
  {
    static_cast<void>(policy_); // read for CUDA policies only, which compilers warn of
  }

  /// A comparator is a strict weak order of the elements, as far as one element shows, and, of floating-point numbers,
  /// as far as NaNs show.
  template <class Iterator, class Compare>
  void ordered(const char* argument, Iterator first, std::int64_t size, Compare comp) const
  {
    const std::int64_t position = first_wrong(size, goes_before_itself<Iterator, Compare>{first, comp});
    if (position < size)
    {
      fail(not_ordered(argument, position) + " goes before itself, as with <=");
    }
    if constexpr (std::is_floating_point_v<std::decay_t<element_t<Iterator>>>)
    {
      const std::int64_t nan = first_unordered_nan(first, size, comp);
      if (nan < size)
      {
        fail(not_ordered(argument, nan) + " is NaN");
      }
    }
  }

  /// An input is sorted.
  template <class Iterator, class Compare>
  void sorted(const char* argument, Iterator first, std::int64_t size, Compare comp) const
  {
    ordered(argument, first, size, comp);
    const std::int64_t position = sorted_until(first, size, comp);
    if (position < size)
    {
      fail(not_sorted(argument, position));
    }
  }

  /// Indices are from 0 to `largest`, each above its predecessor by at least `step`, 0 or 1.
  template <class Indices>
  void indices(const char* argument, Indices first, std::int64_t size, std::int64_t largest, std::int64_t step) const
  {
    const std::int64_t position = first_wrong(size, is_wrong_index<Indices>{first, largest, step});
    if (position < size)
    {
      fail(
        std::string(argument) + " are out of order or of range: the one at position " + std::to_string(position)
        + " must be from 0 to " + std::to_string(largest)
        + (step > 0 ? ", and above the one in front of it" : ", and not below the one in front of it"));
    }
  }

  /// The offsets of segments begin with 0, ascend, and are not above the number of items.
  template <class Offsets>
  void offsets(Offsets first, std::int64_t num_segments, std::int64_t num_items) const
  {
    const std::int64_t position = first_wrong(num_segments, is_wrong_offset<Offsets>{{first, num_items, 0}});
    if (position < num_segments)
    {
      const std::string range = "from 0 to " + std::to_string(num_items) + ", and not below the one in front of it";
      fail(
        "the offsets are out of order or of range: the one at position " + std::to_string(position) + " must be "
        + (position == 0 ? "0" : range));
    }
  }

  /// The sizes of runs are not negative, and `num_items` in total.
  template <class Sizes>
  void run_sizes(Sizes sizes, std::int64_t num_runs, std::int64_t num_items) const
  {
    const std::int64_t run = first_wrong(num_runs, is_negative_size<Sizes>{sizes});
    if (run < num_runs)
    {
      fail("the size of run " + std::to_string(run) + " is negative");
    }
    const std::int64_t total = sum(0, num_runs, size_of_run<Sizes>{sizes});
    if (total != num_items)
    {
      fail(
        "the sizes of the runs are " + std::to_string(total) + " in total, and the number of items is "
        + std::to_string(num_items));
    }
  }

  /// Each run is sorted, and no first element goes before itself. `run` is the name of one, to which its number is
  /// added. Positions are those in the run.
  template <class Runs, class Compare>
  void sorted_runs(const char* run, const Runs& runs, Compare comp) const
  {
    const wrong_position<Runs, Compare> position_in{runs, comp};
    const std::int64_t wrong = first_wrong(runs.num_runs, is_wrong_run<Runs, Compare>{position_in});
    if (wrong < runs.num_runs)
    {
      const std::string name = std::string(run) + " " + std::to_string(wrong);
      const std::int64_t position = sum(wrong, wrong + 1, position_in);
      fail(position > 0 ? not_sorted(name, position) : not_ordered(name, position) + " goes before itself, as with <=");
    }
  }

#else

  precondition_checks(Policy&, const char*)
  {
  }

  template <class Iterator, class Compare>
  void ordered(const char*, Iterator, std::int64_t, Compare) const
  {
  }
  template <class Iterator, class Compare>
  void sorted(const char*, Iterator, std::int64_t, Compare) const
  {
  }
  template <class Indices>
  void indices(const char*, Indices, std::int64_t, std::int64_t, std::int64_t) const
  {
  }
  template <class Offsets>
  void offsets(Offsets, std::int64_t, std::int64_t) const
  {
  }
  template <class Sizes>
  void run_sizes(Sizes, std::int64_t, std::int64_t) const
  {
  }
  template <class Runs, class Compare>
  void sorted_runs(const char*, const Runs&, Compare) const
  {
  }

#endif

#if defined(MGPU_THRUST_CHECK_PRECONDITIONS)

private:
  [[noreturn]] void fail(const std::string& message) const
  {
    throw std::invalid_argument(std::string("mgpu::") + algorithm_ + ": " + message);
  }

  /// The messages of an element that is out of order, and, but for their ends, of a wrong comparator.
  static std::string not_sorted(const std::string& argument, std::int64_t position)
  {
    return argument + " is not sorted: the element at position " + std::to_string(position)
           + " goes before the one in front of it";
  }
  static std::string not_ordered(const std::string& argument, std::int64_t position)
  {
    return "the comparator is no strict weak order of " + argument + ": the element at position "
           + std::to_string(position);
  }

  /// The first position of a NaN that is equivalent to numbers which are not equivalent to each other, or `size`.
  template <class Iterator, class Compare>
  std::int64_t first_unordered_nan(Iterator first, std::int64_t size, Compare comp) const
  {
    const is_nan<Iterator> is_number{first, false};
    const std::int64_t number = first_wrong(size, is_number);
    if (number == size || first_wrong(size, is_nan<Iterator>{first, true}) == size)
    {
      return size;
    }
    const is_ordered_with<Iterator, Compare> with_number{first, comp, number};
    const std::int64_t other = first_wrong(size, with_number);
    if (other == size)
    {
      return size;
    }
    return first_wrong(size, is_unordered_nan<Iterator, Compare>{is_number, with_number, {first, comp, other}});
  }

  /// The first position whose element is ordered before its predecessor, or `size`.
  template <class Iterator, class Compare>
  std::int64_t sorted_until(Iterator first, std::int64_t size, Compare comp) const
  {
#  if defined(__CUDACC__)
    if constexpr (std::is_same_v<backend_t<Policy>, cuda_backend>)
    {
      return thrust::is_sorted_until(policy_, first, first + size, comp) - first;
    }
    else
#  endif
    {
      std::int64_t i = 1;
      while (i < size && !comp(detail::element(first, i), detail::element(first, i - 1)))
      {
        ++i;
      }
      return (std::min)(i, size);
    }
  }

  /// The first position in [0, size) that `is_wrong` is true for, or `size`.
  template <class IsWrong>
  std::int64_t first_wrong(std::int64_t size, IsWrong is_wrong) const
  {
#  if defined(__CUDACC__)
    if constexpr (std::is_same_v<backend_t<Policy>, cuda_backend>)
    {
      const thrust::counting_iterator<std::int64_t> first(0);
      return thrust::find_if(policy_, first, first + size, is_wrong) - first;
    }
    else
#  endif
    {
      std::int64_t position = 0;
      while (position < size && !is_wrong(position))
      {
        ++position;
      }
      return position;
    }
  }

  /// The sum of f(i) for each i in [begin, end), by f.
  template <class Function>
  std::int64_t sum(std::int64_t begin, std::int64_t end, Function f) const
  {
#  if defined(__CUDACC__)
    if constexpr (std::is_same_v<backend_t<Policy>, cuda_backend>)
    {
      const thrust::counting_iterator<std::int64_t> first(0);
      return thrust::transform_reduce(policy_, first + begin, first + end, f, std::int64_t{0}, f);
    }
    else
#  endif
    {
      std::int64_t total = 0;
      for (std::int64_t i = begin; i < end; ++i)
      {
        total = f(total, f(i));
      }
      return total;
    }
  }

  Policy& policy_;
  const char* algorithm_;

#endif
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
