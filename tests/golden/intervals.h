// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The inputs and the printed results of S. Baxter: Modern GPU (2013): of expansion in "Introduction", and of
/// "IntervalExpand and IntervalMove".

#include <string>
#include <vector>

namespace golden
{

/// Segments by their sizes, the exclusive scan of these, and the segment of each item.
struct load_balancing
{
  std::vector<int> sizes;
  std::vector<int> scan;
  std::vector<int> segments;
};

/// The example of the introduction, and what it prints: a letter for each segment, A for the first, as often as the
/// segment is long.
inline const load_balancing introduction{
  {3, 1, 0, 0, 7, 3, 2, 14, 4, 6, 0, 2, 1, 5, 3, 0, 5, 1, 6, 2, 0, 0, 9, 3, 2, 1},
  {0, 3, 4, 4, 4, 11, 14, 16, 30, 34, 40, 40, 42, 43, 48, 51, 51, 56, 57, 63, 65, 65, 65, 74, 77, 79},
  {0,  0,  0,  1,  4,  4,  4,  4,  4,  4,  4,  5,  5,  5,  6,  6,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,
   7,  7,  7,  8,  8,  8,  8,  9,  9,  9,  9,  9,  9,  11, 11, 12, 13, 13, 13, 13, 13, 14, 14, 14, 16, 16, 16,
   16, 16, 17, 18, 18, 18, 18, 18, 18, 19, 19, 22, 22, 22, 22, 22, 22, 22, 22, 22, 23, 23, 23, 24, 24, 25}};
inline const std::string introduction_letters =
  "AAABEEEEEEEFFFGGHHHHHHHHHHHHHHIIIIJJJJJJLLMNNNNNOOOQQQQQRSSSSSSTTWWWWWWWWWXXXYYZ";

/// The figure of load-balancing search in "IntervalExpand and IntervalMove".
inline const load_balancing search_figure{
  {2, 5, 7, 16, 0, 1, 0, 0, 14, 10, 3, 14, 2, 1, 11, 2, 1, 0, 5, 6},
  {0, 2, 7, 14, 30, 30, 31, 31, 31, 45, 55, 58, 72, 74, 75, 86, 88, 89, 89, 94},
  {0,  0,  1,  1,  1,  1,  1,  2,  2,  2,  2,  2,  2,  2,  3,  3,  3,  3,  3,  3,  3,  3,  3,  3,  3,
   3,  3,  3,  3,  3,  5,  8,  8,  8,  8,  8,  8,  8,  8,  8,  8,  8,  8,  8,  8,  9,  9,  9,  9,  9,
   9,  9,  9,  9,  9,  10, 10, 10, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 12, 12, 13,
   14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 15, 15, 16, 18, 18, 18, 18, 18, 19, 19, 19, 19, 19, 19}};

/// The demonstration of expansion, whose intervals are those of the figure.
struct interval_expansion
{
  std::vector<int> sizes;
  std::vector<int> values;
  std::vector<int> result;
};
inline const interval_expansion expand_demo{
  {2, 5, 7, 16, 0, 1, 0, 0, 14, 10, 3, 14, 2, 1, 11, 2, 1, 0, 5, 6},
  {1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597, 2584, 4181, 6765},
  {1,   1,   1,   1,   1,   1,   1,   2,   2,    2,    2,    2,    2,    2,    3,    3,    3,    3,    3,    3,
   3,   3,   3,   3,   3,   3,   3,   3,   3,    3,    8,    34,   34,   34,   34,   34,   34,   34,   34,   34,
   34,  34,  34,  34,  34,  55,  55,  55,  55,   55,   55,   55,   55,   55,   55,   89,   89,   89,   144,  144,
   144, 144, 144, 144, 144, 144, 144, 144, 144,  144,  144,  144,  233,  233,  377,  610,  610,  610,  610,  610,
   610, 610, 610, 610, 610, 610, 987, 987, 1597, 4181, 4181, 4181, 4181, 4181, 6765, 6765, 6765, 6765, 6765, 6765}};

/// The demonstration of moves; its input is the numbers 0, 1, ... 99.
struct interval_moves
{
  std::vector<int> sizes;
  std::vector<int> gather;
  std::vector<int> scatter;
  std::vector<int> result;
};
inline const interval_moves move_demo{
  {3, 9, 1, 9, 8, 5, 10, 2, 5, 2, 8, 6, 5, 2, 4, 0, 8, 2, 5, 6},
  {75, 86, 17, 2, 67, 24, 37, 11, 95, 35, 52, 18, 47, 0, 13, 75, 78, 60, 62, 29},
  {10, 80, 99, 27, 41, 71, 15, 0, 36, 13, 89, 49, 66, 97, 76, 76, 2, 25, 61, 55},
  {11, 12, 78, 79, 80, 81, 82, 83, 84, 85, 75, 76, 77, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46,
   60, 61, 2,  3,  4,  5,  6,  7,  8,  9,  10, 95, 96, 97, 98, 99, 67, 68, 69, 70, 71, 72, 73, 74, 18,
   19, 20, 21, 22, 23, 29, 30, 31, 32, 33, 34, 62, 63, 64, 65, 66, 47, 48, 49, 50, 51, 24, 25, 26, 27,
   28, 13, 14, 15, 16, 86, 87, 88, 89, 90, 91, 92, 93, 94, 52, 53, 54, 55, 56, 57, 58, 59, 0,  1,  17}};

} // namespace golden
