// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Bulk removal and insertion: small inputs exhaustively, every cut of their path, the ends of tiles and pieces,
// policies, and a fuzz. Types are tested in test_bulk_types.

#include "support/bulk_battery.h"
#include "support/fuzz.h"
#include "support/policy_battery.h"
#include "support/systems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace
{

using test::ints;

/// Calls f(indices) for all subsets of 0, 1, ..., size - 1.
template <class Function>
void for_each_subset(std::int64_t size, Function f)
{
  for (std::int64_t subset = 0; subset < std::int64_t{1} << size; ++subset)
  {
    ints indices;
    for (std::int32_t i = 0; i < size; ++i)
    {
      if (subset >> i & 1)
      {
        indices.push_back(i);
      }
    }
    f(indices);
  }
}

/// Calls f(positions) for all ascending lists of `count` numbers from `first` to `last`, with repetitions.
template <class Function>
void for_each_multiset(std::int32_t first, std::int32_t last, std::int64_t count, ints& positions, Function f)
{
  if (count == 0)
  {
    f(positions);
    return;
  }
  for (std::int32_t position = first; position <= last; ++position)
  {
    positions.push_back(position);
    for_each_multiset(position, last, count - 1, positions, f);
    positions.pop_back();
  }
}

TEST(Bulk, AllRemovalsFromSmallInputs)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (std::int64_t size = 0; size <= 10; ++size)
  {
    for_each_subset(
      size,
      [&](const ints& indices)
      {
        test::for_each_policy([&](const auto& policy)
                              { test::check_bulk_remove<std::int32_t>(policy, size, indices); });
        ASSERT_FALSE(HasFatalFailure()) << size << " " << testing::PrintToString(indices);
      });
  }
}

TEST(Bulk, AllInsertionsIntoSmallInputs)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (std::int32_t size = 0; size <= 4; ++size)
  {
    for (std::int64_t count = 0; count <= 5; ++count)
    {
      ints positions;
      for_each_multiset(
        0, size, count, positions,
        [&](const ints& chosen)
        {
          test::for_each_policy([&](const auto& policy)
                                { test::check_bulk_insert<std::int32_t>(policy, size, chosen); });
          ASSERT_FALSE(HasFatalFailure()) << size << " " << testing::PrintToString(chosen);
        });
    }
  }
}

#if !defined(__CUDACC__)

/// Executes all parts of an edit's path between diagonals `step` apart, the last first, and compares the output.
template <class Edit>
void check_all_parts(const Edit& edit, std::int64_t step, const ints& expected)
{
  ASSERT_EQ(edit.output_size(), static_cast<std::int64_t>(expected.size()));
  const std::int64_t total = edit.path.a_count + edit.path.b_count;
  const auto cut = [&](std::int64_t diagonal)
  {
    return mgpu::merge_path(
      edit.path.a, edit.path.a_count, edit.path.b, edit.path.b_count, diagonal, mgpu::detail::index_less{});
  };
  ints out(expected.size(), -7);
  for (std::int64_t begin = total / step * step; begin >= 0; begin -= step)
  {
    const std::int64_t end = std::min(begin + step, total);
    const std::int64_t a = cut(begin);
    const std::int64_t a_end = cut(end);
    const auto part = edit.path.piece(a, begin - a, a_end, end - a_end, step);
    const std::int64_t offset = edit.output_offset(a, begin - a);
    const auto part_end = edit.write(part, a, begin - a, out.begin() + offset);
    ASSERT_EQ(part_end - out.begin(), edit.output_offset(a_end, end - a_end)) << begin << " by " << step;
  }
  ASSERT_EQ(out, expected);
}

