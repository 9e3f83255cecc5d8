// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Range joins on the CPU: mgpu on each of Thrust's CPU systems, beside a loop of galloping searches, an inner join
/// with as many rows, two sorted searches, and implementations with Thrust's algorithms.

#include "range_join.h"
#include "machine_cpu.h"

#include <algorithm>
#include <cstdint>

namespace mgpu_benchmark
{

/// A loop over the intervals. A begin that is not before the one in front of it is searched for from there on, by steps
/// that double, and then by bisection; others in all points. An end is searched for from its begin on.
struct std_range_join
{
  static constexpr const char* name = "std";

  template <class Policy, class Arguments>
  static std::int64_t run(range_join, const Policy&, const Arguments& in)
  {
    std::int32_t* points_out = in.points_out;
    std::int32_t* intervals_out = in.intervals_out;
    for_each_interval(
      in,
      [&](std::int32_t i, std::int32_t first, std::int32_t last)
      {
        for (std::int32_t j = first; j < last; ++j)
        {
          *points_out++ = j;
          *intervals_out++ = i;
        }
      });
    return points_out - in.points_out;
  }
  template <class Policy, class Arguments>
  static std::int64_t run(range_count, const Policy&, const Arguments& in)
  {
    for_each_interval(
      in, [&](std::int32_t i, std::int32_t first, std::int32_t last) { in.counts_out[i] = last - first; });
    return in.interval_count();
  }

private:
  template <class Arguments, class Found>
  static void for_each_interval(const Arguments& in, Found found)
  {
    const auto count = static_cast<std::int32_t>(in.interval_count());
    auto first = in.points_first;
    for (std::int32_t i = 0; i < count; ++i)
    {
      const auto begin = in.begins_first[i];
      first = i > 0 && !(begin < in.begins_first[i - 1]) ? gallop(first, in.points_last, begin)
                                                         : std::lower_bound(in.points_first, in.points_last, begin);
      const auto last = gallop(first, in.points_last, in.ends_first[i]);
      found(i, static_cast<std::int32_t>(first - in.points_first), static_cast<std::int32_t>(last - in.points_first));
    }
  }
  template <class Key>
  static const Key* gallop(const Key* first, const Key* last, const Key& key)
  {
    std::int64_t step = 1;
    while (step <= last - first && first[step - 1] < key)
    {
      first += step;
      step *= 2;
    }
    return std::lower_bound(first, std::min(first + step, last), key);
  }
};

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  options defaults = cpu_defaults();
  defaults.types = {"i32"};
  return run_cpu_program(
    argc, argv, defaults, libraries<std_range_join>{}, libraries<mgpu_range_join, as_inner_join, two_searches>{},
    libraries<thrust_range_join, thread_range_join>{}, all_interval_distributions(), range_join_problems());
}
