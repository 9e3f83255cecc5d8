// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// DeviceLoadBalance and DeviceInterval: every function, called directly and captured into a graph; more than 2^32
// items, bad arguments, many streams.

#include "support/device_calls.h"
#include "support/index_check.h"
#include "support/segment_battery.h"
#include "support/streams.h"
#include "support/systems.h"

#include <mgpu_thrust/device/device_interval.cuh>
#include <mgpu_thrust/device/device_load_balance.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace
{

using balance = mgpu::DeviceLoadBalance;
using interval = mgpu::DeviceInterval;
using test::raw;

/// Executes or captures a call of one of the functions.
using two_phase_run = std::function<void(const test::two_phase_call&)>;

/// Device memory of a problem: the inputs and outputs of all functions.
struct device_problem
{
  test::segmentation in;
  test::interval_places to;
  thrust::device_vector<std::int32_t> offsets;
  thrust::device_vector<std::int64_t> values;
  thrust::device_vector<std::int64_t> gather;
  thrust::device_vector<std::int64_t> scatter;
  thrust::device_vector<std::int64_t> input;

  explicit device_problem(test::segmentation segments, std::uint64_t seed = 1)
      : in(std::move(segments))
      , to(test::shuffled_places(in, seed))
      , offsets(in.offsets_as<std::int32_t>())
      , values(test::make_elements<std::int64_t>(in.num_segments(), 1000000))
      , gather(in.offsets_as<std::int64_t>())
      , scatter(to.places)
      , input(test::make_elements<std::int64_t>(in.num_items + 1, 5000000))
  {
    // The source of interval s is its position if the intervals were in reverse order.
    std::vector<std::int64_t> from(in.offsets.size());
    for (std::int64_t s = 0; s < in.num_segments(); ++s)
    {
      from[s] = in.num_items - in.offsets[s] - in.size(s);
    }
    gather = from;
  }
};

/// Checks an output in item order: item i must be element(segment, i).
template <class Element>
void expect_items(const test::segmentation& in, const thrust::device_vector<std::int64_t>& out, const Element& element)
{
  const auto segments = in.segments();
  test::expect_elements<std::int64_t>(
    out, in.num_items, [&](std::int64_t item) { return element(segments[item], item); });
}

/// Checks an output at the intervals' positions: item i must be element(segment, i); gaps must be unwritten.
template <class Element>
void expect_places(
  const device_problem& problem, const thrust::device_vector<std::int64_t>& out, const Element& element)
{
  std::vector<std::int64_t> expected(problem.to.end, -7);
  const auto segments = problem.in.segments();
  for (std::int64_t item = 0; item < problem.in.num_items; ++item)
  {
    const std::int64_t segment = segments[item];
    expected[problem.to.places[segment] + item - problem.in.offsets[segment]] = element(segment, item);
  }
  test::expect_output(out, expected, problem.to.end);
}

/// Executes and checks all functions on a problem.
void check_all(const device_problem& problem, const two_phase_run& run)
{
  const test::segmentation& in = problem.in;
  const std::int64_t n = in.num_items;
  const std::int64_t m = in.num_segments();
  const std::int32_t* const offsets = raw(problem.offsets);
  const std::int64_t* const values = raw(problem.values);
  const std::int64_t* const gather = raw(problem.gather);
  const std::int64_t* const scatter = raw(problem.scatter);
  const std::int64_t* const input = raw(problem.input);
  thrust::device_vector<std::int64_t> out(n + 1);
  thrust::device_vector<std::int64_t> placed(problem.to.end + 1);
  const auto call = [&](const test::two_phase_call& function)
  {
    thrust::fill(out.begin(), out.end(), -7);
    thrust::fill(placed.begin(), placed.end(), -7);
    run(function);
  };
  const auto rank_of = [&](std::int64_t segment, std::int64_t item) { return item - in.offsets[segment]; };
  const auto source_of = [&](std::int64_t segment, std::int64_t item)
  { return n - in.offsets[segment] - in.size(segment) + rank_of(segment, item); };

  call([&](void* storage, std::size_t& bytes, cudaStream_t stream)
       { return balance::Search(storage, bytes, n, offsets, m, raw(out), stream); });
  expect_items(in, out, [](std::int64_t segment, std::int64_t) { return segment; });

  call([&](void* storage, std::size_t& bytes, cudaStream_t stream)
       { return balance::Transform(storage, bytes, n, offsets, m, raw(out), test::mix_item{}, stream); });
  expect_items(
    in, out,
    [&](std::int64_t segment, std::int64_t item) { return test::mix_item{}(item, segment, rank_of(segment, item)); });

  call([&](void* storage, std::size_t& bytes, cudaStream_t stream)
       { return balance::Transform(storage, bytes, n, offsets, m, values, raw(out), test::mix_item{}, stream); });
  expect_items(
    in, out,
    [&](std::int64_t segment, std::int64_t item)
    { return test::mix_item{}(item, segment, rank_of(segment, item), 1000000 + segment); });

  test::call_short([&](cudaStream_t stream)
                   { return balance::Transform(n, offsets, m, raw(out), test::mix_item{}, stream); });
  expect_items(
    in, out,
    [&](std::int64_t segment, std::int64_t item) { return test::mix_item{}(item, segment, rank_of(segment, item)); });
  test::call_short([&](cudaStream_t stream) { return interval::Expand(n, offsets, m, values, raw(out), stream); });
  expect_items(in, out, [](std::int64_t segment, std::int64_t) { return 1000000 + segment; });

  // The function is called once per item in each execution.
  for (const bool with_values : {false, true})
  {
    thrust::device_vector<std::int32_t> calls(n + 1, 0);
    thrust::device_vector<std::int64_t> ranks(n + 1, -7);
    thrust::device_vector<std::int64_t> seen_values(n + 1, -7);
    const test::note_item f{raw(calls), raw(out), raw(ranks), raw(seen_values)};
    int runs = 0;
    call(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        if (storage != nullptr)
        {
          cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
          cudaStreamIsCapturing(stream, &status);
          runs = status == cudaStreamCaptureStatusNone ? 1 : 2;
        }
        return with_values ? balance::ForEach(storage, bytes, n, offsets, m, values, f, stream)
                           : balance::ForEach(storage, bytes, n, offsets, m, f, stream);
      });
    auto expected_calls = std::vector<std::int32_t>(n, runs);
    expected_calls.push_back(0);
    ASSERT_EQ(test::to_host(calls), expected_calls);
    expect_items(in, out, [](std::int64_t segment, std::int64_t) { return segment; });
    expect_items(in, ranks, rank_of);
    expect_items(
      in, seen_values, [&](std::int64_t segment, std::int64_t) { return with_values ? 1000000 + segment : -7; });
  }

  call([&](void* storage, std::size_t& bytes, cudaStream_t stream)
       { return interval::Expand(storage, bytes, n, offsets, m, values, raw(out), stream); });
  expect_items(in, out, [](std::int64_t segment, std::int64_t) { return 1000000 + segment; });

  call([&](void* storage, std::size_t& bytes, cudaStream_t stream)
       { return interval::Gather(storage, bytes, n, offsets, m, gather, input, raw(out), stream); });
  expect_items(in, out, [&](std::int64_t segment, std::int64_t item) { return 5000000 + source_of(segment, item); });

  call([&](void* storage, std::size_t& bytes, cudaStream_t stream)
       { return interval::Scatter(storage, bytes, n, offsets, m, scatter, input, raw(placed), stream); });
  expect_places(problem, placed, [](std::int64_t, std::int64_t item) { return 5000000 + item; });

  call([&](void* storage, std::size_t& bytes, cudaStream_t stream)
       { return interval::Move(storage, bytes, n, offsets, m, gather, scatter, input, raw(placed), stream); });
  expect_places(
    problem, placed, [&](std::int64_t segment, std::int64_t item) { return 5000000 + source_of(segment, item); });
}