TEST(Bulk, EveryCutOfThePath)
{
  for (std::int64_t size = 0; size <= 7; ++size)
  {
    const auto input = test::make_elements<std::int32_t>(size, 0);
    for_each_subset(
      size,
      [&](const ints& indices)
      {
        const auto path = mgpu::detail::bulk_path(indices.begin(), indices.size(), size);
        const mgpu::detail::bulk_removal edit{path, input.begin()};
        for (std::int64_t step = 1; step <= 15; ++step)
        {
          check_all_parts(edit, step, test::expected_removal<std::int32_t>(size, indices));
          ASSERT_FALSE(HasFatalFailure()) << size << " " << testing::PrintToString(indices);
        }
      });
    for (std::int64_t count = 0; count <= 4; ++count)
    {
      const auto values = test::make_elements<std::int32_t>(count, test::first_value);
      ints positions;
      for_each_multiset(
        0, static_cast<std::int32_t>(size), count, positions,
        [&](const ints& chosen)
        {
          const auto path = mgpu::detail::bulk_path(chosen.begin(), chosen.size(), size);
          const mgpu::detail::bulk_insertion edit{path, input.begin(), values.begin()};
          for (std::int64_t step = 1; step <= 12; ++step)
          {
            check_all_parts(edit, step, test::expected_insertion<std::int32_t>(size, chosen));
            ASSERT_FALSE(HasFatalFailure()) << size << " " << testing::PrintToString(chosen);
          }
        });
    }
  }
}

// Whatever the indices, nothing outside the output is written and nothing outside the input is read.
TEST(Bulk, WrongIndicesStayWithinBounds)
{
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 2000; ++repeat)
  {
    const std::int64_t size = random() % 40;
    std::vector<std::int64_t> indices(random() % (size + 1));
    for (std::int64_t& index : indices)
    {
      index = static_cast<std::int64_t>(random() % (size + 5)) - 2;
    }
    const auto input = test::make_elements<std::int32_t>(size, 0);
    const auto values = test::make_elements<std::int32_t>(indices.size(), test::first_value);
    test::for_each_policy(
      [&](const auto& policy)
      {
        // Outputs of exactly the required size, so that a sanitizer detects writes outside them.
        std::vector<std::int32_t> kept(size - indices.size());
        std::vector<std::int32_t> all(size + indices.size());
        mgpu::bulk_remove(policy, input.begin(), input.end(), indices.begin(), indices.end(), kept.begin());
        mgpu::bulk_insert(
          policy, input.begin(), input.end(), values.begin(), indices.begin(), indices.end(), all.begin());
      });
  }
}

#endif

#if defined(__CUDACC__)
constexpr std::int64_t largest_piece = decltype(mgpu::detail::choose_bulk_shape<sizeof(std::int32_t)>())::items;
constexpr std::int64_t many_pieces = 33; // more than a warp has lanes
#else
constexpr std::int64_t largest_piece = mgpu::detail::cpu_piece_elements;
constexpr std::int64_t many_pieces = 9; // several for each worker
#endif

// Stretches of removed elements that begin and end around the cuts of the path.
TEST(Bulk, RunsAtTheEndsOfPieces)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t piece : {std::int64_t{512}, std::int64_t{1024}, std::int64_t{2048}, largest_piece})
  {
    const std::int64_t size = 2 * piece + 37;
    for (std::int64_t begin = piece - 3; begin <= piece + 1; ++begin)
    {
      for (const std::int64_t run : {1, 2, 3, 31, 32, 33, 1000})
      {
        SCOPED_TRACE(std::to_string(begin) + "+" + std::to_string(run) + " of " + std::to_string(size));
        test::check_bulk<std::int32_t>(size, test::every_index<std::int32_t>(begin, std::min(begin + run, size), 1));
        ASSERT_FALSE(HasFatalFailure());
      }
    }
  }
}

