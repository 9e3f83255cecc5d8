// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The workers of a CPU backend, and the one way in which they share work: pieces, taken in order.

#include <mgpu_thrust/detail/config.h>
#include <mgpu_thrust/system/execution.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>

#if defined(_OPENMP)
#  include <omp.h>
#endif
#if MGPU_THRUST_HAS_TBB
#  include <tbb/parallel_for.h>
#  include <tbb/task_arena.h>
#endif

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

// An executor calls a function f(worker) for worker = 0, 1, ..., workers - 1, or some of these, at the same time or one
// after another, and returns when all calls have.
struct serial_executor
{
  int workers() const
  {
    return 1;
  }
  template <class Function>
  void run(int, Function f) const
  {
    f(0);
  }
};

#if defined(_OPENMP)
struct omp_executor
{
  int workers() const
  {
    return omp_get_max_threads();
  }
  template <class Function>
  void run(int workers, Function f) const
  {
#  pragma omp parallel num_threads(workers)
    f(omp_get_thread_num());
  }
};
#endif

#if MGPU_THRUST_HAS_TBB
struct tbb_executor
{
  int workers() const
  {
    return tbb::this_task_arena::max_concurrency();
  }
  template <class Function>
  void run(int workers, Function f) const
  {
    tbb::parallel_for(0, workers, f, tbb::simple_partitioner{});
  }
};
#endif

/// The executor of a CPU backend.
template <class Backend>
auto executor_of(Backend)
{
  if constexpr (std::is_same_v<Backend, omp_backend>)
  {
#if defined(_OPENMP)
    return omp_executor{};
#else
    static_assert(
      !std::is_same_v<Backend, omp_backend>,
      "mgpu_thrust: thrust::omp policies need OpenMP: compile with -fopenmp, or use another policy");
#endif
  }
  else if constexpr (std::is_same_v<Backend, tbb_backend>)
  {
#if MGPU_THRUST_HAS_TBB
    return tbb_executor{};
#else
    static_assert(
      !std::is_same_v<Backend, tbb_backend>,
      "mgpu_thrust: thrust::tbb policies need TBB: include <thrust/system/tbb/execution_policy.h> before"
      " mgpu_thrust's headers, or define MGPU_THRUST_HAS_TBB as 1");
#endif
  }
  else
  {
    return serial_executor{};
  }
}

/// Runs `pieces` pieces of work whose outputs, each of a size known only when it is done, follow one another.
///
///   output = produce(worker, piece)  does the work of a piece; output.size is its size, negative to stop everything
///   consume(output, offset)          is called with the sum of the sizes of all pieces before, when that is known
///
/// A worker takes the next piece, produces, waits for the piece before to have passed on its offset, passes on its own,
/// consumes. As pieces are taken in order, the piece that is waited for is always being worked on, and the wait is
/// short. An exception stops all workers and reaches the caller. Returns the size of all outputs.
template <class Executor, class Produce, class Consume>
std::int64_t run_pieces(const Executor& executor, int workers, std::int64_t pieces, Produce produce, Consume consume)
{
  struct alignas(128) shared_int
  {
    std::atomic<std::int64_t> value{0};
  };
  shared_int next_piece;   // the first that nobody has taken
  shared_int next_offset;  // the first that does not know its offset yet, which then is:
  std::int64_t offset = 0; // guarded by next_offset: the worker of that piece alone reads and writes it
  std::atomic<bool> stop{false};
  std::exception_ptr exception;
  std::once_flag first_exception;

  const auto work = [&](int worker)
  {
    for (;;)
    {
      const std::int64_t piece = next_piece.value.fetch_add(1, std::memory_order_relaxed);
      if (piece >= pieces || stop.load(std::memory_order_relaxed))
      {
        return;
      }
      auto output = produce(worker, piece);
      if (output.size < 0)
      {
        stop.store(true, std::memory_order_relaxed);
        return;
      }
      for (int spins = 0; next_offset.value.load(std::memory_order_acquire) != piece; ++spins)
      {
        if (stop.load(std::memory_order_relaxed))
        {
          return;
        }
        if (spins > 64)
        {
          std::this_thread::yield();
        }
      }
      const std::int64_t begin = offset;
      offset = begin + output.size;
      next_offset.value.store(piece + 1, std::memory_order_release);
      consume(output, begin);
    }
  };
  executor.run(
    workers,
    [&](int worker)
    {
      try
      {
        work(worker);
      }
      catch (...)
      {
        std::call_once(first_exception, [&] { exception = std::current_exception(); });
        stop.store(true, std::memory_order_relaxed);
      }
    });
  if (exception)
  {
    std::rethrow_exception(exception);
  }
  return offset;
}

} // namespace detail
MGPU_THRUST_NAMESPACE_END
