// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Which kernels calls of the device layer queue: on each side of every border they are those of the path that the
// family's choice names.

#include "support/captured_kernels.h"
#include "support/device_calls.h"
#include "support/systems.h"

#include <mgpu_thrust/deferred.h>
#include <mgpu_thrust/device/device_join.cuh>
#include <mgpu_thrust/device/device_merge.cuh>
#include <mgpu_thrust/device/device_range_join.cuh>
#include <mgpu_thrust/device/device_semi_join.cuh>
#include <mgpu_thrust/device/device_set_operations.cuh>
#include <mgpu_thrust/device/device_sorted_search.cuh>

#include <thrust/device_vector.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include <vector>

namespace paths // whose names other tests of the group do not see
{

using namespace mgpu::detail;
using kernel_names = std::vector<std::string>;
using test::raw;

/// Returns the kernels that `function` queues, with storage of the size for which it asks. Nothing is executed, and so
/// no element is read: all pointers may lead to one allocation, which is small.
inline kernel_names kernels_of_call(const test::two_phase_call& function)
{
  std::size_t bytes = 0;
  EXPECT_EQ(function(nullptr, bytes, nullptr), cudaSuccess);
  thrust::device_vector<char> storage(bytes);
  return test::captured_kernels([&](cudaStream_t stream) { return function(raw(storage), bytes, stream); });
}

/// Returns the sizes on both sides of every border between 0 and `most` at which path_of(size) changes. There must be
/// no border that two others enclose so closely that no power of two, and no half of one more, is between them.
template <class PathOf>
std::set<std::int64_t> sizes_at_borders(std::int64_t most, PathOf path_of)
{
  std::set<std::int64_t> sizes{2};
  for (std::int64_t low = 2; low < most;)
  {
    const std::int64_t high = std::min(low + std::max<std::int64_t>(low / 2, 1), most);
    if (path_of(low) != path_of(high))
    {
      std::int64_t last = low;
      std::int64_t next = high;
      while (next - last > 1)
      {
        const std::int64_t middle = last + (next - last) / 2;
        (path_of(middle) == path_of(low) ? last : next) = middle;
      }
      sizes.insert({last, next});
    }
    low = high;
  }
  return sizes;
}

/// Memory for the arguments of calls that are not executed, and sizes in memory of the device.
struct memory
{
  thrust::device_vector<std::int64_t> numbers = thrust::device_vector<std::int64_t>(4);

  std::int64_t* count()
  {
    return raw(numbers);
  }
  template <class T>
  T* as()
  {
    return reinterpret_cast<T*>(raw(numbers));
  }
  mgpu::deferred<const std::int64_t*> deferred(std::int64_t capacity)
  {
    return {raw(numbers) + 2, capacity};
  }
};

struct key16
{
  std::int64_t high;
  std::int64_t low;

