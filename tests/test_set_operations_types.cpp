// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// The set operations and merges of keys of every type. Keys of 8 bytes are tested in every form, the others with one
// set operation and a merge by key, which show everything that the other forms do.

#include "support/distributions.h"
#include "support/keys.h"
#include "support/set_battery.h"
#include "support/systems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace
{

/// Checks a set operation and a merge of keys of a type.
template <class Key, test::set_op Op>
void check_key_type()
{
  SCOPED_TRACE("keys of " + std::to_string(sizeof(Key)) + " bytes");
  const test::set_ops<Op, test::set_op::merge> ops;
  const ::cuda::std::less<> less;
  // Several tiles, unless the keys are so large that this takes long.
  const std::int64_t most = (std::int64_t{1} << 20) / static_cast<std::int64_t>(sizeof(Key));
  const std::int64_t n = std::min<std::int64_t>(test::set_tile_items<Key>() + 5, most);
  for (const test::distribution d :
       {test::distribution::uniform, test::distribution::few_keys, test::distribution::extremes})
  {
    test::check_keys<test::forms::by_key, Key>(ops, d, n, n, 12, less);
    test::check_keys<test::forms::by_key, Key>(ops, d, 3 * n, 1, 13, less);
  }
  const std::int64_t more = test::few_and_more().back();
  test::check_keys<test::forms::by_key, Key>(ops, test::distribution::runs, more + n, n, 14, less);
}

TEST(SetOperations, KeysOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_key_type<test::only_less, test::set_op::difference>();
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_key_type<std::int8_t, test::set_op::intersection>();
  check_key_type<float, test::set_op::union_of>();
  check_key_type<std::int64_t, test::set_op::symmetric_difference>();
  check_key_type<double, test::set_op::union_of>();
  check_key_type<test::words_key<3>, test::set_op::difference>();
  check_key_type<test::words_key<4>, test::set_op::symmetric_difference>();
#endif
  check_key_type<test::words_key<40>, test::set_op::intersection>();
#if defined(__CUDACC__) && !defined(MGPU_THRUST_TEST_FEW_TYPES) // other tiles; a CPU has no other paths for these
  check_key_type<std::uint8_t, test::set_op::union_of>();
  check_key_type<std::int16_t, test::set_op::difference>();
  check_key_type<std::uint32_t, test::set_op::symmetric_difference>();
  check_key_type<std::uint64_t, test::set_op::intersection>();
  check_key_type<test::words_key<400>, test::set_op::union_of>(); // too large for shared memory
#endif
}

TEST(SetOperations, KeysOf8BytesInEveryForm)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const std::int64_t tile = test::set_tile_items<std::int64_t>();
  const auto check_in_every_form =
    [](test::distribution d, std::int64_t a_size, std::int64_t b_size, std::uint64_t seed) {
      test::check_keys<test::forms::all, std::int64_t>(test::all_ops{}, d, a_size, b_size, seed, ::cuda::std::less<>{});
    };
  for (const test::distribution d : test::all_distributions)
  {
    for (const std::int64_t more : test::few_and_more())
    {
      check_in_every_form(d, more + 3 * tile + 1, 2 * tile, 14);
    }
    check_in_every_form(d, 2 * tile, 0, 15);
  }
}

} // namespace
