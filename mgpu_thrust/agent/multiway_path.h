// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @defgroup agent_multiway_path Multiway path
/// Multiway path: where a diagonal cuts the merge of any number of sorted runs.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <cuda/std/functional>
#include <cuda/std/iterator>

#include <cstdint>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// An element of a run; none if the run is negative.
struct run_element
{
  std::int64_t run = -1;
  std::int64_t index = 0;
};

/// Runs by iterators to their iterators and their sizes. What follows needs of runs these two functions.
template <class Runs, class Sizes>
struct iterated_runs
{
  Runs runs;
  Sizes sizes;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE typename ::cuda::std::iterator_traits<Runs>::value_type keys_of(std::int64_t run) const
  {
    return *(runs + run);
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE std::int64_t size(std::int64_t run) const
  {
    const auto size = static_cast<std::int64_t>(detail::element(sizes, run));
    return size > 0 ? size : 0;
  }
};

/// Whether element x of one run goes before element y, of the same run or another, in the stable merge.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Runs, class Compare>
MGPU_THRUST_HOST_DEVICE bool goes_before(const Runs& runs, const run_element& x, const run_element& y, Compare& comp)
{
  if (x.run == y.run)
  {
    return x.index < y.index;
  }
  auto&& x_key = detail::element(runs.keys_of(x.run), x.index);
  auto&& y_key = detail::element(runs.keys_of(y.run), y.index);
  return x.run < y.run ? !comp(y_key, x_key) : static_cast<bool>(comp(x_key, y_key));
}

/// Returns the number of a run's elements that go before an element, if it is from `begin` to `end`.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Runs, class Compare>
MGPU_THRUST_HOST_DEVICE std::int64_t elements_before(
  const Runs& runs, std::int64_t run, std::int64_t begin, std::int64_t end, const run_element& bound, Compare& comp)
{
  if (run == bound.run)
  {
    return detail::clamp_index(bound.index, begin, end);
  }
  const auto keys = runs.keys_of(run);
  const auto bounds = runs.keys_of(bound.run);
  auto&& key = detail::element(bounds, bound.index);
  const bool is_lower = run < bound.run;
  return detail::partition_point(
    begin, end,
    [&](std::int64_t i) -> bool
    {
      auto&& other = detail::element(keys, i);
      return is_lower ? !comp(key, other) : static_cast<bool>(comp(other, key));
    });
}

/// The ends of a multiway_search in an array: of each run the first element that is known to be after the cut.
template <class Ends>
struct stored_ends
{
  Ends ends;

  /// Returns the end of a run. `begin` of its elements are before the others that are left, `left` in all runs.
  MGPU_THRUST_HOST_DEVICE std::int64_t end(std::int64_t run, std::int64_t, std::int64_t) const
  {
    return ends[run];
  }
  /// An upper bound of the end.
  MGPU_THRUST_HOST_DEVICE std::int64_t limit(std::int64_t run, std::int64_t, std::int64_t) const
  {
    return ends[run];
  }
  MGPU_THRUST_HOST_DEVICE void set(std::int64_t run, std::int64_t end) const
  {
    ends[run] = end;
  }
};

/// The same without an array: each time they are asked for they are searched for.
template <class Runs, class Compare>
struct searched_ends
{
  const Runs& runs;
  Compare& comp;
  const run_element& bound;

  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE std::int64_t end(std::int64_t run, std::int64_t begin, std::int64_t left) const
  {
    const std::int64_t end = limit(run, begin, left);
    return bound.run < 0 ? end : detail::elements_before(runs, run, begin, end, bound, comp);
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE std::int64_t limit(std::int64_t run, std::int64_t begin, std::int64_t left) const
  {
    const std::int64_t size = runs.size(run);
    return size - begin < left ? size : begin + left;
  }
  MGPU_THRUST_HOST_DEVICE static void set(std::int64_t, std::int64_t)
  {
  }
};

/// Bounds of a search: all elements.
template <class Runs>
struct all_elements
{
  const Runs& runs;

