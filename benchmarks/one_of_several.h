// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The main function of a program that holds several benchmarks: its first argument names the benchmark to run.

#include <cstdio>
#include <map>
#include <string_view>

namespace mgpu_benchmark
{

using main_function = int (*)(int, char**);

inline std::map<std::string_view, main_function>& programs()
{
  static std::map<std::string_view, main_function> by_name;
  return by_name;
}

} // namespace mgpu_benchmark

/// Adds the program whose main function is main_of_<name>.
#define MGPU_BENCHMARK_OF_SEVERAL(name)                                                                                \
  const bool has_##name = mgpu_benchmark::programs().emplace(#name, main_of_##name).second;

int main(int argc, char** argv)
{
  const auto found = mgpu_benchmark::programs().find(argc > 1 ? argv[1] : "");
  if (found == mgpu_benchmark::programs().end())
  {
    std::fprintf(stderr, "The first argument must name a benchmark\n");
    return 1;
  }
  return found->second(argc - 1, argv + 1);
}
