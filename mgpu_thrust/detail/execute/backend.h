// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Selection of a backend by an execution policy, or by a set of iterators: overloads on Thrust's public policy bases.

#include <mgpu_thrust/detail/base/config.h>

#include <thrust/execution_policy.h>
#include <thrust/iterator/iterator_traits.h>
#if defined(__CUDACC__)
#  include <thrust/system/cuda/execution_policy.h>
#endif

// From CCCL 3.2 on, Thrust's OpenMP policies need <omp.h>, which a compiler without OpenMP may lack.
#if CCCL_VERSION < 3002000 || __has_include(<omp.h>)
#  define MGPU_THRUST_HAS_OMP_POLICIES 1
#  if defined(__CUDACC__) && CCCL_VERSION >= 3006000
#    include <cub/device/device_reduce.cuh> // thrust/system/cuda/detail/extrema.h of CCCL 3.6.0 uses it without including it
#  endif
// For CUDA the policies' types suffice, which takes 6 % off the time to compile a call. A program that uses
// thrust::omp::par beside CUDA includes Thrust's header for it.
#  if defined(__CUDACC__) && __has_include(<thrust/system/omp/detail/execution_policy.h>)
#    include <thrust/system/omp/detail/execution_policy.h>
#  else
#    include <thrust/system/omp/execution_policy.h>
#  endif
#else
#  define MGPU_THRUST_HAS_OMP_POLICIES 0
#endif

// TBB is used where the program uses it: where it is a Thrust system, or where its headers, which thrust::tbb::par
// comes with, are included before this one. No program has to link TBB only because it is installed.
#if !defined(MGPU_THRUST_HAS_TBB)
#  if defined(TBB_INTERFACE_VERSION) || THRUST_HOST_SYSTEM == THRUST_HOST_SYSTEM_TBB                                   \
    || THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_TBB
#    define MGPU_THRUST_HAS_TBB 1
#  else
#    define MGPU_THRUST_HAS_TBB 0
#  endif
#endif
#if MGPU_THRUST_HAS_TBB
#  include <thrust/system/tbb/execution_policy.h>
#endif

#include <type_traits>
#include <utility>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

// The backends. Beside a job, its cpu_work executes it for the first three, its device_work for the last.
struct serial_backend ///< seq, cpp: on the caller's thread
{
};
struct serial_n_backend : serial_backend ///< for checks of types, where outputs have random access under every policy
{
};
struct omp_backend ///< on the workers of an OpenMP team
{
};
struct tbb_backend ///< on the workers of the current TBB arena
{
};
struct cuda_backend ///< on a CUDA device
{
};

// Declared, never defined: overload resolution finds the most derived base of a policy, and so its backend.
template <class Policy>
serial_backend backend_of(const thrust::execution_policy<Policy>&);
template <class Policy>
serial_backend backend_of(const thrust::cpp::execution_policy<Policy>&);
#if MGPU_THRUST_HAS_OMP_POLICIES
template <class Policy>
omp_backend backend_of(const thrust::omp::execution_policy<Policy>&);
#endif
#if MGPU_THRUST_HAS_OMP_POLICIES || MGPU_THRUST_HAS_TBB
template <class Policy> // declared by Thrust's OpenMP policies, without TBB's headers
tbb_backend backend_of(const thrust::tbb::execution_policy<Policy>&);
#endif
#if defined(__CUDACC__) || THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
template <class Policy>
cuda_backend backend_of(const thrust::cuda::execution_policy<Policy>&);
#endif

/// The ranks of a communicator, each of which executes its part on the backend `Local`. Beside a job, its
/// distributed_work executes it.
template <class Local>
struct distributed_backend
{
};
template <class Communicator, class Policy>
class distributed_policy; // in distributed_policy.h
template <class Communicator, class Policy>
distributed_backend<decltype(detail::backend_of(std::declval<const Policy&>()))>
backend_of(const distributed_policy<Communicator, Policy>&);

/// The backend of a policy. A CUDA policy in a file that no CUDA compiler compiles is an error with its own message.
template <class Policy>
using backend_t = decltype(detail::backend_of(std::declval<const Policy&>()));

/// The backend that reads and writes the elements of a call: of several ranks, that of each.
template <class Backend>
struct local_backend
{
  using type = Backend;
};
template <class Local>
struct local_backend<distributed_backend<Local>>
{
  using type = Local;
};
template <class Policy>
using local_backend_t = typename local_backend<backend_t<Policy>>::type;

template <class Policy>
inline constexpr bool is_distributed_v = !std::is_same_v<backend_t<Policy>, local_backend_t<Policy>>;

/// The policy object that a function received as its base, cast back to its own type. The cast away from const is what
/// Thrust's customization points (get_stream, get_temporary_buffer) expect; nothing is changed.
template <class Policy>
MGPU_THRUST_HOST_DEVICE Policy& derived(const thrust::execution_policy<Policy>& policy)
{
  return const_cast<Policy&>(static_cast<const Policy&>(policy));
}

template <class System, class Other>
struct common_system
{
  static_assert(
    std::is_convertible_v<System, Other> || std::is_convertible_v<Other, System>,
    "mgpu_thrust: these iterators belong to different systems, host and device for instance; copy one input"
    " over, or pass an execution policy if the memory can be reached from where it runs");
  using type = std::conditional_t<std::is_convertible_v<System, Other>, Other, System>;
};
template <class System>
struct common_system<System, System>
{
  using type = System;
};
template <class System>
struct common_system<System, thrust::any_system_tag>
{
  using type = System;
};
template <class System>
struct common_system<thrust::any_system_tag, System>
{
  using type = System;
};
template <>
struct common_system<thrust::any_system_tag, thrust::any_system_tag>
{
  using type = thrust::any_system_tag;
};

template <class... Iterators>
struct system_of_iterators
{
  using type = thrust::any_system_tag;
};
template <class Iterator, class... Iterators>
struct system_of_iterators<Iterator, Iterators...>
    : common_system<thrust::iterator_system_t<Iterator>, typename system_of_iterators<Iterators...>::type>
{
};

/// The policy of a call that passes none: the system that all iterators can be used in, as Thrust chooses it; the
/// device system if they can be used in any (counting, constant, discard iterators only).
template <class... Iterators>
using system_policy_t = std::conditional_t<
  std::is_same_v<typename system_of_iterators<Iterators...>::type, thrust::any_system_tag>, thrust::device_system_tag,
  typename system_of_iterators<Iterators...>::type>;

} // namespace detail
MGPU_THRUST_NAMESPACE_END
