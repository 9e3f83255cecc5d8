// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Compaction of a small log-structured store: levels of sorted keys become one.
//
// You learn how one call merges many runs, folds equal keys, and drops what is deleted. Each batch of writes is a level
// of the store: its keys are sorted and differ, and a deletion is a tombstone, a value that stands for none. A reader
// would look for a key in each level, the newest first. A compaction makes one level of all: of equal keys the newest
// counts, and tombstones vanish. The levels stay in buffers of their own, from old to new. So the operator of the fold
// returns its second argument, and the predicate tells whether a value is alive.
//
// The oldest level is much longer than the others, as after earlier compactions. The store is compared with a std::map.

#include <mgpu_thrust/multiway_merge.h>

#include "example_support.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>

#include <cuda/std/functional>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <utility>
#include <vector>

constexpr int tombstone = -1;

/// Of two values of a key, the one that was written later.
struct newest
{
  MGPU_THRUST_HOST_DEVICE int operator()(int, int later) const
  {
    return later;
  }
};
struct is_alive
{
  MGPU_THRUST_HOST_DEVICE bool operator()(int value) const
  {
    return value != tombstone;
  }
};

/// Keys in order, each once, and their values.
struct level
{
  thrust::device_vector<int> keys;
  thrust::device_vector<int> values;
};

/// Levels from old to new.
class log_store
{
public:
  /// Writes a batch, which becomes a level.
  void write(const std::map<int, int>& batch)
  {
    std::vector<int> keys;
    std::vector<int> values;
    for (const auto& [key, value] : batch)
    {
      keys.push_back(key);
      values.push_back(value);
    }
    levels_.push_back(
      {thrust::device_vector<int>(keys.begin(), keys.end()), thrust::device_vector<int>(values.begin(), values.end())});
  }

  /// Makes one level of all.
  void compact()
  {
    // 1. Describe the levels, in the memory of the device.
    std::vector<const int*> key_runs;
    std::vector<const int*> value_runs;
    std::vector<std::int64_t> sizes;
    for (const level& one : levels_)
    {
      key_runs.push_back(thrust::raw_pointer_cast(one.keys.data()));
      value_runs.push_back(thrust::raw_pointer_cast(one.values.data()));
      sizes.push_back(static_cast<std::int64_t>(one.keys.size()));
    }
    const thrust::device_vector<const int*> d_key_runs(key_runs.begin(), key_runs.end());
    const thrust::device_vector<const int*> d_value_runs(value_runs.begin(), value_runs.end());
    const thrust::device_vector<std::int64_t> d_sizes(sizes.begin(), sizes.end());

    // 2. Merge them, and keep the newest value of each key, if it is alive.
    const std::size_t all = entries();
    level compacted{thrust::device_vector<int>(all), thrust::device_vector<int>(all)};
    const auto end = mgpu::multiway_merge_reduce_by_key(
      thrust::device, d_key_runs.begin(), d_value_runs.begin(), d_sizes.begin(),
      static_cast<std::int64_t>(levels_.size()), static_cast<std::int64_t>(all), compacted.keys.begin(),
      compacted.values.begin(), cuda::std::less<>{}, newest{}, is_alive{});
    compacted.keys.erase(end.first, compacted.keys.end());
    compacted.values.erase(end.second, compacted.values.end());
    levels_.clear();
    levels_.push_back(std::move(compacted));
  }

  std::size_t num_levels() const
  {
    return levels_.size();
  }
  /// Returns the number of entries in all levels.
  std::size_t entries() const
  {
    std::size_t all = 0;
    for (const level& one : levels_)
    {
      all += one.keys.size();
    }
    return all;
  }
  /// Whether the only level has what a map has.
  bool equals(const std::map<int, int>& other) const
  {
    const level& only = levels_.front();
    std::vector<int> keys(only.keys.size());
    std::vector<int> values(only.values.size());
    thrust::copy(only.keys.begin(), only.keys.end(), keys.begin());
    thrust::copy(only.values.begin(), only.values.end(), values.begin());
    std::size_t i = 0;
    for (const auto& [key, value] : other)
    {
      if (i == keys.size() || keys[i] != key || values[i] != value)
      {
        return false;
      }
      ++i;
    }
    return levels_.size() == 1 && i == keys.size();
  }

private:
  std::vector<level> levels_;
};

int main()
{
  example::skip_without_device();
  std::mt19937 random(1);
  log_store store;
  std::map<int, int> expected;
  bool is_right = true;
  for (int day = 1; day <= 3; ++day)
  {
    // Twelve batches a day: some keys are new, others are overwritten or deleted.
    for (int batch = 0; batch < 12; ++batch)
    {
      std::map<int, int> writes;
      for (int i = 0; i < (day == 1 && batch == 0 ? 100000 : 3000); ++i)
      {
        const int key = static_cast<int>(random() % 200000u);
        writes[key] = random() % 3u == 0 ? tombstone : static_cast<int>(random() % 1000u);
      }
      for (const auto& [key, value] : writes)
      {
        if (value == tombstone)
        {
          expected.erase(key);
        }
        else
        {
          expected[key] = value;
        }
      }
      store.write(writes);
    }
    const std::size_t levels = store.num_levels();
    const std::size_t before = store.entries();
    store.compact();
    is_right = is_right && store.equals(expected);
    std::printf("Day %d: %2zu levels with %6zu entries become one with %5zu\n", day, levels, before, store.entries());
  }
  std::printf("%s\n", is_right ? "A map agrees" : "A map differs");
  return is_right ? 0 : 1;
}