TEST(DeviceLoadBalance, EveryFunctionCalledAndCaptured)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const test::lengths kind : test::all_lengths)
  {
    for (const std::int64_t size : {0, 1, 4096, 5000, 100003})
    {
      SCOPED_TRACE(std::string(test::name_of(kind)) + ", " + std::to_string(size) + " items");
      const device_problem problem(test::make_segmentation(kind, size, 1));
      check_all(problem, test::call);
      ASSERT_FALSE(HasFatalFailure());
      check_all(problem, test::capture);
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

// A graph keeps addresses and sizes; offsets and values may change between launches.
TEST(DeviceLoadBalance, GraphOfDataThatChange)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = 50021;
  const auto before = test::make_segmentation(test::lengths::mean_64, n, 1);
  const std::int64_t m = before.num_segments();
  test::segmentation after; // the same number of segments, most of them empty or of one item
  for (std::int64_t s = 0; s + 1 < m; ++s)
  {
    after.add(s % 3 == 0);
  }
  after.add(n - after.num_items);
  thrust::device_vector<std::int32_t> offsets(before.offsets_as<std::int32_t>());
  thrust::device_vector<std::int64_t> values(test::make_elements<std::int64_t>(m, 1000000));
  thrust::device_vector<std::int64_t> found(n + 1, -7);
  thrust::device_vector<std::int64_t> expanded(n + 1, -7);
  const auto expect = [&](const test::segmentation& in, std::int64_t first_value)
  {
    expect_items(in, found, [](std::int64_t segment, std::int64_t) { return segment; });
    expect_items(in, expanded, [&](std::int64_t segment, std::int64_t) { return first_value + segment; });
  };
  test::capture_and_change(
    [&](void* storage, std::size_t& bytes, cudaStream_t stream)
    {
      // Both calls use the same storage, one after the other.
      const cudaError_t error = balance::Search(storage, bytes, n, raw(offsets), m, raw(found), stream);
      return error != cudaSuccess
               ? error
               : interval::Expand(storage, bytes, n, raw(offsets), m, raw(values), raw(expanded), stream);
    },
    [&]
    {
      expect(before, 1000000);
      thrust::fill(found.begin(), found.end(), -7);
      thrust::fill(expanded.begin(), expanded.end(), -7);
      offsets = after.offsets_as<std::int32_t>();
      values = test::make_elements<std::int64_t>(m, 2000000);
    });
  expect(after, 2000000);
}

struct half_of
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t x) const
  {
    return x / 2;
  }
};

