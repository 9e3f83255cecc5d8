// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors

// Sorts of numbers of every type, with values and indices of every type. Other elements are in test_sort_elements.

#include "support/sort_battery.h"
#include "support/systems.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace
{

using test::as_indices;
using test::check_types;
using test::keys_alone;
using test::with_values;

// Not every key type is tested with every form, value type or index type; but each form is tested with keys of 1 to 8
// bytes, and values with keys that are narrower, wider, and as wide. Keys of 4, 8 and 12 bytes are also in test_sort,
// larger ones in test_sort_elements.
TEST(SortTypes, KeysOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_types<std::int8_t, keys_alone>();
  check_types<std::uint8_t, with_values | as_indices, std::int16_t, std::int16_t>();
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_types<std::uint32_t, with_values | as_indices, double, std::int64_t>();
  check_types<std::uint64_t, with_values | as_indices, std::int64_t, std::uint64_t>();
  check_types<float, with_values | as_indices, std::int32_t, std::uint32_t>();
  check_types<double, with_values | as_indices, std::int8_t, std::int8_t>();
#endif
#if defined(__CUDACC__) && !defined(MGPU_THRUST_TEST_FEW_TYPES) // other tiles; a CPU has no other paths for these
  check_types<std::int16_t, with_values, test::bytes_element<3>>();
  check_types<std::uint16_t, keys_alone>();
#endif
}

TEST(SortTypes, LeastAndLargestIntegers)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  const ::cuda::std::less<> ascending;
  test::check_extreme_integers<std::int8_t, keys_alone>(ascending);
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  test::check_extreme_integers<std::uint32_t, with_values | as_indices, double, std::int64_t>(ascending);
  test::check_extreme_integers<std::uint64_t, with_values | as_indices, std::int64_t, std::uint64_t>(ascending);
#endif
}

TEST(SortTypes, IndicesOfEveryType)
{
  MGPU_THRUST_TEST_NEEDS_DEVICE();
  check_types<double, as_indices, std::int32_t, std::uint8_t>();
#if !defined(MGPU_THRUST_TEST_FEW_TYPES)
  check_types<std::uint8_t, as_indices, std::int32_t, std::uint16_t>();
  check_types<float, as_indices, std::int32_t, std::int32_t>();
#endif
}

} // namespace