  MGPU_THRUST_HOST_DEVICE static std::int64_t begin(std::int64_t)
  {
    return 0;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE std::int64_t end(std::int64_t run) const
  {
    return runs.size(run);
  }
};

/// Bounds of a search: the elements between two cuts.
struct elements_between
{
  const std::int64_t* first_cut;
  const std::int64_t* last_cut;

  MGPU_THRUST_HOST_DEVICE std::int64_t begin(std::int64_t run) const
  {
    return first_cut[run];
  }
  MGPU_THRUST_HOST_DEVICE std::int64_t end(std::int64_t run) const
  {
    return last_cut[run];
  }
};

/// Finds the cut of some runs before which there are `need` elements: a selection by pivots.
///
/// Two elements, *low* and *high*, or none, enclose the cut: low is the last one that is known to be before it, high
/// the first one known to be after it. `begins` has the number of elements of each run up to low, `ends` of those
/// before high. A round takes a few elements between them, evenly spread over all runs, and orders them. The one that
/// is a little to the far side of where the cut is to be expected becomes the pivot: so the part that is kept is the
/// shorter one. The pivot, the low or the high of the next round, is never between these two, so each round leaves
/// fewer elements.
///
/// The elements are chosen at random in equal parts, as no order of the input is bad for that. Of 2^22 random numbers
/// in 1,024 runs a search takes 87 comparisons a run with memory for the ends, 257 without; in 8 runs 236 and 367.
/// (With 8 or 32 elements a round, or pivots farther from the cut, it takes more.)
template <class Runs, class Begins, class Compare>
class multiway_search
{
  using index = typename ::cuda::std::iterator_traits<Begins>::value_type;
  static constexpr int max_samples = 16;

public:
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE
  multiway_search(const Runs& runs, std::int64_t num_runs, Begins begins, Compare& comp)
      : runs_(runs)
      , num_runs_(num_runs)
      , begins_(begins)
      , comp_(comp)
  {
  }
  multiway_search(const multiway_search&) = delete;
  multiway_search& operator=(const multiway_search&) = delete;

