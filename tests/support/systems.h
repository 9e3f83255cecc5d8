// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// The policies that a test uses, and the memory that each of them can access. The same test sources are compiled
/// by a C++ compiler, for the CPU systems, and by nvcc, for CUDA. TBB is tested if the build defines
/// MGPU_THRUST_HAS_TBB as 1, which it does where it links TBB.

#if !defined(__CUDACC__) && MGPU_THRUST_HAS_TBB
#  include <tbb/global_control.h>
#  include <tbb/task_arena.h>

#  include <thrust/system/tbb/execution_policy.h>
#endif

#include <mgpu_thrust/detail/execute/backend.h>
#include <mgpu_thrust/detail/execute/cpu_workers.h>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(_OPENMP)
#  include <omp.h>
#endif

namespace test
{

template <class Policy>
inline constexpr bool on_cuda = std::is_same_v<mgpu::detail::backend_t<Policy>, mgpu::detail::cuda_backend>;

/// Whether Thrust can copy elements of a type between host and device: it takes their addresses.
template <class T, class = void>
inline constexpr bool has_address = false;
template <class T>
inline constexpr bool has_address<T, std::void_t<decltype(&std::declval<T&>())>> = true;

/// A vector in memory that a policy can access.
template <class Policy, class T>
using memory = std::conditional_t<on_cuda<Policy>, thrust::device_vector<T>, std::vector<T>>;

/// Copies `values` to memory that a policy can access.
template <class Policy, class T>
memory<Policy, T> to_memory(const std::vector<T>& values)
{
  if constexpr (on_cuda<Policy> && !has_address<T>)
  {
    const auto* const first = reinterpret_cast<const unsigned char*>(values.data());
    const thrust::device_vector<unsigned char> bytes(first, first + values.size() * sizeof(T));
    const thrust::device_ptr<const T> copy(reinterpret_cast<const T*>(thrust::raw_pointer_cast(bytes.data())));
    return thrust::device_vector<T>(copy, copy + values.size());
  }
  else
  {
    return memory<Policy, T>(values.begin(), values.end());
  }
}

/// `values` in host memory: a copy of those of a device, or of a temporary vector.
template <class T>
const std::vector<T>& to_host(const std::vector<T>& values)
{
  return values;
}
template <class T>
std::vector<T> to_host(std::vector<T>&& values)
{
  return std::move(values);
}
template <class T>
std::vector<T> to_host(const thrust::device_vector<T>& values)
{
  if constexpr (has_address<T>)
  {
    const thrust::host_vector<T> copy(values);
    return std::vector<T>(copy.begin(), copy.end());
  }
  else
  {
    const thrust::device_ptr<const unsigned char> first(
      reinterpret_cast<const unsigned char*>(thrust::raw_pointer_cast(values.data())));
    const thrust::host_vector<unsigned char> bytes(first, first + values.size() * sizeof(T));
    const auto* const copy = reinterpret_cast<const T*>(bytes.data());
    return std::vector<T>(copy, copy + values.size());
  }
}

/// Memory for flags that a policy's algorithms write through a bool*, which std::vector<bool> does not provide.
template <class Policy>
class flags
{
public:
  explicit flags(std::size_t size)
      : bytes_(size, 2)
  {
  }
  bool* data()
  {
    return reinterpret_cast<bool*>(thrust::raw_pointer_cast(bytes_.data()));
  }
  std::vector<bool> to_host() const
  {
    const auto& bytes = test::to_host(bytes_);
    return std::vector<bool>(bytes.begin(), bytes.end());
  }

private:
  memory<Policy, unsigned char> bytes_;
};

#if defined(__CUDACC__)

/// Calls f(policy) for the CUDA policies of a full test.
template <class Function>
void for_each_policy(Function f)
{
  SCOPED_TRACE("cuda::par");
  f(thrust::cuda::par);
}

/// Calls f(policy) for a policy: for code before the choice of one, with many types.
template <class Function>
void call_with_one_policy(Function f)
{
  f(thrust::cuda::par);
}

#else

#  if defined(_OPENMP) || MGPU_THRUST_HAS_TBB

/// A policy with the resources of another one, of OpenMP or of TBB, so that a test is compiled once for both. Thrust's
/// own policies are in the battery of policies.
#    if defined(_OPENMP)
struct workers_policy : thrust::omp::execution_policy<workers_policy>
#    else
struct workers_policy : thrust::tbb::execution_policy<workers_policy>
#    endif
{
  explicit workers_policy(const mgpu::detail::cpu_resources& resources_of_another)
      : resources(resources_of_another)
  {
  }
  const mgpu::detail::cpu_resources& resources;
};

/// A function f(policy) by its address, so that what executes it is compiled once for all tests.
class workers_function
{
public:
  template <class Function>
  explicit workers_function(Function& f)
      : f_(&f)
      , call_([](void* function, const workers_policy& policy) { (*static_cast<Function*>(function))(policy); })
  {
  }
  template <class Policy>
  void operator()(Policy policy) const
  {
    const mgpu::detail::policy_resources<Policy> resources(policy);
    call_(f_, workers_policy(resources));
  }

private:
  void* f_;
  void (*call_)(void*, const workers_policy&);
};

/// Calls f(policy) with `workers` workers, of TBB if that is wanted or there is no OpenMP, and if there is TBB.
inline void call_with_workers(int workers, [[maybe_unused]] bool of_tbb, workers_function f)
{
#    if MGPU_THRUST_HAS_TBB
#      if defined(_OPENMP)
  if (of_tbb)
#      endif
  {
    SCOPED_TRACE("tbb::par, " + std::to_string(workers) + " workers");
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 8);
    tbb::task_arena arena(workers);
    arena.execute([&] { f(thrust::tbb::par); });
    return;
  }
#    endif
#    if defined(_OPENMP)
  SCOPED_TRACE("omp::par, " + std::to_string(workers) + " workers");
  const int before = omp_get_max_threads();
  omp_set_num_threads(workers);
  f(thrust::omp::par);
  omp_set_num_threads(before);
#    endif
}

