// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The searches that a warp or a block does together: of a sorted range, of several runs, and the cuts that kernels make
// with them, exhaustively for small inputs. (Those of one thread are tested on the host, in test_agents.)

#include <mgpu_thrust/agent/balanced_path.h>
#include <mgpu_thrust/agent/multiway_path.h>
#include <mgpu_thrust/detail/cut/multiway_block_split.cuh>
#include <mgpu_thrust/detail/cut/multiway_split.cuh>
#include <mgpu_thrust/detail/cut/path_cut.cuh>
#include <mgpu_thrust/detail/cut/sampled_cut.cuh>
#include <mgpu_thrust/detail/cut/warp_search.cuh>

#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cuda/cmath>
#include <cuda/std/functional>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace
{

namespace cuts
{

using less = ::cuda::std::less<>;

template <class T>
T* address(thrust::device_vector<T>& vector)
{
  return thrust::raw_pointer_cast(vector.data());
}

/// All sorted sequences of up to `longest` keys 0 .. letters - 1.
std::vector<std::vector<int>> all_sorted(int letters, int longest)
{
  std::vector<std::vector<int>> all{{}};
  for (std::size_t i = 0; i < all.size(); ++i)
  {
    if (static_cast<int>(all[i].size()) < longest)
    {
      for (int key = all[i].empty() ? 0 : all[i].back(); key < letters; ++key)
      {
        all.push_back(all[i]);
        all.back().push_back(key);
      }
    }
  }
  return all;
}

/// A search for `answer` in [begin, end), where the result is expected at the fraction `share`.
struct search
{
  std::int64_t begin;
  std::int64_t end;
  std::int64_t answer;
  float share;
};

/// Each warp executes a search in three ways; counts the lanes with a wrong result.
__global__ void search_kernel(const search* searches, int count, int* wrong)
{
  const int warp = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  if (warp < count)
  {
    const search s = searches[warp];
    const auto before = [s](std::int64_t i) { return i < s.answer; };
    const bool is_right = mgpu::detail::warp_partition_point(s.begin, s.end, before) == s.answer
                          && mgpu::detail::warp_partition_point_near(s.begin, s.end, before) == s.answer
                          && mgpu::detail::warp_partition_point_after(s.begin, s.end, s.share, before) == s.answer;
    if (!is_right)
    {
      atomicAdd(wrong, 1);
    }
  }
}

TEST(Cuts, WarpsFindEveryPartitionPoint)
{
  thrust::host_vector<search> searches;
  const auto add = [&](std::int64_t begin, std::int64_t size, std::int64_t answer, float share) {
    searches.push_back({begin, begin + size, begin + answer, share});
  };
  for (std::int64_t size = 0; size <= 140; ++size)
  {
    for (std::int64_t answer = 0; answer <= size; ++answer)
    {
      for (const float share : {0.0f, 0.5f, 1.0f})
      {
        add(size * 7, size, answer, share);
      }
    }
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i)
  {
    const auto size = static_cast<std::int64_t>(random() % (std::uint64_t{1} << (i % 50 + 1)));
    const std::int64_t answer = size == 0 ? 0 : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size));
    const float right = size == 0 ? 0.0f : static_cast<float>(answer) / static_cast<float>(size);
    add(5, size, answer, i % 2 == 0 ? right : static_cast<float>(random() % 1000) / 1000);
  }
  const thrust::device_vector<search> on_device = searches;
  thrust::device_vector<int> wrong(1, 0);
  const int count = static_cast<int>(searches.size());
  search_kernel<<<::cuda::ceil_div(count, 4), 128>>>(thrust::raw_pointer_cast(on_device.data()), count, address(wrong));
  EXPECT_EQ(wrong[0], 0);
}

/// Bounds of tiles among keys: the first bound is `first`, and they grow by `stride`.
struct key_bounds
{
  const std::int64_t* keys;
  std::int64_t count;
  std::int64_t first;
  std::int64_t stride;
  std::int64_t last;
  std::int64_t* found;

  __device__ std::int64_t begin() const
  {
    return 0;
  }
  __device__ std::int64_t end() const
  {
    return count;
  }
  __device__ std::int64_t key(std::int64_t position) const
  {
    return keys[position];
  }
  __device__ std::int64_t bound(std::int64_t tile) const
  {
    return first + tile * stride;
  }
  __device__ std::int64_t last_bound() const
  {
    return last;
  }
  __device__ void store(std::int64_t tile, std::int64_t position) const
  {
    found[tile] = position;
  }
};

