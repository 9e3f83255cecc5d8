// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The semi and anti joins of keys of every type, in other orders and with row numbers of other types. Each key type is
// tested with the rows of one join and the size of the other.

#include "support/distributions.h"
#include "support/keys.h"
#include "support/semi_join_battery.h"
#include "support/systems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace
{

using semi_and_anti_size = test::semi_joins<test::semi_join::semi, test::semi_join::anti_size>;
using anti_and_semi_size = test::semi_joins<test::semi_join::anti, test::semi_join::semi_size>;

/// Checks joins of keys of a type: of tables of equal size, of a long left table, and of a right table so long that
/// most of it is not read.
template <class Key, class Functions>
void check_key_type()
{
  SCOPED_TRACE("keys of " + std::to_string(sizeof(Key)) + " bytes");
  const std::int64_t most = (std::int64_t{1} << 20) / static_cast<std::int64_t>(sizeof(Key));
  const std::int64_t n = std::min<std::int64_t>(test::semi_join_tile_items<Key>() + 5, most);
  for (const test::distribution d :
       {test::distribution::uniform, test::distribution::few_keys, test::distribution::extremes})
  {
    test::check_semi_joins<std::int64_t, Key>(Functions{}, d, n, n, 13);
    test::check_semi_joins<std::int64_t, Key>(Functions{}, d, 3 * n, 1, 14);
    test::check_semi_joins<std::int64_t, Key>(Functions{}, d, 10, 3 * n, 15);
  }
  const std::int64_t more = test::few_and_more().back();
  test::check_semi_joins<std::int64_t, Key>(Functions{}, test::distribution::runs, more + n, n, 16);
}

TEST(SemiJoin, KeysOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_key_type<std::int8_t, semi_and_anti_size>();
  check_key_type<test::only_less, anti_and_semi_size>();
  check_key_type<std::int64_t, semi_and_anti_size>();
  check_key_type<double, semi_and_anti_size>();
  check_key_type<test::words_key<3>, anti_and_semi_size>();
  check_key_type<test::words_key<40>, anti_and_semi_size>();
#if defined(__CUDACC__) // other tiles; on a CPU these keys have the paths of those above
  check_key_type<std::uint8_t, anti_and_semi_size>();
  check_key_type<std::int16_t, semi_and_anti_size>();
  check_key_type<std::uint32_t, anti_and_semi_size>();
  check_key_type<float, semi_and_anti_size>();
  check_key_type<std::uint64_t, anti_and_semi_size>();
  check_key_type<test::words_key<4>, semi_and_anti_size>();
  check_key_type<test::words_key<100>, semi_and_anti_size>();
  check_key_type<test::words_key<400>, anti_and_semi_size>(); // too large for shared memory
#endif
}

TEST(SemiJoin, DescendingOrder)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  test::check_semi_joins<std::uint32_t, std::int32_t>(
    semi_and_anti_size{}, test::distribution::runs, 70000, 50000, 16, test::greater{});
}

TEST(SemiJoin, RowsOfOtherTypes)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  using semi = test::semi_joins<test::semi_join::semi>;
  using anti = test::semi_joins<test::semi_join::anti>;
  test::check_semi_joins<std::uint16_t, std::int32_t>(anti{}, test::distribution::runs, 65536, 50000, 17);
  test::check_semi_joins<std::int8_t, std::int32_t>(semi{}, test::distribution::uniform, 128, 100, 18);
  test::check_semi_joins<std::uint64_t, std::int32_t>(anti{}, test::distribution::uniform, 30000, 50000, 19);
}

} // namespace
