// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Sorts a file that is larger than the memory it may take: sorted runs in a second file, which are then merged by way
// of small buffers.
//
// You learn how mgpu::multiway_path tells what may be written before more of the runs is read. Each run has a buffer of
// `batch` numbers, or fewer at its end. The next `batch` numbers of the result must be in the buffers, as a number that
// is still in the file has its run's whole buffer in front of it. The multiway path finds how many are from each run;
// mgpu::merge_runs merges just these, and the buffers are filled again.

#include <mgpu_thrust/agent/multiway_path.h>
#include <mgpu_thrust/multiway_merge.h>
#include <mgpu_thrust/sort.h>

#include "example_support.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using numbers = std::vector<std::uint32_t>;

constexpr std::size_t file_size = 1000000; // numbers
constexpr std::size_t run_size = 65536;    // as many as may be in memory
constexpr std::size_t batch = 4096;        // of the result, and a run's buffer

/// A temporary file of numbers.
class number_file
{
public:
  number_file()
      : file_(std::tmpfile())
  {
    if (file_ == nullptr)
    {
      std::printf("no temporary file\n");
      std::exit(EXIT_FAILURE);
    }
  }
  number_file(const number_file&) = delete;
  number_file& operator=(const number_file&) = delete;
  ~number_file()
  {
    std::fclose(file_);
  }
  void append(const numbers& some)
  {
    std::fseek(file_, 0, SEEK_END);
    check(std::fwrite(some.data(), sizeof(some[0]), some.size(), file_) == some.size());
  }
  /// Appends the `count` numbers from `position` on to `some`.
  void read(std::size_t position, std::size_t count, numbers& some)
  {
    some.resize(some.size() + count);
    std::fseek(file_, static_cast<long>(position * sizeof(some[0])), SEEK_SET);
    check(std::fread(some.data() + some.size() - count, sizeof(some[0]), count, file_) == count);
  }

private:
  static void check(bool is_done)
  {
    if (!is_done)
    {
      std::printf("the temporary file cannot be written or read\n");
      std::exit(EXIT_FAILURE);
    }
  }
  std::FILE* file_;
};

/// A run of the file, and the part of it that is in memory.
struct run_in_file
{
  std::size_t position; ///< in the file, of what is not read yet
  std::size_t end;
  numbers buffer;

  void fill(number_file& file)
  {
    const std::size_t count = std::min(batch - buffer.size(), end - position);
    file.read(position, count, buffer);
    position += count;
  }
};

void write_unsorted(number_file& file)
{
  std::uint64_t random = 1;
  numbers some;
  for (std::size_t i = 0; i < file_size; ++i)
  {
    random = random * 6364136223846793005u + 1442695040888963407u;
    some.push_back(static_cast<std::uint32_t>(random >> 32));
    if (some.size() == batch || i + 1 == file_size)
    {
      file.append(some);
      some.clear();
    }
  }
}

/// Sorts as much as memory takes at a time.
std::vector<run_in_file> sort_runs(number_file& unsorted, number_file& sorted)
{
  std::vector<run_in_file> runs;
  for (std::size_t begin = 0; begin < file_size; begin += run_size)
  {
    const std::size_t end = std::min(begin + run_size, file_size);
    numbers some;
    unsorted.read(begin, end - begin, some);
    thrust::device_vector<std::uint32_t> keys(some.begin(), some.end());
    mgpu::sort(thrust::device, keys.begin(), keys.end());
    thrust::copy(keys.begin(), keys.end(), some.begin());
    sorted.append(some);
    runs.push_back({begin, end, {}});
  }
  return runs;
}

/// Merges the runs, and returns the number of batches.
int merge_runs(number_file& sorted, std::vector<run_in_file>& runs, number_file& result)
{
  const auto k = static_cast<std::int64_t>(runs.size());
  std::vector<const std::uint32_t*> firsts(runs.size());
  std::vector<std::int64_t> sizes(runs.size());
  std::vector<std::int64_t> parts(runs.size());
  int batches = 0;
  for (std::size_t left = file_size; left > 0; ++batches)
  {
    // 1. Fill the buffers.
    for (std::size_t r = 0; r < runs.size(); ++r)
    {
      runs[r].fill(sorted);
      firsts[r] = runs[r].buffer.data();
      sizes[r] = static_cast<std::int64_t>(runs[r].buffer.size());
    }

    // 2. Cut them where the next batch of the result ends.
    const std::size_t size = std::min(batch, left);
    mgpu::multiway_path(firsts.begin(), sizes.begin(), k, static_cast<std::int64_t>(size), parts.begin());

    // 3. Merge what is before the cut. The rest stays.
    numbers keys;
    std::vector<std::int64_t> offsets;
    for (std::size_t r = 0; r < runs.size(); ++r)
    {
      numbers& buffer = runs[r].buffer;
      offsets.push_back(static_cast<std::int64_t>(keys.size()));
      keys.insert(keys.end(), buffer.begin(), buffer.begin() + parts[r]);
      buffer.erase(buffer.begin(), buffer.begin() + parts[r]);
    }
    const thrust::device_vector<std::uint32_t> cut_runs(keys.begin(), keys.end());
    const thrust::device_vector<std::int64_t> starts(offsets.begin(), offsets.end());
    thrust::device_vector<std::uint32_t> merged(size);
    mgpu::merge_runs(thrust::device, cut_runs.begin(), cut_runs.end(), starts.begin(), starts.end(), merged.begin());
    thrust::copy(merged.begin(), merged.end(), keys.begin());
    result.append(keys);
    left -= size;
  }
  return batches;
}

int main()
{
  example::skip_without_device();
  number_file unsorted;
  number_file sorted_runs;
  number_file result;
  write_unsorted(unsorted);
  std::vector<run_in_file> runs = sort_runs(unsorted, sorted_runs);
  std::printf("%zu numbers, of which %zu may be in memory: %zu sorted runs\n", file_size, run_size, runs.size());
  const int batches = merge_runs(sorted_runs, runs, result);
  std::printf("merged in %d batches, with buffers of %zu numbers for each run\n", batches, batch);

  // The same by a sort of all.
  numbers expected;
  numbers all;
  unsorted.read(0, file_size, expected);
  result.read(0, file_size, all);
  std::sort(expected.begin(), expected.end());
  std::printf("the first is %u, the median %u, the last %u\n", all.front(), all[file_size / 2], all.back());
  std::printf("%s\n", all == expected ? "as sorted in memory" : "WRONG");
  return all == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
