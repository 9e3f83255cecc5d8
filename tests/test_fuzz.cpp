// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Differential fuzzes: of the set operations against std::, of segments against plain loops. Each runs another sequence
// of cases each time, and prints the seed that repeats it: MGPU_THRUST_FUZZ_SEED=seed. MGPU_THRUST_FUZZ_CASES sets how
// many cases it runs.

#include "support/distributions.h"
#include "support/fuzz.h"
#include "support/keys.h"
#include "support/reduction_battery.h"
#include "support/segment_battery.h"
#include "support/set_battery.h"
#include "support/systems.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace
{

TEST(Fuzz, SetOperations)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    200,
    [](std::mt19937_64& random)
    {
      // Sizes of every magnitude, small ones as often as large ones.
      const auto any_size = [&] { return static_cast<std::int64_t>(random() % (std::uint64_t{2} << random() % 18)); };
      const std::int64_t a_size = any_size();
      const std::int64_t b_size = any_size();
      const auto d = test::all_distributions[random() % std::size(test::all_distributions)];
      const auto [a, b] = test::make_ranks(d, a_size, b_size, (std::int64_t{1} << 31) - 1, random());
      const std::vector<std::int32_t> a_keys(a.begin(), a.end());
      const std::vector<std::int32_t> b_keys(b.begin(), b.end());
      SCOPED_TRACE(std::string(test::name_of(d)) + " " + std::to_string(a_size) + "+" + std::to_string(b_size));
      test::check_set_operations<test::forms::all>(a_keys, b_keys, ::cuda::std::less<>{});
    });
}

TEST(Fuzz, Segments)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_fuzz_case(
    60,
    [](std::mt19937_64& random)
    {
      // Parts of different distributions, of sizes of every magnitude.
      test::segmentation in;
      const std::uint64_t parts = 1 + random() % 4;
      for (std::uint64_t part = 0; part < parts; ++part)
      {
        const auto kind = test::all_lengths[random() % std::size(test::all_lengths)];
        const auto more = test::make_segmentation(kind, random() % (std::uint64_t{2} << random() % 17), random());
        for (std::int64_t segment = 0; segment < more.num_segments(); ++segment)
        {
          in.add(more.size(segment));
        }
      }
      SCOPED_TRACE(std::to_string(in.num_items) + " items in " + std::to_string(in.num_segments()));
      test::for_each_policy(
        [&](const auto& policy)
        {
          test::check_load_balance<std::int32_t>(policy, in);
          test::check_intervals<std::int32_t, std::uint32_t>(policy, in);
          test::check_segmented_reduce<std::uint32_t>(policy, in);
        });
    });
}

} // namespace