/// Cuts tiles by bounds among the keys, up to just above the last key, and `more` tiles after it.
void check_sampled_cut(
  const std::vector<std::int64_t>& keys, std::int64_t first, std::int64_t stride, std::int64_t more = 0)
{
  const std::int64_t last = keys.empty() ? 1 : keys.back() + 1;
  const std::int64_t tiles = last / stride + 1 + more;
  thrust::device_vector<std::int64_t> on_device(keys.begin(), keys.end());
  thrust::device_vector<std::int64_t> found(static_cast<std::size_t>(tiles + 1), -1);
  const key_bounds bounds{address(on_device), static_cast<std::int64_t>(keys.size()), first, stride, last,
                          address(found)};
  ASSERT_EQ(mgpu::detail::queue_cut(mgpu::detail::sampled_cut<key_bounds>{bounds, tiles}, nullptr), cudaSuccess);
  const thrust::host_vector<std::int64_t> result = found;
  for (std::int64_t tile = 0; tile <= tiles; ++tile)
  {
    const std::int64_t bound = std::min(first + tile * stride, last);
    ASSERT_EQ(result[static_cast<std::size_t>(tile)], std::lower_bound(keys.begin(), keys.end(), bound) - keys.begin())
      << keys.size() << " keys, tile " << tile << " of " << tiles;
  }
}

TEST(Cuts, SampledCutsFindEveryBound)
{
  for (const std::vector<int>& small : all_sorted(5, 5))
  {
    const std::vector<std::int64_t> keys(small.begin(), small.end());
    for (const std::int64_t stride : {1, 2})
    {
      check_sampled_cut(keys, 0, stride);
      check_sampled_cut(keys, 1, stride);
      check_sampled_cut(keys, 1, stride, mgpu::detail::max_tiles_cut_by_warps);
    }
  }
  std::mt19937_64 random(2);
  for (const std::int64_t largest : {0, 1, 1000, 1000000})
  {
    for (const std::size_t count : {1, 100, 5000, 200000})
    {
      for (const int power : {1, 4}) // evenly distributed keys, and keys most of which are small
      {
        std::vector<std::int64_t> keys(count);
        for (std::int64_t& key : keys)
        {
          double part = 1;
          for (int factor = 0; factor < power; ++factor)
          {
            part *= static_cast<double>(random() % 1000000) / 1000000;
          }
          key = static_cast<std::int64_t>(part * static_cast<double>(largest));
        }
        std::sort(keys.begin(), keys.end());
        check_sampled_cut(keys, 1, std::max<std::int64_t>(1, largest / 3000));
      }
    }
  }
}

/// Cuts two inputs on a path, and compares with the search of one thread.
template <int TileItems, class Path>
void check_path_cut(const std::vector<int>& a, const std::vector<int>& b)
{
  thrust::device_vector<int> a_keys(a.begin(), a.end());
  thrust::device_vector<int> b_keys(b.begin(), b.end());
  const auto a_count = static_cast<std::int64_t>(a.size());
  const auto b_count = static_cast<std::int64_t>(b.size());
  const auto inputs = mgpu::detail::make_set_inputs(
    static_cast<const int*>(address(a_keys)), a_count, static_cast<const int*>(address(b_keys)), b_count);
  const int tiles = static_cast<int>(::cuda::ceil_div(a_count + b_count, TileItems));
  thrust::device_vector<mgpu::detail::tile_begin> begins(static_cast<std::size_t>(tiles + 1));
  ASSERT_EQ(
    mgpu::detail::queue_path_cut<TileItems>(
      Path{}, inputs, less{}, tiles, address(begins), mgpu::detail::no_tile_offsets{}, nullptr),
    cudaSuccess);
  const thrust::host_vector<mgpu::detail::tile_begin> result = begins;
  for (int tile = 0; tile <= tiles; ++tile)
  {
    const std::int64_t diagonal = std::min<std::int64_t>(std::int64_t{tile} * TileItems, a_count + b_count);
    const auto point = mgpu::detail::operation_path(Path{}, a.data(), a_count, b.data(), b_count, diagonal, less{});
    const auto begin = result[static_cast<std::size_t>(tile)];
    ASSERT_TRUE(begin.a == point.a_index && begin.b == point.b_index)
      << "tile " << tile << ": " << begin.a << ", " << begin.b << " instead of " << point.a_index << ", "
      << point.b_index;
  }
}