  friend MGPU_THRUST_HOST_DEVICE bool operator<(const key16& a, const key16& b)
  {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
};

inline kernel_names kernels_of(set_operation_path path)
{
  switch (path)
  {
  case set_operation_path::bisect:
  case set_operation_path::bisect_with_served_offsets:
    return {"bisection_kernel"};
  case set_operation_path::coresident_tiles:
  case set_operation_path::tiles_cut_by_blocks:
    return {"set_operation_kernel"};
  default:
    return {"cut_kernel", "set_operation_kernel"};
  }
}

inline kernel_names kernels_of(sorted_search_path path)
{
  switch (path)
  {
  case sorted_search_path::none:
    return {};
  case sorted_search_path::bisect:
    return {"sparse_search_kernel"};
  case sorted_search_path::tiles_cut_by_blocks:
    return {"sorted_search_kernel"};
  default:
    return {"cut_kernel", "sorted_search_kernel"};
  }
}

inline kernel_names kernels_of(semi_join_path path)
{
  switch (path)
  {
  case semi_join_path::bisect:
  case semi_join_path::bisect_with_served_offsets:
    return {"bisection_kernel"};
  case semi_join_path::count_by_bisection:
    return {"semi_join_size_kernel"};
  case semi_join_path::coresident_tiles:
    return {"semi_join_kernel"};
  default:
    return {"cut_kernel", "semi_join_kernel"};
  }
}

/// Checks call(size) for the sizes around all borders up to `most`, where path_of(size) has at least `paths` values.
template <class PathOf, class Call>
void check_paths(const char* name, std::int64_t most, std::size_t paths, PathOf path_of, Call call)
{
  SCOPED_TRACE(name);
  std::set<int> seen;
  for (const std::int64_t size : sizes_at_borders(most, path_of))
  {
    SCOPED_TRACE(size);
    EXPECT_EQ(kernels_of_call(call(size)), kernels_of(path_of(size)));
    seen.insert(static_cast<int>(path_of(size)));
  }
  EXPECT_GE(seen.size(), paths);
}

template <class Key>
void check_set_operations()
{
  memory m;
  const device_room device = current_device_room();
  const Key* const keys = m.as<Key>();
  Key* const out = m.as<Key>();
  const std::int64_t most = std::int64_t{1} << 26;
  const auto path_of = [&](auto traits, bool in_place)
  {
    return [=](std::int64_t size)
    { return choose_set_operation<decltype(traits)>(size / 2, size - size / 2, in_place, device).path; };
  };
  check_paths(
    "intersection", most, 3, path_of(set_operation_traits<set_intersection_t, sizeof(Key), false, true, false>{}, true),
    [&](std::int64_t size)
    {
      return [=, &m](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return mgpu::DeviceSetOperations::IntersectionKeys(
          storage, bytes, keys, size / 2, keys, size - size / 2, out, m.count(), cuda::std::less<>{}, stream);
      };
    });
  check_paths(
    "intersection with few", most, 3,
    [=](std::int64_t size)
    {
      using traits = set_operation_traits<set_intersection_t, sizeof(Key), false, true, false>;
      return choose_set_operation<traits>(std::int64_t{1} << 26, size, true, device).path;
    },
    [&](std::int64_t size)
    {
      return [=, &m](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return mgpu::DeviceSetOperations::IntersectionKeys(
          storage, bytes, keys, std::int64_t{1} << 26, keys, size, out, m.count(), cuda::std::less<>{}, stream);
      };
    });
  check_paths(
    "deferred union", most, 2, path_of(set_operation_traits<set_union_t, sizeof(Key), false, true, true>{}, true),
    [&](std::int64_t size)
    {
      return [=, &m](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return mgpu::DeviceSetOperations::UnionKeys(
          storage, bytes, keys, m.deferred(size / 2), keys, m.deferred(size - size / 2), out, m.count(),
          cuda::std::less<>{}, stream);
      };
    });
  check_paths(
    "merge", most, 2, path_of(set_operation_traits<merge_t, sizeof(Key), false, true, false>{}, true),
    [&](std::int64_t size)
    {
      return [=](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return mgpu::DeviceMerge::MergeKeys(
          storage, bytes, keys, size / 2, keys, size - size / 2, out, cuda::std::less<>{}, stream);
      };
    });
  for (const bool in_place : {false, true}) // whether the count is stored elsewhere than where a size is read
  {
    check_paths(
      "deferred merge", most, 2, path_of(set_operation_traits<merge_t, sizeof(Key), false, true, true>{}, in_place),
      [&](std::int64_t size)
      {
        return [=, &m](void* storage, std::size_t& bytes, cudaStream_t stream)
        {
          return mgpu::DeviceMerge::MergeKeys(
            storage, bytes, keys, m.deferred(size / 2), keys, m.deferred(size - size / 2), out,
            m.count() + (in_place ? 0 : 2), cuda::std::less<>{}, stream);
        };
      });
  }
}

TEST(Paths, SetOperationsAndMerges)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_set_operations<std::int32_t>();
  check_set_operations<key16>();
}

TEST(Paths, SortedSearches)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  memory m;
  using shape = decltype(choose_sorted_search_shape<sizeof(std::int32_t)>());
  const std::int32_t* const keys = m.as<std::int32_t>();
  std::int32_t* const out = m.as<std::int32_t>();
  const std::int64_t most = std::int64_t{1} << 26;
  const cuda::std::less<> less;
  // As many needles as elements of the haystack; then few needles in a long haystack.
  for (const std::int64_t haystack : {std::int64_t{0}, std::int64_t{1} << 22})
  {
    check_paths(
      "lower bounds", most, 3,
      [=](std::int64_t size)
      {
        return choose_sorted_search<shape, search_bisection<true, false, false>>(
                 size, haystack == 0 ? size : haystack, true)
          .path;
      },
      [&, haystack](std::int64_t size)
      {
        return [=](void* storage, std::size_t& bytes, cudaStream_t stream)
        {
          return mgpu::DeviceSortedSearch::LowerBound(
            storage, bytes, keys, haystack == 0 ? size : haystack, keys, size, out, less, stream);
        };
      });
  }
  check_paths(
    "both bounds, deferred", most, 3,
    [](std::int64_t size)
    { return choose_sorted_search<shape, search_bisection<true, true, false>>(size, size, true).path; },
    [&](std::int64_t size)
    {
      return [=, &m](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return mgpu::DeviceSortedSearch::EqualRange(
          storage, bytes, keys, m.deferred(size), keys, m.deferred(size), out, out, less, stream);
      };
    });
  check_paths(
    "counts of matches", most, 2,
    [](std::int64_t size) { return choose_sorted_search<shape, no_bisection>(size, size, true).path; },
    [&](std::int64_t size)
    {
      return [=, &m](void* storage, std::size_t& bytes, cudaStream_t stream) {
        return mgpu::DeviceSortedSearch::Search(
          storage, bytes, keys, size, keys, size, out, out, m.count(), less, stream);
      };
    });
  check_paths(
    "counts of matches, deferred", most, 1,
    [](std::int64_t size) { return choose_sorted_search<shape, no_bisection>(size, size, false).path; },
    [&](std::int64_t size)
    {
      return [=, &m](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return mgpu::DeviceSortedSearch::Search(
          storage, bytes, keys, m.deferred(size), keys, m.deferred(size), out, out, m.count(), less, stream);
      };
    });
  const auto nothing = [&](void* storage, std::size_t& bytes, cudaStream_t stream)
  {
    return mgpu::DeviceSortedSearch::Search(
      storage, bytes, keys, std::int64_t{0}, keys, std::int64_t{0}, out, out, m.count(), less, stream);
  };
  EXPECT_EQ(kernels_of_call(nothing), kernels_of(sorted_search_path::none));
}

