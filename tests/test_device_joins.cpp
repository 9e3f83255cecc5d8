// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// DeviceJoin: every form, called directly and captured into a graph; bad arguments; more than 2^31 rows.

#include "support/device_calls.h"
#include "support/distributions.h"
#include "support/index_check.h"
#include "support/join_battery.h"
#include "support/streams.h"
#include "support/systems.h"

#include <mgpu_thrust/device/device_join.cuh>
#include <mgpu_thrust/join.h>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using join = mgpu::DeviceJoin;
using test::raw;

using ints = std::vector<std::int32_t>;

// The three functions of each kind of join, selected by its tag.
template <class... Arguments>
cudaError_t write_all(test::inner_join, void* storage, std::size_t& bytes, Arguments... arguments)
{
  return join::Inner(storage, bytes, arguments...);
}
template <class... Arguments>
cudaError_t write_all(test::left_join, void* storage, std::size_t& bytes, Arguments... arguments)
{
  return join::Left(storage, bytes, arguments...);
}
template <class... Arguments>
cudaError_t write_all(test::right_join, void* storage, std::size_t& bytes, Arguments... arguments)
{
  return join::Right(storage, bytes, arguments...);
}
template <class... Arguments>
cudaError_t write_all(test::full_join, void* storage, std::size_t& bytes, Arguments... arguments)
{
  return join::Full(storage, bytes, arguments...);
}
template <class... Arguments>
cudaError_t count(test::inner_join, void* storage, std::size_t& bytes, Arguments... arguments)
{
  return join::InnerCount(storage, bytes, arguments...);
}
template <class... Arguments>
cudaError_t count(test::left_join, void* storage, std::size_t& bytes, Arguments... arguments)
{
  return join::LeftCount(storage, bytes, arguments...);
}
template <class... Arguments>
cudaError_t count(test::right_join, void* storage, std::size_t& bytes, Arguments... arguments)
{
  return join::RightCount(storage, bytes, arguments...);
}
template <class... Arguments>
cudaError_t count(test::full_join, void* storage, std::size_t& bytes, Arguments... arguments)
{
  return join::FullCount(storage, bytes, arguments...);
}
template <class... Arguments>
cudaError_t write_some(test::inner_join, void* storage, std::size_t& bytes, Arguments... arguments)
{
  return join::InnerRows(storage, bytes, arguments...);
}
template <class... Arguments>
cudaError_t write_some(test::left_join, void* storage, std::size_t& bytes, Arguments... arguments)
{
  return join::LeftRows(storage, bytes, arguments...);
}
template <class... Arguments>
cudaError_t write_some(test::right_join, void* storage, std::size_t& bytes, Arguments... arguments)
{
  return join::RightRows(storage, bytes, arguments...);
}
template <class... Arguments>
cudaError_t write_some(test::full_join, void* storage, std::size_t& bytes, Arguments... arguments)
{
  return join::FullRows(storage, bytes, arguments...);
}

template <class Join>
void check_every_form(Join kind, const ints& host_left, const ints& host_right)
{
  SCOPED_TRACE(Join::name);
  const ::cuda::std::less<> less;
  const auto expected = test::search_each<std::int32_t>(kind, host_left, host_right, less);
  const std::int64_t size = expected.size();
  const thrust::device_vector<int> left(host_left);
  const thrust::device_vector<int> right(host_right);
  const int* const l = raw(left);
  const int* const r = raw(right);
  const std::int64_t l_size = left.size();
  const std::int64_t r_size = right.size();
  thrust::device_vector<int> x(size + 1, -7);
  thrust::device_vector<int> y(size + 1, -7);
  thrust::device_vector<std::int64_t> rows(1);
  for (const auto& run : {test::call, test::capture})
  {
    rows[0] = -1;
    run([&](void* storage, std::size_t& bytes, cudaStream_t stream)
        { return write_all(kind, storage, bytes, l, l_size, r, r_size, raw(x), raw(y), raw(rows), less, stream); });
    ASSERT_EQ(rows[0], size);
    test::expect_rows(x, y, expected, 0, size);
    rows[0] = -1;
    run([&](void* storage, std::size_t& bytes, cudaStream_t stream)
        { return count(kind, storage, bytes, l, l_size, r, r_size, raw(rows), less, stream); });
    ASSERT_EQ(rows[0], size);
    // One count, then the rows in four pieces.
    run(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        cudaError_t error = count(kind, storage, bytes, l, l_size, r, r_size, raw(rows), less, stream);
        const std::int64_t piece = size / 4 + 1;
        for (std::int64_t first = 0; error == cudaSuccess && storage != nullptr && first < size; first += piece)
        {
          // The last piece requests more rows than remain.
          error = write_some(
            kind, storage, bytes, l, l_size, r, r_size, first, piece, raw(x) + first, raw(y) + first, less, stream);
        }
        return error;
      });
    test::expect_rows(x, y, expected, 0, size);
  }
  if constexpr (std::is_same_v<Join, test::inner_join>)
  {
    rows[0] = -1;
    test::call_short([&](cudaStream_t stream)
                     { return join::Inner(l, l_size, r, r_size, raw(x), raw(y), raw(rows), less, stream); });
    ASSERT_EQ(rows[0], size);
    test::expect_rows(x, y, expected, 0, size);
  }
}