TEST(Cuts, PathCutsAreThoseOfOneThread)
{
  const std::vector<std::vector<int>> all = all_sorted(3, 4);
  for (const std::vector<int>& a : all)
  {
    for (const std::vector<int>& b : all)
    {
      check_path_cut<2, mgpu::detail::set_union_t>(a, b);
      check_path_cut<3, mgpu::detail::merge_t>(a, b);
    }
  }
  // So many tiles that a warp finds each, or, if both inputs are long, a thread, and long runs of equal keys.
  std::mt19937_64 random(3);
  for (const int letters : {2, 50, 100000000})
  {
    const auto keys = [&](std::size_t count)
    {
      std::vector<int> sorted(count);
      std::generate(sorted.begin(), sorted.end(), [&] { return static_cast<int>(random() % letters); });
      std::sort(sorted.begin(), sorted.end());
      return sorted;
    };
    for (const std::size_t a_count : {0, 10, 60000})
    {
      check_path_cut<32, mgpu::detail::set_union_t>(keys(a_count), keys(70000));
      check_path_cut<32, mgpu::detail::merge_t>(keys(70000), keys(a_count));
    }
  }
}

constexpr int ways = 8;

/// Each `ways` lanes find where a diagonal cuts their runs. Run r of case c is keys[begins[c * ways + r]] and on, up to
/// where the next run begins.
__global__ void split_kernel(
  const int* keys, const std::int64_t* begins, const std::int64_t* diagonals, int cases, std::int64_t* splits)
{
  const int run = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const bool is_run = run < cases * ways;
  const std::int64_t begin = is_run ? begins[run] : 0;
  const std::int64_t size = is_run ? begins[run + 1] - begin : 0;
  const std::int64_t diagonal = is_run ? diagonals[run / ways] : 0;
  const std::int64_t split =
    mgpu::detail::multiway_split<ways, int, less>(keys + begin, size, diagonal, keys[0], less{}).find();
  if (is_run)
  {
    splits[run] = split;
  }
}

/// The same with a block for each case.
__global__ void
block_split_kernel(const int* keys, const std::int64_t* begins, const std::int64_t* diagonals, std::int64_t* splits)
{
  using split_type = mgpu::detail::multiway_block_split<ways, int, less>;
  __shared__ typename split_type::TempStorage shared;
  const int run = static_cast<int>(blockIdx.x * ways + threadIdx.x / 32);
  const std::int64_t begin = begins[run];
  const std::int64_t split =
    split_type(shared, keys + begin, begins[run + 1] - begin, diagonals[blockIdx.x], less{}).find();
  if (threadIdx.x % 32 == 0)
  {
    splits[run] = split;
  }
}

/// Where a run of a case begins, and its size.
struct run_of_case
{
  const int* keys;
  const std::int64_t* begins;

  MGPU_THRUST_HOST_DEVICE const int* operator()(std::int64_t run) const
  {
    return keys + begins[run];
  }
};
struct size_of_case
{
  const std::int64_t* begins;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t run) const
  {
    return begins[run + 1] - begins[run];
  }
};

/// The same with a thread for each case.
__global__ void thread_split_kernel(
  const int* keys, const std::int64_t* begins, const std::int64_t* diagonals, int cases, std::int64_t* splits)
{
  const int number = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (number < cases)
  {
    const thrust::counting_iterator<std::int64_t> runs(number * ways);
    mgpu::multiway_path(
      thrust::make_transform_iterator(runs, run_of_case{keys, begins}),
      thrust::make_transform_iterator(runs, size_of_case{begins}), ways, diagonals[number], splits + number * ways);
  }
}

