// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// A comparator that takes elements of two types in one order only.
// first error: mgpu_thrust: the comparator, operator< if there is none, must be callable with an element of one input

#include <mgpu_thrust/sorted_search.h>

#include <vector>

struct row
{
  int key;
};

struct by_key
{
  bool operator()(int x, int y) const
  {
    return x < y;
  }
  bool operator()(const row& x, const row& y) const
  {
    return x.key < y.key;
  }
  bool operator()(const row& x, int y) const
  {
    return x.key < y;
  }
#if defined(RIGHT_USE)
  bool operator()(int x, const row& y) const
  {
    return x < y.key;
  }
#endif
};

void search(const std::vector<row>& rows, const std::vector<int>& keys, std::vector<int>& result)
{
  mgpu::sorted_lower_bound(thrust::host, rows.begin(), rows.end(), keys.begin(), keys.end(), result.begin(), by_key{});
}
