// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The mgpu_thrust authors
#pragma once

/// @file
/// Bulk copies (TMA) to shared memory, from sm_90 on: the protocol that all loaders share.

#include <mgpu_thrust/detail/base/config.h>

#include <cuda/ptx>

#include <cstdint>

#include <nv/target>

MGPU_THRUST_NAMESPACE_BEGIN
namespace detail
{

/// A barrier in shared memory, which counts the bytes of bulk copies that have arrived. It is used once:
///
///   init(n) by one thread, then a barrier of the threads;
///   expect(bytes) n times in all, by any threads, for the bytes of one copy or of several;
///   copy(...) for each of these copies;
///   wait() by each thread that reads what was copied;
///   invalidate() by one thread after all have waited, if the memory is to be reused.
///
/// Addresses and sizes of copies are multiples of 16. Only code for sm_90 and later may call the members.
struct bulk_barrier
{
  std::uint64_t word;

  MGPU_THRUST_DEVICE void init([[maybe_unused]] int expectations)
  {
    NV_IF_TARGET(
      NV_PROVIDES_SM_90, (::cuda::ptx::mbarrier_init(&word, static_cast<std::uint32_t>(expectations));
                          ::cuda::ptx::fence_mbarrier_init(::cuda::ptx::sem_release, ::cuda::ptx::scope_cluster);))
  }
  MGPU_THRUST_DEVICE void expect([[maybe_unused]] int bytes)
  {
    NV_IF_TARGET(
      NV_PROVIDES_SM_90, (::cuda::ptx::mbarrier_arrive_expect_tx(
                            ::cuda::ptx::sem_release, ::cuda::ptx::scope_cta, ::cuda::ptx::space_shared, &word,
                            static_cast<std::uint32_t>(bytes));))
  }
  MGPU_THRUST_DEVICE void copy([[maybe_unused]] void* to, [[maybe_unused]] const void* from, [[maybe_unused]] int bytes)
  {
    NV_IF_TARGET(
      NV_PROVIDES_SM_90,
      (::cuda::ptx::cp_async_bulk(
         ::cuda::ptx::space_cluster, ::cuda::ptx::space_global, to, from, static_cast<std::uint32_t>(bytes), &word);))
  }
  MGPU_THRUST_DEVICE void wait()
  {
    NV_IF_TARGET(NV_PROVIDES_SM_90, (while (!::cuda::ptx::mbarrier_try_wait_parity(&word, 0)){}))
  }
  MGPU_THRUST_DEVICE void invalidate()
  {
    NV_IF_TARGET(
      NV_PROVIDES_SM_90, (asm volatile("mbarrier.inval.shared.b64 [%0];"
                                       :
                                       : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(&word)))
                                       : "memory");))
  }
};

} // namespace detail
MGPU_THRUST_NAMESPACE_END
