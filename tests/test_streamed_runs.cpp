// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Streamed runs of numbers: at every position in a cache line, of every length up to a few cache lines.

#include <mgpu_thrust/detail/join/cpu/streamed_runs.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace
{

template <class Number>
class StreamedRunsOf : public testing::Test
{
};
using number_types = testing::Types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(StreamedRunsOf, number_types);

TYPED_TEST(StreamedRunsOf, EveryPlaceAndLength)
{
  constexpr int most = 70;
  constexpr int most_shift = 16;
  constexpr TypeParam guard = 99;
  const auto largest = std::numeric_limits<TypeParam>::max();
  for (const mgpu::detail::number_run<TypeParam> numbers :
       {mgpu::detail::number_run<TypeParam>{7, 0}, {largest, 0}, {1000, 1}, {largest - 5, 1}})
  {
    for (int shift = 0; shift < most_shift; ++shift)
    {
      for (int count = 0; count <= most; ++count)
      {
        std::vector<TypeParam> output(most_shift + most + 1, guard);
        std::vector<TypeParam> expected = output;
        auto number = static_cast<std::uint64_t>(numbers.first);
        for (int i = 0; i < count; ++i, number += static_cast<std::uint64_t>(numbers.step))
        {
          expected[shift + i] = static_cast<TypeParam>(number);
        }
        TypeParam* const first = output.data() + shift;
        ASSERT_EQ(mgpu::detail::stream_run(first, count, numbers), first + count);
        mgpu::detail::end_streams();
        ASSERT_EQ(output, expected) << count << " from place " << shift;
      }
    }
  }
}

TEST(StreamedRuns, WhereTheyCanBe)
{
  EXPECT_FALSE(mgpu::detail::is_streamable<std::int16_t*>);
  EXPECT_FALSE(mgpu::detail::is_streamable<double*>);
  EXPECT_FALSE(mgpu::detail::is_streamable<std::vector<std::int32_t>::iterator>);
#if defined(__SSE2__)
  EXPECT_TRUE(mgpu::detail::is_streamable<std::int32_t*>);
  EXPECT_TRUE(mgpu::detail::is_streamable<std::uint64_t*>);
#endif
}

} // namespace