// Inputs other than pointers to 4 or 8 bytes: iterators of device vectors, computing and zipped ones, 1-byte offsets.
TEST(DeviceLoadBalance, Iterators)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto in = test::make_segmentation(test::lengths::mean_4, 20011, 1);
  const std::int64_t n = in.num_items;
  const std::int64_t m = in.num_segments();
  std::vector<std::int64_t> doubled = in.offsets;
  for (std::int64_t& offset : doubled)
  {
    offset *= 2;
  }
  const thrust::device_vector<std::int64_t> device_doubled(doubled);
  const auto offsets = thrust::make_transform_iterator(device_doubled.begin(), half_of{});
  const thrust::counting_iterator<std::int64_t> numbers(0);
  thrust::device_vector<std::int64_t> out(n + 1, -7);
  thrust::device_vector<std::int64_t> second(n + 1, -7);

  test::call([&](void* storage, std::size_t& bytes, cudaStream_t stream)
             { return balance::Search(storage, bytes, n, offsets, m, out.begin(), stream); });
  expect_items(in, out, [](std::int64_t segment, std::int64_t) { return segment; });

  test::call(
    [&](void* storage, std::size_t& bytes, cudaStream_t stream)
    {
      return interval::Expand(
        storage, bytes, n, offsets, m, thrust::make_zip_iterator(numbers, numbers + 10),
        thrust::make_zip_iterator(out.begin(), second.begin()), stream);
    });
  expect_items(in, out, [](std::int64_t segment, std::int64_t) { return segment; });
  expect_items(in, second, [](std::int64_t segment, std::int64_t) { return segment + 10; });

  thrust::fill(out.begin(), out.end(), -7);
  test::call([&](void* storage, std::size_t& bytes, cudaStream_t stream)
             { return interval::Move(storage, bytes, n, offsets, m, offsets, offsets, numbers, out.begin(), stream); });
  expect_items(in, out, [](std::int64_t, std::int64_t item) { return item; });

  test::segmentation bytes_in; // the last segment is longer than the offset type can express
  for (const std::int64_t size : {0, 100, 0, 27, 1, 10000})
  {
    bytes_in.add(size);
  }
  const thrust::device_vector<std::uint8_t> byte_offsets(bytes_in.offsets_as<std::uint8_t>());
  thrust::device_vector<std::int64_t> mixed(bytes_in.num_items + 1, -7);
  test::call(
    [&](void* storage, std::size_t& bytes, cudaStream_t stream)
    {
      return balance::Transform(
        storage, bytes, bytes_in.num_items, byte_offsets.begin(), bytes_in.num_segments(), mixed.begin(),
        test::mix_item{}, stream);
    });
  expect_items(
    bytes_in, mixed,
    [&](std::int64_t segment, std::int64_t item)
    { return test::mix_item{}(item, segment, item - bytes_in.offsets[segment]); });
}

