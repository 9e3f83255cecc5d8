// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Environment variables of the fuzz tests: MGPU_THRUST_FUZZ_SEED reproduces a test's cases, MGPU_THRUST_FUZZ_CASES
/// sets their number.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

namespace test
{

inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise)
{
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// The seed of a test, a new one each time unless the environment sets it; it is printed.
inline std::uint64_t fuzz_seed()
{
  const std::uint64_t seed = from_environment("MGPU_THRUST_FUZZ_SEED", std::random_device{}());
  std::cout << "MGPU_THRUST_FUZZ_SEED=" << seed << std::endl;
  return seed;
}

inline std::uint64_t fuzz_cases(std::uint64_t otherwise)
{
  return from_environment("MGPU_THRUST_FUZZ_CASES", otherwise);
}

/// Calls f(random) once per case, `otherwise` times by default, until a case fails fatally; failure messages name the
/// seed and the case.
template <class Function>
void for_each_fuzz_case(std::uint64_t otherwise, Function f)
{
  const std::uint64_t seed = fuzz_seed();
  const std::uint64_t cases = fuzz_cases(otherwise);
  std::mt19937_64 random(seed);
  for (std::uint64_t c = 0; c < cases && !testing::Test::HasFatalFailure(); ++c)
  {
    SCOPED_TRACE("MGPU_THRUST_FUZZ_SEED=" + std::to_string(seed) + ", case " + std::to_string(c));
    f(random);
  }
}

} // namespace test
