// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// What the examples of whole jobs share: they do their job, or print a table of times with --time=SIZE.

#include "example_support.h"

#include <thrust/copy.h>
#include <thrust/execution_policy.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace example
{

/// Returns the first `size` elements of a vector in the memory of the host.
template <class Vector>
auto to_host(const Vector& vector, std::size_t size)
{
  std::vector<typename Vector::value_type> result(size);
  thrust::copy_n(vector.begin(), size, result.begin());
  return result;
}

/// Returns all of them.
template <class Vector>
auto to_host(const Vector& vector)
{
  return example::to_host(vector, vector.size());
}

/// Returns the time of a call of f, in ms, until a GPU has completed it.
template <class Function>
double milliseconds(Function f)
{
  const auto wait = []
  {
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
    example::check_cuda(cudaDeviceSynchronize());
#endif
  };
  wait();
  const auto begin = std::chrono::steady_clock::now();
  f();
  wait();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// Prints the head of a table of times. Its last column tells how many times as long as ours today's calls take.
inline void print_times_head(const char* todays)
{
  std::printf("%s, ms as a caller waits; today: %s\n\n", example::device_system_name().c_str(), todays);
  std::printf("| %-40s | %10s | %10s | %8s |\n|---|---|---|---|\n", "", "mgpu", "today", "ratio");
}

/// Prints a row of such a table: the least time of call(ours), and that of call(todays), which does the same. The calls
/// alternate.
template <class Call, class Ours, class Todays>
void print_times(const char* task, Call call, Ours&& ours, Todays&& todays, int repeats = 5)
{
  double our_time = std::numeric_limits<double>::max();
  double time_today = our_time;
  for (int i = 0; i < repeats; ++i)
  {
    our_time = std::min(our_time, example::milliseconds([&] { call(ours); }));
    time_today = std::min(time_today, example::milliseconds([&] { call(todays); }));
  }
  std::printf("| %-40s | %10.3f | %10.3f | %8.2f |\n", task, our_time, time_today, time_today / our_time);
}

/// The main function of a job: calls answer(argument), which returns whether all is right, or print_table(size).
template <class Answer, class PrintTable>
int run_job(int argc, char** argv, const char* argument_name, Answer answer, PrintTable print_table)
{
  example::skip_without_device();
  try
  {
    const std::string argument = argc > 1 ? argv[1] : "";
    const std::string option = "--time=";
    if (argument.rfind(option, 0) == 0)
    {
      const std::string size = argument.substr(option.size());
      print_table(size.rfind("2^", 0) == 0 ? std::int64_t{1} << std::stoi(size.substr(2)) : std::stoll(size));
      return 0;
    }
    if (argc > 2 || argument.empty() != (*argument_name == '\0'))
    {
      throw std::runtime_error(std::string("the argument is ") + argument_name + ", or --time=SIZE, such as 2^24");
    }
    return answer(argument) ? 0 : 1;
  }
  catch (const std::exception& error)
  {
    std::printf("%s\n", error.what());
    return 1;
  }
}

} // namespace example
