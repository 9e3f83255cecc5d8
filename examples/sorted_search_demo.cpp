// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Sorted searches: many needles in a haystack, and two arrays in each other, both sorted.
//
// You learn that one call finds the bounds of all needles; and that one pass over two arrays finds the bound of each
// element of A in B, the bound of each element of B in A, which of them have an equal on the other side, and how many
// have. The outputs determine what is computed: indices here, and flags beside them through a zip iterator.
//
// These are the demonstrations in S. Baxter: Modern GPU, "Vectorized Sorted Search" (2013).

#include <mgpu_thrust/sorted_search.h>

#include "example_support.h"

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/zip_iterator.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

const std::vector<int> haystack_numbers{
  0,   5,   5,   7,   7,   7,   7,   8,   9,   9,   10,  11,  12,  14,  15,  15,  16,  17,  19,  19,  20,  24,  25,
  28,  28,  29,  31,  33,  36,  36,  37,  38,  40,  42,  42,  43,  45,  46,  49,  50,  51,  51,  51,  52,  53,  55,
  56,  57,  60,  60,  61,  61,  62,  62,  64,  66,  68,  69,  73,  74,  79,  81,  82,  84,  85,  88,  90,  90,  95,
  97,  99,  101, 105, 108, 108, 111, 115, 118, 118, 119, 119, 119, 119, 122, 122, 123, 125, 126, 126, 130, 133, 133,
  135, 135, 139, 140, 143, 145, 145, 146, 147, 149, 149, 149, 154, 158, 160, 161, 165, 166, 168, 169, 170, 172, 172,
  174, 174, 174, 175, 175, 175, 177, 179, 182, 183, 184, 186, 187, 188, 190, 192, 193, 194, 196, 198, 199, 199, 205,
  205, 208, 209, 215, 217, 218, 218, 218, 220, 220, 221, 221, 223, 224, 225, 230, 234, 234, 235, 240, 240, 243, 244,
  249, 250, 251, 252, 253, 253, 254, 255, 255, 255, 257, 258, 258, 259, 262, 263, 265, 267, 270, 270, 274, 278, 278,
  278, 279, 280, 281, 284, 284, 284, 285, 285, 292, 294, 295, 296, 296, 296, 298};

const std::vector<int> needle_numbers{
  3,   3,   12,  16,  16,  17,  17,  19,  20,  21,  24,  27,  27,  28,  30,  31,  35,  39,  40,  42,
  52,  52,  53,  53,  54,  55,  57,  58,  62,  63,  72,  75,  83,  86,  86,  89,  92,  95,  98,  98,
  99,  99,  99,  100, 104, 105, 107, 109, 110, 111, 112, 117, 118, 121, 124, 126, 129, 132, 133, 139,
  140, 148, 156, 160, 161, 167, 168, 173, 179, 186, 191, 198, 202, 202, 212, 212, 214, 220, 223, 229,
  233, 239, 245, 254, 256, 256, 260, 268, 269, 269, 271, 271, 272, 273, 277, 285, 296, 296, 299, 299};

const std::vector<int> a_numbers{0,   3,   5,   13,  14,  15,  16,  18,  18,  21,  24,  26,  26,  30,  31,  32,  38,
                                 38,  38,  40,  60,  72,  72,  74,  81,  83,  86,  88,  88,  89,  89,  99,  99,  101,
                                 101, 102, 114, 115, 118, 118, 119, 128, 136, 139, 145, 148, 149, 150, 151, 151, 157,
                                 160, 164, 165, 167, 177, 181, 181, 182, 182, 189, 190, 191, 192, 196, 197, 199, 200,
                                 207, 212, 213, 213, 216, 218, 220, 222, 223, 228, 231, 233, 233, 234, 234, 234, 239,
                                 239, 240, 247, 249, 264, 265, 267, 271, 271, 275, 277, 282, 284, 293, 298};