TEST(Paths, SemiJoins)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  memory m;
  using shape = decltype(choose_semi_join_shape<sizeof(std::int32_t)>());
  const device_room device = current_device_room();
  const std::int32_t* const keys = m.as<std::int32_t>();
  std::int32_t* const out = m.as<std::int32_t>();
  const cuda::std::less<> less;
  const auto path_of = [=](std::int64_t left, std::int64_t right, bool writes = true)
  { return choose_semi_join<shape>(left, right, writes, device).path; };
  check_paths(
    "as many right elements", std::int64_t{1} << 26, 3, [=](std::int64_t size) { return path_of(size, size); },
    [&](std::int64_t size)
    {
      return [=, &m](void* storage, std::size_t& bytes, cudaStream_t stream)
      { return mgpu::DeviceSemiJoin::Semi(storage, bytes, keys, size, keys, size, out, m.count(), less, stream); };
    });
  const std::int64_t right = std::int64_t{1} << 26;
  check_paths(
    "few left rows", right, 3, [=](std::int64_t size) { return path_of(size, right, false); },
    [&](std::int64_t size)
    {
      return [=, &m](void* storage, std::size_t& bytes, cudaStream_t stream)
      { return mgpu::DeviceSemiJoin::AntiCount(storage, bytes, keys, size, keys, right, m.count(), less, stream); };
    });
  check_paths(
    "few right elements", right, 2, [=](std::int64_t size) { return path_of(right, size, false); },
    [&](std::int64_t size)
    {
      return [=, &m](void* storage, std::size_t& bytes, cudaStream_t stream)
      { return mgpu::DeviceSemiJoin::SemiCount(storage, bytes, keys, right, keys, size, m.count(), less, stream); };
    });
  check_paths(
    "deferred", std::int64_t{1} << 26, 3, [=](std::int64_t size) { return path_of(size, size); },
    [&](std::int64_t size)
    {
      return [=, &m](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return mgpu::DeviceSemiJoin::Semi(
          storage, bytes, keys, m.deferred(size), keys, m.deferred(size), out, m.count(), less, stream);
      };
    });
  // Where offsets are served, one kernel more reads deferred sizes.
  const std::int64_t rows = right / sparse_needles_ratio;
  if (path_of(rows, right) == semi_join_path::bisect_with_served_offsets)
  {
    const auto call = [&](void* storage, std::size_t& bytes, cudaStream_t stream)
    {
      return mgpu::DeviceSemiJoin::Semi(
        storage, bytes, keys, m.deferred(rows), keys, right, out, m.count(), less, stream);
    };
    EXPECT_EQ(kernels_of_call(call), (kernel_names{"read_sizes_kernel", "bisection_kernel"}));
  }
}