/// Runs of keys, and diagonals of them.
class split_cases
{
public:
  void add(const std::vector<std::vector<int>>& runs, std::int64_t diagonal)
  {
    std::vector<std::pair<int, int>> elements; // key and run: in the order of the stable merge
    for (int run = 0; run < ways; ++run)
    {
      begins_.push_back(static_cast<std::int64_t>(keys_.size()));
      for (const int key : runs[static_cast<std::size_t>(run)])
      {
        keys_.push_back(key);
        elements.emplace_back(key, run);
      }
    }
    std::sort(elements.begin(), elements.end());
    std::vector<std::int64_t> expected(ways, 0);
    for (std::int64_t i = 0; i < diagonal; ++i)
    {
      ++expected[static_cast<std::size_t>(elements[static_cast<std::size_t>(i)].second)];
    }
    expected_.insert(expected_.end(), expected.begin(), expected.end());
    diagonals_.push_back(diagonal);
  }
  void check()
  {
    begins_.push_back(static_cast<std::int64_t>(keys_.size()));
    keys_.push_back(0); // so that there is a key
    const thrust::device_vector<int> keys(keys_.begin(), keys_.end());
    const thrust::device_vector<std::int64_t> begins(begins_.begin(), begins_.end());
    const thrust::device_vector<std::int64_t> diagonals(diagonals_.begin(), diagonals_.end());
    thrust::device_vector<std::int64_t> splits(expected_.size());
    const int cases = static_cast<int>(diagonals_.size());
    split_kernel<<<::cuda::ceil_div(cases * ways, 128), 128>>>(
      thrust::raw_pointer_cast(keys.data()), thrust::raw_pointer_cast(begins.data()),
      thrust::raw_pointer_cast(diagonals.data()), cases, address(splits));
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    compare(splits);
    block_split_kernel<<<cases, mgpu::detail::multiway_block_split<ways, int, less>::threads>>>(
      thrust::raw_pointer_cast(keys.data()), thrust::raw_pointer_cast(begins.data()),
      thrust::raw_pointer_cast(diagonals.data()), address(splits));
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    compare(splits);
    thread_split_kernel<<<::cuda::ceil_div(cases, 128), 128>>>(
      thrust::raw_pointer_cast(keys.data()), thrust::raw_pointer_cast(begins.data()),
      thrust::raw_pointer_cast(diagonals.data()), cases, address(splits));
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    compare(splits);
  }

private:
  void compare(thrust::device_vector<std::int64_t>& splits) const
  {
    const thrust::host_vector<std::int64_t> result = splits;
    for (std::size_t i = 0; i < expected_.size(); ++i)
    {
      ASSERT_EQ(result[i], expected_[i]) << "case " << i / ways << ", run " << i % ways;
    }
    thrust::fill(splits.begin(), splits.end(), -1);
  }

  std::vector<int> keys_;
  std::vector<std::int64_t> begins_;
  std::vector<std::int64_t> diagonals_;
  std::vector<std::int64_t> expected_;
};

TEST(Cuts, SplitsOfSmallRunsOnEveryDiagonal)
{
  split_cases cases;
  // All triples of short runs, in the first lanes and in others.
  const std::vector<std::vector<int>> all = all_sorted(3, 3);
  for (const std::vector<int>& a : all)
  {
    for (const std::vector<int>& b : all)
    {
      for (const std::vector<int>& c : all)
      {
        std::vector<std::vector<int>> runs(ways);
        const std::size_t shift = (a.size() + b.size() + c.size()) % (ways - 2);
        runs[shift] = a;
        runs[shift + 1] = b;
        runs[ways - 1] = c;
        for (std::size_t diagonal = 0; diagonal <= a.size() + b.size() + c.size(); ++diagonal)
        {
          cases.add(runs, static_cast<std::int64_t>(diagonal));
        }
      }
    }
  }
  cases.check();
}

TEST(Cuts, SplitsOfLongRuns)
{
  split_cases cases;
  std::mt19937_64 random(4);
  for (int number = 0; number < 300; ++number)
  {
    const int letters = number % 3 == 0 ? 2 : number % 3 == 1 ? 100 : 1000000;
    std::vector<std::vector<int>> runs(ways);
    std::int64_t total = 0;
    for (int run = 0; run < ways; ++run)
    {
      // Runs of one distribution, runs of which each goes before the next or after it, and runs of sizes that differ
      // much.
      std::vector<int>& keys = runs[static_cast<std::size_t>(run)];
      keys.resize(random() % (number % 5 == 0 ? std::size_t{1} << (run + 4) : std::size_t{1000}));
      const int base = number % 4 == 0 ? run * letters : number % 4 == 1 ? -run * letters : 0;
      std::generate(keys.begin(), keys.end(), [&] { return base + static_cast<int>(random() % letters); });
      std::sort(keys.begin(), keys.end());
      total += static_cast<std::int64_t>(keys.size());
    }
    cases.add(runs, static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(total + 1)));
    cases.add(runs, total);
  }
  cases.check();
}

} // namespace cuts

} // namespace
