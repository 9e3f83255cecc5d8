// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// As-of joins of keys of every type, in other orders and with indices of other types; infinities and extreme integers.

#include "support/asof_battery.h"
#include "support/distributions.h"
#include "support/keys.h"
#include "support/systems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace
{

/// Checks a direction that searches for a bound, and the nearest rows, of keys of a type: as many left rows as right
/// ones, many more, and few that are searched for individually.
template <class Key, class Direction>
void check_asof_keys()
{
  SCOPED_TRACE("keys of " + std::to_string(sizeof(Key)) + " bytes");
  const test::directions<Direction, test::nearest_key> directions;
  const std::int64_t most = (std::int64_t{1} << 20) / static_cast<std::int64_t>(sizeof(Key));
  const std::int64_t n = std::min<std::int64_t>(test::search_tile_items<Key>() + 5, most);
  for (const test::distribution d :
       {test::distribution::uniform, test::distribution::few_keys, test::distribution::extremes})
  {
    test::check_asof_joins<std::int64_t, Key>(directions, d, n, n, 11, test::accept_most{});
    test::check_asof_joins<std::int64_t, Key>(directions, d, 3 * n, 1, 12, test::accept_most{});
    test::check_asof_joins<std::int64_t, Key>(directions, d, 10, 3 * n, 13, test::accept_most{});
  }
}

TEST(AsofJoin, KeysOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_asof_keys<test::only_less, mgpu::strictly_forward_t>();
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_asof_keys<std::int8_t, mgpu::backward_t>();
  check_asof_keys<std::int64_t, mgpu::forward_t>();
  check_asof_keys<double, mgpu::strictly_backward_t>();
  check_asof_keys<test::words_key<3>, mgpu::backward_t>();
#endif
  check_asof_keys<test::words_key<100>, mgpu::forward_t>();
#if defined(__CUDACC__) && !defined(MGPU_THRUST_TEST_FEW_TYPES) // other tiles; a CPU has no other paths for these
  check_asof_keys<std::int16_t, mgpu::strictly_backward_t>();
  check_asof_keys<float, mgpu::strictly_forward_t>();
  check_asof_keys<test::words_key<4>, mgpu::backward_t>();
  check_asof_keys<test::words_key<400>, mgpu::backward_t>(); // too large for shared memory
#endif
}

TEST(AsofJoin, DescendingOrder)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_asof_joins<std::int64_t, std::int32_t>(
    test::directions<mgpu::backward_t, test::nearest_key>{}, test::distribution::runs, 70000, 50000, 14,
    mgpu::accept_any{}, test::greater{});
}

TEST(AsofJoin, OtherIndices)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_asof_joins<std::int16_t, std::int32_t>(
    test::directions<mgpu::forward_t>{}, test::distribution::runs, 50000, 32768, 15, mgpu::accept_any{});
  test::check_asof_joins<std::int8_t, std::int32_t>(
    test::directions<mgpu::backward_t>{}, test::distribution::uniform, 100, 128, 16, test::accept_most{});
}

/// The distance of any integers.
struct unsigned_distance
{
  MGPU_THRUST_HOST_DEVICE std::uint64_t operator()(std::int64_t left, std::int64_t right) const
  {
    const auto difference = static_cast<std::uint64_t>(left) - static_cast<std::uint64_t>(right);
    return left < right ? std::uint64_t{0} - difference : difference;
  }
};

struct is_finite_distance
{
  MGPU_THRUST_HOST_DEVICE bool operator()(double left, double right) const
  {
    return left - right <= 1e300 && right - left <= 1e300; // false of infinities that are equal
  }
};

TEST(AsofJoin, InfinitiesAndExtremeIntegers)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using limits = std::numeric_limits<std::int64_t>;
  const std::vector<std::int64_t> left{limits::min(), limits::min() + 1, -1, 0, 1, limits::max() - 1, limits::max()};
  for (const std::vector<std::int64_t>& right : std::vector<std::vector<std::int64_t>>{
         {limits::min(), limits::max()}, {limits::min(), 0, limits::max()}, {limits::max()}, {limits::min()}, {0}})
  {
    test::check_join<int>(left, right, mgpu::nearest(unsigned_distance{}), ::cuda::std::less<>{}, mgpu::accept_any{});
    test::check_join<int>(left, right, mgpu::strictly_forward, ::cuda::std::less<>{}, mgpu::accept_any{});
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> times{-infinity, -1e308, -0.0, 0.0, 5e-324, 1e308, infinity};
  for (const std::vector<double>& right : std::vector<std::vector<double>>{
         {-infinity, -infinity, infinity}, {-infinity, 0.0, infinity}, {0.0, -0.0}, {-1.5, 1.5}})
  {
    test::check_join<int>(
      times, right, mgpu::nearest(test::distance_of_keys{}), ::cuda::std::less<>{}, is_finite_distance{});
    test::check_join<int>(times, right, mgpu::backward, ::cuda::std::less<>{}, mgpu::accept_any{});
  }
}

} // namespace