TEST(DeviceLoadBalance, BadArgumentsWriteNothing)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  thrust::device_vector<int> zeros(200, 0);
  thrust::device_vector<std::int8_t> out(200, -5);
  std::size_t bytes = 0;
  ASSERT_EQ(balance::Search(nullptr, bytes, 200, raw(zeros), 10, raw(out)), cudaSuccess);
  thrust::device_vector<char> storage(bytes);
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  const auto bad = [&](const char* what, std::size_t storage_bytes, std::int64_t n, std::int64_t m)
  {
    SCOPED_TRACE(what);
    void* const s = raw(storage);
    const int* const a = raw(zeros);
    std::int8_t* const result = raw(out);
    const test::mix_item f{};
    const auto error = cudaErrorInvalidValue;
    EXPECT_EQ(balance::Search(s, storage_bytes, n, a, m, result), error);
    EXPECT_EQ(balance::ForEach(s, storage_bytes, n, a, m, f), error);
    EXPECT_EQ(balance::ForEach(s, storage_bytes, n, a, m, a, f), error);
    EXPECT_EQ(balance::Transform(s, storage_bytes, n, a, m, result, f), error);
    EXPECT_EQ(balance::Transform(s, storage_bytes, n, a, m, a, result, f), error);
    EXPECT_EQ(interval::Expand(s, storage_bytes, n, a, m, a, result), error);
    EXPECT_EQ(interval::Gather(s, storage_bytes, n, a, m, a, a, result), error);
    EXPECT_EQ(interval::Scatter(s, storage_bytes, n, a, m, a, a, result), error);
    EXPECT_EQ(interval::Move(s, storage_bytes, n, a, m, a, a, a, result), error);
  };
  bad("negative items", bytes, -1, 10);
  bad("negative segments", bytes, 10, -1);
  bad("neither", bytes, 0, -1);
  bad("no segments", bytes, 10, 0);
  bad("too many items", bytes, huge, 10);
  bad("too little storage", bytes - 1, 200, 10);
  EXPECT_EQ(balance::Search(raw(storage), bytes, 200, raw(zeros), 129, raw(out)), cudaErrorInvalidValue);
  EXPECT_EQ(balance::Search(nullptr, bytes, 200, raw(zeros), 129, raw(out)), cudaErrorInvalidValue);
  EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(200, -5));
  EXPECT_EQ(balance::Search(raw(storage), bytes, 200, raw(zeros), 128, raw(out)), cudaSuccess);
  EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(200, 127)); // all segments but the last are empty
  // Without items nothing is written, whatever the number of segments.
  EXPECT_EQ(balance::Search(raw(storage), bytes, 0, raw(zeros), 200, raw(out)), cudaSuccess);
  EXPECT_EQ(balance::Search(raw(storage), bytes, 0, raw(zeros), 0, raw(out)), cudaSuccess);
  EXPECT_EQ(interval::Expand(raw(storage), bytes, 0, raw(zeros), 0, raw(zeros), raw(out)), cudaSuccess);
  EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(200, 127));
}

/// A stream as other libraries wrap it: an object of a class, but not a function object.
struct stream_view
{
  cudaStream_t stream;

  operator cudaStream_t() const
  {
    return stream;
  }
};

