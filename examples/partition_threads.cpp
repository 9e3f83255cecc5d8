// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The partitioning agents on their own: cutting work for threads that call functions of the standard library.
//
// You learn how mgpu::balanced_path cuts a set operation, and mgpu::merge_path a merge, into independent pieces of
// equal size. A worker calls the serial function on its piece; the concatenation of all results is the result of the
// whole. The agents do not depend on threads: the same two functions cut the work of the GPU.

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/agent/merge_path.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <thread>
#include <vector>

using numbers = std::vector<int>;

// Every cut below falls into a run of equal keys. A merge may be cut anywhere in a run. A set operation may not: the
// k-th 4 of A matches the k-th 4 of B, and both must be in the same worker's piece. The diagonals 8 and 24, the ends of
// the pieces of the workers 0 and 2, fall between the two halves of such a match. The balanced path calls them starred:
// it consumes one more element of B, so that the piece before the cut has one element more, and the piece after it one
// less.
const numbers a{1, 2, 2, 4, 4, 4, 4, 4, 4, 4, 6, 7, 8, 9, 9, 9};
const numbers b{2, 3, 4, 4, 4, 4, 4, 5, 6, 6, 7, 8, 9, 9, 9, 9};
constexpr std::size_t workers = 4;

/// The positions where A and B are cut.
struct cut
{
  std::size_t a_index;
  std::size_t b_index;
  bool starred;
};

/// Returns the diagonal where a worker's piece begins: the pieces share a.size() + b.size() elements equally.
std::size_t diagonal_of(std::size_t worker)
{
  return (a.size() + b.size()) * worker / workers;
}

cut balanced_path_cut(std::size_t worker)
{
  const auto point = mgpu::balanced_path(a.begin(), a.size(), b.begin(), b.size(), diagonal_of(worker));
  return {point.a_index, point.b_index, point.starred};
}

cut merge_path_cut(std::size_t worker)
{
  const std::size_t a_index = mgpu::merge_path(a.begin(), a.size(), b.begin(), b.size(), diagonal_of(worker));
  return {a_index, diagonal_of(worker) - a_index, false};
}

/// Calls `function`, a set operation or merge of the standard library, on each piece in a thread of its own.
template <class FindCut, class Function>
numbers run_in_pieces(const char* title, FindCut find_cut, Function function)
{
  std::vector<cut> cuts;
  for (std::size_t worker = 0; worker <= workers; ++worker)
  {
    cuts.push_back(find_cut(worker));
  }

  std::vector<numbers> results(workers);
  std::vector<std::thread> threads;
  for (std::size_t worker = 0; worker < workers; ++worker)
  {
    threads.emplace_back(
      [&, worker]
      {
        const cut begin = cuts[worker];
        const cut end = cuts[worker + 1];
        function(
          a.begin() + begin.a_index, a.begin() + end.a_index, b.begin() + begin.b_index, b.begin() + end.b_index,
          std::back_inserter(results[worker]));
      });
  }
  for (std::thread& thread : threads)
  {
    thread.join();
  }

  std::printf("%s\n", title);
  numbers whole;
  for (std::size_t worker = 0; worker < workers; ++worker)
  {
    const std::size_t a_size = cuts[worker + 1].a_index - cuts[worker].a_index;
    const std::size_t b_size = cuts[worker + 1].b_index - cuts[worker].b_index;
    std::printf(
      "  worker %zu: %zu of A + %zu of B = %zu elements%s:", worker, a_size, b_size, a_size + b_size,
      cuts[worker + 1].starred ? ", its end starred" : "");
    for (const int number : results[worker])
    {
      std::printf(" %d", number);
    }
    std::printf("\n");
    whole.insert(whole.end(), results[worker].begin(), results[worker].end());
  }
  return whole;
}

/// Prints whether the concatenated pieces equal the serial result. Returns 0 if so, 1 if not.
int compare(const numbers& in_pieces, const numbers& serial)
{
  const bool same = in_pieces == serial;
  std::printf("  %s the serial result of %zu elements\n\n", same ? "same as" : "DIFFERS FROM", serial.size());
  return same ? 0 : 1;
}

int main()
{
  // Function objects, as the functions of the standard library are templates.
  const auto intersect = [](auto... arguments) { std::set_intersection(arguments...); };
  const auto differ = [](auto... arguments) { std::set_symmetric_difference(arguments...); };
  const auto merge = [](auto... arguments) { std::merge(arguments...); };

  numbers intersection;
  numbers difference;
  numbers merged;
  intersect(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(intersection));
  differ(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(difference));
  merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(merged));

  int failures = 0;
  failures +=
    compare(run_in_pieces("std::set_intersection, balanced path", balanced_path_cut, intersect), intersection);
  failures +=
    compare(run_in_pieces("std::set_symmetric_difference, balanced path", balanced_path_cut, differ), difference);
  failures += compare(run_in_pieces("std::merge, merge path", merge_path_cut, merge), merged);
  return failures == 0 ? 0 : 1;
}
