// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// As-of joins whose sizes are deferred: the battery, and capacities whose indices do not fit.

#include "support/asof_battery.h"
#include "support/deferred_battery.h"

#include <mgpu_thrust/asof_join_n.h>
#if defined(__CUDACC__)
#  include <mgpu_thrust/device/device_asof_join.cuh>
#endif

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace
{

using test::ints;
using test::two_ranges;

/// The first range are left rows, the second are right rows; the result is a row for each of the first.
template <class Direction, class Accept>
struct deferred_asof : test::ranges_of_copies
{
  static constexpr bool writes = true;
  static constexpr int result_at = 0;

  static std::int64_t most(std::int64_t left, std::int64_t)
  {
    return left;
  }
  static ints expected(const ints& left, const ints& right)
  {
    return test::rows_by_std<std::int32_t>(left, right, Direction{}, ::cuda::std::less<>{}, Accept{});
  }
  template <class Policy, class Size1, class Size2, class Count>
  static MGPU_THRUST_HOST_DEVICE auto
  run(const Policy& policy, const two_ranges& ranges, Size1 size1, Size2 size2, Count)
  {
    return mgpu::asof_join_n(
      policy, ranges.first, size1, ranges.second, size2, ranges.out, Direction{}, ::cuda::std::less<>{}, Accept{});
  }
#if defined(__CUDACC__)
  template <class Size1, class Size2, class Count>
  static cudaError_t queue(
    void* storage, std::size_t& bytes, const two_ranges& ranges, Size1 size1, Size2 size2, Count*, cudaStream_t stream)
  {
    return mgpu::DeviceAsofJoin::Rows(
      storage, bytes, ranges.first, size1, ranges.second, size2, ranges.out, Direction{}, ::cuda::std::less<>{},
      Accept{}, stream);
  }
#endif
};

using deferred_asof_joins = testing::Types<
  deferred_asof<mgpu::backward_t, mgpu::accept_any>, deferred_asof<mgpu::forward_t, test::accept_most>,
  deferred_asof<mgpu::strictly_forward_t, mgpu::accept_any>, deferred_asof<test::nearest_key, test::accept_most>>;

} // namespace

namespace test
{
INSTANTIATE_TYPED_TEST_SUITE_P(AsofJoin, DeferredSizes, deferred_asof_joins);
} // namespace test

namespace
{

TEST(AsofJoinN, IndicesOfACapacityThatDoNotFit)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::for_each_policy(
    [](const auto& policy)
    {
      using policy_t = std::decay_t<decltype(policy)>;
      const auto keys = test::to_memory<policy_t>(ints(1000, 1));
      const auto counts = test::to_memory<policy_t>(ints{5, 4});
      test::memory<policy_t, std::int8_t> out(10, -7);
      const auto join = [&](std::int64_t left, std::int64_t right)
      {
        mgpu::asof_join_n(
          policy, keys.begin(), mgpu::deferred{counts.data(), left}, keys.begin(),
          mgpu::deferred{counts.data() + 1, right}, out.begin(), mgpu::backward);
      };
      EXPECT_THROW(join(10, 129), std::length_error);
      EXPECT_THROW(join(-1, 128), std::invalid_argument);
      EXPECT_EQ(test::to_host(out), std::vector<std::int8_t>(10, -7));
      join(10, 128);
      EXPECT_EQ(test::to_host(out), (std::vector<std::int8_t>{3, 3, 3, 3, 3, -7, -7, -7, -7, -7}));
    });
}

} // namespace