TEST(DeviceLoadBalance, ObjectsThatStandForAStream)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto in = test::make_segmentation(test::lengths::mean_4, 5000, 1);
  const std::int64_t n = in.num_items;
  const std::int64_t m = in.num_segments();
  const thrust::device_vector<std::int32_t> offsets(in.offsets_as<std::int32_t>());
  const thrust::device_vector<std::int64_t> values(m, 5);
  thrust::device_vector<std::int64_t> out(n + 1, -7);
  const auto rank_of = [&](std::int64_t segment, std::int64_t item) { return item - in.offsets[segment]; };
  test::call(
    [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
      return balance::Transform(storage, bytes, n, raw(offsets), m, raw(out), test::mix_item{}, stream_view{stream});
    });
  expect_items(
    in, out,
    [&](std::int64_t segment, std::int64_t item) { return test::mix_item{}(item, segment, rank_of(segment, item)); });
  test::call(
    [&](void* storage, std::size_t& bytes, cudaStream_t stream)
    {
      return balance::Transform(
        storage, bytes, n, raw(offsets), m, raw(values), raw(out), test::mix_item{}, stream_view{stream});
    });
  expect_items(
    in, out,
    [&](std::int64_t segment, std::int64_t item)
    { return test::mix_item{}(item, segment, rank_of(segment, item), 5); });
  thrust::device_vector<std::int32_t> calls(n, 0);
  thrust::device_vector<std::int64_t> ranks(n + 1, -7);
  const test::note_item f{raw(calls), raw(out), raw(ranks), nullptr};
  test::call([&](void* storage, std::size_t& bytes, cudaStream_t stream)
             { return balance::ForEach(storage, bytes, n, raw(offsets), m, f, stream_view{stream}); });
  EXPECT_EQ(test::to_host(calls), std::vector<std::int32_t>(n, 1));
  expect_items(in, ranks, rank_of);
}

TEST(DeviceLoadBalance, StorageOfAnyAlignment)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const thrust::counting_iterator<int> numbers(0);
  thrust::device_vector<int> out(50000);
  std::size_t bytes = 0;
  const auto run = [&](void* storage) { return balance::Search(storage, bytes, 50000, numbers, 50000, out.begin()); };
  ASSERT_EQ(run(nullptr), cudaSuccess);
  thrust::device_vector<char> storage(bytes + 1);
  ASSERT_EQ(run(raw(storage) + 1), cudaSuccess);
  EXPECT_EQ(test::to_host(out), test::make_elements<int>(50000, 0));
}

// ---- Past 2^31 and 2^32: items are not stored, each is checked as it is produced ----

/// f(i) = i / divisor * factor + first.
struct in_steps
{
  std::int64_t divisor;
  std::int64_t factor;
  std::int64_t first = 0;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t i) const
  {
    return i / divisor * factor + first;
  }
};
/// f(i) = i % divisor.
struct remainder_of
{
  std::int64_t divisor;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t i) const
  {
    return i % divisor;
  }
};
/// Segment s starts at length * ceil(s / stride): every stride-th segment has `length` items, the others none.
struct sparse_start
{
  std::int64_t length;
  std::int64_t stride;

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t segment) const
  {
    return (segment + stride - 1) / stride * length;
  }
};

template <class Function>
auto computed(Function f)
{
  return thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), f);
}

/// Writes a call's segment and rank to outputs that check them.
template <class Segments, class Ranks>
struct check_item
{
  Segments segments;
  Ranks ranks;

  __device__ void operator()(std::int64_t item, std::int64_t segment, std::int64_t rank)
  {
    *(segments + item) = segment;
    *(ranks + item) = rank;
  }
};

/// Returns an item's rank.
struct get_rank
{
  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t, std::int64_t, std::int64_t rank) const
  {
    return rank;
  }
};

void expect_all_right(const test::index_check& check, std::int64_t size)
{
  EXPECT_EQ(check.wrong(), 0);
  EXPECT_EQ(check.sampled(), check.samples_of(size));
}

