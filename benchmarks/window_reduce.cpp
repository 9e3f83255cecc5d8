// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

/// @file
/// Reductions of sliding windows on the CPU: mgpu on each of Thrust's CPU systems, beside two stacks in a plain loop, a
/// loop over each window's items, and differences of prefix sums.

#include "window_reduce.h"
#include "machine_cpu.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mgpu_benchmark
{

/// Two stacks, the first of which has room for the longest window. Bounds by range are found by two
/// pointers.
struct std_window_reduce
{
  static constexpr const char* name = "std";

  template <class Op, class Policy>
  static void run(window_reduce, Op, const Policy&, const window_arguments<Op>& in)
  {
    reduce(in, [&](std::int32_t row, std::int32_t, std::int32_t) { return bounds{in.begins[row], in.ends[row]}; });
  }
  template <class Op, class Policy>
  static void run(window_reduce_by_range, Op, const Policy&, const window_arguments<Op>& in)
  {
    const auto size = static_cast<std::int32_t>(in.size);
    const moved_row low = moved_row::to_begin(in.length);
    reduce(
      in,
      [&](std::int32_t row, std::int32_t begin, std::int32_t end)
      {
        for (; in.keys[begin] < low(in.keys[row]); ++begin)
        {
        }
        for (; end < size && !(in.keys[row] < in.keys[end]); ++end)
        {
        }
        return bounds{begin, end};
      });
  }

private:
  struct bounds
  {
    std::int32_t begin;
    std::int32_t end;
  };

  template <class Op, class Find>
  static void reduce(const window_arguments<Op>& in, Find find)
  {
    using value = typename Op::value_type;
    typename Op::function combine{};
    std::vector<value> front;
    std::int32_t first = 0;
    std::int32_t middle = 0;
    value back = Op::identity;
    bounds window{0, 0};
    std::int32_t end = 0; // of the back
    for (std::int32_t row = 0; row < in.size; ++row)
    {
      window = find(row, window.begin, window.end);
      if (window.begin >= window.end)
      {
        in.out[row] = Op::identity;
        continue;
      }
      if (window.begin >= middle)
      {
        first = window.begin;
        middle = end = window.end;
        front.resize(std::max<std::size_t>(front.size(), middle - first), Op::identity);
        value all = in.input[middle - 1];
        front[middle - 1 - first] = combine(Op::identity, all);
        for (std::int32_t i = middle - 2; i >= first; --i)
        {
          all = combine(in.input[i], all);
          front[i - first] = combine(Op::identity, all);
        }
      }
      for (; end < window.end; ++end)
      {
        back = end == middle ? in.input[end] : combine(back, in.input[end]);
      }
      const value& in_front = front[window.begin - first];
      in.out[row] = end > middle ? combine(in_front, back) : in_front;
    }
  }
};

} // namespace mgpu_benchmark

int main(int argc, char** argv)
{
  using namespace mgpu_benchmark;
  return run_cpu_program(
    argc, argv, cpu_defaults(), libraries<std_window_reduce>{}, libraries<mgpu_window_reduce>{},
    libraries<thread_window_reduce, scan_and_difference>{}, all_window_lengths(), window_problems());
}
