// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Threads that are the ranks of a communicator.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/distributed/rank_error.h>

#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// Calls run(rank) on a thread for each rank, and leave() after an exception; both may be called concurrently. Rethrows
/// the first exception in the order of the ranks, one that is not about another rank if there is one.
template <class Run, class Leave>
void run_threads(int num_ranks, Run run, Leave leave)
{
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(num_ranks));
  std::vector<std::exception_ptr> rank_errors(errors.size());
  const auto catching = [&](std::size_t rank)
  {
    try
    {
      run(static_cast<int>(rank));
      return;
    }
    catch (const rank_error&)
    {
      rank_errors[rank] = std::current_exception();
    }
    catch (...)
    {
      errors[rank] = std::current_exception();
    }
    leave();
  };
  std::exception_ptr thread_error;
  std::vector<std::thread> threads;
  try
  {
    for (std::size_t rank = 0; rank < errors.size(); ++rank)
    {
      threads.emplace_back(catching, rank);
    }
  }
  catch (...) // no thread, or no memory
  {
    thread_error = std::current_exception();
    leave();
  }
  for (std::thread& thread : threads)
  {
    thread.join();
  }
  errors.insert(errors.begin(), thread_error);
  errors.insert(errors.end(), rank_errors.begin(), rank_errors.end());
  for (const std::exception_ptr& error : errors)
  {
    if (error)
    {
      std::rethrow_exception(error);
    }
  }
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
