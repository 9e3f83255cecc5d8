// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// A limit of the time of a test, for calls that might not end.

#include "fuzz.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace test
{

/// Ends the program with a failure if it lives for too long, even while a kernel is executed: for 200 seconds, or as
/// MGPU_THRUST_TIME_LIMIT says; 0 is no limit.
class time_limit
{
public:
  time_limit()
      : watchdog_([this] { watch(); })
  {
  }
  ~time_limit()
  {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_one();
    watchdog_.join();
  }
  time_limit(const time_limit&) = delete;
  time_limit& operator=(const time_limit&) = delete;

private:
  void watch()
  {
    const std::chrono::seconds limit(test::from_environment("MGPU_THRUST_TIME_LIMIT", 200));
    const auto is_over = [this] { return is_over_; };
    std::unique_lock<std::mutex> lock(mutex_);
    if (limit == limit.zero())
    {
      changed_.wait(lock, is_over);
    }
    else if (!changed_.wait_for(lock, limit, is_over))
    {
      std::puts("[  FAILED  ] A call has not ended within the time limit of its test.");
      std::fflush(stdout);
      std::_Exit(1);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  std::thread watchdog_; ///< last, as it uses the others
};

} // namespace test