/// Checks search, for_each and transform on segments of which every stride-th has `length` items.
template <class Offsets>
void check_large(std::int64_t n, Offsets offsets, std::int64_t m, std::int64_t length, std::int64_t stride)
{
  const in_steps segment_of{length, stride};
  const remainder_of rank_of{length};
  {
    SCOPED_TRACE("search");
    test::index_check segments;
    test::call([&](void* storage, std::size_t& bytes, cudaStream_t stream)
               { return balance::Search(storage, bytes, n, offsets, m, segments.output(segment_of), stream); });
    expect_all_right(segments, n);
  }
  {
    SCOPED_TRACE("for each");
    test::index_check segments;
    test::index_check ranks;
    const auto segments_out = segments.output(segment_of);
    const auto ranks_out = ranks.output(rank_of);
    const check_item<decltype(segments_out), decltype(ranks_out)> f{segments_out, ranks_out};
    test::call([&](void* storage, std::size_t& bytes, cudaStream_t stream)
               { return balance::ForEach(storage, bytes, n, offsets, m, f, stream); });
    expect_all_right(segments, n);
    expect_all_right(ranks, n);
  }
  {
    SCOPED_TRACE("transform");
    test::index_check ranks;
    test::call(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      { return balance::Transform(storage, bytes, n, offsets, m, ranks.output(rank_of), get_rank{}, stream); });
    expect_all_right(ranks, n);
  }
}

constexpr std::int64_t past_31_bits = (std::int64_t{1} << 31) + 5;
constexpr std::int64_t past_32_bits = (std::int64_t{1} << 32) + 5;

TEST(DeviceLoadBalance, OneSegmentOfMoreThan31Bits)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const auto zeros = computed(in_steps{past_32_bits, 1});
  check_large(past_31_bits, zeros, 1, past_31_bits, 1);
  check_large(past_32_bits, zeros, 1, past_32_bits, 1);
}

// The segment's start fits 32 bits, the ranks of its items do not.
TEST(DeviceLoadBalance, OneSegmentOfMoreThan32BitsFromAnOffsetOf32)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const thrust::device_vector<std::int32_t> zero(1, 0);
  check_large(past_32_bits, raw(zero), 1, past_32_bits, 1);
}

TEST(DeviceLoadBalance, MoreThan31BitsOfItemsInSegmentsOf1000)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t m = past_31_bits / 1000 + 1; // the last one is shorter
  check_large(past_31_bits, computed(in_steps{1, 1000}), m, 1000, 1);
}

TEST(DeviceLoadBalance, MoreThan31BitsOfSegmentsOfOneItem)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_large(past_31_bits, thrust::counting_iterator<std::int64_t>(0), past_31_bits, 1, 1);
}

// Every 1000th segment has items: 1000 items, so that a tile has some such segments, or 3, so that it has more segments
// than it can number.
TEST(DeviceLoadBalance, MoreThan31BitsOfSegmentsMostOfThemEmpty)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t length : {1000, 3})
  {
    SCOPED_TRACE(std::to_string(length) + " items");
    const sparse_start start{length, 1000};
    check_large(start(past_31_bits), computed(start), past_31_bits, length, 1000);
  }
}

TEST(DeviceInterval, ExpandWithUnsignedOffsetsPast31Bits)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  constexpr std::int64_t length = 1 << 20;
  const std::int64_t m = (1 << 11) + 3;
  std::vector<std::uint32_t> host_offsets;
  for (std::int64_t s = 0; s < m; ++s)
  {
    host_offsets.push_back(static_cast<std::uint32_t>(s * length));
  }
  ASSERT_GT(host_offsets.back(), std::uint32_t{1} << 31);
  const thrust::device_vector<std::uint32_t> offsets(host_offsets);
  const auto values = computed(in_steps{1, 7, past_32_bits});
  const std::int64_t n = m * length - 11;
  test::index_check elements;
  test::call(
    [&](void* storage, std::size_t& bytes, cudaStream_t stream)
    {
      return interval::Expand(
        storage, bytes, n, raw(offsets), m, values, elements.output(in_steps{length, 7, past_32_bits}), stream);
    });
  expect_all_right(elements, n);
  check_large(n, raw(offsets), m, length, 1); // checks the ranks too
}

/// Element i of the output of copies between positions at regular distances.
struct moved
{
  std::int64_t first; ///< position of the first interval in the output
  std::int64_t gap;   ///< distance of consecutive intervals in the output
  std::int64_t from;  ///< source position of the first interval
  std::int64_t step;  ///< distance of consecutive sources

  MGPU_THRUST_HOST_DEVICE std::int64_t operator()(std::int64_t i) const
  {
    return from + (i - first) / gap * step + (i - first) % gap;
  }
};

