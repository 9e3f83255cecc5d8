// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the fuzz tests are told by the environment: MGPU_THRUST_FUZZ_SEED repeats a run, MGPU_THRUST_FUZZ_CASES sets
/// how many cases it has.

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>

namespace test
{

inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise)
{
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// The seed of a run, another each time unless it is given; it is printed.
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

} // namespace test