// Pieces removed entirely or not at all, and removed elements that are the first or last of a piece: with few indices,
// and with so many that a GPU searches all of them before it removes.
TEST(Bulk, WholePieces)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t pieces : {std::int64_t{3}, many_pieces})
  {
    const std::int64_t size = pieces * largest_piece + 5;
    for (const std::int64_t first : {0, 1})
    {
      for (const std::int64_t off : {-1, 0, 1})
      {
        // Every second piece, shifted by `off`; and the same without its first and last element.
        ints runs, shorter_runs;
        for (std::int64_t begin = first * largest_piece + off; begin < size; begin += 2 * largest_piece)
        {
          const std::int64_t end = std::min(begin + largest_piece, size);
          for (std::int64_t i = std::max<std::int64_t>(begin, 0); i < end; ++i)
          {
            runs.push_back(static_cast<std::int32_t>(i));
            if (i != begin && i != end - 1)
            {
              shorter_runs.push_back(static_cast<std::int32_t>(i));
            }
          }
        }
        SCOPED_TRACE(std::to_string(pieces) + " pieces, from " + std::to_string(first) + ", " + std::to_string(off));
        test::check_bulk<std::int32_t>(size, runs);
        test::check_bulk<std::int32_t>(size, shorter_runs);
        ASSERT_FALSE(HasFatalFailure());
      }
    }
    for (const std::int64_t begin : {std::int64_t{0}, largest_piece - 1})
    {
      test::check_bulk<std::int32_t>(size, test::every_index<std::int32_t>(begin, size, largest_piece));
    }
    test::check_bulk<std::int32_t>(size, test::every_index<std::int32_t>(0, size, largest_piece - 1));
    test::check_bulk<std::int32_t>(size, ints{});
  }
}

TEST(Bulk, SizesAroundThoseOfPieces)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  for (const std::int64_t total : {largest_piece / 4, largest_piece / 2, largest_piece, 3 * largest_piece})
  {
    for (std::int64_t more = -2; more <= 2; ++more)
    {
      for (const std::int64_t step : {1, 2, 3, 100})
      {
        // total + more elements, or elements and indices together.
        for (const std::int64_t size : {total + more, (total + more) * step / (step + 1)})
        {
          SCOPED_TRACE(std::to_string(size) + ", every " + std::to_string(step));
          for (std::int64_t begin = 0; begin < std::min<std::int64_t>(step, 3); ++begin)
          {
            test::check_bulk<std::int32_t>(size, test::every_index<std::int32_t>(begin, size, step));
            ASSERT_FALSE(HasFatalFailure());
          }
        }
      }
    }
  }
}

TEST(Bulk, SkewedSizes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t size = (std::int64_t{1} << 20) + 3;
  for (const ints& indices :
       {ints{}, ints{0}, ints{static_cast<std::int32_t>(size - 1)}, ints{1, 500000, 500001, 1000000}})
  {
    test::check_bulk<std::int32_t>(size, indices);
  }
  test::check_bulk<std::int32_t>(size, test::every_index<std::int32_t>(0, size, 1)); // all removed
  test::check_bulk<std::int32_t>(size, test::every_index<std::int32_t>(1, size, 1)); // all but the first
  test::check_bulk<std::int32_t>(size, test::every_index<std::int32_t>(0, size - 1, 1));
  test::check_bulk<std::int32_t>(size, test::every_index<std::int32_t>(size / 3, 2 * size / 3, 1));
  test::for_each_policy(
    [&](const auto& policy)
    {
      // Many values inserted into few elements, and all at one position.
      for (const std::int64_t elements : {0, 1, 2, 1000, 70000})
      {
        SCOPED_TRACE(elements);
        for (const std::int64_t position : {std::int64_t{0}, elements / 2, elements})
        {
          test::check_bulk_insert<std::int32_t>(policy, elements, ints(100003, static_cast<std::int32_t>(position)));
        }
      }
    });
}

#if defined(__CUDACC__)

// On both sides of the number of tiles up to which blocks cut them.
TEST(Bulk, InsertionsCutByBlocksOrBefore)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using shape = decltype(mgpu::detail::choose_bulk_shape<sizeof(std::int32_t)>());
  for (const std::int64_t more : {-1, 0, 1, shape::items})
  {
    const std::int64_t total = mgpu::detail::max_tiles_cut_by_blocks * shape::items + more;
    const std::int64_t values = total / 3;
    const auto positions = test::every_index<std::int32_t>(1, 2 * values, 2);
    ASSERT_EQ(static_cast<std::int64_t>(positions.size()), values);
    SCOPED_TRACE(more);
    test::for_each_policy([&](const auto& policy)
                          { test::check_bulk_insert<std::int32_t>(policy, total - values, positions); });
  }
}