// Intervals of 1000 elements; element i of the input is i. Sources are 7000 apart, destinations 2000.
TEST(DeviceInterval, CopiesFromAndToPlacesPast32Bits)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t n = 1000003;
  const std::int64_t m = n / 1000 + 1;
  const auto offsets = computed(in_steps{1, 1000});
  const thrust::counting_iterator<std::int64_t> input(0);
  const auto gather = computed(in_steps{1, 7000, past_32_bits});
  const auto scatter = computed(in_steps{1, 2000, past_32_bits});
  {
    SCOPED_TRACE("gather");
    test::index_check elements;
    test::call(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return interval::Gather(
          storage, bytes, n, offsets, m, gather, input, elements.output(moved{0, 1000, past_32_bits, 7000}), stream);
      });
    expect_all_right(elements, n);
  }
  std::int64_t samples = 0; // of the destinations
  for (std::int64_t item = 0; item < n; ++item)
  {
    samples += (past_32_bits + item / 1000 * 2000 + item % 1000) % test::index_check::sample == 0;
  }
  {
    SCOPED_TRACE("scatter");
    test::index_check elements;
    test::call(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return interval::Scatter(
          storage, bytes, n, offsets, m, scatter, input, elements.output(moved{past_32_bits, 2000, 0, 1000}), stream);
      });
    EXPECT_EQ(elements.wrong(), 0);
    EXPECT_EQ(elements.sampled(), samples);
  }
  {
    SCOPED_TRACE("move");
    test::index_check elements;
    test::call(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return interval::Move(
          storage, bytes, n, offsets, m, gather, scatter, input,
          elements.output(moved{past_32_bits, 2000, past_32_bits, 7000}), stream);
      });
    EXPECT_EQ(elements.wrong(), 0);
    EXPECT_EQ(elements.sampled(), samples);
  }
  {
    SCOPED_TRACE("one interval");
    test::index_check elements;
    const auto source = computed(in_steps{1, 1, past_32_bits});
    const auto zero = computed(in_steps{1, 1});
    test::call(
      [&](void* storage, std::size_t& bytes, cudaStream_t stream)
      {
        return interval::Gather(
          storage, bytes, past_32_bits, zero, 1, source, input, elements.output(in_steps{1, 1, past_32_bits}), stream);
      });
    expect_all_right(elements, past_32_bits);
  }
}

// ---- Streams ----

TEST(DeviceLoadBalance, ManyHostThreadsAndStreams)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_on_many_streams(
    [](int t, cudaStream_t stream)
    {
      int wrong = 0;
      const std::int64_t length = 5 + t;
      const std::int64_t n = 700000 + 7 * t;
      const std::int64_t m = (n + length - 1) / length;
      const auto offsets = computed(in_steps{1, length});
      thrust::device_vector<std::int64_t> segments(n);
      thrust::device_vector<std::int64_t> values(n);
      cudaDeviceSynchronize(); // the stream does not wait for the vectors to be filled
      std::size_t bytes = 0;
      const auto run = [&](void* storage)
      {
        const cudaError_t error = balance::Search(storage, bytes, n, offsets, m, raw(segments), stream);
        return error != cudaSuccess
                 ? error
                 : interval::Expand(storage, bytes, n, offsets, m, computed(in_steps{1, 3}), raw(values), stream);
      };
      wrong += run(nullptr) != cudaSuccess;
      thrust::device_vector<char> storage(bytes);
      for (int repeat = 0; repeat < 20; ++repeat) // queued one after another, with the same storage
      {
        wrong += run(raw(storage)) != cudaSuccess;
      }
      wrong += cudaStreamSynchronize(stream) != cudaSuccess;
      const auto got_segments = test::to_host(segments);
      const auto got_values = test::to_host(values);
      for (std::int64_t i = 0; i < n; ++i)
      {
        wrong += got_segments[i] != i / length || got_values[i] != i / length * 3;
      }
      return wrong;
    });
}

TEST(DeviceLoadBalance, NothingWaitsUnderNosync)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_nothing_waits(
    [](cudaStream_t stream)
    {
      const thrust::counting_iterator<std::int64_t> numbers(0);
      const auto policy = thrust::cuda::par_nosync.on(stream);
      mgpu::load_balancing_search(policy, 100000, numbers, numbers + 100000, thrust::make_discard_iterator());
      mgpu::interval_expand(policy, 100000, numbers, numbers + 100000, numbers, thrust::make_discard_iterator());
    });
}

} // namespace