#  endif

/// Number of earlier calls in the current test.
inline int calls_in_this_test()
{
  static const testing::TestInfo* test = nullptr;
  static int calls = 0;
  const testing::TestInfo* const current = testing::UnitTest::GetInstance()->current_test_info();
  calls = current == test ? calls + 1 : 0;
  test = current;
  return calls;
}

/// Calls f(policy) for a policy: for code before the choice of one, with many types.
template <class Function>
void call_with_one_policy(Function f)
{
  f(thrust::seq);
}

/// Calls f(policy) for OpenMP and TBB with 1, 2, 3 and 8 workers. The code that executes depends on the number of
/// workers, hardly on their system, so the systems alternate: of each two calls one uses OpenMP, one TBB. A call after
/// the first two of a test has 8 workers, and 2 or 3 in turn: pieces depend on the sizes, and a single worker executes
/// what seq does, but for a few lines. seq, whose code would be a quarter of a test, is in the battery of policies,
/// like cpp::par, thrust::host and thrust::device, and with every function in test_unusual_types.
#  if defined(_OPENMP) || MGPU_THRUST_HAS_TBB
template <class Function>
void for_each_policy(Function f)
{
  const int calls = calls_in_this_test();
  int turn = calls;
  for (const int workers : {1, 2, 3, 8})
  {
    const bool is_left_out = calls >= 2 && (workers == 1 || workers == 2 + calls / 2 % 2);
    if (!is_left_out)
    {
      test::call_with_workers(workers, turn % 2 == 1, workers_function(f));
    }
    ++turn;
  }
}
#  else
template <class Function>
void for_each_policy(Function f)
{
  SCOPED_TRACE("seq");
  f(thrust::seq);
}
#  endif

#endif

/// Skips a test if there is no device to execute it on.
#if defined(__CUDACC__)
#  define MGPU_THRUST_TEST_NEEDS_DEVICE()                                                                              \
    do                                                                                                                 \
    {                                                                                                                  \
      int devices = 0;                                                                                                 \
      if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)                                                 \
      {                                                                                                                \
        (void) cudaGetLastError();                                                                                     \
        GTEST_SKIP() << "no CUDA device";                                                                              \
      }                                                                                                                \
    } while (false)
#else
#  define MGPU_THRUST_TEST_NEEDS_DEVICE()                                                                              \
    do                                                                                                                 \
    {                                                                                                                  \
    } while (false)
#endif

} // namespace test

#if !defined(__CUDACC__) && (defined(_OPENMP) || MGPU_THRUST_HAS_TBB)
MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

template <>
class policy_resources<test::workers_policy> final : public cpu_resources
{
public:
  explicit policy_resources(const test::workers_policy& policy)
      : others_(policy.resources)
  {
  }
  int max_workers() const override
  {
    return others_.max_workers();
  }
  void run(int workers, worker_function f) const override
  {
    others_.run(workers, f);
  }
  temporary_storage storage(const char* algorithm, std::size_t bytes) const override
  {
    return others_.storage(algorithm, bytes);
  }

private:
  const cpu_resources& others_;
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
#endif
