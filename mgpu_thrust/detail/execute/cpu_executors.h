// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The executors of the CPU backends, which call a function on a number of workers.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/backend.h>

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

/// A function f(worker) of a call, by its address: the templates of a parallel runtime are then compiled once, and not
/// once for each function. The function must outlive this object.
class worker_function
{
public:
  template <class Function>
  explicit worker_function(Function& f)
      : f_(&f)
      , call_([](void* function, int worker) { (*static_cast<Function*>(function))(worker); })
  {
  }
  void operator()(int worker) const
  {
    call_(f_, worker);
  }

private:
  void* f_;
  void (*call_)(void*, int);
};

// An executor calls a function f(worker) for worker = 0, 1, ..., workers - 1, or some of these, concurrently or one
// after another, and returns when all calls have returned.
struct serial_executor
{
  int workers() const
  {
    return 1;
  }
  void run(int, worker_function f) const
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
  void run(int workers, worker_function f) const
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
  void run(int workers, worker_function f) const
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

} // namespace detail
MGPU_THRUST_NAMESPACE_END
