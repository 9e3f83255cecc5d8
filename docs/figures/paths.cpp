// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints the points of the paths that draw.py draws, as the library's own searches find them: for every diagonal, how
// many elements of each input are before it.

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/agent/load_balance.h>
#include <mgpu_thrust/agent/merge_path.h>

#include <cstdio>
#include <vector>

using numbers = std::vector<int>;

void print_numbers(const char* name, const numbers& values)
{
  std::printf("%s", name);
  for (const int value : values)
  {
    std::printf(" %d", value);
  }
  std::printf("\n");
}

void print_two_inputs(const numbers& a, const numbers& b)
{
  const int a_count = static_cast<int>(a.size());
  const int b_count = static_cast<int>(b.size());
  print_numbers("a", a);
  print_numbers("b", b);
  for (int diagonal = 0; diagonal <= a_count + b_count; ++diagonal)
  {
    const int i = mgpu::merge_path(a.begin(), a_count, b.begin(), b_count, diagonal);
    std::printf("merge %d %d\n", i, diagonal - i);
    const auto point = mgpu::balanced_path(a.begin(), a_count, b.begin(), b_count, diagonal);
    std::printf("balanced %d %d %d\n", point.a_index, point.b_index, point.starred);
  }
}

void print_segments(const numbers& offsets, int num_items)
{
  const int num_segments = static_cast<int>(offsets.size());
  print_numbers("offsets", offsets);
  std::printf("items %d\n", num_items);
  for (int diagonal = 0; diagonal <= num_items + num_segments; ++diagonal)
  {
    const mgpu::load_balance_point point = mgpu::load_balance(num_items, offsets.begin(), num_segments, diagonal);
    std::printf("balance %d %d\n", static_cast<int>(point.item_index), static_cast<int>(point.segment_index));
  }
}

int main()
{
  print_two_inputs({1, 2, 3, 3, 3, 3, 5, 8}, {2, 3, 3, 3, 3, 4, 5, 5});
  print_segments({0, 3, 3, 4, 9}, 11);
}
