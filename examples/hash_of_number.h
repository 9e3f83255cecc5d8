// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Pseudorandom numbers for generated inputs, the same on every machine.

#include <cstdint>

namespace example
{

/// Returns 64 random bits for a number: the finalizer of SplitMix64.
inline std::uint64_t hash_of_number(std::uint64_t number)
{
  std::uint64_t bits = (number + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

} // namespace example
