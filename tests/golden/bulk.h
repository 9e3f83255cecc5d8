// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The inputs and the printed results of S. Baxter: Modern GPU, "Bulk Remove and Bulk Insert" (2013). All inputs are
/// the numbers 0, 1, ... below `size`.

#include <vector>

namespace golden
{

struct bulk_removal
{
  int size;
  std::vector<int> indices;
  std::vector<int> result;
};

struct bulk_insertion
{
  int size;
  std::vector<int> values;
  std::vector<int> positions;
  std::vector<int> result;
};

/// The demonstration of removal: every third element.
inline const bulk_removal remove_demo{
  100,
  {0,  3,  6,  9,  12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48,
   51, 54, 57, 60, 63, 66, 69, 72, 75, 78, 81, 84, 87, 90, 93, 96, 99},
  {1,  2,  4,  5,  7,  8,  10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28, 29, 31, 32,
   34, 35, 37, 38, 40, 41, 43, 44, 46, 47, 49, 50, 52, 53, 55, 56, 58, 59, 61, 62, 64, 65,
   67, 68, 70, 71, 73, 74, 76, 77, 79, 80, 82, 83, 85, 86, 88, 89, 91, 92, 94, 95, 97, 98}};

/// The figure of removal.
inline const bulk_removal remove_figure{
  100,
  {1,  4,  5,  7,  10, 14, 15, 16, 18, 19, 27, 29, 31, 32, 33, 36, 37,
   39, 50, 59, 60, 61, 66, 78, 81, 83, 85, 90, 91, 96, 97, 98, 99},
  {0,  2,  3,  6,  8,  9,  11, 12, 13, 17, 20, 21, 22, 23, 24, 25, 26, 28, 30, 34, 35, 38, 40,
   41, 42, 43, 44, 45, 46, 47, 48, 49, 51, 52, 53, 54, 55, 56, 57, 58, 62, 63, 64, 65, 67, 68,
   69, 70, 71, 72, 73, 74, 75, 76, 77, 79, 80, 82, 84, 86, 87, 88, 89, 92, 93, 94, 95}};

/// The example of removal in the comments on the interface.
inline const bulk_removal remove_comment{10, {1, 3, 4, 5, 7, 8}, {0, 2, 6, 9}};

/// The demonstration of insertion: before every fifth element, from the third on.
inline const bulk_insertion insert_demo{
  100,
  {1000, 1010, 1020, 1030, 1040, 1050, 1060, 1070, 1080, 1090,
   1100, 1110, 1120, 1130, 1140, 1150, 1160, 1170, 1180, 1190},
  {2, 7, 12, 17, 22, 27, 32, 37, 42, 47, 52, 57, 62, 67, 72, 77, 82, 87, 92, 97},
  {0,  1,  1000, 2,  3,  4,  5,  6,  1010, 7,  8,  9,  10, 11, 1020, 12, 13, 14, 15, 16, 1030, 17, 18, 19,
   20, 21, 1040, 22, 23, 24, 25, 26, 1050, 27, 28, 29, 30, 31, 1060, 32, 33, 34, 35, 36, 1070, 37, 38, 39,
   40, 41, 1080, 42, 43, 44, 45, 46, 1090, 47, 48, 49, 50, 51, 1100, 52, 53, 54, 55, 56, 1110, 57, 58, 59,
   60, 61, 1120, 62, 63, 64, 65, 66, 1130, 67, 68, 69, 70, 71, 1140, 72, 73, 74, 75, 76, 1150, 77, 78, 79,
   80, 81, 1160, 82, 83, 84, 85, 86, 1170, 87, 88, 89, 90, 91, 1180, 92, 93, 94, 95, 96, 1190, 97, 98, 99}};

/// The example of insertion in the comments on the interface, where element Bi is the number i and value Ai is 100 + i.
inline const bulk_insertion insert_comment{
  3, {100, 101, 102, 103, 104}, {1, 1, 2, 3, 3}, {0, 100, 101, 1, 102, 2, 103, 104}};

/// The figure of insertion: the positions, of 400 elements, and what it shows of the first 100 elements of the result:
/// as many are values, and these are their numbers; i is value i, and values + j element j.
struct insertion_tile
{
  std::vector<int> positions;
  int tile;
  int values;
  std::vector<int> gather;
};
inline const insertion_tile insert_figure{
  {1,   12,  13,  14,  14,  18,  20,  38,  39,  44,  45,  50,  50,  50,  54,  56,  59,  63,  68,  69,
   74,  75,  84,  84,  88,  111, 111, 119, 121, 123, 126, 127, 144, 153, 157, 159, 163, 169, 169, 175,
   178, 183, 190, 194, 195, 196, 196, 201, 219, 219, 253, 256, 259, 262, 262, 266, 272, 273, 278, 283,
   284, 291, 296, 297, 302, 303, 306, 306, 317, 318, 318, 319, 319, 320, 320, 323, 326, 329, 330, 334,
   340, 349, 352, 363, 366, 367, 369, 374, 381, 383, 383, 384, 386, 388, 388, 389, 393, 398, 398, 399},
  100,
  22,
  {22, 0,  23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 1,  34, 2,  35, 3,  4,  36, 37, 38, 39, 5,  40,
   41, 6,  42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 7,  60, 8,  61, 62,
   63, 64, 65, 9,  66, 10, 67, 68, 69, 70, 71, 11, 12, 13, 72, 73, 74, 75, 14, 76, 77, 15, 78, 79, 80,
   16, 81, 82, 83, 84, 17, 85, 86, 87, 88, 89, 18, 90, 19, 91, 92, 93, 94, 95, 20, 96, 21, 97, 98, 99}};

} // namespace golden