TEST(DeviceJoin, EveryFormCalledAndCaptured)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::distribution d : test::all_distributions)
  {
    for (const std::int64_t size : {0, 1, 1000})
    {
      SCOPED_TRACE(std::string(test::name_of(d)) + " " + std::to_string(size));
      const auto ranks = test::make_ranks(d, size, size + 7, 1 << 30, 1);
      const ints left(ranks.first.begin(), ranks.first.end());
      const ints right(ranks.second.begin(), ranks.second.end());
      test::for_each_join([&](auto kind) { check_every_form(kind, left, right); });
      ASSERT_FALSE(HasFatalFailure());
    }
  }
  const auto ranks = test::make_ranks(test::distribution::uniform, 100003, 90001, 1 << 30, 1);
  const ints left(ranks.first.begin(), ranks.first.end());
  const ints right(ranks.second.begin(), ranks.second.end());
  test::for_each_join([&](auto kind) { check_every_form(kind, left, right); });
}

// A short input on either side.
TEST(DeviceJoin, NeedlesCalledAndCaptured)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t size : {0, 1, 3000})
  {
    SCOPED_TRACE(size);
    const auto ranks = test::make_ranks(test::distribution::runs, size, test::join_haystack_size, 1 << 30, 1);
    const ints needles(ranks.first.begin(), ranks.first.end());
    const ints haystack(ranks.second.begin(), ranks.second.end());
    test::for_each_join([&](auto kind) { check_every_form(kind, needles, haystack); });
    test::for_each_join([&](auto kind) { check_every_form(kind, haystack, needles); });
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST(DeviceJoin, BadArgumentsWriteNothing)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  thrust::device_vector<int> a(300, 1);
  thrust::device_vector<std::int8_t> out(200, -5);
  thrust::device_vector<std::int64_t> rows(1, -5);
  thrust::device_vector<char> storage(1 << 20);
  const auto run = [&](std::size_t bytes, std::int64_t left, std::int64_t right)
  { return join::Inner(raw(storage), bytes, raw(a), left, raw(a), right, raw(out), raw(out) + 100, raw(rows)); };
  const auto run_rows = [&](std::int64_t first, std::int64_t count)
  {
    std::size_t bytes = storage.size();
    return join::InnerRows(raw(storage), bytes, raw(a), 10, raw(a), 10, first, count, raw(out), raw(out) + 100);
  };
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(run(storage.size(), -1, 10), cudaErrorInvalidValue);
  EXPECT_EQ(run(storage.size(), 10, -1), cudaErrorInvalidValue);
  EXPECT_EQ(run(storage.size(), 1, huge), cudaErrorInvalidValue);
  EXPECT_EQ(run(storage.size(), 129, 1), cudaErrorInvalidValue); // 128 does not fit std::int8_t
  EXPECT_EQ(run(storage.size(), 1, 129), cudaErrorInvalidValue);
  EXPECT_EQ(run(1, 10, 10), cudaErrorInvalidValue);
  EXPECT_EQ(run_rows(-1, 1), cudaErrorInvalidValue);
  EXPECT_EQ(run_rows(1, -1), cudaErrorInvalidValue);
  EXPECT_EQ(run_rows(2, huge), cudaErrorInvalidValue);
  EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(200, -5));
  EXPECT_EQ(rows[0], -5);
  EXPECT_EQ(run(storage.size(), 10, 10), cudaSuccess);
  EXPECT_EQ(rows[0], 100);
  EXPECT_EQ(run_rows(100, 7), cudaSuccess); // rows past the end
  EXPECT_EQ(test::to_host(out)[99], 9);
}