const std::vector<int> b_numbers{1,   2,   15,  23,  24,  25,  25,  25,  25,  27,  27,  29,  30,  31,  33,  33,  35,
                                 39,  45,  49,  58,  59,  61,  61,  62,  63,  64,  67,  67,  68,  70,  71,  82,  85,
                                 87,  87,  88,  91,  98,  98,  109, 110, 110, 116, 116, 118, 121, 121, 126, 129, 129,
                                 134, 145, 155, 159, 165, 174, 174, 179, 181, 183, 186, 192, 192, 196, 196, 201, 202,
                                 204, 205, 205, 208, 209, 212, 216, 218, 220, 222, 224, 227, 231, 233, 233, 234, 235,
                                 236, 250, 251, 251, 253, 260, 263, 272, 275, 276, 285, 289, 291, 291, 293};

/// Prints indices, ten a row, with a star where the other array has an equal element.
void print_matches(const char* title, const thrust::host_vector<int>& indices, const thrust::host_vector<bool>& matches)
{
  std::printf("%s:\n", title);
  for (std::size_t i = 0; i < indices.size(); ++i)
  {
    if (i % 10 == 0)
    {
      std::printf("%5zu: ", i);
    }
    std::printf(" %3d%c%s", indices[i], matches[i] ? '*' : ' ', i % 10 == 9 || i + 1 == indices.size() ? "\n" : "");
  }
  std::printf("\n");
}

void search_for_needles()
{
  const thrust::device_vector<int> haystack(haystack_numbers.begin(), haystack_numbers.end());
  const thrust::device_vector<int> needles(needle_numbers.begin(), needle_numbers.end());
  thrust::device_vector<int> lower(needles.size());
  thrust::device_vector<int> upper(needles.size());
  mgpu::sorted_equal_range(
    thrust::device, haystack.begin(), haystack.end(), needles.begin(), needles.end(), lower.begin(), upper.begin());
  example::print_rows("Haystack", haystack_numbers);
  example::print_rows("Needles", needle_numbers);
  example::print_rows("Lower bounds of the needles", thrust::host_vector<int>(lower));
  example::print_rows("Upper bounds of the needles", thrust::host_vector<int>(upper));
}

void search_in_each_other()
{
  const thrust::device_vector<int> a(a_numbers.begin(), a_numbers.end());
  const thrust::device_vector<int> b(b_numbers.begin(), b_numbers.end());
  thrust::device_vector<int> a_bounds(a.size());
  thrust::device_vector<int> b_bounds(b.size());
  thrust::device_vector<unsigned char> a_flags(a.size());
  thrust::device_vector<unsigned char> b_flags(b.size());
  // An output of bool says whether there is a match. (std::vector<bool>, unlike thrust::device_vector<bool>, stores no
  // bools; bytes work everywhere.)
  auto* const a_matches = reinterpret_cast<bool*>(thrust::raw_pointer_cast(a_flags.data()));
  auto* const b_matches = reinterpret_cast<bool*>(thrust::raw_pointer_cast(b_flags.data()));
  std::int64_t match_counts[2];
  mgpu::sorted_search(
    thrust::device, a.begin(), a.end(), b.begin(), b.end(), thrust::make_zip_iterator(a_bounds.begin(), a_matches),
    thrust::make_zip_iterator(b_bounds.begin(), b_matches), &match_counts);
  example::print_rows("A", a_numbers);
  example::print_rows("B", b_numbers);
  print_matches("Lower bounds of A in B", a_bounds, thrust::host_vector<bool>(a_flags));
  print_matches("Upper bounds of B in A", b_bounds, thrust::host_vector<bool>(b_flags));
  std::printf(
    "%d elements of A have an equal one in B, %d of B in A.\n", static_cast<int>(match_counts[0]),
    static_cast<int>(match_counts[1]));
}

int main()
{
  example::skip_without_device();
  search_for_needles();
  search_in_each_other();
  return 0;
}