#endif

TEST(BulkFuzz, RandomSizesAndDensities)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    100,
    [](std::mt19937_64& random)
    {
      const auto size = static_cast<std::int64_t>(random() % (std::uint64_t{2} << random() % 17));
      const double probability = std::pow(static_cast<double>(random() % 1001) / 1000, 3);
      // Dense in some stretches, empty in another.
      auto indices = test::random_indices<std::int64_t>(size, probability, random());
      const std::int64_t gap = size == 0 ? 0 : static_cast<std::int64_t>(random() % size);
      const std::int64_t gap_end = gap + static_cast<std::int64_t>(random() % (size / 2 + 1));
      indices.erase(
        std::remove_if(indices.begin(), indices.end(), [&](std::int64_t i) { return gap <= i && i < gap_end; }),
        indices.end());
      // Positions that may repeat or equal the size.
      std::vector<std::int64_t> positions(random() % (std::uint64_t{2} << random() % 17));
      for (std::int64_t& position : positions)
      {
        position = static_cast<std::int64_t>(random() % (size + 1));
      }
      std::sort(positions.begin(), positions.end());
      test::check_bulk<std::int32_t>(size, indices);
      test::for_each_policy([&](const auto& policy)
                            { test::check_bulk_insert<std::int32_t>(policy, size, positions); });
    });
}

/// A removal of some of the input's numbers.
struct bulk_remove_call : test::policy_call
{
  static constexpr bool synchronises = false;
  static constexpr auto allocates_on_cpu = test::cpu_storage::never;

  explicit bulk_remove_call(std::int64_t size)
  {
    inputs = {test::make_elements<std::int32_t>(size, 0), test::random_indices<std::int32_t>(size, 0.5, 1)};
    expected = test::expected_removal<std::int32_t>(size, inputs[1]);
    result = static_cast<std::int64_t>(expected.size());
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::bulk_remove(policy, in.first[0], in.last[0], in.first[1], in.last[1], out) - out;
  }
};

/// An insertion of numbers among those of the input.
struct bulk_insert_call : bulk_remove_call
{
  static constexpr std::int64_t size_with_storage = test::size_of_many_tiles;

  explicit bulk_insert_call(std::int64_t size)
      : bulk_remove_call(size)
  {
    expected = test::expected_insertion<std::int32_t>(size, inputs[1]);
    result = static_cast<std::int64_t>(expected.size());
    inputs.push_back(test::make_elements<std::int32_t>(size, test::first_value));
  }
  template <class Policy>
  MGPU_THRUST_HOST_DEVICE static std::int64_t run(const Policy& policy, const test::call_inputs& in, std::int32_t* out)
  {
    return mgpu::bulk_insert(policy, in.first[0], in.last[0], in.first[2], in.first[1], in.last[1], out) - out;
  }
};

// Without a policy argument, the policy of the iterators' system is used.
TEST(Bulk, WithoutPolicy)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const bulk_insert_call insert(30000);
  const auto input = thrust::device_vector<std::int32_t>(insert.inputs[0]);
  const auto indices = thrust::device_vector<std::int32_t>(insert.inputs[1]);
  const auto values = thrust::device_vector<std::int32_t>(insert.inputs[2]);
  thrust::device_vector<std::int32_t> all(insert.expected.size());
  mgpu::bulk_insert(input.begin(), input.end(), values.begin(), indices.begin(), indices.end(), all.begin());
  EXPECT_EQ(test::to_host(all), insert.expected);
  const bulk_remove_call remove(30000);
  thrust::device_vector<std::int32_t> kept(remove.expected.size());
  mgpu::bulk_remove(input.begin(), input.end(), indices.begin(), indices.end(), kept.begin());
  EXPECT_EQ(test::to_host(kept), remove.expected);
}

using calls = testing::Types<bulk_remove_call, bulk_insert_call>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(Bulk, Policies, calls);
}