TEST(DeviceJoin, NothingWaits)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const thrust::counting_iterator<std::int64_t> numbers(0);
  std::size_t bytes = 0;
  thrust::device_vector<std::int64_t> rows(1);
  const auto run = [&](void* storage, cudaStream_t on) {
    return join::FullCount(storage, bytes, numbers, 100000, numbers + 5, 100000, raw(rows), ::cuda::std::less<>{}, on);
  };
  ASSERT_EQ(run(nullptr, nullptr), cudaSuccess);
  thrust::device_vector<char> storage(bytes);
  test::check_nothing_waits([&](cudaStream_t on) { EXPECT_EQ(run(raw(storage), on), cudaSuccess); });
  EXPECT_EQ(rows[0], 100005);
}

/// The left and the right element of a row of a join of equal keys.
struct left_of_row
{
  std::int64_t first_row;
  std::int64_t right_size;

  __host__ __device__ std::int64_t operator()(std::int64_t row) const
  {
    return (first_row + row) / right_size;
  }
};
struct right_of_row
{
  std::int64_t first_row;
  std::int64_t right_size;

  __host__ __device__ std::int64_t operator()(std::int64_t row) const
  {
    return (first_row + row) % right_size;
  }
};

// 2^33 rows, more than 32 bits count, each checked as it is written: in one call, and by a plan.
TEST(DeviceJoin, MoreRowsThan32BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t left = std::int64_t{1} << 16;
  const std::int64_t right = (std::int64_t{1} << 17) + 3;
  const std::int64_t size = left * right;
  const thrust::constant_iterator<std::int32_t> keys(5);
  EXPECT_EQ(mgpu::inner_join_size(thrust::device, keys, keys + left, keys, keys + right), size);
  test::index_check left_check;
  test::index_check right_check;
  const auto check = [&](std::int64_t rows)
  {
    EXPECT_EQ(left_check.wrong(), 0);
    EXPECT_EQ(right_check.wrong(), 0);
    EXPECT_EQ(left_check.sampled(), rows);
    EXPECT_EQ(right_check.sampled(), rows);
  };
  const auto left_out = left_check.output(left_of_row{0, right});
  const auto ends = mgpu::inner_join(
    thrust::device, keys, keys + left, keys, keys + right, left_out, right_check.output(right_of_row{0, right}));
  EXPECT_EQ(ends.first - left_out, size);
  std::int64_t sampled = test::index_check::samples_of(size);
  check(sampled);
  const mgpu::join_plan plan(thrust::device, mgpu::full_join_t{}, keys, keys + left, keys, keys + right);
  ASSERT_EQ(plan.size(), size);
  const std::int64_t piece = size / 7 + 1;
  for (std::int64_t first = 0; first < size; first += piece)
  {
    const std::int64_t last = std::min(first + piece, size);
    plan.fill(
      first, last, left_check.output(left_of_row{first, right}), right_check.output(right_of_row{first, right}));
    sampled += test::index_check::samples_of(last - first);
  }
  check(sampled);
}

// More than 2^32 rows of a few equal elements on either side, and many equal ones on the other.
TEST(DeviceJoin, MoreRowsOfNeedlesThan32BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t needles = 200; // more than a tile has
  const std::int64_t haystack = (std::int64_t{1} << 25) + 7;
  const thrust::constant_iterator<std::int32_t> keys(5);
  test::index_check left_check;
  test::index_check right_check;
  std::int64_t sampled = 0;
  const auto check = [&](std::int64_t left, std::int64_t right)
  {
    ASSERT_EQ(mgpu::inner_join_size(thrust::device, keys, keys + left, keys, keys + right), left * right);
    mgpu::inner_join(
      thrust::device, keys, keys + left, keys, keys + right, left_check.output(left_of_row{0, right}),
      right_check.output(right_of_row{0, right}));
    sampled += test::index_check::samples_of(left * right);
    EXPECT_EQ(left_check.wrong(), 0);
    EXPECT_EQ(right_check.wrong(), 0);
    EXPECT_EQ(left_check.sampled(), sampled);
    EXPECT_EQ(right_check.sampled(), sampled);
  };
  check(needles, haystack);
  check(haystack, needles);
}

