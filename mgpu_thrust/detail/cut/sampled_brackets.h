// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// One step of a search for a cut of many sorted runs of which only samples are known.
///
/// In each run a bracket [begin, end) has the position of the cut. Of a bracket of `width` elements every `step`-th is
/// a sample: the elements begin + step - 1, begin + 2 step - 1 and so on. Let `target` be the number of elements of all
/// brackets that are before the cut, in the order (key, run, index), and a_i(x) the number of samples of run i before a
/// sample x. Of the elements of bracket i at least L_i = step_i a_i, and at most U_i = min(width_i, step_i (a_i + 1) -
/// 1), are before x; of x's own bracket, as its position is known, exactly U_i. Both sums ascend with x. If the sum of
/// U is below the target, x is before the cut; if the sum of L is not, x is not. So the samples before the cut for
/// certain are a prefix of all samples in order, those that may be before it are a longer prefix, and the new brackets
/// lie between the last sample of the first prefix and the first sample after the second one.
///
/// **Width.** The new brackets have at most 2 sum(step_i - 1) elements in total. Proof. Let x be the first sample that
/// is not before the cut for certain: target <= sum U(x) <= sum (step_i a_i(x) + step_i - 1), and the new brackets
/// begin at step_i a_i(x). Let y be the last sample that may be before it: sum step_i (number of samples up to y) <=
/// target, and the new brackets end at most step_i - 1 elements after these. Without an x, or a y, the brackets' ends
/// take its place. So where all steps are 1 the cut is found.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/base/search.h>

#include <algorithm>
#include <cstdint>
#include <vector>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A run's bracket, and its samples.
template <class Key>
struct sampled_bracket
{
  const Key* samples;
  std::int64_t num_samples;
  std::int64_t step;
  std::int64_t width;
};

/// Where a cut may be within a bracket: at a position from `begin` to `end`.
struct bracket_part
{
  std::int64_t begin;
  std::int64_t end;
};

/// The step between samples of brackets of `width` elements in total, so that all brackets together have at most
/// `max_samples`.
constexpr std::int64_t sample_step(std::int64_t width, std::int64_t max_samples)
{
  return width <= max_samples ? 1 : (width - 1) / max_samples + 1;
}

/// The number of samples of a bracket.
constexpr std::int64_t samples_of(std::int64_t width, std::int64_t step)
{
  return width / step;
}

/// Narrows brackets around one cut. If the samples are not in order, the parts are within the brackets all the same.
template <class Key, class Compare>
class bracket_search
{
public:
  bracket_search(const std::vector<sampled_bracket<Key>>& brackets, Compare& comp)
      : brackets_(brackets)
      , comp_(comp)
      , before_(brackets.size())
      , begins_(brackets.size())
      , ends_(brackets.size())
  {
  }

  /// Writes the part of each bracket that the cut lies in, given how many elements of all brackets are before it.
  void narrow(std::int64_t target, std::vector<bracket_part>& parts)
  {
    parts.resize(brackets_.size());
    std::fill(begins_.begin(), begins_.end(), 0);
    search([&](std::size_t run, std::int64_t sample) { return max_elements_before(run, sample) < target; });
    for (std::size_t run = 0; run < brackets_.size(); ++run)
    {
      parts[run].begin = brackets_[run].step * begins_[run];
    }
    // What is before the cut for certain may be before it.
    search([&](std::size_t run, std::int64_t sample) { return min_elements_before(run, sample) < target; });
    for (std::size_t run = 0; run < brackets_.size(); ++run)
    {
      parts[run].end = (std::max)(parts[run].begin, max_elements(run, begins_[run]));
    }
  }

private:
  /// Finds for each run how many of its samples `is_before`, which is true up to some sample in order: begins_, which
  /// has lower bounds of these numbers. A probe of one sample tells it for all samples on one side of it, in all runs.
  template <class IsBefore>
  void search(IsBefore is_before)
  {
    for (std::size_t run = 0; run < brackets_.size(); ++run)
    {
      ends_[run] = brackets_[run].num_samples;
    }
    for (std::size_t run = widest(); begins_[run] < ends_[run]; run = widest())
    {
      const std::int64_t sample = begins_[run] + (ends_[run] - begins_[run]) / 2;
      for (std::size_t other = 0; other < brackets_.size(); ++other)
      {
        before_[other] = samples_before(other, run, sample);
      }
      if (is_before(run, sample))
      {
        begins_ = before_;
        begins_[run] = sample + 1;
      }
      else
      {
        ends_ = before_;
      }
    }
  }
  /// The run whose number of samples is least known.
  std::size_t widest() const
  {
    std::size_t found = 0;
    for (std::size_t run = 1; run < brackets_.size(); ++run)
    {
      found = ends_[run] - begins_[run] > ends_[found] - begins_[found] ? run : found;
    }
    return found;
  }
  /// How many samples of `other` are before a sample of `run`, among those that are not decided: equal keys are in the
  /// order of their runs.
  std::int64_t samples_before(std::size_t other, std::size_t run, std::int64_t sample)
  {
    if (other == run)
    {
      return sample;
    }
    const Key& key = brackets_[run].samples[sample];
    const Key* const samples = brackets_[other].samples;
    return detail::partition_point(
      begins_[other], ends_[other],
      [&](std::int64_t i)
      { return other < run ? !comp_(key, samples[i]) : static_cast<bool>(comp_(samples[i], key)); });
  }

  std::int64_t max_elements(std::size_t run, std::int64_t samples) const
  {
    const sampled_bracket<Key>& bracket = brackets_[run];
    return (std::min)(bracket.width, bracket.step * (samples + 1) - 1);
  }
  std::int64_t max_elements_before(std::size_t, std::int64_t) const
  {
    std::int64_t sum = 0;
    for (std::size_t run = 0; run < brackets_.size(); ++run)
    {
      sum += max_elements(run, before_[run]);
    }
    return sum;
  }
  std::int64_t min_elements_before(std::size_t run, std::int64_t sample) const
  {
    std::int64_t sum = max_elements(run, sample);
    for (std::size_t other = 0; other < brackets_.size(); ++other)
    {
      sum += other == run ? 0 : brackets_[other].step * before_[other];
    }
    return sum;
  }

  const std::vector<sampled_bracket<Key>>& brackets_;
  Compare& comp_;
  std::vector<std::int64_t> before_; ///< samples of each run before the one that is probed
  std::vector<std::int64_t> begins_; ///< samples that are before the cut
  std::vector<std::int64_t> ends_;   ///< samples after these are not
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