/// What a call of a join does.
enum class join_work
{
  inner,      ///< writes the rows of left elements
  full,       ///< writes those of right elements without a match too
  count,      ///< counts rows
  count_fill, ///< counts rows, and writes them
  fill        ///< writes rows that were counted before
};

inline kernel_names kernels_of(join_path path, join_work work)
{
  const kernel_names counting =
    path == join_path::count_small_tiles
      ? kernel_names{"cut_kernel", "join_count_kernel", "join_scan_kernel"}
      : kernel_names{"cut_kernel", "join_count_kernel", "DeviceScanInitKernel", "DeviceScanKernel", "join_size_kernel"};
  switch (path)
  {
  case join_path::coresident_pass:
    return {"join_pass_kernel", "join_extra_kernel"};
  case join_path::pass:
  {
    kernel_names names{"cut_kernel", "join_pass_kernel", "join_extra_kernel"};
    if (work == join_work::full)
    {
      names.push_back("join_right_only_kernel");
    }
    return names;
  }
  default:
  {
    kernel_names names = work == join_work::fill ? kernel_names{} : counting;
    if (work != join_work::count)
    {
      names.push_back("join_fill_kernel");
    }
    return names;
  }
  }
}

/// The kernels of a join path have no names of their own for small tiles; so the number of blocks is not seen here, but
/// that of kernels is.
template <class Key>
void check_joins()
{
  memory m;
  const device_room device = current_device_room();
  const Key* const keys = m.as<Key>();
  std::int32_t* const out = m.as<std::int32_t>();
  const cuda::std::less<> less;
  const std::int64_t most = std::int64_t{1} << 26;
  const auto check = [&](const char* name, join_work work, bool saturates, auto call)
  {
    SCOPED_TRACE(name);
    const bool writes = work == join_work::inner || work == join_work::full;
    const auto path_of = [=](std::int64_t size) {
      return choose_join<sizeof(Key)>(mgpu::inner_join_t{}, writes, saturates, size / 2, size - size / 2, device).path;
    };
    for (const std::int64_t size : sizes_at_borders(most, path_of))
    {
      SCOPED_TRACE(size);
      EXPECT_EQ(kernels_of_call(call(size)), kernels_of(path_of(size), work));
    }
  };
  check(
    "inner", join_work::inner, false,
    [&](std::int64_t size)
    {
      return [=, &m](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return mgpu::DeviceJoin::Inner(
          storage, bytes, keys, size / 2, keys, size - size / 2, out, out, m.count(), less, stream);
      };
    });
  check(
    "full, with room", join_work::full, true,
    [&](std::int64_t size)
    {
      return [=, &m](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return mgpu::DeviceJoin::Full(
          storage, bytes, keys, m.deferred(size / 2), keys, m.deferred(size - size / 2), out, out, std::int64_t{1000},
          m.count(), less, stream);
      };
    });
  check(
    "inner count", join_work::count, false,
    [&](std::int64_t size)
    {
      return [=, &m](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return mgpu::DeviceJoin::InnerCount(
          storage, bytes, keys, size / 2, keys, size - size / 2, m.count(), less, stream);
      };
    });
  check(
    "inner rows", join_work::fill, false,
    [&](std::int64_t size)
    {
      return [=](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return mgpu::DeviceJoin::InnerRows(
          storage, bytes, keys, size / 2, keys, size - size / 2, 0, 1000, out, out, less, stream);
      };
    });
}