/// A key so large that a tile has fewer elements than a tile of needles.
struct wide_key
{
  std::int32_t number;
  std::int32_t rest[63];

  friend __host__ __device__ bool operator<(const wide_key& x, const wide_key& y)
  {
    return x.number < y.number;
  }
};

/// Key i is factor * i.
struct wide_key_of
{
  std::int64_t factor;

  __host__ __device__ wide_key operator()(std::int64_t i) const
  {
    wide_key key{};
    key.number = static_cast<std::int32_t>(factor * i);
    return key;
  }
};

// Regression: right joins of such keys did not compile. Of 500 right elements the first 300 have a match.
TEST(DeviceJoin, WideNeedles)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using shape = mgpu::detail::coresident_join_shape<sizeof(wide_key)>;
  static_assert(shape::items < mgpu::detail::join_needle_shape::threads);
  const std::int64_t size = 500;
  const std::int64_t matched = 300;
  const std::int64_t factor = 1000;
  const std::int64_t haystack = factor * matched; // more than co-resident blocks join in tiles of both inputs
  ASSERT_GT(haystack, mgpu::detail::max_tiles_cut_by_blocks * shape::items);
  const thrust::counting_iterator<std::int64_t> numbers(0);
  const auto left = thrust::make_transform_iterator(numbers, wide_key_of{1});
  const auto right = thrust::make_transform_iterator(numbers, wide_key_of{factor});
  thrust::device_vector<std::int32_t> x(size, -7);
  thrust::device_vector<std::int32_t> y(size, -7);
  const auto ends = mgpu::right_join(thrust::device, left, left + haystack, right, right + size, x.begin(), y.begin());
  ASSERT_EQ(ends.first - x.begin(), size);
  std::vector<std::int32_t> expected(size, -1);
  for (std::int64_t i = 0; i < matched; ++i)
  {
    expected[i] = static_cast<std::int32_t>(factor * i);
  }
  EXPECT_EQ(test::to_host(x), expected);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(test::to_host(y), expected);
}

/// A key that is too large for shared memory.
struct large_key
{
  std::int32_t number;
  std::int32_t rest[150];

  friend __host__ __device__ bool operator<(const large_key& x, const large_key& y)
  {
    return x.number < y.number;
  }
};

/// The keys of a table in which keys alternate between `first` copies and 4864 - `first` copies.
struct large_key_of
{
  std::int64_t first;

  __host__ __device__ large_key operator()(std::int64_t i) const
  {
    large_key key{};
    key.number = static_cast<std::int32_t>(i / 4864 * 2 + (i % 4864 < first ? 0 : 1));
    return key;
  }
};

/// The left or right element of a row of the join of large_key_of{48} and large_key_of{4816}.
struct element_of_large_row
{
  bool is_left;

  __host__ __device__ std::int64_t operator()(std::int64_t row) const
  {
    constexpr std::int64_t rows_of_key = 48 * 4816;
    const std::int64_t key = row / rows_of_key;
    const std::int64_t first = key / 2 * 4864 + (key % 2 == 0 ? 0 : is_left ? 48 : 4816);
    const std::int64_t right_copies = key % 2 == 0 ? 4816 : 48;
    const std::int64_t row_of_key = row % rows_of_key;
    return first + (is_left ? row_of_key / right_copies : row_of_key % right_copies);
  }
};

// More units than blocks, of keys that stay in global memory: a block writes units of tiles with many left elements
// and of tiles with many right elements, one after another.
TEST(DeviceJoin, ManyRowsOfLargeKeys)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const thrust::counting_iterator<std::int64_t> numbers(0);
  const auto left = thrust::make_transform_iterator(numbers, large_key_of{48});
  const auto right = thrust::make_transform_iterator(numbers, large_key_of{4816});
  const std::int64_t pairs = 300;
  const std::int64_t n = pairs * 4864;
  const std::int64_t size = pairs * 2 * 48 * 4816;
  const mgpu::join_plan plan(thrust::device, mgpu::full_join_t{}, left, left + n, right, right + n);
  ASSERT_EQ(plan.size(), size);
  test::index_check left_check;
  test::index_check right_check;
  plan.fill(left_check.output(element_of_large_row{true}), right_check.output(element_of_large_row{false}));
  EXPECT_EQ(left_check.wrong(), 0);
  EXPECT_EQ(right_check.wrong(), 0);
  EXPECT_EQ(left_check.sampled(), test::index_check::samples_of(size));
  EXPECT_EQ(right_check.sampled(), test::index_check::samples_of(size));
}

