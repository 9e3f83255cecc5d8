// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The workers of a CPU backend, and how they share work: as pieces, taken in order, with consecutive outputs.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/execution.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <type_traits>

#if defined(_OPENMP)
#  include <omp.h>
#endif
#if MGPU_THRUST_HAS_TBB
#  include <tbb/parallel_for.h>
#  include <tbb/task_arena.h>
#  include <tbb/task_group.h>
#endif

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

// An executor calls a function f(worker) for worker = 0, 1, ..., workers - 1, or some of these, concurrently or one
// after another, and returns when all calls have returned.
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
  /// A comparator may use TBB itself. While it waits, its thread may execute other tasks, but not another worker of
  /// this call, which could wait for the worker below it on the same stack: so each worker is isolated. Each call has
  /// its own context, as a call in a cancelled task group would otherwise return without doing anything.
  template <class Function>
  void run(int workers, Function f) const
  {
    const auto isolated = [&f](int worker) { tbb::this_task_arena::isolate([&f, worker] { f(worker); }); };
    tbb::task_group_context context(tbb::task_group_context::isolated);
    tbb::parallel_for(0, workers, isolated, tbb::simple_partitioner{}, context);
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

/// An atomic number on a cache line of its own.
struct alignas(128) shared_number
{
  std::atomic<std::int64_t> value{0};
};

/// Queue of a job's pieces, from which workers take the next one in order.
class piece_queue
{
public:
  explicit piece_queue(std::int64_t pieces)
      : pieces_(pieces)
  {
  }
  /// Returns the next piece, or -1 if all are taken or the job was stopped.
  std::int64_t take()
  {
    const std::int64_t piece = stopped() ? pieces_ : next_.value.fetch_add(1, std::memory_order_relaxed);
    return piece < pieces_ ? piece : -1;
  }
  void stop()
  {
    stopped_.store(true, std::memory_order_relaxed);
  }
  bool stopped() const
  {
    return stopped_.load(std::memory_order_relaxed);
  }

private:
  std::int64_t pieces_;
  shared_number next_;
  std::atomic<bool> stopped_{false};
};

/// Calls work(worker, queue) on each worker; it takes pieces from the queue until none is left. An exception stops all
/// workers and is rethrown to the caller.
template <class Executor, class Work>
void run_workers(const Executor& executor, int workers, std::int64_t pieces, Work work)
{
  piece_queue queue(pieces);
  std::exception_ptr exception;
  std::once_flag first_exception;
  executor.run(
    workers,
    [&](int worker)
    {
      try
      {
        work(worker, queue);
      }
      catch (...)
      {
        std::call_once(first_exception, [&] { exception = std::current_exception(); });
        queue.stop();
      }
    });
  if (exception)
  {
    std::rethrow_exception(exception);
  }
}

/// Number of an executor's workers that have work if there are `pieces` pieces.
template <class Executor>
int useful_workers(const Executor& executor, std::int64_t pieces)
{
  return static_cast<int>(std::max<std::int64_t>(1, std::min<std::int64_t>(executor.workers(), pieces)));
}

/// Calls f(piece) for each piece, on the workers that have work. There is no state per worker.
template <class Executor, class Function>
void run_pieces(const Executor& executor, std::int64_t pieces, Function f)
{
  const auto work = [&](int, piece_queue& queue)
  {
    for (std::int64_t piece = queue.take(); piece >= 0; piece = queue.take())
    {
      f(piece);
    }
  };
  detail::run_workers(executor, detail::useful_workers(executor, pieces), pieces, work);
}

/// Offsets of the consecutive outputs of pieces, whose sizes are known only when they are done, by decoupled look-back
/// as on the GPU. A piece's word is 0, or its size with `size_known`, or, as soon as a worker knows it, the end of its
/// output with `end_known`.
class piece_offsets
{
public:
  /// Bytes of storage for the words of `pieces` pieces.
  static std::size_t bytes(std::int64_t pieces)
  {
    return static_cast<std::size_t>(pieces) * sizeof(word);
  }
  piece_offsets(void* storage, std::int64_t pieces)
      : words_(static_cast<word*>(storage))
  {
    for (std::int64_t piece = 0; piece < pieces; ++piece)
    {
      (::new (static_cast<void*>(words_ + piece)) word)->store(0, std::memory_order_relaxed);
    }
  }
  /// Publishes the size of a piece.
  void post(std::int64_t piece, std::int64_t size)
  {
    words_[piece].store(size * 4 + size_known, std::memory_order_relaxed);
  }
  /// Returns the offset of a piece whose size is published, or -1 if that of a piece before it is not published yet.
  std::int64_t find(std::int64_t piece)
  {
    std::int64_t offset = 0;
    for (std::int64_t before = piece - 1; before >= 0; --before)
    {
      const std::int64_t found = words_[before].load(std::memory_order_relaxed);
      if (found == 0)
      {
        return -1;
      }
      offset += found / 4;
      if (found % 4 == end_known)
      {
        break;
      }
    }
    const std::int64_t size = words_[piece].load(std::memory_order_relaxed) / 4;
    words_[piece].store((offset + size) * 4 + end_known, std::memory_order_relaxed);
    return offset;
  }
  /// The end of the last piece's output, when all are done.
  std::int64_t end(std::int64_t pieces) const
  {
    return words_[pieces - 1].load(std::memory_order_relaxed) / 4;
  }

private:
  using word = std::atomic<std::int64_t>;
  static_assert(std::is_trivially_destructible_v<word>, "the storage is given back as it is");
  static constexpr std::int64_t size_known = 1;
  static constexpr std::int64_t end_known = 2;

  word* words_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