TEST(Paths, Joins)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_joins<std::int32_t>();
  check_joins<key16>();
}

/// The kernels of range joins, of known numbers of intervals and of deferred ones.
TEST(Paths, RangeJoins)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using ranges = mgpu::DeviceRangeJoin;
  memory m;
  const std::int32_t* const keys = m.as<std::int32_t>();
  std::int32_t* const out = m.as<std::int32_t>();
  const auto less = cuda::std::less<>{};
  const auto bounds = mgpu::closed;
  const kernel_names cut{"cut_kernel"};
  const auto after = [](kernel_names names, const kernel_names& others)
  {
    names.insert(names.end(), others.begin(), others.end());
    return names;
  };
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{400000}, std::int64_t{1} << 26})
  {
    SCOPED_TRACE(n);
    const auto check = [&](auto num_intervals, const kernel_names& first)
    {
      const auto call = [&](auto queue)
      {
        return kernels_of_call([&](void* storage, std::size_t& bytes, cudaStream_t stream)
                               { return queue(stream, storage, bytes); });
      };
      const auto rows = [&](auto stream, auto&... storage) {
        return ranges::Rows(storage..., keys, n, keys, num_intervals, keys, out, out, m.count(), less, bounds, stream);
      };
      EXPECT_EQ(call(rows), after(first, {"join_pass_kernel", "join_extra_kernel"}));
      const auto row_count = [&](auto stream, auto&... storage)
      { return ranges::RowCount(storage..., keys, n, keys, num_intervals, keys, m.count(), less, bounds, stream); };
      const bool are_few = interval_tiles_of<interval_shape, 4>(num_intervals, n) <= join_scan_tiles;
      EXPECT_EQ(
        call(row_count),
        after(
          first,
          are_few ? kernel_names{"join_count_kernel", "join_scan_kernel"}
                  : kernel_names{"join_count_kernel", "DeviceScanInitKernel", "DeviceScanKernel", "join_size_kernel"}));
      const auto some_rows = [&](auto stream, auto&... storage) {
        return ranges::SomeRows(
          storage..., keys, n, keys, num_intervals, keys, 0, 1000, out, out, less, bounds, stream);
      };
      EXPECT_EQ(call(some_rows), kernel_names{"join_fill_kernel"});
      const auto counts = [&](auto stream, auto&... storage)
      { return ranges::Counts(storage..., keys, n, keys, num_intervals, keys, out, less, bounds, stream); };
      EXPECT_EQ(call(counts), kernel_names{"range_count_kernel"});
    };
    check(n, {});
    check(m.deferred(n), cut);
  }
}