// Inputs that could have 2^64 rows, so the rows are counted first; there are five.
TEST(DeviceJoin, FewRowsOfSizesThatMayHaveTooMany)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = std::int64_t{1} << 32;
  const thrust::counting_iterator<std::int64_t> numbers(0);
  const auto left = numbers + 5;
  thrust::device_vector<std::int64_t> x(6, -7);
  thrust::device_vector<std::int64_t> y(6, -7);
  const auto check = [&]
  {
    EXPECT_EQ(test::to_host(x), (std::vector<std::int64_t>{n - 5, n - 4, n - 3, n - 2, n - 1, -7}));
    EXPECT_EQ(test::to_host(y), (std::vector<std::int64_t>{0, 1, 2, 3, 4, -7}));
    x.assign(6, -7);
    y.assign(6, -7);
  };
  const auto ends =
    mgpu::inner_join(thrust::device, left, left + n, numbers + n, numbers + 2 * n, x.begin(), y.begin());
  EXPECT_EQ(ends.first - x.begin(), 5);
  EXPECT_EQ(ends.second - y.begin(), 5);
  check();
  thrust::device_vector<std::int64_t> rows(1);
  test::call(
    [&](void* storage, std::size_t& bytes, cudaStream_t stream)
    {
      return join::Inner(
        storage, bytes, left, n, numbers + n, n, raw(x), raw(y), raw(rows), ::cuda::std::less<>{}, stream);
    });
  EXPECT_EQ(rows[0], 5);
  check();
}

struct to_first
{
  __host__ __device__ std::int64_t operator()(std::int64_t) const
  {
    return 0;
  }
};

// Left and right indices beyond 2^31, each with one match.
TEST(DeviceJoin, MoreElementsThan32BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = (std::int64_t{1} << 31) + 5;
  const thrust::counting_iterator<std::int64_t> numbers(0);
  test::index_check left_check;
  test::index_check right_check;
  mgpu::inner_join(
    thrust::device, numbers, numbers + n, numbers, numbers + n, left_check.output(left_of_row{0, 1}),
    right_check.output(left_of_row{0, 1}));
  EXPECT_EQ(left_check.wrong(), 0);
  EXPECT_EQ(right_check.wrong(), 0);
  EXPECT_EQ(left_check.sampled(), test::index_check::samples_of(n));
}

// One left element with 2^33 matches, and one right element with 2^33 matches.
TEST(DeviceJoin, OneElementWithMoreMatchesThan32BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = (std::int64_t{1} << 33) + 5;
  const thrust::constant_iterator<std::int32_t> keys(5);
  test::index_check one_check;
  test::index_check many_check;
  const auto check = [&]
  {
    EXPECT_EQ(one_check.wrong(), 0);
    EXPECT_EQ(many_check.wrong(), 0);
    EXPECT_EQ(many_check.sampled(), one_check.sampled());
  };
  mgpu::inner_join(
    thrust::device, keys, keys + 1, keys, keys + n, one_check.output(to_first{}), many_check.output(left_of_row{0, 1}));
  EXPECT_EQ(many_check.sampled(), test::index_check::samples_of(n));
  check();
  mgpu::inner_join(
    thrust::device, keys, keys + n, keys, keys + 1, many_check.output(left_of_row{0, 1}), one_check.output(to_first{}));
  check();
}

// 2^64 rows are too many: an error, and nothing is written.
TEST(DeviceJoin, MoreRowsThan64BitsCount)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = std::int64_t{1} << 32;
  const thrust::constant_iterator<std::int32_t> keys(5);
  test::index_check check;
  const auto out = check.output(to_first{});
  EXPECT_THROW(mgpu::inner_join(thrust::device, keys, keys + n, keys, keys + n, out, out), std::length_error);
  EXPECT_THROW(mgpu::full_join_size(thrust::device, keys, keys + n, keys, keys + n), std::length_error);
  EXPECT_EQ(check.sampled(), 0);
  EXPECT_EQ(check.wrong(), 0);
}

} // namespace