  /// Finds the cut with `need` elements before it. `begins` receives it.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void find(std::int64_t need)
  {
    find(need, all_elements<Runs>{runs_}, searched_ends<Runs, Compare>{runs_, comp_, high_});
  }
  /// The same between two cuts: `need` is the number of elements after the first one. With memory for the ends it takes
  /// a third of the time.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Bounds, class Ends>
  MGPU_THRUST_HOST_DEVICE void find(std::int64_t need, const Bounds& bounds, const Ends& ends)
  {
    // 1. Everything is between the ends.
    need_ = need;
    left_ = 0;
    for (std::int64_t run = 0; run < num_runs_; ++run)
    {
      const std::int64_t begin = bounds.begin(run);
      const std::int64_t end = bounds.end(run);
      set_begin(run, begin);
      ends.set(run, end);
      left_ += end - begin;
    }

    // 2. Leave out what is before or after pivots.
    std::int64_t more = left_ + 1;
    while (need_ > 0 && need_ < left_ && left_ < more) // if `comp` is no order, there may be more left than before
    {
      more = left_;
      const run_element pivot = sampled_pivot(ends);
      if (pivot.run < 0)
      {
        break;
      }
      expects_pivot_after_ ? lower_ends(pivot, bounds, ends) : raise_begins(pivot, bounds, ends);
    }

    // 3. All that is left may be before the cut.
    if (need_ > 0 && need_ >= left_)
    {
      for (std::int64_t run = 0; run < num_runs_; ++run)
      {
        set_begin(run, ends.end(run, begin(run), left_));
      }
    }
  }

private:
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE std::int64_t begin(std::int64_t run) const
  {
    return static_cast<std::int64_t>(static_cast<index>(*(begins_ + run)));
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  MGPU_THRUST_HOST_DEVICE void set_begin(std::int64_t run, std::int64_t begin) const
  {
    *(begins_ + run) = static_cast<index>(begin);
  }

  /// Chooses the pivot among some of the elements that are left; all of them if they are few. Then it is the first
  /// after the cut.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Ends>
  MGPU_THRUST_HOST_DEVICE run_element sampled_pivot(const Ends& ends)
  {
    // 1. Take a random one of each of as many equal parts.
    const int samples = left_ < max_samples ? static_cast<int>(left_) : max_samples;
    run_element sorted[max_samples];
    int count = 0;
    std::int64_t before = 0;
    std::int64_t next = rank_of_sample(0, samples);
    for (std::int64_t run = 0; run < num_runs_ && count < samples; ++run)
    {
      const std::int64_t run_begin = begin(run);
      const std::int64_t size = ends.end(run, run_begin, left_) - run_begin;
      while (count < samples && next - before < size)
      {
        // 2. Sort them by insertion.
        const run_element sample{run, run_begin + (next - before)};
        int at = count;
        for (; at > 0 && detail::goes_before(runs_, sample, sorted[at - 1], comp_); --at)
        {
          sorted[at] = sorted[at - 1];
        }
        sorted[at] = sample;
        ++count;
        next = rank_of_sample(count, samples);
      }
      before += size;
    }
    if (count == 0)
    {
      return {};
    }

    // 3. Choose the one after where the cut is expected, if that leaves less, or else the one before.
    if (left_ <= max_samples)
    {
      expects_pivot_after_ = true;
      return sorted[need_ < count ? need_ : count - 1];
    }
    const auto expected = static_cast<int>(need_ / (left_ / count + 1));
    expects_pivot_after_ = need_ <= left_ / 2;
    const int chosen = expects_pivot_after_ ? expected + 1 : expected - 1;
    return sorted[detail::clamp_index(chosen, 0, count - 1)];
  }
  /// Which of the elements that are left a sample is.
  MGPU_THRUST_HOST_DEVICE std::int64_t rank_of_sample(int sample, int samples)
  {
    const std::int64_t part = left_ / samples;
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    return sample * part + static_cast<std::int64_t>((random_ >> 33) % static_cast<std::uint64_t>(part));
  }

  /// Makes the pivot, which is expected after the cut, the high.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Bounds, class Ends>
  MGPU_THRUST_HOST_DEVICE void lower_ends(const run_element& pivot, const Bounds& bounds, const Ends& ends)
  {
    std::int64_t before = 0;
    for (std::int64_t run = 0; run < num_runs_; ++run)
    {
      const std::int64_t run_begin = begin(run);
      const std::int64_t end = elements_before_pivot(run, run_begin, pivot, ends);
      ends.set(run, end);
      before += end - run_begin;
    }
    if (before >= need_)
    {
      high_ = pivot;
      left_ = before;
      return;
    }
    // The pivot is before the cut.
    for (std::int64_t run = 0; run < num_runs_; ++run)
    {
      const std::int64_t run_begin = elements_before_pivot(run, begin(run), pivot, ends);
      const std::int64_t bound = bounds.end(run);
      set_begin(run, run_begin + (run == pivot.run));
      ends.set(run, high_.run < 0 ? bound : detail::elements_before(runs_, run, run_begin, bound, high_, comp_));
    }
    low_ = pivot;
    need_ -= before + 1;
    left_ -= before + 1;
  }
  /// Makes the pivot, which is expected before the cut, the low.
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Bounds, class Ends>
  MGPU_THRUST_HOST_DEVICE void raise_begins(const run_element& pivot, const Bounds& bounds, const Ends& ends)
  {
    std::int64_t before = 0;
    for (std::int64_t run = 0; run < num_runs_; ++run)
    {
      const std::int64_t run_begin = begin(run);
      const std::int64_t end = elements_before_pivot(run, run_begin, pivot, ends);
      set_begin(run, end);
      before += end - run_begin;
    }
    if (before < need_)
    {
      set_begin(pivot.run, begin(pivot.run) + 1);
      low_ = pivot;
      need_ -= before + 1;
      left_ -= before + 1;
      return;
    }
    // The pivot is after the cut.
    for (std::int64_t run = 0; run < num_runs_; ++run)
    {
      const std::int64_t end = begin(run);
      ends.set(run, end);
      const std::int64_t bound = bounds.begin(run);
      const bool is_low = run == low_.run; // low is one of the elements up to it
      const std::int64_t before_low =
        low_.run < 0 ? bound : detail::elements_before(runs_, run, bound, end - is_low, low_, comp_);
      set_begin(run, before_low + is_low);
    }
    high_ = pivot;
    left_ = before;
  }
  MGPU_THRUST_EXEC_CHECK_DISABLE
  template <class Ends>
  MGPU_THRUST_HOST_DEVICE std::int64_t
  elements_before_pivot(std::int64_t run, std::int64_t run_begin, const run_element& pivot, const Ends& ends) const
  {
    return detail::elements_before(runs_, run, run_begin, ends.limit(run, run_begin, left_), pivot, comp_);
  }

  const Runs& runs_;
  std::int64_t num_runs_;
  Begins begins_;
  Compare& comp_;
  run_element low_;
  run_element high_;
  std::int64_t need_ = 0; ///< elements before the cut that are after low
  std::int64_t left_ = 0; ///< elements after low and before high
  bool expects_pivot_after_ = true;
  std::uint64_t random_ = 1;
};

} // namespace detail

/// @addtogroup agent_multiway_path
/// @{

/// Finds how many elements of each of some sorted runs are among the first `diagonal` elements of their stable merge.
///
/// That merge has equal elements in the order of their runs, and those of one run in their order there. So the cut is
/// exact: the numbers found are `diagonal` in total, whatever keys are equal. Cutting at equally spaced diagonals gives
/// pieces of equal size that can be merged independently.
///
/// @param runs_first    random-access iterator to the runs: to random-access iterators to elements sorted by comp
/// @param sizes_first   random-access iterator to integers, the number of elements of each run; below 0 counts as 0
/// @param num_runs      number of runs, not negative
/// @param diagonal      number of merged elements before the cut, from 0 to the sum of the sizes
/// @param positions_out start of the output, num_runs integers: for each run the number of its elements before the cut.
///                      A random-access iterator that is also read, as the search keeps its state there
/// @param comp          strict weak order, called on elements of the runs; default: operator<
/// @since 1.0
///
/// Complexity: some log2(n)^2 comparisons for each run, of n elements in all runs. Callable from host and device;
/// allocates and synchronises nothing; throws only what comp and the iterators throw. If a run is not sorted, the
/// positions are unspecified, from 0 to the run's size.
///
/// @code{.cpp}
/// const int a[] = {1, 3, 5}, b[] = {2, 3, 4}, c[] = {3, 3};
/// const int* const runs[] = {a, b, c};
/// const int sizes[] = {3, 3, 2};
/// int positions[3];
/// mgpu::multiway_path(runs, sizes, 3, 5, positions);
/// // The merge is 1 2 3 3 3 3 4 5. Its first five elements are two of a, two of b, and the first of c.
/// assert(positions[0] == 2 && positions[1] == 2 && positions[2] == 1);
/// @endcode
///
/// Source: for two runs S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk: Merge Path (2012); the method is ours.
MGPU_THRUST_EXEC_CHECK_DISABLE
template <class Runs, class Sizes, class Positions, class Compare = ::cuda::std::less<>>
MGPU_THRUST_HOST_DEVICE void multiway_path(
  Runs runs_first, Sizes sizes_first, std::int64_t num_runs, std::int64_t diagonal, Positions positions_out,
  Compare comp = Compare{})
{
  const detail::iterated_runs<Runs, Sizes> runs{runs_first, sizes_first};
  detail::multiway_search<detail::iterated_runs<Runs, Sizes>, Positions, Compare>(runs, num_runs, positions_out, comp)
    .find(diagonal);
}

/// @}
MGPU_THRUST_NAMESPACE_END
