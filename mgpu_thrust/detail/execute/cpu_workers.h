// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// What a CPU gives a job: workers, which take pieces in order, and temporary storage.

#include <mgpu_thrust/detail/base/config.h>
#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/check_sizes.h>
#include <mgpu_thrust/detail/execute/cpu_executors.h>
#include <mgpu_thrust/detail/execute/temporary_storage.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <type_traits>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// An atomic number on a cache line of its own.
struct alignas(128) shared_number
{
  std::atomic<std::int64_t> value{0};
};

/// The pieces of a call, from which workers take the next one in order.
class piece_queue
{
public:
  explicit piece_queue(std::int64_t pieces)
      : pieces_(pieces)
  {
  }
  /// Returns the next piece, or -1 if all are taken or the call was stopped.
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

/// Whether a policy has no worker but the calling thread.
template <class Policy>
inline constexpr bool is_serial_v = std::is_same_v<backend_t<Policy>, serial_backend>;

/// What a CPU policy gives to calls: workers, and storage of its allocator. The code that does the work knows no more
/// of the policy than this, and is compiled once for all parallel policies.
class cpu_resources
{
public:
  virtual int max_workers() const = 0;
  /// Calls f(worker) on a number of workers, of which no call may throw.
  virtual void run(int workers, worker_function f) const = 0;
  virtual temporary_storage storage(const char* algorithm, std::size_t bytes) const = 0;

protected:
  ~cpu_resources() = default;
};

/// The resources of a policy, which must outlive this object.
template <class Policy>
class policy_resources final : public cpu_resources
{
public:
  explicit policy_resources(Policy& policy)
      : policy_(policy)
  {
  }
  int max_workers() const override
  {
    return detail::executor_of(backend_t<Policy>{}).workers();
  }
  void run(int workers, worker_function f) const override
  {
    detail::executor_of(backend_t<Policy>{}).run(workers, f);
  }
  temporary_storage storage(const char* algorithm, std::size_t bytes) const override
  {
    return temporary_storage(policy_, algorithm, bytes);
  }

private:
  Policy& policy_;
};

/// Calls f(worker) on a number of workers, which take pieces from a queue. An exception stops all workers and is
/// rethrown.
inline void run_workers(const cpu_resources& resources, int workers, piece_queue& queue, worker_function f)
{
  std::exception_ptr exception;
  std::once_flag first_exception;
  auto catching = [&](int worker)
  {
    try
    {
      f(worker);
    }
    catch (...)
    {
      std::call_once(first_exception, [&] { exception = std::current_exception(); });
      queue.stop();
    }
  };
  resources.run(workers, worker_function(catching));
  if (exception)
  {
    std::rethrow_exception(exception);
  }
}

/// The workers of a CPU policy, and its allocator, for one call of an algorithm. If they are serial, the only one is
/// the calling thread, and outputs may be plain output iterators. The resources must outlive this object.
template <bool IsSerial>
class cpu_workers
{
public:
  static constexpr bool is_serial = IsSerial;

  cpu_workers(const cpu_resources& resources, const char* algorithm)
      : resources_(resources)
      , algorithm_(algorithm)
      , max_count_(resources.max_workers())
  {
  }

  /// Number of workers that have work if there are `pieces` pieces; at least one, and the same for the whole call.
  int count(std::int64_t pieces) const
  {
    return static_cast<int>(std::clamp<std::int64_t>(pieces, 1, max_count_));
  }
  /// Calls work(worker, queue) on each of them; it takes pieces from the queue until none is left. An exception stops
  /// all workers and is rethrown.
  template <class Work>
  void run(std::int64_t pieces, Work work) const
  {
    piece_queue queue(pieces);
    if constexpr (!is_serial)
    {
      const int workers = count(pieces);
      if (workers > 1)
      {
        auto work_of = [&](int worker) { work(worker, queue); };
        detail::run_workers(resources_, workers, queue, worker_function(work_of));
        return;
      }
    }
    work(0, queue); // a runtime's call would take longer than a hundred elements
  }
  /// Calls f(piece) for each piece.
  template <class Function>
  void run_pieces(std::int64_t pieces, Function f) const
  {
    run_pieces(pieces, 0, [&f](std::int64_t piece, int) { f(piece); });
  }
  /// Calls f(piece, own) for each piece, where `own` is the worker's own copy of a comparator or function.
  template <class Copied, class Function>
  void run_pieces(std::int64_t pieces, const Copied& copied, Function f) const
  {
    const auto work = [&](int, piece_queue& queue)
    {
      Copied own = copied;
      for (std::int64_t piece = queue.take(); piece >= 0; piece = queue.take())
      {
        f(piece, own);
      }
    };
    run(pieces, work);
  }

  /// Temporary storage of the policy's allocator.
  temporary_storage storage(std::size_t bytes) const
  {
    return resources_.storage(algorithm_, bytes);
  }
  /// Checks that throw.
  size_checks check() const
  {
    return size_checks(algorithm_);
  }

private:
  const cpu_resources& resources_;
  const char* algorithm_;
  int max_count_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
