// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The sorted searches of keys of every type, in other orders and with indices of other types. Each key type is tested
// with a search for positions and one that computes from them, not with all six searches.

#include "support/distributions.h"
#include "support/keys.h"
#include "support/search_battery.h"
#include "support/systems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace
{

/// Checks the given searches on keys of a type: as many needles as keys, many more, and few that are searched
/// individually.
template <class Key, class... Searches>
void check_key_type()
{
  SCOPED_TRACE("keys of " + std::to_string(sizeof(Key)) + " bytes");
  const test::searches<Searches...> searches;
  const std::int64_t most = (std::int64_t{1} << 20) / static_cast<std::int64_t>(sizeof(Key));
  const std::int64_t n = std::min<std::int64_t>(test::search_tile_items<Key>() + 5, most);
  for (const test::distribution d :
       {test::distribution::uniform, test::distribution::few_keys, test::distribution::extremes})
  {
    test::check_searches<std::int64_t, Key>(searches, d, n, n, 11);
    test::check_searches<std::int64_t, Key>(searches, d, 1, 3 * n, 12);
    test::check_searches<std::int64_t, Key>(searches, d, 3 * n, 10, 13);
  }
}

TEST(SortedSearch, KeysOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_key_type<test::only_less, test::upper_bound, test::equal_range>();
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_key_type<std::int8_t, test::lower_bound, test::equal_range>();
  check_key_type<std::int64_t, test::lower_bound, test::count>();
  check_key_type<double, test::upper_bound, test::contains>();
  check_key_type<test::words_key<3>, test::lower_bound, test::equal_range>();
#endif
  check_key_type<test::words_key<100>, test::upper_bound, test::count_with_operator>();
#if defined(__CUDACC__) && !defined(MGPU_THRUST_TEST_FEW_TYPES) // other tiles; a CPU has no other paths for these
  check_key_type<std::uint8_t, test::upper_bound, test::count>();
  check_key_type<std::int16_t, test::lower_bound, test::count_with_operator>();
  check_key_type<std::uint32_t, test::upper_bound, test::contains>();
  check_key_type<float, test::lower_bound, test::contains>();
  check_key_type<std::uint64_t, test::upper_bound, test::equal_range>();
  check_key_type<test::words_key<4>, test::upper_bound, test::count>();
  check_key_type<test::words_key<40>, test::lower_bound, test::contains>();
  check_key_type<test::words_key<400>, test::lower_bound, test::equal_range>(); // too large for shared memory
#endif
}

TEST(SortedSearch, DescendingOrder)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_searches<std::uint32_t, std::int32_t>(
    test::searches<test::upper_bound, test::count_with_operator>{}, test::distribution::runs, 70000, 50000, 14,
    test::greater{});
}

TEST(SortedSearch, OtherIndices)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_searches<std::uint16_t, std::int32_t>(
    test::searches<test::lower_bound, test::count>{}, test::distribution::runs, 65000, 50000, 15);
  test::check_searches<std::int8_t, std::int32_t>(
    test::searches<test::upper_bound, test::equal_range>{}, test::distribution::uniform, 90, 100, 16);
}

} // namespace