/// The kernels of joins with a short input. Right joins and deferred sizes have one more.
TEST(Paths, JoinsOfNeedles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  memory m;
  const device_room device = current_device_room();
  const std::int32_t* const keys = m.as<std::int32_t>();
  std::int32_t* const out = m.as<std::int32_t>();
  const cuda::std::less<> less;
  const std::int64_t haystack = std::int64_t{1} << 28;
  const kernel_names cut{"cut_kernel", "join_pass_kernel", "join_extra_kernel"};
  const kernel_names pass{"join_pass_kernel", "join_extra_kernel"};
  const kernel_names right_pass{"join_pass_kernel", "join_extra_kernel", "join_right_only_kernel"};
  for (const std::int64_t needles :
       {std::int64_t{0}, std::int64_t{1}, haystack / sparse_needles_ratio, haystack / sparse_needles_ratio + 1})
  {
    SCOPED_TRACE(needles);
    const mgpu::inner_join_t inner;
    const bool is_short = choose_join<4>(inner, true, false, needles, haystack, device).path == join_path::needle_pass;
    EXPECT_EQ(is_short, needles <= haystack / sparse_needles_ratio);
    const auto inner_of = [&](std::int64_t left, std::int64_t right)
    {
      return kernels_of_call(
        [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
          return mgpu::DeviceJoin::Inner(storage, bytes, keys, left, keys, right, out, out, m.count(), less, stream);
        });
    };
    EXPECT_EQ(inner_of(needles, haystack), is_short ? pass : cut);
    EXPECT_EQ(inner_of(haystack, needles), is_short ? pass : cut);
    const auto right_call = [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
      return mgpu::DeviceJoin::Right(storage, bytes, keys, haystack, keys, needles, out, out, m.count(), less, stream);
    };
    kernel_names cut_right = right_pass;
    cut_right.insert(cut_right.begin(), "cut_kernel");
    EXPECT_EQ(kernels_of_call(right_call), is_short ? right_pass : cut_right);
    const auto rows_call = [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
      return mgpu::DeviceJoin::InnerRows(
        storage, bytes, keys, needles, keys, haystack, 0, 1000, out, out, less, stream);
    };
    EXPECT_EQ(kernels_of_call(rows_call), (kernel_names{"join_fill_kernel"}));
    const auto deferred_call = [&](void* storage, std::size_t& bytes, cudaStream_t stream)
    {
      return mgpu::DeviceJoin::Full(
        storage, bytes, keys, m.deferred(needles), keys, m.deferred(haystack), out, out, std::int64_t{1000}, m.count(),
        less, stream);
    };
    EXPECT_EQ(kernels_of_call(deferred_call), cut_right);
  }
  // One block adds up the counts of up to join_scan_tiles tiles.
  const auto count_of = [&](std::int64_t needles)
  {
    return kernels_of_call(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      { return mgpu::DeviceJoin::InnerCount(storage, bytes, keys, needles, keys, haystack, m.count(), less, stream); });
  };
  const std::int64_t scanned = std::int64_t{join_scan_tiles} * join_needle_shape::threads;
  EXPECT_EQ(count_of(0), (kernel_names{"join_count_kernel", "join_scan_kernel"}));
  EXPECT_EQ(count_of(scanned), (kernel_names{"join_count_kernel", "join_scan_kernel"}));
  EXPECT_EQ(
    count_of(scanned + 1),
    (kernel_names{"join_count_kernel", "DeviceScanInitKernel", "DeviceScanKernel", "join_size_kernel"}));
}

// Sizes for which 64 bits may not count the rows.
TEST(Paths, JoinsOfTooManyRowsAreCounted)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  memory m;
  const std::int32_t* const keys = m.as<std::int32_t>();
  std::int64_t* const out = m.as<std::int64_t>();
  const std::int64_t size = std::int64_t{1} << 32;
  ASSERT_EQ(
    choose_join<4>(mgpu::inner_join_t{}, true, false, size, size, current_device_room()).path, join_path::count_tiles);
  const auto call = [&](void* storage, std::size_t& bytes, cudaStream_t stream)
  {
    return mgpu::DeviceJoin::Inner(
      storage, bytes, keys, size, keys, size, out, out, m.count(), cuda::std::less<>{}, stream);
  };
  EXPECT_EQ(kernels_of_call(call), kernels_of(join_path::count_tiles, join_work::count_fill));
}

} // namespace paths
